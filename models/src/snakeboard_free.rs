//! Snakeboard without torques.

use crate::{Invariant, Row, simulated, snakeboard};
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
    methods(
        Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Rattle, RattleRestarted,
        GniMidpoint, GniEulerA, GniEulerB, Rk2Midpoint, Rk2Heun, Rk4
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
    summary: "snakeboard without torques",
    reference_coordinates: &["psi", "phi", "th", "x", "y"],
    defaults: SnakeboardFree { m: 1.0, l: 1.0, I: 0.4, J: 2.0 },
    build: |p| SnakeboardFree { m: p[0], l: p[1], I: p[2], J: p[3] },
    initial: |s| snakeboard::initial(s.m, s.l, s.I),
    conservative: true,
    // Neither constraint involves dψ or dφ, and L neither ψ nor φ: both are horizontal symmetries.
    invariants: &[
        Invariant { name: "p_psi", value: |s, _, v| s.I * (v[0] + v[2]) },
        Invariant { name: "p_phi", value: |s, _, v| 2.0 * s.J * v[1] },
    ],
    solution: None,
};
