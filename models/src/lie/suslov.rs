//! Suslov's problem on SO(3) (García-Naranjo & Jiménez, *The geometric discretisation of the Suslov
//! problem*).

use crate::{Row, simulated};
use nhi_runtime::prelude::*;

/// Rigid body that may not turn about its third axis, in axes with I₁₂ = 0.
#[derive(Nonholonomic, Clone, Debug)]
#[expect(non_snake_case, reason = "moments of inertia")]
#[nonholonomic(
    group = SO3(R; w1, w2, w3),
    lagrangian = (I11*w1^2 + I22*w2^2 + I33*w3^2)/2 + (I13*w1 + I23*w2)*w3,
    constraints(w3 = 0),
    methods(all),
)]
pub struct Suslov {
    /// Moment of inertia about the first axis.
    pub I11: f64,
    /// Moment of inertia about the second axis.
    pub I22: f64,
    /// Moment of inertia about the third axis.
    pub I33: f64,
    /// Product of inertia.
    pub I13: f64,
    /// Product of inertia.
    pub I23: f64,
}

simulated!(Suslov, on a group);

impl Suslov {
    /// (ω₁, ω₂) in closed form, a time `s` after the fastest turn of its direction, for a body of energy
    /// `energy`: ω₁ = √(2E/I₁₁) cos ϑ, ω₂ = √(2E/I₂₂) sin ϑ with sin(ϑ − ϑ₀) = tanh κs.
    pub fn velocities(&self, energy: f64, s: f64) -> [f64; 2] {
        let (one, two) = ((2.0 * energy / self.I11).sqrt(), (2.0 * energy / self.I22).sqrt());
        let (x, y) = (self.I13 * one, self.I23 * two);
        let rate = x.hypot(y) / (self.I11 * self.I22).sqrt();
        let angle = y.atan2(x) + (rate * s).tanh().asin();
        [one * angle.cos(), two * angle.sin()]
    }
}

/// Row of the model table.
pub const MODEL: Row<Suslov> = Row {
    name: "suslov",
    on_group: true,
    build: |p| Suslov { I11: p[0], I22: p[1], I33: p[2], I13: p[3], I23: p[4] },
    solution: None,
};
