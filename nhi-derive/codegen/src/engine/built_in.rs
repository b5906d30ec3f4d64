//! The built-in engine: differentiation on the pool and simplification by local rules.

use super::rules::{Known, forms};
use super::select::{cheapest, distinct};
use super::{Engine, EngineError};
use crate::expr::{Expr, Pool};

/// Pure Rust, no other program, never fails.
#[derive(Clone, Copy, Default, Debug)]
pub struct BuiltIn;

impl Engine for BuiltIn {
    fn name(&self) -> &'static str {
        "built-in"
    }

    fn derivatives(
        &mut self,
        pool: &mut Pool,
        requests: &[(Expr, Vec<Expr>)],
    ) -> Result<Vec<Vec<Expr>>, EngineError> {
        Ok(requests.iter().map(|(e, variables)| gradient(pool, *e, variables)).collect())
    }

    fn simplify(&mut self, pool: &mut Pool, exprs: &[Expr]) -> Result<Vec<Expr>, EngineError> {
        let (exprs, places) = distinct(exprs);
        let forms = forms(pool, &mut Known::default(), &exprs);
        let simple = cheapest(pool, &forms);
        Ok(places.into_iter().map(|i| simple[i]).collect())
    }
}

/// Partial derivatives by reverse or by forward accumulation, whichever gives the cheaper code.
pub(crate) fn gradient(pool: &mut Pool, e: Expr, variables: &[Expr]) -> Vec<Expr> {
    let reverse = pool.gradient(e, variables);
    let forward: Vec<Expr> = variables.iter().map(|&v| pool.derivative(e, v)).collect();
    if pool.cost(&forward).weight() < pool.cost(&reverse).weight() { forward } else { reverse }
}
