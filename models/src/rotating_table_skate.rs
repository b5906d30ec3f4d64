//! Skate on a table that rotates with constant angular velocity: an affine constraint.

use crate::{Row, simulated};
use nhi_runtime::prelude::*;

/// Skate at (x, y) with heading φ in the inertial frame, tied to the pivot by a spring.
#[derive(Nonholonomic, Clone, Debug)]
#[expect(non_snake_case, reason = "J is a moment of inertia, Om stands for Ω")]
#[nonholonomic(
    coordinates(x, y, phi),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + J/2*dot(phi)^2 - k/2*(x^2 + y^2),
    constraints(blade: sin(phi)*(dx + Om*y*dt) - cos(phi)*(dy - Om*x*dt) = 0),
    methods(
        Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Frame, FrameMidpoint, Rattle,
        RattleRestarted, GniMidpoint, GniEulerA, GniEulerB, Rk2Midpoint, Rk2Heun, Rk4
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
    on_group: false,
    build: |p| RotatingTableSkate { m: p[0], J: p[1], Om: p[2], k: p[3] },
    solution: None,
};
