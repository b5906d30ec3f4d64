//! Orders of convergence.

use crate::common_methods;
use crate::tolerance::{ORDER, ORDER_8, TWO_DIGITS};
use crate::{course, courses, find, is_taken, none};
use nhi_cli::scoreboard::{Course, order};
use nhi_run::model::Method;

/// Order of `method`, which is higher than usual on some models.
fn stated(course: &Course, method: &Method) -> u32 {
    // Without a potential and with a constant mass matrix all GNI methods are the same.
    let kinetic = ["sleigh_com", "snakeboard_free", "vertical_disk", "nh_particle"];
    match method.id {
        "gni_euler_a" | "gni_euler_b" if kinetic.contains(&course.model.name()) => 2,
        _ => method.order,
    }
}

/// Errors with 480 steps that are nothing but rounding, however the method converges.
const ROUNDING: f64 = 3e-12;

#[test]
fn methods_have_their_order() {
    let mut wrong = Vec::new();
    for course in courses() {
        for method in common_methods() {
            let stated = f64::from(stated(&course, method));
            let measured = order(&course, method);
            let tolerance = if method.order == 8 { ORDER_8 } else { ORDER };
            let right = match measured.slope {
                Some(slope) if measured.settled => (slope - stated).abs() < tolerance,
                // The slope drowns in rounding before it settles: only of a high order.
                _ => method.order > 4 && measured.shown.is_some_and(|error| error < ROUNDING),
            };
            if !right {
                wrong.push(format!("{} {}: {measured:.2?}", course.model.name(), method.id));
            }
        }
    }
    none(&wrong);
}

/// Columns of the table below.
const COLUMNS: [&str; 11] = [
    "rattle",
    "gni_midpoint",
    "gni_euler_a",
    "gni_euler_b",
    "dla1",
    "dla1_adjoint",
    "dla2",
    "dla2_midpoint",
    "rk2_midpoint",
    "rk2_heun",
    "rk4",
];
/// Independent errors of q with 480 steps to t = 3.
const ERRORS: [(&str, [f64; 11]); 12] = [
    (
        "contact_oscillator",
        [3.5e-6, 8.7e-6, 4.5e-3, 4.5e-3, 1.5e-3, 1.5e-3, 4.7e-6, 8.9e-6, 1.6e-5, 1.6e-5, 3e-11],
    ),
    ("chaotic_r7", [8.6e-6, 1.9e-5, 4.3e-3, 4.4e-3, 2.8e-3, 2.8e-3, 1.0e-5, 1.6e-5, 2.8e-5, 3.2e-5, 8e-11]),
    ("sleigh_com", [1.3e-5, 1.3e-5, 5.9e-5, 5.9e-5, 9.9e-3, 9.9e-3, 1.1e-5, 1.1e-5, 1.7e-5, 1.6e-5, 6e-11]),
    (
        "sleigh_contact",
        [1.2e-5, 1.3e-5, 3.4e-3, 3.4e-3, 1.1e-2, 1.1e-2, 1.5e-5, 1.1e-5, 2.1e-5, 1.4e-5, 9e-11],
    ),
    ("snakeboard", [3.4e-5, 1.6e-5, 3.4e-2, 3.4e-2, 5.5e-2, 5.6e-2, 1.7e-5, 2.9e-5, 1.9e-4, 1.0e-4, 2e-7]),
    (
        "vertical_disk",
        [4.5e-6, 4.5e-6, 2.2e-5, 2.2e-5, 6.0e-3, 6.0e-3, 2.2e-6, 2.2e-6, 5.6e-6, 4.4e-6, 5e-13],
    ),
    ("knife_incline", [1.4e-4, 1.4e-4, 4.4e-2, 4.4e-2, 6.3e-2, 6.4e-2, 7.2e-5, 7.2e-5, 4.5e-4, 3.1e-4, 2e-9]),
    (
        "rotating_table_skate",
        [4.3e-5, 2.7e-5, 9.4e-3, 9.4e-3, 1.3e-2, 1.3e-2, 3.1e-5, 1.2e-5, 3.3e-5, 4.9e-5, 5e-11],
    ),
    ("euler_disk", [3.8e-3, 1.4e-3, 0.38, 0.32, 0.15, 0.13, 6.1e-3, 9.9e-4, 2.0e-4, 1.1e-4, 8e-9]),
    ("mobile_robot", [8.3e-5, 3.9e-5, 2.4e-2, 2.4e-2, 3.3e-2, 3.3e-2, 4.5e-5, 9.2e-5, 8.3e-5, 7.1e-5, 2e-10]),
    (
        "sleigh_moving_mass",
        [1.2e-5, 3.3e-5, 5.0e-3, 5.2e-3, 5.0e-3, 5.0e-3, 1.6e-5, 3.5e-5, 6.9e-5, 6.8e-5, 1e-9],
    ),
    (
        "magnetic_particle",
        [2.4e-6, 1.3e-5, 4.9e-3, 5.0e-3, 5.5e-4, 5.6e-4, 3.2e-6, 1.3e-5, 1.7e-5, 2.0e-5, 8e-11],
    ),
];

#[test]
fn errors_are_as_measured_independently() {
    let mut wrong = Vec::new();
    for (name, errors) in ERRORS.into_iter().filter(|(name, _)| is_taken(name)) {
        for (id, expected) in COLUMNS.iter().zip(errors) {
            let error = order(&course(name), find(id)).shown.unwrap();
            // Those of rk4 are given to one digit.
            let tolerance = if *id == "rk4" { 0.5 } else { TWO_DIGITS };
            if (error / expected - 1.0).abs() > tolerance {
                wrong.push(format!("{name} {id}: {error:.2e} instead of {expected:.1e}"));
            }
        }
    }
    none(&wrong);
}
