//! Chaplygin sleigh in the coordinates of its blade, which makes the mass matrix depend on the heading.

use crate::{Row, simulated};
use nhi_runtime::prelude::*;

/// Planar rigid body on a skate blade at (x, y), its centre of mass a distance `a` ahead.
#[derive(Nonholonomic, Clone, Debug)]
#[expect(non_snake_case, reason = "I is a moment of inertia")]
#[nonholonomic(
    coordinates(theta, x, y),
    let(x_c = x + a*cos(theta), y_c = y + a*sin(theta)),
    lagrangian = I/2*dot(theta)^2 + m/2*(dot(x_c)^2 + dot(y_c)^2),
    constraints(blade: sin(theta)*dx - cos(theta)*dy = 0),
    methods(
        Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Frame, FrameMidpoint, Rattle,
        RattleRestarted, GniMidpoint, GniEulerA, GniEulerB, Rk2Midpoint, Rk2Heun, Rk4
    ),
)]
pub struct SleighContact {
    /// Mass.
    pub m: f64,
    /// Moment of inertia about the centre of mass.
    pub I: f64,
    /// Distance of the centre of mass ahead of the blade.
    pub a: f64,
}

simulated!(SleighContact);

/// Row of the model table.
pub const MODEL: Row<SleighContact> = Row {
    name: "sleigh_contact",
    on_group: false,
    build: |p| SleighContact { m: p[0], I: p[1], a: p[2] },
    solution: None,
};
