//! What the next step reads, without detours.
//!
//! Saves additions of a step whose other results nobody looks at: where `d = v - F` is carried and `v = u - F` is a
//! result that no step reads, d is `u - 2*F`. And waiting: where `v = u - B*l`, and l is there last, d is
//! `(u - F) - B*l`.

use super::draft::{Context, Draft};
use super::increments::{in_a_loop, read_again};
use super::latency::Latency;
use super::names::names;
use super::temporaries::temporaries;
use crate::expr::{Expr, Node, Pool};
use crate::program::{Program, Statement, Table};
use std::collections::BTreeMap;

/// Writes out what the next step reads of `program` where terms come together.
pub(super) fn ends(cx: &mut Context<'_>, program: &mut Program) {
    write_out(cx, program, false, |_, _, terms, sum| sum.terms < terms);
}

/// Writes out what the next step reads of `program` where it is there earlier then, if a loop has at most `most`
/// operations, or as many as before.
pub(super) fn early_ends(cx: &mut Context<'_>, program: &mut Program, most: usize) {
    if program.has_loop() {
        return;
    }
    let before = in_a_loop(cx.pool, cx.constants, program);
    let most = most.max(before);
    // What is used elsewhere too is written out where there is room for that.
    let ways: &[bool] = if most > before { &[false, true] } else { &[false] };
    for &everywhere in ways {
        let mut latency = Latency::of(cx.pool, cx.constants, program);
        let mut early = program.clone();
        write_out(cx, &mut early, everywhere, |cx, e, _, sum| {
            let [before, after] = [e, sum.value].map(|e| latency.get(cx.pool, cx.constants, e));
            after < before
        });
        // A factor that terms had in common is not written out with each of them.
        if early != *program && in_a_loop(cx.pool, cx.constants, &early) <= most {
            // Products among the terms can be used elsewhere too.
            let mut draft = Draft::new(cx, &early);
            temporaries(cx, &mut draft);
            names(cx, &mut draft);
            *program = draft.finish(cx.pool);
        }
    }
}

struct Sum {
    value: Expr,
    terms: usize,
}

/// Replaces what the next step reads of `program` by the sum of what the sums in it that are used there alone, or
/// `everywhere`, consist of, if that is `better`, given the value, the number of terms and their sum.
fn write_out(
    cx: &mut Context<'_>,
    program: &mut Program,
    everywhere: bool,
    mut better: impl FnMut(&mut Context<'_>, Expr, usize, &Sum) -> bool,
) {
    let read = read_again(cx.pool, program);
    let uses = uses(cx.pool, program, &read);
    let mut lets: Table<Expr> = Table::new();
    for statement in &program.body {
        if let Statement::Let { symbol, value } = statement {
            lets.insert(*symbol, *value);
        }
    }
    let mut named: BTreeMap<Expr, Expr> = BTreeMap::new();
    for value in program.outputs.iter_mut().flat_map(|output| &mut output.values) {
        if !read.contains(value) {
            continue;
        }
        let is_open = |e| everywhere || uses.get(e) == Some(&1);
        // What has a name is written out under that.
        let whole = *lets.get(*value).filter(|_| is_open(*value)).unwrap_or(value);
        let terms = terms(cx, &lets, is_open, whole);
        let sum = cx.pool.sum(&terms);
        let count = match cx.pool.node(sum) {
            Node::Sum(terms) => terms.len(),
            _ => 1,
        };
        if better(cx, *value, terms.len(), &Sum { value: sum, terms: count }) {
            match lets.get(*value) {
                Some(_) => drop(named.insert(*value, sum)),
                None => *value = sum,
            }
        }
    }
    for statement in &mut program.body {
        if let Statement::Let { symbol, value } = statement
            && let Some(&sum) = named.get(symbol)
        {
            *value = sum;
        }
    }
}

/// How often a step for what is in `read` alone makes use of each symbol.
pub(super) fn uses(pool: &Pool, program: &Program, read: &[Expr]) -> Table<usize> {
    let mut uses: Table<usize> = Table::new();
    let count = |uses: &mut Table<usize>, root: Expr| {
        for e in pool.reachable(&[root]) {
            pool.for_each_child(e, |c| *uses.entry(c) += 1);
        }
        *uses.entry(root) += 1;
    };
    read.iter().for_each(|&root| count(&mut uses, root));
    let mut statements: Vec<&Statement> = program.body.iter().collect();
    while let Some(statement) = statements.pop() {
        match statement {
            Statement::Let { symbol, value } if uses.contains(*symbol) => count(&mut uses, *value),
            Statement::Pivot { pivot, diagonal, .. } => {
                count(&mut uses, *pivot);
                count(&mut uses, *diagonal);
            }
            Statement::Newton(newton) => {
                newton.before().iter().chain(&newton.updates()).for_each(|&e| count(&mut uses, e));
                statements.extend(&newton.body);
            }
            _ => {}
        }
    }
    uses
}

/// The terms of `e` and of the sums among them that are open.
fn terms(cx: &mut Context<'_>, lets: &Table<Expr>, is_open: impl Fn(Expr) -> bool, e: Expr) -> Vec<Expr> {
    let (mut terms, mut open) = (Vec::new(), vec![e]);
    while let Some(e) = open.pop() {
        let (c, bare) = cx.pool.split_coefficient(e);
        let sum = match lets.get(bare) {
            Some(&value) if is_open(bare) => value,
            _ => bare,
        };
        match cx.pool.node(sum).clone() {
            Node::Sum(parts) => open.extend(parts.into_iter().map(|part| cx.pool.scale(c.clone(), part))),
            _ => terms.push(e),
        }
    }
    terms
}
