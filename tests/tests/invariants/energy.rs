//! Energy over long runs: bounded, without drift, where a method is symmetric and free of parasites.

use crate::{instance, start};

/// Largest relative energy errors in the first and in the second half of a run.
fn energy_errors(name: &str, id: &str, span: f64, h: f64) -> [f64; 2] {
    let instance = instance(name);
    let mut trajectory = start(&*instance, id, h);
    let energy = trajectory.energy();
    let half = (span / h / 2.0).round() as usize;
    [half, half].map(|steps| {
        let mut worst: f64 = 0.0;
        for _ in 0..steps {
            trajectory.step().unwrap();
            worst = worst.max((trajectory.energy() - energy).abs());
        }
        worst
    })
}

/// (model, time, step size, bounds of `dla2`, `dla2_midpoint` and `dla_rattle`): errors measured by an
/// independent implementation, to two digits, hence the margin below.
const BOUNDED: [(&str, f64, f64, [f64; 3]); 6] = [
    ("contact_oscillator", 200.0, 0.1, [1.4e-3, 7.6e-4, 1.1e-3]),
    ("nh_particle_harmonic", 200.0, 0.1, [2.4e-3, 6.5e-4, 1.9e-3]),
    ("knife_incline", 40.0, 0.02, [2.2e-3, 2.2e-3, 2.2e-3]),
    ("sleigh_contact", 200.0, 0.05, [3.0e-4, 3.0e-4, 1.2e-4]),
    ("sleigh_moving_mass", 200.0, 0.05, [5.8e-4, 3.3e-4, 1.8e-4]),
    ("euler_disk", 40.0, 0.01, [2.5e-4, 2.2e-4, 1.1e-4]),
];
const MARGIN: f64 = 1.1;

#[test]
fn dla_methods_have_bounded_energy_errors() {
    for (name, span, h, bounds) in BOUNDED {
        for (id, bound) in ["dla2", "dla2_midpoint", "dla_rattle"].into_iter().zip(bounds) {
            let [first, second] = energy_errors(name, id, span, h);
            assert!(first < MARGIN * bound && second < MARGIN * bound, "{name} {id}: {first:e}, {second:e}");
            // The bound is what was measured, not merely something large.
            assert!(first > bound / 2.0, "{name} {id}: {first:e}");
        }
    }
}

/// On the chaotic system the error walks at random, slowly: to t = 500 it stays near 0.4 h².
#[test]
fn the_energy_of_a_chaotic_system_is_bounded_for_long() {
    let h = 0.1;
    let [first, second] = energy_errors("chaotic_r7", "dla2", 500.0, h);
    assert!(first < 2.0 * h * h && second < 2.0 * h * h, "{first:e}, {second:e}");
}

/// Where its parasitic mode is neutral RATTLE is as good as the DLA methods.
#[test]
fn rattle_has_bounded_energy_errors_without_growing_parasites() {
    for (name, span, h, bound) in [
        ("contact_oscillator", 200.0, 0.1, 1.8e-3),
        ("nh_particle_harmonic", 200.0, 0.1, 2.3e-3),
        ("knife_incline", 40.0, 0.02, 4.4e-3),
        ("euler_disk", 40.0, 0.01, 5.2e-4),
    ] {
        let [first, second] = energy_errors(name, "rattle", span, h);
        assert!(first < MARGIN * bound && second < MARGIN * bound, "{name}: {first:e}, {second:e}");
    }
}

/// Where it grows RATTLE loses the energy, whatever its start; `dla2` and `dla_rattle` do not.
#[test]
fn rattle_loses_the_energy_to_its_parasite() {
    for (name, span, lost) in
        [("sleigh_com", 50.0, 0.95), ("snakeboard_free", 60.0, 0.8), ("sleigh_moving_mass", 60.0, 0.6)]
    {
        let (q0, v0) = instance(name).initial();
        let energy = instance(name).energy(&q0, &v0);
        for id in ["rattle", "rattle_projected", "gni_midpoint"] {
            let worst = energy_errors(name, id, span, 0.05).into_iter().fold(0.0, f64::max);
            assert!(worst > lost * energy, "{name} {id}: {worst:e} of {energy}");
        }
        for id in ["dla2", "dla_rattle"] {
            let worst = energy_errors(name, id, span, 0.05).into_iter().fold(0.0, f64::max);
            assert!(worst < 1e-3 * energy, "{name} {id}: {worst:e}");
        }
    }
}

/// The first-order methods lose and gain energy; Runge–Kutta methods and restarted RATTLE drift.
#[test]
fn other_methods_drift() {
    let name = "contact_oscillator";
    let instance = instance(name);
    for (id, sign) in [("dla1", -1.0), ("dla1_adjoint", 1.0)] {
        let mut trajectory = start(&*instance, id, 0.05);
        let energy = trajectory.energy();
        trajectory.advance(400).unwrap();
        let change = sign * (trajectory.energy() - energy);
        assert!(change > 0.01, "{id}: {change:e}");
    }
    for (name, id, span) in [
        ("nh_particle_harmonic", "rk2_midpoint", 200.0),
        ("contact_oscillator", "rk4", 200.0),
        ("contact_oscillator", "rattle_restarted", 500.0),
    ] {
        let [first, second] = energy_errors(name, id, span, 0.1);
        assert!(second > 1.5 * first, "{name} {id}: {first:e}, {second:e}");
    }
}

/// For quadratic Lagrangians the midpoint GNI method conserves the energies before and after the
/// reflection exactly.
#[test]
fn gni_midpoint_conserves_quadratic_energies() {
    let instance = instance("contact_oscillator");
    let mut trajectory = start(&*instance, "gni_midpoint", 0.1);
    let energies = |trajectory: &dyn nhi_models::Trajectory| {
        // The mass matrix is one: momenta are velocities.
        let (pre, post) = trajectory.jump();
        [pre, post].map(|v| instance.energy(&trajectory.q(), &v))
    };
    trajectory.step().unwrap();
    let [_, energy] = energies(&*trajectory);
    for _ in 0..500 {
        trajectory.step().unwrap();
        for other in energies(&*trajectory) {
            assert!((other - energy).abs() < crate::tolerance::ROUNDING, "{:e}", other - energy);
        }
    }
    assert!((trajectory.energy() - energy).abs() > 1e-6, "the energy of the mean is another");
}
