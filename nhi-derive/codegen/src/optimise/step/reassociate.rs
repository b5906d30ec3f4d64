//! Reassociation by arrival time: regroups sums and products so that late operands join last.
//!
//! The recurrence of a loop over steps gets shorter at the cost of no operations, or of few. The passes apply to steps
//! without a Newton loop. They inline sums into sums and products into products; [lowering](crate::lower) then joins
//! the operands that arrive first:
//!
//! ```text
//! reassociate_outputs   a' = b + c,  b = d + e    becomes   a' = d + e + c
//! flatten_sums          y1 + w/2,  y1 = y + w/2   becomes   y + w
//! expose_late_factors   k*(y*(num*inv))           becomes   (k*y*inv)*num
//! ```

use crate::expr::Table;
use crate::expr::{Expr, Node, Pool};
use crate::optimise::cost::{Cost, weight_in_loop};
use crate::optimise::draft::Context;
use crate::optimise::flat::with_linear;
use crate::program::Arrival;
use crate::program::liveness::{drop_unused, read_again, used, uses};
use crate::program::{Program, Statement, lets};
use crate::target::TARGET;
use std::collections::{BTreeSet, HashMap};

/// Inlines sums into the results that the next step reads, where terms then combine.
pub(super) fn reassociate_sums(cx: &mut Context<'_>, program: &mut Program) {
    write_out(cx, program, |cx, _, terms, sum| cx.pool.terms(sum).len() < terms);
}

/// Inlines sums into the results that the next step reads, where these then arrive earlier and a loop has no more
/// operations.
pub(super) fn reassociate_outputs(cx: &mut Context<'_>, program: &mut Program) {
    let (mut arrival, mut early) = (Arrival::of(cx.pool, cx.constants, program), program.clone());
    write_out(cx, &mut early, |cx, e, _, sum| {
        let [before, after] = [e, sum].map(|e| arrival.get(cx.pool, cx.constants, e));
        after < before
    });
    drop_unused(cx.pool, &mut early);
    // The count excludes results in which a common factor would be multiplied into each term.
    let [before, after] = [&*program, &early].map(|p| weight_in_loop(cx.pool, cx.constants, p));
    if after <= before {
        *program = early;
    }
}

/// Inlines sums with no other use into each result that the next step reads. A result is replaced if the new one is
/// `better`, given the old value, the number of terms before like ones combine, and the new sum.
fn write_out(
    cx: &mut Context<'_>,
    program: &mut Program,
    mut better: impl FnMut(&mut Context<'_>, Expr, usize, Expr) -> bool,
) {
    let read = read_again(cx.pool, program);
    let uses = uses(cx.pool, program, &read);
    let open = lets(&program.body).filter(|(symbol, _)| uses.get(*symbol) == Some(&1));
    let open: Table<Expr> = open.collect();
    let mut named: Table<Expr> = Table::new();
    for value in program.outputs.iter_mut().flat_map(|output| &mut output.values) {
        if !read.contains(value) {
            continue;
        }
        // A result with a name keeps it.
        let whole = open.get(*value).copied();
        let terms = terms(cx, &open, whole.unwrap_or(*value));
        let sum = cx.pool.sum(&terms);
        if better(cx, *value, terms.len(), sum) {
            match whole {
                Some(_) => drop(named.insert(*value, sum)),
                None => *value = sum,
            }
        }
    }
    for statement in &mut program.body {
        if let Statement::Let { symbol, value } = statement {
            *value = *named.get(*symbol).unwrap_or(value);
        }
    }
}

/// The terms of `e`, with those terms that are `open` sums replaced by their own.
fn terms(cx: &mut Context<'_>, open: &Table<Expr>, e: Expr) -> Vec<Expr> {
    let (mut terms, mut left) = (Vec::new(), vec![e]);
    while let Some(e) = left.pop() {
        let (c, bare) = cx.pool.split_coefficient(e);
        let sum = *open.get(bare).unwrap_or(&bare);
        match cx.pool.node(sum).clone() {
            Node::Sum(parts) => left.extend(parts.into_iter().map(|part| cx.pool.scale(c.clone(), part))),
            _ => terms.push(e),
        }
    }
    terms
}

/// Inlines sums into sums where that costs no operation, so that fewer additions follow one another: `y1 + w/2` with
/// `y1 = y + w/2` is `y + w`.
///
/// Angles keep their association. A step advances an angle to its midpoint and from there by the same increment, so
/// that both additions round alike. With another association the midpoint would have a constant offset in a rotation at
/// a constant rate, and velocities would drift.
pub(super) fn flatten_sums(cx: &mut Context<'_>, program: &mut Program) {
    // Symbols bound to linear combinations of symbols, with these combinations fully inlined.
    let mut linear: Table<Expr> = Table::new();
    let angles = angles(cx.pool, program);
    for statement in &mut program.body {
        let Statement::Let { symbol, value } = statement else { continue };
        let whole = with_linear(cx.pool, *value, &linear);
        let is_kept = angles.contains(symbol) && cx.pool.as_symbol(whole).is_none();
        let is_sum = matches!(cx.pool.node(*value), Node::Sum(_));
        if is_sum && !is_kept && sum_cost(cx.pool, whole) <= sum_cost(cx.pool, *value) {
            *value = whole;
        }
        let is_multiple = |&t: &Expr| cx.pool.as_symbol(cx.pool.split_coefficient(t).1).is_some();
        if cx.pool.terms(whole).iter().all(is_multiple) {
            linear.insert(*symbol, whole);
        }
    }
    drop_unused(cx.pool, program);
}

/// The arguments of the functions in `program`.
pub(super) fn angles(pool: &Pool, program: &Program) -> BTreeSet<Expr> {
    let argument = |e| match *pool.node(e) {
        Node::Call(_, x) => Some(x),
        _ => None,
    };
    used(pool, program).into_iter().filter_map(argument).collect()
}

/// Additions and multiplications of a sum.
fn sum_cost(pool: &Pool, e: Expr) -> usize {
    let terms = pool.terms(e);
    terms.len() + terms.iter().filter(|&&t| pool.has_coefficient(t)).count()
}

/// Multiplies by the numerator of a multiplier last. A multiplier is numerator × reciprocal, and the reciprocal arrives
/// first: `k*(y*(numerator*inverse))` becomes `(k*y*inverse)*numerator`, which leaves one multiplication after the
/// numerator. The form is kept for results on the recurrence, if it shortens the recurrence enough.
pub(super) fn expose_late_factors(cx: &mut Context<'_>, program: &mut Program) {
    let (named, products) = late_products(cx, program);
    let cost = |cx: &mut Context<'_>, program: &Program| {
        let mut program = program.clone();
        drop_unused(cx.pool, &mut program);
        Cost::of(cx.pool, cx.constants, &program)
    };
    let mut best = named.clone();
    for value in best.outputs.iter_mut().flat_map(|output| &mut output.values) {
        *value = cx.pool.substitute(&[*value], &products)[0];
    }
    if best == named {
        return;
    }
    let (before, mut least) = (cost(cx, &named), cost(cx, &best));
    // Restores one result after the other, except where that lengthens the recurrence.
    for (i, output) in named.outputs.iter().enumerate().rev() {
        for (j, &value) in output.values.iter().enumerate().rev() {
            if best.outputs[i].values[j] == value {
                continue;
            }
            let mut other = best.clone();
            other.outputs[i].values[j] = value;
            let cost = cost(cx, &other);
            if cost.recurrence <= least.recurrence {
                (best, least) = (other, cost);
            }
        }
    }
    if least.is_worth(before) {
        drop_unused(cx.pool, &mut best);
        *program = best;
    }
}

/// The program with names for late factors and for the products of the early ones, and for every symbol of such a
/// product the value early × late.
fn late_products(cx: &mut Context<'_>, program: &Program) -> (Program, HashMap<Expr, Expr>) {
    let mut arrival = Arrival::of(cx.pool, cx.constants, program);
    let mut body: Vec<Statement> = Vec::new();
    // The early factors and the late factor of each product.
    let (mut parts, mut products): (Table<[Expr; 2]>, _) = (Table::new(), HashMap::new());
    let named = |cx: &mut Context<'_>, body: &mut Vec<Statement>, name: &str, value: Expr| {
        if cx.is_trivial(value) {
            return value;
        }
        let symbol = cx.pool.fresh_symbol(name);
        body.push(Statement::Let { symbol, value });
        symbol
    };
    for statement in &program.body {
        let &Statement::Let { symbol, value } = statement else {
            body.push(statement.clone());
            continue;
        };
        let mut new = value;
        if let Node::Product(mut factors) = cx.pool.node(value).clone() {
            let mut when = |f: Expr| arrival.get(cx.pool, cx.constants, f);
            factors.sort_by_key(|&f| when(f));
            if let [early @ .., before, late] = factors.as_slice()
                && when(*late) >= when(*before) + TARGET.flat_latency
                && matches!(cx.pool.node(*late), Node::Sum(_) | Node::Symbol(_))
            {
                let mut early = [early, &[*before]].concat();
                let late = named(cx, &mut body, "numerator", *late);
                new = cx.pool.product(&[&early[..], &[late]].concat());
                let [inner, late] = parts.get(late).copied().unwrap_or([cx.pool.one(), late]);
                early.push(inner);
                let early = cx.pool.product(&early);
                let early = named(cx, &mut body, "gain", early);
                parts.insert(symbol, [early, late]);
                products.insert(symbol, cx.pool.mul(early, late));
            }
        }
        body.push(Statement::Let { symbol, value: new });
    }
    (Program { body, ..program.clone() }, products)
}
