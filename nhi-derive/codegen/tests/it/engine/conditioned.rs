//! Evaluation with a running error bound, so that equal expressions can be compared without
//! guessing a tolerance.

use nhi_codegen::expr::{Expr, Function, Node, Pool, Symbol};
use num_traits::ToPrimitive;
use std::collections::HashMap;

/// A value in double precision and a bound on its error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conditioned {
    pub(crate) value: f64,
    pub(crate) error: f64,
}

impl Conditioned {
    fn new(value: f64, inherited: f64) -> Self {
        Conditioned { value, error: inherited + 4.0 * f64::EPSILON * value.abs() }
    }

    /// Whether the value is known to a few digits and far from every pole.
    pub(crate) fn is_usable(self) -> bool {
        self.value.abs() < 1e12 && self.error <= 1e-6 * (1.0 + self.value.abs())
    }

    /// Whether both may be the same number.
    pub(crate) fn agrees(self, other: Conditioned) -> bool {
        (self.value - other.value).abs() <= 4.0 * (self.error + other.error) + f64::MIN_POSITIVE
    }
}

/// Values of `roots` with bounds to first order; NaN where undefined.
pub(crate) fn evaluate(pool: &Pool, roots: &[Expr], values: &HashMap<Symbol, f64>) -> Vec<Conditioned> {
    let mut at: HashMap<Expr, Conditioned> = HashMap::new();
    for e in pool.reachable(roots) {
        let value = match pool.node(e) {
            Node::Number(r) => Conditioned::new(r.to_f64().unwrap_or(f64::NAN), 0.0),
            Node::Pi => Conditioned::new(std::f64::consts::PI, 0.0),
            Node::Symbol(s) => Conditioned { value: values[s], error: 0.0 },
            Node::Map(..) | Node::Saddle(..) => Conditioned::new(f64::NAN, 0.0),
            Node::Sum(terms) => {
                let value = terms.iter().map(|t| at[t].value).sum();
                let magnitude: f64 = terms.iter().map(|t| at[t].value.abs()).sum();
                let error: f64 = terms.iter().map(|t| at[t].error).sum();
                Conditioned::new(value, error + terms.len() as f64 * f64::EPSILON * magnitude)
            }
            Node::Product(factors) => factors.iter().fold(Conditioned { value: 1.0, error: 0.0 }, |p, f| {
                let f = at[f];
                Conditioned::new(p.value * f.value, p.error * f.value.abs() + f.error * p.value.abs())
            }),
            Node::Power(b, x) => {
                let (b, n) = (at[b], at[x].value);
                let integer =
                    pool.as_number(*x).filter(|r| r.is_integer()).and_then(|r| r.to_integer().to_i32());
                let value = integer.map_or(b.value.powf(n), |n| b.value.powi(n));
                let slope = (value * n / b.value).abs() * b.error;
                let tilt = if at[x].error > 0.0 && integer.is_none() {
                    (value * b.value.ln()).abs() * at[x].error
                } else {
                    0.0
                };
                Conditioned::new(
                    value,
                    if b.error > 0.0 { slope } else { 0.0 } + tilt + n.abs() * f64::EPSILON * value.abs(),
                )
            }
            Node::Call(f, x) => {
                let x = at[x];
                let slope = derivative(*f, x.value).abs();
                Conditioned::new(f.apply(x.value), if x.error > 0.0 { slope * x.error } else { 0.0 })
            }
            Node::Select([c, a, b]) => {
                let certain = at[c].value.abs() > at[c].error;
                let branch = at[if at[c].value >= 0.0 { a } else { b }];
                if certain { branch } else { Conditioned::new(f64::NAN, 0.0) }
            }
            Node::Atan2(y, x) => {
                let (y, x) = (at[y], at[x]);
                let r = y.value.hypot(x.value);
                Conditioned::new(y.value.atan2(x.value), (y.error + x.error) / r)
            }
        };
        at.insert(e, value);
    }
    roots.iter().map(|r| at[r]).collect()
}

fn derivative(f: Function, x: f64) -> f64 {
    match f {
        Function::Sin | Function::SmallSin => x.cos(),
        Function::Cos | Function::SmallCos => x.sin(),
        Function::Tan => 1.0 + x.tan().powi(2),
        Function::Asin | Function::Acos => (1.0 - x * x).powf(-0.5),
        Function::Atan => 1.0 / (1.0 + x * x),
        Function::Sinh => x.cosh(),
        Function::Cosh => x.sinh(),
        Function::Tanh => 1.0 - x.tanh().powi(2),
        Function::Exp => x.exp(),
        Function::Ln => 1.0 / x,
    }
}
