//! How an expression is computed: the one place that operation counts and emitted code agree on.

use super::Constants;
use crate::expr::group::Entry;
use crate::expr::{Expr, Function, Node, Pool, Saddle, each};
use num_traits::{Signed, ToPrimitive};
use std::sync::Arc;

/// Largest integer power written as a product of its base; the passes leave none above.
const MAX_REPEATED: u64 = 3;

/// One operation on at most a few operands, or a flat sum or quotient.
#[derive(Clone, PartialEq, Debug)]
pub enum Shape {
    /// A number known at compile time.
    Constant(f64),
    /// A variable.
    Symbol,
    /// Minus the operand, which is no constant.
    Negation(Expr),
    /// At least two terms, each with whether it is subtracted; not all of them are.
    Sum(Vec<(bool, Expr)>),
    /// `constant * over / under`, products with repeated factors for powers; the constant is
    /// positive or irrational, and none of the factors is one.
    Quotient {
        /// A factor known at compile time, if it is not 1.
        constant: Option<f64>,
        /// Factors of the numerator.
        over: Vec<Expr>,
        /// Factors of the denominator.
        under: Vec<Expr>,
    },
    /// Square root.
    Sqrt(Expr),
    /// A large integer power.
    Powi(Expr, i32),
    /// Any other power.
    Powf(Expr, Expr),
    /// Elementary function.
    Call(Function, Expr),
    /// `atan2(y, x)`.
    Atan2(Expr, Expr),
    /// A choice between two values by the sign of the first.
    Select([Expr; 3]),
    /// One number of what a map of a Lie group gives.
    Map(Entry, Vec<Expr>),
    /// One number of the solution of linear equations.
    Saddle(Saddle, Vec<Expr>),
}

impl Shape {
    /// How to compute `e`.
    pub fn of(pool: &mut Pool, constants: &mut Constants, e: Expr) -> Arc<Shape> {
        if let Some(known) = constants.shapes.get(e) {
            return known.clone();
        }
        let shape = Arc::new(Shape::found(pool, constants, e));
        constants.shapes.insert(e, shape.clone());
        shape
    }

    fn found(pool: &mut Pool, constants: &mut Constants, e: Expr) -> Shape {
        if let Some(c) = constants.value(pool, e) {
            return Shape::Constant(c);
        }
        if let (true, abs) = signed(pool, constants, e) {
            return Shape::Negation(abs);
        }
        match pool.node(e).clone() {
            Node::Number(_) | Node::Pi | Node::Symbol(_) => Shape::Symbol,
            Node::Sum(terms) => {
                let terms = fold(pool, constants, &terms, Pool::sum);
                Shape::Sum(terms.into_iter().map(|t| signed(pool, constants, t)).collect())
            }
            Node::Product(factors) => {
                let factors = fold(pool, constants, &factors, Pool::product);
                quotient(pool, constants, &factors)
            }
            Node::Power(b, x) => match Exponent::of(pool, x) {
                Some(Exponent { negative: false, root: true, repeats: 0 }) => Shape::Sqrt(b),
                Some(Exponent { negative: false, root: false, repeats }) if repeats > MAX_REPEATED => {
                    match i32::try_from(repeats) {
                        Ok(n) => Shape::Powi(b, n),
                        Err(_) => Shape::Powf(b, x),
                    }
                }
                Some(_) => quotient(pool, constants, &[e]),
                None => Shape::Powf(b, x),
            },
            Node::Call(f, x) => Shape::Call(f, x),
            Node::Atan2(y, x) => Shape::Atan2(y, x),
            Node::Select(all) => Shape::Select(all),
            Node::Map(entry, arguments) => Shape::Map(entry, arguments),
            Node::Saddle(saddle, arguments) => Shape::Saddle(saddle, arguments),
        }
    }

    /// What it is computed from, repeated factors repeated.
    pub fn operands(&self) -> Vec<Expr> {
        let mut operands = Vec::new();
        self.for_each_operand(|x| operands.push(x));
        operands
    }

    /// Calls `f` with everything that it is computed from as a rule: as [`Shape::for_each_operand`], without what only rare solutions of
    /// linear equations need.
    pub(crate) fn for_each_usual_operand(&self, mut f: impl FnMut(Expr)) {
        match self {
            Shape::Saddle(saddle, arguments) => each(&arguments[saddle.usual()], |&x| f(x)),
            _ => self.for_each_operand(f),
        }
    }

    /// Calls `f` with everything that it is computed from, repeated factors repeatedly.
    pub(crate) fn for_each_operand(&self, mut f: impl FnMut(Expr)) {
        match self {
            Shape::Constant(_) | Shape::Symbol => {}
            Shape::Sum(terms) => each(terms, |&(_, t)| f(t)),
            Shape::Quotient { over, under, .. } => {
                each(over, |&x| f(x));
                each(under, |&x| f(x));
            }
            &Shape::Negation(x) | &Shape::Sqrt(x) | &Shape::Powi(x, _) | &Shape::Call(_, x) => f(x),
            &Shape::Powf(x, y) | &Shape::Atan2(x, y) => {
                f(x);
                f(y);
            }
            Shape::Select(all) => each(all, |&x| f(x)),
            Shape::Map(_, arguments) | Shape::Saddle(_, arguments) => arguments.iter().for_each(|&x| f(x)),
        }
    }
}

/// Whether `e` is best computed as minus something, and that something (or `e`).
pub(crate) fn signed(pool: &mut Pool, constants: &mut Constants, e: Expr) -> (bool, Expr) {
    if let Some(&known) = constants.signs.get(e) {
        return known;
    }
    let negative = match pool.node(e).clone() {
        Node::Sum(terms) => match constants.value(pool, e) {
            Some(c) => c < 0.0,
            None => terms.into_iter().all(|t| match constants.value(pool, t) {
                Some(c) => c < 0.0,
                None => !matches!(pool.node(t), Node::Sum(_)) && pool.is_negated(t),
            }),
        },
        Node::Number(_) | Node::Product(_) => pool.is_negated(e),
        _ => false,
    };
    let sign = if negative { (true, pool.neg(e)) } else { (false, e) };
    constants.signs.insert(e, sign);
    sign
}

/// An integer or half-integer exponent: `repeats` factors, and a square root if `root`.
struct Exponent {
    negative: bool,
    repeats: u64,
    root: bool,
}

impl Exponent {
    fn of(pool: &Pool, x: Expr) -> Option<Exponent> {
        let r = pool.as_number(x)?;
        let root = match r.denom().to_u8()? {
            1 => false,
            2 => true,
            _ => return None,
        };
        Some(Exponent { negative: r.is_negative(), repeats: r.abs().to_integer().to_u64()?, root })
    }
}

/// `operands` with all constant ones put together in front.
fn fold(
    pool: &mut Pool,
    constants: &mut Constants,
    operands: &[Expr],
    join: impl Fn(&mut Pool, &[Expr]) -> Expr,
) -> Vec<Expr> {
    let (known, mut rest): (Vec<Expr>, Vec<Expr>) =
        operands.iter().partition(|&&x| constants.contains(pool, x));
    if !known.is_empty() {
        rest.insert(0, join(pool, &known));
    }
    rest
}

fn quotient(pool: &mut Pool, constants: &mut Constants, factors: &[Expr]) -> Shape {
    let mut constant = None;
    let (mut over, mut under) = (Vec::new(), Vec::new());
    for &f in factors {
        if let Some(c) = constants.value(pool, f) {
            constant = (c != 1.0).then_some(c);
            continue;
        }
        let (base, x) = pool.split_power(f);
        if pool.is_one(x) {
            over.push(f);
            continue;
        }
        let Some(exponent) = Exponent::of(pool, x) else {
            over.push(f);
            continue;
        };
        let side = if exponent.negative { &mut under } else { &mut over };
        if exponent.repeats <= MAX_REPEATED {
            side.extend((0..exponent.repeats).map(|_| base));
        } else {
            let n = pool.int(exponent.repeats as i64);
            side.push(pool.pow(base, n));
        }
        if exponent.root {
            side.push(pool.sqrt(base));
        }
    }
    Shape::Quotient { constant, over, under }
}
