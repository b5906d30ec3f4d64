//! A disk at rest, which cannot slide, moves sideways by one metre within a second, at least effort, with and without a bound of
//! its torques; prints costs and draws `disk_sideways.svg` into the directory that is the argument (default `out/`).
//!
//! No torques move the disk sideways to first order: the start guess is moved along the Lie bracket of driving and steering.

#[path = "../../nhi-control/tests/it/systems.rs"]
#[allow(dead_code, reason = "the systems of the tests")]
mod systems;

use nhi_control::{Discrete, Options, Plan, Problem, Quadratic};
use nhi_examples::{COLOURS, Mark, Panel, Series, SeriesLabelPosition, assert_digits, save};
use nhi_runtime::ReducedOf;
use nhi_runtime::prelude::*;
use std::error::Error;

const STEPS: usize = 40;
const H: f64 = 1.0 / STEPS as f64;

type Motion = Plan<ReducedOf<systems::Disk>>;

fn plan(bound: f64) -> Result<Motion, Box<dyn Error>> {
    let disk = Discrete::new(&systems::disk(), Dla2, H)?;
    let plan = Problem::new(&disk, STEPS, disk.at_rest(0, [0.0; 4])?)
        .cost("effort", Quadratic::of_inputs(&[H, H]))
        .bound_inputs(&[-bound, -bound], &[bound, bound])
        .reach_entries(disk.at_rest(0, [0.0, 1.0, 0.0, 0.0])?, &[0, 1, 2, 4, 5])
        .solve(&Options::default())?;
    println!("torques up to {bound}: cost {:.6}; {}", plan.cost, plan.status);
    Ok(plan)
}

/// The path with the disk, seen from above, at every second step.
fn path(name: &str, index: usize, plan: &Motion) -> Vec<Series> {
    let colour = COLOURS[index];
    let points = plan.states.iter().map(|x| (x.q[0], x.q[1])).collect();
    let path = Series { name: name.to_owned(), colour, mark: Mark::Line(1), points };
    let disks = plan.states.iter().step_by(2).map(|x| {
        let (sin, cos) = x.q[2].sin_cos();
        let end = |s: f64| (x.q[0] + s * cos, x.q[1] + s * sin);
        Series { name: String::new(), colour, mark: Mark::Line(3), points: vec![end(-0.05), end(0.05)] }
    });
    std::iter::once(path).chain(disks).collect()
}

/// A torque, which is held over each step.
fn torque(name: &str, index: usize, plan: &Motion, input: usize) -> Series {
    let points = plan.inputs.iter().enumerate().flat_map(|(k, u)| {
        let t = k as f64 * H;
        [(t, u[input]), (t + H, u[input])]
    });
    Series { name: name.to_owned(), colour: COLOURS[index], mark: Mark::Line(2), points: points.collect() }
}

fn main() -> Result<(), Box<dyn Error>> {
    let (free, bounded) = (plan(f64::INFINITY)?, plan(10.0)?);
    assert_digits("the cost", free.cost, "49.703570");
    assert_digits("the cost with bounds", bounded.cost, "52.068226");
    let paths = [path("free", 0, &free), path("torques ≤ 10", 1, &bounded)].concat();
    let torques = vec![
        torque("drive", 0, &free, 0),
        torque("steer", 2, &free, 1),
        torque("drive, bounded", 1, &bounded, 0),
        torque("steer, bounded", 4, &bounded, 1),
    ];
    let panels = [
        Panel {
            title: "Disk from above".to_owned(),
            labels: ("x", "y"),
            ranges: (-0.6..0.8, -0.2..1.2),
            logarithmic: (false, false),
            legend: SeriesLabelPosition::UpperRight,
            series: paths,
        },
        Panel {
            title: "Torques".to_owned(),
            labels: ("time", "torque"),
            ranges: (0.0..1.0, -17.0..27.0),
            logarithmic: (false, false),
            legend: SeriesLabelPosition::UpperRight,
            series: torques,
        },
    ];
    println!("{}", save("disk_sideways.svg", &panels, 2, (480, 480))?.display());
    Ok(())
}
