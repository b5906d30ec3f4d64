//! Numerical evaluation.

use super::Table;
use super::group::Entry;
use super::{Expr, Function, Node, Pool, Rational, Symbol};
use num_traits::ToPrimitive;
use std::collections::HashMap;

/// Values of the maps of groups, which only the runtime can evaluate.
pub type Maps<'a> = &'a dyn Fn(&Entry, &[f64]) -> f64;

impl Pool {
    /// Values of `roots` in double precision; symbols without a value and maps of groups are NaN.
    pub fn evaluate(&self, roots: &[Expr], values: &HashMap<Symbol, f64>) -> Vec<f64> {
        self.evaluate_with(roots, values, &|_, _| f64::NAN)
    }

    /// Whether all numbers in `roots` are finite in double precision.
    pub(crate) fn has_finite_numbers(&self, roots: &[Expr]) -> bool {
        let finite = |e| self.as_number(e).is_none_or(|r| r.to_f64().is_some_and(f64::is_finite));
        self.reachable(roots).into_iter().all(finite)
    }

    /// As [`Pool::evaluate`], with the values of `maps`.
    pub fn evaluate_with(&self, roots: &[Expr], values: &HashMap<Symbol, f64>, maps: Maps<'_>) -> Vec<f64> {
        let mut at: Table<f64> = Table::new();
        for e in self.reachable(roots) {
            let value = |x: &Expr| at[*x];
            let result = match self.node(e) {
                Node::Number(r) => r.to_f64().unwrap_or(f64::NAN),
                Node::Pi => std::f64::consts::PI,
                Node::Symbol(s) => values.get(s).copied().unwrap_or(f64::NAN),
                Node::Sum(c) => c.iter().map(value).sum(),
                Node::Product(c) => c.iter().map(value).product(),
                Node::Power(b, x) => power(value(b), value(x), self.as_number(*x)),
                Node::Call(f, x) => f.apply(value(x)),
                Node::Atan2(y, x) => value(y).atan2(value(x)),
                Node::Select([c, a, b]) => value(if value(c) >= 0.0 { a } else { b }),
                Node::Map(entry, c) => maps(entry, &c.iter().map(value).collect::<Vec<f64>>()),
                Node::Saddle(saddle, c) => value(&c[saddle.index]),
            };
            at.insert(e, result);
        }
        roots.iter().map(|&r| at[r]).collect()
    }
}

/// `base ^ x`, by multiplication or square root where the exponent is a number that allows it.
fn power(base: f64, x: f64, exponent: Option<&Rational>) -> f64 {
    match exponent.map(|r| (r.numer().to_i32(), r.denom().to_u8())) {
        Some((Some(n), Some(1))) => base.powi(n),
        Some((Some(1), Some(2))) => base.sqrt(),
        _ => base.powf(x),
    }
}

impl Function {
    /// Value in double precision.
    pub fn apply(self, x: f64) -> f64 {
        match self {
            Function::Sin | Function::SmallSin => x.sin(),
            Function::Cos | Function::SmallCos => x.cos(),
            Function::Tan => x.tan(),
            Function::Asin => x.asin(),
            Function::Acos => x.acos(),
            Function::Atan => x.atan(),
            Function::Sinh => x.sinh(),
            Function::Cosh => x.cosh(),
            Function::Tanh => x.tanh(),
            Function::Exp => x.exp(),
            Function::Ln => x.ln(),
        }
    }
}
