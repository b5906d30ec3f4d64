//! Trajectories of models that fail, each by itself.

use nhi_models::{Row, chaotic_r7, lie, sleigh_com};
use nhi_runtime::prelude::*;
use nhi_runtime::{Error, Failure, Limits, Method, System, Vector};
use nhi_tests::together::{Data, everything};
use std::collections::BTreeSet;

/// More than one block of them.
const LEN: usize = 80;

const STEPS: u64 = 600;

/// One of eight starts much faster than the model, the others at most twice as fast.
fn is_fast(i: usize) -> bool {
    i % 8 == 3
}

fn data<S: System + Clone>(row: &Row<S>, fast: impl Fn(usize) -> f64) -> Vec<Data<S>> {
    let one = |i: usize| {
        let (q, mut v) = row.start(&row.example());
        let times = if is_fast(i) { fast(i) } else { 1.0 + i as f64 / LEN as f64 };
        v.as_mut().iter_mut().for_each(|x| *x *= times);
        let v = S::project(&row.example().parameters(), &q, &v, 0.0, &S::Inputs::splat(0.0))
            .expect("an admissible velocity");
        (row.example(), q, v, S::Inputs::splat(0.0))
    };
    (0..LEN).map(one).collect()
}

/// Some of the fast ones fail, at different steps and in the way that their simulations do; the others go on with
/// the same bits.
fn check<S: System + Clone, M: Method<S> + Copy + Sync>(
    row: &Row<S>,
    method: M,
    h: f64,
    fast: impl Fn(usize) -> f64,
    is_cause: impl Fn(&Failure) -> bool,
) {
    let all = data(row, fast);
    let mut ensemble = Ensemble::with_inputs(method, all.iter().cloned(), h).expect("a start");
    // Steps are taken until they cannot be.
    ensemble.set_limits(Limits::NONE);
    for steps in [1, 255, STEPS - 256] {
        ensemble.advance(steps);
    }
    let (mut ends, mut causes) = (BTreeSet::new(), Vec::new());
    for (i, (system, q, v, inputs)) in all.into_iter().enumerate() {
        let mut alone = Simulation::with_inputs(system, method, q, v, &inputs, h).expect("a start");
        alone.set_limits(Limits::NONE);
        let result = (0..STEPS).try_for_each(|_| alone.step());
        assert_eq!(ensemble.error(i), result.err(), "{}, trajectory {i}", row.name);
        let of_ensemble = everything::<S>(&ensemble.state(i), ensemble.sample(i));
        let of_simulation = everything::<S>(alone.state(), alone.sample());
        assert_eq!(of_ensemble, of_simulation, "{}, trajectory {i}", row.name);
        if let Err(Error::Step { cause, .. }) = result {
            assert!(is_fast(i), "{}, trajectory {i}: {result:?}", row.name);
            ends.insert(alone.steps());
            causes.push(cause);
        }
    }
    assert!(ends.len() >= 3, "{}: the ends are {ends:?}", row.name);
    assert!(causes.iter().any(is_cause), "{}: {causes:?}", row.name);
}

/// A step of explicit formulas loses stability, and numbers overflow some hundred steps later.
#[test]
fn numbers_overflow() {
    check(&chaotic_r7::MODEL, Dla2, 0.05, |i| 30.0 + i as f64, |cause| *cause == Failure::NonFinite);
}

/// Newton's method does not converge where a body turns several times in a step.
#[test]
fn newtons_method_does_not_converge() {
    let is_told = |cause: &Failure| match cause {
        Failure::Unsolved { equation, residual, .. } => equation.labels().count() == 1 && *residual > 1e-3,
        _ => false,
    };
    check(&sleigh_com::MODEL, Dla2, 0.05, |i| 10.0 * i as f64, is_told);
    check(&lie::roller_racer::MODEL, Rdp, 0.02, |i| 10.0 * i as f64, is_told);
}
