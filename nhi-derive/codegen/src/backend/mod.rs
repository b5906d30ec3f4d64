//! Back ends: source text from the [functions](crate::optimised::Optimised) of a declaration.

pub mod c;
pub(crate) mod expression;
