//! Energies that reflecting methods conserve exactly.

use super::tolerance::ACCUMULATED;
use super::{instance, start};
use nhi_models::Trajectory;

/// For quadratic Lagrangians the midpoint GNI method conserves the energies before and after the
/// reflection exactly.
#[test]
fn gni_midpoint_conserves_quadratic_energies() {
    let instance = instance("contact_oscillator");
    let mut trajectory = start(&*instance, "gni_midpoint", 0.1);
    let energies = |trajectory: &dyn Trajectory| {
        // The mass matrix is one: momenta are velocities.
        let (pre, post) = trajectory.jump();
        [pre, post].map(|v| instance.energy(&trajectory.q(), &v))
    };
    trajectory.step().unwrap();
    let [_, energy] = energies(&*trajectory);
    for _ in 0..500 {
        trajectory.step().unwrap();
        for other in energies(&*trajectory) {
            assert!((other - energy).abs() < super::tolerance::ROUNDING, "{:e}", other - energy);
        }
    }
    assert!((trajectory.energy() - energy).abs() > 1e-6, "the energy of the mean is another");
}

/// Without a potential and with a constant mass matrix all reflecting methods but the Euler pair conserve the
/// energy of the momentum between the nodes exactly, and not that of the mean at the nodes.
#[test]
fn reflecting_methods_conserve_the_energy_between_nodes() {
    for name in ["sleigh_com", "snakeboard_free", "vertical_disk", "nh_particle"] {
        let instance = instance(name);
        for id in ["rattle", "rattle_projected", "gni_midpoint", "gni_euler_a", "gni_euler_b"] {
            let mut trajectory = start(&*instance, id, 0.01);
            let between = |trajectory: &dyn Trajectory| {
                let node = trajectory.node();
                instance.energy(&node.q, &node.jump.1)
            };
            let (initial, energy) = (trajectory.energy(), between(&*trajectory));
            let (mut worst, mut nodes): (f64, f64) = (0.0, 0.0);
            for _ in 0..2000 {
                trajectory.step().unwrap();
                worst = worst.max((between(&*trajectory) - energy).abs());
                nodes = nodes.max((trajectory.energy() - initial).abs());
            }
            assert!(worst < ACCUMULATED, "{name} {id}: {worst:e}");
            assert!(nodes > 1e-11, "{name} {id}: {nodes:e}");
        }
    }
}
