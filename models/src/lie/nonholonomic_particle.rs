//! Nonholonomic particle in a harmonic potential: no group factor.

use crate::{Row, simulated};
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
    on_group: true,
    build: |p| NonholonomicParticle { m: p[0], k: p[1] },
    solution: None,
};
