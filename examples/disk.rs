use nhi_runtime::prelude::*;

/// Disk that rolls upright on a plane without sliding, driven about its axle and steered about its vertical.
#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y, theta, phi),
    inputs(drive, steer),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + j/2*dot(theta)^2 + i/2*dot(phi)^2,
    constraints(along: dx - r*cos(theta)*dphi = 0, across: dy - r*sin(theta)*dphi = 0),
    force = drive*dphi + steer*dtheta,
)]
pub struct Disk {
    pub m: f64,
    pub i: f64,
    pub j: f64,
    pub r: f64,
}
