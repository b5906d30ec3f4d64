//! Factorisation: takes common factors out of sums.
//!
//! The pass saves all but one multiplication by the same factor: `a*x + a*y` becomes `a*(x + y)`. Products of sums are
//! expanded first if that leads to fewer operations: `a*x + k*(b*x + c*y)` becomes `(a + k*b)*x + k*c*y`. Only terms
//! without another use are expanded, and only where this loses no digits.

use crate::expr::Table;
use crate::expr::{Expr, Node, Rational};
use crate::optimise::draft::{Context, Draft};
use crate::optimise::flat::Factors;
use crate::optimise::place::place;
use crate::program::{Levels, Shape, Stage};
use num_traits::{One, Signed};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Nesting of extracted factors at most.
const MAX_DEPTH: usize = 16;

/// Terms of a sum that is multiplied out at most.
const MAX_TERMS: usize = 32;

/// See the [module documentation](self).
pub(in crate::optimise) fn factor(cx: &mut Context<'_>, draft: &mut Draft) {
    let uses = draft.uses(cx);
    let mut levels = draft.levels(cx);
    draft.map(cx, |cx, e, image| {
        let Node::Sum(terms) = cx.pool.node(e).clone() else { return None };
        let mut whole = Vec::new();
        let mut apart = Vec::new();
        for t in terms {
            let (_, abs) = cx.signed(t);
            let single = uses.get(abs).is_none_or(|&n| n == 1) || cx.is_trivial(abs);
            let t = image[t];
            let known = cx.constants.contains(cx.pool, t) && cx.pool.as_number(t).is_none();
            if single && !known && !matches!(cx.pool.node(t), Node::Sum(_)) {
                apart.push(Factors::of(cx, t));
            } else {
                whole.push(t);
            }
        }
        let expanded = multiplied_out(cx, &uses, &apart);
        let mut best = sum_with(cx, &mut levels, &whole, apart);
        if let Some(expanded) = expanded {
            // Both forms are made of these, which cost the same in both.
            let factors = expanded.iter().flat_map(|t| t.factors.keys().copied());
            let parts: BTreeSet<Expr> = factors.chain(whole.iter().copied()).collect();
            let other = sum_with(cx, &mut levels, &whole, expanded);
            if cost(cx, &mut levels, other, &parts) < cost(cx, &mut levels, best, &parts)
                && !cx.pool.loses_digits(best, other)
            {
                best = other;
            }
        }
        Some(best)
    });
    place(cx, draft, []);
}

fn sum_with(cx: &mut Context<'_>, levels: &mut Levels, whole: &[Expr], apart: Vec<Arc<Factors>>) -> Expr {
    let factored = extract(cx, levels, apart, MAX_DEPTH);
    let terms: Vec<Expr> = whole.iter().copied().chain([factored]).collect();
    cx.pool.sum(&terms)
}

/// The terms with factors that are sums, which nothing else needs, distributed.
fn multiplied_out(
    cx: &mut Context<'_>,
    uses: &Table<usize>,
    terms: &[Arc<Factors>],
) -> Option<Vec<Arc<Factors>>> {
    let mut out: Vec<Arc<Factors>> = Vec::new();
    let mut changed = false;
    for term in terms {
        let sum = term.factors.iter().find_map(|(&f, &n)| match cx.pool.node(f) {
            Node::Sum(inner) if n == 1 && uses.get(f).is_none_or(|&n| n == 1) => Some((f, inner.clone())),
            _ => None,
        });
        let Some((sum, inner)) = sum else {
            out.push(term.clone());
            continue;
        };
        changed = true;
        let mut rest = (**term).clone();
        rest.remove(sum);
        let rest = rest.build(cx);
        for t in inner {
            let product = cx.pool.mul(rest, t);
            out.push(Factors::of(cx, product));
        }
        if out.len() > MAX_TERMS {
            return None;
        }
    }
    changed.then_some(out)
}

/// Operations that make `e` from `parts` in its own stage, when what is known earlier has been put
/// together.
fn cost(cx: &mut Context<'_>, levels: &mut Levels, e: Expr, parts: &BTreeSet<Expr>) -> usize {
    let stage = levels.stage(cx.pool, e);
    let mut total = 0;
    let mut seen = BTreeSet::new();
    let mut stack = vec![e];
    while let Some(e) = stack.pop() {
        let (_, abs) = cx.signed(e);
        let is_part = parts.contains(&e) || parts.contains(&abs);
        let e = abs;
        if is_part || levels.stage(cx.pool, e) < stage || !seen.insert(e) {
            continue;
        }
        let shape = Shape::of(cx.pool, cx.constants, e);
        let operands = shape.operands();
        let late = operands.iter().filter(|&&x| levels.stage(cx.pool, x) == stage).count();
        let early = usize::from(late < operands.len());
        match &*shape {
            Shape::Sum(_) => total += late + early - 1,
            Shape::Quotient { constant, under, .. } => {
                let constant = usize::from(constant.is_some() && (early == 0 || stage == Stage::Prepared));
                total += (late + early + constant).saturating_sub(1);
                // A division takes longer than the multiplication it replaces.
                total += 3 * usize::from(under.iter().any(|&x| levels.stage(cx.pool, x) == stage));
            }
            _ => {}
        }
        stack.extend(operands);
    }
    total
}

/// The sum of `terms`, with the factor taken out that saves most, and so on inside and beside it.
fn extract(cx: &mut Context<'_>, levels: &mut Levels, terms: Vec<Arc<Factors>>, depth: usize) -> Expr {
    let best = if depth == 0 { None } else { best_factor(cx, levels, &terms) };
    let Some(best) = best else {
        let terms: Vec<Expr> = terms.iter().map(|t| t.build(cx)).collect();
        return cx.pool.sum(&terms);
    };
    let (mut with, without): (Vec<Arc<Factors>>, Vec<Arc<Factors>>) =
        terms.into_iter().partition(|t| best.is_in(t));
    for t in &mut with {
        best.divide(Arc::make_mut(t));
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

fn best_factor(cx: &mut Context<'_>, levels: &mut Levels, terms: &[Arc<Factors>]) -> Option<Common> {
    let mut holders: BTreeMap<Common, Vec<&Factors>> = BTreeMap::new();
    for t in terms {
        for &f in t.factors.keys() {
            holders.entry(Common::Factor(f)).or_default().push(t);
        }
        let c = t.coefficient.abs();
        if !c.is_one() {
            holders.entry(Common::Coefficient(c)).or_default().push(t);
        }
    }
    let mut best: Option<(usize, Common)> = None;
    for (common, holders) in holders.into_iter().filter(|(_, holders)| holders.len() > 1) {
        // A term that is nothing but the factor saves nothing itself.
        let multiplied = holders.iter().filter(|t| t.operations() > 0).count();
        let Some(mut saved) = multiplied.checked_sub(1) else { continue };
        if let Common::Factor(f) = common {
            let stage = levels.stage(cx.pool, f);
            let mut others =
                holders.iter().flat_map(|t| t.factors.iter().filter(|&(&x, &n)| x != f || n > 1));
            // What is left may be known earlier, and then the additions are saved too.
            if others.all(|(&x, _)| levels.stage(cx.pool, x) < stage) {
                saved = 2 * holders.len() - 1;
            }
        }
        if saved > 0 && best.as_ref().is_none_or(|(most, _)| saved > *most) {
            best = Some((saved, common));
        }
    }
    best.map(|(_, common)| common)
}
