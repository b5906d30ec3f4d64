//! Chaplygin sleigh on SE(2) (Kobilarov, Martín de Diego & Ferraro, *Simulating Nonholonomic Dynamics*,
//! section 6).

use crate::{Row, simulated};
use nhi_runtime::prelude::*;

/// Planar rigid body on a skate blade mounted a distance `a` behind its centre of mass (x, y), whose
/// velocity is `v` along the body and `v_perp` to its left.
#[derive(Nonholonomic, Clone, Debug)]
#[expect(non_snake_case, reason = "I is a moment of inertia")]
#[nonholonomic(
    group = SE2(theta, x, y; omega, v, v_perp),
    lagrangian = I/2*omega^2 + m/2*(v^2 + v_perp^2),
    constraints(blade: a*omega - v_perp = 0),
    methods(all),
)]
pub struct ChaplyginSleigh {
    /// Mass.
    pub m: f64,
    /// Moment of inertia about the centre of mass.
    pub I: f64,
    /// Distance of the blade behind the centre of mass.
    pub a: f64,
}

simulated!(ChaplyginSleigh, on a group);

impl ChaplyginSleigh {
    /// The angular velocity and the speed along the body in closed form, a time `s` after the latter
    /// was zero, for a sleigh of energy `energy` that turns counter-clockwise. They solve
    /// ω' = −k v ω, v' = a ω² with k = m a/(I + m a²).
    pub fn velocities(&self, energy: f64, s: f64) -> (f64, f64) {
        let inertia = self.I + self.m * self.a.powi(2);
        let (omega, v) = ((2.0 * energy / inertia).sqrt(), (2.0 * energy / self.m).sqrt());
        let rate = self.m * self.a / inertia * v;
        (omega / (rate * s).cosh(), v * (rate * s).tanh())
    }
}

/// Row of the model table.
pub const MODEL: Row<ChaplyginSleigh> = Row {
    name: "chaplygin_sleigh",
    on_group: true,
    build: |p| ChaplyginSleigh { m: p[0], I: p[1], a: p[2] },
    solution: None,
};
