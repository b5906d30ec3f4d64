//! Systems without mechanics, of which solutions are known in closed form.

use crate::linear_system::Linear;
use nalgebra::{DMatrix, DVector};
use nhi_control::{Dynamics, Function, Options, Outcome, PlanError, Problem, Quadratic, Sizes, track};
use nhi_runtime::Failure;

/// Three integrators in a row with two inputs, whose rates change from step to step.
fn linear(steps: usize) -> Linear {
    let step = |k: usize| {
        let s = k as f64;
        let a = DMatrix::from_row_slice(3, 3, &[1.0, 0.1, 0.0, 0.02 * s.sin(), 1.0, 0.1, -0.05, 0.0, 0.97]);
        let b = DMatrix::from_row_slice(3, 2, &[0.0, 0.01, 0.02, 0.0, 0.1, 0.03 * s.cos()]);
        (a, b)
    };
    Linear((0..steps).map(step).collect())
}

/// A quadratic cost of a linear system takes one Newton step, and its feedback is that of the Riccati equation.
#[test]
fn a_quadratic_cost_of_a_linear_system_has_the_solution_of_the_riccati_equation() {
    let steps = 30;
    let system = linear(steps);
    let (q, r, q_end) = ([1.0, 0.3, 0.1], [0.2, 0.05], [5.0, 2.0, 1.0]);
    let diagonal = |x: &[f64]| DMatrix::from_diagonal(&DVector::from_column_slice(x));
    let gains = track(&system.0, &diagonal(&q), &diagonal(&r), &diagonal(&q_end)).expect("weights");
    let zero = DVector::zeros(3);
    let start = DVector::from_column_slice(&[1.0, -0.4, 0.3]);
    let plan = Problem::new(&system, steps, start.clone())
        .cost("states", Quadratic::of_states(&q, zero.clone()))
        .cost("inputs", Quadratic::of_inputs(&r))
        .final_cost("end", Quadratic::of_states(&q_end, zero))
        .solve(&Options::default())
        .expect("a problem");
    assert!(plan.status.is_converged() && plan.status.is_minimum, "{}", plan.status);
    assert_eq!(plan.status.iterations, 1);
    let (mut x, mut cost) = (start, 0.0);
    for (k, gain) in gains.iter().enumerate() {
        let u = -(gain * &x);
        for (found, expected) in plan.inputs[k].iter().zip(&u) {
            assert!((found - expected).abs() < 1e-12, "step {k}: {found} and {expected}");
        }
        assert!((&plan.gains[k] + gain).amax() < 1e-12, "step {k}");
        assert!((&plan.states[k] - &x).amax() < 1e-12, "step {k}");
        let squares = |w: &[f64], x: &[f64]| w.iter().zip(x).map(|(w, x)| 0.5 * w * x * x).sum::<f64>();
        cost += squares(&q, x.as_slice()) + squares(&r, u.as_slice());
        x = system.step(k, &x, u.as_slice()).expect("a step");
        if k + 1 == steps {
            cost += squares(&q_end, x.as_slice());
        }
    }
    assert!((plan.cost / cost - 1.0).abs() < 1e-12, "{} and {cost}", plan.cost);
}

/// A double integrator from rest to rest with u² as cost: its continuous input is 6 − 12 t, that of N steps a multiple of
/// the same line, by symmetry and because it is optimal for a quadratic cost.
#[test]
fn a_double_integrator_moves_from_rest_to_rest() {
    let steps = 20;
    let h = 1.0 / steps as f64;
    let a = DMatrix::from_row_slice(2, 2, &[1.0, h, 0.0, 1.0]);
    let b = DMatrix::from_row_slice(2, 1, &[0.5 * h * h, h]);
    let system = Linear(vec![(a, b); steps]);
    let plan = Problem::new(&system, steps, DVector::zeros(2))
        .cost("effort", Quadratic::of_inputs(&[h]))
        .reach(DVector::from_column_slice(&[1.0, 0.0]))
        .solve(&Options::default())
        .expect("a problem");
    assert_eq!((plan.status.iterations, plan.status.is_converged()), (1, true), "{}", plan.status);
    let n = steps as f64;
    let slope = 12.0 / (1.0 - 1.0 / (n * n));
    for (k, u) in plan.inputs.iter().enumerate() {
        let expected = slope * (0.5 - (k as f64 + 0.5) / n);
        assert!((u[0] - expected).abs() < 1e-11, "step {k}: {} and {expected}", u[0]);
    }
    // The multiplier is the derivative of the cost ½ Σ h u² = ½ slope y² by the distance y.
    let (name, multiplier) = &plan.multipliers[0];
    assert_eq!(name, "x[0]");
    assert!((multiplier + slope).abs() < 1e-10, "{multiplier}");
}

/// x' = x + h (√(1 + u) − 1), with steps that fail for u < −0.7.
struct Rooted {
    h: f64,
}

impl Dynamics for Rooted {
    type State = f64;

    fn sizes(&self) -> Sizes {
        Sizes { states: 1, inputs: 1 }
    }

    fn entry(&self, _: usize) -> String {
        "level".to_owned()
    }

    fn step(&self, _: usize, x: &f64, u: &[f64]) -> Result<f64, Failure> {
        if u[0] > -0.7 { Ok(x + self.h * ((1.0 + u[0]).sqrt() - 1.0)) } else { Err(Failure::NotConverged) }
    }

    fn linearize(&self, _: usize, _: &f64, u: &[f64], ab: &mut [f64]) -> Result<(), Failure> {
        ab.copy_from_slice(&[1.0, 0.5 * self.h / (1.0 + u[0]).sqrt()]);
        Ok(())
    }

    fn curvature(&self, _: usize, _: &f64, u: &[f64], w: &[f64], h: &mut [f64]) -> Result<(), Failure> {
        h[3] -= 0.25 * w[0] * self.h / (1.0 + u[0]).powf(1.5);
        Ok(())
    }

    fn retract(&self, x: &f64, delta: &[f64]) -> f64 {
        x + delta[0]
    }

    fn difference(&self, from: &f64, to: &f64, delta: &mut [f64]) {
        delta[0] = to - from;
    }
}

/// The first Newton step is u = −0.8, with which no step can be taken. A shorter one can, and equal inputs are the solution.
#[test]
fn a_trial_whose_step_fails_is_shortened() {
    let system = Rooted { h: 0.1 };
    let plan = Problem::new(&system, 10, 0.0)
        .cost("effort", Quadratic::of_inputs(&[1.0]))
        .reach(-0.4)
        .solve(&Options::default())
        .expect("a problem");
    assert!(plan.status.is_converged() && plan.status.is_minimum, "{}", plan.status);
    let expected = 0.6 * 0.6 - 1.0;
    for u in &plan.inputs {
        assert!((u[0] - expected).abs() < 1e-9, "{} and {expected}", u[0]);
    }
}

/// Half of the guess can be simulated.
#[test]
fn a_start_guess_whose_step_fails_is_shortened() {
    let system = Rooted { h: 0.1 };
    let mut inputs = vec![vec![0.5]; 10];
    inputs[3] = vec![-0.9];
    let plan = Problem::new(&system, 10, 0.0)
        .cost("effort", Quadratic::of_inputs(&[1.0]))
        .guess_inputs(inputs)
        .solve(&Options::default())
        .expect("a problem");
    assert!(plan.status.is_converged() && plan.inputs.iter().all(|u| u[0].abs() < 1e-9), "{}", plan.status);
}

/// The same, with steps that are differentiated for u > −0.5 only.
struct Rough(Rooted);

impl Dynamics for Rough {
    type State = f64;

    fn sizes(&self) -> Sizes {
        self.0.sizes()
    }

    fn step(&self, k: usize, x: &f64, u: &[f64]) -> Result<f64, Failure> {
        self.0.step(k, x, u)
    }

    fn linearize(&self, k: usize, x: &f64, u: &[f64], ab: &mut [f64]) -> Result<(), Failure> {
        if u[0] > -0.5 { self.0.linearize(k, x, u, ab) } else { Err(Failure::NotConverged) }
    }

    fn curvature(&self, k: usize, x: &f64, u: &[f64], w: &[f64], h: &mut [f64]) -> Result<(), Failure> {
        self.0.curvature(k, x, u, w, h)
    }

    fn retract(&self, x: &f64, delta: &[f64]) -> f64 {
        x + delta[0]
    }

    fn difference(&self, from: &f64, to: &f64, delta: &mut [f64]) {
        delta[0] = to - from;
    }
}

/// The first Newton step is u = −0.52, where steps can be taken, but not differentiated.
#[test]
fn a_step_to_where_there_are_no_derivatives_is_taken_back() {
    let system = Rough(Rooted { h: 0.1 });
    let plan = Problem::new(&system, 10, 0.0)
        .cost("effort", Quadratic::of_inputs(&[1.0]))
        .reach(-0.26)
        .solve(&Options::default())
        .expect("a problem");
    assert!(plan.status.is_converged() && plan.status.is_minimum, "{}", plan.status);
    let expected = 0.74 * 0.74 - 1.0;
    assert!(plan.inputs.iter().all(|u| (u[0] - expected).abs() < 1e-9), "{:?}", plan.inputs);
}

/// No part of any guess can be simulated.
#[test]
fn a_plan_that_cannot_begin_says_so() {
    struct Stuck;
    impl Dynamics for Stuck {
        type State = f64;

        fn sizes(&self) -> Sizes {
            Sizes { states: 1, inputs: 1 }
        }

        fn step(&self, k: usize, x: &f64, u: &[f64]) -> Result<f64, Failure> {
            if k < 2 { Ok(x + u[0]) } else { Err(Failure::NotConverged) }
        }

        fn linearize(&self, _: usize, _: &f64, _: &[f64], _: &mut [f64]) -> Result<(), Failure> {
            Err(Failure::NotConverged)
        }

        fn curvature(&self, _: usize, _: &f64, _: &[f64], _: &[f64], _: &mut [f64]) -> Result<(), Failure> {
            Err(Failure::NotConverged)
        }

        fn retract(&self, x: &f64, delta: &[f64]) -> f64 {
            x + delta[0]
        }

        fn difference(&self, from: &f64, to: &f64, delta: &mut [f64]) {
            delta[0] = to - from;
        }
    }
    let problem = Problem::new(&Stuck, 5, 0.5).cost("effort", Quadratic::of_inputs(&[1.0])).reach(1.0);
    let plan = problem.solve(&Options::default()).expect("a problem");
    assert_eq!(plan.status.outcome, Outcome::Refused { step: 2, cause: Failure::NotConverged });
    assert_eq!((plan.states.len(), plan.inputs.len()), (6, 5));
    assert!(plan.status.to_string().starts_with("a simulation refuses step 2: "), "{}", plan.status);
}

/// x ln x.
struct Entropy;

impl Function<Linear> for Entropy {
    fn count(&self) -> usize {
        1
    }

    fn value(&self, _: &Linear, _: usize, x: &DVector<f64>, _: &[f64], out: &mut [f64]) {
        out[0] = if x[0] == 0.0 { 0.0 } else { x[0] * x[0].ln() };
    }

    fn derivatives(
        &self,
        _: &Linear,
        _: usize,
        x: &DVector<f64>,
        _: &[f64],
        w: &[f64],
        jacobian: &mut [f64],
        hessian: &mut [f64],
    ) {
        jacobian.copy_from_slice(&[x[0].ln() + 1.0, 0.0]);
        hessian[0] += w[0] / x[0];
    }
}

/// A function, or its derivative, that is not finite at the start guess is named; elsewhere, it shortens steps.
#[test]
fn a_function_that_is_no_number_is_named() {
    let one = DMatrix::from_element(1, 1, 1.0);
    let system = Linear(vec![(one.clone(), one); 10]);
    let problem = |start: f64| {
        Problem::new(&system, 10, DVector::from_element(1, start))
            .cost("entropy", Entropy)
            .cost("effort", Quadratic::of_inputs(&[1e-3]))
    };
    let error = problem(-1.0).solve(&Options::default()).err();
    assert_eq!(error, Some(PlanError::NonFinite { what: "entropy".to_owned(), stage: 0 }));
    let error = problem(0.0).solve(&Options::default()).expect_err("an error").to_string();
    assert_eq!(error, "entropy: a value or a derivative at stage 0 is infinite or not a number");
    // Newton's step for the minimum of x ln x, at 1/e, leads from 2 to −1.4.
    let plan = problem(2.0).solve(&Options::default()).expect("a problem");
    assert!(plan.status.is_converged() && plan.status.is_minimum, "{}", plan.status);
    assert!((plan.states[9][0] - (-1.0_f64).exp()).abs() < 1e-6, "{}", plan.states[9]);
}

#[test]
fn mistakes_are_errors_that_name_them() {
    let system = linear(5);
    let zero = DVector::zeros(3);
    let problem = || Problem::new(&system, 5, zero.clone());
    let error =
        |problem: Problem<'_, Linear>| problem.solve(&Options::default()).expect_err("an error").to_string();
    assert_eq!(
        error(problem().bound_inputs(&[0.0], &[1.0])),
        "lower bounds of inputs: expected 2 entries, found 1"
    );
    assert_eq!(
        error(problem().bound_inputs(&[0.0, 2.0], &[1.0, 2.0])),
        "input 1: no number is between the bounds 2 and 2"
    );
    assert_eq!(
        error(problem().bound_inputs(&[0.0, f64::NAN], &[1.0, 2.0])),
        "input 1: no number is between the bounds NaN and 2"
    );
    assert_eq!(
        error(problem().condition(6, ["late"], Quadratic::of_inputs(&[1.0, 1.0]))),
        "late: stage 6, but the last one is 5"
    );
    assert_eq!(
        error(problem().condition(2, ["one", "two"], Quadratic::of_inputs(&[1.0, 1.0]))),
        "names of one, two: expected 1 entries, found 2"
    );
    assert_eq!(
        error(problem().guess_inputs(vec![vec![0.0; 2]; 4])),
        "inputs of the guess: expected 5 entries, found 4"
    );
    assert_eq!(
        error(problem().guess(vec![zero.clone(); 4], vec![vec![0.0; 2]; 5])),
        "states of the guess: expected 5 entries, found 4"
    );
    assert_eq!(
        error(problem().guess_inputs(vec![vec![f64::INFINITY; 2]; 5])),
        "inputs of the guess: a value or a derivative at stage 0 is infinite or not a number"
    );
    assert_eq!(
        error(problem().bound_entries(zero.clone(), &[1, 2], (&[0.0], &[1.0, 1.0]))),
        "bounds of x[1], x[2]: expected 2 entries, found 1"
    );
    assert_eq!(
        error(problem().reach_entries(zero.clone(), &[1, 3])),
        "entry 3, but tangent vectors have 3 entries, from 0"
    );
    assert_eq!(
        error(problem().cost("effort", Quadratic::of_inputs(&[1.0, 1.0, 1.0]))),
        "weights of inputs: expected 2 entries, found 3"
    );
    assert_eq!(
        error(problem().final_cost("end", Quadratic::of_states(&[1.0], zero.clone()))),
        "weights of states: expected 3 entries, found 1"
    );
    let options = Options { tolerance: 0.0, ..Options::default() };
    let message = problem().solve(&options).expect_err("an error").to_string();
    assert_eq!(message, "tolerance: must be positive and finite");
}

/// Without a step, the state is the first one.
#[test]
fn no_steps_lead_nowhere() {
    let system = linear(1);
    let target = DVector::from_column_slice(&[0.0, 2.0, 0.0]);
    let plan = Problem::new(&system, 0, DVector::zeros(3))
        .reach(target)
        .solve(&Options::default())
        .expect("a problem");
    let Outcome::CannotMeet(violated) = &plan.status.outcome else { panic!("{}", plan.status) };
    assert!(violated.iter().all(|(name, by)| name == "x[1]" && (by + 2.0).abs() < 1e-6), "{}", plan.status);
}

/// Two conditions that contradict each other: the sum of violations is least anywhere between the two.
#[test]
fn conditions_that_contradict_each_other_are_named() {
    let system = linear(8);
    let at = |x: f64| DVector::from_column_slice(&[x, 0.0, 0.0]);
    let plan = Problem::new(&system, 8, DVector::zeros(3))
        .cost("effort", Quadratic::of_inputs(&[1.0, 1.0]))
        .reach_entries(at(1.0), &[0])
        .reach_entries(at(2.0), &[0])
        .solve(&Options::default())
        .expect("a problem");
    let Outcome::CannotMeet(violated) = &plan.status.outcome else { panic!("{}", plan.status) };
    let missing: f64 = violated.iter().map(|(_, by)| by.abs()).sum();
    assert!(violated.iter().all(|(name, _)| name == "x[0]"), "{}", plan.status);
    assert!((missing - 1.0).abs() < 1e-4, "{}", plan.status);
}
