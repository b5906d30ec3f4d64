//! Vertical rolling disk, optionally tied to the origin by a spring.

use crate::{Row, simulated};
use nhi_runtime::prelude::*;

/// Upright disk at (x, y), rolling angle θ, heading φ.
#[derive(Nonholonomic, Clone, Debug)]
#[expect(non_snake_case, reason = "I and J are moments of inertia, R a radius")]
#[nonholonomic(
    coordinates(x, y, theta, phi),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + I/2*dot(theta)^2 + J/2*dot(phi)^2 - k/2*(x^2 + y^2),
    constraints(
        rolling_x: dx - R*cos(phi)*dtheta = 0,
        rolling_y: dy - R*sin(phi)*dtheta = 0,
    ),
    methods(
        Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Frame, FrameMidpoint, Rattle,
        RattleRestarted, GniMidpoint, GniEulerA, GniEulerB, Rk2Midpoint, Rk2Heun, Rk4
    ),
)]
pub struct VerticalDisk {
    /// Mass.
    pub m: f64,
    /// Radius.
    pub R: f64,
    /// Moment of inertia about the axle.
    pub I: f64,
    /// Moment of inertia about the vertical.
    pub J: f64,
    /// Stiffness of the spring to the origin.
    pub k: f64,
}

simulated!(VerticalDisk);

/// Row of the model table.
pub const MODEL: Row<VerticalDisk> = Row {
    name: "vertical_disk",
    on_group: false,
    build: |p| VerticalDisk { m: p[0], R: p[1], I: p[2], J: p[3], k: p[4] },
    solution: Some(circle),
};

/// Without a spring the disk rolls along a circle at constant speed.
fn circle(disk: &VerticalDisk, t: f64) -> ([f64; 4], [f64; 4]) {
    let ([x0, y0, theta0, phi0], [.., dtheta, dphi]) = MODEL.start(disk);
    let radius = disk.R * dtheta / dphi;
    let phi = phi0 + dphi * t;
    let x = x0 + radius * (phi.sin() - phi0.sin());
    let y = y0 - radius * (phi.cos() - phi0.cos());
    let speed = disk.R * dtheta;
    ([x, y, theta0 + dtheta * t, phi], [speed * phi.cos(), speed * phi.sin(), dtheta, dphi])
}
