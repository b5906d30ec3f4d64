//! Roller racer on SE(2) × R: two hinged bodies on wheels, moved by their hinge.

use crate::{Row, simulated};
use nhi_runtime::prelude::*;

/// Body 1 with its axle at (x, y), heading θ; a hinge `d1` ahead of it; body 2 with heading θ + φ and
/// its axle `d2` behind the hinge. The mass of each body sits at its axle.
#[derive(Nonholonomic, Clone, Debug)]
#[expect(non_snake_case, reason = "I1 and I2 are moments of inertia")]
#[nonholonomic(
    coordinates(phi),
    group = SE2(theta, x, y; omega, v, v_perp),
    let(
        hinge = v_perp + d1*omega,
        along = v*cos(phi) + hinge*sin(phi),
        across = -v*sin(phi) + hinge*cos(phi) + d2*(omega + dot(phi)),
    ),
    lagrangian = m1/2*(v^2 + v_perp^2) + I1/2*omega^2 + I2/2*(omega + dot(phi))^2
               + m2/2*(along^2 + across^2),
    constraints(first: v_perp = 0, second: across = 0),
    force = c*cos(w*t)*dphi,
    bodies(
        first: pose(x, y, theta),
        second: pose(
            x + d1*cos(theta) - d2*cos(theta + phi),
            y + d1*sin(theta) - d2*sin(theta + phi),
            theta + phi,
        ),
    ),
    methods(all),
)]
pub struct RollerRacer {
    /// Mass of body 1.
    pub m1: f64,
    /// Moment of inertia of body 1.
    pub I1: f64,
    /// Mass of body 2.
    pub m2: f64,
    /// Moment of inertia of body 2.
    pub I2: f64,
    /// Distance of the hinge from the axle of body 1.
    pub d1: f64,
    /// Distance of the hinge from the axle of body 2.
    pub d2: f64,
    /// Amplitude of the torque at the hinge.
    pub c: f64,
    /// Angular frequency of the torque.
    pub w: f64,
}

simulated!(RollerRacer, on a group);

/// Row of the model table: a light second body, without torque.
pub const MODEL: Row<RollerRacer> = Row {
    name: "roller_racer",
    on_group: true,
    build: |p| RollerRacer { m1: p[0], I1: p[1], m2: p[2], I2: p[3], d1: p[4], d2: p[5], c: p[6], w: p[7] },
    solution: None,
};
