//! Blades and beads on curved surfaces.
#![allow(non_snake_case, reason = "parameters are called what the books call them")]

use nhi_runtime::prelude::*;
use nhi_tests::oracle::{Equations, Number, rate};

/// A skate on the upper half of a sphere, seen from above; it falls off at the equator.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, phi),
    let(z = sqrt(R^2 - x^2 - y^2)),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2) + J/2*dot(phi)^2 - m*g*z,
    constraints(blade: sin(phi)*dx - cos(phi)*dy = 0),
    methods(Dla2, DlaRattle, Rattle, Rk4),
)]
pub(crate) struct SphereSkate {
    pub m: f64,
    pub J: f64,
    pub R: f64,
    pub g: f64,
}

impl Default for SphereSkate {
    fn default() -> Self {
        SphereSkate { m: 1.1, J: 0.3, R: 2.0, g: 1.5 }
    }
}

impl Equations for SphereSkate {
    fn lagrangian<D: Number>(&self, q: &[D], v: &[D]) -> D {
        let z = (-(q[0] * q[0] + q[1] * q[1]) + self.R * self.R).sqrt();
        // The velocity is perpendicular to the radius.
        let vz = -(q[0] * v[0] + q[1] * v[1]) / z;
        let square = v[0] * v[0] + v[1] * v[1] + vz * vz;
        (square * self.m + v[2] * v[2] * self.J) * 0.5 - z * (self.m * self.g)
    }

    fn constraints<D: Number>(&self, q: &[D], v: &[D]) -> Vec<D> {
        vec![v[0] * q[2].sin() - v[1] * q[2].cos()]
    }
}

/// A skate that a holonomic condition holds on a hill, in the coordinates of space.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, z, phi),
    let(height = z - A*exp(-(x^2 + 2*y^2)/(2*s^2)) - B*tanh(x*y)),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2) + J/2*dot(phi)^2 - m*g*z,
    constraints(surface: d(height) = 0, blade: sin(phi)*dx - cos(phi)*dy = 0),
    methods(Dla2, DlaRattle, Rattle, Rk4),
)]
pub(crate) struct HillSkate {
    pub m: f64,
    pub J: f64,
    pub A: f64,
    pub B: f64,
    pub s: f64,
    pub g: f64,
}

impl Default for HillSkate {
    fn default() -> Self {
        HillSkate { m: 0.8, J: 0.25, A: 0.7, B: 0.3, s: 0.9, g: 1.4 }
    }
}

impl HillSkate {
    /// Height above the surface.
    pub(crate) fn height<D: Number>(&self, q: &[D]) -> D {
        let (x, y) = (q[0] / self.s, q[1] / self.s);
        q[2] - (x * x * -0.5 - y * y).exp() * self.A - (q[0] * q[1]).tanh() * self.B
    }
}

impl Equations for HillSkate {
    fn lagrangian<D: Number>(&self, q: &[D], v: &[D]) -> D {
        let square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        (square * self.m + v[3] * v[3] * self.J) * 0.5 - q[2] * (self.m * self.g)
    }

    fn constraints<D: Number>(&self, q: &[D], v: &[D]) -> Vec<D> {
        let [climbing] = rate(q, v, |q| [self.height(q)]);
        vec![climbing, v[0] * q[3].sin() - v[1] * q[3].cos()]
    }
}

/// A body on circles around the origin; where it is at the origin there is no circle.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2),
    constraints(circle: d(x^2 + y^2) = 0),
    methods(Dla2, DlaRattle, Rattle, Rk4),
)]
pub(crate) struct Circle {
    pub m: f64,
}
