//! Derivatives of steps: against dual numbers, and which step they are of.

mod oracle;
mod systems;

use nhi_runtime::prelude::*;
use nhi_runtime::{Differentiable, Error, Fits, Reduced, Tangential, Vector};
use oracle::{Departure, Random};

/// Compares derivatives along a trajectory with inputs that change by `jump` at most.
fn check<S: Tangential + Clone, M: Differentiable<S> + Copy>(
    system: &S,
    method: M,
    q0: impl Fits<S::Configuration<f64>>,
    (h, jump): (f64, f64),
) {
    let mut random = Random(3);
    let name = format!("{}, {}", S::NAME, method.id());
    let parameters = system.parameters();
    let (t, inputs): (f64, S::Inputs<f64>) = (0.4, random.vector(0.5));
    let v: S::Velocity<f64> = random.vector(1.0);
    let q = q0.fit();
    let v = S::project(&parameters, &q, &v, t, &inputs).expect("an admissible velocity");
    let mut sim = Simulation::builder(system.clone(), method)
        .at(t)
        .start(q, v)
        .inputs(&inputs)
        .states(random.vector::<S::States<f64>>(0.4))
        .step_size(h)
        .build()
        .expect("a start");
    assert_eq!(sim.linearize().map(|_| ()), Err(Error::NoStep), "{name}");
    let mut worst = [0.0_f64; 3];
    for _ in 0..6 {
        let mut inputs: S::Inputs<f64> = sim.inputs();
        inputs.as_mut().iter_mut().for_each(|u| *u += jump * random.number());
        let from = Departure::of(&sim, inputs);
        sim.step_with(&inputs).expect("a step");
        let w: S::Tangent<f64> = random.vector(1.0);
        let first = oracle::First::of(&sim, &w);
        let (by_x, by_p, products) = oracle::errors(&name, &method, &parameters, &from, &w, &first);
        for block in by_x.iter().chain(&by_p) {
            assert!(block.error <= 1e-12, "{name}: {} differs by {:e}", block.what, block.error);
            worst[0] = worst[0].max(block.error);
        }
        for block in products {
            assert!(block.error <= 1e-13, "{name}: {} differs by {:e}", block.what, block.error);
            worst[1] = worst[1].max(block.error);
        }
        // Runge–Kutta methods leave the constraints, where ν = Y v changes with Y.
        let v = S::velocity(&parameters, &from.x.q, &from.x.nu, from.t, &from.before);
        let (of_sim, from) = (sim.curvature(&w).expect("second derivatives"), Departure { v, ..from });
        let curvature = oracle::curvature(&method, &parameters, &from, &w);
        for (found, expected) in oracle::rows(of_sim.xx).iter().zip(oracle::rows(curvature.xx)) {
            found
                .iter()
                .zip(expected)
                .for_each(|(x, y)| assert!((x - y).abs() < 1e-8, "{name}: {x} and {y}"));
        }
        for (found, expected) in [
            (oracle::rows(of_sim.a), oracle::rows(first.linear.a)),
            (oracle::rows(of_sim.b), oracle::rows(first.linear.b)),
        ] {
            let all = found.iter().flatten().zip(expected.iter().flatten());
            let size = expected.iter().flatten().fold(1.0, |size: f64, x| size.max(x.abs()));
            all.for_each(|(x, y)| assert!((x - y).abs() < 1e-12 * size, "{name}: {x} and {y}"));
        }
        for block in oracle::errors_of_curvature(&name, &method, &parameters, &from, &w, &curvature) {
            let bound = 1e-12 + 10.0 * block.rounding;
            assert!(block.error <= bound, "{name}: {} differs by {:e}", block.what, block.error);
            worst[2] = worst[2].max(block.error);
        }
    }
    println!(
        "{name}: derivatives {:e}, products {:e}, second derivatives {:e}",
        worst[0], worst[1], worst[2]
    );
}

macro_rules! tests {
    ($($name:ident: $q0:expr, $h:expr, [$($method:expr),*];)*) => {$(
        #[test]
        fn $name() {
            $(check(&systems::$name(), $method, $q0, $h);)*
        }
    )*};
}

tests! {
    sleigh: [0.3, 0.2, -0.4], (0.05, 0.3), [
        Dla1, Dla2, Dla2Midpoint, DlaRattle, Rk4, Compose::suzuki4(Dla2), Compose::kahanli6(DlaRattle)
    ];
    snakeboard: [0.1, 0.4, -0.3, 0.2, 0.6], (0.02, 0.3), [Dla2, DlaRattle, Rk4, Compose::triple4(Dla2)];
    car: [0.2, -0.1, 0.5, 0.3, -0.2], (0.02, 0.3), [Dla2, DlaRattle];
    motor: [0.3, 0.2, -0.4, 0.7], (0.05, 0.3), [Dla1, Dla2, DlaRattle, Rk4, Compose::suzuki4(Dla2)];
    bowl: [0.5, -0.4, 0.3*(0.25 + 0.16), 0.1], (0.05, 0.3), [DlaRattle];
    pendulum: [0.2*(3.0_f64*0.4).sin() + 0.6, -0.8], (0.05, 0.3), [DlaRattle];
    belt: [0.7, 0.2, -0.4], (0.05, 0.0), [Dla2, DlaRattle];
    disk: [0.3, 0.6, 0.4, -0.2], (0.05, 0.3), [Rdp, Rdp::new(Cayley), RdpLeft];
    ball: ([0.2, -0.3], rotation(0.4, -0.7, 0.5)), (0.05, 0.3), [Rdp, Rdp::new(Cayley), Compose::suzuki4(Rdp)];
}

/// A rotation by its vector, as rows of a matrix.
fn rotation(x: f64, y: f64, z: f64) -> [[f64; 3]; 3] {
    use nhi_runtime::group::{Exp, Retraction, SO3};
    let turn: SO3<f64> = Exp::tau([x, y, z]);
    turn.into()
}

/// However steps are taken, derivatives are those of the last one, from the same state with all of its numbers.
#[test]
fn derivatives_are_those_of_the_step_just_taken() {
    fn check<S: Tangential + Clone, M: Differentiable<S> + Copy>(
        system: &S,
        method: M,
        q0: impl Fits<S::Configuration<f64>>,
        v0: impl Fits<S::Velocity<f64>>,
    ) {
        let mut start = Simulation::project(system.clone(), method, q0, v0, 0.01).expect("a start");
        let inputs: S::Inputs<f64> = Random(5).vector(0.2);
        start.step_with(&inputs).expect("a step");
        let mut single = start.clone();
        for steps in [1, 2, 3, 31, 32, 33, 100, 4095, 4096, 5000] {
            while single.steps() < steps + 1 {
                single.step().expect("a step");
            }
            let expected = single.linearize().expect("derivatives");
            let mut advanced = start.clone();
            advanced.advance(steps).expect("steps");
            assert_eq!((advanced.q(), advanced.v()), (single.q(), single.v()), "{}: {steps}", method.id());
            assert_eq!(advanced.linearize().expect("derivatives"), expected, "{}: {steps}", method.id());
            // In parts, of which the last is short.
            let mut parts = start.clone();
            parts.advance(steps - 1).and_then(|()| parts.advance(1)).expect("steps");
            assert_eq!(parts.linearize().expect("derivatives"), expected, "{}: {steps}", method.id());
        }
    }
    let (q, v) = ([0.3, 0.2, -0.4], [0.5, 1.0, 0.2]);
    check(&systems::sleigh(), Dla1, q, v);
    check(&systems::sleigh(), Dla2, q, v);
    check(&systems::sleigh(), DlaRattle, q, v);
    check(&systems::sleigh(), Rk4, q, v);
    check(&systems::sleigh(), Compose::suzuki4(Dla2), q, v);
    let (q, v) = ([0.2, -0.1, 0.5, 0.1, 0.3], [0.3, 0.2, 0.1, 0.0, 0.1]);
    check(&systems::car(), Dla2, q, v);
    check(&systems::car(), DlaRattle, q, v);
    check(&systems::disk(), Rdp, [0.3, 0.6, 0.4, -0.2], [0.5, 0.4, 0.3, 0.0]);
    let bowl = [0.5, -0.4, 0.3 * (0.25 + 0.16), 0.1];
    check(&systems::bowl(), DlaRattle, bowl, [0.4, 0.3, 0.0, 0.0]);
}

fn pushed() -> Simulation<systems::Sleigh, Dla2> {
    let mut sim = Simulation::project(systems::sleigh(), Dla2, [0.3, 0.2, -0.4], [0.5, 1.0, 0.2], 0.1)
        .expect("a start");
    sim.step_with(&[0.4, -0.3]).expect("a step");
    sim
}

/// The largest difference of two matrices.
fn distance<const M: usize, const N: usize>(a: &[[f64; N]; M], b: &[[f64; N]; M]) -> f64 {
    let both = a.as_flattened().iter().zip(b.as_flattened());
    both.fold(0.0, |distance: f64, (a, b)| distance.max((a - b).abs()))
}

#[test]
fn a_shortened_step_is_the_last_one() {
    let start = pushed();
    // From t = 0.1 two steps and one of 0.03.
    let mut sim = start.clone();
    sim.run_until(0.33).expect("a time");
    let mut by_hand = start.clone();
    by_hand
        .advance(2)
        .and_then(|()| by_hand.set_step_size(0.03))
        .and_then(|()| by_hand.step())
        .expect("steps");
    let (found, expected) =
        (sim.linearize().expect("derivatives"), by_hand.linearize().expect("derivatives"));
    assert!(distance(&found.a, &expected.a) < 1e-13 && distance(&found.b, &expected.b) < 1e-13);
    // The step has the size that it had, not that of the next one.
    by_hand.set_step_size(0.2).expect("a step size");
    assert_eq!(by_hand.linearize().expect("derivatives"), expected);
    // As long as the step is B to first order.
    assert!(distance(&found.b, &start.linearize().expect("derivatives").b) > 0.02);

    let mut event = start.clone();
    let t = event.advance_until(|sample| sample.q[0] >= 0.4).expect("an event");
    let before = start.steps() + ((t - 0.1) / 0.1) as u64;
    let mut by_hand = start.clone();
    by_hand.advance(before - start.steps()).expect("steps");
    let rest = t - by_hand.time();
    by_hand.set_step_size(rest).and_then(|()| by_hand.step()).expect("a step");
    let (found, expected) =
        (event.linearize().expect("derivatives"), by_hand.linearize().expect("derivatives"));
    assert!(distance(&found.a, &expected.a) < 1e-12 && distance(&found.b, &expected.b) < 1e-12);
}

#[test]
fn after_a_change_there_is_no_step() {
    let none = |sim: &Simulation<systems::Sleigh, Dla2>| {
        assert_eq!(sim.linearize().err(), Some(Error::NoStep));
        assert_eq!(sim.linearize_parameters().err(), Some(Error::NoStep));
        assert_eq!(sim.pull_back(&[0.0; 5]).err(), Some(Error::NoStep));
        assert_eq!(sim.curvature(&[0.0; 5]).err(), Some(Error::NoStep));
    };
    let start = pushed();
    let mut sim = start.clone();
    sim.set_parameters(|p| p.m = 2.0).expect("parameters");
    none(&sim);
    let mut sim = start.clone();
    sim.set_state(start.q(), [0.0; 3]).expect("a state");
    none(&sim);
    sim.step().expect("a step");
    assert!(sim.linearize().is_ok());
    none(&Simulation::from_snapshot(systems::sleigh(), Dla2, &start.to_snapshot()).expect("a simulation"));
    assert!(Error::NoStep.to_string().starts_with("there is no step to differentiate"));
}

#[test]
fn a_step_that_fails_is_not_the_last_one() {
    let mut sim = pushed();
    let expected = sim.linearize().expect("derivatives");
    assert!(matches!(sim.step_with(&[1e200, 1e200]), Err(Error::Step { .. })));
    assert_eq!(sim.linearize().expect("derivatives"), expected);
}

/// x ⊕ (y ⊖ x) = y and (x ⊕ δ) ⊖ x = δ.
#[test]
fn displacements_are_undone() {
    fn check<S: Tangential>(random: &mut Random, q: impl Fits<S::Configuration<f64>>) {
        let x = Reduced { q: q.fit(), nu: random.vector(1.0), z: random.vector(1.0) };
        for _ in 0..20 {
            let delta: S::Tangent<f64> = random.vector(1.2);
            let y = S::retract(&x, &delta);
            let found = S::difference(&x, &y);
            for (found, expected) in found.as_ref().iter().zip(delta.as_ref()) {
                assert!((found - expected).abs() < 1e-14, "{}: {found} and {expected}", S::NAME);
            }
            let again = S::retract(&x, &found);
            let numbers = |x: &[f64], y: &[f64]| {
                x.iter().zip(y).for_each(|(x, y)| assert!((x - y).abs() < 1e-14, "{}", S::NAME));
            };
            numbers(again.q.as_ref(), y.q.as_ref());
            numbers(again.nu.as_ref(), y.nu.as_ref());
            numbers(again.z.as_ref(), y.z.as_ref());
            assert!(again.q.defect() < 1e-15);
        }
    }
    let mut random = Random(8);
    check::<systems::Motor>(&mut random, [0.3, 0.2, -0.4, 0.7]);
    check::<systems::Disk>(&mut random, [0.3, 0.6, 0.4, -0.2]);
    check::<systems::Ball>(&mut random, ([0.2, -0.3], rotation(0.4, -0.7, 0.5)));
}

/// v = X ν + v₀ satisfies the constraints, Y X = 1 and Y v₀ = 0.
#[test]
fn the_basis_spans_the_admissible_velocities() {
    fn check<S: Tangential>(system: &S, q: impl Fits<S::Configuration<f64>>) {
        let mut random = Random(4);
        let (p, q, t) = (system.parameters(), q.fit(), 0.4);
        let (nu, u): (S::QuasiVelocity<f64>, S::Inputs<f64>) = (random.vector(1.0), random.vector(0.5));
        let v = S::velocity(&p, &q, &nu, t, &u);
        for residual in S::residual(&p, &q, &v, t, &u).as_ref() {
            assert!(residual.abs() < 1e-14, "{}: {residual}", S::NAME);
        }
        let again = S::quasi_velocity(&p, &q, &v, t, &u);
        for (again, nu) in again.as_ref().iter().zip(nu.as_ref()) {
            assert!((again - nu).abs() < 1e-14, "{}", S::NAME);
        }
        let drift = S::quasi_velocity(&p, &q, &S::basis(&p, &q, t, &u).v0, t, &u);
        assert!(drift.as_ref().iter().all(|nu| nu.abs() < 1e-15), "{}", S::NAME);
        assert_eq!(nu.as_ref().len(), S::VELOCITIES.len() - S::CONSTRAINTS.len());
    }
    check(&systems::sleigh(), [0.3, 0.2, -0.4]);
    check(&systems::snakeboard(), [0.1, 0.4, -0.3, 0.2, 0.6]);
    check(&systems::belt(), [0.7, 0.2, -0.4]);
    check(&systems::bowl(), [0.5, -0.4, 0.3 * (0.25 + 0.16), 0.1]);
    check(&systems::ball(), ([0.2, -0.3], rotation(0.4, -0.7, 0.5)));
}
