//! Bounds of the forces of constraints.

use super::{check, is_simulated};
use crate::systems::{self, Car};
use nhi_control::{Discrete, Dynamics, Function, Multipliers, Options, Plan, PlanError, Problem, Quadratic};
use nhi_runtime::ReducedOf;
use nhi_runtime::prelude::*;

const STEPS: usize = 50;

fn lane() -> Discrete<Car, Dla2> {
    Discrete::new(&systems::car(), Dla2, 4.0 / STEPS as f64).expect("steps")
}

/// The car with a trailer changes its lane.
fn changing(car: &Discrete<Car, Dla2>) -> Problem<'_, Discrete<Car, Dla2>> {
    let (forward, h) = ([1.0, 0.0, 0.0, 0.0, 0.0], car.step_size());
    let [start, end] =
        [[0.0; 5], [4.0, 1.0, 0.0, 0.0, 0.0]].map(|q| car.state(0, q, forward).expect("admissible"));
    Problem::new(car, STEPS, start).cost("effort", Quadratic::of_inputs(&[h, h])).reach(end)
}

/// The multipliers of all steps of a simulation with the inputs of a plan.
fn simulated(car: &Discrete<Car, Dla2>, plan: &Plan<ReducedOf<Car>>) -> Vec<[f64; 3]> {
    let (first, h) = (&plan.states[0], car.step_size());
    let v = car.velocity(0, first, &plan.inputs[0]);
    let mut sim = Simulation::new(systems::car(), Dla2, first.q, v, h).expect("a start");
    let step = |u: &Vec<f64>| {
        sim.step_with(&[u[0], u[1]]).expect("a step");
        sim.multipliers()
    };
    plan.inputs.iter().map(step).collect()
}

#[test]
fn a_wheel_does_not_slip() {
    let car = lane();
    let free = changing(&car).solve(&Options::default()).expect("a problem");
    let most = |plan: &Plan<ReducedOf<Car>>, a: usize| {
        simulated(&car, plan).iter().map(|lambda| lambda[a].abs()).fold(0.0, f64::max)
    };
    for a in [0, 1] {
        let bound = 0.8 * most(&free, a);
        let plan = changing(&car)
            .within(0..STEPS, ["grip"], (&[-bound], &[bound]), Multipliers(vec![a]))
            .solve(&Options::default())
            .expect("a problem");
        println!("{a}: {}; cost {} after {}", plan.status, plan.cost, free.cost);
        assert!(plan.status.is_converged(), "{}", plan.status);
        is_simulated(&systems::car(), Dla2, &car, &plan);
        let found = most(&plan, a);
        assert!((found - bound).abs() < 1e-7 * bound, "{found} and {bound}");
        assert!(plan.cost > 1.001 * free.cost, "{} and {}", plan.cost, free.cost);
        // The multipliers of the bounds are the derivatives of the cost by them.
        let by = 1e-4;
        let [less, more] = [1.0 - by, 1.0 + by].map(|factor| {
            let bound = factor * bound;
            changing(&car)
                .within(0..STEPS, ["grip"], (&[-bound], &[bound]), Multipliers(vec![a]))
                .solve(&Options::default())
                .expect("a problem")
                .cost
        });
        let grips = plan.multipliers.iter().filter(|(name, _)| name.starts_with("grip"));
        let slope: f64 = -grips.map(|(_, y)| y.abs()).sum::<f64>();
        let expected = (more - less) / (2.0 * by * bound);
        assert!((slope / expected - 1.0).abs() < 1e-3, "{slope} and {expected}");
    }
    check("free", &free);
}

#[test]
fn multipliers_have_their_derivatives() {
    let car = lane();
    let plan = changing(&car).solve(&Options::default()).expect("a problem");
    let function = Multipliers(vec![2, 0]);
    let (x, u) = (&plan.states[20], &plan.inputs[20]);
    let sizes = car.sizes();
    let n = sizes.states + sizes.inputs;
    let (mut jacobian, mut hessian) = (vec![0.0; 2 * n], vec![0.0; n * n]);
    function.derivatives(&car, 20, x, u, &[0.3, -0.7], &mut jacobian, &mut hessian);
    assert!(hessian.iter().all(|entry| *entry == 0.0));
    let by = 1e-5;
    for i in 0..n {
        let [less, more] = [-by, by].map(|by| {
            let (mut delta, mut u) = (vec![0.0; sizes.states], u.clone());
            if i < sizes.states {
                delta[i] = by
            } else {
                u[i - sizes.states] += by
            }
            let mut out = [0.0; 2];
            function.value(&car, 20, &car.retract(x, &delta), &u, &mut out);
            out
        });
        for l in 0..2 {
            let (found, expected) = (jacobian[l * n + i], (more[l] - less[l]) / (2.0 * by));
            assert!(
                (found - expected).abs() < 1e-7 * (1.0 + expected.abs()),
                "{l}, {i}: {found}, {expected}"
            );
        }
    }
}

#[test]
fn constraints_that_are_none_are_errors() {
    let car = lane();
    let plan = changing(&car)
        .within(0..STEPS, ["grip"], (&[-1.0], &[1.0]), Multipliers(vec![3]))
        .solve(&Options::default());
    assert_eq!(plan.err(), Some(PlanError::Entry { entry: 3, count: 3 }));
}
