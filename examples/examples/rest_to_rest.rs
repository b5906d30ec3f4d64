//! From rest to rest at least effort: a sleigh moves sideways, and a body in free fall turns by the motion of its two limbs; prints
//! costs and draws `rest_to_rest.svg` into the directory that is the argument (default `out/`).

#[path = "../../nhi-control/tests/it/systems.rs"]
#[allow(dead_code, reason = "the systems of the tests")]
mod systems;

use nhi_control::{Discrete, Options, Plan, Problem, Quadratic};
use nhi_examples::SeriesLabelPosition::UpperRight;
use nhi_examples::{Mark, Panel, Series, assert_digits, save};
use nhi_runtime::prelude::*;
use nhi_runtime::{Differentiable, ReducedOf, Tangential};
use std::error::Error;

const STEPS: usize = 40;

/// The plan between two configurations at rest within `time`.
fn plan<S: Tangential + Clone>(
    system: &S,
    time: f64,
    [from, to]: [[f64; 3]; 2],
) -> Result<Plan<ReducedOf<S>>, Box<dyn Error>>
where
    Dla2: Differentiable<S>,
    [f64; 3]: nhi_runtime::Fits<S::Configuration<f64>>,
{
    let h = time / STEPS as f64;
    let discrete = Discrete::new(system, Dla2, h)?;
    let plan = Problem::new(&discrete, STEPS, discrete.at_rest(0, from)?)
        .cost("effort", Quadratic::of_inputs(&[h, h]))
        .reach(discrete.at_rest(0, to)?)
        .solve(&Options::default())?;
    println!("{}: cost {:.6}; {}", S::NAME, plan.cost, plan.status);
    Ok(plan)
}

/// The way of the centre of mass with the blade at every second step.
fn sleigh() -> Result<Vec<Series>, Box<dyn Error>> {
    let a = systems::sleigh().a;
    let plan = plan(&systems::sleigh(), 2.0, [[0.0; 3], [0.0, 0.0, 1.0]])?;
    assert_digits("the cost", plan.cost, "27.722431");
    let way = plan.states.iter().map(|x| (x.q[1], x.q[2])).collect();
    let blades = plan.states.iter().step_by(2).map(|x| {
        let [theta, x, y] = x.q;
        let (sin, cos) = theta.sin_cos();
        let at = |s: f64| (x + s * cos, y + s * sin);
        Series::new("", 1, Mark::Line(2), vec![at(-a - 0.05), at(-a + 0.05)])
    });
    let way = Series::new("centre of mass", 0, Mark::Line(1), way);
    Ok(std::iter::once(way).chain(blades).collect())
}

/// The body with its limbs at every tenth step, one below the other, and its angles.
fn cat() -> Result<[Vec<Series>; 2], Box<dyn Error>> {
    let systems::Cat { a, b, .. } = systems::cat();
    let plan = plan(&systems::cat(), 1.0, [[0.0, 0.5, -0.5], [0.2, 0.5, -0.5]])?;
    assert_digits("the cost", plan.cost, "14.705364");
    let mut bodies = Vec::new();
    for (i, x) in plan.states.iter().step_by(10).enumerate() {
        let [theta, alpha, beta] = x.q;
        let end = |sign: f64, limb: Option<f64>| {
            let (angle, by) = limb.map_or((0.0, 0.0), |limb| (theta + limb, b));
            let place = |f: fn(f64) -> f64| sign * (a * f(theta) + by * f(angle));
            (place(f64::cos), place(f64::sin) - 1.4 * i as f64)
        };
        let points = vec![end(-1.0, Some(beta)), end(-1.0, None), end(1.0, None), end(1.0, Some(alpha))];
        bodies.push(Series::new("", 0, Mark::Knots(3), points.clone()));
        bodies.push(Series::new("", 1, Mark::Line(3), points[1..3].to_vec()));
    }
    let angle = |i: usize| {
        let points = plan.states.iter().enumerate();
        points.map(|(k, x)| (k as f64 / STEPS as f64, x.q[i])).collect()
    };
    let angles = ["body", "front limb", "back limb"];
    let angles =
        angles.into_iter().enumerate().map(|(i, name)| Series::new(name, i, Mark::Line(2), angle(i)));
    Ok([bodies, angles.collect()])
}

fn main() -> Result<(), Box<dyn Error>> {
    let [bodies, angles] = cat()?;
    let panels = [
        Panel::new("Sleigh from above", ("x", "y"), [-0.6, 0.9, -0.2, 1.3], UpperRight, sleigh()?),
        Panel::new(
            "Body and limbs in free fall",
            ("x", "y, less 1.4 every 0.25"),
            [-3.6, 3.6, -6.4, 0.8],
            UpperRight,
            bodies,
        ),
        Panel::new("Angles", ("time", "angle"), [0.0, 1.0, -3.0, 3.0], UpperRight, angles),
    ];
    println!("{}", save("rest_to_rest.svg", &panels, 3, (420, 420))?.display());
    Ok(())
}
