//! A car with a trailer on SE(2) × R².

use super::chart::Charted;
use nhi_runtime::prelude::*;
use nhi_tests::oracle::{Equations, Number};

/// A car with a steered front wheel and a trailer: the pose is that of the middle of its rear axle,
/// `delta` the steering angle, `psi` the hitch angle. The engine pushes along the car, the air brakes it;
/// the steering has friction.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(delta, psi),
    group = SE2(theta, x, y; omega, v, w),
    inputs(drive, steer),
    let(
        hitch = w - a*omega,
        along = v*cos(psi) + hitch*sin(psi),
        across = -v*sin(psi) + hitch*cos(psi) - b*(omega + dot(psi)),
    ),
    lagrangian = m1/2*(v^2 + (w + c*omega)^2) + j1/2*omega^2
        + m2/2*(along^2 + across^2) + j2/2*(omega + dot(psi))^2
        + js/2*(omega + dot(delta))^2 - k/2*delta^2,
    constraints(
        rear: w = 0,
        front: -v*sin(delta) + (w + l*omega)*cos(delta) = 0,
        trailer: across = 0,
    ),
    force = (drive - air*v)*v*dt + (steer - friction*dot(delta))*ddelta + shake*sin(3*t)*dpsi,
    methods(Rdp, RdpMidpoint, RdpLeft, Rattle, RattleRestarted, GniMidpoint, Rkmk2, Rkmk4),
)]
pub(crate) struct Trailer {
    m1: f64,
    j1: f64,
    m2: f64,
    j2: f64,
    js: f64,
    l: f64,
    a: f64,
    b: f64,
    c: f64,
    k: f64,
    air: f64,
    friction: f64,
    shake: f64,
}

impl Trailer {
    pub(crate) const STANDARD: Self = Trailer {
        m1: 1.7,
        j1: 0.6,
        m2: 0.9,
        j2: 0.3,
        js: 0.05,
        l: 1.1,
        a: 0.3,
        b: 0.8,
        c: 0.5,
        k: 0.2,
        air: 0.15,
        friction: 0.2,
        shake: 0.1,
    };

    /// Velocity in space of the point (`s`, 0) of the car. Coordinates are (delta, psi, theta, x, y).
    fn at<D: Number>(q: &[D], v: &[D], s: f64) -> [D; 2] {
        let (sin, cos) = (q[2].sin(), q[2].cos());
        [v[3] - sin * v[2] * s, v[4] + cos * v[2] * s]
    }

    /// Velocity in space of the trailer's axle.
    fn axle<D: Number>(&self, q: &[D], v: &[D]) -> [D; 2] {
        let [hx, hy] = Self::at(q, v, -self.a);
        let heading = q[2] + q[1];
        let turning = (v[2] + v[1]) * self.b;
        [hx + heading.sin() * turning, hy - heading.cos() * turning]
    }
}

/// The part of a velocity to the left of a heading.
fn left<D: Number>([vx, vy]: [D; 2], heading: D) -> D {
    heading.cos() * vy - heading.sin() * vx
}

impl Equations for Trailer {
    fn lagrangian<D: Number>(&self, q: &[D], v: &[D]) -> D {
        let square = |[x, y]: [D; 2]| x * x + y * y;
        let twice = square(Self::at(q, v, self.c)) * self.m1
            + square(self.axle(q, v)) * self.m2
            + v[2] * v[2] * self.j1
            + (v[2] + v[1]) * (v[2] + v[1]) * self.j2
            + (v[2] + v[0]) * (v[2] + v[0]) * self.js
            - q[0] * q[0] * self.k;
        twice * 0.5
    }

    fn constraints<D: Number>(&self, q: &[D], v: &[D]) -> Vec<D> {
        vec![
            left([v[3], v[4]], q[2]),
            left(Self::at(q, v, self.l), q[2] + q[0]),
            left(self.axle(q, v), q[2] + q[1]),
        ]
    }

    fn force(&self, q: &[f64], v: &[f64], t: f64, inputs: &[f64]) -> Vec<f64> {
        let [drive, steer] = *inputs else { panic!("two inputs") };
        let (sin, cos) = q[2].sin_cos();
        let push = drive - self.air * (cos * v[3] + sin * v[4]);
        vec![steer - self.friction * v[0], self.shake * (3.0 * t).sin(), 0.0, push * cos, push * sin]
    }
}

impl Charted for Trailer {
    fn on_group(&self, q: &[f64], v: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (sin, cos) = q[2].sin_cos();
        let body = [v[2], cos * v[3] + sin * v[4], cos * v[4] - sin * v[3]];
        (q.to_vec(), [&v[..2], &body].concat())
    }
}
