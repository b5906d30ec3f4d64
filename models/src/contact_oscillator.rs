//! Contact oscillator: a harmonic oscillator in space on the contact distribution dx + y dz = 0
//! (McLachlan & Perlmutter 2006, section 5.1). All orbits are quasi-periodic.

use crate::{Invariant, Row, simulated};
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
pub const MODEL: Row<ContactOscillator> = Row {
    name: "contact_oscillator",
    summary: "harmonic oscillator on a contact distribution, quasi-periodic",
    reference_coordinates: &["x", "y", "z"],
    defaults: ContactOscillator,
    build: |_| ContactOscillator,
    initial: |_| ([0.5, 0.3, 0.4], [-0.18, 0.8, 0.6]),
    conservative: true,
    invariants: &[Invariant { name: "E_y", value: |_, q, v| (v[1].powi(2) + q[1].powi(2)) / 2.0 }],
    solution: None,
};
