//! The order of every method on every model, nonlinear ones, with and without potential, forced, affine
//! and gyroscopic: the slope of the error against the exact flow, above the plateau of rounding.

use nhi_models::{METHODS, MODELS, Method, Model};
use std::ops::Range;

/// Errors that count, relative to 1 + |exact|: small enough for the leading term of their expansion,
/// above rounding.
fn measured(model: &dyn Model) -> Range<f64> {
    // Euler's disk magnifies rounding to 5e-12.
    if model.name() == "euler_disk" { 2e-11..3e-2 } else { 3e-13..3e-2 }
}

/// How many errors are measured at most, each at a step size about √2 times smaller.
const ERRORS: usize = 14;
/// Largest difference of the slope from the order.
fn tolerance(method: &Method) -> f64 {
    // Few step sizes are left between the leading term and rounding. These methods are symmetric, so
    // their order is even: there is no order 7 to be mistaken for.
    if method.order > 4 { 0.5 } else { 0.2 }
}

/// Time span: high orders need long steps, or there is nothing but rounding to measure; a torque of 10 Hz
/// does not allow them. No multiples of a model's period, where errors cancel.
fn span(model: &dyn Model, method: &Method) -> f64 {
    if method.order > 4 && model.name() != "snakeboard" { 3.7 } else { 1.03 }
}

/// Order of `method` on `model`, which is higher than usual on some.
fn order(model: &dyn Model, method: &Method) -> u32 {
    // Without a potential and with a constant mass matrix all GNI methods are the same.
    let kinetic = ["sleigh_com", "snakeboard_free", "vertical_disk", "nh_particle"];
    match method.id {
        "gni_euler_a" | "gni_euler_b" if kinetic.contains(&model.name()) => 2,
        _ => method.order,
    }
}

/// Numbers of steps, even because the parasitic mode of GNI methods alternates, and errors of (q, v) at
/// the end of the time span.
fn errors(model: &dyn Model, method: &Method) -> Vec<(u64, f64)> {
    let instance = model.instance(&model.defaults());
    let (q0, v0) = instance.initial();
    let (q, v) = instance.flow(0.0, &q0, &v0, &[], span(model, method)).unwrap();
    let exact = [q, v].concat();
    let error = |steps: u64| {
        let mut trajectory =
            instance.start(method, &q0, &v0, &[], span(model, method) / steps as f64).unwrap();
        // Newton's method need not converge with long steps.
        trajectory.advance(steps).ok()?;
        let found = [trajectory.q(), trajectory.v()].concat();
        let errors = found.iter().zip(&exact).map(|(x, y)| (x - y).abs() / (1.0 + y.abs()));
        Some((steps, errors.fold(0.0, f64::max)))
    };
    let steps = (1..22).map(|i| 2 * 2f64.powf(f64::from(i) / 2.0).round() as u64);
    let errors = steps.filter_map(error).take_while(|(_, error)| *error >= measured(model).start);
    errors.filter(|(_, error)| *error < measured(model).end).take(ERRORS).collect()
}

#[test]
fn methods_have_their_order() {
    let mut wrong = Vec::new();
    for model in MODELS {
        for method in METHODS {
            let errors = errors(*model, method);
            let slope = match errors[..] {
                [.., coarse, _, fine] | [coarse, fine] => {
                    (coarse.1 / fine.1).ln() / (fine.0 as f64 / coarse.0 as f64).ln()
                }
                _ => f64::NAN,
            };
            let order = f64::from(order(*model, method));
            if slope.is_nan() || (slope - order).abs() > tolerance(method) {
                let errors: Vec<_> = errors.iter().map(|(_, error)| format!("{error:.1e}")).collect();
                wrong.push(format!("{} {}: {slope:.2}, {}", model.name(), method.id, errors.join(" ")));
            }
        }
    }
    assert!(wrong.is_empty(), "slopes:\n{}", wrong.join("\n"));
}
