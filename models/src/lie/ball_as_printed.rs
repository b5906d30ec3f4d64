//! Ball on a turntable as in equations (40) and (41) of Ferraro, Jiménez & Martín de Diego, *New
//! developments on the Geometric Nonholonomic Integrator*: the *body* components of the angular
//! velocity enter the rolling conditions.
//!
//! With equal moments of inertia (x, y) moves as that of a rolling ball and ω is its angular velocity
//! in space; R is not its attitude. With others it is another system than a ball:
//! [`chaplygin_ball`](super::chaplygin_ball).

use crate::{Row, simulated};
use nhi_runtime::prelude::*;

/// Ball with its centre above (x, y) on a table that turns with angular velocity `Om`.
#[derive(Nonholonomic, Clone, Debug)]
#[expect(non_snake_case, reason = "I1, I2, I3 are moments of inertia, Om is an angular velocity")]
#[nonholonomic(
    coordinates(x, y),
    group = SO3(R; w1, w2, w3),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + (I1*w1^2 + I2*w2^2 + I3*w3^2)/2,
    constraints(
        rolling_x: dot(x) - r*w2 + Om*y = 0,
        rolling_y: dot(y) + r*w1 - Om*x = 0,
    ),
    methods(all),
)]
pub struct BallAsPrinted {
    /// Mass.
    pub m: f64,
    /// First principal moment of inertia.
    pub I1: f64,
    /// Second principal moment of inertia.
    pub I2: f64,
    /// Third principal moment of inertia.
    pub I3: f64,
    /// Radius.
    pub r: f64,
    /// Angular velocity of the table.
    pub Om: f64,
}

simulated!(BallAsPrinted, on a group);

impl BallAsPrinted {
    /// (x, y) and its velocity at time t for equal moments of inertia: with ζ = x + i y,
    /// ζ(t) = ζ₀ + ζ̇₀ (exp(iκt) − 1)/(iκ), κ = Ω I/(I + m r²) ≠ 0.
    pub fn orbit(&self, q0: [f64; 2], v0: [f64; 2], t: f64) -> ([f64; 2], [f64; 2]) {
        let rate = self.Om * self.I1 / (self.I1 + self.m * self.r.powi(2));
        let (sin, cos) = (rate * t).sin_cos();
        let (along, across) = (sin / rate, (1.0 - cos) / rate);
        let q = [q0[0] + along * v0[0] - across * v0[1], q0[1] + across * v0[0] + along * v0[1]];
        (q, [cos * v0[0] - sin * v0[1], sin * v0[0] + cos * v0[1]])
    }
}

/// Row of the model table: the homogeneous ball.
pub const MODEL: Row<BallAsPrinted> = Row {
    name: "ball_as_printed",
    on_group: true,
    build: |p| BallAsPrinted { m: p[0], I1: p[1], I2: p[2], I3: p[3], r: p[4], Om: p[5] },
    solution: None,
};
