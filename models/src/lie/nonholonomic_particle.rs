//! Nonholonomic particle in a harmonic potential: no group factor.

use crate::{Invariant, Row, simulated};
use nhi_runtime::prelude::*;

/// Particle on dz − y dx = 0 with a spring of stiffness `k` to the origin.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2) - k/2*(x^2 + y^2 + z^2),
    constraints(dz - y*dx = 0),
    methods(Rdp, RdpMidpoint, RdpLeft, RdpRight, Rattle, RattleRestarted, GniMidpoint, GniEulerA, GniEulerB,
        Rkmk2, Rkmk4),
)]
pub struct NonholonomicParticle {
    /// Mass.
    pub m: f64,
    /// Stiffness of the spring.
    pub k: f64,
}

simulated!(NonholonomicParticle, on a group);

/// Row of the model table.
pub const MODEL: Row<NonholonomicParticle> = Row {
    name: "nonholonomic_particle",
    summary: "nonholonomic particle in a harmonic potential",
    reference_coordinates: &["x", "y", "z"],
    defaults: NonholonomicParticle { m: 1.0, k: 1.0 },
    build: |p| NonholonomicParticle { m: p[0], k: p[1] },
    initial: |_| ([0.3, 0.5, -0.2], [0.6, 0.4, 0.3]),
    conservative: true,
    invariants: &[Invariant {
        name: "E_y",
        value: |s, q, v| (s.m * v[1].powi(2) + s.k * q[1].powi(2)) / 2.0,
    }],
    solution: None,
};
