//! Contact oscillator with the total derivative d(cos z)/dt added to its Lagrangian: the motion is the
//! same, but L is no longer even in the velocities (Modin & Verdier, *What makes nonholonomic
//! integrators work?*, Numer. Math. 145, 2020).

use crate::{Row, simulated};
use nhi_runtime::prelude::*;

/// The contact oscillator in another gauge.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = (dot(x)^2 + dot(y)^2 + dot(z)^2)/2 - (x^2 + y^2 + z^2)/2 + dot(cos(z)),
    constraints(dx + y*dz = 0),
    methods(
        Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Frame, FrameMidpoint, Rattle,
        RattleRestarted, GniMidpoint, GniEulerA, GniEulerB, Rk2Midpoint, Rk2Heun, Rk4
    ),
)]
pub struct ContactOscillatorGauged;

simulated!(ContactOscillatorGauged);

/// Row of the model table.
pub const MODEL: Row<ContactOscillatorGauged> = Row {
    name: "contact_oscillator_gauged",
    on_group: false,
    build: |_| ContactOscillatorGauged,
    solution: None,
};
