//! An energy that is conserved exactly.

use crate::{instance, start};

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
