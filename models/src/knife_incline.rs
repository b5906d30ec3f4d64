//! Knife edge on an inclined plane: it does not slide down but follows a cycloid.

use crate::{Row, simulated};
use nhi_runtime::prelude::*;

/// Knife edge at (x, y) with heading φ; x points down the plane.
#[derive(Nonholonomic, Clone, Debug)]
#[expect(non_snake_case, reason = "J is a moment of inertia")]
#[nonholonomic(
    coordinates(x, y, phi),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + J/2*dot(phi)^2 + m*g*sin(alpha)*x,
    constraints(edge: sin(phi)*dx - cos(phi)*dy = 0),
    methods(
        Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Frame, FrameMidpoint, Rattle,
        RattleRestarted, GniMidpoint, GniEulerA, GniEulerB, Rk2Midpoint, Rk2Heun, Rk4
    ),
)]
pub struct KnifeIncline {
    /// Mass.
    pub m: f64,
    /// Moment of inertia about the normal of the plane.
    pub J: f64,
    /// Gravitational acceleration.
    pub g: f64,
    /// Inclination of the plane.
    pub alpha: f64,
}

simulated!(KnifeIncline);

/// Row of the model table.
pub const MODEL: Row<KnifeIncline> = Row {
    name: "knife_incline",
    on_group: false,
    build: |p| KnifeIncline { m: p[0], J: p[1], g: p[2], alpha: p[3] },
    solution: Some(cycloid),
};

/// Released at rest with angular velocity ω, the edge follows a cycloid.
fn cycloid(knife: &KnifeIncline, t: f64) -> ([f64; 3], [f64; 3]) {
    let (_, [.., omega]) = MODEL.start(knife);
    let slope = knife.g * knife.alpha.sin();
    let (sin, cos) = (omega * t).sin_cos();
    let speed = slope / omega * sin;
    let x = slope / (2.0 * omega.powi(2)) * sin.powi(2);
    let y = slope / (2.0 * omega.powi(2)) * (omega * t - sin * cos);
    ([x, y, omega * t], [speed * cos, speed * sin, omega])
}
