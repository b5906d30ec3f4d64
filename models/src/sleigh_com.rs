//! Chaplygin sleigh in the coordinates of its centre of mass (Kobilarov, Martín de Diego & Ferraro,
//! *Simulating Nonholonomic Dynamics*, section 6).

use crate::{Row, simulated};
use nhi_runtime::prelude::*;

/// Planar rigid body on a skate blade mounted a distance `a` behind its centre of mass (x, y).
#[derive(Nonholonomic, Clone, Debug)]
#[expect(non_snake_case, reason = "I is a moment of inertia")]
#[nonholonomic(
    coordinates(theta, x, y),
    lagrangian = I/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
    constraints(blade: a*dtheta + sin(theta)*dx - cos(theta)*dy = 0),
    methods(
        Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Frame, FrameMidpoint, Rattle,
        RattleRestarted, GniMidpoint, GniEulerA, GniEulerB, Rk2Midpoint, Rk2Heun, Rk4
    ),
)]
pub struct SleighCom {
    /// Mass.
    pub m: f64,
    /// Moment of inertia about the centre of mass.
    pub I: f64,
    /// Distance of the blade behind the centre of mass.
    pub a: f64,
}

simulated!(SleighCom);

impl SleighCom {
    /// v at heading `theta` for angular velocity `omega` and blade speed `u`.
    pub fn velocity(&self, theta: f64, omega: f64, u: f64) -> [f64; 3] {
        let (sin, cos) = theta.sin_cos();
        [omega, u * cos - self.a * omega * sin, u * sin + self.a * omega * cos]
    }

    /// The motion in closed form: (Δθ, ω, u), the angle turned, angular velocity and blade speed, a time
    /// `s` after the blade stood still, for a sleigh of energy `energy` that turns counter-clockwise.
    /// It solves ω' = −k u ω, u' = a ω² with k = m a / (I + m a²).
    pub fn reduced(&self, energy: f64, s: f64) -> (f64, f64, f64) {
        let inertia = self.I + self.m * self.a.powi(2);
        let (omega, u) = ((2.0 * energy / inertia).sqrt(), (2.0 * energy / self.m).sqrt());
        let rate = self.m * self.a / inertia * u;
        let turned = 2.0 * omega / rate * (rate * s / 2.0).tanh().atan();
        (turned, omega / (rate * s).cosh(), u * (rate * s).tanh())
    }
}

/// Row of the model table.
pub const MODEL: Row<SleighCom> = Row {
    name: "sleigh_com",
    on_group: false,
    build: |p| SleighCom { m: p[0], I: p[1], a: p[2] },
    solution: None,
};
