//! Snakeboard on SE(2) × R² (Kobilarov, Martín de Diego & Ferraro, *Simulating Nonholonomic Dynamics*,
//! section 7).

use crate::{Invariant, Row, simulated};
use core::f64::consts::PI;
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

impl Snakeboard {
    /// v at steering angle `phi` for its rates and nonholonomic momentum p₁ along
    /// e₁ = (sin 2φ, −2 l cos²φ, 0).
    pub fn velocity(&self, phi: f64, dpsi: f64, dphi: f64, p1: f64) -> [f64; 5] {
        let (sin, cos) = ((2.0 * phi).sin(), phi.cos());
        let s = (p1 - self.I * sin * dpsi) / (4.0 * self.m * (self.l * cos).powi(2));
        [dpsi, dphi, s * sin, -2.0 * self.l * s * cos.powi(2), 0.0]
    }
}

/// Row of the model table: without torques, which leaves φ' constant.
pub const MODEL: Row<Snakeboard> = Row {
    name: "snakeboard",
    summary: "snakeboard on SE(2) x R^2",
    reference_coordinates: &["psi", "phi", "theta", "x", "y"],
    defaults: Snakeboard { m: 1.0, l: 1.0, I: 0.5, J: 0.125, c1: 0.0, w1: 20.0 * PI, c2: 0.0, w2: 2.0 * PI },
    build: |p| Snakeboard { m: p[0], l: p[1], I: p[2], J: p[3], c1: p[4], w1: p[5], c2: p[6], w2: p[7] },
    initial: |s| ([PI / 2.0, PI / 3.0, 0.0, 0.0, 0.0].into(), s.velocity(PI / 3.0, 2.5, -0.02, -1.0)),
    conservative: true,
    invariants: &[Invariant { name: "steering", value: |_, _, v| v[1] }],
    solution: None,
};
