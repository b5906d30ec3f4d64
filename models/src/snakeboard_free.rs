//! Snakeboard without torques.

use crate::{Row, simulated};
use nhi_runtime::prelude::*;

/// Board at (x, y) with heading θ, rotor angle ψ and steering angles φ, −φ of the wheel pairs.
#[derive(Nonholonomic, Clone, Debug)]
#[expect(non_snake_case, reason = "I and J are moments of inertia")]
#[nonholonomic(
    coordinates(psi, phi, theta, x, y),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + m*l^2/2*dot(theta)^2
               + I*dot(psi)*(dot(psi)/2 + dot(theta)) + J*dot(phi)^2,
    constraints(
        back: -sin(theta + phi)*dx + cos(theta + phi)*dy - l*cos(phi)*dtheta = 0,
        front: -sin(theta - phi)*dx + cos(theta - phi)*dy + l*cos(phi)*dtheta = 0,
    ),
    bodies(
        board: pose(x, y, theta),
        back: pose(x - l*cos(theta), y - l*sin(theta), theta + phi),
        front: pose(x + l*cos(theta), y + l*sin(theta), theta - phi),
    ),
    methods(
        Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Frame, FrameMidpoint, Rattle,
        RattleRestarted, GniMidpoint, GniEulerA, GniEulerB, Rk2Midpoint, Rk2Heun, Rk4
    ),
)]
pub struct SnakeboardFree {
    /// Total mass.
    pub m: f64,
    /// Half the length of the board; `m l²` is the total yaw inertia.
    pub l: f64,
    /// Moment of inertia of the rotor.
    pub I: f64,
    /// Moment of inertia of one wheel pair.
    pub J: f64,
}

simulated!(SnakeboardFree);

/// Row of the model table.
pub const MODEL: Row<SnakeboardFree> = Row {
    name: "snakeboard_free",
    on_group: false,
    build: |p| SnakeboardFree { m: p[0], l: p[1], I: p[2], J: p[3] },
    solution: None,
};
