//! Mobile robot with differential drive, its centre of mass ahead of the axle.

use crate::{Row, simulated};
use nhi_runtime::prelude::*;

/// Robot with centre of mass (x, y), heading θ and wheel angles φ_r, φ_l.
#[derive(Nonholonomic, Clone, Debug)]
#[expect(non_snake_case, reason = "Iz and Iw are moments of inertia, T1 and T2 torques")]
#[nonholonomic(
    coordinates(x, y, theta, phi_r, phi_l),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + Iz/2*dot(theta)^2 + Iw/2*(dot(phi_r)^2 + dot(phi_l)^2),
    constraints(
        lateral: -sin(theta)*dx + cos(theta)*dy - d*dtheta = 0,
        right: cos(theta)*dx + sin(theta)*dy + b*dtheta - r*dphi_r = 0,
        left: cos(theta)*dx + sin(theta)*dy - b*dtheta - r*dphi_l = 0,
    ),
    force = T1*sin(2*t)*dphi_r + T2*cos(3*t)*dphi_l,
    bodies(robot: pose(x, y, theta)),
    methods(
        Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Frame, FrameMidpoint, Rattle,
        RattleRestarted, GniMidpoint, GniEulerA, GniEulerB, Rk2Midpoint, Rk2Heun, Rk4
    ),
)]
pub struct MobileRobot {
    /// Mass.
    pub m: f64,
    /// Moment of inertia about the vertical.
    pub Iz: f64,
    /// Moment of inertia of a wheel about the axle.
    pub Iw: f64,
    /// Radius of the wheels.
    pub r: f64,
    /// Half the track width.
    pub b: f64,
    /// Distance of the centre of mass ahead of the axle.
    pub d: f64,
    /// Amplitude of the torque on the right wheel.
    pub T1: f64,
    /// Amplitude of the torque on the left wheel.
    pub T2: f64,
}

simulated!(MobileRobot);

/// Row of the model table.
pub const MODEL: Row<MobileRobot> = Row {
    name: "mobile_robot",
    on_group: false,
    build: |p| MobileRobot { m: p[0], Iz: p[1], Iw: p[2], r: p[3], b: p[4], d: p[5], T1: p[6], T2: p[7] },
    solution: None,
};
