//! The expression pool: values, canonical form, derivatives, text.

mod recipe;

mod properties;
mod robustness;
mod text;

#[path = "../engine/conditioned.rs"]
mod conditioned;
#[path = "../support/mod.rs"]
mod support;
