//! Rattleback: an ellipsoid with skew inertia that rolls on a plane and reverses its spin (Kane &
//! Levinson, *Realistic mathematical modeling of the rattleback*, Int. J. Non-Linear Mech. 17, 1982).

use crate::{Row, simulated};
use nhi_runtime::prelude::*;

/// Body of unit mass in the frame of its centre of mass `p`, third axis up at rest. Its surface is the
/// ellipsoid with semi-axes `a`, `b`, `c` about the point `h` above the centre of mass.
///
/// The point of contact is the lowest one: from the centre of the ellipsoid it lies at
/// −(a²γ₁, b²γ₂, c²γ₃)/ε, where γ = Rᵀe₃ is the vertical in the body and ε² = a²γ₁² + b²γ₂² + c²γ₃².
/// It is at rest, which keeps it on the plane too.
#[derive(Nonholonomic, Clone, Debug)]
#[expect(non_snake_case, reason = "A, B, C, D are moments and products of inertia")]
#[nonholonomic(
    group = SE3(R, p; w1, w2, w3, v1, v2, v3),
    let(
        eps = sqrt((a*R[2][0])^2 + (b*R[2][1])^2 + (c*R[2][2])^2),
        rho1 = -a^2*R[2][0]/eps,
        rho2 = -b^2*R[2][1]/eps,
        rho3 = h - c^2*R[2][2]/eps,
    ),
    lagrangian = (v1^2 + v2^2 + v3^2 + A*w1^2 + B*w2^2 + C*w3^2)/2 + D*w1*w2 - g*p[2],
    constraints(
        contact_1: v1 + w2*rho3 - w3*rho2 = 0,
        contact_2: v2 + w3*rho1 - w1*rho3 = 0,
        contact_3: v3 + w1*rho2 - w2*rho1 = 0,
    ),
    methods(all),
)]
pub struct Rattleback {
    /// Semi-axis along the first axis.
    pub a: f64,
    /// Semi-axis along the second axis.
    pub b: f64,
    /// Semi-axis along the third axis.
    pub c: f64,
    /// Height of the ellipsoid's centre above the centre of mass.
    pub h: f64,
    /// Moment of inertia about the first axis, per mass.
    pub A: f64,
    /// Moment of inertia about the second axis, per mass.
    pub B: f64,
    /// Moment of inertia about the third axis, per mass.
    pub C: f64,
    /// Product of inertia of the first and second axis, per mass.
    pub D: f64,
    /// Acceleration of gravity.
    pub g: f64,
}

simulated!(Rattleback, on a group);

/// Row of the model table: Kane and Levinson's data, in metres and seconds. From this spin, tilted by half
/// a degree, it starts to rattle and turns the other way after six seconds.
pub const MODEL: Row<Rattleback> = Row {
    name: "rattleback",
    on_group: true,
    build: |p| Rattleback { a: p[0], b: p[1], c: p[2], h: p[3], A: p[4], B: p[5], C: p[6], D: p[7], g: p[8] },
    solution: None,
};
