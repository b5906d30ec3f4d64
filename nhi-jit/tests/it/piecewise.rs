//! Piecewise functions in forces, potentials and rates: motions with known solutions, with the same bits in all executors.

use crate::sharp::run_of;
use nhi_methods::Method as Id;
use nhi_runtime::Error;
use nhi_runtime::prelude::*;

/// A block that dry friction stops.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x),
    lagrangian = m/2*dot(x)^2,
    constraints(),
    force = -f*sign(dot(x))*dx,
    methods(Dla1Adjoint, Dla2)
)]
struct Block {
    m: f64,
    f: f64,
}

/// A wheel that rolls up a slope, with a moment that resists the rolling.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, phi),
    lagrangian = m/2*dot(x)^2 + inertia/2*dot(phi)^2 - m*g*sin(alpha)*x,
    constraints(roll: dx - radius*dphi),
    force = -moment*sign(dot(phi))*dphi,
    methods(Dla1Adjoint)
)]
struct Wheel {
    m: f64,
    inertia: f64,
    g: f64,
    alpha: f64,
    radius: f64,
    moment: f64,
}

/// A disc between two cushions.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x),
    lagrangian = m/2*dot(x)^2 - k/2*max(0, x - wall)^2 - k/2*max(0, -wall - x)^2,
    constraints(),
    methods(Dla2, DlaRattle)
)]
struct Cushions {
    m: f64,
    k: f64,
    wall: f64,
}

/// A flywheel on a motor with a characteristic.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(phi),
    lagrangian = inertia/2*dot(phi)^2,
    constraints(),
    force = table(dot(phi), speed, torque)*dphi,
    methods(Dla2)
)]
struct Motor {
    inertia: f64,
    speed: [f64; 3],
    torque: [f64; 3],
}

fn last(velocities: &[Vec<f64>]) -> &[f64] {
    velocities.last().expect("steps")
}

#[test]
fn dry_friction_stops_a_block_which_stays() {
    let (m, f, h) = (2.0, 3.0, 0.01);
    let parameters = [m, f];
    // It stops after 0.668 at a distance of 0.334.
    let start = ([0.0], [1.00137]);
    let source = include_str!("piecewise.rs");
    let slow =
        run_of(source, (Block { m, f }, Dla1Adjoint), Id::Dla1Adjoint.into(), &parameters, start, (h, 200));
    let fast = run_of(source, (Block { m, f }, Dla2), Id::Dla2.into(), &parameters, start, (h, 200));
    for velocities in [&slow, &fast] {
        for (k, v) in velocities.iter().enumerate().take(66) {
            let t = h * (k + 1) as f64;
            assert!((v[0] - (start.1[0] - f / m * t)).abs() < 1e-12, "{k}: {v:?}");
        }
        assert!(velocities[70..].iter().all(|v| v[0].abs() < 1e-13), "{:?}", &velocities[60..]);
    }
}

#[test]
fn rolling_resistance_holds_a_wheel_on_a_slope() {
    let (m, inertia, g, alpha, radius, moment) = (2.0, 0.3, 9.81, 0.05, 0.4, 0.5_f64);
    let system = Wheel { m, inertia, g, alpha, radius, moment };
    let parameters = [m, inertia, g, alpha, radius, moment];
    let resistance = moment / radius;
    assert!(resistance > m * g * alpha.sin());
    let deceleration = (m * g * alpha.sin() + resistance) / (m + inertia / (radius * radius));
    let (v, h) = (1.0, 1e-3);
    let start = ([0.0, 0.0], [v, v / radius]);
    let source = include_str!("piecewise.rs");
    let velocities =
        run_of(source, (system, Dla1Adjoint), Id::Dla1Adjoint.into(), &parameters, start, (h, 4000));
    let end = v / deceleration;
    for (k, found) in velocities.iter().enumerate() {
        let t = h * (k + 1) as f64;
        let expected = if t < end { v - deceleration * t } else { 0.0 };
        let bound = if (t - end).abs() < 2.0 * h { deceleration * h } else { 1e-12 };
        assert!((found[0] - expected).abs() < bound, "{t}: {found:?}, not {expected}");
    }
    // To the distance v²/(2a) up to the step size.
    let distance: f64 = velocities.iter().map(|v| h * v[0]).sum();
    assert!((distance - v * v / (2.0 * deceleration)).abs() < v * h);
}

#[test]
fn a_disc_between_cushions_keeps_its_energy_and_its_period() {
    let (m, k, wall, h) = (1.0, 400.0, 1.0, 1e-3);
    let system = Cushions { m, k, wall };
    let period = 2.0 * (2.0 * wall + std::f64::consts::PI / k.sqrt());
    let steps = (10.0 * period / h).round() as u64;
    let source = include_str!("piecewise.rs");
    let parameters = [m, k, wall];
    let start = ([0.0], [1.0]);
    for velocities in [
        run_of(source, (system.clone(), Dla2), Id::Dla2.into(), &parameters, start, (h, steps)),
        run_of(source, (system, DlaRattle), Id::DlaRattle.into(), &parameters, start, (h, steps)),
    ] {
        // Between the cushions the velocity is that of the start, after every reflection.
        let free = velocities.iter().filter(|v| (v[0].abs() - 1.0).abs() < 1e-3).count() as f64;
        assert!((free / steps as f64 - 4.0 * wall / period).abs() < 0.02, "{free} of {steps}");
        assert!((last(&velocities)[0] - 1.0).abs() < 1e-3, "{:?}", last(&velocities));
    }
}

#[test]
fn nodes_of_tables_increase() {
    let system = Motor { inertia: 0.5, speed: [0.0, 20.0, 20.0], torque: [4.0, 3.0, 0.0] };
    let error = Simulation::new(system, Dla2, [0.0], [0.0], 0.01).map(|_| ()).unwrap_err();
    assert_eq!(error, Error::Table { name: "speed[2]", value: 20.0 });
    let told = "the nodes of a table must increase, but `speed[2]` = 20 is not above the one before it";
    assert_eq!(error.to_string(), told);
    let derived = crate::support::derived(include_str!("piecewise.rs"), "Motor");
    let optimised = derived.optimised().expect("finite constants");
    let compiled = nhi_jit::Compiled::new(&optimised, &[Id::Dla2.into()]).expect("Cranelift runs here");
    let parameters = [0.5, 0.0, 20.0, 20.0, 4.0, 3.0, 0.0];
    let error =
        nhi_jit::Simulation::new(&compiled, Id::Dla2.into(), &parameters, &[0.0], &[0.0], 0.01).map(|_| ());
    assert_eq!(error.unwrap_err().to_string(), told);
}

#[test]
fn a_motor_follows_its_characteristic() {
    let (inertia, speed, torque) = (0.5, [0.0, 10.0, 20.0], [4.0, 3.0, 0.0]);
    let system = Motor { inertia, speed, torque };
    let parameters = [&[inertia][..], &speed, &torque].concat();
    let h = 1e-3;
    let source = include_str!("piecewise.rs");
    let velocities = run_of(source, (system, Dla2), Id::Dla2.into(), &parameters, ([0.0], [0.0]), (h, 6000));
    // ω' = a − b ω on each of the two intervals.
    let (a, b) = (torque[0] / inertia, (torque[0] - torque[1]) / (speed[1] * inertia));
    let change = (a / (a - b * speed[1])).ln() / b;
    let slope = torque[1] / ((speed[2] - speed[1]) * inertia);
    for (k, found) in velocities.iter().enumerate() {
        let t = h * (k + 1) as f64;
        let expected = if t < change {
            a / b * (1.0 - (-b * t).exp())
        } else {
            speed[2] - (speed[2] - speed[1]) * (-slope * (t - change)).exp()
        };
        assert!((found[0] - expected).abs() < 2e-6, "{t}: {found:?}, not {expected}");
    }
}
