//! Values in the limit of small steps.

use crate::expr::Table;
use crate::expr::{Expr, Node, Pool};

/// What is left of the values of a program for the step size 0: angles of the same limit are close to each other.
pub(crate) struct Limits {
    of_symbol: Table<Expr>,
}

impl Limits {
    /// Those of symbols with these values, in order, for the step size `h`.
    pub(crate) fn of(pool: &mut Pool, h: Expr, lets: &[(Expr, Expr)]) -> Limits {
        let mut limits = Limits { of_symbol: Table::new() };
        limits.of_symbol.insert(h, pool.zero());
        for &(symbol, value) in lets {
            let limit = limits.get(pool, value);
            limits.of_symbol.insert(symbol, limit);
        }
        limits
    }

    /// The limit of an expression. Only sums and products are looked into.
    pub(crate) fn get(&self, pool: &mut Pool, e: Expr) -> Expr {
        if let Some(&limit) = self.of_symbol.get(e) {
            return limit;
        }
        match pool.node(e).clone() {
            Node::Sum(terms) => {
                let terms: Vec<Expr> = terms.iter().map(|&term| self.get(pool, term)).collect();
                pool.sum(&terms)
            }
            Node::Product(factors) => {
                let factors: Vec<Expr> = factors.iter().map(|&factor| self.get(pool, factor)).collect();
                pool.product(&factors)
            }
            _ => e,
        }
    }
}
