//! Common factors of the terms of a sum.
//!
//! Saves all but one of the multiplications by the same factor: `a*x + a*y` becomes `a*(x + y)`.
//! Only terms that nothing else needs are taken apart.

use super::draft::{Context, Draft, Levels};
use super::flat::Factors;
use super::schedule::schedule;
use crate::expr::{Expr, Node, Rational};
use num_traits::{One, Signed};
use std::collections::BTreeMap;

/// Nesting of extracted factors at most.
const MAX_DEPTH: usize = 16;

/// See the [module documentation](self).
pub(super) fn factor(cx: &mut Context<'_>, draft: &mut Draft) {
    let uses = draft.uses(cx);
    let mut levels = draft.levels(cx);
    draft.map(cx, |cx, e, image| {
        let Node::Sum(terms) = cx.pool.node(e).clone() else { return None };
        let mut whole = Vec::new();
        let mut apart = Vec::new();
        for t in terms {
            let (_, abs) = cx.signed(t);
            let single = uses.get(&abs).is_none_or(|&n| n == 1) || cx.pool.as_symbol(abs).is_some();
            let t = image[&t];
            if single && !cx.constants.contains(cx.pool, t) && !matches!(cx.pool.node(t), Node::Sum(_)) {
                let product = Factors::of(cx, t);
                apart.push(product);
            } else {
                whole.push(t);
            }
        }
        let factored = extract(cx, &mut levels, apart, MAX_DEPTH);
        whole.push(factored);
        Some(cx.pool.sum(&whole))
    });
    schedule(cx, draft, &[]);
}

/// The sum of `terms`, with the factor taken out that saves most, and so on inside and beside it.
fn extract(cx: &mut Context<'_>, levels: &mut Levels, terms: Vec<Factors>, depth: usize) -> Expr {
    let best = if depth == 0 { None } else { best_factor(cx, levels, &terms) };
    let Some(best) = best else {
        let terms: Vec<Expr> = terms.iter().map(|t| t.build(cx)).collect();
        return cx.pool.sum(&terms);
    };
    let (mut with, without): (Vec<Factors>, Vec<Factors>) = terms.into_iter().partition(|t| best.is_in(t));
    for t in &mut with {
        best.divide(t);
    }
    let inner = extract(cx, levels, with, depth - 1);
    let factor = match &best {
        Common::Factor(f) => *f,
        Common::Coefficient(c) => cx.pool.number(c.clone()),
    };
    let product = cx.pool.mul(factor, inner);
    let rest = extract(cx, levels, without, depth - 1);
    cx.pool.add(product, rest)
}

/// What terms have in common.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Common {
    Factor(Expr),
    /// A positive numeric coefficient that is not 1.
    Coefficient(Rational),
}

impl Common {
    fn is_in(&self, term: &Factors) -> bool {
        match self {
            Common::Factor(f) => term.factors.contains_key(f),
            Common::Coefficient(c) => term.coefficient.abs() == *c,
        }
    }

    fn divide(&self, term: &mut Factors) {
        match self {
            Common::Factor(f) => term.remove(*f),
            Common::Coefficient(c) => term.coefficient /= c,
        }
    }
}

fn best_factor(cx: &mut Context<'_>, levels: &mut Levels, terms: &[Factors]) -> Option<Common> {
    let mut holders: BTreeMap<Common, Vec<&Factors>> = BTreeMap::new();
    for t in terms {
        for &f in t.factors.keys() {
            holders.entry(Common::Factor(f)).or_default().push(t);
        }
        let c = t.coefficient.abs();
        if !c.is_one() && !t.factors.is_empty() {
            holders.entry(Common::Coefficient(c)).or_default().push(t);
        }
    }
    let mut best: Option<(usize, Common)> = None;
    for (common, terms) in holders {
        if terms.len() < 2 {
            continue;
        }
        // A term that is nothing but the factor saves nothing itself.
        let saved = terms.iter().filter(|t| t.operations() > 0).count().saturating_sub(1);
        // What is left may be known earlier, and then the additions are saved too.
        let early = match &common {
            Common::Factor(f) => {
                let stage = levels.stage(cx.pool, *f);
                terms.iter().all(|t| {
                    let others = t.factors.iter().filter(|&(x, &n)| x != f || n > 1);
                    others.into_iter().all(|(&x, _)| levels.stage(cx.pool, x) < stage)
                })
            }
            Common::Coefficient(_) => false,
        };
        let saved = if early { 2 * terms.len() - 1 } else { saved };
        if saved > 0 && best.as_ref().is_none_or(|(most, _)| saved > *most) {
            best = Some((saved, common));
        }
    }
    best.map(|(_, common)| common)
}
