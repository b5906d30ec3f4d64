//! The declarations whose expansions are committed.

use nhi_runtime::prelude::*;

/// A planar rigid body on a skate blade.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(theta, x, y),
    lagrangian  = J/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
    constraints(a*dtheta + sin(theta)*dx - cos(theta)*dy = 0),
    methods(Dla2, Rattle),
)]
pub struct Sleigh {
    /// Moment of inertia.
    pub J: f64,
    /// Mass.
    pub m: f64,
    /// Distance of the blade behind the centre of mass.
    pub a: f64,
}

/// A particle in cylindrical coordinates that climbs as it turns: a mass matrix that depends on the
/// configuration.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(r, phi, z),
    lagrangian = m/2*(dot(r)^2 + r^2*dot(phi)^2 + dot(z)^2) - k/2*r^2 - m*g*z,
    constraints(climbing: dz - s*r*dphi),
    methods(Dla2, Rattle),
)]
pub struct Climber {
    /// Mass.
    pub m: f64,
    /// Stiffness of a spring to the axis.
    pub k: f64,
    /// Gravity.
    pub g: f64,
    /// Slope.
    pub s: f64,
}

/// A cart with two motors on a moving belt: an affine constraint, inputs, friction.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, theta),
    inputs(push, turn),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + J/2*dot(theta)^2,
    constraints(sin(theta)*(dx - belt*dt) - cos(theta)*dy),
    force = push*(cos(theta)*dx + sin(theta)*dy) + (turn - c[0]*dot(theta) - c[1]*sin(t))*dtheta,
    methods(Dla2, Rk4),
)]
pub struct Cart {
    /// Mass.
    pub m: f64,
    /// Moment of inertia.
    pub J: f64,
    /// Speed of the belt.
    pub belt: f64,
    /// Friction and amplitude of a disturbance.
    pub c: [f64; 2],
}

/// A coin that rolls in the plane under an input: a group factor.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(phi),
    group = SE2(theta, x, y; omega, v, v_perp),
    inputs(torque),
    lagrangian = m/2*(v^2 + v_perp^2) + I/2*omega^2 + J/2*dot(phi)^2,
    constraints(rolling: v - r*dot(phi) = 0, v_perp = 0),
    force = torque*dphi,
    methods(Rdp, Rkmk2),
)]
pub struct Coin {
    /// Mass.
    pub m: f64,
    /// Moment of inertia about the diameter.
    pub I: f64,
    /// Moment of inertia about the axis.
    pub J: f64,
    /// Radius.
    pub r: f64,
}
