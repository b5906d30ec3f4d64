//! Identities between methods.

use super::tolerance::ACCUMULATED;
use super::{distance, instance, start};
use nhi_models::{
    Row, chaotic_r7, contact_oscillator, knife_incline, mobile_robot, rotating_table_skate, sleigh_com,
    snakeboard, vertical_disk,
};
use nhi_runtime::{Dla1, Dla1Adjoint, Dla2, DlaRattle, Method, State, System, Vector};

/// Steps of `whole` are half a step of `first` and then half a step of `second`.
fn halves<S: System>(row: &Row<S>, whole: impl Method<S>, first: impl Method<S>, second: impl Method<S>) {
    let parameters = row.example().parameters();
    let (q0, v0) = row.start(&row.example());
    let (z, inputs) = (S::States::splat(0.0), S::Inputs::<f64>::splat(0.0));
    let (h, half) = (0.05, 0.025);
    let start = whole.start(&parameters, h, &q0, &v0, &z, 0.0, &inputs).unwrap();
    let prepared = whole.prepare(&parameters, h).unwrap();
    let (a, b) = (first.prepare(&parameters, half).unwrap(), second.prepare(&parameters, half).unwrap());
    let mut expected = start;
    let mut state = passed(&start, &first, &parameters, half, 0.0);
    for k in 0..40 {
        let t = f64::from(k) * h;
        expected = whole.step(&prepared, &expected, t, &inputs).unwrap();
        let middle = first.step(&a, &state, t, &inputs).unwrap();
        let middle = passed(&middle, &second, &parameters, half, t + half);
        let end = second.step(&b, &middle, t + half, &inputs).unwrap();
        state = passed(&end, &first, &parameters, half, t + h);
    }
    let error = distance(state.q().as_ref(), expected.q().as_ref())
        .max(distance(state.v().as_ref(), expected.v().as_ref()));
    assert!(error < ACCUMULATED, "{} {}: {error:e}", row.name, whole.id());
}

/// A state of one method as a state of another.
fn passed<S: System, M: Method<S>>(
    state: &impl State<S, f64>,
    method: &M,
    parameters: &S::Parameters<f64>,
    h: f64,
    t: f64,
) -> M::State<f64> {
    let (before, after) = state.jump();
    method.state(parameters, h, &state.q(), (&before, &after), &state.lambda(), &state.z(), t).unwrap()
}

/// Without a potential and with a constant mass matrix the quadrature of the Lagrangian does not matter.
#[test]
fn quadratures_of_a_constant_lagrangian_are_the_same() {
    for name in ["sleigh_com", "snakeboard_free", "vertical_disk", "nh_particle"] {
        let instance = instance(name);
        for (id, other) in
            [("dla2", "dla2_midpoint"), ("dla_rattle", "dla_rattle_midpoint"), ("rattle", "gni_midpoint")]
        {
            let (mut a, mut b) = (start(&*instance, id, 0.05), start(&*instance, other, 0.05));
            for _ in 0..40 {
                a.step().unwrap();
                b.step().unwrap();
                let error = distance(&a.q(), &b.q()).max(distance(&a.v(), &b.v()));
                assert!(error < ACCUMULATED, "{name} {id}: {error:e}");
            }
        }
    }
}

/// With a constant mass matrix, no gyroscopic terms and forces that do not depend on velocities `dla2` is
/// half a step of `dla1` and half a step of its adjoint, and `dla_rattle` is the same in the other order
/// (after McLachlan and Perlmutter (4.18)).
#[test]
fn second_order_methods_are_compositions_of_the_first() {
    fn check<S: System>(row: &Row<S>)
    where
        Dla1: Method<S>,
        Dla1Adjoint: Method<S>,
        Dla2: Method<S>,
        DlaRattle: Method<S>,
    {
        halves(row, Dla2, Dla1, Dla1Adjoint);
        halves(row, DlaRattle, Dla1Adjoint, Dla1);
    }
    check(&contact_oscillator::MODEL);
    check(&chaotic_r7::MODEL);
    check(&sleigh_com::MODEL);
    check(&vertical_disk::MODEL);
    check(&rotating_table_skate::MODEL);
    check(&knife_incline::MODEL);
    check(&snakeboard::MODEL);
    check(&mobile_robot::MODEL);
}
