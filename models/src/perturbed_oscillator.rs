//! Perturbed contact oscillator (McLachlan & Perlmutter 2006, section 5.2): a quartic coupling of
//! strength ε breaks the integrability of the contact oscillator.

use crate::{Invariant, Row, simulated};
use nhi_runtime::prelude::*;

/// Contact oscillator with the additional potential ε x² z² / 2.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = (dot(x)^2 + dot(y)^2 + dot(z)^2)/2 - (x^2 + y^2 + z^2 + eps*x^2*z^2)/2,
    constraints(dx + y*dz = 0),
    methods(
        Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Rattle, RattleRestarted,
        GniMidpoint, GniEulerA, GniEulerB, Rk2Midpoint, Rk2Heun, Rk4
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
    summary: "contact oscillator with a quartic coupling",
    reference_coordinates: &["x", "y", "z"],
    defaults: PerturbedOscillator { eps: 0.3 },
    build: |p| PerturbedOscillator { eps: p[0] },
    initial: |_| ([0.9, 0.6, 0.5], [-0.24, 0.8, 0.4]),
    conservative: true,
    invariants: &[Invariant { name: "E_y", value: |_, q, v| (v[1].powi(2) + q[1].powi(2)) / 2.0 }],
    solution: None,
};
