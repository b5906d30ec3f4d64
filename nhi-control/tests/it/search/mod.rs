//! Several start guesses, a free time, and solvers from outside.

mod nlp;

use crate::linear_system::Linear;
use crate::systems;
use nalgebra::{DMatrix, DVector};
use nhi_control::{Discrete, Options, PlanError, Problem, Quadratic, free_time, multi_start};
use nhi_runtime::prelude::*;

/// A car with a trailer parks in several ways. They are those of solutions one after the other, whatever the threads do.
#[test]
fn parking_has_several_optima() {
    let (steps, starts) = (40, 36);
    let h = 6.0 / steps as f64;
    let car = Discrete::new(&systems::car(), Dla2, h).expect("steps");
    let [start, end] = [0.0, 0.5].map(|y| car.at_rest(0, [0.0, y, 0.0, 0.0, 0.0]).expect("rest"));
    let unguessed = || {
        Problem::new(&car, steps, start)
            .cost("effort", Quadratic::of_inputs(&[h, h]))
            .bound_inputs(&[-8.0, -8.0], &[8.0, 8.0])
            .bound_entries(start, &[3], (&[-0.6], &[0.6]))
            .reach(end)
    };
    let problem = |i: usize| unguessed().guess_waves(i as u64, &[1.0, 0.5]);
    let options = Options { iterations: 100, ..Options::default() };
    let plans = multi_start(starts, &options, problem).expect("problems");
    let costs: Vec<f64> = plans.iter().map(|plan| plan.cost).collect();
    let alone = unguessed().solve(&options).expect("a problem");
    println!("{costs:?}; from zero inputs {}, {}", alone.cost, alone.status);
    assert!(costs.len() >= 2 && costs.is_sorted(), "{costs:?}");
    assert!(plans.iter().all(|plan| plan.status.is_converged() && plan.status.is_minimum));
    let mut found: Vec<f64> = (0..starts)
        .filter_map(|i| problem(i).solve(&options).ok())
        .filter(|plan| plan.status.is_converged() && plan.status.is_minimum)
        .map(|plan| plan.cost)
        .collect();
    found.sort_by(f64::total_cmp);
    assert_eq!(found[0], costs[0]);
    assert!(costs.iter().all(|cost| found.contains(cost)), "{found:?}");
    // Nothing that was found is missing.
    assert!(found.iter().all(|x| costs.iter().any(|cost| (x - cost).abs() < 1e-5 * cost)), "{found:?}");
}

#[test]
fn mistakes_in_one_of_several_problems_are_errors() {
    let car = Discrete::new(&systems::car(), Dla2, 0.1).expect("steps");
    let start = car.at_rest(0, [0.0; 5]).expect("rest");
    let error = multi_start(3, &Options::default(), |_| Problem::new(&car, 5, start).guess_waves(0, &[1.0]));
    assert_eq!(
        error.expect_err("an error").to_string(),
        "inputs of the guess, step 0: expected 2 entries, found 1"
    );
}

fn double_integrator(steps: usize) -> impl Fn(f64) -> Result<Linear, PlanError> {
    move |h| {
        let a = DMatrix::from_row_slice(2, 2, &[1.0, h, 0.0, 1.0]);
        let b = DMatrix::from_row_slice(2, 1, &[0.5 * h * h, h]);
        Ok(Linear(vec![(a, b); steps]))
    }
}

/// Least effort over a distance d within T costs 6 d²/((1 − 1/N²) T³) in N steps.
#[test]
fn the_time_of_a_double_integrator_has_a_closed_form() {
    let (steps, d) = (20, 1.5);
    let n = steps as f64;
    let factor = 6.0 * d * d / (1.0 - 1.0 / (n * n));
    for (price, times) in [(1.0, 1.0..=4.0), (40.0, 0.3..=9.0), (1e-2, 1.0..=30.0)] {
        let timed = free_time(
            steps,
            times,
            price,
            double_integrator(steps),
            |system, h| {
                Ok(Problem::new(system, steps, DVector::zeros(2))
                    .cost("effort", Quadratic::of_inputs(&[h]))
                    .reach(DVector::from_column_slice(&[d, 0.0])))
            },
            &Options::default(),
        )
        .expect("a plan");
        let expected = (3.0 * factor / price).powf(0.25);
        println!("{} solutions, derivative {:e}", timed.solutions, timed.derivative);
        assert!((timed.time / expected - 1.0).abs() < 1e-7, "{} and {expected}", timed.time);
        assert!((timed.plan.cost / (factor / expected.powi(3)) - 1.0).abs() < 1e-6, "{}", timed.plan.cost);
        assert!(timed.solutions <= 15, "{}", timed.solutions);
    }
}

/// Without a price the longest time costs least; the derivative says by how much more would be better, bounds and their
/// multipliers included.
#[test]
fn the_derivative_by_the_time_is_that_of_the_costs() {
    let (steps, bound) = (20, 1.4);
    let least = |time: f64| {
        free_time(
            steps,
            time..=time,
            0.0,
            double_integrator(steps),
            |system, h| {
                Ok(Problem::new(system, steps, DVector::zeros(2))
                    .cost("effort", Quadratic::of_inputs(&[h]))
                    .bound_inputs(&[-bound], &[bound])
                    .bound_entries(DVector::zeros(2), &[1], (&[-1.0], &[0.72]))
                    .reach(DVector::from_column_slice(&[1.0, 0.0])))
            },
            &Options { tolerance: 1e-12, ..Options::default() },
        )
        .expect("a plan")
    };
    let timed = least(1.95);
    let active = |plan: &nhi_control::Plan<DVector<f64>>| {
        let inputs = plan.inputs.iter().filter(|u| bound - u[0].abs() < 1e-6).count();
        (inputs, plan.states.iter().filter(|x| x[1] > 0.72 - 1e-6).count())
    };
    let (inputs, states) = active(&timed.plan);
    assert!(inputs > 0 && states > 0, "{inputs}, {states}");
    assert_eq!((timed.time, timed.solutions), (1.95, 1));
    let by = 1e-4;
    let difference = (least(1.95 + by).plan.cost - least(1.95 - by).plan.cost) / (2.0 * by);
    assert!((timed.derivative / difference - 1.0).abs() < 1e-4, "{} and {difference}", timed.derivative);
}

/// A disk takes the time for its way sideways at which a ladder of fixed times has its least cost.
#[test]
fn a_disk_takes_its_time() {
    let (steps, price) = (20, 30.0);
    let disk = |h: f64| Discrete::new(&systems::disk(), Dla2, h);
    let least = |times: std::ops::RangeInclusive<f64>| {
        free_time(
            steps,
            times,
            price,
            disk,
            |disk, h| {
                Ok(Problem::new(disk, steps, disk.at_rest(0, [0.0; 4])?)
                    .cost("effort", Quadratic::of_inputs(&[h, h]))
                    .reach_entries(disk.at_rest(0, [0.0, 1.0, 0.0, 0.0])?, &[0, 1, 2, 4, 5]))
            },
            &Options::default(),
        )
        .expect("a plan")
    };
    let timed = least(1.0..=2.5);
    println!("{}, {} solutions, {:e}", timed.time, timed.solutions, timed.derivative);
    assert!(timed.plan.status.is_minimum, "{}", timed.plan.status);
    let total = |time: f64| least(time..=time).plan.cost + price * time;
    let by = 0.01 * timed.time;
    let [before, here, after] = [-by, 0.0, by].map(|by| total(timed.time + by));
    // The least of the parabola through three costs.
    let slope = (after - before) / (2.0 * by);
    let curvature = (after - 2.0 * here + before) / (by * by);
    assert!(curvature > 0.0 && (slope / curvature).abs() < 1e-3 * timed.time, "{before}, {here}, {after}");
    let [before, after] = [-by, by].map(|by| least(timed.time + by..=timed.time + by).derivative);
    assert!(((after - before) / (2.0 * by) / curvature - 1.0).abs() < 1e-3, "{before}, {after}, {curvature}");
    assert!(timed.derivative.abs() < 1e-6 * price, "{}", timed.derivative);
}

#[test]
fn times_are_checked() {
    let pose = |times| {
        free_time(
            5,
            times,
            1.0,
            double_integrator(5),
            |system, _| Ok(Problem::new(system, 5, DVector::zeros(2))),
            &Options::default(),
        )
    };
    assert_eq!(pose(-1.0..=2.0).err(), Some(PlanError::Option { what: "times" }));
    assert_eq!(pose(2.0..=1.0).err(), Some(PlanError::Option { what: "times" }));
}
