//! What a user sees of `Simulation`, on a system written by hand.

use crate::double::{SLEIGH, Sleigh};
use nhi_runtime::prelude::*;
use nhi_runtime::{Error, Failure, Forms, Method, Quantity, System};
use std::f64::consts::{FRAC_PI_2, PI};

/// Initial state of the golden data.
const Q0: [f64; 3] = [0.3, 0.0, 0.0];
const V0: [f64; 3] = [1.2, 0.5978106927892027, 0.43614490205308315];

/// The rounding of 200 steps; the golden data are exact to 17 digits.
const ROUNDING: f64 = 1e-12;

fn sleigh() -> Simulation<Sleigh, Dla2> {
    Simulation::new(SLEIGH, Dla2, Q0, V0, 0.02).unwrap()
}

fn assert_near(got: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(got.len(), expected.len());
    for (x, y) in got.iter().zip(expected) {
        assert!((x - y).abs() <= tolerance * (1.0 + y.abs()), "{got:?} instead of {expected:?}");
    }
}

#[test]
fn a_run_ends_where_the_golden_data_do() {
    let mut sim = sleigh();
    for _ in 0..200 {
        sim.step().unwrap();
    }
    assert_eq!((sim.steps(), sim.time()), (200, 4.0));
    assert_near(&sim.q(), &[2.938655677093368, -1.8138962326450505, 2.6510425776986364], ROUNDING);
    assert_near(&sim.v(), &[0.2768669897211351, -1.0957418643540744, 0.1689367545733879], ROUNDING);
    assert_near(&sim.p(), &[0.13843349486056755, -1.0957418643540744, 0.1689367545733879], ROUNDING);
    assert_near(&[sim.energy()], &[0.6337587626712766], ROUNDING);
}

#[test]
fn step_functions_run_in_single_precision() {
    let (parameters, q0, v0) = ([0.5, 1.0, 0.2], Q0.map(|x| x as f32), V0.map(|x| x as f32));
    let prepared = Method::<Sleigh>::prepare::<f32>(&Dla2, &parameters, 0.02).unwrap();
    let mut state = Method::<Sleigh>::start(&Dla2, &parameters, 0.02, &q0, &v0, &[], 0.0, &[0.0]).unwrap();
    for k in 0..200u16 {
        let t = 0.02 * f32::from(k);
        state = Method::<Sleigh>::step(&Dla2, &prepared, &state, t, &[0.0]).unwrap();
    }
    // 200 roundings of 6e-8.
    assert_near(&state.q.map(f64::from), &[2.938655677093368, -1.8138962326450505, 2.6510425776986364], 1e-5);
}

#[test]
fn methods_that_reflect_start_as_chosen() {
    // The last samples of sleigh_com__rattle.json and sleigh_com__rattle_projected.json.
    let consistent = ([2.9385599445372015, -1.8139188681187388, 2.651391820764522], 0.6338283220588473);
    let projected = ([2.9386428560667173, -1.813669894708554, 2.650179419013596], 0.6332856355419113);

    let mut plain_value = Simulation::new(SLEIGH, Rattle, Q0, V0, 0.02).unwrap();
    let last = plain_value.samples(200).nth(1).unwrap().unwrap();
    assert_near(&last.q, &consistent.0, ROUNDING);
    assert_near(&[last.energy], &[consistent.1], ROUNDING);

    for (method, (q, energy)) in [(Rattle::consistent(), consistent), (Rattle::projected(), projected)] {
        let mut sim = Simulation::new(SLEIGH, method, Q0, V0, 0.02).unwrap();
        let last = sim.samples(200).nth(1).unwrap().unwrap();
        assert_near(&last.q, &q, ROUNDING);
        assert_near(&[last.energy], &[energy], ROUNDING);
    }

    // Without forces the projected start is the plain one.
    let plain = Simulation::new(SLEIGH, Rattle::plain(), Q0, V0, 0.02).unwrap();
    assert_eq!(plain.state().v_post, V0);
}

#[test]
fn between_two_steps_the_momentum_is_reflected() {
    let mut sim = Simulation::new(SLEIGH, Rattle, Q0, V0, 0.02).unwrap();
    sim.step().unwrap();
    let state = *sim.state();
    for i in 0..3 {
        assert_eq!(sim.v()[i], 0.5 * (state.v_pre[i] + state.v_post[i]));
    }
}

#[test]
fn the_monitor_of_the_parasitic_modes_sees_them() {
    // η is 0 at the consistent start, ½h|Cλ| at the plain one, and O(h³) on the smooth branch.
    let eta = |method, h| {
        let mut sim = Simulation::new(SLEIGH, method, Q0, V0, h).unwrap();
        let start = sim.parasite().unwrap();
        sim.step().unwrap();
        (start, sim.parasite().unwrap())
    };
    let (start, coarse) = eta(Rattle::consistent(), 0.02);
    let (_, fine) = eta(Rattle::consistent(), 0.01);
    assert!(start < 1e-15, "{start}");
    let order = (coarse / fine).log2();
    assert!((order - 3.0).abs() < 0.1, "order {order}");

    let (start, _) = eta(Rattle::plain(), 0.02);
    let (_, [lambda]) = SLEIGH.acceleration(Q0, V0, 0.0, [0.0]).unwrap();
    let mu_norm = (0.2f64 * 0.2 + 1.0).sqrt();
    assert_near(&[start], &[0.01 * mu_norm * lambda.abs()], 1e-15);
}

#[test]
fn ids_are_those_of_the_reference_data() {
    fn id<M: nhi_runtime::Method<Sleigh>>(method: M) -> &'static str {
        method.id()
    }
    assert_eq!(id(Dla2), "dla2");
    assert_eq!(id(Rattle), "rattle");
    assert_eq!(id(Rattle::consistent()), "rattle");
    assert_eq!(id(Rattle::projected()), "rattle_projected");
    assert_eq!(id(Rattle::plain()), "rattle_plain");
}

#[test]
fn the_guide_explains_every_method() {
    let guide = include_str!("../../../../docs/guide/methods.md");
    for method in nhi_methods::Method::ALL.iter().map(|method| method.facts()) {
        assert!(guide.contains(&format!("[`{}`]", method.marker)), "{}", method.marker);
    }
}

#[test]
fn inadmissible_velocities_are_refused_with_name_and_residual() {
    let error = Simulation::new(SLEIGH, Dla2, [0.0; 3], [1.0, 0.5, 0.3], 0.01).unwrap_err();
    assert!(
        matches!(error, Error::Constraint { name: "blade", residual } if (residual + 0.1).abs() < 1e-15),
        "{error:?}"
    );
    // An error in the ninth digit is more than rounding.
    let mut v0 = V0;
    v0[1] *= 1.0 + 1e-8;
    assert!(matches!(Simulation::new(SLEIGH, Dla2, Q0, v0, 0.01), Err(Error::Constraint { .. })));
}

#[test]
fn rounding_is_no_violation() {
    let admissible = |q0: [f64; 3], v0: [f64; 3]| Simulation::new(SLEIGH, Dla2, q0, v0, 0.01).map(drop);
    // The only term of the constraint that does not vanish is cos(π/2) y' = 6e-17, and rounding.
    admissible([FRAC_PI_2, 0.0, 0.0], [0.0, 0.0, 1.0]).unwrap();
    admissible([PI, 0.0, 0.0], [0.0, -2e3, 0.0]).unwrap();
    admissible([-1.5 * PI, 0.0, 0.0], [0.0, 0.0, 1.0]).unwrap();
    // What should be zero comes out of a cancellation, 5.6e-17.
    admissible([0.0; 3], [0.0, 1.0, 0.1 + 0.2 - 0.3]).unwrap();
    admissible([0.1 + 0.2 - 0.3, 0.0, 0.0], [0.0, 1.0, 0.0]).unwrap();
    // Ten decimals, as a person would copy them.
    admissible(Q0, [1.2, 0.5978106928, 0.4361449021]).unwrap();
    // At rest there is nothing to violate.
    admissible([0.7, 0.0, 0.0], [0.0; 3]).unwrap();
    // But a velocity across the blade is one, also a slow one where nothing else moves.
    admissible([FRAC_PI_2, 0.0, 0.0], [0.0, 1e-9, 1.0]).unwrap_err();
    admissible([0.0; 3], [0.0, 0.0, 1e-30]).unwrap_err();
}

#[test]
fn projection_gives_the_nearest_admissible_velocity() {
    let sim = Simulation::project(SLEIGH, Dla2, [0.0; 3], [1.0, 0.5, 0.3], 0.01).unwrap();
    let v = sim.v();
    assert_near(&[0.2 * v[0] - v[2]], &[0.0], 1e-15);
    assert_eq!(v[1], 0.5);
    // What was removed is M-orthogonal to the admissible directions (1, 0, a) and (0, 1, 0).
    assert_near(&[0.5 * (1.0 - v[0]) + 0.2 * (0.3 - v[2])], &[0.0], 1e-15);
    // An admissible velocity stays.
    let sim = Simulation::project(SLEIGH, Dla2, Q0, V0, 0.01).unwrap();
    assert_near(&sim.v(), &V0, 1e-15);
}

#[test]
fn meaningless_numbers_are_refused() {
    let build = |sleigh, q0: [f64; 3], v0: [f64; 3], u: [f64; 1], h| {
        Simulation::with_inputs(sleigh, Dla2, q0, v0, &u, h).map(drop).unwrap_err()
    };
    let u = [0.0];
    for h in [0.0, -0.0, f64::INFINITY] {
        assert_eq!(build(SLEIGH, Q0, V0, u, h), Error::StepSize { h });
    }
    assert!(matches!(build(SLEIGH, Q0, V0, u, f64::NAN), Error::StepSize { h } if h.is_nan()));
    let heavy = Sleigh { m: f64::INFINITY, ..SLEIGH };
    let value = f64::INFINITY;
    let non_finite = |quantity, name| Error::NonFinite { quantity, name, value };
    assert_eq!(build(heavy, Q0, V0, u, 0.01), non_finite(Quantity::Parameter, "m"));
    assert_eq!(build(SLEIGH, [0.0, 0.0, value], V0, u, 0.01), non_finite(Quantity::Coordinate, "y"));
    assert_eq!(build(SLEIGH, Q0, [value, 0.0, 0.0], u, 0.01), non_finite(Quantity::Velocity, "theta"));
    assert_eq!(build(SLEIGH, Q0, V0, [value], 0.01), non_finite(Quantity::Input, "torque"));
}

#[test]
fn a_method_that_cannot_start_says_why() {
    let massless = Sleigh { m: 0.0, ..SLEIGH };
    let error = Simulation::new(massless, Dla2, Q0, V0, 0.01).unwrap_err();
    let velocities = Forms::new(Sleigh::VELOCITIES, 0b110);
    let parameters = Forms::new(Sleigh::PARAMETERS, 0b10);
    assert_eq!(error, Error::Start { cause: Failure::NoInertia { velocities, parameters } });
    let said = "with `m` = 0 a combination of the velocities of `x`, `y`, which";
    assert!(error.to_string().contains(said), "{error}");
}

#[test]
fn a_failed_step_changes_nothing() {
    let mut sim = sleigh();
    sim.step_with(&[0.25]).unwrap();
    let before = sim.clone();
    // A torque whose velocity overflows.
    let error = sim.step_with(&[f64::MAX]).unwrap_err();
    assert_eq!(error, Error::Step { step: 2, time: 0.02, cause: Failure::NonFinite });
    let error = sim.step_with(&[f64::NAN]).unwrap_err();
    assert!(matches!(error, Error::NonFinite { quantity: Quantity::Input, name: "torque", .. }));

    assert_eq!(sim.state(), before.state());
    assert_eq!((sim.steps(), sim.time(), sim.inputs()), (1, 0.02, [0.25]));
    let mut undisturbed = before;
    sim.step().unwrap();
    undisturbed.step().unwrap();
    assert_eq!(sim.state(), undisturbed.state());
}

#[test]
fn inputs_are_held() {
    let mut sim = sleigh();
    assert_eq!(sim.inputs(), [0.0]);
    sim.step_with(&[0.5]).unwrap();
    let once = sim.clone();
    sim.step().unwrap();
    let mut again = once.clone();
    again.step_with(&[0.5]).unwrap();
    assert_eq!(sim.state(), again.state());
    let mut released = once;
    released.step_with(&[0.0]).unwrap();
    assert_ne!(sim.state(), released.state());

    // Those given at the start are used by the start and by the first step.
    let sim = Simulation::with_inputs(SLEIGH, Rattle, Q0, V0, &[0.5], 0.02).unwrap();
    let free = Simulation::new(SLEIGH, Rattle, Q0, V0, 0.02).unwrap();
    assert_eq!(sim.inputs(), [0.5]);
    assert_ne!(sim.state().v_post, free.state().v_post);
}

#[test]
fn time_is_counted_not_accumulated() {
    let mut sim = Simulation::new(SLEIGH, Dla2, Q0, V0, 0.1).unwrap();
    for k in 1..=100u32 {
        sim.step().unwrap();
        assert_eq!(sim.time(), f64::from(k) * 0.1);
    }
}

#[test]
fn negative_steps_lead_back() {
    let mut there = sleigh();
    for _ in 0..20 {
        there.step().unwrap();
    }
    let mut back = Simulation::new(SLEIGH, Dla2, there.q(), there.v(), -0.02).unwrap();
    for _ in 0..20 {
        back.step().unwrap();
    }
    assert_eq!(back.time(), -0.4);
    assert_near(&back.q(), &Q0, 3e-14);
    assert_near(&back.v(), &V0, 3e-14);
}

#[test]
fn samples_begin_with_the_present_and_advance() {
    let mut sim = sleigh();
    let samples: Vec<_> = sim.samples(20).take(3).map(Result::unwrap).collect();
    assert_eq!(samples.iter().map(|s| s.k).collect::<Vec<_>>(), [0, 20, 40]);
    assert_eq!((samples[0].q, samples[0].v, samples[0].t), (Q0, V0, 0.0));
    // The simulation stands at the last sample.
    assert_eq!(sim.steps(), 40);
    assert_eq!(samples[2], sim.sample());
    assert_eq!(samples[2].energy, sim.energy());
    assert_eq!(samples[2].lambda, sim.multipliers());
    // Sampling every zero steps would go nowhere: it is every one.
    assert_eq!(sim.samples(0).nth(1).unwrap().unwrap().k, 41);
}

#[test]
fn samples_end_with_an_error() {
    // The torque accelerates until the velocity overflows.
    let mut sim = Simulation::with_inputs(SLEIGH, Rattle::plain(), Q0, V0, &[2e307], 10.0).unwrap();
    let samples: Vec<_> = sim.samples(1).take(50).collect();
    let (last, before) = samples.split_last().unwrap();
    assert!(!before.is_empty() && before.len() < 49);
    assert!(before.iter().all(Result::is_ok));
    let step = before.len() as u64;
    let time = 10.0 * (step - 1) as f64;
    assert_eq!(*last, Err(Error::Step { step, time, cause: Failure::NonFinite }));
    assert_eq!(sim.steps(), step - 1);
}

#[test]
fn accelerations_are_those_of_the_continuous_equations() {
    // ω' = −m a u ω/(J + m a²) for blade speed u.
    let (omega, u) = (1.2, 0.7);
    let (dv, lambda) = SLEIGH.acceleration(Q0, V0, 0.0, [0.0]).unwrap();
    assert_near(&[dv[0]], &[-0.2 * u * omega / (0.5 + 0.04)], 1e-15);
    // The reaction is the only torque: J ω' = a λ.
    assert_near(&[0.5 * dv[0]], &[0.2 * lambda[0]], 1e-15);
    assert_eq!(sleigh().acceleration().unwrap(), (dv, lambda));

    let massless = Sleigh { inertia: 0.0, ..SLEIGH };
    let error = massless.acceleration(Q0, V0, 0.0, [0.0]).unwrap_err();
    assert_eq!(error, Error::Acceleration { cause: Failure::NonFinite });
}

#[test]
fn messages_say_what_to_do() {
    let text = |error: Error| {
        let error: Box<dyn std::error::Error> = Box::new(error);
        error.to_string()
    };
    assert_eq!(
        text(Error::Constraint { name: "dx - r*dphi", residual: -0.25 }),
        "the initial velocity violates the constraint `dx - r*dphi` by -2.5e-1; \
         `Simulation::project` takes the nearest admissible velocity"
    );
    assert_eq!(
        text(Error::Step { step: 17, time: 0.16, cause: Failure::NotConverged }),
        "step 17 from t = 0.16: Newton's method did not converge; another step size may help"
    );
    assert_eq!(
        text(Error::NonFinite { quantity: Quantity::Velocity, name: "x", value: f64::NAN }),
        "velocity of `x` must be finite, not NaN"
    );
    assert_eq!(
        text(Error::StepSize { h: 0.0 }),
        "the step size must be a finite number other than zero, not 0"
    );
    assert_eq!(
        text(Error::Start { cause: Failure::SingularConstraints }),
        "the method cannot be started: the constraint one-forms are linearly dependent here"
    );
}
