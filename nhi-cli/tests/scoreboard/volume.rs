//! Phase volume of the nonholonomic particle.

use crate::common_methods;
use crate::{course, find};
use nhi_cli::scoreboard::{CLOUDS, volume};
use nhi_run::model::Family;

/// Change of the volume to t = 30.
fn change(model: usize, id: &str) -> f64 {
    let volume = volume(course(CLOUDS[model]).model, Some(find(id)));
    assert_eq!(volume.stopped, None, "{id}");
    volume.course.last().unwrap().1 - 1.0
}

/// The invariant density is one of the exact flow, and the cloud small enough to see it.
#[test]
fn the_exact_flow_preserves_the_volume() {
    for model in CLOUDS {
        for (t, volume) in volume(course(model).model, None).course {
            assert!((volume - 1.0).abs() < 1e-9, "{model} at t = {t}: {volume}");
        }
    }
}

/// The frame of the particle turns with y alone, and the rest moves by rotations.
#[test]
fn the_frame_method_preserves_the_volume() {
    for (model, cloud) in CLOUDS.iter().enumerate() {
        for id in ["frame", "frame_midpoint"] {
            let change = change(model, id);
            assert!(change.abs() < 1e-12, "{cloud} {id}: {change:e}");
        }
    }
}

/// Discrete gradients mix the parts, and change the volume as far as other methods of order two.
#[test]
fn discrete_gradients_change_the_volume() {
    for (model, cloud) in CLOUDS.iter().enumerate() {
        let change = change(model, "discrete_gradient");
        assert!(change.abs() > 1e-3, "{cloud}: {change:e}");
    }
}

/// No other method does, not even on the free particle.
#[test]
fn no_other_method_preserves_the_volume() {
    for method in common_methods().filter(|method| method.family != Family::Frame) {
        for (model, cloud) in CLOUDS.iter().enumerate() {
            let change = change(model, method.id);
            assert!(change.abs() > 1e-12, "{cloud} {}: {change:e}", method.id);
        }
    }
}

/// The symmetric methods err by less than a percent with this long step; those that lose or gain energy
/// lose or gain most of the volume with it.
#[test]
fn symmetric_methods_nearly_preserve_the_volume() {
    for id in ["dla2", "dla2_midpoint", "dla_rattle", "dla_rattle_midpoint", "rattle", "gni_midpoint"] {
        assert!(change(0, id).abs() < 0.01 && change(1, id).abs() < 0.01, "{id}");
    }
    assert!(change(1, "dla1") < -0.7 && change(1, "gni_euler_a") < -0.7);
    assert!(change(1, "dla1_adjoint") > 2.0 && change(1, "gni_euler_b") > 2.0);
    assert!(change(1, "rattle_restarted") < -0.05 && change(1, "rk2_heun") > 0.1);
}
