//! Readable names for symbols that passes generated.

use super::draft::{Context, Draft, Stage, is_generated};
use crate::expr::{Expr, Node, Pool, Rational};
use crate::program::Table;
use num_traits::{One, Signed};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Longest name made from a formula.
const MAX_NAME: usize = 24;

/// Factors of products that are named after them.
const MAX_FACTORS: usize = 3;

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
            taken.extend(symbol_name(cx.pool, symbol));
        }
    }
    let mut counters: BTreeMap<char, usize> = BTreeMap::new();
    let mut image: Table<Expr> = Table::new();
    for (symbol, value) in lets {
        if !is_generated(cx.pool, symbol) {
            continue;
        }
        let value = cx.pool.substitute(&[value], &shown)[0];
        let early = levels.stage(cx.pool, symbol) == Stage::Prepared;
        let name = match formula_name(cx.pool, value, early).filter(|n| n.len() <= MAX_NAME) {
            Some(name) if taken.insert(name.clone()) => name,
            _ => {
                let letter = if early { 'k' } else { 't' };
                let counter = counters.entry(letter).or_default();
                loop {
                    let name = format!("{letter}{counter}");
                    *counter += 1;
                    if taken.insert(name.clone()) {
                        break name;
                    }
                }
            }
        };
        let new = cx.pool.symbol(&name);
        image.insert(symbol, new);
        // What is named after a formula is not made of names that stand for formulas.
        shown.insert(symbol, if early { value } else { new });
    }
    draft.rename(cx, &image);
}

/// A name after the formula of a value that is computed once per simulation, if that is short.
pub(crate) fn described(pool: &mut Pool, e: Expr) -> Option<String> {
    formula_name(pool, e, true).filter(|name| name.len() <= MAX_NAME)
}

/// A symbol's name as a part of identifiers: `dot(x)` is `dot_x`, `y[0]` is `y_0`.
pub fn identifier(name: &str) -> String {
    let mut out = String::new();
    for c in name.trim_start_matches("r#").chars() {
        if unicode_ident::is_xid_continue(c) {
            out.push(c);
        } else if !out.ends_with('_') {
            out.push('_');
        }
    }
    out.trim_end_matches('_').to_owned()
}

pub(super) fn symbol_name(pool: &Pool, e: Expr) -> Option<String> {
    pool.as_symbol(e).map(|s| identifier(pool.name(s)))
}

/// A name that says what `e` is. Later values are named for what functions and simple powers they
/// are, since a product is read faster than its name.
pub(super) fn formula_name(pool: &mut Pool, e: Expr, early: bool) -> Option<String> {
    match pool.node(e).clone() {
        Node::Call(f, x) => Some(format!("{}_{}", f.name(), argument_name(pool, x)?)),
        Node::Power(b, x) => {
            let b = argument_name(pool, b)?;
            let x = pool.as_number(x)?;
            match x.to_string().as_str() {
                "-1" => Some(format!("inv_{b}")),
                "2" => Some(format!("{b}_sq")),
                "3" => Some(format!("{b}_cubed")),
                "1/2" => Some(format!("sqrt_{b}")),
                "-1/2" => Some(format!("inv_sqrt_{b}")),
                "-2" => Some(format!("inv_{b}_sq")),
                _ => None,
            }
        }
        Node::Map(entry, _) => Some(format!("{}_{}", entry.map.name(), entry.index)),
        Node::Sum(_) if early => argument_name(pool, e),
        Node::Product(factors) if early || factors.len() == 2 && pool.as_number(factors[0]).is_some() => {
            product_name(pool, &factors)
        }
        _ => None,
    }
}

/// Names of symbols and of sums and products of two.
fn argument_name(pool: &mut Pool, e: Expr) -> Option<String> {
    if let Some(name) = symbol_name(pool, e) {
        return Some(name);
    }
    match pool.node(e).clone() {
        Node::Sum(terms) if terms.len() == 2 => {
            let (first, second) = (symbol_name(pool, terms[0]), terms[1]);
            match (first, pool.is_negated(second)) {
                (Some(a), false) => Some(format!("{a}_plus_{}", symbol_name(pool, second)?)),
                (Some(a), true) => {
                    let b = pool.neg(second);
                    Some(format!("{a}_minus_{}", symbol_name(pool, b)?))
                }
                _ => None,
            }
        }
        Node::Product(factors) if factors.len() == 2 => product_name(pool, &factors),
        _ => None,
    }
}

fn product_name(pool: &mut Pool, factors: &[Expr]) -> Option<String> {
    let (mut over, mut under) = (Vec::new(), Vec::new());
    if factors.len() > MAX_FACTORS {
        return None;
    }
    for &f in factors {
        if let Some(c) = pool.as_number(f) {
            over.push(number_name(c)?.to_owned());
            continue;
        }
        let (base, x) = pool.split_power(f);
        let base = symbol_name(pool, base)?;
        let x = pool.as_number(x)?;
        let side = if x.is_negative() { &mut under } else { &mut over };
        match x.abs() {
            x if x.is_one() => side.push(base),
            x if x == Rational::from_integer(2.into()) => side.push(format!("{base}_sq")),
            _ => return None,
        }
    }
    let (over, under) = (over.join("_"), under.join("_"));
    match (over.is_empty(), under.is_empty()) {
        (false, true) => Some(over),
        (false, false) => Some(format!("{over}_over_{under}")),
        _ => Some(format!("inv_{under}")),
    }
}

fn number_name(c: &Rational) -> Option<&'static str> {
    match c.to_string().as_str() {
        "1/2" => Some("half"),
        "1/4" => Some("quarter"),
        "2" => Some("two"),
        "3" => Some("three"),
        "4" => Some("four"),
        _ => None,
    }
}
