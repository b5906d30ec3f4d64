//! Readable names for symbols that passes generated.

use super::draft::{Context, Draft, is_generated};
use crate::expr::Expr;
use crate::expr::Table;
use crate::program::Stage;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::RangeFrom;

/// Names every generated symbol after its formula where that is short: `sin_theta`, `half_h`,
/// `a_over_J`. Others are `t0, t1, …`, and `k0, k1, …` where they are computed once per simulation.
pub(super) fn names(cx: &mut Context<'_>, draft: &mut Draft) {
    let mut levels = draft.levels(cx);
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let lets = draft.lets();
    let mut shown: HashMap<Expr, Expr> = draft.unknowns().into_iter().collect();
    let inputs = draft.program.inputs.iter().flat_map(|i| i.symbols.iter().copied());
    for symbol in inputs.chain(shown.values().copied()).chain(lets.iter().map(|l| l.0)) {
        if !is_generated(cx.pool, symbol) {
            taken.extend(cx.pool.symbol_name(symbol));
        }
    }
    let mut counters: BTreeMap<char, RangeFrom<usize>> = BTreeMap::new();
    let mut image: Table<Expr> = Table::new();
    for (symbol, value) in lets {
        if !is_generated(cx.pool, symbol) {
            continue;
        }
        let value = cx.pool.substitute(&[value], &shown)[0];
        let early = levels.stage(cx.pool, symbol) == Stage::Prepared;
        let name = match cx.pool.short_name(value, early) {
            Some(name) if taken.insert(name.clone()) => name,
            _ => {
                let letter = if early { 'k' } else { 't' };
                let counter = counters.entry(letter).or_insert(0..);
                let mut numbered = counter.map(|i| format!("{letter}{i}"));
                numbered.find(|name| taken.insert(name.clone())).expect("endless numbers")
            }
        };
        let new = cx.pool.symbol(&name);
        image.insert(symbol, new);
        // What is named after a formula is not made of names that stand for formulas.
        shown.insert(symbol, if early { value } else { new });
    }
    draft.rename(cx, &image);
}
