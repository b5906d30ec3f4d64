//! Constraints that time and inputs drive, against closed forms, and the balance of power.

use nhi_runtime::prelude::*;
use nhi_runtime::{Error, Mechanics, Method, System};
use std::f64::consts::TAU;

/// A wheel that rolls on a belt with the velocity b cos(w t).
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, phi),
    lagrangian = m/2*dot(x)^2 + j/2*dot(phi)^2,
    constraints(rolling: dx - r*dphi - b*cos(w*t)*dt = 0),
    methods(Dla2, DlaRattle, Rdp, Rattle, RattleRestarted, Rk4),
)]
struct OnBelt {
    m: f64,
    j: f64,
    r: f64,
    b: f64,
    w: f64,
}

const BELT: OnBelt = OnBelt { m: 2.0, j: 0.3, r: 0.4, b: 1.5, w: 3.0 };

impl OnBelt {
    /// (x, φ̇) at time t from rest at x = 0: m ẋ + J/r φ̇ stays m b, and ẋ = r φ̇ + b cos(w t).
    fn exact(&self, t: f64) -> [f64; 2] {
        let total = self.m * self.b;
        let rate = |belt: f64| (total - self.m * belt) / (self.m * self.r + self.j / self.r);
        let phi = rate(self.b * (self.w * t).cos());
        // ∫ (r φ̇ + b cos(w t)) dt
        let belt = self.b * (self.w * t).sin() / self.w;
        let turned = (total * t - self.m * belt) / (self.m * self.r + self.j / self.r);
        [self.r * turned + belt, phi]
    }
}

#[test]
fn a_wheel_on_a_belt_follows_its_closed_form() {
    fn errors<M: Method<OnBelt> + Copy>(method: M, steps: u64) -> [f64; 2] {
        let h = 2.0 / steps as f64;
        let mut sim = Simulation::new(BELT, method, [0.0, 0.0], [BELT.b, 0.0], h).unwrap();
        sim.advance(steps).unwrap();
        let [x, rate] = BELT.exact(sim.time());
        assert!(sim.residual()[0].abs() < 1e-4);
        [(sim.q()[0] - x).abs(), (sim.v()[1] - rate).abs()]
    }
    // Momentum and constraint determine the velocity: discrete ones hold to rounding.
    for [coarse, fine] in [
        [100, 200].map(|n| errors(Dla2, n)),
        [100, 200].map(|n| errors(DlaRattle, n)),
        [100, 200].map(|n| errors(RattleRestarted, n)),
    ] {
        assert!(coarse[1] < 1e-12 && fine[1] < 1e-12, "{coarse:?} {fine:?}");
        let order = (coarse[0] / fine[0]).log2();
        assert!((order - 2.0).abs() < 0.05, "{order}");
    }
    let [coarse, fine] = [50, 100].map(|n| errors(Rk4, n));
    assert!(((coarse[0] / fine[0]).log2() - 4.0).abs() < 0.1, "{coarse:?} {fine:?}");
}

/// A homogeneous ball on a turntable with the angular velocity c + a sin(w t).
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y),
    group = SO3(R; w1, w2, w3),
    let(omega = R*[w1, w2, w3], turning = c + a*sin(w*t)),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + i/2*(w1^2 + w2^2 + w3^2),
    constraints(
        along_x: dot(x) - r*omega[1] + turning*y = 0,
        along_y: dot(y) + r*omega[0] - turning*x = 0,
    ),
    methods(Rdp, Rkmk4),
)]
struct OnTurntable {
    m: f64,
    i: f64,
    r: f64,
    c: f64,
    a: f64,
    w: f64,
}

/// Steps that are repeated with a test after each are not fused.
#[test]
fn energy_from_a_drive_is_no_reason_to_repeat_steps() {
    #[cfg(not(target_arch = "x86_64"))]
    let has_fused = cfg!(target_arch = "aarch64");
    #[cfg(target_arch = "x86_64")]
    let has_fused = std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma");
    // The slowest motion that the belt admits, at first and so at all times. It nearly rests when the belt does.
    let OnBelt { m, j, r, b, w } = BELT;
    let rate = -m * b * r / (m * r * r + j);
    let mut start = Simulation::new(BELT, Dla2, [0.0, 0.0], [r * rate + b, rate], 0.01).unwrap();
    start.advance((TAU / (4.0 * w) / 0.01) as u64).unwrap();
    let (mut separate, mut fused) = (start.clone(), start.clone());
    separate.advance(50).unwrap();
    fused.advance_fused(50).unwrap();
    assert!(fused.energy() > 100.0 * start.energy());
    assert_eq!(separate.state() != fused.state(), has_fused);
}

/// With k = 1 + m r²/i, ż = i Ω(t)/k z from a start with this velocity: the centre moves on a circle.
#[test]
fn a_ball_on_a_turntable_with_varying_speed_moves_on_a_circle() {
    let table = OnTurntable { m: 1.0, i: 0.4 * 0.25, r: 0.5, c: 2.0, a: 1.2, w: 3.0 };
    let k = 1.0 + table.m * table.r * table.r / table.i;
    let angle = |t: f64| (table.c * t + table.a / table.w * (1.0 - (table.w * t).cos())) / k;
    let rotation = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let speed = table.c / k;
    // r ω₁ = ẋ + Ω y and −r ω₀ = ẏ − Ω x at (x, y) = (1, 0).
    let v = [0.0, speed, (table.c - speed) / table.r, 0.0, 0.7];
    let error = |steps: u64| {
        let h = 3.0 / steps as f64;
        let q = ([1.0, 0.0], nhi_runtime::group::SO3(rotation));
        let mut sim = Simulation::new(table.clone(), Rdp, q, v, h).unwrap();
        sim.advance(steps).unwrap();
        let phi = angle(3.0);
        (sim.q()[0] - phi.cos()).hypot(sim.q()[1] - phi.sin())
    };
    let (coarse, fine) = (error(200), error(400));
    assert!(fine < 1e-4 && ((coarse / fine).log2() - 2.0).abs() < 0.05, "{coarse} {fine}");
}

/// A robot with two driven wheels, a distance `track` apart, and a castor that swivels freely. Its inputs are the angular
/// velocities of the wheels; the multipliers are the torques of the motors.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, th, left, right, swivel),
    inputs(speed_left, speed_right),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + i/2*dot(th)^2 + j/2*(dot(left)^2 + dot(right)^2) + c/2*dot(swivel)^2,
    constraints(
        side: sin(th)*dx - cos(th)*dy = 0,
        forward: cos(th)*dx + sin(th)*dy - r/2*(dleft + dright) = 0,
        turn: dth - r/track*(dright - dleft) = 0,
        left_motor: dot(left) - speed_left = 0,
        right_motor: dot(right) - speed_right = 0,
    ),
)]
struct DifferentialDrive {
    m: f64,
    i: f64,
    j: f64,
    c: f64,
    r: f64,
    track: f64,
}

const ROBOT: DifferentialDrive = DifferentialDrive { m: 5.0, i: 0.4, j: 0.02, c: 0.01, r: 0.1, track: 0.5 };

/// Velocities that belong to wheel speeds at heading `th`.
fn rolling(th: f64, [left, right]: [f64; 2]) -> [f64; 6] {
    let (v, w) = (ROBOT.r / 2.0 * (left + right), ROBOT.r / ROBOT.track * (right - left));
    [v * th.cos(), v * th.sin(), w, left, right, 0.3]
}

#[test]
fn a_differential_drive_follows_its_wheel_speeds() {
    let speeds = [4.0, 6.0];
    let (v, w) = (0.5, 0.4);
    let error = |h: f64| {
        let start = rolling(0.0, speeds);
        let mut sim = Simulation::with_inputs(ROBOT, Dla2, [0.0; 6], start, &speeds, h).unwrap();
        sim.advance((5.0 / h).round() as u64).unwrap();
        assert!(sim.residual().iter().all(|r| r.abs() < 1e-12), "{:?}", sim.residual());
        // A circle of radius v/w, without any torque.
        assert!(sim.multipliers()[3].abs() < 0.06 && sim.constraint_power().abs() < 0.1);
        let [x, y, th, ..] = sim.q();
        assert!((th - w * 5.0).abs() < 1e-12);
        (x - v / w * (w * 5.0).sin()).hypot(y - v / w * (1.0 - (w * 5.0).cos()))
    };
    let (coarse, fine) = (error(0.05), error(0.025));
    assert!(fine < 1e-3 && ((coarse / fine).log2() - 2.0).abs() < 0.05, "{coarse} {fine}");
}

#[test]
fn multipliers_of_driven_wheels_are_the_torques_of_their_motors() {
    // Straight ahead with the angular acceleration α: each motor has (J + m r²/2) α.
    let (alpha, h) = (2.0, 0.01);
    let mut sim = Simulation::with_inputs(ROBOT, Dla2, [0.0; 6], [0.0; 6], &[0.0; 2], h).unwrap();
    for k in 0..100 {
        let speed = alpha * h * f64::from(k + 1);
        sim.step_with(&[speed, speed]).unwrap();
    }
    let torque = (ROBOT.j + ROBOT.m * ROBOT.r.powi(2) / 2.0) * alpha;
    let [.., left, right] = sim.multipliers();
    assert!((left - torque).abs() < 1e-12 && (right - torque).abs() < 1e-12, "{left} {right} {torque}");
    assert!((sim.constraint_power() - 2.0 * torque * alpha).abs() < 1e-12);
    assert!((sim.q()[0] - ROBOT.r * alpha / 2.0).abs() < 1e-12);
}

#[test]
fn starts_are_checked_with_the_inputs_and_failures_keep_the_state() {
    let start = rolling(0.0, [4.0, 6.0]);
    match Simulation::new(ROBOT, Dla2, [0.0; 6], start, 0.01).map(|_| ()) {
        Err(Error::Constraint { name: "left_motor", residual }) => assert_eq!(residual, 4.0),
        other => panic!("{other:?}"),
    }
    let mut sim = Simulation::with_inputs(ROBOT, Dla2, [0.0; 6], start, &[4.0, 6.0], 0.01).unwrap();
    let before = (sim.q(), sim.v(), sim.time());
    assert!(matches!(sim.step_with(&[f64::NAN, 0.0]), Err(Error::NonFinite { .. })));
    assert_eq!(before, (sim.q(), sim.v(), sim.time()));
}

/// A sleigh on a moving floor, with a skate, a thruster and air resistance.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(theta, x, y),
    lagrangian = j/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2) - k/2*x^2,
    constraints(blade: a*dtheta + sin(theta)*(dx - sin(3*t)*dt) - cos(theta)*(dy - y*cos(t)*dt) = 0),
    force = cos(2*t)*dtheta - c*dot(x)*dx - c*dot(y)*dy,
    methods(Dla2, DlaRattle, Rk4),
)]
struct OnFloor {
    j: f64,
    m: f64,
    a: f64,
    k: f64,
    c: f64,
}

const FLOOR: OnFloor = OnFloor { j: 0.5, m: 1.2, a: 0.3, k: 0.4, c: 0.1 };

/// The change of the energy less the work of forces and drive, by the trapezoidal rule, after a time of 2.
fn imbalance<M: Method<OnFloor>>(method: M, steps: u64) -> f64 {
    let h = 2.0 / steps as f64;
    let mut sim = Simulation::project(FLOOR, method, [0.3, 0.2, -0.1], [0.4, 0.6, 0.2], h).unwrap();
    let power = |sim: &Simulation<OnFloor, M>| {
        let (v, t) = (sim.v(), sim.time());
        let force = (2.0 * t).cos() * v[0] - FLOOR.c * (v[1] * v[1] + v[2] * v[2]);
        let (_, lambda) = sim.acceleration().unwrap();
        let reaction = FLOOR.reaction(sim.q(), lambda, t);
        force + reaction.iter().zip(v).map(|(r, v)| r * v).sum::<f64>()
    };
    let (before, mut work) = (sim.energy(), 0.0);
    let mut last = power(&sim);
    for _ in 0..steps {
        sim.step().unwrap();
        let now = power(&sim);
        work += h / 2.0 * (last + now);
        last = now;
    }
    assert!((sim.energy() - before).abs() > 0.1);
    (sim.energy() - before - work).abs()
}

#[test]
fn energy_changes_by_the_work_of_forces_and_drives() {
    for [coarse, fine] in
        [[100, 200].map(|n| imbalance(Dla2, n)), [100, 200].map(|n| imbalance(DlaRattle, n))]
    {
        assert!(fine < 1e-3 && ((coarse / fine).log2() - 2.0).abs() < 0.1, "{coarse} {fine}");
    }
}

/// The energy that motors put in, from multipliers that are means over steps.
#[test]
fn energy_changes_by_the_work_of_motors() {
    let speeds = |t: f64| [3.0 + (2.0 * t).sin(), 3.0 - (TAU * t).sin()];
    let imbalance = |steps: u64| {
        let h = 1.0 / steps as f64;
        let (start, first) = (rolling(0.0, speeds(0.0)), speeds(0.0));
        let mut sim = Simulation::with_inputs(ROBOT, Dla2, [0.0; 6], start, &first, h).unwrap();
        let (before, mut work) = (sim.energy(), 0.0);
        for k in 1..=steps {
            let last = sim.inputs();
            sim.step_with(&speeds(k as f64 * h)).unwrap();
            // μ₀ is −(speed), so the power of a motor is its torque times its speed.
            let [.., left, right] = sim.multipliers();
            let now = sim.inputs();
            work += h / 2.0 * (left * (last[0] + now[0]) + right * (last[1] + now[1]));
            let power = left * now[0] + right * now[1];
            assert!((sim.constraint_power() - power).abs() < 1e-11, "{} {power}", sim.constraint_power());
        }
        assert!((sim.energy() - before).abs() > 0.05);
        (sim.energy() - before - work).abs()
    };
    let (coarse, fine) = (imbalance(100), imbalance(200));
    assert!(fine < 1e-3 && ((coarse / fine).log2() - 2.0).abs() < 0.1, "{coarse} {fine}");
    assert_eq!(DifferentialDrive::INPUTS, ["speed_left", "speed_right"]);
}

/// A knife edge without a mass of its own, which is turned at a constant rate.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2),
    constraints(blade: sin(w*t)*dx - cos(w*t)*dy),
    methods(Dla2, DlaRattle, Rk4),
)]
struct TurnedEdge {
    m: f64,
    w: f64,
}

/// It keeps its speed, and goes round a circle.
#[test]
fn a_knife_edge_that_is_turned_goes_round_a_circle() {
    fn error<M: Method<TurnedEdge> + Copy>(method: M, steps: u64) -> f64 {
        let (w, s, end) = (1.3, 0.7, 4.0);
        let mut sim =
            Simulation::new(TurnedEdge { m: 2.0, w }, method, [0.0; 2], [s, 0.0], end / steps as f64)
                .unwrap();
        sim.advance(steps).unwrap();
        let (sin, cos) = (w * end).sin_cos();
        let exact = [s / w * sin, s / w * (1.0 - cos)];
        (sim.q()[0] - exact[0]).hypot(sim.q()[1] - exact[1])
    }
    for (order, [coarse, fine]) in [
        (2.0, [100, 200].map(|n| error(Dla2, n))),
        (2.0, [100, 200].map(|n| error(DlaRattle, n))),
        (4.0, [100, 200].map(|n| error(Rk4, n))),
    ] {
        assert!(((coarse / fine).log2() - order).abs() < 0.1, "{order}: {coarse:e} {fine:e}");
    }
}
