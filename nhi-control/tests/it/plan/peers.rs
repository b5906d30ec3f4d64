//! Problems that other programs have as examples, with the solutions that these find.

use super::others::{UNIT, Unicycle, drive, park, steps_of_car};
use super::{check, is_simulated};
use crate::systems::parked_car;
use nhi_control::{Options, Plan};
use nhi_runtime::prelude::*;
use std::f64::consts::FRAC_PI_4;

/// With its wheels across, the car cannot be moved far by Newton steps from this start guess, whose states do not follow from its
/// inputs and are out of bounds.
#[test]
fn a_car_parks_from_the_start_guess_of_opty() {
    let steps = 500;
    let car = steps_of_car(steps).expect("steps");
    let plan = park(&car, steps).and_then(|problem| problem.solve(&Options::default())).expect("a problem");
    println!("{}; cost {}", plan.status, UNIT * plan.cost);
    assert!(plan.status.is_converged() && plan.status.is_minimum, "{}", plan.status);
    assert!(plan.status.iterations <= 40, "{}", plan.status);
    assert!((UNIT * plan.cost - 320_330.8).abs() < 0.1, "{}", UNIT * plan.cost);
    is_simulated(&parked_car(), Dla2, &car, &plan);
    // It turns the wheels as far as they go, four times.
    let most = plan.states.iter().map(|x| x.q[3].abs()).fold(0.0, f64::max);
    assert!((most - FRAC_PI_4).abs() < 1e-6, "{most}");
    let turns: Vec<bool> =
        plan.states.iter().map(|x| x.q[3]).filter(|x| x.abs() > 0.99 * FRAC_PI_4).map(|x| x > 0.0).collect();
    assert_eq!(1 + turns.windows(2).filter(|pair| pair[0] != pair[1]).count(), 4);
}

/// The costs that `SolverDDP` of crocoddyl 3.2.1 finds: 250.0393199731932 and, with 20 steps, 249.56089793082202.
#[test]
fn a_unicycle_drives_as_that_of_crocoddyl() {
    let plan = |steps: usize| -> Plan<[f64; 3]> {
        drive(&Unicycle, steps).solve(&Options::default()).expect("a problem")
    };
    for (steps, cost) in [(20, 249.560_897_930_822_02), (100, 250.039_319_973_193_2)] {
        let plan = plan(steps);
        check("unicycle", &plan);
        assert!((plan.cost - cost).abs() < 1e-10 * cost, "{} and {cost}", plan.cost);
        assert!(plan.status.iterations <= 6, "{}", plan.status);
    }
}
