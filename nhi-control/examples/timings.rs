//! Iterations and times of plans and of an identification: `cargo run --release -p nhi-control --example timings`, with a word as
//! argument of those alone whose names have it.

#[path = "../tests/it/systems.rs"]
#[allow(dead_code, reason = "the systems of the tests")]
mod systems;

#[path = "../tests/it/plan/others.rs"]
mod others;

use nhi_control::{
    Discrete, Dynamics, Entries, Identification, Options, PlanError, Problem, Quadratic, Samples,
};
use nhi_runtime::prelude::*;
use std::error::Error;
use std::time::Instant;

/// The median and the least of 101 times in milliseconds. The least is that of an undisturbed run, on a machine that others use.
fn times<E>(mut solve: impl FnMut() -> Result<(), E>) -> Result<[f64; 2], E> {
    let mut times = Vec::new();
    for _ in 0..101 {
        let start = Instant::now();
        solve()?;
        times.push(1e3 * start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok([times[times.len() / 2], times[0]])
}

fn is_wanted(name: &str) -> bool {
    std::env::args().nth(1).is_none_or(|word| name.contains(&word))
}

/// Prints times of solutions, the numbers of Newton steps and of corrections of the start guess, and the cost.
fn measure<D: Dynamics>(name: &str, problem: &Problem<'_, D>) -> Result<(), PlanError> {
    if !is_wanted(name) {
        return Ok(());
    }
    let options = Options::default();
    let plan = problem.solve(&options)?;
    let [median, least] = times(|| problem.solve(&options).map(drop))?;
    let (n, m) = (plan.status.iterations, plan.status.corrections);
    println!("| {name} | {median:.2} | {least:.2} | {n} + {m} | {:.6} |", plan.cost);
    Ok(())
}

/// Prints the same of the identification of three parameters of a sleigh from 100 samples of its configuration, with the number of
/// motions that were computed and the sum of squares.
fn identify() -> Result<(), Box<dyn Error>> {
    let name = "identification, sleigh, 100 samples";
    if !is_wanted(name) {
        return Ok(());
    }
    let h = 0.05;
    let truth = systems::sleigh();
    let (q, v) = ([0.0; 3], [0.4, 1.0, 0.4 * truth.a]);
    let inputs: Vec<Vec<f64>> = (0..100)
        .map(|k| f64::from(k) * h)
        .map(|t| vec![0.8 * (1.3 * t).sin(), 0.5 * (2.1 * t).cos()])
        .collect();
    let mut sim = Simulation::new(truth, Dla2, q, v, h)?;
    let mut samples = Samples::default();
    for (k, u) in inputs.iter().enumerate() {
        sim.step_with(&[u[0], u[1]])?;
        samples.times.push((k + 1) as f64 * h);
        let q = sim.q();
        let disturbed = q.iter().zip([1.0, 2.0, 3.0]).map(|(q, i)| q + 1e-3 * (i * 997.0 * k as f64).sin());
        samples.values.push(disturbed.collect());
    }
    let guess = systems::Sleigh { j: 1.0, m: 1.0, a: 0.3 };
    let problem =
        Identification::new(&guess, (Dla2, h), (q, v), Entries(vec![0, 1, 2]), &samples).inputs(inputs);
    let found = problem.solve()?;
    let [median, least] = times(|| problem.solve().map(drop))?;
    let (n, sum) = (found.evaluations, found.chi_squared);
    println!("| {name} | {median:.2} | {least:.2} | {n} | {sum:.6} |");
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
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
    let problem = problem.guess_inputs(vec![vec![0.0; 2]; 80]);
    measure("car with trailer, parking with bounds, N = 80", &problem)?;
    measure("the same without zero inputs as a guess", &problem.guess_inputs(Vec::new()))?;

    let car = others::steps_of_car(500)?;
    measure("opty's car, parking with bounds, N = 500", &others::park(&car, 500)?)?;
    measure("crocoddyl's unicycle, N = 100", &others::drive(&others::Unicycle, 100))?;
    identify()
}
