//! Negation folding: a `Let` of `-e` becomes one of `e`, whose uses subtract instead of adding.
//!
//! The pass saves the change of sign, which is an operation unless an early factor or a sum absorbs it.

use crate::expr::Table;
use crate::expr::{Expr, Node};
use crate::optimise::draft::{Context, Draft, is_generated};
use crate::optimise::place::place;
use crate::program::{Stage, Statement};
use std::collections::{BTreeMap, BTreeSet};

/// Before values get names that people read.
pub(in crate::optimise) fn fold_negations(cx: &mut Context<'_>, draft: &mut Draft) {
    let mut levels = draft.levels(cx);
    let checked = checked(cx, draft);
    let mut image: Table<Expr> = Table::new();
    let mut values: BTreeMap<Expr, Expr> = BTreeMap::new();
    let mut names: Table<Expr> = Table::new();
    for (symbol, value) in draft.lets() {
        for e in cx.pool.reachable_where(&[value], |e| !image.contains(e)) {
            let new = cx.pool.rebuild(e, |c| image[c]);
            image.insert(e, new);
        }
        let (negative, abs) = cx.signed(image[value]);
        // Something known early takes a sign for nothing.
        let takes = match cx.pool.node(abs).clone() {
            Node::Product(factors) => factors.iter().any(|&f| levels.stage(cx.pool, f) == Stage::Prepared),
            _ => levels.stage(cx.pool, abs) == Stage::Prepared,
        };
        if negative && !takes && !checked.contains(&symbol) && !cx.is_trivial(abs) {
            // From here on the symbol means the opposite.
            let minus = cx.pool.neg(symbol);
            image.insert(symbol, minus);
            values.insert(symbol, abs);
            if !is_generated(cx.pool, symbol) {
                let name = cx.pool.symbol_name(symbol).unwrap_or_default();
                names.insert(symbol, cx.pool.fresh_symbol(&format!("minus_{name}")));
            }
        } else {
            values.insert(symbol, image[value]);
            image.insert(symbol, symbol);
        }
    }
    draft.map(cx, |_, e, _| image.get(e).copied());
    place(cx, draft, values);
    draft.rename(cx, &names);
}

/// Symbols that pivots are made of, which are positive.
fn checked(cx: &Context<'_>, draft: &Draft) -> BTreeSet<Expr> {
    let mut pivots = Vec::new();
    for statement in &draft.program.body {
        if let Statement::Pivot { pivot, diagonal, .. } = statement {
            pivots.extend([*pivot, *diagonal]);
        }
    }
    cx.pool.reachable(&pivots).into_iter().filter(|&e| cx.pool.as_symbol(e).is_some()).collect()
}
