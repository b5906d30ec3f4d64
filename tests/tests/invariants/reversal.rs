//! Adjoint methods, reversal, and the identities between methods.

use crate::tolerance::{ACCUMULATED, ROUNDING};
use crate::{distance, find, start};
use nhi_models::{
    Family, METHODS, MODELS, Row, chaotic_r7, contact_oscillator, euler_disk, knife_incline,
    magnetic_particle, mobile_robot, rotating_table_skate, sleigh_com, sleigh_contact, sleigh_moving_mass,
    snakeboard, vertical_disk,
};
use nhi_runtime::{
    Dla1, Dla1Adjoint, Dla2, DlaRattle, Emits, GniEulerA, GniEulerAb, GniEulerB, GniMidpoint, Method, Rattle,
    State, System, Vector,
};

/// Models without explicit time.
const AUTONOMOUS: fn(&&&dyn nhi_models::Model) -> bool =
    |model| !["snakeboard", "mobile_robot"].contains(&model.name());

/// The adjoint's steps −h lead back along a method's steps h. DLA methods only: the state of the others is
/// more than (q, v).
#[test]
fn adjoint_methods_lead_back() {
    for model in MODELS.iter().filter(AUTONOMOUS) {
        let instance = model.instance(&model.defaults());
        let (q0, v0) = instance.initial();
        for method in METHODS.iter().filter(|method| matches!(method.family, Family::Dla | Family::Composed))
        {
            let h = 0.02;
            let mut there = start(&*instance, method.id, h);
            there.advance(20).unwrap();
            let adjoint = find(method.adjoint.unwrap());
            let mut back = instance.start(adjoint, &there.q(), &there.v(), &[], -h).unwrap();
            back.advance(20).unwrap();
            let error = distance(&back.q(), &q0).max(distance(&back.v(), &v0));
            assert!(error < ACCUMULATED, "{} {}: {error:e}", model.name(), method.id);
        }
    }
}

/// What is not symmetric does not lead back itself. Runge–Kutta methods cannot even try: they leave the
/// constraint manifold.
#[test]
fn unsymmetric_methods_do_not_lead_back() {
    let instance = crate::instance("contact_oscillator");
    let (q0, v0) = instance.initial();
    for method in ["dla1", "dla1_adjoint", "rattle_restarted"].map(find) {
        assert_ne!(method.adjoint, Some(method.id));
        let h = 0.1;
        let mut there = start(&*instance, method.id, h);
        there.advance(20).unwrap();
        let mut back = instance.start(method, &there.q(), &there.v(), &[], -h).unwrap();
        back.advance(20).unwrap();
        let error = distance(&back.q(), &q0).max(distance(&back.v(), &v0));
        assert!(error > 1e-8, "{}: {error:e}", method.id);
    }
}

/// `method` forwards and backwards in time, on a system with forces that depend on it.
fn forced<S: System, M: Method<S>>(row: &Row<S>, method: M) {
    let parameters = row.defaults.parameters();
    let (q0, v0) = (row.initial)(&row.defaults);
    let inputs = S::Inputs::<f64>::splat(0.0);
    let h = 0.01;
    let there = method.prepare(&parameters, h).unwrap();
    let back = method.prepare(&parameters, -h).unwrap();
    let mut state = method.start(&parameters, h, &q0, &v0, 0.0, &inputs).unwrap();
    for k in 0..20 {
        state = method.step(&there, &state, f64::from(k) * h, &inputs).unwrap();
    }
    for k in (0..20).rev() {
        state = method.step(&back, &state, f64::from(k + 1) * h, &inputs).unwrap();
    }
    let error = distance(state.q().as_ref(), q0.as_ref()).max(distance(state.v().as_ref(), v0.as_ref()));
    assert!(error < ACCUMULATED, "{} {}: {error:e}", row.name, method.id());
}

#[test]
fn forced_systems_lead_back() {
    forced(&snakeboard::MODEL, Dla2);
    forced(&snakeboard::MODEL, DlaRattle);
    forced(&mobile_robot::MODEL, Dla2);
    forced(&mobile_robot::MODEL, DlaRattle);
}

/// A GNI step h undone by a step −h of its adjoint: from (q₁, p⁻ := p₁⁺) it arrives at q₀ with p⁺ = p₀⁻.
fn jump<S: System, M: Method<S>, A: Method<S>>(row: &Row<S>, method: M, adjoint: A) {
    let parameters = row.defaults.parameters();
    let (q0, v0) = (row.initial)(&row.defaults);
    let inputs = S::Inputs::<f64>::splat(0.0);
    let h = 0.01;
    let there = method.prepare(&parameters, h).unwrap();
    let back = adjoint.prepare(&parameters, -h).unwrap();
    let before = method.start(&parameters, h, &q0, &v0, 0.0, &inputs).unwrap();
    let after = method.step(&there, &before, 0.0, &inputs).unwrap();
    let (pre, post) = after.jump();
    let arrived =
        adjoint.step(&back, &State::of(after.q(), (post, pre), after.lambda()), h, &inputs).unwrap();
    let error = distance(arrived.q().as_ref(), q0.as_ref())
        .max(distance(arrived.jump().0.as_ref(), before.jump().1.as_ref()));
    assert!(error < 10.0 * ROUNDING, "{} {}: {error:e}", row.name, method.id());
    // The step is not trivial.
    let moved = distance(after.q().as_ref(), q0.as_ref());
    assert!(moved > 1e-4, "{} {}: {moved:e}", row.name, method.id());
}

fn jumps<S>(row: &Row<S>)
where
    S: Emits<Rattle> + Emits<GniMidpoint> + Emits<GniEulerA> + Emits<GniEulerB>,
{
    jump(row, Rattle, Rattle);
    jump(row, GniMidpoint, GniMidpoint);
    jump(row, GniEulerA, GniEulerB);
    jump(row, GniEulerB, GniEulerA);
    jump(row, GniEulerAb, GniEulerAb);
}

#[test]
fn gni_methods_lead_back() {
    jumps(&contact_oscillator::MODEL);
    jumps(&chaotic_r7::MODEL);
    jumps(&sleigh_com::MODEL);
    jumps(&sleigh_contact::MODEL);
    jumps(&snakeboard::MODEL);
    jumps(&vertical_disk::MODEL);
    jumps(&rotating_table_skate::MODEL);
    jumps(&euler_disk::MODEL);
    jumps(&mobile_robot::MODEL);
    jumps(&sleigh_moving_mass::MODEL);
    jumps(&magnetic_particle::MODEL);
}

/// Steps of `whole` are half a step of `first` and then half a step of `second`.
fn halves<S: System>(row: &Row<S>, whole: impl Method<S>, first: impl Method<S>, second: impl Method<S>) {
    let parameters = row.defaults.parameters();
    let (q0, v0) = (row.initial)(&row.defaults);
    let inputs = S::Inputs::<f64>::splat(0.0);
    let (h, half) = (0.05, 0.025);
    let start = whole.start(&parameters, h, &q0, &v0, 0.0, &inputs).unwrap();
    let prepared = whole.prepare(&parameters, h).unwrap();
    let (a, b) = (first.prepare(&parameters, half).unwrap(), second.prepare(&parameters, half).unwrap());
    let mut expected = start;
    let mut state = passed(&start);
    for k in 0..40 {
        let t = f64::from(k) * h;
        expected = whole.step(&prepared, &expected, t, &inputs).unwrap();
        let middle = first.step(&a, &state, t, &inputs).unwrap();
        let end = second.step(&b, &passed(&middle), t + half, &inputs).unwrap();
        state = passed(&end);
    }
    let error = distance(state.q().as_ref(), expected.q().as_ref())
        .max(distance(state.v().as_ref(), expected.v().as_ref()));
    assert!(error < ACCUMULATED, "{} {}: {error:e}", row.name, whole.id());
}

/// A state of one method as a state of another.
fn passed<S: System, A: State<S, f64>, B: State<S, f64>>(state: &A) -> B {
    B::of(state.q(), state.jump(), state.lambda())
}

/// With a constant mass matrix, no gyroscopic terms and forces that do not depend on velocities `dla2` is
/// half a step of `dla1` and half a step of its adjoint, and `dla_rattle` is the same in the other order
/// (after McLachlan and Perlmutter (4.18)).
#[test]
fn second_order_methods_are_compositions_of_the_first() {
    fn check<S>(row: &Row<S>)
    where
        S: Emits<Dla1> + Emits<Dla1Adjoint> + Emits<Dla2> + Emits<DlaRattle>,
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
