//! Back ends: source text from the [functions](crate::optimised::Optimised) of a declaration.

#[cfg(feature = "c")]
pub mod c;
pub(crate) mod expression;
