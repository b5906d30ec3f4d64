//! Order of convergence: the slope of the error in q against the step size, above rounding.

use super::Course;
use nhi_run::model::{Instance, Method, method};

/// Time span of the errors, and the number of steps of the error that is shown: those of the
/// independent measurements that the tests compare with.
const SPAN: f64 = 3.0;
const SHOWN: u64 = 480;
/// Number of step sizes, a factor 2^¼ apart: down to h = 8e-4.
const REFINEMENTS: u32 = 40;
/// Step sizes from one end of a slope to the other, a factor 2.
const WINDOW: usize = 4;
/// Slopes that differ less have settled: only the leading term of the error matters.
const SETTLED: f64 = 0.02;
/// Rounding is negligible in errors this many times larger than rounding alone: it changes a slope by at most 0.01/ln 2.
const ABOVE: f64 = 100.0;
/// The method whose error with [`SHOWN`] steps is rounding alone.
const ROUNDED: &str = "dla2_kahanli8";

/// Errors of q after 3 units of time and the order derived from them.
#[derive(Clone, Debug)]
pub struct Order {
    /// Step sizes and errors (as norms), above rounding.
    pub errors: Vec<(f64, f64)>,
    /// The error with 480 steps, the largest of q's entries.
    pub shown: Option<f64>,
    /// The slope at the smallest step sizes where it has settled, or at the smallest ones.
    pub slope: Option<f64>,
    /// Whether the slope has settled: for high orders rounding may dominate before.
    pub settled: bool,
}

/// Measures the order of `method` on the model of `course`.
pub fn order(course: &Course, method: &Method) -> Order {
    let instance = course.instance();
    let (q0, v0) = instance.initial();
    let mut order = Order { errors: Vec::new(), shown: None, slope: None, settled: false };
    let Ok((exact, _)) = instance.flow(0.0, &q0, &v0, &[], SPAN) else { return order };
    let largest = |errors: Vec<f64>| errors.into_iter().map(f64::abs).fold(0.0, f64::max);
    order.shown = errors(&*instance, method, &exact, SHOWN).map(largest);
    let floor = ABOVE * rounding(&*instance, &exact);
    let mut steps = 0;
    for i in 0..REFINEMENTS {
        // Even, because the parasitic mode of GNI methods alternates.
        let finer = 2 * (2.5 * 2f64.powf(f64::from(i) / 4.0)).round() as u64;
        if finer == steps {
            continue;
        }
        steps = finer;
        // Newton's method need not converge with long steps.
        let Some(errors) = errors(&*instance, method, &exact, steps) else { continue };
        let error = norm(&errors);
        if error < floor {
            break;
        }
        order.errors.push((SPAN / steps as f64, error));
    }
    let slopes = order.errors.windows(WINDOW + 1).map(|window| {
        let ((long, coarse), (short, fine)) = (window[0], window[WINDOW]);
        (coarse / fine).ln() / (long / short).ln()
    });
    let slopes: Vec<_> = slopes.collect();
    // Two slopes can be equal by chance.
    let is_settled = |slopes: &[f64]| slopes.windows(2).all(|pair| (pair[1] - pair[0]).abs() < SETTLED);
    let settled = slopes.windows(3).rfind(|slopes| is_settled(slopes));
    order.settled = settled.is_some();
    order.slope = settled.map(|slopes| slopes[2]).or(slopes.last().copied());
    order
}

/// The errors of q's entries after `steps` steps.
fn errors(instance: &dyn Instance, method: &Method, exact: &[f64], steps: u64) -> Option<Vec<f64>> {
    let (q0, v0) = instance.initial();
    let mut trajectory = instance.start(method, &q0, &v0, &[], SPAN / steps as f64).ok()?;
    trajectory.advance(steps).ok()?;
    Some(trajectory.q().iter().zip(exact).map(|(a, b)| a - b).collect())
}

fn norm(errors: &[f64]) -> f64 {
    errors.iter().map(|error| error * error).sum::<f64>().sqrt()
}

/// The error of rounding alone.
fn rounding(instance: &dyn Instance, exact: &[f64]) -> f64 {
    let rounded = method(ROUNDED).and_then(|method| errors(instance, method, exact, SHOWN));
    rounded.map_or(0.0, |errors| norm(&errors)).max(f64::EPSILON)
}
