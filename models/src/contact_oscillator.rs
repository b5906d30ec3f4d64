//! Contact oscillator: a harmonic oscillator in space on the contact distribution dx + y dz = 0
//! (McLachlan & Perlmutter 2006, section 5.1). All orbits are quasi-periodic.

use crate::{Row, simulated};
use nhi_runtime::prelude::*;

/// Isotropic oscillator of unit mass and stiffness, constrained to dx + y dz = 0.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = (dot(x)^2 + dot(y)^2 + dot(z)^2)/2 - (x^2 + y^2 + z^2)/2,
    constraints(dx + y*dz = 0),
    methods(all),
)]
pub struct ContactOscillator;

simulated!(ContactOscillator);

/// Row of the model table.
pub const MODEL: Row<ContactOscillator> =
    Row { name: "contact_oscillator", on_group: false, build: |_| ContactOscillator, solution: None };
