//! Vehicles on a plane.
#![allow(non_snake_case, reason = "parameters are called what the books call them")]

use super::cosine_and_sine;
use nhi_runtime::prelude::*;
use nhi_tests::oracle::{DualNum as _, Equations, Number, rate};

/// A disk that rolls upright and is steered, with a small mass fixed off its centre.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, phi, theta),
    let(
        px = x + e*sin(theta)*cos(phi),
        py = y + e*sin(theta)*sin(phi),
        pz = -e*cos(theta),
    ),
    lagrangian = M/2*(dot(x)^2 + dot(y)^2) + J/2*dot(phi)^2 + I/2*dot(theta)^2
        + m/2*(dot(px)^2 + dot(py)^2 + dot(pz)^2) - m*g*pz,
    constraints(
        dx - R*cos(phi)*dtheta = 0,
        sideways: dy - R*sin(phi)*dtheta = 0,
    ),
    methods(Dla2, DlaRattle, Rattle, Rk4),
)]
pub(crate) struct EccentricDisk {
    pub M: f64,
    pub m: f64,
    pub J: f64,
    pub I: f64,
    pub R: f64,
    pub e: f64,
    pub g: f64,
}

impl Default for EccentricDisk {
    fn default() -> Self {
        EccentricDisk { M: 1.3, m: 0.4, J: 0.11, I: 0.23, R: 0.7, e: 0.45, g: 2.1 }
    }
}

impl Equations for EccentricDisk {
    fn lagrangian<D: Number>(&self, q: &[D], v: &[D]) -> D {
        let height = |theta: D| theta.cos() * -self.e;
        let [vx, vy, vz] = rate(q, v, |q| {
            let (cos, sin) = cosine_and_sine(q[2]);
            let out = q[3].sin() * self.e;
            [q[0] + out * cos, q[1] + out * sin, q[3].cos() * -self.e]
        });
        let disk = (v[0] * v[0] + v[1] * v[1]) * self.M + v[2] * v[2] * self.J + v[3] * v[3] * self.I;
        let mass = (vx * vx + vy * vy + vz * vz) * self.m;
        (disk + mass) * 0.5 - height(q[3]) * (self.m * self.g)
    }

    fn constraints<D: Number>(&self, q: &[D], v: &[D]) -> Vec<D> {
        let (cos, sin) = cosine_and_sine(q[2]);
        vec![v[0] - cos * v[3] * self.R, v[1] - sin * v[3] * self.R]
    }
}

/// A tractor with a steered front wheel and a trailer behind its rear axle: `(x, y)` is the middle
/// of that axle, `psi` the hitch angle.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, theta, delta, psi),
    inputs(drive, steer),
    let(
        tx = x - a*cos(theta) - b*cos(theta + psi),
        ty = y - a*sin(theta) - b*sin(theta + psi),
    ),
    lagrangian = m1/2*(d_cx^2 + d_cy^2) + J1/2*dot(theta)^2
        + m2/2*(dot(tx)^2 + dot(ty)^2) + J2/2*(dot(theta) + dot(psi))^2
        + Js/2*(dot(theta) + dot(delta))^2,
    let(d_cx = dot(x + c*cos(theta)), d_cy = dot(y + c*sin(theta))),
)]
#[nonholonomic(
    constraints(
        rear: sin(theta)*dx - cos(theta)*dy = 0,
        front: sin(theta + delta)*d(x + l*cos(theta)) - cos(theta + delta)*d(y + l*sin(theta)) = 0,
        trailer: sin(theta + psi)*d(tx) - cos(theta + psi)*d(ty),
    ),
    force = drive*(cos(theta)*dx + sin(theta)*dy) + (steer - friction*dot(delta))*ddelta,
    methods(Dla2, DlaRattle, Rattle, Rk4),
)]
pub(crate) struct Tractor {
    pub m1: f64,
    pub J1: f64,
    pub m2: f64,
    pub J2: f64,
    pub Js: f64,
    pub l: f64,
    pub a: f64,
    pub b: f64,
    pub c: f64,
    pub friction: f64,
}

impl Default for Tractor {
    fn default() -> Self {
        Tractor {
            m1: 1.7,
            J1: 0.6,
            m2: 0.9,
            J2: 0.3,
            Js: 0.05,
            l: 1.1,
            a: 0.3,
            b: 0.8,
            c: 0.5,
            friction: 0.2,
        }
    }
}

impl Tractor {
    /// Velocity at distance `s` ahead of the rear axle.
    fn velocity<D: Number>(&self, q: &[D], v: &[D], s: f64) -> [D; 2] {
        let (cos, sin) = cosine_and_sine(q[2]);
        [v[0] - sin * v[2] * s, v[1] + cos * v[2] * s]
    }

    /// Velocity of the middle of the trailer's axle.
    fn trailer<D: Number>(&self, q: &[D], v: &[D]) -> [D; 2] {
        let [hx, hy] = self.velocity(q, v, -self.a);
        let (cos, sin) = cosine_and_sine(q[2] + q[4]);
        let turning = (v[2] + v[4]) * self.b;
        [hx + sin * turning, hy - cos * turning]
    }
}

/// The part of a velocity across a wheel with the given heading.
fn slip<D: Number>([vx, vy]: [D; 2], heading: D) -> D {
    heading.sin() * vx - heading.cos() * vy
}

impl Equations for Tractor {
    fn lagrangian<D: Number>(&self, q: &[D], v: &[D]) -> D {
        let square = |[x, y]: [D; 2]| x * x + y * y;
        let spin = |w: D, inertia: f64| w * w * inertia;
        let twice = square(self.velocity(q, v, self.c)) * self.m1
            + square(self.trailer(q, v)) * self.m2
            + spin(v[2], self.J1)
            + spin(v[2] + v[4], self.J2)
            + spin(v[2] + v[3], self.Js);
        twice * 0.5
    }

    fn constraints<D: Number>(&self, q: &[D], v: &[D]) -> Vec<D> {
        vec![
            slip([v[0], v[1]], q[2]),
            slip(self.velocity(q, v, self.l), q[2] + q[3]),
            slip(self.trailer(q, v), q[2] + q[4]),
        ]
    }

    fn force(&self, q: &[f64], v: &[f64], _t: f64, inputs: &[f64]) -> Vec<f64> {
        let [drive, steer] = *inputs else { panic!("two inputs") };
        vec![drive * q[2].cos(), drive * q[2].sin(), 0.0, steer - self.friction * v[3], 0.0]
    }
}

/// A blade on a conveyor belt that moves along x, with friction towards the belt, a motor, and a
/// torque that depends on time.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, phi),
    inputs(motor, torque),
    let(sx = dot(x) - w, shake = A*sin(omega*t)),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + J/2*dot(phi)^2 + m*s*dot(phi)*(cos(phi)*dot(y) - sin(phi)*dot(x)),
    constraints(sin(phi)*(dx - w*dt) - cos(phi)*dy = 0),
    force = -c*sqrt(eps^2 + sx^2 + dot(y)^2)*(sx*dx + dot(y)*dy)
        + motor*(cos(phi)*dx + sin(phi)*dy) + (torque + shake)*dphi,
    methods(Dla2, DlaRattle, Rattle, Rk4),
)]
pub(crate) struct Conveyor {
    pub m: f64,
    pub J: f64,
    pub s: f64,
    pub w: f64,
    pub c: f64,
    pub eps: f64,
    pub A: f64,
    pub omega: f64,
}

impl Default for Conveyor {
    fn default() -> Self {
        Conveyor { m: 1.2, J: 0.5, s: 0.25, w: 0.6, c: 0.35, eps: 0.3, A: 0.4, omega: 1.9 }
    }
}

impl Equations for Conveyor {
    fn lagrangian<D: Number>(&self, q: &[D], v: &[D]) -> D {
        let (cos, sin) = cosine_and_sine(q[2]);
        let centre = [v[0] - sin * v[2] * self.s, v[1] + cos * v[2] * self.s];
        let own = self.J - self.m * self.s * self.s;
        ((centre[0] * centre[0] + centre[1] * centre[1]) * self.m + v[2] * v[2] * own) * 0.5
    }

    fn constraints<D: Number>(&self, q: &[D], v: &[D]) -> Vec<D> {
        vec![slip([v[0] - self.w, v[1]], q[2])]
    }

    fn force(&self, q: &[f64], v: &[f64], t: f64, inputs: &[f64]) -> Vec<f64> {
        let [motor, torque] = *inputs else { panic!("two inputs") };
        let slip = [v[0] - self.w, v[1]];
        let drag = self.c * (self.eps * self.eps + slip[0] * slip[0] + slip[1] * slip[1]).sqrt();
        vec![
            motor * q[2].cos() - drag * slip[0],
            motor * q[2].sin() - drag * slip[1],
            torque + self.A * (self.omega * t).sin(),
        ]
    }
}
