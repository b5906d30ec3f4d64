//! Numerical evaluation.

use super::{Expr, Function, Node, Pool, Symbol};
use num_traits::ToPrimitive;
use std::collections::HashMap;

impl Pool {
    /// Values of `roots` in double precision; symbols without a value are NaN.
    pub fn evaluate(&self, roots: &[Expr], values: &HashMap<Symbol, f64>) -> Vec<f64> {
        let mut at: HashMap<Expr, f64> = HashMap::new();
        for e in self.reachable(roots) {
            let value = match self.node(e) {
                Node::Number(r) => r.to_f64().unwrap_or(f64::NAN),
                Node::Pi => std::f64::consts::PI,
                Node::Symbol(s) => values.get(s).copied().unwrap_or(f64::NAN),
                Node::Sum(c) => c.iter().map(|x| at[x]).sum(),
                Node::Product(c) => c.iter().map(|x| at[x]).product(),
                Node::Power(b, x) => {
                    let integer =
                        self.as_number(*x).filter(|r| r.is_integer()).and_then(|r| r.to_integer().to_i32());
                    match integer {
                        Some(n) => at[b].powi(n),
                        None => at[b].powf(at[x]),
                    }
                }
                Node::Call(f, x) => f.apply(at[x]),
                Node::Atan2(y, x) => at[y].atan2(at[x]),
            };
            at.insert(e, value);
        }
        roots.iter().map(|r| at[r]).collect()
    }
}

impl Function {
    /// Value in double precision.
    pub fn apply(self, x: f64) -> f64 {
        match self {
            Function::Sin => x.sin(),
            Function::Cos => x.cos(),
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
