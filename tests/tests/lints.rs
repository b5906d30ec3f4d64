//! Emitted code under everything a user may deny.
#![deny(
    warnings,
    missing_docs,
    unused,
    unused_qualifications,
    unused_results,
    unused_lifetimes,
    nonstandard_style,
    future_incompatible,
    let_underscore_drop,
    missing_copy_implementations,
    missing_debug_implementations,
    non_ascii_idents,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unnameable_types,
    unreachable_pub,
    unsafe_code,
    variant_size_differences,
    clippy::all,
    clippy::pedantic,
    clippy::nursery,
    clippy::cargo,
    clippy::arithmetic_side_effects,
    clippy::default_numeric_fallback,
    clippy::float_arithmetic,
    clippy::indexing_slicing,
    clippy::min_ident_chars,
    clippy::missing_docs_in_private_items,
    clippy::missing_inline_in_public_items,
    clippy::missing_trait_methods,
    clippy::panic,
    clippy::shadow_reuse,
    clippy::shadow_unrelated,
    clippy::single_char_lifetime_names,
    clippy::unwrap_used
)]
#![allow(clippy::cargo_common_metadata, clippy::multiple_crate_versions, reason = "about the workspace")]

use nhi_runtime::prelude::*;

/// Snakeboard: Newton with two unknowns, forces, inputs of the system.
#[derive(Nonholonomic, Clone, Copy, Debug)]
#[nonholonomic(
    coordinates(psi, phi, theta, x, y),
    inputs(u1, u2),
    lagrangian = mass/2*(dot(x)^2 + dot(y)^2) + mass*length^2/2*dot(theta)^2
               + rotor*dot(psi)*(dot(psi)/2 + dot(theta)) + wheels*dot(phi)^2,
    constraints(
        -sin(theta + phi)*dx + cos(theta + phi)*dy - length*cos(phi)*dtheta = 0,
        -sin(theta - phi)*dx + cos(theta - phi)*dy + length*cos(phi)*dtheta = 0,
    ),
    force = u1*dpsi + u2*dphi - exp(-t)*dot(x)*dx,
    methods(
        Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Rattle, GniMidpoint, GniEulerA,
        GniEulerB, Rk2Midpoint, Rk2Heun, Rk4
    ),
)]
pub struct Snakeboard {
    /// Mass.
    pub mass: f64,
    /// Half the length.
    pub length: f64,
    /// Rotor.
    pub rotor: f64,
    /// Wheels.
    pub wheels: f64,
}

/// No parameters, no constraints.
#[derive(Nonholonomic, Clone, Copy, Debug)]
#[nonholonomic(coordinates(x), lagrangian = dot(x)^2/2 - x^4, constraints(), crate = nhi_runtime)]
pub struct Quartic;

#[test]
fn steps() -> Result<(), nhi_runtime::Error> {
    let board = Snakeboard { mass: 1.0, length: 1.0, rotor: 0.4, wheels: 2.0 };
    let mut sim = Simulation::project(board, Dla2, [0.1_f64; 5], [0.2_f64; 5], 0.01_f64)?;
    sim.step_with(&[0.1_f64, 0.2_f64])?;
    let mut free = Simulation::new(Quartic, Rattle, [0.1_f64], [0.2_f64], 0.01_f64)?;
    free.step()
}
