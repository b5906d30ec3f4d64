//! Equal forms of an expression by rules that need no computer-algebra system.

use super::factor::{Factored, factor};
use super::polynomial::{
    MAX_TERMS, Monomial, Polynomial, exponent, integer, multiply, power, product, without,
};
use super::rotation::rotations;
use super::select::cheapest_alone;
use super::trigonometry::{angles, expand, linearise, normal, reduce};
use crate::expr::{Expr, Function, Node, Pool, Rational};
use num_traits::One;
use std::collections::HashMap;

/// Expressions of more nodes are only looked at node by node.
const MAX_NODES: usize = 600;

/// What is known of the expressions of one pool.
#[derive(Default)]
pub(super) struct Known {
    /// Simplified arguments, bases and sums under fraction bars.
    simplified: HashMap<Expr, Expr>,
    pub(super) factored: Factored,
}

/// For each expression equal forms, itself first.
pub(super) fn forms(pool: &mut Pool, known: &mut Known, exprs: &[Expr]) -> Vec<Vec<Expr>> {
    exprs
        .iter()
        .map(|&e| {
            let mut all = vec![e];
            if pool.reachable(&[e]).len() <= MAX_NODES {
                let inner = simplify_inside(pool, known, e);
                all.extend(candidates(pool, known, inner));
                // Not inside of roots and fractions, where equal expressions would take different forms.
                let reduced = Polynomial::of(pool, inner).and_then(|p| rotations(pool, &p));
                if let Some(reduced) = reduced {
                    let reduced = reduced.expr(pool);
                    all.extend(candidates(pool, known, reduced));
                }
            } else {
                all.push(factor(pool, &mut known.factored, e));
            }
            all
        })
        .collect()
}

/// `e` with the arguments of functions, the bases of roots and the sums under fraction bars
/// simplified: the nodes that polynomials treat as atoms.
pub(super) fn simplify_inside(pool: &mut Pool, known: &mut Known, e: Expr) -> Expr {
    let mut image: HashMap<Expr, Expr> = HashMap::new();
    for x in pool.reachable(&[e]) {
        let opaque: Vec<Expr> = match *pool.node(x) {
            Node::Power(b, n) if integer(pool, n).is_none_or(|n| n < 0) => vec![b, n],
            Node::Call(_, a) => vec![a],
            Node::Atan2(a, b) => vec![a, b],
            Node::Select(all) => all.to_vec(),
            _ => Vec::new(),
        };
        for c in opaque.iter().map(|c| image[c]) {
            if !known.simplified.contains_key(&c) {
                let all = candidates(pool, known, c);
                known.simplified.insert(c, cheapest_alone(pool, &all));
            }
        }
        let y = pool.rebuild(x, |c| {
            let y = image[&c];
            if opaque.contains(&c) { known.simplified[&y] } else { y }
        });
        image.insert(x, y);
    }
    image[&e]
}

/// Equal forms of `e`, all polynomials over the same fraction bars or over a common one.
fn candidates(pool: &mut Pool, known: &mut Known, e: Expr) -> Vec<Expr> {
    let mut out = vec![e, factor(pool, &mut known.factored, e)];
    let Some(p) = Polynomial::of(pool, e) else { return out };
    for q in variants(pool, p) {
        let plain = q.expr(pool);
        out.push(plain);
        out.push(factor(pool, &mut known.factored, plain));
        out.extend(over_one_bar(pool, known, &q));
    }
    out
}

/// `p` itself and what it is modulo trigonometric identities.
fn variants(pool: &mut Pool, p: Polynomial) -> Vec<Polynomial> {
    let mut all = vec![p.clone()];
    if angles(pool, &p).is_empty() {
        return all;
    }
    all.push(reduce(pool, &p));
    all.extend(normal(pool, &p, Function::Sin));
    all.extend(normal(pool, &p, Function::Cos));
    if let Some(linear) = linearise(pool, &p) {
        if let Some(single) = expand(pool, &linear) {
            all.push(reduce(pool, &single));
            all.extend(normal(pool, &single, Function::Sin));
            all.extend(normal(pool, &single, Function::Cos));
        }
        all.push(linear);
    }
    let mut distinct: Vec<Polynomial> = Vec::new();
    for q in all {
        if !distinct.contains(&q) {
            distinct.push(q);
        }
    }
    distinct
}

/// `p` over its common denominator, with factors of that cancelled where they divide exactly.
fn over_one_bar(pool: &mut Pool, known: &mut Known, p: &Polynomial) -> Option<Expr> {
    let mut bar = Monomial::new();
    for a in p.atoms() {
        let least = p.terms().map(|(m, _)| exponent(m, a)).min().unwrap_or(0);
        if least < 0 {
            bar.push((a, least));
        }
    }
    if bar.is_empty() {
        return None;
    }
    let mut numerator = Polynomial::default();
    for (m, c) in p.terms() {
        let m = multiply(m, &power(&bar, -1));
        let mut term = Polynomial::number(c.clone());
        for &(a, n) in &m {
            term = term.mul(&sum_or_atom(pool, a)?.pow(n)?)?;
        }
        numerator.add_scaled(&Rational::one(), &Monomial::new(), &term);
        if numerator.len() > MAX_TERMS {
            return None;
        }
    }
    for (a, n) in bar.clone() {
        let divisor = sum_or_atom(pool, a)?;
        for k in n..0 {
            match numerator.divide_exactly(&divisor) {
                Some(q) => numerator = q,
                None => break,
            }
            bar = without(&bar, a);
            if k + 1 < 0 {
                bar = multiply(&bar, &vec![(a, k + 1)]);
            }
        }
    }
    let numerator = variants(pool, numerator).into_iter().map(|q| q.expr(pool)).collect::<Vec<_>>();
    let numerator: Vec<Expr> = numerator.into_iter().map(|q| factor(pool, &mut known.factored, q)).collect();
    let bar = product(pool, &Rational::one(), &bar);
    let all: Vec<Expr> = numerator.into_iter().map(|q| pool.mul(q, bar)).collect();
    Some(cheapest_alone(pool, &all))
}

/// The polynomial of an atom that may be a sum.
fn sum_or_atom(pool: &mut Pool, a: Expr) -> Option<Polynomial> {
    match pool.node(a) {
        Node::Sum(_) => Polynomial::of(pool, a),
        _ => Some(Polynomial::atom(a)),
    }
}
