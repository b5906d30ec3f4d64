//! Skate on a table that rotates with constant angular velocity: an affine constraint.

use crate::{Invariant, Row, simulated};
use nhi_runtime::prelude::*;

/// Skate at (x, y) with heading φ in the inertial frame, tied to the pivot by a spring.
#[derive(Nonholonomic, Clone, Debug)]
#[expect(non_snake_case, reason = "J is a moment of inertia, Om stands for Ω")]
#[nonholonomic(
    coordinates(x, y, phi),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + J/2*dot(phi)^2 - k/2*(x^2 + y^2),
    constraints(blade: sin(phi)*(dx + Om*y*dt) - cos(phi)*(dy - Om*x*dt) = 0),
    methods(
        Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Rattle, RattleRestarted,
        GniMidpoint, GniEulerA, GniEulerB, Rk2Midpoint, Rk2Heun, Rk4
    ),
)]
pub struct RotatingTableSkate {
    /// Mass.
    pub m: f64,
    /// Moment of inertia about the vertical.
    pub J: f64,
    /// Angular velocity Ω of the table.
    pub Om: f64,
    /// Stiffness of the spring to the pivot.
    pub k: f64,
}

simulated!(RotatingTableSkate);

/// Row of the model table.
pub const MODEL: Row<RotatingTableSkate> = Row {
    name: "rotating_table_skate",
    summary: "skate on a rotating table, an affine constraint",
    reference_coordinates: &["x", "y", "phi"],
    defaults: RotatingTableSkate { m: 1.0, J: 0.4, Om: 0.6, k: 0.8 },
    build: |p| RotatingTableSkate { m: p[0], J: p[1], Om: p[2], k: p[3] },
    initial: |s| {
        let [x, y, phi]: [f64; 3] = [0.7, 0.2, 0.5];
        ([x, y, phi], [-s.Om * y + 0.9 * phi.cos(), s.Om * x + 0.9 * phi.sin(), 1.1])
    },
    // The table does work; the energy less Ω times the angular momentum is conserved.
    conservative: false,
    invariants: &[Invariant { name: "moving_energy", value: moving_energy }],
    solution: None,
};

/// Energy less Ω times the angular momentum about the pivot.
fn moving_energy(skate: &RotatingTableSkate, [x, y, _]: &[f64; 3], [dx, dy, dphi]: &[f64; 3]) -> f64 {
    let RotatingTableSkate { m, J: inertia, Om: omega, k } = skate;
    let energy = (m * (dx * dx + dy * dy) + inertia * dphi * dphi + k * (x * x + y * y)) / 2.0;
    energy - omega * (m * (x * dy - y * dx) + inertia * dphi)
}
