//! The symbolic engine: derivatives and simplification behind one narrow interface.

mod built_in;
mod factor;
mod polynomial;
mod rotation;
mod rules;
mod select;
#[cfg(feature = "symbolica")]
mod symbolica;
mod trigonometry;

pub use built_in::BuiltIn;
#[cfg(feature = "symbolica")]
pub use symbolica::Symbolica;

use crate::expr::{Expr, Pool};
use std::fmt;

/// The interface of the pipeline to a computer-algebra system.
///
/// Answers are expressions of the same pool, equal to what was asked wherever both are defined.
/// Requests come in batches because an engine may live in another process.
pub trait Engine {
    /// Name for reports.
    fn name(&self) -> &'static str;

    /// For each `(e, variables)` the partial derivatives of `e`, in the order of `variables`.
    fn derivatives(
        &mut self,
        pool: &mut Pool,
        requests: &[(Expr, Vec<Expr>)],
    ) -> Result<Vec<Vec<Expr>>, EngineError>;

    /// For each expression an equal one; evaluating all answers together costs at most what
    /// evaluating all of `exprs` does.
    fn simplify(&mut self, pool: &mut Pool, exprs: &[Expr]) -> Result<Vec<Expr>, EngineError>;
}

/// The engine that the features of this crate select: [Symbolica](https://symbolica.io), which has a
/// licence of its own, with the feature `symbolica`, and otherwise the built-in one.
pub fn default_engine() -> Box<dyn Engine> {
    #[cfg(feature = "symbolica")]
    return Box::new(Symbolica::new());
    #[cfg(not(feature = "symbolica"))]
    return Box::new(BuiltIn);
}

/// An engine could not answer; the message states the obstacle and the remedy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineError(pub String);

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EngineError {}
