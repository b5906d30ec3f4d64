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
    methods(all),
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
#[nonholonomic(
    coordinates(x),
    lagrangian = dot(x)^2/2 - x^4,
    constraints(),
    methods(Dla2, Rattle),
    crate = nhi_runtime
)]
pub struct Quartic;

/// A wheel on SE(2) with its angles.
#[derive(Nonholonomic, Clone, Copy, Debug)]
#[nonholonomic(
    coordinates(phi, psi),
    group = SE2(theta, x, y; omega, v, v_perp),
    inputs(u1),
    lagrangian = mass/2*(v^2 + v_perp^2) + inertia/2*(omega^2 + dot(phi)^2 + dot(psi)^2 + omega*dot(psi)),
    constraints(v - radius*dot(phi) = 0, v_perp = 0),
    force = u1*dphi - exp(-t)*omega*dtheta,
    methods(all),
)]
pub struct Wheel {
    /// Mass.
    pub mass: f64,
    /// Every moment of inertia.
    pub inertia: f64,
    /// Radius.
    pub radius: f64,
}

/// A ball on a slope, on SO(3) × R², which depends on the pose.
#[derive(Nonholonomic, Clone, Copy, Debug)]
#[nonholonomic(
    coordinates(x, y),
    group = SO3(R; w1, w2, w3),
    lagrangian = mass/2*(dot(x)^2 + dot(y)^2 + w1^2 + w2^2 + 2*w3^2) - mass*x,
    constraints(
        dx - (R[1][0]*w1 + R[1][1]*w2 + R[1][2]*w3)*dt = 0,
        dy + (R[0][0]*w1 + R[0][1]*w2 + R[0][2]*w3)*dt = 0,
    ),
    methods(all),
)]
pub struct Ball {
    /// Mass.
    pub mass: f64,
}

/// A skate in space.
#[derive(Nonholonomic, Clone, Copy, Debug)]
#[nonholonomic(
    group = SE3(R, p; w1, w2, w3, v1, v2, v3),
    lagrangian = (w1^2 + 2*w2^2 + 3*w3^2 + v1^2 + v2^2 + v3^2)/2 + w1*v1/4 - p[2],
    constraints(v2 = 0),
    methods(Rdp, Rattle),
    crate = nhi_runtime
)]
pub struct Skate;

/// A body that turns about a point.
#[derive(Nonholonomic, Clone, Copy, Debug)]
#[nonholonomic(
    group = SO3(R; w1, w2, w3),
    lagrangian = (w1^2 + 2*w2^2 + 3*w3^2)/2 + w1*w3/4,
    constraints(w3 = 0),
    methods(MvMp, SuslovMv, SuslovCay),
)]
pub struct Body;

#[test]
fn steps_on_groups() -> Result<(), nhi_runtime::Error> {
    let wheel = Wheel { mass: 1.0_f64, inertia: 0.5_f64, radius: 0.3_f64 };
    let mut on_plane = Simulation::project(wheel, Rdp, [0.1_f64; 5], [0.2_f64; 5], 0.01_f64)?;
    on_plane.step_with(&[0.1_f64])?;
    let upright = [[1.0_f64, 0.0_f64, 0.0_f64], [0.0_f64, 1.0_f64, 0.0_f64], [0.0_f64, 0.0_f64, 1.0_f64]];
    let ball = Ball { mass: 1.0_f64 };
    let start = ([0.1_f64, 0.2_f64], upright);
    Simulation::project(ball, Rdp::new(Cayley), start, [0.2_f64; 5], 0.01_f64)?.step()?;
    let mut pose = [0.0_f64; 12];
    for (entry, number) in pose.iter_mut().zip(upright.into_iter().flatten()) {
        *entry = number;
    }
    Simulation::project(Skate, Rattle, pose, [0.2_f64; 6], 0.01_f64)?.step()?;
    Simulation::project(Body, SuslovMv, upright, [0.2_f64; 3], 0.01_f64)?.step()
}

#[test]
fn steps() -> Result<(), nhi_runtime::Error> {
    let board = Snakeboard { mass: 1.0, length: 1.0, rotor: 0.4, wheels: 2.0 };
    let mut sim = Simulation::project(board, Dla2, [0.1_f64; 5], [0.2_f64; 5], 0.01_f64)?;
    sim.step_with(&[0.1_f64, 0.2_f64])?;
    let mut free = Simulation::new(Quartic, Rattle, [0.1_f64], [0.2_f64], 0.01_f64)?;
    free.step()
}
