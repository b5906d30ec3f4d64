//! Two-wheeled robot on SE(2) × R²: a connection alone, no momenta (Kobilarov, Martín de Diego &
//! Ferraro, *Simulating Nonholonomic Dynamics*).

use crate::{Row, simulated};
use nhi_runtime::prelude::*;

/// Robot at the middle (x, y) of its axle, driven by the angles of its wheels.
#[derive(Nonholonomic, Clone, Debug)]
#[expect(non_snake_case, reason = "J and Jw are moments of inertia")]
#[nonholonomic(
    coordinates(left, right),
    group = SE2(theta, x, y; omega, v, v_perp),
    lagrangian = m/2*(v^2 + (v_perp + d*omega)^2) + J/2*omega^2 + Jw/2*(dot(left)^2 + dot(right)^2),
    constraints(
        turning: rho/(2*w)*(dot(left) - dot(right)) + omega = 0,
        rolling: -rho/2*(dot(left) + dot(right)) + v = 0,
        skidding: v_perp = 0,
    ),
    force = c*cos(w1*t)*dleft + c2*sin(w1*t)*dright,
    methods(all),
)]
pub struct TwoWheeledRobot {
    /// Mass.
    pub m: f64,
    /// Moment of inertia about the centre of mass.
    pub J: f64,
    /// Moment of inertia of a wheel.
    pub Jw: f64,
    /// Radius of the wheels.
    pub rho: f64,
    /// Half the distance of the wheels.
    pub w: f64,
    /// Distance of the centre of mass in front of the axle.
    pub d: f64,
    /// Amplitude of the torque on the left wheel.
    pub c: f64,
    /// Amplitude of the torque on the right wheel.
    pub c2: f64,
    /// Angular frequency of the torques.
    pub w1: f64,
}

simulated!(TwoWheeledRobot, on a group);

/// Row of the model table: without torques.
pub const MODEL: Row<TwoWheeledRobot> = Row {
    name: "two_wheeled_robot",
    on_group: true,
    build: |p| TwoWheeledRobot {
        m: p[0],
        J: p[1],
        Jw: p[2],
        rho: p[3],
        w: p[4],
        d: p[5],
        c: p[6],
        c2: p[7],
        w1: p[8],
    },
    solution: None,
};
