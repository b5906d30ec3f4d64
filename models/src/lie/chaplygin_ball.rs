//! Balls that roll on a plane or a turntable: Chaplygin's sphere, whose centre of mass is at its
//! centre, and his top, where it is not.

use super::rotation;
use crate::{Invariant, Row, simulated};
use nhi_runtime::prelude::*;

/// Ball with its centre above (x, y), the centre of mass at (c1, c2, c3) in the body, on a table that
/// turns with angular velocity `Om`. No slip for the angular velocity R ω in space.
#[derive(Nonholonomic, Clone, Debug)]
#[expect(non_snake_case, reason = "I1, I2, I3 are moments of inertia, Om is an angular velocity")]
#[nonholonomic(
    coordinates(x, y),
    group = SO3(R; w1, w2, w3),
    let(
        // Angular velocity in space.
        along_x = R[0][0]*w1 + R[0][1]*w2 + R[0][2]*w3,
        along_y = R[1][0]*w1 + R[1][1]*w2 + R[1][2]*w3,
        // Velocity of the centre of mass against the centre, in the body.
        u1 = w2*c3 - w3*c2,
        u2 = w3*c1 - w1*c3,
        u3 = w1*c2 - w2*c1,
        height = R[2][0]*c1 + R[2][1]*c2 + R[2][2]*c3,
    ),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2 + u1^2 + u2^2 + u3^2)
               + m*dot(x)*(R[0][0]*u1 + R[0][1]*u2 + R[0][2]*u3)
               + m*dot(y)*(R[1][0]*u1 + R[1][1]*u2 + R[1][2]*u3)
               + (I1*w1^2 + I2*w2^2 + I3*w3^2)/2 - m*gr*height,
    constraints(
        rolling_x: dot(x) - r*along_y + Om*y = 0,
        rolling_y: dot(y) + r*along_x - Om*x = 0,
    ),
    methods(all),
)]
pub struct ChaplyginBall {
    /// Mass.
    pub m: f64,
    /// First principal moment of inertia about the centre of mass.
    pub I1: f64,
    /// Second principal moment of inertia about the centre of mass.
    pub I2: f64,
    /// Third principal moment of inertia about the centre of mass.
    pub I3: f64,
    /// Radius.
    pub r: f64,
    /// Angular velocity of the table.
    pub Om: f64,
    /// Centre of mass along the first axis of the body.
    pub c1: f64,
    /// Centre of mass along the second axis of the body.
    pub c2: f64,
    /// Centre of mass along the third axis of the body.
    pub c3: f64,
    /// Acceleration of gravity.
    pub gr: f64,
}

simulated!(ChaplyginBall, on a group);

impl ChaplyginBall {
    /// R I ω + m r e₃ × (x', y', 0), the angular momentum about the point of contact, which is conserved
    /// with the centre of mass at the centre.
    fn contact_momentum(&self, q: &[f64; 11], v: &[f64; 5]) -> [f64; 3] {
        let body = [self.I1 * v[2], self.I2 * v[3], self.I3 * v[4]];
        let spin = |i: usize| q[2 + 3 * i] * body[0] + q[3 + 3 * i] * body[1] + q[4 + 3 * i] * body[2];
        let lever = self.m * self.r;
        [spin(0) - lever * v[1], spin(1) + lever * v[0], spin(2)]
    }

    /// E − Ω (m (x y' − y x') + (R I ω)₃), likewise.
    fn moving_energy(&self, q: &[f64; 11], v: &[f64; 5]) -> f64 {
        let rotation = self.I1 * v[2].powi(2) + self.I2 * v[3].powi(2) + self.I3 * v[4].powi(2);
        let energy = (self.m * (v[0].powi(2) + v[1].powi(2)) + rotation) / 2.0;
        energy - self.Om * (self.m * (q[0] * v[1] - q[1] * v[0]) + self.contact_momentum(q, v)[2])
    }
}

/// Row of the model table: Chaplygin's sphere on a table at rest.
pub const MODEL: Row<ChaplyginBall> = Row {
    name: "chaplygin_ball",
    summary: "Chaplygin sphere, a balanced ball with three moments of inertia",
    reference_coordinates: &["x", "y", "R11", "R12", "R13", "R21", "R22", "R23", "R31", "R32", "R33"],
    defaults: ChaplyginBall {
        m: 3.0,
        I1: 1.0,
        I2: 1.1,
        I3: 1.2,
        r: 1.0,
        Om: 0.0,
        c1: 0.0,
        c2: 0.0,
        c3: 0.0,
        gr: 0.0,
    },
    build: |p| ChaplyginBall {
        m: p[0],
        I1: p[1],
        I2: p[2],
        I3: p[3],
        r: p[4],
        Om: p[5],
        c1: p[6],
        c2: p[7],
        c3: p[8],
        gr: p[9],
    },
    initial: |s| {
        let (x, y, [w1, w2, w3]) = (0.4, -0.3, [0.6, -0.7, 0.9]);
        let g = rotation([0.3, -0.5, 0.4]);
        let in_space = |i: usize| g[3 * i] * w1 + g[3 * i + 1] * w2 + g[3 * i + 2] * w3;
        let mut q = [x, y, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        q[2..].copy_from_slice(&g);
        (q.into(), [s.r * in_space(1) - s.Om * y, -s.r * in_space(0) + s.Om * x, w1, w2, w3])
    },
    conservative: true,
    invariants: &[
        Invariant { name: "K1", value: |s, q, v| s.contact_momentum(q.entries(), v)[0] },
        Invariant { name: "K2", value: |s, q, v| s.contact_momentum(q.entries(), v)[1] },
        Invariant { name: "K3", value: |s, q, v| s.contact_momentum(q.entries(), v)[2] },
        Invariant { name: "moving_energy", value: |s, q, v| s.moving_energy(q.entries(), v) },
    ],
    solution: None,
};

/// Row of the model table: Chaplygin's top.
pub const TOP: Row<ChaplyginBall> = Row {
    name: "chaplygin_top",
    summary: "Chaplygin top, a rolling ball whose centre of mass is not at its centre",
    defaults: ChaplyginBall { c1: 0.1, c2: -0.05, c3: 0.2, gr: 1.0, ..MODEL.defaults },
    invariants: &[],
    ..MODEL
};
