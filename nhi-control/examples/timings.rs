//! Iterations and times of plans: `cargo run --release -p nhi-control --example timings`.

#[path = "../tests/plan/systems.rs"]
#[allow(dead_code, reason = "the systems of the tests")]
mod systems;

use nhi_control::{Discrete, Dynamics, Options, PlanError, Problem, Quadratic};
use nhi_runtime::prelude::*;
use std::time::Instant;

/// Prints the median and the least time of solutions, in milliseconds, the numbers of Newton steps and of corrections of the start
/// guess, and the cost.
fn measure<D: Dynamics>(name: &str, problem: &Problem<'_, D>) -> Result<(), PlanError> {
    let options = Options::default();
    let plan = problem.solve(&options)?;
    let mut times = Vec::new();
    for _ in 0..101 {
        let start = Instant::now();
        problem.solve(&options)?;
        times.push(1e3 * start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    // The least time is that of an undisturbed run, on a machine that others use.
    let (median, least) = (times[times.len() / 2], times[0]);
    let (n, m) = (plan.status.iterations, plan.status.corrections);
    println!("| {name} | {median:.2} | {least:.2} | {n} + {m} | {:.6} |", plan.cost);
    Ok(())
}

fn main() -> Result<(), PlanError> {
    println!("| problem | median, ms | least, ms | steps | cost |");
    println!("|---|---:|---:|---:|---:|");
    let h = 1.0 / 40.0;
    let disk = Discrete::new(&systems::disk(), Dla2, h)?;
    let problem = Problem::new(&disk, 40, disk.at_rest(0, [0.0; 4])?)
        .cost("effort", Quadratic::of_inputs(&[h, h]))
        .reach_entries(disk.at_rest(0, [0.0, 1.0, 0.0, 0.0])?, &[0, 1, 2, 4, 5]);
    measure("disk sideways, N = 40", &problem)?;

    let h = 3.0 / 60.0;
    let board = Discrete::new(&systems::snakeboard(), Dla2, h)?;
    let problem = Problem::new(&board, 60, board.at_rest(0, [0.0; 5])?)
        .cost("effort", Quadratic::of_inputs(&[h, h]))
        .reach(board.at_rest(0, [0.0, 0.0, 0.0, 0.5, 0.0])?);
    measure("snakeboard gait, N = 60", &problem)?;

    let h = 4.0 / 50.0;
    let car = Discrete::new(&systems::car(), Dla2, h)?;
    let forward = [1.0, 0.0, 0.0, 0.0, 0.0];
    let problem = Problem::new(&car, 50, car.state(0, [0.0; 5], forward)?)
        .cost("effort", Quadratic::of_inputs(&[h, h]))
        .reach(car.state(0, [4.0, 1.0, 0.0, 0.0, 0.0], forward)?);
    measure("car with trailer, lane change, N = 50", &problem)?;

    let h = 6.0 / 80.0;
    let car = Discrete::new(&systems::car(), Dla2, h)?;
    let start = car.at_rest(0, [0.0; 5])?;
    let problem = Problem::new(&car, 80, start)
        .cost("effort", Quadratic::of_inputs(&[h, h]))
        .bound_inputs(&[-8.0, -8.0], &[8.0, 8.0])
        .bound_entries(start, &[3], (&[-0.6], &[0.6]))
        .reach(car.at_rest(0, [0.0, 0.5, 0.0, 0.0, 0.0])?);
    measure("car with trailer, parking with bounds, N = 80", &problem)
}
