//! Plans: against closed forms, and what must be found out about problems.

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
