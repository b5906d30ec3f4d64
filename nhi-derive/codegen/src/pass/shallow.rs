//! Sums that cost no more with the sums in them written out.
//!
//! Saves waiting: `y1 + w/2` with `y1 = y + w/2` is `y + w`, which waits for y by one addition.
//!
//! Angles stay the sums that they are: one that goes to the middle of a step and on by the same increment is rounded the
//! same way twice. Otherwise the middle would be off it by the same in all steps of a rotation at a constant rate, and
//! what turns with it would drift.
//!
//! Done, as [late](super::late) after it, where steps may begin in their [middle](super::middle).

use super::draft::Context;
use super::increments::{drop_unused, used};
use crate::expr::{Expr, Node, Pool};
use crate::program::{Program, Statement, Table};
use std::collections::BTreeSet;

/// After where the step begins is chosen.
pub(super) fn shallow(cx: &mut Context<'_>, program: &mut Program) {
    // Symbols of sums and multiples of symbols, and these written out.
    let mut linear: Table<Expr> = Table::new();
    let angles = angles(cx.pool, program);
    for statement in &mut program.body {
        let Statement::Let { symbol, value } = statement else { continue };
        let whole = written_out(cx.pool, &linear, *value);
        let is_kept = angles.contains(symbol) && cx.pool.as_symbol(whole).is_none();
        let is_sum = matches!(cx.pool.node(*value), Node::Sum(_));
        if is_sum && !is_kept && cost(cx.pool, whole) <= cost(cx.pool, *value) {
            *value = whole;
        }
        if is_linear(cx.pool, whole) {
            linear.insert(*symbol, whole);
        }
    }
    drop_unused(cx.pool, program);
}

/// What `program` computes functions of.
fn angles(pool: &Pool, program: &Program) -> BTreeSet<Expr> {
    let argument = |e| match *pool.node(e) {
        Node::Call(_, x) => Some(x),
        _ => None,
    };
    used(pool, program).into_iter().filter_map(argument).collect()
}

/// Whether all terms are multiples of symbols.
fn is_linear(pool: &Pool, e: Expr) -> bool {
    pool.terms(e).iter().all(|&t| pool.as_symbol(pool.split_coefficient(t).1).is_some())
}

/// `e` with the symbols that are its terms written out.
fn written_out(pool: &mut Pool, linear: &Table<Expr>, e: Expr) -> Expr {
    let mut all = Vec::new();
    for term in pool.terms(e) {
        let (coefficient, symbol) = pool.split_coefficient(term);
        for part in pool.terms(linear.get(symbol).copied().unwrap_or(symbol)) {
            all.push(pool.scale(coefficient.clone(), part));
        }
    }
    pool.sum(&all)
}

/// Additions and multiplications of a sum.
fn cost(pool: &Pool, e: Expr) -> usize {
    let terms = pool.terms(e);
    terms.len() + terms.iter().filter(|&&t| pool.has_coefficient(t)).count()
}
