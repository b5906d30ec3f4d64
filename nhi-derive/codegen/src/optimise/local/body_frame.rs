//! Rewriting into the body frame: Newton's equations in the frame that rotates with an angle.
//!
//! The pass saves the rotation of sines and cosines in every iteration and after the last one, and most of the products
//! with them. For θ' = θ + δ with θ known before the loop, the addition theorems give
//!
//! ```text
//! x sin θ' − y cos θ' = cos δ (x sin θ − y cos θ) + sin δ (x cos θ + y sin θ).
//! ```
//!
//! The brackets are known before the loop, or are polynomials of the unknowns with such coefficients: velocities and
//! impulses in the frame rotated by θ. With sin² θ + cos² θ = 1 many coefficients vanish; a lateral impulse, for
//! example, has no forward component.
//!
//! The pass applies to steps, if no rotated sine or cosine is needed afterwards.

use super::hoist::hoist;
use super::value_numbering::value_numbering;
use crate::expr::Table;
use crate::expr::{Expr, Function, Node};
use crate::optimise::draft::{Context, Draft};
use crate::optimise::place::place;
use crate::program::{Level, Levels, Stage};
use std::collections::{BTreeMap, BTreeSet};

/// Terms of a sum that is multiplied out, and of what a name in it stands for, at most.
const MAX_TERMS: usize = 64;
const MAX_NAMED: usize = 8;

/// See the [module documentation](self).
pub(in crate::optimise) fn body_frame(cx: &mut Context<'_>, draft: &mut Draft) {
    if draft.program.is_derivative() {
        return;
    }
    let mut levels = draft.levels(cx);
    let mut small: BTreeMap<Level, BTreeSet<Expr>> = BTreeMap::new();
    for (symbol, value) in draft.lets() {
        let (_, value) = cx.signed(value);
        if let Node::Call(Function::SmallSin | Function::SmallCos, _) = cx.pool.node(value) {
            small.entry(levels.level(cx.pool, symbol)).or_default().insert(symbol);
        }
    }
    small.into_iter().rev().for_each(|(level, small)| frames_at(cx, draft, level, small));
}

/// The angles that are rotated at one level, in a loop or after it; `small` are the sines and cosines of the increments.
fn frames_at(cx: &mut Context<'_>, draft: &mut Draft, level: Level, small: BTreeSet<Expr>) {
    let mut frames = Frames::of(cx, draft, level, small);
    if frames.sources.is_empty() {
        return;
    }
    frames.open(cx, draft);
    let (mut trial, before) = (draft.clone(), draft.program.clone());
    let mut names: BTreeMap<Expr, Expr> = BTreeMap::new();
    draft.map(cx, |cx, e, image| {
        let Node::Sum(terms) = cx.pool.node(e).clone() else { return None };
        if frames.turned.contains(e) {
            return None;
        }
        let (mut products, mut all) = (Vec::new(), Vec::new());
        for t in terms {
            match frames.multiplied_out(cx, t) {
                Some(product) => products.push(product),
                None => all.push(image[t]),
            }
        }
        if products.is_empty() {
            return None;
        }
        let sum = cx.pool.sum(&products);
        all.push(frames.collected(cx, sum, |cx, value| {
            let (negative, abs) = cx.signed(value);
            let symbol = *names.entry(abs).or_insert_with(|| trial.fresh(cx));
            cx.with_sign(negative, symbol)
        }));
        Some(cx.pool.sum(&all))
    });
    trial.program = std::mem::replace(&mut draft.program, before);
    place(cx, &mut trial, names.into_iter().map(|(value, s)| (s, value)));
    let needed = cx.pool.reachable(&trial.program.values());
    if !needed.iter().any(|&e| frames.turned.contains(e)) && weight(cx, &trial) < weight(cx, draft) {
        *draft = trial;
    }
}

/// Weight of the operations after early values have been hoisted.
fn weight(cx: &mut Context<'_>, draft: &Draft) -> (usize, usize) {
    let mut draft = draft.clone();
    hoist(cx, &mut draft);
    value_numbering(cx, &mut draft);
    draft.operations(cx).weight()
}

struct Frames {
    levels: Levels,
    /// What is known from here on changes with what is turned by.
    level: Level,
    /// Sines and cosines of the increments.
    small: BTreeSet<Expr>,
    /// Sums that are sines and cosines of turned angles, multiplied out.
    turned: Table<Expr>,
    /// The sines and cosines that are turned, as calls.
    sources: BTreeSet<Expr>,
    /// What is polynomial in those, multiplied out.
    opened: Table<Expr>,
}

impl Frames {
    fn of(cx: &mut Context<'_>, draft: &Draft, level: Level, small: BTreeSet<Expr>) -> Frames {
        let (mut levels, mut calls) = (draft.levels(cx), Table::new());
        for (symbol, value) in draft.lets() {
            let (_, value) = cx.signed(value);
            let own = levels.level(cx.pool, symbol);
            if let Node::Call(Function::Sin | Function::Cos, _) = cx.pool.node(value)
                && own < level
                && own.stage() == Stage::Once
            {
                calls.insert(symbol, value);
            }
        }
        let (mut turned, mut sources) = (Table::new(), BTreeSet::new());
        for e in cx.pool.reachable(&draft.program.values()) {
            let Node::Sum(terms) = cx.pool.node(e).clone() else { continue };
            let pairs: Vec<(Expr, Expr)> =
                terms.iter().filter_map(|&t| turn(cx, t, &small, &calls)).collect();
            if pairs.len() == 2 && terms.len() == 2 {
                let (calls, terms): (Vec<Expr>, Vec<Expr>) = pairs.into_iter().unzip();
                turned.insert(e, cx.pool.sum(&terms));
                sources.extend(calls);
            }
        }
        Frames { levels, level, small, turned, sources, opened: Table::new() }
    }

    /// Multiplies out what is polynomial in the sines and cosines that are turned, but for what has turned ones
    /// in it.
    fn open(&mut self, cx: &mut Context<'_>, draft: &Draft) {
        let mut late: Table<()> = self.small.iter().map(|&e| (e, ())).collect();
        let mut done: Table<()> = Table::new();
        let results = draft.results().into_iter().map(|value| (value, value));
        for (symbol, value) in draft.lets().into_iter().chain(results) {
            for e in cx.pool.reachable_where(&[value], |e| !done.contains(e)) {
                done.insert(e, ());
                let operands = cx.pool.children(e);
                if self.sources.contains(&e) {
                    self.opened.insert(e, e);
                } else if operands.iter().any(|&x| late.contains(x)) {
                    late.insert(e, ());
                } else if operands.iter().any(|&x| self.opened.contains(x)) {
                    let new = match cx.pool.node(e) {
                        Node::Sum(_) => Some(cx.pool.rebuild(e, |x| *self.opened.get(x).unwrap_or(&x))),
                        Node::Product(factors) => self.product(cx, &factors.clone()),
                        _ => None,
                    };
                    let new = new.filter(|&new| cx.pool.terms(new).len() <= MAX_TERMS);
                    self.opened.extend(new.map(|new| (e, new)));
                }
            }
            if let Some(&opened) = self.opened.get(value)
                && cx.pool.terms(opened).len() <= MAX_NAMED
            {
                self.opened.insert(symbol, opened);
                done.insert(symbol, ());
            }
        }
    }

    /// A product with one turned factor, multiplied out.
    fn multiplied_out(&self, cx: &mut Context<'_>, product: Expr) -> Option<Expr> {
        let factors = cx.pool.factors(&product).to_vec();
        let turned = factors.iter().filter(|&&f| self.turned.contains(f)).count();
        if turned == 1 { self.product(cx, &factors) } else { None }
    }

    /// A product, its factors multiplied out.
    fn product(&self, cx: &mut Context<'_>, factors: &[Expr]) -> Option<Expr> {
        let mut product = cx.pool.one();
        for &f in factors {
            let parts = match self.opened.get(f).or(self.turned.get(f)) {
                Some(&opened) => cx.pool.terms(opened),
                None => vec![f],
            };
            product = cx.pool.times_each(product, &parts, MAX_TERMS)?;
        }
        Some(product)
    }

    /// `sum`, collected by the sines and cosines of the increment and by what else changes in the loop; `named` gives names
    /// to coefficients that are sums.
    fn collected(
        &mut self,
        cx: &mut Context<'_>,
        sum: Expr,
        mut named: impl FnMut(&mut Context<'_>, Expr) -> Expr,
    ) -> Expr {
        let mut groups: BTreeMap<Expr, BTreeMap<Expr, Vec<Expr>>> = BTreeMap::new();
        for t in cx.pool.terms(sum) {
            let factors = cx.pool.factors(&t).iter().copied();
            let (turns, factors): (Vec<Expr>, Vec<Expr>) = factors.partition(|f| self.small.contains(f));
            let is_late = |&f: &Expr| self.levels.level(cx.pool, f) >= self.level;
            let (others, early): (Vec<Expr>, Vec<Expr>) = factors.into_iter().partition(is_late);
            let [turns, others, early] = [turns, others, early].map(|factors| cx.pool.product(&factors));
            groups.entry(turns).or_default().entry(others).or_default().push(early);
        }
        let mut terms = Vec::new();
        for (turns, inner) in groups {
            let inner = inner.into_iter().map(|(others, coefficient)| {
                let mut coefficient = cx.pool.sum(&coefficient);
                if let Node::Sum(_) = cx.pool.node(coefficient) {
                    coefficient = named(cx, coefficient);
                }
                cx.pool.mul(others, coefficient)
            });
            let inner: Vec<Expr> = inner.collect();
            let inner = cx.pool.sum(&inner);
            terms.push(cx.pool.mul(turns, inner));
        }
        cx.pool.sum(&terms)
    }
}

/// For a term of the addition theorems the sine or cosine that is turned, and the term with that as a call.
fn turn(
    cx: &mut Context<'_>,
    term: Expr,
    small: &BTreeSet<Expr>,
    calls: &Table<Expr>,
) -> Option<(Expr, Expr)> {
    let (coefficient, rest) = cx.pool.split_coefficient(term);
    let &[a, b] = cx.pool.factors(&rest) else { return None };
    let (by, source) = if small.contains(&a) { (a, b) } else { (b, a) };
    let call = *calls.get(source).filter(|_| small.contains(&by))?;
    let product = cx.pool.mul(by, call);
    Some((call, cx.pool.scale(coefficient, product)))
}
