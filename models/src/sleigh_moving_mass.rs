//! Chaplygin sleigh with a second mass that slides on a spring along the blade's direction.

use crate::{Row, simulated};
use nhi_runtime::prelude::*;

/// Sleigh with its blade at (x, y) and a mass at distance s ahead of it.
#[derive(Nonholonomic, Clone, Debug)]
#[expect(non_snake_case, reason = "I is a moment of inertia")]
#[nonholonomic(
    coordinates(theta, x, y, s),
    let(
        x_c = x + a*cos(theta), y_c = y + a*sin(theta),
        x_s = x + s*cos(theta), y_s = y + s*sin(theta),
    ),
    lagrangian = I/2*dot(theta)^2 + m/2*(dot(x_c)^2 + dot(y_c)^2)
               + m2/2*(dot(x_s)^2 + dot(y_s)^2) - k/2*(s - s0)^2,
    constraints(blade: sin(theta)*dx - cos(theta)*dy = 0),
    methods(
        Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Frame, FrameMidpoint, Rattle,
        RattleRestarted, GniMidpoint, GniEulerA, GniEulerB, Rk2Midpoint, Rk2Heun, Rk4
    ),
)]
pub struct SleighMovingMass {
    /// Mass of the body.
    pub m: f64,
    /// Moment of inertia of the body about its centre of mass.
    pub I: f64,
    /// Distance of the body's centre of mass ahead of the blade.
    pub a: f64,
    /// Sliding mass.
    pub m2: f64,
    /// Stiffness of the spring.
    pub k: f64,
    /// Distance at which the spring is relaxed.
    pub s0: f64,
}

simulated!(SleighMovingMass);

/// Row of the model table.
pub const MODEL: Row<SleighMovingMass> = Row {
    name: "sleigh_moving_mass",
    on_group: false,
    build: |p| SleighMovingMass { m: p[0], I: p[1], a: p[2], m2: p[3], k: p[4], s0: p[5] },
    solution: None,
};
