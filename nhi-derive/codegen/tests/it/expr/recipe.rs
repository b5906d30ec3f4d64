//! Random expressions as recipes, with values computed from the recipe itself, without the pool.

use nhi_codegen::expr::{Expr, Function, Pool, Symbol};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::collections::HashMap;

pub(crate) const SYMBOLS: [&str; 4] = ["x", "y", "theta", "phi"];

/// How an expression was written.
#[derive(Clone, Debug)]
pub(crate) enum Recipe {
    Number(i64, i64),
    Pi,
    Symbol(usize),
    Sum(Vec<Recipe>),
    Product(Vec<Recipe>),
    Quotient(Box<Recipe>, Box<Recipe>),
    RationalPower(Box<Recipe>, i64, i64),
    Power(Box<Recipe>, Box<Recipe>),
    Call(Function, Box<Recipe>),
    Atan2(Box<Recipe>, Box<Recipe>),
}

use Recipe::*;

/// A value and a first-order bound of its error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value {
    pub(crate) value: f64,
    pub(crate) error: f64,
}

impl Value {
    fn new(value: f64, error: f64) -> Value {
        Value { value, error: error + 4.0 * f64::EPSILON * value.abs() }
    }

    /// Known to six digits and not close to a singularity.
    pub(crate) fn is_usable(self) -> bool {
        self.value.abs() < 1e9 && self.error < 1e-6 * (1.0 + self.value.abs())
    }
}

impl Recipe {
    pub(crate) fn build(&self, pool: &mut Pool) -> Expr {
        self.build_with(pool, &mut |operands| operands)
    }

    /// Builds with the operands of sums and products rearranged.
    pub(crate) fn build_with(
        &self,
        pool: &mut Pool,
        arrange: &mut impl FnMut(Vec<Expr>) -> Vec<Expr>,
    ) -> Expr {
        match self {
            Number(n, d) => pool.ratio(*n, *d),
            Pi => pool.pi(),
            Symbol(i) => pool.symbol(SYMBOLS[*i]),
            Sum(r) | Product(r) => {
                let operands = r.iter().map(|r| r.build_with(pool, arrange)).collect();
                let operands = arrange(operands);
                if matches!(self, Sum(_)) { pool.sum(&operands) } else { pool.product(&operands) }
            }
            Quotient(a, b) => {
                let (a, b) = (a.build_with(pool, arrange), b.build_with(pool, arrange));
                pool.div(a, b)
            }
            RationalPower(b, n, d) => {
                let (b, x) = (b.build_with(pool, arrange), pool.ratio(*n, *d));
                pool.pow(b, x)
            }
            Power(b, x) => {
                let (b, x) = (b.build_with(pool, arrange), x.build_with(pool, arrange));
                pool.pow(b, x)
            }
            Call(f, x) => {
                let x = x.build_with(pool, arrange);
                pool.call(*f, x)
            }
            Atan2(y, x) => {
                let (y, x) = (y.build_with(pool, arrange), x.build_with(pool, arrange));
                pool.atan2(y, x)
            }
        }
    }

    /// The value where the symbols have these values.
    pub(crate) fn value(&self, at: &[f64; 4]) -> Value {
        match self {
            Number(n, d) => Value::new(*n as f64 / *d as f64, 0.0),
            Pi => Value::new(std::f64::consts::PI, 0.0),
            Symbol(i) => Value { value: at[*i], error: 0.0 },
            Sum(r) => r.iter().fold(Value { value: 0.0, error: 0.0 }, |a, r| {
                let b = r.value(at);
                Value::new(a.value + b.value, a.error + b.error + f64::EPSILON * b.value.abs())
            }),
            Product(r) => r.iter().fold(Value { value: 1.0, error: 0.0 }, |a, r| times(a, r.value(at))),
            Quotient(a, b) => times(a.value(at), power(b.value(at), -1.0, 0.0)),
            RationalPower(b, n, d) => power(b.value(at), *n as f64 / *d as f64, 0.0),
            Power(b, x) => {
                let x = x.value(at);
                power(b.value(at), x.value, x.error)
            }
            Call(f, x) => {
                let x = x.value(at);
                let y = f.apply(x.value);
                let slope = match f {
                    Function::Sin | Function::Cos | Function::Atan | Function::Tanh => 1.0,
                    Function::SmallSin | Function::SmallCos => 1.0,
                    Function::Tan => 1.0 + y * y,
                    Function::Asin | Function::Acos => 1.0 / (1.0 - x.value * x.value).sqrt(),
                    Function::Sinh => x.value.cosh(),
                    Function::Cosh | Function::Exp => y.abs(),
                    Function::Ln => 1.0 / x.value.abs(),
                };
                Value::new(y, if x.error > 0.0 { slope * x.error } else { 0.0 })
            }
            Atan2(y, x) => {
                let (y, x) = (y.value(at), x.value(at));
                let near_cut = x.value < 0.0 && y.value.abs() <= y.error;
                let error = if near_cut { f64::NAN } else { (x.error + y.error) / x.value.hypot(y.value) };
                Value::new(y.value.atan2(x.value), error)
            }
        }
    }
}

fn times(a: Value, b: Value) -> Value {
    Value::new(a.value * b.value, a.error * b.value.abs() + b.error * a.value.abs())
}

fn power(b: Value, x: f64, error: f64) -> Value {
    let value = b.value.powf(x);
    let slope = if b.error > 0.0 { (value * x / b.value).abs() * b.error } else { 0.0 };
    let tilt = if error > 0.0 { (value * b.value.ln()).abs() * error } else { 0.0 };
    Value::new(value, slope + tilt + x.abs() * f64::EPSILON * value.abs())
}

/// Expressions with every kind of node and the special values that rules look for.
pub(crate) fn recipe() -> impl Strategy<Value = Recipe> {
    let leaf = prop_oneof![
        2 => (-3i64..=3, 1i64..=3).prop_map(|(n, d)| Number(n, d)),
        1 => Just(Pi),
        6 => (0..SYMBOLS.len()).prop_map(Symbol),
    ];
    leaf.prop_recursive(5, 40, 4, |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        let many = prop::collection::vec(inner, 2..5);
        let exponent = prop::sample::select(vec![
            (-3, 1),
            (-2, 1),
            (-1, 1),
            (0, 1),
            (2, 1),
            (3, 1),
            (4, 1),
            (1, 2),
            (-1, 2),
            (3, 2),
            (1, 3),
            (-4, 3),
        ]);
        prop_oneof![
            5 => many.clone().prop_map(Sum),
            5 => many.prop_map(Product),
            2 => (boxed.clone(), boxed.clone()).prop_map(|(a, b)| Quotient(a, b)),
            4 => (boxed.clone(), exponent).prop_map(|(b, (n, d))| RationalPower(b, n, d)),
            1 => (boxed.clone(), boxed.clone()).prop_map(|(b, x)| Power(b, x)),
            4 => (prop::sample::select(vec![Function::Sin, Function::Cos]), boxed.clone())
                .prop_map(|(f, x)| Call(f, x)),
            3 => (prop::sample::select(Function::ALL.to_vec()), boxed.clone()).prop_map(|(f, x)| Call(f, x)),
            1 => (boxed.clone(), boxed).prop_map(|(y, x)| Atan2(y, x)),
        ]
    })
}

/// Points in all quadrants, and one where every root and logarithm of a symbol is defined.
pub(crate) const POINTS: [[f64; 4]; 3] =
    [[0.731, 1.317, 0.419, 0.923], [-1.187, 0.337, 2.131, -0.547], [1.931, -0.863, -2.771, 1.513]];

/// The symbols with their values.
pub(crate) fn bind(pool: &mut Pool, point: &[f64; 4]) -> HashMap<Symbol, f64> {
    SYMBOLS
        .iter()
        .zip(point)
        .map(|(name, &x)| {
            let e = pool.symbol(name);
            (pool.as_symbol(e).expect("a symbol"), x)
        })
        .collect()
}

/// The same expressions at every run.
pub(crate) fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(7),
        max_global_rejects: 100_000,
        ..ProptestConfig::default()
    }
}
