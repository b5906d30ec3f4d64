//! Inputs that drive constraints: speed and steering rate of a car, and drives beside forces.

use super::check;
use crate::systems;
use nhi_control::{Discrete, Kinematic, Options, Plan, Problem, Quadratic};
use nhi_runtime::prelude::*;
use nhi_runtime::{Differentiable, ReducedOf, Tangential, Vector};

/// The simulation from rest with the inputs of a plan ends in its last state, although its drives rest before the first step.
fn is_simulated_from_rest<S: Tangential + Clone, M: Differentiable<S> + Copy>(
    (system, method, h): (&S, M, f64),
    plan: &Plan<ReducedOf<S>>,
) {
    let (q, rest) = (plan.states[0].q, S::Velocity::splat(0.0));
    let mut sim = Simulation::new(system.clone(), method, q, rest, h).expect("a start");
    for u in &plan.inputs {
        let mut inputs = sim.inputs();
        inputs.as_mut().copy_from_slice(u);
        sim.step_with(&inputs).expect("a step");
    }
    let left = S::difference(plan.states.last().expect("states"), &sim.reduced());
    assert!(left.as_ref().iter().all(|x| x.abs() < 1e-9), "{}: {left:?}", S::NAME);
}

/// The steps are those of the mid-point rule, so that the plan is that of the kinematics of a skate.
#[test]
fn a_unicycle_goes_sideways_as_its_kinematics_do() {
    let (steps, h) = (40, 1.0 / 40.0);
    let skate = Kinematic::new(&systems::skate(), h).expect("steps");
    let expected = Problem::new(&skate, steps, [0.0; 3])
        .cost("effort", Quadratic::of_inputs(&[h, h]))
        .reach([0.0, 0.0, 0.5])
        .solve(&Options::default())
        .expect("a problem");
    let system = systems::unicycle();
    let unicycle = Discrete::new(&system, DlaRattle, h).expect("steps");
    let [start, end] = [0.0, 0.5].map(|y| unicycle.at_rest(0, [0.0, 0.0, y]).expect("rest"));
    let plan = Problem::new(&unicycle, steps, start)
        .cost("effort", Quadratic::of_inputs(&[h, h]))
        .reach(end)
        .solve(&Options::default())
        .expect("a problem");
    check("sideways", &plan);
    assert!(expected.status.is_converged(), "{}", expected.status);
    assert!((plan.cost / expected.cost - 1.0).abs() < 1e-9, "{} {}", plan.cost, expected.cost);
    is_simulated_from_rest((&system, DlaRattle, h), &plan);
}

/// Where inputs that are held over steps of size `h` take the car, by the classical Runge–Kutta method with short steps.
fn driven_car(l: f64, h: f64, inputs: &[Vec<f64>]) -> [f64; 4] {
    const PARTS: u32 = 50;
    let mut q = [0.0; 4];
    let h = h / f64::from(PARTS);
    for u in inputs {
        let rate = |[_, _, theta, delta]: [f64; 4]| {
            [u[0] * theta.cos(), u[0] * theta.sin(), u[0] * delta.tan() / l, u[1]]
        };
        let moved = |q: [f64; 4], by: f64, rate: [f64; 4]| [0, 1, 2, 3].map(|i| q[i] + by * rate[i]);
        for _ in 0..PARTS {
            let a = rate(q);
            let b = rate(moved(q, h / 2.0, a));
            let c = rate(moved(q, h / 2.0, b));
            let d = rate(moved(q, h, c));
            q = [0, 1, 2, 3].map(|i| q[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
        }
    }
    q
}

/// Parallel parking by speed and steering rate, with a bound of the steering angle. The inputs take the car of differential equations
/// to the same place, with the error of the steps.
#[test]
fn a_car_parks_by_speed_and_steering_rate() {
    let system = systems::steered();
    let errors = [40_u32, 80].map(|steps| {
        let h = 6.0 / f64::from(steps);
        let car = Discrete::new(&system, DlaRattle, h).expect("steps");
        let [start, end] = [0.0, 0.5].map(|y| car.at_rest(0, [0.0, y, 0.0, 0.0]).expect("rest"));
        let plan = Problem::new(&car, steps as usize, start)
            .reach(end)
            .bound_entries(start, &[3], (&[-0.6], &[0.6]))
            .cost("effort", Quadratic::of_inputs(&[h, h]))
            .solve(&Options { tolerance: 1e-11, ..Options::default() })
            .expect("a problem");
        println!("parking: {}; cost {}", plan.status, plan.cost);
        assert!(plan.status.is_converged() && plan.status.is_minimum, "{}", plan.status);
        let largest = plan.states.iter().fold(0.0_f64, |largest, x| largest.max(x.q[3].abs()));
        assert!(largest < 0.6 + 1e-9, "{largest}");
        is_simulated_from_rest((&system, DlaRattle, h), &plan);
        let q = driven_car(system.l, h, &plan.inputs);
        q.iter().zip(end.q).fold(0.0_f64, |error, (q, end)| error.max((q - end).abs()))
    });
    println!("parking: {errors:?}");
    assert!(errors[1] < 1e-3 && (3.0..5.0).contains(&(errors[0] / errors[1])), "{errors:?}");
}

/// A drive beside a force: velocities are states, and the momentum of the drive is not.
#[test]
fn a_slide_is_driven_while_a_force_pushes() {
    let (steps, h) = (40, 1.0 / 40.0);
    let system = systems::sliding();
    let sliding = Discrete::new(&system, DlaRattle, h).expect("steps");
    let [start, end] = [[0.0; 4], [0.3, 0.5, 0.1, 0.2]].map(|q| sliding.at_rest(0, q).expect("rest"));
    let plan = Problem::new(&sliding, steps, start)
        .cost("effort", Quadratic::of_inputs(&[h, h]))
        .reach(end)
        .solve(&Options::default())
        .expect("a problem");
    check("a slide", &plan);
    is_simulated_from_rest((&system, DlaRattle, h), &plan);
}
