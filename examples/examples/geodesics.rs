//! Shortest ways where velocities are inputs, by the mid-point rule: polygons on the Heisenberg group, a wheel that goes sideways, and
//! a ball on a plate; prints energies and draws `geodesics.svg` into the directory that is the argument (default `out/`).

#[path = "../../nhi-control/tests/it/plan/noether.rs"]
#[allow(dead_code, reason = "what the tests compare")]
mod noether;
#[path = "../../nhi-control/tests/it/systems.rs"]
#[allow(dead_code, reason = "the systems of the tests")]
mod systems;

use nhi_control::{Kinematic, Options, Problem, Quadratic};
use nhi_examples::SeriesLabelPosition::LowerRight;
use nhi_examples::{Mark, Panel, Series, assert_digits, save};
use std::error::Error;
use std::f64::consts::PI;

/// The area that a way on the Heisenberg group encloses.
const AREA: f64 = 0.7;

/// The shortest way around the area in `steps` steps, which is a regular polygon.
fn polygon(steps: u32, index: usize) -> Result<Series, Box<dyn Error>> {
    let n = f64::from(steps);
    let particle = Kinematic::new(&systems::particle(), 1.0 / n)?;
    let plan = Problem::new(&particle, steps as usize, [0.0; 3])
        .cost("energy", Quadratic::of_inputs(&[1.0 / n, 1.0 / n]))
        .reach([0.0, 0.0, AREA])
        .solve(&Options::default())?;
    let expected = 2.0 * n * (PI / n).tan() * AREA;
    println!("N = {steps}: energy {:.9}, 2 N tan(π/N) z = {expected:.9}; {}", plan.cost, plan.status);
    assert_digits("the energy", plan.cost, &format!("{expected:.8}"));
    let points = plan.states.iter().map(|q| (q[0], q[1])).collect();
    Ok(Series::new(format!("N = {steps}"), index, Mark::Knots(2), points))
}

/// A wheel whose turning and rolling velocities are the inputs goes sideways by `y`.
fn wheel(y: f64) -> Result<Vec<Series>, Box<dyn Error>> {
    let (steps, h) = (40, 1.0 / 40.0);
    let wheel = Kinematic::new(&systems::posed_disk(), h)?;
    let plan = Problem::new(&wheel, steps, [0.0; 4].into())
        .cost("energy", Quadratic::of_inputs(&[h, h]))
        .reach_entries([0.0, 0.0, 0.0, y].into(), &[1, 2, 3])
        .solve(&Options::default())?;
    println!("wheel: energy {:.6}; {}", plan.cost, plan.status);
    assert_digits("the energy", plan.cost, "2.960470");
    let way = plan.states.iter().map(|q| (q[2], q[3])).collect();
    let way = Series::new(String::new(), 0, Mark::Line(1), way);
    let wheels = plan.states.iter().step_by(2).map(|q| {
        let (sin, cos) = q[1].sin_cos();
        let end = |s: f64| (q[2] + s * cos, q[3] + s * sin);
        Series::new(String::new(), 0, Mark::Line(3), vec![end(-0.02), end(0.02)])
    });
    Ok(std::iter::once(way).chain(wheels).collect())
}

/// The point of contact of a ball that rolls to another place and attitude.
fn ball(steps: u32, index: usize, mark: Mark) -> Series {
    let plan = noether::plate_ball(steps);
    println!("ball, N = {steps}: energy {:.6}; {}", plan.cost, plan.status);
    let points = plan.states.iter().map(|q| (q[0], q[1])).collect();
    Series::new(format!("N = {steps}"), index, mark, points)
}

fn main() -> Result<(), Box<dyn Error>> {
    let polygons = vec![polygon(5, 1)?, polygon(12, 2)?, polygon(50, 0)?];
    let balls = vec![ball(10, 1, Mark::Knots(2)), ball(40, 0, Mark::Line(2))];
    let panels = [
        Panel::new("Heisenberg group, area 0.7", ("x", "y"), [-0.7, 0.9, -0.5, 1.1], LowerRight, polygons),
        Panel::new("Wheel, sideways by 0.5", ("x", "y"), [-0.4, 0.6, -0.2, 0.8], LowerRight, wheel(0.5)?),
        Panel::new("Ball on a plate, contact", ("x", "y"), [-1.3, 0.7, -0.2, 1.8], LowerRight, balls),
    ];
    println!("{}", save("geodesics.svg", &panels, 3, (420, 420))?.display());
    Ok(())
}
