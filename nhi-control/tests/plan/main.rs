//! Plans: against closed forms, and what must be found out about problems.

mod heisenberg;
mod linear;
mod systems;

use nhi_control::{Discrete, Options, Problem, Quadratic};
use nhi_runtime::prelude::*;

/// The disk at rest moves sideways by 1 within the time 1 at least effort.
#[test]
fn a_disk_moves_sideways() {
    for steps in [20_u32, 40, 80] {
        let h = 1.0 / f64::from(steps);
        let disk = Discrete::new(&systems::disk(), Dla2, h).expect("steps");
        let [start, end] = [0.0, 1.0].map(|y| disk.at_rest(0, [0.0, y, 0.0, 0.0]).expect("rest"));
        let problem = Problem::new(&disk, steps as usize, start)
            .cost("effort", Quadratic::of_inputs(&[h, h]))
            .reach_entries(end, &[0, 1, 2, 4, 5]);
        let plan = problem.solve(&Options::default()).expect("a problem");
        println!("{}; cost {}, {:?} {}", plan.status, plan.cost, plan.status.history, plan.status.is_minimum);
    }
}

fn show<X>(plan: &nhi_control::Plan<X>) {
    let history: Vec<String> = plan.status.history.iter().map(|x| format!("{x:.1e}")).collect();
    println!("{}; cost {}, {history:?} minimum {}", plan.status, plan.cost, plan.status.is_minimum);
}

#[test]
fn a_posed_disk() {
    for steps in [20_u32, 40] {
        let h = 1.0 / f64::from(steps);
        let disk = Discrete::new(&systems::posed_disk(), Rdp, h).expect("steps");
        let [start, end] = [0.0, 1.0].map(|y| disk.at_rest(0, [0.0, 0.0, 0.0, y]).expect("rest"));
        let problem = Problem::new(&disk, steps as usize, start)
            .cost("effort", Quadratic::of_inputs(&[h, h]))
            .reach_entries(end, &[1, 2, 3, 4, 5]);
        let plan = problem.solve(&Options::default()).expect("a problem");
        show(&plan);
    }
}

#[test]
fn a_sleigh_moves_sideways() {
    for steps in [20_u32, 40, 80] {
        let h = 2.0 / f64::from(steps);
        let sleigh = Discrete::new(&systems::sleigh(), Dla2, h).expect("steps");
        let [start, end] = [0.0, 1.0].map(|y| sleigh.at_rest(0, [0.0, 0.0, y]).expect("rest"));
        let problem = Problem::new(&sleigh, steps as usize, start)
            .cost("effort", Quadratic::of_inputs(&[h, h]))
            .reach(end);
        let plan = problem.solve(&Options::default()).expect("a problem");
        show(&plan);
    }
}

#[test]
fn a_snakeboard_has_a_gait() {
    for steps in [30_u32, 60, 120] {
        let h = 3.0 / f64::from(steps);
        let board = Discrete::new(&systems::snakeboard(), Dla2, h).expect("steps");
        let [start, end] = [0.0, 0.5].map(|x| board.at_rest(0, [0.0, 0.0, 0.0, x, 0.0]).expect("rest"));
        let problem = Problem::new(&board, steps as usize, start)
            .cost("effort", Quadratic::of_inputs(&[h, h]))
            .reach(end);
        let plan = problem.solve(&Options::default()).expect("a problem");
        show(&plan);
    }
}

#[test]
fn a_car_changes_lane() {
    for steps in [25_u32, 50, 100] {
        let h = 4.0 / f64::from(steps);
        let car = Discrete::new(&systems::car(), Dla2, h).expect("steps");
        let start = car.state(0, [0.0, 0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0, 0.0]).expect("a state");
        let end = car.state(0, [4.0, 1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0, 0.0]).expect("a state");
        let problem = Problem::new(&car, steps as usize, start)
            .cost("effort", Quadratic::of_inputs(&[h, h]))
            .reach(end);
        let plan = problem.solve(&Options::default()).expect("a problem");
        show(&plan);
    }
}

#[test]
fn a_cat_turns() {
    for steps in [30_u32, 60] {
        let h = 1.0 / f64::from(steps);
        let cat = Discrete::new(&systems::cat(), Dla2, h).expect("steps");
        let [start, end] = [0.0, 0.2].map(|x| cat.at_rest(0, [x, 0.5, -0.5]).expect("rest"));
        let problem = Problem::new(&cat, steps as usize, start)
            .cost("effort", Quadratic::of_inputs(&[h, h]))
            .reach(end);
        let plan = problem.solve(&Options::default()).expect("a problem");
        show(&plan);
    }
}

#[test]
fn bounds_are_active() {
    for bound in [30.0, 20.0, 17.0, 15.0] {
        let h = 1.0 / 40.0;
        let disk = Discrete::new(&systems::disk(), Dla2, h).expect("steps");
        let [start, end] = [0.0, 1.0].map(|y| disk.at_rest(0, [0.0, y, 0.0, 0.0]).expect("rest"));
        let problem = Problem::new(&disk, 40, start)
            .cost("effort", Quadratic::of_inputs(&[h, h]))
            .bound_inputs(&[-bound, -bound], &[bound, bound])
            .reach_entries(end, &[0, 1, 2, 4, 5]);
        let plan = problem.solve(&Options::default()).expect("a problem");
        let largest = plan.inputs.iter().flatten().fold(0.0_f64, |x, y| x.max(y.abs()));
        show(&plan);
        println!("{largest}");
    }
}

#[test]
fn state_bounds() {
    for bound in [0.9, 0.6, 0.3] {
        let h = 1.0 / 40.0;
        let disk = Discrete::new(&systems::disk(), Dla2, h).expect("steps");
        let [start, end] = [0.0, 1.0].map(|y| disk.at_rest(0, [0.0, y, 0.0, 0.0]).expect("rest"));
        let problem = Problem::new(&disk, 40, start)
            .cost("effort", Quadratic::of_inputs(&[h, h]))
            .bound_entries(start, &[2], (&[-bound], &[bound]))
            .reach_entries(end, &[0, 1, 2, 4, 5]);
        let plan = problem.solve(&Options::default()).expect("a problem");
        let largest = plan.states.iter().fold(0.0_f64, |x, y| x.max(y.q[2].abs()));
        show(&plan);
        println!("{largest}");
    }
}

#[test]
fn impossible() {
    for bound in [3.0, 1.0] {
        let h = 1.0 / 40.0;
        let disk = Discrete::new(&systems::disk(), Dla2, h).expect("steps");
        let [start, end] = [0.0, 1.0].map(|y| disk.at_rest(0, [y, 0.0, 0.0, 0.0]).expect("rest"));
        let problem = Problem::new(&disk, 40, start)
            .cost("effort", Quadratic::of_inputs(&[h, h]))
            .bound_inputs(&[-bound, -bound], &[bound, bound])
            .reach_entries(end, &[0, 1, 2, 4, 5]);
        let plan = problem.solve(&Options::default()).expect("a problem");
        show(&plan);
    }
}
