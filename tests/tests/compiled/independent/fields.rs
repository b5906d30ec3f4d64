//! Systems with gyroscopic terms, many coordinates, or no constraint at all.
#![allow(non_snake_case, reason = "parameters are called what the books call them")]

use super::cosine_and_sine;
use nhi_runtime::prelude::*;
use nhi_tests::oracle::{DualNum as _, Equations, Number, rate};

/// Two rods that swing in a plane, each with its mass at the end.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(alpha, beta),
    lagrangian = (m1 + m2)/2*a^2*dot(alpha)^2 + m2/2*b^2*dot(beta)^2
        + m2*a*b*cos(alpha - beta)*dot(alpha)*dot(beta)
        + (m1 + m2)*g*a*cos(alpha) + m2*g*b*cos(beta),
    constraints(),
    methods(Dla2, DlaRattle, Rattle, Rk4),
)]
pub(crate) struct DoublePendulum {
    pub m1: f64,
    pub m2: f64,
    pub a: f64,
    pub b: f64,
    pub g: f64,
}

impl Default for DoublePendulum {
    fn default() -> Self {
        DoublePendulum { m1: 1.0, m2: 0.6, a: 0.8, b: 1.1, g: 2.0 }
    }
}

impl Equations for DoublePendulum {
    fn lagrangian<D: Number>(&self, q: &[D], v: &[D]) -> D {
        let upper = |alpha: D| [alpha.sin() * self.a, alpha.cos() * -self.a];
        let lower = |q: &[D]| {
            let [x, z] = upper(q[0]);
            [x + q[1].sin() * self.b, z - q[1].cos() * self.b]
        };
        let [ux, uz, lx, lz] = rate(q, v, |q| {
            let (x, z) = (q[0].sin() * self.a, q[0].cos() * -self.a);
            [x, z, x + q[1].sin() * self.b, z - q[1].cos() * self.b]
        });
        let kinetic = ((ux * ux + uz * uz) * self.m1 + (lx * lx + lz * lz) * self.m2) * 0.5;
        kinetic - upper(q[0])[1] * (self.m1 * self.g) - lower(q)[1] * (self.m2 * self.g)
    }

    fn constraints<D: Number>(&self, _q: &[D], _v: &[D]) -> Vec<D> {
        Vec::new()
    }
}

/// A charged skate on a turntable in a magnetic field, in polar coordinates, held by a spring.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(r, phi, theta),
    lagrangian = m/2*(dot(r)^2 + r^2*dot(phi)^2) + J/2*dot(theta)^2
        + B/2*r^2*dot(phi) + N*sin(theta)*dot(r) - k/2*(r - r0)^2,
    constraints(blade: sin(theta - phi)*dr - cos(theta - phi)*r*(dphi - Omega*dt) = 0),
    methods(Dla2, DlaRattle, Rattle, Rk4),
)]
pub(crate) struct ChargedSkate {
    pub m: f64,
    pub J: f64,
    pub B: f64,
    pub N: f64,
    pub k: f64,
    pub r0: f64,
    pub Omega: f64,
}

impl Default for ChargedSkate {
    fn default() -> Self {
        ChargedSkate { m: 0.9, J: 0.35, B: 0.7, N: 0.4, k: 1.3, r0: 1.2, Omega: 0.45 }
    }
}

impl Equations for ChargedSkate {
    fn lagrangian<D: Number>(&self, q: &[D], v: &[D]) -> D {
        let [x, y] = [q[0] * q[1].cos(), q[0] * q[1].sin()];
        let [vx, vy] = rate(q, v, |q| [q[0] * q[1].cos(), q[0] * q[1].sin()]);
        let kinetic = ((vx * vx + vy * vy) * self.m + v[2] * v[2] * self.J) * 0.5;
        let magnetic = (x * vy - y * vx) * (self.B / 2.0) + q[2].sin() * v[0] * self.N;
        let stretch = (x * x + y * y).sqrt() - self.r0;
        kinetic + magnetic - stretch * stretch * (self.k / 2.0)
    }

    fn constraints<D: Number>(&self, q: &[D], v: &[D]) -> Vec<D> {
        let (cos, sin) = cosine_and_sine(q[1]);
        let (x, y) = (q[0] * cos, q[0] * sin);
        let vx = cos * v[0] - y * v[1] + y * self.Omega;
        let vy = sin * v[0] + x * v[1] - x * self.Omega;
        vec![q[2].sin() * vx - q[2].cos() * vy]
    }
}

/// Four coupled oscillators `y` that drive four others by one-forms.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(y[4], z[4]),
    let(coupling = sum(i in 0..3, cos(y[i] - y[i+1])*dot(y[i])*dot(y[i+1]))),
    lagrangian = sum(i in 0..4, m[i]/2*(dot(y[i])^2 + dot(z[i])^2)) + w*coupling
        - k/2*sum(i in 0..3, (y[i+1] - y[i])^2) - k*sum(i in 0..4, y[i]^4/4 + (1 - cos(z[i]))),
    constraints(
        dz[0] - sum(i in 0..3, y[i]*dy[i+1]) = 0,
        dz[1] - sin(y[0])*dy[1] + c[1]*z[2]*dy[3] = 0,
        dz[2] - c[2]*sum(j in 0..4, (j + 1)*cos(y[j])*dy[j]) = 0,
        dz[3] - z[0]*dy[2] + c[3]*y[1]*dt - c[0]*dz[0] = 0,
    ),
    methods(Dla2, DlaRattle, Rattle, Rk4),
)]
pub(crate) struct Oscillators {
    pub m: [f64; 4],
    pub c: [f64; 4],
    pub w: f64,
    pub k: f64,
}

impl Default for Oscillators {
    fn default() -> Self {
        Oscillators { m: [1.0, 1.3, 0.8, 1.1], c: [0.3, 0.5, 0.2, 0.4], w: 0.25, k: 0.9 }
    }
}

impl Equations for Oscillators {
    fn lagrangian<D: Number>(&self, q: &[D], v: &[D]) -> D {
        let (y, z) = q.split_at(4);
        let (dy, dz) = v.split_at(4);
        let mut l = q[0] * 0.0;
        for i in 0..4 {
            l += (dy[i] * dy[i] + dz[i] * dz[i]) * (self.m[i] / 2.0);
            l -= y[i].powi(4) * (self.k / 4.0) + (-z[i].cos() + 1.0) * self.k;
        }
        for i in 1..4 {
            let apart = y[i] - y[i - 1];
            l += apart.cos() * dy[i] * dy[i - 1] * self.w - apart * apart * (self.k / 2.0);
        }
        l
    }

    fn constraints<D: Number>(&self, q: &[D], v: &[D]) -> Vec<D> {
        let (y, z) = q.split_at(4);
        let (dy, dz) = v.split_at(4);
        let cosines = y[0].cos() * dy[0]
            + y[1].cos() * dy[1] * 2.0
            + y[2].cos() * dy[2] * 3.0
            + y[3].cos() * dy[3] * 4.0;
        vec![
            dz[0] - y[0] * dy[1] - y[1] * dy[2] - y[2] * dy[3],
            dz[1] - y[0].sin() * dy[1] + z[2] * dy[3] * self.c[1],
            dz[2] - cosines * self.c[2],
            dz[3] - z[0] * dy[2] + y[1] * self.c[3] - dz[0] * self.c[0],
        ]
    }
}
