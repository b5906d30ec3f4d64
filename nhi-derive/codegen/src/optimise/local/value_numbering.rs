//! Global value numbering: one symbol for each value.
//!
//! The pass saves values that are computed under two names, and names of values that cost nothing. A `Let` of a symbol,
//! of a negated symbol, of a constant, or of a value bound before is replaced by that value; an expression that a `Let`
//! binds is replaced by its symbol at all other places.

use crate::expr::Expr;
use crate::expr::Table;
use crate::optimise::draft::{Context, Draft, is_generated};
use crate::optimise::place::place;
use std::collections::BTreeMap;

/// See the [module documentation](self).
pub(in crate::optimise) fn value_numbering(cx: &mut Context<'_>, draft: &mut Draft) {
    let mut lets = with_given_names(cx, draft.lets());
    // Which symbol stands for which value, a given name if there is one, and what others copy.
    lets.sort_by_key(|&(symbol, _)| is_generated(cx.pool, symbol));
    let mut symbol_of: Table<(bool, Expr)> = Table::new();
    let mut copies: BTreeMap<Expr, Expr> = BTreeMap::new();
    for &(symbol, value) in &lets {
        let (negative, abs) = cx.signed(value);
        if cx.is_trivial(value) {
            copies.insert(symbol, value);
        } else if let Some(&(other_negative, other)) = symbol_of.get(abs) {
            let copy = cx.with_sign(negative != other_negative, other);
            copies.insert(symbol, copy);
        } else {
            symbol_of.insert(abs, (negative, symbol));
        }
    }
    let mut image: Table<Expr> = Table::new();
    for &symbol in copies.keys() {
        let original = follow(cx, &copies, symbol);
        image.insert(symbol, original);
    }
    let mut values: BTreeMap<Expr, Expr> = BTreeMap::new();
    let mut roots: Vec<Expr> = lets.iter().map(|&(_, value)| value).collect();
    roots.extend(draft.program.values());
    for e in cx.pool.reachable(&roots) {
        if image.contains(e) {
            continue;
        }
        let new = cx.pool.rebuild(e, |c| image[c]);
        let (negative, abs) = cx.signed(e);
        let new = match symbol_of.get(abs) {
            Some(&(other_negative, symbol)) => {
                let flip = negative != other_negative;
                let value = cx.with_sign(flip, new);
                values.entry(symbol).or_insert(value);
                cx.with_sign(flip, symbol)
            }
            None => new,
        };
        image.insert(e, new);
    }
    draft.replace(&image);
    place(cx, draft, values);
}

/// A `Let` of a symbol that a pass made gives that symbol's value the `Let`'s own name.
fn with_given_names(cx: &Context<'_>, lets: Vec<(Expr, Expr)>) -> Vec<(Expr, Expr)> {
    let mut values: Table<Expr> = lets.iter().copied().collect();
    for (symbol, value) in lets.iter().copied() {
        if is_generated(cx.pool, value)
            && !is_generated(cx.pool, symbol)
            && let Some(&meant) = values.get(value)
            && meant != symbol
            && cx.pool.as_symbol(meant).is_none()
        {
            values.insert(symbol, meant);
            values.insert(value, symbol);
        }
    }
    lets.into_iter().map(|(symbol, _)| (symbol, values[symbol])).collect()
}

/// What `symbol` is a copy of in the end.
fn follow(cx: &mut Context<'_>, copies: &BTreeMap<Expr, Expr>, symbol: Expr) -> Expr {
    let mut negative = false;
    let mut at = symbol;
    while let Some(&next) = copies.get(&at) {
        let (minus, abs) = cx.signed(next);
        negative ^= minus;
        at = abs;
    }
    cx.with_sign(negative, at)
}
