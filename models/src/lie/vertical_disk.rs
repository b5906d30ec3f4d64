//! Vertical rolling disk on SE(2) × R.

use crate::{Row, simulated};
use nhi_runtime::Posed;
use nhi_runtime::group::SE2;
use nhi_runtime::prelude::*;

/// Upright disk at (x, y) with heading θ and rolling angle φ.
#[derive(Nonholonomic, Clone, Debug)]
#[expect(non_snake_case, reason = "I and J are moments of inertia, R is the radius")]
#[nonholonomic(
    coordinates(phi),
    group = SE2(theta, x, y; omega, v, v_perp),
    lagrangian = m/2*(v^2 + v_perp^2) + I/2*dot(phi)^2 + J/2*omega^2,
    constraints(rolling: v - R*dot(phi) = 0, skidding: v_perp = 0),
    methods(all),
)]
pub struct VerticalDisk {
    /// Mass.
    pub m: f64,
    /// Moment of inertia about the axle.
    pub I: f64,
    /// Moment of inertia about a diameter.
    pub J: f64,
    /// Radius.
    pub R: f64,
}

simulated!(VerticalDisk, on a group);

/// Row of the model table.
pub const MODEL: Row<VerticalDisk> = Row {
    name: "vertical_disk",
    on_group: true,
    build: |p| VerticalDisk { m: p[0], I: p[1], J: p[2], R: p[3] },
    solution: Some(circle),
};

/// ω and v are constant: the disk rolls on a circle.
fn circle(disk: &VerticalDisk, t: f64) -> (Posed<SE2<f64>, f64, 1, 4>, [f64; 4]) {
    let (start, velocity) = MODEL.start(disk);
    let [phi, theta0, x, y] = start.into();
    let [dphi, omega, v, _] = velocity;
    let theta = theta0 + omega * t;
    let radius = v / omega;
    let x = x + radius * (theta.sin() - theta0.sin());
    let y = y - radius * (theta.cos() - theta0.cos());
    ([phi + dphi * t, theta, x, y].into(), velocity)
}
