//! Times of model predictive control: `cargo run --release -p nhi-examples --example real_time` prints, for every controller, the
//! median and the longest of the times of its solutions, and draws `real_time.svg` into the directory that is the argument
//! (default `out/`): a bicycle in a gust, and the gait of a snakeboard.

#[path = "../../nhi-control/tests/it/mpc/bicycle.rs"]
#[allow(deprecated, reason = "the second derivatives of a bicycle are many statements")]
mod bicycle;
#[path = "../../nhi-control/tests/it/systems.rs"]
#[allow(dead_code, reason = "the systems of the tests")]
mod systems;

use nhi_control::{Discrete, Dynamics, Mpc, Options, Plan, Problem, Quadratic};
use nhi_examples::{COLOURS, Mark, Panel, Series, SeriesLabelPosition, assert_digits, save};
use nhi_runtime::ReducedOf;
use nhi_runtime::prelude::*;
use std::error::Error;
use std::time::Instant;

/// What a closed loop has done.
struct Run<X> {
    states: Vec<X>,
    inputs: Vec<Vec<f64>>,
}

/// How often a loop is run.
const RUNS: usize = 5;

/// The closed loop of a controller with what `plant` makes of its inputs. Prints times in milliseconds: that of a step is the median
/// of those of all runs, so that what else the machine does disturbs them less.
fn run<D: Dynamics>(
    name: &str,
    problem: &Problem<'_, D>,
    start: &D::State,
    steps: usize,
    plant: impl Fn(usize, &D::State, &[f64]) -> Result<D::State, nhi_runtime::Failure>,
) -> Result<Run<D::State>, Box<dyn Error>> {
    let (mut wholes, mut feedbacks) = (vec![Vec::new(); steps], vec![Vec::new(); steps]);
    let mut run = Run { states: Vec::new(), inputs: Vec::new() };
    let mut bounded = 0;
    for _ in 0..RUNS {
        let mut mpc = Mpc::new(problem, &Options::default())?;
        run = Run { states: vec![start.clone()], inputs: Vec::new() };
        let mut x = start.clone();
        bounded = 0;
        for k in 0..steps {
            let begin = Instant::now();
            mpc.prepare();
            let prepared = begin.elapsed().as_secs_f64();
            let feedback = mpc.feedback(&x);
            let done = begin.elapsed().as_secs_f64();
            if let Some(failure) = feedback.failure {
                return Err(Box::new(failure));
            }
            bounded += usize::from(feedback.iterations > 0);
            wholes[k].push(1e3 * done);
            feedbacks[k].push(1e3 * (done - prepared));
            x = plant(k, &x, feedback.input).map_err(|failure| format!("step {k}: {failure}"))?;
            run.inputs.push(feedback.input.to_vec());
            run.states.push(x.clone());
        }
    }
    let median = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    // The first solution is prepared where the controller is made.
    let [(whole, longest), (feedback, latest)] = [wholes, feedbacks].map(|mut all| {
        let mut times: Vec<f64> = all.iter_mut().skip(1).map(median).collect();
        (median(&mut times), times[times.len() - 1])
    });
    println!("| {name} | {whole:.2} | {longest:.2} | {feedback:.3} | {latest:.2} | {bounded} of {steps} |");
    Ok(run)
}

/// A slow bicycle in a gust that its rider does not expect, with the torque that keeps it upright.
fn bicycle() -> Result<Run<ReducedOf<bicycle::Bicycle>>, Box<dyn Error>> {
    let h = 0.02;
    let calm = Discrete::new(&bicycle::bicycle(0.0), Dla2, h)?;
    let windy = Discrete::new(&bicycle::bicycle(100.0), Dla2, h)?;
    let start = bicycle::riding(&calm, 3.0)?;
    let mut weights = [0.0; 12];
    // Yaw, roll and steering, and their velocities.
    (weights[3], weights[4], weights[6]) = (1.0, 10.0, 1.0);
    (weights[9], weights[10], weights[11]) = (1.0, 0.1, 0.1);
    let problem = Problem::new(&calm, 50, start)
        .cost("upright", Quadratic::of_states(&weights.map(|w| h * w), start))
        .cost("effort", Quadratic::of_inputs(&[0.001 * h]))
        .final_cost("end", Quadratic::of_states(&weights, start))
        .bound_inputs(&[-1.0], &[1.0]);
    run("bicycle, N = 50", &problem, &start, 250, |k, x, u| {
        if (25..75).contains(&k) { windy.step(k, x, u) } else { calm.step(k, x, u) }
    })
}

/// A car with a trailer changes its lane.
fn car() -> Result<(), Box<dyn Error>> {
    let h = 0.08;
    let car = Discrete::new(&systems::car(), Dla2, h)?;
    let on_lane = |y: f64| car.state(0, [0.0, y, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0, 0.0]);
    let (start, end) = (on_lane(0.0)?, on_lane(1.0)?);
    // Where along the lane is free.
    let weights = [0.0, 2.0, 1.0, 0.5, 0.5, 1.0, 0.5];
    let problem = Problem::new(&car, 50, start)
        .cost("lane", Quadratic::of_states(&weights.map(|w| h * w), end))
        .cost("effort", Quadratic::of_inputs(&[0.01 * h, 0.01 * h]))
        .final_cost("end", Quadratic::of_states(&weights, end))
        .bound_inputs(&[-1.0, -1.0], &[1.0, 1.0])
        .bound_entries(start, &[3], (&[-0.3], &[0.3]));
    run("car with trailer, N = 50", &problem, &start, 100, |k, x, u| car.step(k, x, u))?;
    Ok(())
}

/// From rest to rest, half a metre along its axis.
fn gait() -> Result<Plan<ReducedOf<systems::Snakeboard>>, Box<dyn Error>> {
    let h = 3.0 / 60.0;
    let board = Discrete::new(&systems::snakeboard(), Dla2, h)?;
    let plan = Problem::new(&board, 60, board.at_rest(0, [0.0; 5])?)
        .cost("effort", Quadratic::of_inputs(&[h, h]))
        .reach(board.at_rest(0, [0.0, 0.0, 0.0, 0.5, 0.0])?)
        .solve(&Options::default())?;
    assert_digits("the cost of the gait", plan.cost, "13.167609");
    Ok(plan)
}

fn line(name: &str, colour: usize, points: impl Iterator<Item = (f64, f64)>) -> Series {
    Series { name: name.to_owned(), colour: COLOURS[colour], mark: Mark::Line(2), points: points.collect() }
}

fn held(name: &str, colour: usize, h: f64, inputs: &[Vec<f64>], input: usize) -> Series {
    let points = inputs.iter().enumerate().flat_map(move |(k, u)| {
        let t = k as f64 * h;
        [(t, u[input]), (t + h, u[input])]
    });
    line(name, colour, points)
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("| controller | median, ms | longest, ms | feedback, median, ms | longest, ms | with bounds |");
    println!("|---|---:|---:|---:|---:|---:|");
    let ridden = bicycle()?;
    car()?;
    let gait = gait()?;
    let along = |name: &str, colour: usize, entry: usize| {
        line(name, colour, ridden.states.iter().enumerate().map(|(k, x)| (0.02 * k as f64, x.q[entry])))
    };
    let of_board = |name: &str, colour: usize, entry: usize| {
        line(name, colour, gait.states.iter().enumerate().map(|(k, x)| (0.05 * k as f64, x.q[entry])))
    };
    let panel = |title: &str, labels, ranges, series| Panel {
        title: title.to_owned(),
        labels,
        ranges,
        logarithmic: (false, false),
        legend: SeriesLabelPosition::UpperRight,
        series,
    };
    let panels = [
        panel(
            "Bicycle, wind from 0.5 to 1.5",
            ("time", "angle"),
            (0.0..5.0, -0.3..0.8),
            vec![along("roll", 0, 4), along("steering", 1, 6), along("yaw", 2, 3)],
        ),
        panel(
            "Torque of its steering",
            ("time", "torque"),
            (0.0..5.0, -1.5..1.5),
            vec![held("torque", 0, 0.02, &ridden.inputs, 0)],
        ),
        panel(
            "Snakeboard from above",
            ("x", "y"),
            (-0.1..0.6, -0.02..0.03),
            vec![line("centre", 0, gait.states.iter().map(|x| (x.q[3], x.q[4])))],
        ),
        panel(
            "Its rotor, wheels and heading",
            ("time", "angle"),
            (0.0..3.0, -1.0..1.5),
            vec![of_board("rotor", 0, 0), of_board("wheels", 1, 1), of_board("heading", 2, 2)],
        ),
    ];
    println!("{}", save("real_time.svg", &panels, 2, (480, 360))?.display());
    Ok(())
}
