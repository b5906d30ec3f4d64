//! Systems whose steps rustc compiles: the models, and systems of our own, held against reference data, closed forms and
//! oracles that share nothing with the derivation.

mod cases;
mod composition;
mod driven;
mod edla;
mod expansion;
mod families;
mod golden;
mod group_models;
mod group_passes;
mod group_systems;
mod groups;
mod independent;
mod invariants;
mod multipliers;
mod positions;
mod suslov;
mod turns;
