//! Model predictive control.

#[allow(deprecated, reason = "the second derivatives of a bicycle are many statements")]
pub(crate) mod bicycle;
mod no_alloc;

use crate::linear_system::Linear;
use crate::systems;
use nalgebra::{DMatrix, DVector};
use nhi_control::{Discrete, Dynamics, Mpc, Options, PlanError, Problem, Quadratic, Sizes, track};
use nhi_runtime::Failure;
use nhi_runtime::prelude::*;

/// Three integrators in a row, the second of which is a spring, with two inputs, whose rates change from step to step.
fn linear(steps: usize) -> Linear {
    let step = |k: usize| {
        let s = k as f64;
        let a = DMatrix::from_row_slice(3, 3, &[1.0, 0.1, 0.0, 0.02 * s.sin(), 1.0, 0.1, -0.05, 0.0, 0.97]);
        let b = DMatrix::from_row_slice(3, 2, &[0.0, 0.01, 0.02, 0.0, 0.1, 0.03 * s.cos()]);
        (a, b)
    };
    Linear((0..steps).map(step).collect())
}

/// An error of a measurement, other ones in every step.
fn disturbance(k: usize) -> DVector<f64> {
    let s = k as f64;
    DVector::from_column_slice(&[0.1 * (3.0 * s).sin(), 0.05 * (5.0 * s).cos(), 0.2 * (7.0 * s).sin()])
}

/// With bounds that are not active, the feedback is that of the Riccati equation of the horizon, from the steps within it.
#[test]
fn a_linear_system_has_the_feedback_of_the_riccati_equation() {
    let (horizon, steps) = (12, 30);
    let system = linear(horizon + steps);
    let (q, r, q_end) = ([1.0, 0.3, 0.1], [0.2, 0.05], [5.0, 2.0, 1.0]);
    let diagonal = |x: &[f64]| DMatrix::from_diagonal(&DVector::from_column_slice(x));
    let zero = DVector::zeros(3);
    let mut x = DVector::from_column_slice(&[1.0, -0.4, 0.3]);
    let problem = Problem::new(&system, horizon, x.clone())
        .cost("states", Quadratic::of_states(&q, zero.clone()))
        .cost("inputs", Quadratic::of_inputs(&r))
        .final_cost("end", Quadratic::of_states(&q_end, zero))
        .bound_inputs(&[-50.0, f64::NEG_INFINITY], &[50.0, 80.0]);
    let mut mpc = Mpc::new(&problem, &Options::default()).expect("a plan");
    for k in 0..steps {
        assert_eq!(mpc.next_step(), k);
        let gains = track(&system.0[k..k + horizon], &diagonal(&q), &diagonal(&r), &diagonal(&q_end));
        let gains = gains.expect("weights");
        x += disturbance(k);
        let expected = -(&gains[0] * &x);
        let feedback = mpc.step(&x);
        assert_eq!((feedback.iterations, &feedback.failure), (0, &None));
        for (found, expected) in feedback.input.iter().zip(&expected) {
            assert!((found - expected).abs() < 1e-12, "step {k}: {found} and {expected}");
        }
        x = system.step(k, &x, feedback.input).expect("a step");
        let last = mpc.inputs().last().expect("inputs").to_vec();
        let predicted = mpc.states();
        let mut expected = predicted[0].clone();
        for (j, gain) in gains.iter().enumerate() {
            expected = system.step(k + j, &expected, (-(gain * &expected)).as_slice()).expect("a step");
            assert!((&predicted[j + 1] - &expected).amax() < 1e-12, "step {k}, {j}");
        }
        let expected = -(&gains[horizon - 1] * &predicted[horizon - 1]);
        assert!((DVector::from_vec(last) - expected).amax() < 1e-12, "step {k}");
    }
}

/// With bounds of inputs and states that are active, the plan is that of the planner from the same state.
#[test]
fn a_linear_system_with_bounds_has_the_plan_of_the_planner() {
    let (horizon, steps) = (15, 40);
    let a = DMatrix::from_row_slice(2, 2, &[1.0, 0.1, 0.02, 1.05]);
    let b = DMatrix::from_row_slice(2, 1, &[0.005, 0.1]);
    let system = Linear(vec![(a, b); horizon + steps]);
    let zero = DVector::zeros(2);
    let problem = |x: &DVector<f64>| {
        Problem::new(&system, horizon, x.clone())
            .cost("states", Quadratic::of_states(&[1.0, 0.1], zero.clone()))
            .cost("inputs", Quadratic::of_inputs(&[1e-3]))
            .final_cost("end", Quadratic::of_states(&[30.0, 5.0], zero.clone()))
            .bound_inputs(&[-1.5], &[1.0])
            .bound_entries(zero.clone(), &[1], (&[-0.6], &[f64::INFINITY]))
    };
    let mut x = DVector::from_column_slice(&[1.0, 0.2]);
    let first = problem(&x);
    let mut mpc = Mpc::new(&first, &Options::default()).expect("a plan");
    let (mut at_bounds, mut inside, mut most) = ([0, 0, 0], 0, 0);
    for k in 0..steps {
        if k == 15 {
            x = DVector::from_column_slice(&[-0.8, 0.1]);
        }
        let feedback = mpc.step(&x);
        assert_eq!(feedback.failure, None, "step {k}");
        inside += usize::from(feedback.iterations == 0);
        most = most.max(feedback.iterations);
        let u = feedback.input[0];
        assert!((-1.5..=1.0).contains(&u));
        // At weakly active bounds its error is the square root of the barrier parameter.
        let exact = Options { tolerance: 1e-12, ..Options::default() };
        let plan = problem(&x).solve(&exact).expect("a problem");
        assert!(plan.status.is_converged() && plan.status.is_minimum, "{}", plan.status);
        for (j, (found, expected)) in mpc.inputs().zip(&plan.inputs).enumerate() {
            assert!((found[0] - expected[0]).abs() < 1e-6, "step {k}, {j}: {found:?} and {expected:?}");
        }
        let slow = mpc.states()[1..].iter().any(|x| x[1] < -0.6 + 1e-6);
        let active = [u < -1.5 + 1e-6, u > 1.0 - 1e-6, slow];
        at_bounds.iter_mut().zip(active).for_each(|(count, is)| *count += usize::from(is));
        x = system.step(k, &x, &[u]).expect("a step");
    }
    println!("{at_bounds:?}, {inside}, {most} iterations");
    assert!(at_bounds.iter().all(|&count| count > 0) && inside > 10, "{at_bounds:?}, {inside}");
    assert!(most < 20, "{most}");
}

/// Where no inputs within the bounds meet the end condition, the last plan is kept, and another state is answered.
#[test]
fn a_state_without_a_plan_is_a_failure_that_ends() {
    let h = 0.1;
    let a = DMatrix::from_row_slice(2, 2, &[1.0, h, 0.0, 1.0]);
    let b = DMatrix::from_row_slice(2, 1, &[0.5 * h * h, h]);
    let system = Linear(vec![(a, b); 40]);
    let at = |x: f64| DVector::from_column_slice(&[x, 0.0]);
    let problem = |x: f64| {
        Problem::new(&system, 20, at(x))
            .cost("effort", Quadratic::of_inputs(&[h]))
            .bound_inputs(&[-1.0], &[1.0])
            .reach(at(0.0))
    };
    let first = problem(0.5);
    let mut mpc = Mpc::new(&first, &Options::default()).expect("a plan");
    let planned: Vec<Vec<f64>> = mpc.inputs().map(<[f64]>::to_vec).collect();
    for (k, planned) in planned.iter().enumerate().take(2) {
        // From rest, bounded inputs reach 1 within the horizon.
        let feedback = mpc.step(&at(1.5));
        assert_eq!(feedback.failure, Some(PlanError::NoFeedback));
        assert_eq!(feedback.input, planned, "step {k}");
    }
    let message = mpc.step(&at(-3.0)).failure.expect("a failure").to_string();
    assert_eq!(message, "no best inputs within the bounds meet the conditions from the measured state");
    // An interior-point method approaches this one, where inputs are at their bounds throughout.
    for x in [0.9, -0.3] {
        let expected = problem(x).solve(&Options::default()).expect("a problem");
        let feedback = mpc.step(&at(x));
        assert_eq!(feedback.failure, None);
        assert!((feedback.input[0] - expected.inputs[0][0]).abs() < 1e-6, "{feedback:?}");
    }
    // From the beginning there is no plan.
    let error = Mpc::new(&problem(1.5), &Options::default()).err().expect("an error").to_string();
    assert!(error.starts_with("there is no plan to begin with: cannot meet x[0] by "), "{error}");
}

/// A linear system of which one step cannot be taken.
struct Gap {
    system: Linear,
    step: usize,
}

impl Dynamics for Gap {
    type State = DVector<f64>;

    fn sizes(&self) -> Sizes {
        self.system.sizes()
    }

    fn step(&self, k: usize, x: &DVector<f64>, u: &[f64]) -> Result<DVector<f64>, Failure> {
        if k == self.step { Err(Failure::NotConverged) } else { self.system.step(k, x, u) }
    }

    fn linearize(&self, k: usize, x: &DVector<f64>, u: &[f64], ab: &mut [f64]) -> Result<(), Failure> {
        self.system.linearize(k, x, u, ab)
    }

    fn curvature(
        &self,
        k: usize,
        x: &DVector<f64>,
        u: &[f64],
        w: &[f64],
        h: &mut [f64],
    ) -> Result<(), Failure> {
        self.system.curvature(k, x, u, w, h)
    }

    fn retract(&self, x: &DVector<f64>, delta: &[f64]) -> DVector<f64> {
        self.system.retract(x, delta)
    }

    fn difference(&self, from: &DVector<f64>, to: &DVector<f64>, delta: &mut [f64]) {
        self.system.difference(from, to, delta);
    }
}

/// While a step within the horizon cannot be taken, the inputs are those of the plan of before, the last one again and again; after
/// it, feedback is what it was.
#[test]
fn a_step_that_fails_keeps_the_plan() {
    let (horizon, steps) = (6, 20);
    let gap = Gap { system: linear(horizon + steps), step: 10 };
    let diagonal = |x: &[f64]| DMatrix::from_diagonal(&DVector::from_column_slice(x));
    let (q, r) = ([1.0, 0.3, 0.1], [0.2, 0.05]);
    let mut x = DVector::from_column_slice(&[1.0, -0.4, 0.3]);
    let problem = Problem::new(&gap, horizon, x.clone())
        .cost("states", Quadratic::of_states(&q, DVector::zeros(3)))
        .cost("inputs", Quadratic::of_inputs(&r));
    let mut mpc = Mpc::new(&problem, &Options::default()).expect("a plan");
    let mut planned: Vec<Vec<f64>> = Vec::new();
    for k in 0..steps {
        let feedback = mpc.step(&x);
        if (k..k + horizon).contains(&gap.step) {
            assert_eq!(
                feedback.failure,
                Some(PlanError::Step { step: gap.step, cause: Failure::NotConverged })
            );
            let last = planned.len() - 1;
            assert_eq!(feedback.input, planned[(k + horizon - gap.step).min(last)], "step {k}");
        } else {
            assert_eq!(feedback.failure, None);
            let (q, r) = (diagonal(&q), diagonal(&r));
            let steps = &gap.system.0[k..k + horizon];
            let gain = track(steps, &q, &r, &DMatrix::zeros(3, 3)).expect("weights").swap_remove(0);
            let expected = -(gain * &x);
            assert!((DVector::from_column_slice(feedback.input) - expected).amax() < 1e-12, "step {k}");
        }
        x = gap.system.step(k, &x, feedback.input).expect("a step") + disturbance(k);
        if k + horizon <= gap.step {
            planned = mpc.inputs().map(<[f64]>::to_vec).collect();
        }
    }
}

/// One Newton step for every step of time leads a car with a trailer to the other lane as plans that have converged do.
#[test]
fn a_car_with_a_trailer_changes_its_lane() {
    let (h, horizon) = (0.08, 25);
    let car = Discrete::new(&systems::car(), Dla2, h).expect("steps");
    let forward = [1.0, 0.0, 0.0, 0.0, 0.0];
    let state = |y: f64| car.state(0, [0.0, y, 0.0, 0.0, 0.0], forward).expect("a state");
    let problem = |x| {
        // Where along the lane is free.
        let weights = [0.0, 2.0, 1.0, 0.5, 0.5, 1.0, 0.5];
        Problem::new(&car, horizon, x)
            .cost("lane", Quadratic::of_states(&weights.map(|w| h * w), state(1.0)))
            .cost("effort", Quadratic::of_inputs(&[0.01 * h, 0.01 * h]))
            .final_cost("end", Quadratic::of_states(&weights, state(1.0)))
            .bound_inputs(&[-1.0, -1.0], &[1.0, 1.0])
            .bound_entries(state(0.0), &[3], (&[-0.3], &[0.3]))
    };
    let mut x = state(0.0);
    let first = problem(x);
    let mut mpc = Mpc::new(&first, &Options::default()).expect("a plan");
    let (mut largest, mut active, mut steered) = (0.0_f64, 0, 0.0_f64);
    for k in 0..120 {
        let feedback = mpc.step(&x);
        assert_eq!(feedback.failure, None, "step {k}");
        active += usize::from(feedback.iterations > 0);
        let u = feedback.input.to_vec();
        assert!(u.iter().all(|u| u.abs() <= 1.0));
        if k % 5 == 0 {
            let plan = problem(x).solve(&Options::default()).expect("a problem");
            assert!(plan.status.is_converged(), "step {k}: {}", plan.status);
            let difference = u.iter().zip(&plan.inputs[0]).map(|(u, v)| (u - v).abs());
            largest = difference.fold(largest, f64::max);
        }
        x = car.step(k, &x, &u).expect("a step");
        steered = steered.max(x.q[3].abs());
    }
    println!("differences from converged plans: {largest:e}; {active} steps with bounds; {steered}; {x:?}");
    assert!(largest < 1e-3, "{largest}");
    assert!(active > 5 && steered < 0.3 + 1e-6 && steered > 0.299, "{active}, {steered}");
    assert!((x.q[1] - 1.0).abs() < 1e-3 && x.q[2].abs() < 1e-3 && x.q[4].abs() < 1e-3, "{x:?}");
}

/// A slow bicycle, which falls over alone, stays upright in a gust that its rider does not expect.
#[test]
fn a_bicycle_stays_upright_in_a_side_wind() {
    let h = 0.02;
    let [calm, windy] =
        [0.0, 100.0].map(|wind| Discrete::new(&bicycle::bicycle(wind), Dla2, h).expect("steps"));
    let gust = 25..75;
    let air = |k: usize| if gust.contains(&k) { &windy } else { &calm };
    let start = bicycle::riding(&calm, 3.0).expect("a state");
    let mut x = start;
    let fallen = (0..200).position(|k| {
        x = air(k).step(k, &x, &[0.0]).expect("a step");
        x.q[4].abs() > 0.8
    });
    let mut weights = [0.0; 12];
    (weights[3], weights[4], weights[6]) = (1.0, 10.0, 1.0);
    (weights[9], weights[10], weights[11]) = (1.0, 0.1, 0.1);
    let torque = 1.0;
    let problem = Problem::new(&calm, 50, start)
        .cost("upright", Quadratic::of_states(&weights.map(|w| h * w), start))
        .cost("effort", Quadratic::of_inputs(&[0.001 * h]))
        .final_cost("end", Quadratic::of_states(&weights, start))
        .bound_inputs(&[-torque], &[torque]);
    let mut mpc = Mpc::new(&problem, &Options::default()).expect("a plan");
    let (mut x, mut largest, mut active) = (start, 0.0_f64, 0);
    for k in 0..250 {
        let feedback = mpc.step(&x);
        assert_eq!(feedback.failure, None, "step {k}");
        let u = feedback.input.to_vec();
        active += usize::from(feedback.iterations > 0);
        assert!(u[0].abs() <= torque, "{u:?}");
        x = air(k).step(k, &x, &u).expect("a step");
        largest = largest.max(x.q[4].abs());
    }
    println!("largest roll {largest}, {active} steps with bounds, {x:?}");
    assert!(fallen.is_some());
    assert!(largest < 0.3 && active > 30, "{largest}, {active}");
    assert!(x.q[4].abs() < 0.05 && x.q[6].abs() < 0.1, "{x:?}");
}
