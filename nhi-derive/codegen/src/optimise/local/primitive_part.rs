//! Primitive part: divides a sum that is a factor by the common divisor of its coefficients.
//!
//! The pass saves the multiplications by coefficients: in `2*h*x*(y^2/2 + z^2/2)` the sum becomes `y^2 + z^2`, and no
//! coefficient is left. Other expressions can then share `y^2`.

use crate::expr::{Expr, Node, Pool, Rational};
use crate::optimise::draft::{Context, Draft};
use num_integer::Integer;
use num_traits::{One, Signed};

/// See the [module documentation](self).
pub(in crate::optimise) fn primitive_part(cx: &mut Context<'_>, draft: &mut Draft) {
    draft.map(cx, |cx, e, image| {
        let Node::Product(factors) = cx.pool.node(e).clone() else { return None };
        let mut all = Vec::with_capacity(factors.len() + 1);
        let mut coefficient = Rational::one();
        for factor in factors {
            let factor = image[factor];
            match divided(cx.pool, factor) {
                Some((content, primitive)) => {
                    coefficient *= content;
                    all.push(primitive);
                }
                None => all.push(factor),
            }
        }
        all.push(cx.pool.number(coefficient));
        Some(cx.pool.product(&all))
    });
}

/// A positive number that divides every term of a sum, and the sum divided by it, if that saves
/// multiplications.
fn divided(pool: &mut Pool, e: Expr) -> Option<(Rational, Expr)> {
    let Node::Sum(terms) = pool.node(e) else { return None };
    let terms = terms.clone();
    let coefficients: Vec<Rational> = terms.iter().map(|&t| pool.split_coefficient(t).0).collect();
    let first = coefficients.first()?.abs();
    let content = coefficients.iter().fold(first, |a, b| {
        // gcd(a/b, c/d) = gcd(a, c)/lcm(b, d) for reduced fractions.
        Rational::new(a.numer().gcd(b.numer()), a.denom().lcm(b.denom()))
    });
    let multiplied = |divisor: &Rational| {
        let scaled = coefficients
            .iter()
            .zip(&terms)
            .filter(|&(c, &t)| pool.as_number(t).is_none() && !(c / divisor).abs().is_one());
        scaled.count()
    };
    if content.is_one() || multiplied(&content) >= multiplied(&Rational::one()) {
        return None;
    }
    let terms: Vec<Expr> = terms.iter().map(|&t| pool.scale(content.recip(), t)).collect();
    Some((content, pool.sum(&terms)))
}
