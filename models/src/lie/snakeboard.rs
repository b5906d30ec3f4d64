//! Snakeboard on SE(2) × R² (Kobilarov, Martín de Diego & Ferraro, *Simulating Nonholonomic Dynamics*,
//! section 7).

use crate::{Row, simulated};
use nhi_runtime::prelude::*;

/// Board at (x, y) with heading θ, rotor angle ψ and steering angles φ, −φ of the wheel pairs.
#[derive(Nonholonomic, Clone, Debug)]
#[expect(non_snake_case, reason = "I and J are moments of inertia")]
#[nonholonomic(
    coordinates(psi, phi),
    group = SE2(theta, x, y; omega, v, v_perp),
    lagrangian = m/2*(v^2 + v_perp^2) + m*l^2/2*omega^2 + I*dot(psi)*(dot(psi)/2 + omega) + J*dot(phi)^2,
    constraints(
        back: -l*cos(phi)*omega - sin(phi)*v + cos(phi)*v_perp = 0,
        front: l*cos(phi)*omega + sin(phi)*v + cos(phi)*v_perp = 0,
    ),
    force = c1*cos(w1*t)*dpsi + c2*sin(w2*t)*dphi,
    bodies(
        board: pose(x, y, theta),
        back: pose(x - l*cos(theta), y - l*sin(theta), theta + phi),
        front: pose(x + l*cos(theta), y + l*sin(theta), theta - phi),
    ),
    methods(all),
)]
pub struct Snakeboard {
    /// Total mass.
    pub m: f64,
    /// Half the length of the board; `m l²` is the total yaw inertia.
    pub l: f64,
    /// Moment of inertia of the rotor.
    pub I: f64,
    /// Moment of inertia of one wheel pair.
    pub J: f64,
    /// Amplitude of the rotor torque.
    pub c1: f64,
    /// Angular frequency of the rotor torque.
    pub w1: f64,
    /// Amplitude of the steering torque.
    pub c2: f64,
    /// Angular frequency of the steering torque.
    pub w2: f64,
}

simulated!(Snakeboard, on a group);

/// Row of the model table: without torques, which leaves φ' constant.
pub const MODEL: Row<Snakeboard> = Row {
    name: "snakeboard",
    on_group: true,
    build: |p| Snakeboard { m: p[0], l: p[1], I: p[2], J: p[3], c1: p[4], w1: p[5], c2: p[6], w2: p[7] },
    solution: None,
};
