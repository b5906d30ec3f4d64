//! Nonholonomic systems of the literature, each declared with nhi's derive alone.
//!
//! A model is a file with a declaration and a [`Row`], and a line of the table [`MODELS`], which tests and benchmarks read.
//! Its facts stand in a JSON file beside, and a line of `nhi_run::model::MODELS` names both: the command runs the text of
//! the declaration, and rows have the facts from there.

mod row;
mod simulated;
mod trajectory;

pub mod chaotic_r7;
pub mod contact_oscillator;
pub mod contact_oscillator_gauged;
pub mod euler_disk;
pub mod gearbox;
pub mod knife_incline;
pub mod lie;
pub mod magnetic_particle;
pub mod mobile_robot;
pub mod nh_particle;
pub mod perturbed_oscillator;
pub mod rotating_table_skate;
pub mod sleigh_com;
pub mod sleigh_contact;
pub mod sleigh_moving_mass;
pub mod snakeboard;
pub mod snakeboard_free;
pub mod tractor;
pub mod vertical_disk;

pub use nhi_run::model::{
    Family, GROUP_METHODS, Instance, METHODS, Method, Model, Node, Phase, Trajectory, method,
};
#[doc(hidden)]
pub use nhi_run::variants;
pub use row::Row;
#[doc(hidden)]
pub use simulated::macros;
pub use simulated::{Simulated, Visitor};

use std::sync::LazyLock;

/// All models.
pub const MODELS: &[&dyn Model] = &[
    &contact_oscillator::MODEL,
    &contact_oscillator_gauged::MODEL,
    &perturbed_oscillator::MODEL,
    &chaotic_r7::MODEL,
    &sleigh_com::MODEL,
    &sleigh_contact::MODEL,
    &snakeboard::MODEL,
    &snakeboard_free::MODEL,
    &vertical_disk::MODEL,
    &knife_incline::MODEL,
    &rotating_table_skate::MODEL,
    &nh_particle::MODEL,
    &nh_particle::HARMONIC,
    &euler_disk::MODEL,
    &mobile_robot::MODEL,
    &sleigh_moving_mass::MODEL,
    &magnetic_particle::MODEL,
    &gearbox::REVERSIBLE,
    &gearbox::MODEL,
    &gearbox::ASYMMETRIC,
    &gearbox::BOTH,
    &tractor::MODEL,
];

/// All models with a group factor. Names are those of the reference data, which [`MODELS`] may have too.
pub const GROUP_MODELS: &[&dyn Model] = &[
    &lie::chaplygin_sleigh::MODEL,
    &lie::snakeboard::MODEL,
    &lie::two_wheeled_robot::MODEL,
    &lie::roller_racer::MODEL,
    &lie::vertical_disk::MODEL,
    &lie::ball_as_printed::MODEL,
    &lie::chaplygin_ball::MODEL,
    &lie::chaplygin_ball::TOP,
    &lie::suslov::MODEL,
    &lie::se3_body::MODEL,
    &lie::nonholonomic_particle::MODEL,
    &lie::rattleback::MODEL,
];

/// The methods that all models in coordinates declare, which are compared with each other.
pub fn common_methods() -> &'static [Method] {
    static COMMON: LazyLock<Vec<Method>> = LazyLock::new(|| {
        let declares =
            |model: &&dyn Model, id| model.methods().iter().any(|declared: &Method| declared.id == id);
        METHODS
            .iter()
            .copied()
            .filter(|method| MODELS.iter().all(|model| declares(model, method.id)))
            .collect()
    });
    &COMMON
}

/// The model called `name`.
pub fn model(name: &str) -> Option<&'static dyn Model> {
    MODELS.iter().copied().find(|model| model.name() == name)
}
