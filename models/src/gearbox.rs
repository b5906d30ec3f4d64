//! Continuously variable gearbox, which a rotating pendulum turns: a driver that moves alone, and an oscillator on a constraint
//! whose coefficient the driver changes (after Modin & Verdier, *What makes nonholonomic integrators work?*, 2020).
//!
//! The energies of the driver and of the driven oscillator are both conserved, and the motion is quasi-periodic. The pendulum goes
//! round, so that a reversal maps the orbit to itself only where φ → −φ is a symmetry: with ε = b = 0.

use crate::{Row, simulated};
use nhi_runtime::prelude::*;

/// Pendulum of unit mass with the angle `phi`, and oscillator (x, z) on dx + f(φ) dz = 0 with the ratio f = k sin φ + b cos 2φ.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(phi, x, z),
    lagrangian = (dot(phi)^2 + dot(x)^2 + dot(z)^2)/2 - (x^2 + z^2)/2 + cos(phi) - eps*sin(2*phi),
    constraints(ratio: dx + (k*sin(phi) + b*cos(2*phi))*dz = 0),
    methods(
        Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Frame, FrameMidpoint,
        DiscreteGradient, Rattle, RattleRestarted, GniMidpoint, GniEulerA, GniEulerB, Rk2Midpoint, Rk2Heun, Rk4
    ),
)]
pub struct Gearbox {
    /// Asymmetry of the pendulum's potential.
    pub eps: f64,
    /// Amplitude of the ratio.
    pub k: f64,
    /// Asymmetry of the ratio.
    pub b: f64,
}

simulated!(Gearbox);

/// Row of the model table: asymmetric ratio.
pub const MODEL: Row<Gearbox> = Row {
    name: "gearbox",
    on_group: false,
    build: |p| Gearbox { eps: p[0], k: p[1], b: p[2] },
    solution: None,
};

/// Row of the model table: asymmetric potential.
pub const ASYMMETRIC: Row<Gearbox> = Row { name: "gearbox_asymmetric", ..MODEL };

/// Row of the model table: asymmetric potential and ratio.
pub const BOTH: Row<Gearbox> = Row { name: "gearbox_both", ..MODEL };

/// Row of the model table: φ → −φ reverses the motion.
pub const REVERSIBLE: Row<Gearbox> = Row { name: "gearbox_reversible", ..MODEL };
