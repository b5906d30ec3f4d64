//! How large an expression is for a system that works on trees and multiplies out.
//!
//! The limits are on sizes, never on time, so that the same declaration gives the same answer.

use super::graph::{is_atom, rational_part};
use crate::engine::polynomial::integer;
use crate::expr::{Expr, Node, Pool};
use std::collections::{BTreeMap, HashMap};

/// Largest tree whose derivatives are asked for, in nodes.
const MAX_TREE: u64 = 3000;
/// Deepest tree.
const MAX_DEPTH: u64 = 150;
/// Most terms of a numerator over the common denominator.
const MAX_TERMS: f64 = 600.0;
/// Most terms of all fractions in a batch, which bounds its time to some seconds: Symbolica takes
/// up to 5 ms a term where its build is not optimised.
pub(super) const MAX_BATCH_TERMS: f64 = 6000.0;
/// Most variables of a rational function.
const MAX_VARIABLES: usize = 24;
/// Largest exponent in one.
const MAX_EXPONENT: i64 = 100;

/// Whether the expression, written as a tree, is small.
pub(super) fn is_small_tree(pool: &Pool, e: Expr) -> bool {
    let mut size: HashMap<Expr, (u64, u64)> = HashMap::new();
    for x in pool.reachable(&[e]) {
        let mut total = (1u64, 1u64);
        for c in pool.children(x) {
            total = (total.0.saturating_add(size[&c].0), total.1.max(size[&c].1 + 1));
        }
        size.insert(x, total);
    }
    size[&e].0 <= MAX_TREE && size[&e].1 <= MAX_DEPTH
}

/// A bound on the terms of a rational function over its common denominator.
#[derive(Clone, Default)]
struct Extent {
    /// Terms of the numerator.
    terms: f64,
    /// Denominators and their exponents.
    bars: BTreeMap<Expr, i64>,
}

/// A bound on the terms of a rational function, unless that is too large.
pub(super) fn fraction_terms(pool: &Pool, e: Expr) -> Option<f64> {
    let order = rational_part(pool, e);
    let high = |x: &&Expr| match pool.node(**x) {
        Node::Power(_, n) => integer(pool, *n).is_some_and(|n| n.abs() > MAX_EXPONENT),
        _ => false,
    };
    if order.iter().filter(|&&x| is_atom(pool, x)).count() > MAX_VARIABLES || order.iter().any(|x| high(&x)) {
        return None;
    }
    let mut image: HashMap<Expr, Extent> = HashMap::new();
    for x in order {
        let extent = match pool.node(x) {
            _ if is_atom(pool, x) => Extent { terms: 1.0, ..Extent::default() },
            Node::Sum(c) => {
                let mut bars = BTreeMap::new();
                for (&b, &n) in c.iter().flat_map(|t| &image[t].bars) {
                    let most = bars.entry(b).or_insert(n);
                    *most = n.max(*most);
                }
                let terms = c.iter().map(|t| image[t].terms * missing(&image, &bars, &image[t].bars)).sum();
                Extent { terms, bars }
            }
            Node::Product(c) => {
                let mut product = Extent { terms: 1.0, ..Extent::default() };
                for f in c {
                    product.terms *= image[f].terms;
                    for (&b, &n) in &image[f].bars {
                        *product.bars.entry(b).or_default() += n;
                    }
                }
                product
            }
            Node::Power(b, n) => {
                let n = integer(pool, *n).unwrap_or(0);
                let base = &image[b];
                if n > 0 {
                    let bars = base.bars.iter().map(|(&b, &k)| (b, k.saturating_mul(n))).collect();
                    Extent { terms: power(base.terms, n), bars }
                } else {
                    let inverse = missing(&image, &base.bars, &BTreeMap::new());
                    Extent { terms: power(inverse, -n), bars: BTreeMap::from([(*b, -n)]) }
                }
            }
            _ => Extent { terms: 1.0, ..Extent::default() },
        };
        image.insert(x, extent);
    }
    let whole = &image[&e];
    let terms = whole.terms.max(missing(&image, &whole.bars, &BTreeMap::new()));
    (terms <= MAX_TERMS).then_some(terms)
}

/// Terms of the product of the denominators in `all` that `have` lacks.
fn missing(image: &HashMap<Expr, Extent>, all: &BTreeMap<Expr, i64>, have: &BTreeMap<Expr, i64>) -> f64 {
    all.iter().map(|(b, &n)| power(image[b].terms, n - have.get(b).copied().unwrap_or(0))).product()
}

/// Terms of the power of a sum.
fn power(terms: f64, n: i64) -> f64 {
    // Combinations with repetition of n out of the terms.
    (0..n.min(64)).map(|i| (terms + i as f64) / (i as f64 + 1.0)).product()
}
