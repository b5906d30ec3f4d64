//! Rigid body in space with two constraints on its body velocity.

use crate::{Row, simulated};
use nhi_runtime::prelude::*;

/// Body whose centre of mass is at (q1, q2, q3) in its frame. The origin of the frame, at `p` in space,
/// cannot move along the second axis, and along the third only as the body turns about the second.
#[derive(Nonholonomic, Clone, Debug)]
#[expect(non_snake_case, reason = "J1, J2, J3 are moments of inertia")]
#[nonholonomic(
    group = SE3(R, p; w1, w2, w3, v1, v2, v3),
    lagrangian = m/2*((v1 + w2*q3 - w3*q2)^2 + (v2 + w3*q1 - w1*q3)^2 + (v3 + w1*q2 - w2*q1)^2)
               + (J1*w1^2 + J2*w2^2 + J3*w3^2)/2,
    constraints(v2 = 0, v3 - c*w2 = 0),
    methods(all),
)]
pub struct Se3Body {
    /// First principal moment of inertia about the centre of mass.
    pub J1: f64,
    /// Second principal moment of inertia about the centre of mass.
    pub J2: f64,
    /// Third principal moment of inertia about the centre of mass.
    pub J3: f64,
    /// Mass.
    pub m: f64,
    /// Centre of mass along the first axis.
    pub q1: f64,
    /// Centre of mass along the second axis.
    pub q2: f64,
    /// Centre of mass along the third axis.
    pub q3: f64,
    /// Velocity along the third axis per angular velocity about the second.
    pub c: f64,
}

simulated!(Se3Body, on a group);

/// Row of the model table.
pub const MODEL: Row<Se3Body> = Row {
    name: "se3_body",
    on_group: true,
    build: |p| Se3Body { J1: p[0], J2: p[1], J3: p[2], m: p[3], q1: p[4], q2: p[5], q3: p[6], c: p[7] },
    solution: None,
};
