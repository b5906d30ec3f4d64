//! Perturbed contact oscillator (McLachlan & Perlmutter 2006, section 5.2): a quartic coupling of
//! strength ε breaks the integrability of the contact oscillator.

use crate::{Row, simulated};
use nhi_runtime::prelude::*;

/// Contact oscillator with the additional potential ε x² z² / 2.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = (dot(x)^2 + dot(y)^2 + dot(z)^2)/2 - (x^2 + y^2 + z^2 + eps*x^2*z^2)/2,
    constraints(dx + y*dz = 0),
    methods(
        Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Frame, FrameMidpoint, Rattle,
        RattleRestarted, GniMidpoint, GniEulerA, GniEulerB, Rk2Midpoint, Rk2Heun, Rk4
    ),
)]
pub struct PerturbedOscillator {
    /// Strength ε of the coupling.
    pub eps: f64,
}

simulated!(PerturbedOscillator);

/// Row of the model table.
pub const MODEL: Row<PerturbedOscillator> = Row {
    name: "perturbed_oscillator",
    on_group: false,
    build: |p| PerturbedOscillator { eps: p[0] },
    solution: None,
};
