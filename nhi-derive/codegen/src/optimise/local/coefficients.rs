//! Propagation of coefficients: moves early factors of a named product to its uses.
//!
//! The pass saves one multiplication for each `Let` of `c*x` whose factor `c` is known earlier. It applies if every use
//! multiplies the name by another early value: in `w = v + h*f` with `f = -k*x`, `h*k` is one constant.

use crate::expr::{Expr, Node};
use crate::optimise::draft::{Context, Draft};
use crate::optimise::place::place;
use crate::program::Levels;
use std::collections::{BTreeSet, HashMap};

/// See the [module documentation](self).
pub(in crate::optimise) fn coefficients(cx: &mut Context<'_>, draft: &mut Draft) {
    let mut levels = draft.levels(cx);
    let absorbed = absorbed(cx, draft, &mut levels);
    let uses = draft.uses(cx);
    let mut image: HashMap<Expr, Expr> = HashMap::new();
    let mut definitions = Vec::new();
    for (symbol, value) in draft.lets() {
        if !absorbed.contains(&symbol) {
            continue;
        }
        let Node::Product(factors) = cx.pool.node(value).clone() else { continue };
        let stage = levels.stage(cx.pool, symbol);
        let (mut early, rest): (Vec<Expr>, Vec<Expr>) =
            factors.into_iter().partition(|&f| levels.stage(cx.pool, f) < stage);
        if early.is_empty() || rest.is_empty() {
            continue;
        }
        let mut rest = cx.pool.product(&rest);
        if uses.get(symbol) != Some(&1) && !cx.is_trivial(rest) {
            let name = draft.fresh(cx);
            definitions.push((name, rest));
            rest = name;
        }
        early.push(rest);
        // A coefficient may itself be a product of names whose coefficients move.
        let value = cx.pool.product(&early);
        let value = cx.pool.substitute(&[value], &image)[0];
        image.insert(symbol, value);
    }
    let (names, values): (Vec<Expr>, Vec<Expr>) = definitions.into_iter().unzip();
    let definitions: Vec<(Expr, Expr)> = names.into_iter().zip(cx.pool.substitute(&values, &image)).collect();
    draft.map(cx, |_, e, _| image.get(&e).copied());
    place(cx, draft, definitions);
}

/// Symbols that are only used as factors beside something known earlier than the product.
fn absorbed(cx: &mut Context<'_>, draft: &Draft, levels: &mut Levels) -> BTreeSet<Expr> {
    let mut candidates: BTreeSet<Expr> = draft.lets().into_iter().map(|(s, _)| s).collect();
    let values = draft.program.values();
    for e in &values {
        candidates.remove(e);
    }
    for e in cx.pool.reachable(&values) {
        let factors = match cx.pool.node(e) {
            Node::Product(f) => f.clone(),
            _ => Vec::new(),
        };
        let stage = levels.stage(cx.pool, e);
        let is_early = |&f: &Expr| {
            let (_, abs) = cx.signed(f);
            !cx.pool.is_one(abs) && levels.stage(cx.pool, f) < stage
        };
        let early: Vec<Expr> = factors.iter().copied().filter(is_early).collect();
        for c in cx.pool.children(e) {
            if !factors.contains(&c) || early.iter().all(|&f| f == c) {
                candidates.remove(&c);
            }
        }
    }
    candidates
}
