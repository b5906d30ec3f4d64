//! Position constraints, alone and together with one-forms: what is kept, and that multipliers are forces.

use nhi_runtime::prelude::*;
use nhi_runtime::{Error, Method};

const GRAVITY: f64 = 9.81;

/// A point of unit mass on a sphere of unit radius.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = (dot(x)^2 + dot(y)^2 + dot(z)^2)/2 - g*z,
    holonomic(rod: x^2 + y^2 + z^2 - 1 = 0),
    methods(DlaRattle, Rattle, Rk4),
)]
struct Pendulum {
    g: f64,
}

const PENDULUM: Pendulum = Pendulum { g: GRAVITY };
const START: ([f64; 3], [f64; 3]) = ([0.6, 0.0, -0.8], [0.4, 1.2, 0.3]);

#[test]
fn a_million_steps_stay_on_the_sphere() {
    let mut sim = Simulation::new(PENDULUM, DlaRattle, START.0, START.1, 0.01).unwrap();
    let (energy, mut largest, mut drift) = (sim.energy(), 0.0_f64, 0.0_f64);
    for _ in 0..10_000 {
        sim.advance(100).unwrap();
        largest = largest.max(sim.position_residual().as_ref()[0].abs()).max(sim.residual()[0].abs());
        drift = drift.max((sim.energy() - energy).abs());
    }
    assert!(largest < 1e-12, "{largest}");
    assert!(drift < 2e-3 * energy.abs(), "{drift}");

    let mut drifting = Simulation::new(PENDULUM, Rk4, START.0, START.1, 0.01).unwrap();
    drifting.advance(10_000).unwrap();
    assert!(drifting.position_residual().as_ref()[0].abs() > 1e-9);
}

/// The rod pulls with T = v² − g z.
#[test]
fn multipliers_are_forces() {
    let tension = |q: [f64; 3], v: [f64; 3]| v.iter().map(|v| v * v).sum::<f64>() - GRAVITY * q[2];
    let error = |h: f64| {
        let mut sim = Simulation::new(PENDULUM, DlaRattle, START.0, START.1, h).unwrap();
        let mut largest = 0.0_f64;
        for _ in 0..(2.0 / h) as usize {
            sim.step().unwrap();
            // G = 2 q, and the multiplier is the reaction with which the step arrives, of order 1 there.
            largest = largest.max((-2.0 * sim.multipliers()[0] - tension(sim.q(), sim.v())).abs());
        }
        let (_, lambda) = sim.acceleration().unwrap();
        assert!((-2.0 * lambda[0] - tension(sim.q(), sim.v())).abs() < 1e-12);
        largest
    };
    let errors = [error(0.01), error(0.005)];
    assert!(errors[0] < 0.2 && (1.8..2.2).contains(&(errors[0] / errors[1])), "{errors:?}");
}

#[test]
fn starts_off_the_constraint_are_refused_and_projected() {
    let off = [0.6, 0.0, -0.8001];
    match Simulation::new(PENDULUM, DlaRattle, off, START.1, 0.01).map(|_| ()) {
        Err(Error::Position { name: "rod", residual }) => assert!((residual - 1.6001e-4).abs() < 1e-9),
        other => panic!("{other:?}"),
    }
    match Simulation::new(PENDULUM, DlaRattle, START.0, [0.0, 0.0, 1.0], 0.01).map(|_| ()) {
        Err(Error::Constraint { name: "rod", residual }) => assert!((residual + 1.6).abs() < 1e-12),
        other => panic!("{other:?}"),
    }
    let sim = Simulation::project(PENDULUM, DlaRattle, [1.2, 0.0, -1.6], [0.0, 1.0, 1.0], 0.01).unwrap();
    let q = sim.q();
    assert!((q[0] - 0.6).abs() < 1e-15 && (q[2] + 0.8).abs() < 1e-15, "{q:?}");
    assert!(sim.position_residual().as_ref()[0].abs() < 1e-15 && sim.residual()[0].abs() < 1e-15);
    // There is no direction towards the sphere in its centre.
    let centre = Simulation::project(PENDULUM, DlaRattle, [0.0; 3], [0.0; 3], 0.01).map(|_| ());
    assert!(matches!(centre, Err(Error::Projection { .. })), "{centre:?}");
}

#[test]
fn compositions_are_of_their_order() {
    let at = |h: f64| {
        let mut sim = Simulation::new(PENDULUM, Compose::suzuki4(DlaRattle), START.0, START.1, h).unwrap();
        sim.advance((1.0 / h).round() as u64).unwrap();
        sim.q()
    };
    let reference = at(1.0 / 512.0);
    let error = |h: f64| at(h).iter().zip(reference).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    let order = (error(1.0 / 16.0) / error(1.0 / 32.0)).log2();
    assert!((order - 4.0).abs() < 0.2, "{order}");
}

/// A wheel that is guided along a circular track and driven by a torque at its axle.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, heading, phi),
    inputs(torque),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + i/2*dot(heading)^2 + j/2*dot(phi)^2,
    constraints(rolling: cos(heading)*dx + sin(heading)*dy - r*dphi = 0),
    holonomic(track: x^2 + y^2 - radius^2, along: x*cos(heading) + y*sin(heading)),
    force = torque*dphi,
    methods(DlaRattle, Rattle, RattleRestarted),
)]
struct Wheel {
    m: f64,
    i: f64,
    j: f64,
    r: f64,
    radius: f64,
}

/// It accelerates uniformly: (j + m r² + i r²/R²) φ̈ = τ.
#[test]
fn wheel_on_a_circular_track() {
    let wheel = Wheel { m: 2.0, i: 0.3, j: 0.1, r: 0.25, radius: 3.0 };
    let inertia = wheel.j + wheel.r.powi(2) * (wheel.m + wheel.i / wheel.radius.powi(2));
    let (torque, speed, steps, h) = (0.2, 2.0, 200, 0.01);
    let (q, v) = (
        [wheel.radius, 0.0, std::f64::consts::FRAC_PI_2, 0.0],
        [0.0, speed * wheel.r, speed * wheel.r / wheel.radius, speed],
    );
    fn end<M: Method<Wheel>>(
        wheel: &Wheel,
        method: M,
        q: [f64; 4],
        v: [f64; 4],
        torque: f64,
        steps: u64,
        h: f64,
    ) -> [f64; 2] {
        let mut sim = Simulation::with_inputs(wheel.clone(), method, q, v, &[torque], h).unwrap();
        sim.advance(steps).unwrap();
        let g = sim.position_residual();
        assert!(g.as_ref().iter().all(|g| g.abs() < 1e-14), "{:?}", g.as_ref());
        assert!(sim.residual().iter().all(|r| r.abs() < 1e-14), "{:?}", sim.residual());
        [sim.q()[3], sim.v()[3]]
    }
    let t = steps as f64 * h;
    let exact = [speed * t + torque / inertia * t * t / 2.0, speed + torque / inertia * t];
    for found in [
        end(&wheel, DlaRattle, q, v, torque, steps, h),
        end(&wheel, Rattle, q, v, torque, steps, h),
        end(&wheel, RattleRestarted, q, v, torque, steps, h),
    ] {
        assert!(
            (found[0] - exact[0]).abs() < 2e-5 && (found[1] - exact[1]).abs() < 2e-5,
            "{found:?} {exact:?}"
        );
    }
}

/// A disc that rolls and tilts; the height of its centre is a position constraint.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, z, psi, theta, phi),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2) + a/2*(dot(theta)^2 + (dot(psi)*cos(theta))^2)
        + c/2*(dot(phi) + dot(psi)*sin(theta))^2 - m*g*z,
    constraints(
        along: d(x + r*sin(theta)*sin(psi)) - r*cos(psi)*dphi,
        across: d(y - r*sin(theta)*cos(psi)) - r*sin(psi)*dphi,
    ),
    holonomic(height: z - r*cos(theta)),
    methods(DlaRattle, Rattle),
)]
struct DiscOnPosition {
    m: f64,
    a: f64,
    c: f64,
    r: f64,
    g: f64,
}

/// The same with the height as a one-form.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, z, psi, theta, phi),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2) + a/2*(dot(theta)^2 + (dot(psi)*cos(theta))^2)
        + c/2*(dot(phi) + dot(psi)*sin(theta))^2 - m*g*z,
    constraints(
        along: d(x + r*sin(theta)*sin(psi)) - r*cos(psi)*dphi,
        across: d(y - r*sin(theta)*cos(psi)) - r*sin(psi)*dphi,
        height: d(z - r*cos(theta)),
    ),
    methods(DlaRattle),
)]
struct DiscOnVelocity {
    m: f64,
    a: f64,
    c: f64,
    r: f64,
    g: f64,
}

#[test]
fn tilting_disc_by_position_and_by_velocity() {
    let disc = DiscOnPosition { m: 1.0, a: 0.1, c: 0.2, r: 0.6, g: GRAVITY };
    let same = DiscOnVelocity { m: 1.0, a: 0.1, c: 0.2, r: 0.6, g: GRAVITY };
    let q = [0.0, 0.0, 0.6 * 0.2_f64.cos(), 0.1, 0.2, 0.0];
    let v = [0.0, 0.0, 0.0, 0.5, 0.1, 6.0];
    let difference = |h: f64| {
        let mut by_position = Simulation::project(disc.clone(), DlaRattle, q, v, h).unwrap();
        let mut by_velocity = Simulation::project(same.clone(), DlaRattle, q, v, h).unwrap();
        let steps = (1.0 / h).round() as u64;
        by_position.advance(steps).unwrap();
        by_velocity.advance(steps).unwrap();
        assert!(by_position.position_residual().as_ref()[0].abs() < 1e-14);
        let (p, q) = (by_position.q(), by_velocity.q());
        p.iter().zip(q).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()))
    };
    let differences = [0.01, 0.005, 0.0025].map(difference);
    let orders = [0, 1].map(|i| (differences[i] / differences[i + 1]).log2());
    assert!(
        differences[0] < 1e-2 && orders.iter().all(|o| (o - 2.0).abs() < 0.2),
        "{differences:?} {orders:?}"
    );
}

/// Two discs on a common axle: the difference of their angles is the heading, as a position constraint.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, theta, left, right),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + i/2*dot(theta)^2 + j/2*(dot(left)^2 + dot(right)^2) - m*g*x*s,
    constraints(
        side: sin(theta)*dx - cos(theta)*dy,
        roll: cos(theta)*dx + sin(theta)*dy - r/2*(dleft + dright),
    ),
    holonomic(axle: r*(right - left) - 2*b*theta),
    methods(DlaRattle, Rattle),
)]
struct Axle {
    m: f64,
    i: f64,
    j: f64,
    r: f64,
    b: f64,
    g: f64,
    s: f64,
}

/// Its centre moves as a skate on an inclined plane with effective masses, which turns uniformly: a cycloid.
#[test]
fn two_discs_on_a_common_axle() {
    let axle = Axle { m: 2.0, i: 0.4, j: 0.1, r: 0.3, b: 0.5, g: GRAVITY, s: 0.1 };
    let (omega, h) = (1.3, 0.002);
    let spin = axle.b * omega / axle.r;
    let (q, v) = ([0.0; 5], [0.0, 0.0, omega, -spin, spin]);
    let mut sim = Simulation::new(axle.clone(), DlaRattle, q, v, h).unwrap();
    sim.advance(1000).unwrap();
    let t = sim.time();
    // (m + 2 j/r²) u' = −m g s cos θ along the heading θ = ω t.
    let k = -axle.m * axle.g * axle.s / (axle.m + 2.0 * axle.j / axle.r.powi(2));
    let x = k / (2.0 * omega.powi(2)) * (omega * t).sin().powi(2);
    let y = k / (2.0 * omega.powi(2)) * (omega * t - 0.5 * (2.0 * omega * t).sin());
    let found = sim.q();
    assert!((found[2] - omega * t).abs() < 1e-11, "{found:?}");
    assert!((found[0] - x).abs() < 1e-5 && (found[1] - y).abs() < 1e-5, "{found:?} {x} {y}");
    assert!(sim.position_residual().as_ref()[0].abs() < 1e-14);
}
