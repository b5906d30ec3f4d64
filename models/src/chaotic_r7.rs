//! A chaotic system on ℝ⁷ with one constraint (McLachlan & Perlmutter 2006, section 5.3): the energy
//! error of a reversible method performs a random walk.

use crate::{Row, simulated};
use nhi_runtime::prelude::*;

/// Seven coupled oscillators, constrained to dx + Σ yᵢ dzᵢ = 0.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y[3], z[3]),
    lagrangian = (dot(x)^2 + sum(i in 0..3, dot(y[i])^2 + dot(z[i])^2))/2
               - (x^2 + sum(i in 0..3, y[i]^2 + z[i]^2 + y[i]^2*z[i]^2) + z[0]^2*z[1]^2)/2,
    constraints(dx + sum(i in 0..3, y[i]*dz[i]) = 0),
    methods(
        Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Rattle,
        RattleRestarted, GniMidpoint, GniEulerA, GniEulerB, Rk2Midpoint, Rk2Heun, Rk4
    ),
)]
pub struct ChaoticR7;

simulated!(ChaoticR7);

/// Row of the model table.
pub const MODEL: Row<ChaoticR7> =
    Row { name: "chaotic_r7", on_group: false, build: |_| ChaoticR7, solution: None };
