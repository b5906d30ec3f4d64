//! Declared systems.

use nhi_runtime::prelude::*;

/// A disk that rolls upright, driven at its axle and steered.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, theta, phi),
    inputs(drive, steer),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + j/2*dot(theta)^2 + i/2*dot(phi)^2,
    constraints(along: dx - r*cos(theta)*dphi = 0, across: dy - r*sin(theta)*dphi = 0),
    force = drive*dphi + steer*dtheta,
    methods(Dla2 + derivatives),
)]
pub(crate) struct Disk {
    pub m: f64,
    pub i: f64,
    pub j: f64,
    pub r: f64,
}

pub(crate) fn disk() -> Disk {
    Disk { m: 1.0, i: 0.5, j: 0.25, r: 1.0 }
}
