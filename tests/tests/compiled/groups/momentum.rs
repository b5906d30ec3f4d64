//! Nonholonomic momenta along trajectories, and starts where the one-forms are dependent.

use nhi_runtime::prelude::*;
use nhi_runtime::{Error, Failure, Method, System};
use std::f64::consts::FRAC_PI_2;

/// Board with a rotor and steered wheels.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(psi, phi),
    group = SE2(theta, x, y; omega, v, v_perp),
    lagrangian = m/2*(v^2 + v_perp^2) + m*l^2/2*omega^2 + i*dot(psi)*(dot(psi)/2 + omega) + j*dot(phi)^2,
    constraints(
        back: -l*cos(phi)*omega - sin(phi)*v + cos(phi)*v_perp = 0,
        front: l*cos(phi)*omega + sin(phi)*v + cos(phi)*v_perp = 0,
    ),
    methods(Rdp, Rattle),
)]
struct Snakeboard {
    m: f64,
    l: f64,
    i: f64,
    j: f64,
}

#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    group = SE2(theta, x, y; omega, v, v_perp),
    lagrangian = i/2*omega^2 + m/2*(v^2 + v_perp^2),
    constraints(blade: a*omega - v_perp = 0),
    methods(Rdp, Rattle),
)]
struct Sleigh {
    m: f64,
    i: f64,
    a: f64,
}

/// As many constraints as the pose has dimensions.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(left, right),
    group = SE2(theta, x, y; omega, v, v_perp),
    lagrangian = m/2*(v^2 + v_perp^2 + omega^2 + dot(left)^2 + dot(right)^2),
    constraints(omega - dot(left) + dot(right), v - dot(left) - dot(right), v_perp),
)]
struct Robot {
    m: f64,
}

#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(coordinates(x, y), lagrangian = m/2*(dot(x)^2 + dot(y)^2), constraints(dx - x*dy))]
struct Plane {
    m: f64,
}

const BOARD: Snakeboard = Snakeboard { m: 1.3, l: 0.8, i: 0.5, j: 0.125 };

fn board(phi: f64) -> ([f64; 5], [f64; 5]) {
    let (omega, dphi) = (0.4, 0.6);
    let v = -BOARD.l * omega / phi.tan();
    ([0.3, phi, 0.1, -0.2, 0.5], [1.5, dphi, omega, v, 0.0])
}

/// The largest difference of (J(t + h) − J(t − h))/2h and `rate` at the nodes up to t = 1.
fn defect<S: System + Clone, M: Method<S>, const B: usize>(
    mut simulation: Simulation<S, M>,
    rate: impl Fn(&S::Configuration<f64>, &S::Velocity<f64>, [f64; B]) -> [f64; B],
) -> f64 {
    let momenta = |simulation: &Simulation<S, M>| -> [f64; B] {
        let j: Vec<f64> = simulation.nonholonomic_momentum().collect();
        j.try_into().expect("one number per vector of the basis")
    };
    let (h, mut before, mut worst) = (simulation.h(), momenta(&simulation), 0.0f64);
    simulation.step().unwrap();
    while simulation.time() < 1.0 {
        let j = momenta(&simulation);
        let expected = rate(&simulation.q(), &simulation.v(), j);
        simulation.step().unwrap();
        let after = momenta(&simulation);
        for ((after, before), expected) in after.iter().zip(before).zip(expected) {
            worst = worst.max(((after - before) / (2.0 * h) - expected).abs());
        }
        before = j;
    }
    worst
}

fn assert_second_order(defect: impl Fn(f64) -> f64) {
    let (coarse, fine) = (defect(0.01), defect(0.005));
    let order = (coarse / fine).log2();
    assert!(fine > 1e-10 && (order - 2.0).abs() < 0.1, "{coarse:e}, {fine:e}, order {order}");
}

/// dp₁/dt = 2 I cos²φ φ' ψ' − p₁ tan φ φ', the momentum equation of the snakeboard.
#[test]
fn the_snakeboard_obeys_its_momentum_equation() {
    let (q, v) = board(0.9);
    let rate = |q: &<Snakeboard as System>::Configuration<f64>, v: &[f64; 5], [p]: [f64; 1]| {
        let (cos, tan) = (q[1].cos(), q[1].tan());
        [2.0 * BOARD.i * cos * cos * v[1] * v[0] - p * tan * v[1]]
    };
    assert_second_order(|h| defect(Simulation::new(BOARD, Rdp, q, v, h).unwrap(), rate));
    assert_second_order(|h| defect(Simulation::new(BOARD, Rattle, q, v, h).unwrap(), rate));
}

/// dp₁/dt = −(a/I')p₁p₂ and dp₂/dt = (ma/I'²)p₁² with I' = I + ma².
#[test]
fn the_sleigh_obeys_its_momentum_equations() {
    let sleigh = Sleigh { m: 1.0, i: 0.5, a: 0.2 };
    let inertia = sleigh.i + sleigh.m * sleigh.a * sleigh.a;
    let start = |h| Simulation::new(sleigh.clone(), Rdp, [0.3, 0.0, 0.0], [0.8, 1.2, 0.16], h).unwrap();
    let momenta: Vec<f64> = start(0.01).nonholonomic_momentum().collect();
    for (found, expected) in momenta.iter().zip([inertia * 0.8, 1.2]) {
        assert!((found - expected).abs() < 1e-15, "{momenta:?}");
    }
    assert_second_order(|h| {
        defect(start(h), |_, _, [p1, p2]: [f64; 2]| {
            [-sleigh.a / inertia * p1 * p2, sleigh.m * sleigh.a / (inertia * inertia) * p1 * p1]
        })
    });
}

/// The vectors of the basis are admissible velocities of the pose alone.
#[test]
fn the_basis_at_a_configuration() {
    let (q, _) = board(0.7);
    let (parameters, q) = (BOARD.parameters(), q.into());
    let basis = Snakeboard::momentum_basis(&parameters, &q, 0.0);
    let [e] = basis.as_ref() else { panic!("one vector") };
    let (sin, cos) = 0.7f64.sin_cos();
    for (x, y) in e.iter().zip([0.0, 0.0, 2.0 * sin * cos, -2.0 * BOARD.l * cos * cos, 0.0]) {
        assert!((x - y).abs() < 1e-15, "{e:?}");
    }
    let residual = Snakeboard::residual(&parameters, &q, e, 0.0, &[]);
    assert!(residual.iter().all(|r| r.abs() < 1e-15), "{residual:?}");
    assert!(Robot::momentum_basis(&[1.0], &[0.0; 5].into(), 0.0).as_ref().is_empty());
    assert!(Plane::momentum_basis(&[1.0], &[0.3, 0.0], 0.0).as_ref().is_empty());
    let plane = Simulation::new(Plane { m: 1.0 }, Dla2, [0.3, 0.0], [0.3, 1.0], 0.01).unwrap();
    assert_eq!(plane.nonholonomic_momentum().count(), 0);
}

/// At cos φ = 0 the two one-forms of the snakeboard are one. At the number next to π/2 they differ by their last bits, which
/// determine velocities. A step with one-forms at both of its ends fails there, and says why. The basis is finite and vanishes.
#[test]
fn steps_fail_at_one_forms_that_are_dependent_up_to_rounding() {
    let q = [0.3, FRAC_PI_2, 0.1, -0.2, 0.5];
    let v = [1.0, 0.1, 0.5, 0.2, 0.3];
    let mut simulation = Simulation::project(BOARD, Rdp, q, v, 0.01).unwrap();
    let projected = simulation.v();
    let residual = Snakeboard::residual(&BOARD.parameters(), &q.into(), &projected, 0.0, &[]);
    assert!(residual.iter().all(|r| r.abs() < 1e-15), "{residual:?}");
    let error = simulation.step().unwrap_err();
    assert!(matches!(error, Error::Step { step: 1, cause: Failure::NearlySingular { .. }, .. }), "{error}");
    assert_eq!(simulation.q(), q.into());
    // One-forms at nodes alone do not turn within a step.
    let mut simulation = Simulation::new(BOARD, Rattle, q, projected, 0.01).unwrap();
    let energy = simulation.energy();
    simulation.step().unwrap();
    assert!((simulation.energy() / energy - 1.0).abs() < 1e-2, "{} {energy}", simulation.energy());
    let basis = Snakeboard::momentum_basis(&BOARD.parameters(), &q.into(), 0.0);
    assert!(basis.as_ref()[0].iter().all(|e| e.abs() < 1e-15), "{:?}", basis.as_ref());
}

/// A step that ends at cos φ = 0 has the velocity of the limit, in which the board turns no more. The next one fails.
#[test]
fn steps_end_at_dependent_one_forms() {
    let (q, mut v) = board(1.5);
    v[1] = 1.0;
    let mut simulation = Simulation::new(BOARD, Rdp, q, v, FRAC_PI_2 - 1.5).unwrap();
    let energy = simulation.energy();
    simulation.step().unwrap();
    let v = simulation.v();
    assert!((simulation.energy() / energy - 1.0).abs() < 1e-3, "{} {energy}", simulation.energy());
    assert!(v[3].abs() < 1e-12 && v[4].abs() < 1e-12, "{v:?}");
    let (q, error) = (simulation.q(), simulation.step().unwrap_err());
    assert!(matches!(error, Error::Step { step: 2, cause: Failure::NearlySingular { .. }, .. }), "{error}");
    assert_eq!(simulation.q(), q);
}
