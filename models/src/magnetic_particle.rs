//! Charged particle in a uniform magnetic field and a harmonic potential, on dx + y dz = 0: a
//! Lagrangian with gyroscopic terms.

use crate::{Row, simulated};
use nhi_runtime::prelude::*;

/// Particle of unit mass and charge in a field of strength `B` along x.
#[derive(Nonholonomic, Clone, Debug)]
#[expect(non_snake_case, reason = "B is a magnetic field")]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = (dot(x)^2 + dot(y)^2 + dot(z)^2)/2 + B/2*(y*dot(z) - z*dot(y)) - k/2*(x^2 + y^2 + z^2),
    constraints(dx + y*dz = 0),
    methods(
        Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Frame, FrameMidpoint, Rattle,
        RattleRestarted, GniMidpoint, GniEulerA, GniEulerB, Rk2Midpoint, Rk2Heun, Rk4
    ),
)]
pub struct MagneticParticle {
    /// Magnetic field.
    pub B: f64,
    /// Stiffness of the potential.
    pub k: f64,
}

simulated!(MagneticParticle);

/// Row of the model table.
pub const MODEL: Row<MagneticParticle> = Row {
    name: "magnetic_particle",
    on_group: false,
    build: |p| MagneticParticle { B: p[0], k: p[1] },
    solution: None,
};
