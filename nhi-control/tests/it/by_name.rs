//! Linear systems by the names of coordinates and velocities.

use crate::mpc::bicycle::{Bicycle, bicycle, riding};
use crate::systems;
use nalgebra::{DMatrix, DVector, dmatrix, dvector};
use nhi_control::{Discrete, Linear, LqrError};
use nhi_runtime::prelude::*;
use nhi_runtime::{Differentiable, Tangential, Vector};

/// Roll and steering angle, and their rates.
const ENTRIES: [&str; 4] = ["phi", "delta", "dot_phi", "dot_delta"];

/// Straight on with this speed and roll.
fn ridden(speed: f64, roll: f64, h: f64) -> Simulation<Bicycle, Dla2> {
    let discrete = Discrete::new(&bicycle(0.0), Dla2, h).expect("steps");
    let x = riding(&discrete, speed).expect("a state");
    let v = discrete.velocity(0, &x, &[0.0]);
    let mut q = x.q;
    q[4] = roll;
    Simulation::project(bicycle(0.0), Dla2, q, v, h).expect("a start")
}

/// From a small roll, the motion with feedback is the one of A − B K, in which the measured angles and rates are what they are.
#[test]
fn gains_by_name_act_on_angles_and_rates() {
    let h = 0.01;
    for speed in [2.0, 4.0, 6.0] {
        let mut sim = ridden(speed, 0.0, h);
        sim.step_with(&[0.0]).expect("a step");
        let linear = Linear::of_entries(&sim, &ENTRIES).expect("roll and steering are a system");
        assert_eq!(linear.names, ENTRIES);
        let weights = DMatrix::from_diagonal(&dvector![10.0, 1.0, 1.0, 0.1]);
        let feedback = linear.lqr(&weights, &dmatrix![0.01]).expect("stabilisable");
        let closed = &linear.a - &linear.b * &feedback.gain;
        let mut sim = ridden(speed, 1e-5, h);
        let measured = |sim: &Simulation<Bicycle, Dla2>| {
            let (q, v) = (sim.q(), sim.v());
            dvector![q[4], q[6], v[4], v[6]]
        };
        let mut expected = measured(&sim);
        for k in 0..200 {
            let u = -(&feedback.gain * measured(&sim));
            sim.step_with(&[u[0]]).expect("a step");
            expected = &closed * expected;
            let off = (measured(&sim) - &expected).norm();
            assert!(off < 1e-6 * 1e-5, "{speed}, step {k}: {off:e}");
        }
    }
}

/// exp(A h) differs from the matrix of a step of order 2 by its error, of order h³.
#[test]
fn steps_are_those_of_the_continuous_equations_to_their_order() {
    let off = |h: f64| {
        let mut sim = ridden(3.0, 0.0, h);
        sim.step_with(&[0.0]).expect("a step");
        let step = Linear::of_entries(&sim, &ENTRIES).expect("a system");
        let rates = Linear::continuous(&sim, &ENTRIES).expect("a system");
        assert_eq!(rates.names, ENTRIES);
        // Rates of angles are rates.
        assert!(
            (rates.a[(0, 2)] - 1.0).abs() < 1e-9
                && rates.a.row(0).iter().filter(|x| x.abs() > 1e-9).count() == 1
        );
        let (mut power, mut sum) = (DMatrix::identity(4, 4), DMatrix::identity(4, 4));
        let mut integral = DMatrix::identity(4, 4) * h;
        for i in 1..12 {
            power = &power * &rates.a * (h / f64::from(i));
            sum += &power;
            integral += &power * (h / f64::from(i + 1));
        }
        [(sum - &step.a).norm(), (integral * rates.b - &step.b).norm()]
    };
    let (coarse, fine) = (off(0.02), off(0.01));
    for (coarse, fine) in coarse.into_iter().zip(fine) {
        println!("{coarse:e}, {fine:e}");
        assert!((6.0..11.0).contains(&(coarse / fine)), "{coarse:e}, {fine:e}");
    }
}

/// With the names of all entries of x the system is that of x, whatever the motion.
fn are_those_of_the_state<S: Tangential + Clone, M: Differentiable<S> + Copy>(mut sim: Simulation<S, M>) {
    let name = S::NAME;
    let mut inputs = sim.inputs();
    inputs.as_mut().iter_mut().for_each(|u| *u = 0.3);
    (0..3).for_each(|_| sim.step_with(&inputs).expect("a step"));
    let state = Linear::of(&sim).expect("derivatives");
    let names: Vec<&str> = state.names.iter().map(String::as_str).collect();
    let named = Linear::of_entries(&sim, &names).expect("a system");
    assert_eq!(named.names, state.names, "{name}");
    assert!((&named.a - &state.a).norm() < 1e-12 * state.a.norm(), "{name}");
    assert!((&named.b - &state.b).norm() < 1e-12 * state.b.norm().max(1.0), "{name}");
    let error = Linear::of_entries(&sim, &["nothing"]).expect_err("no entry");
    assert!(error.to_string().starts_with("no entry has the name nothing: there are "), "{error}");
    // ∂(X ν)/∂q is the derivative of the velocity.
    let (x, parameters, t) = (sim.reduced(), *sim.parameters(), sim.time());
    let derivative = S::basis_derivative(&parameters, &x.q, &x.nu, t, &inputs);
    for column in 0..S::VELOCITIES.len() {
        let at = |by: f64| {
            let mut delta = S::Tangent::splat(0.0);
            delta.as_mut()[column] = by;
            let moved = S::retract(&x, &delta);
            DVector::from_column_slice(S::velocity(&parameters, &moved.q, &moved.nu, t, &inputs).as_ref())
        };
        let by = 1e-3;
        let slope = ((at(by) - at(-by)) * 8.0 - (at(2.0 * by) - at(-2.0 * by))) / (12.0 * by);
        for (row, expected) in derivative.as_ref().iter().zip(slope.iter()) {
            let found = row.as_ref()[column];
            assert!(
                (found - expected).abs() < 1e-9 * (1.0 + expected.abs()),
                "{name}: {found} and {expected}"
            );
        }
    }
}

#[test]
fn names_of_the_state_are_names() {
    let start = [0.1, -0.2, 0.3, 0.2, -0.4];
    are_those_of_the_state(
        Simulation::project(systems::tug(), Dla2, start, [0.5, 0.2, 0.1, 0.3, 0.2], 0.05).expect("a start"),
    );
    are_those_of_the_state(
        Simulation::project(systems::car(), Dla2, start, [0.5, 0.2, 0.1, 0.3, 0.2], 0.05).expect("a start"),
    );
    let sleigh = Simulation::project(systems::sleigh(), Dla2, [0.3, 0.1, 0.2], [0.5, 0.4, -0.3], 0.05);
    are_those_of_the_state(sleigh.expect("a start"));
}

/// Heading and rolling determine the velocity of the centre. Velocities that inputs drive are no states.
#[test]
fn what_the_constraints_determine_is_refused() {
    let mut sim =
        Simulation::project(systems::disk(), Dla2, [0.0, 0.0, 0.4, 0.0], [0.5, 0.2, 0.3, 0.5], 0.05)
            .expect("a start");
    sim.step_with(&[0.1, 0.2]).expect("a step");
    let error = Linear::of_entries(&sim, &["theta", "dot_phi", "dot_x"]).expect_err("a dependent velocity");
    assert!(matches!(&error, LqrError::Dependent { name } if name == "dot_x"), "{error}");
    assert!(Linear::of_entries(&sim, &["theta", "dot_theta"]).is_ok());
    // x' depends on the heading.
    let error = Linear::of_entries(&sim, &["x", "dot_x"]).expect_err("the heading is missing");
    assert!(matches!(error, LqrError::Coupled { .. }), "{error}");
    let mut belt = Simulation::new(systems::belt(), Dla2, [0.3, 0.0, 0.0], [0.0; 3], 0.05).expect("a start");
    belt.step_with(&[0.0]).expect("a step");
    assert_eq!(Linear::of_entries(&belt, &["theta"]), Err(LqrError::Driven));
}

/// By hand: a wheel that is driven and steered, d/dt v = u/(m + i/r²), at the heading θ: the rates of x and y follow from θ and the
/// rate of rolling.
#[test]
fn dependent_velocities_have_their_first_order_relation() {
    let (theta, rate) = (0.4_f64, 0.7);
    let v = [rate * theta.cos(), rate * theta.sin(), 0.0, rate];
    let mut sim = Simulation::new(systems::disk(), Dla2, [0.0, 0.0, theta, 0.0], v, 0.05).expect("a start");
    sim.step_with(&[0.0, 0.0]).expect("a step");
    let names = ["x", "theta", "dot_x", "dot_theta"];
    let rates = Linear::continuous(&sim, &names).expect("a system");
    // x' = cos θ φ', x'' = −sin θ θ' φ' + cos θ u/(m + i), and δx'' = −sin θ φ' δθ' + ...
    let expected = dmatrix![
        0.0, 0.0, 1.0, 0.0;
        0.0, 0.0, 0.0, 1.0;
        0.0, 0.0, 0.0, -theta.sin() * rate;
        0.0, 0.0, 0.0, 0.0
    ];
    let by_inputs = dmatrix![0.0, 0.0; 0.0, 0.0; theta.cos() / 1.5, 0.0; 0.0, 4.0];
    assert!((&rates.a - expected).norm() < 1e-9, "{}", rates.a);
    assert!((&rates.b - by_inputs).norm() < 1e-9, "{}", rates.b);
}

/// By hand: displacements η of a pose in its own frame have the rates δξ − [ξ, η].
#[test]
fn a_pose_has_the_rates_of_its_displacements() {
    let (omega, v) = (0.7, 0.6);
    let start = [0.1, 0.4, 0.3, -0.2];
    let mut sim =
        Simulation::new(systems::posed_disk(), Rdp, start, [v, omega, v, 0.0], 0.05).expect("a start");
    sim.step_with(&[0.0, 0.0]).expect("a step");
    let rates = Linear::continuous(&sim, &["omega", "v", "across", "dot_omega", "dot_v"]).expect("a system");
    let expected = dmatrix![
        0.0, 0.0, 0.0, 1.0, 0.0;
        0.0, 0.0, omega, 0.0, 1.0;
        v, -omega, 0.0, 0.0, 0.0;
        0.0, 0.0, 0.0, 0.0, 0.0;
        0.0, 0.0, 0.0, 0.0, 0.0
    ];
    let by_inputs = dmatrix![0.0, 0.0; 0.0, 0.0; 0.0, 0.0; 0.0, 4.0; 1.0 / 1.5, 0.0];
    assert!((&rates.a - expected).norm() < 1e-9, "{}", rates.a);
    assert!((&rates.b - by_inputs).norm() < 1e-9, "{}", rates.b);
}

/// A cart on a spring, which a motor with an inductance drives.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x),
    states(current),
    inputs(voltage),
    lagrangian = m/2*dot(x)^2 - c/2*x^2,
    constraints(),
    force = k*current*dx,
    dynamics(dot(current) = (voltage - r*current - k*dot(x))/l),
    methods(Dla2 + derivatives),
)]
struct Motor {
    m: f64,
    c: f64,
    k: f64,
    r: f64,
    l: f64,
}

/// By hand: a linear system with an auxiliary state, by the method of order 2.
#[test]
fn auxiliary_states_are_entries() {
    let motor = Motor { m: 1.3, c: 2.0, k: 0.6, r: 0.9, l: 0.25 };
    let Motor { m, c, k, r, l } = motor;
    let mut sim = Simulation::new(motor, Dla2, [0.2], [0.1], 0.01).expect("a start");
    sim.step_with(&[0.5]).expect("a step");
    let rates = Linear::continuous(&sim, &["x", "current", "dot_x"]).expect("a system");
    let expected = dmatrix![0.0, 0.0, 1.0; 0.0, -r / l, -k / l; -c / m, k / m, 0.0];
    let by_inputs = dmatrix![0.0; 1.0 / l; 0.0];
    assert!((&rates.a - expected).norm() < 1e-9, "{}", rates.a);
    assert!((&rates.b - by_inputs).norm() < 1e-9, "{}", rates.b);
}
