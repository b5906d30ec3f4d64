//! The expression pool: values, canonical form, derivatives, text.

mod properties;
mod recipe;
mod robustness;
mod text;
