//! Sums and products as lists of operands, for passes that regroup them.

use super::draft::Context;
use crate::expr::Table;
use crate::expr::{Expr, Node, Pool, Rational};
use num_traits::{One, Signed, ToPrimitive};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A product: a coefficient and factors with how often each occurs. A factor under the fraction
/// bar is a reciprocal; half-integer powers are powers of a square root.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Factors {
    pub(super) coefficient: Rational,
    pub(super) factors: BTreeMap<Expr, u32>,
}

/// Integer powers above this stay as they are.
const MAX_MULTIPLICITY: u32 = 64;

impl Factors {
    pub(super) fn of(cx: &mut Context<'_>, e: Expr) -> Arc<Factors> {
        if let Some(known) = cx.factors.get(e) {
            return known.clone();
        }
        let factors = Arc::new(Factors::found(cx, e));
        cx.factors.insert(e, factors.clone());
        factors
    }

    fn found(cx: &mut Context<'_>, e: Expr) -> Factors {
        let (coefficient, rest) = cx.pool.split_coefficient(e);
        let all = match cx.pool.node(rest) {
            Node::Product(f) => f.clone(),
            _ if cx.pool.is_one(rest) => Vec::new(),
            _ => vec![rest],
        };
        let mut factors = BTreeMap::new();
        for f in all {
            for (factor, n) in split_power(cx, f) {
                *factors.entry(factor).or_default() += n;
            }
        }
        Factors { coefficient, factors }
    }

    /// Multiplications and divisions that it takes.
    pub(super) fn operations(&self) -> usize {
        let factors: usize = self.factors.values().map(|&n| n as usize).sum();
        let coefficient = usize::from(!self.coefficient.abs().is_one());
        (factors + coefficient).saturating_sub(1)
    }

    /// Takes out one occurrence of `factor`.
    pub(super) fn remove(&mut self, factor: Expr) {
        if let Some(n) = self.factors.get_mut(&factor) {
            *n -= 1;
            if *n == 0 {
                self.factors.remove(&factor);
            }
        }
    }

    pub(super) fn build(&self, cx: &mut Context<'_>) -> Expr {
        self.build_from(cx, |f| f)
    }

    /// The product with every factor replaced by `image` of it.
    pub(super) fn build_from(&self, cx: &mut Context<'_>, image: impl Fn(Expr) -> Expr) -> Expr {
        let mut all = vec![cx.pool.number(self.coefficient.clone())];
        for (&f, &n) in &self.factors {
            all.push(if n == 1 { image(f) } else { cx.pool.powi(image(f), i64::from(n)) });
        }
        cx.pool.product(&all)
    }
}

/// A power as a product of repeated factors.
fn split_power(cx: &mut Context<'_>, f: Expr) -> Vec<(Expr, u32)> {
    let (base, x) = cx.pool.split_power(f);
    let Some(x) = cx.pool.as_number(x).cloned() else { return vec![(f, 1)] };
    let whole = x.abs().to_integer().to_u32().filter(|&n| n <= MAX_MULTIPLICITY);
    let (Some(n), Some(denominator @ 1..=2)) = (whole, x.denom().to_u32()) else { return vec![(f, 1)] };
    let sign = if x.is_negative() { -1 } else { 1 };
    let mut all = Vec::new();
    if n > 0 {
        all.push((cx.pool.powi(base, sign), n));
    }
    if denominator == 2 {
        let half = cx.pool.ratio(sign, 2);
        all.push((cx.pool.pow(base, half), 1));
    }
    all
}

/// `e` with the sums that symbols among its terms stand for inlined.
pub(super) fn with_linear(pool: &mut Pool, e: Expr, sums: &Table<Expr>) -> Expr {
    let mut all = Vec::new();
    for term in pool.terms(e) {
        let (coefficient, symbol) = pool.split_coefficient(term);
        let value = *sums.get(symbol).unwrap_or(&symbol);
        all.extend(pool.terms(value).into_iter().map(|part| pool.scale(coefficient.clone(), part)));
    }
    pool.sum(&all)
}
