//! Constraints at the nodes and between them.

use crate::tolerance::{ACCUMULATED, ROUNDING};
use crate::{instance, start};
use nhi_models::{Family, METHODS, MODELS};

fn largest(residual: &[f64]) -> f64 {
    residual.iter().fold(0.0, |largest, x| x.abs().max(largest))
}

/// μ(q)v + μ₀(q) = 0 at every node, to rounding, but for Runge–Kutta methods.
#[test]
fn constraints_hold_at_the_nodes() {
    for model in MODELS {
        let instance = model.instance(&model.defaults());
        for method in METHODS.iter().filter(|method| method.family != Family::RungeKutta) {
            let mut trajectory = start(&*instance, method.id, 0.01);
            for _ in 0..200 {
                trajectory.step().unwrap();
                let residual = largest(&instance.residual(&trajectory.q(), &trajectory.v()));
                let scale = 1.0 + largest(&trajectory.v());
                assert!(residual < ROUNDING * scale, "{} {}: {residual:e}", model.name(), method.id);
            }
        }
    }
}

/// Runge–Kutta methods drift off the constraints, by as much as was measured independently.
#[test]
fn runge_kutta_methods_drift() {
    for (id, expected) in [("rk2_midpoint", 2e-3), ("rk4", 9e-7)] {
        let instance = instance("contact_oscillator");
        let mut trajectory = start(&*instance, id, 0.1);
        let mut worst: f64 = 0.0;
        for _ in 0..50 {
            trajectory.step().unwrap();
            worst = worst.max(largest(&instance.residual(&trajectory.q(), &trajectory.v())));
        }
        assert!((0.7..1.4).contains(&(worst / expected)), "{id}: {worst:e}");
    }
}

/// `dla_rattle` keeps μ(z)(q' − q)/h + μ₀(z) = 0 at z = (q + q')/2, too; `dla2` does not.
#[test]
fn dla_rattle_keeps_the_constraint_between_nodes() {
    let h = 0.02;
    for (id, kept) in [("dla_rattle", true), ("dla_rattle_midpoint", true), ("dla2", false)] {
        for name in
            ["contact_oscillator", "rotating_table_skate", "sleigh_contact", "euler_disk", "mobile_robot"]
        {
            let instance = instance(name);
            let mut trajectory = start(&*instance, id, h);
            let mut worst: f64 = 0.0;
            for _ in 0..50 {
                let before = trajectory.q();
                trajectory.step().unwrap();
                let after = trajectory.q();
                let middle: Vec<_> = before.iter().zip(&after).map(|(a, b)| (a + b) / 2.0).collect();
                let slope: Vec<_> = before.iter().zip(&after).map(|(a, b)| (b - a) / h).collect();
                worst = worst.max(largest(&instance.residual(&middle, &slope)));
            }
            assert_eq!(worst < ACCUMULATED, kept, "{id} {name}: {worst:e}");
        }
    }
}
