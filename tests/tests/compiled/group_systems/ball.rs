//! A ball on a tilted plane: SO(3) × R².

use super::chart::{Charted, angular_velocity, apply, cross, dot, rotation};
use nhi_runtime::prelude::*;
use nhi_tests::oracle::{Equations, Number};

/// A ball with its centre above (x, y) of a plane that falls along x by the angle `tilt`; its centre of
/// mass is at (c1, c2, c3) in the body. Its spinning is damped about the body's third axis.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y),
    group = SO3(R; w1, w2, w3),
    let(
        u1 = w2*c3 - w3*c2,
        u2 = w3*c1 - w1*c3,
        u3 = w1*c2 - w2*c1,
        mass_x = x + R[0][0]*c1 + R[0][1]*c2 + R[0][2]*c3,
        mass_z = R[2][0]*c1 + R[2][1]*c2 + R[2][2]*c3,
    ),
    lagrangian = m/2*((dot(x) + R[0][0]*u1 + R[0][1]*u2 + R[0][2]*u3)^2
                    + (dot(y) + R[1][0]*u1 + R[1][1]*u2 + R[1][2]*u3)^2
                    + (R[2][0]*u1 + R[2][1]*u2 + R[2][2]*u3)^2)
               + (i1*w1^2 + i2*w2^2 + i3*w3^2)/2
               + m*g*(sin(tilt)*mass_x - cos(tilt)*mass_z),
    constraints(
        rolling_x: dx - r*(R[1][0]*w1 + R[1][1]*w2 + R[1][2]*w3)*dt = 0,
        rolling_y: dy + r*(R[0][0]*w1 + R[0][1]*w2 + R[0][2]*w3)*dt = 0,
    ),
    force = -damping*w3*w3*dt,
    methods(Rdp, RdpRight, Rattle, RattleRestarted, Rkmk2, Rkmk4),
)]
pub(crate) struct TiltedBall {
    m: f64,
    i1: f64,
    i2: f64,
    i3: f64,
    r: f64,
    c1: f64,
    c2: f64,
    c3: f64,
    g: f64,
    tilt: f64,
    damping: f64,
}

impl TiltedBall {
    pub(crate) const STANDARD: Self = TiltedBall {
        m: 1.4,
        i1: 0.5,
        i2: 0.6,
        i3: 0.8,
        r: 0.9,
        c1: 0.1,
        c2: -0.15,
        c3: 0.2,
        g: 3.0,
        tilt: 0.3,
        damping: 0.2,
    };
}

/// Coordinates are x, y and Euler's angles.
fn split<D: Number>(q: &[D]) -> [D; 3] {
    [q[2], q[3], q[4]]
}

impl Equations for TiltedBall {
    fn lagrangian<D: Number>(&self, q: &[D], v: &[D]) -> D {
        let rows = rotation(split(q));
        let spin = angular_velocity(split(q), split(v));
        let c = [self.c1, self.c2, self.c3].map(D::from);
        let [ux, uy, uz] = apply(rows, cross(spin, c));
        let [cx, _, cz] = apply(rows, c);
        let mass = [v[0] + ux, v[1] + uy, uz];
        let turning = spin[0] * spin[0] * self.i1 + spin[1] * spin[1] * self.i2 + spin[2] * spin[2] * self.i3;
        let down = (q[0] + cx) * self.tilt.sin() - cz * self.tilt.cos();
        (dot(mass, mass) * self.m + turning) * 0.5 + down * (self.m * self.g)
    }

    fn constraints<D: Number>(&self, q: &[D], v: &[D]) -> Vec<D> {
        let [x, y, _] = apply(rotation(split(q)), angular_velocity(split(q), split(v)));
        vec![v[0] - y * self.r, v[1] + x * self.r]
    }

    /// A torque about the body's third axis does the work (cos b da + dc) on Euler's angles.
    fn force(&self, q: &[f64], v: &[f64], _t: f64, _inputs: &[f64]) -> Vec<f64> {
        let torque = -self.damping * (q[3].cos() * v[2] + v[4]);
        vec![0.0, 0.0, torque * q[3].cos(), 0.0, torque]
    }
}

impl Charted for TiltedBall {
    fn on_group(&self, q: &[f64], v: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let rows = rotation(split(q));
        let spin = angular_velocity(split(q), split(v));
        ([&q[..2], rows.as_flattened()].concat(), [&v[..2], &spin].concat())
    }
}
