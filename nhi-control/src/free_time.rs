//! Plans whose time is free.

use crate::interior_point::lagrangian;
use crate::{Dynamics, Options, Plan, PlanError, Problem};
use alloc::boxed::Box;
use core::ops::RangeInclusive;
#[cfg(not(feature = "std"))]
use num_traits::Float;

/// Half the distance of the step sizes for the derivative of one step, relative to the step size. Errors are of fourth order.
const WIDTH: f64 = 1e-3;
/// The derivative by the time, relative to the cost over the time, at which it is zero.
const STATIONARY: f64 = 1e-8;
/// The difference of the logarithms of two times that are the same.
const SAME: f64 = 1e-10;
/// The first change of the logarithm of the time, and the largest one where it is not between two times.
const FIRST: f64 = 0.1;
const LARGEST: f64 = 0.7;
/// Solutions, at most.
const SOLUTIONS: usize = 60;

/// A plan and the time that it takes.
#[derive(Clone, Debug)]
pub struct Timed<X> {
    /// T.
    pub time: f64,
    /// The plan with steps of size T/N. Its cost is without that of the time.
    pub plan: Plan<X>,
    /// The derivative of the cost, with that of the time, by T: zero, unless T is the shortest or the longest time.
    pub derivative: f64,
    /// How many problems with fixed times were solved.
    pub solutions: usize,
}

/// The plan of least cost, plus `price` for a unit of time, whose N `steps` may take any time T of `times`, near the middle of which
/// the search begins. `system` makes the system with steps of a given size h = T/N, and `pose` the problem for it, with this size
/// in its weights.
///
/// The search for T is outside of that for the plan: the derivative of the least cost by T is that of the Lagrangian,
///
/// ```text
/// dJ/dT = price + ∂/∂T (Σ ℓₖ + Σ λₖ₊₁·F(xₖ, uₖ) + Σ νᵢcᵢ)
/// ```
///
/// with states, inputs and multipliers held. It is taken by differences of fourth order of what `system` and `pose` make, so
/// that any of their parts may depend on h; its zero is found by secants within a bracket. Every plan begins with the one before.
///
/// # Errors
/// Those of `system`, `pose` and [`Problem::solve`]; [`PlanError::Option`] for times that are not positive, and
/// [`PlanError::Unsolved`] if there is no plan for a time of the search.
pub fn free_time<D: Dynamics>(
    steps: usize,
    times: RangeInclusive<f64>,
    price: f64,
    system: impl Fn(f64) -> Result<D, PlanError>,
    pose: impl for<'d> Fn(&'d D, f64) -> Result<Problem<'d, D>, PlanError>,
    options: &Options,
) -> Result<Timed<D::State>, PlanError> {
    let (shortest, longest) = (*times.start(), *times.end());
    if !(shortest > 0.0 && shortest <= longest && longest.is_finite() && steps > 0) {
        return Err(PlanError::Option { what: "times" });
    }
    let mut solutions = 0;
    let mut solve = |time: f64, last: Option<&Timed<D::State>>| {
        let h = time / steps as f64;
        solutions += 1;
        let dynamics = system(h)?;
        let mut problem = pose(&dynamics, h)?;
        if let Some(Timed { plan, .. }) = last {
            problem = problem.guess(plan.states[1..].to_vec(), plan.inputs.clone());
        }
        let plan = problem.solve(options)?;
        if !plan.status.is_converged() {
            return Err(PlanError::Unsolved { status: Box::new(plan.status) });
        }
        let at = |by: f64| {
            let h = h * (1.0 + by * WIDTH);
            let dynamics = system(h)?;
            lagrangian(&pose(&dynamics, h)?, &plan)
        };
        let by_h = (8.0 * (at(1.0)? - at(-1.0)?) - (at(2.0)? - at(-2.0)?)) / (12.0 * WIDTH * h);
        let derivative = price + by_h / steps as f64;
        Ok(Timed { time, plan, derivative, solutions })
    };
    let mut last = solve(0.5 * (shortest + longest), None)?;
    // Near a power of the time, as efforts are, this is linear in its logarithm. It has the sign of the slope.
    let measure = |slope: f64| if slope < price { -((price - slope) / price).ln() } else { slope };
    // Logarithms of times, and measures there: the ends of the bracket that have been reached, and the last time.
    let (mut low, mut high, mut before) = (None, None, None);
    while last.solutions < SOLUTIONS {
        let (time, slope) = (last.time, last.derivative);
        let unit = (last.plan.cost.abs() / time).max(price.abs());
        let is_end = if slope > 0.0 { time <= shortest } else { time >= longest };
        if slope.abs() <= STATIONARY * unit || is_end {
            break;
        }
        let here = (time.ln(), measure(slope));
        *if slope > 0.0 { &mut high } else { &mut low } = Some(here);
        let secant = |(s, f): (f64, f64)| here.0 - here.1 * (here.0 - s) / (here.1 - f);
        let tried = before.replace(here).map(secant);
        let next = match (low, high) {
            (Some((a, _)), Some((b, _))) if b - a <= SAME => break,
            (Some((a, _)), Some((b, _))) => {
                let margin = 1e-3 * (b - a);
                tried.filter(|s| (a + margin..b - margin).contains(s)).unwrap_or(0.5 * (a + b))
            }
            _ => {
                let ahead = -slope.signum();
                let by = tried.map(|s| ahead * (s - here.0)).filter(|by| *by > 0.0).unwrap_or(FIRST);
                here.0 + ahead * by.min(LARGEST)
            }
        };
        let next = next.exp().clamp(shortest, longest);
        last = solve(next, Some(&last))?;
    }
    Ok(last)
}
