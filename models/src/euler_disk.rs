//! Euler's disk: a disk that rolls without slipping and may tilt, under gravity. The mass matrix
//! depends on the configuration and is singular when the disk lies flat (θ = 0, π).

use crate::{Row, simulated};
use nhi_runtime::prelude::*;

/// Disk in contact at (x, y), heading φ, angle θ between its axis and the vertical, rolling angle ψ.
#[derive(Nonholonomic, Clone, Debug)]
#[expect(non_snake_case, reason = "I1 and I3 are moments of inertia, R a radius")]
#[nonholonomic(
    coordinates(x, y, phi, theta, psi),
    let(
        x_c = x - R*sin(phi)*cos(theta),
        y_c = y + R*cos(phi)*cos(theta),
        z_c = R*sin(theta),
        spin = dot(psi) + dot(phi)*cos(theta),
    ),
    lagrangian = m/2*(dot(x_c)^2 + dot(y_c)^2 + dot(z_c)^2)
               + I1/2*(dot(theta)^2 + dot(phi)^2*sin(theta)^2) + I3/2*spin^2 - m*g*z_c,
    constraints(
        rolling_x: dx + R*cos(phi)*dpsi = 0,
        rolling_y: dy + R*sin(phi)*dpsi = 0,
    ),
    methods(
        Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Rattle,
        RattleRestarted, GniMidpoint, GniEulerA, GniEulerB, Rk2Midpoint, Rk2Heun, Rk4
    ),
)]
pub struct EulerDisk {
    /// Mass.
    pub m: f64,
    /// Radius.
    pub R: f64,
    /// Moment of inertia about a diameter.
    pub I1: f64,
    /// Moment of inertia about the axis.
    pub I3: f64,
    /// Gravitational acceleration.
    pub g: f64,
}

simulated!(EulerDisk);

/// Row of the model table.
pub const MODEL: Row<EulerDisk> = Row {
    name: "euler_disk",
    on_group: false,
    build: |p| EulerDisk { m: p[0], R: p[1], I1: p[2], I3: p[3], g: p[4] },
    solution: None,
};
