//! Nonholonomic particle: unit mass on dz = y dx, free or in a harmonic potential.

use crate::{Row, simulated};
use nhi_runtime::prelude::*;

/// Particle of unit mass on dz − y dx = 0 with a spring of stiffness `k` to the origin.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = (dot(x)^2 + dot(y)^2 + dot(z)^2)/2 - k/2*(x^2 + y^2 + z^2),
    constraints(dz - y*dx = 0),
    methods(
        Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Frame, FrameMidpoint, Rattle,
        RattleRestarted, GniMidpoint, GniEulerA, GniEulerB, Rk2Midpoint, Rk2Heun, Rk4
    ),
)]
pub struct NhParticle {
    /// Stiffness of the spring.
    pub k: f64,
}

simulated!(NhParticle);

/// Row of the model table: the free particle.
pub const MODEL: Row<NhParticle> =
    Row { name: "nh_particle", on_group: false, build: |p| NhParticle { k: p[0] }, solution: Some(free) };

/// Row of the model table: the particle in a harmonic potential.
pub const HARMONIC: Row<NhParticle> = Row { name: "nh_particle_harmonic", solution: None, ..MODEL };

/// Without a potential ẏ and ẋ√(1+y²) are constant.
fn free(particle: &NhParticle, t: f64) -> ([f64; 3], [f64; 3]) {
    let ([x0, y0, z0], [dx0, dy, _]) = MODEL.start(particle);
    let y = y0 + dy * t;
    let (root0, root) = ((1.0 + y0 * y0).sqrt(), (1.0 + y * y).sqrt());
    let c = dx0 * root0;
    let x = x0 + c / dy * (y.asinh() - y0.asinh());
    ([x, y, z0 + c / dy * (root - root0)], [c / root, dy, y * c / root])
}
