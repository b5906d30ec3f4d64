//! Reassociation by arrival time: shorter recurrences from the same operations, or few more.

use crate::expr::{Expr, Node, Pool};
use crate::optimise::arrival::Arrival;
use crate::optimise::cost::{Cost, weight_in_loop};
use crate::optimise::draft::{Context, Draft};
use crate::optimise::liveness::{drop_unused, read_again, used, uses};
use crate::optimise::local::materialise;
use crate::optimise::names;
use crate::program::{Program, Statement, Table};
use crate::target::TARGET;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Writes out what the next step reads of `program` where terms come together.
pub(super) fn reassociate_sums(cx: &mut Context<'_>, program: &mut Program) {
    write_out(cx, program, false, |_, _, terms, sum| sum.terms < terms);
}

/// Writes out what the next step reads of `program` where it is there earlier then, if a loop has at most `most`
/// operations, or as many as before.
pub(super) fn reassociate_outputs(cx: &mut Context<'_>, program: &mut Program, most: usize) {
    if program.has_loop() {
        return;
    }
    let before = weight_in_loop(cx.pool, cx.constants, program);
    let most = most.max(before);
    // What is used elsewhere too is written out where there is room for that.
    let ways: &[bool] = if most > before { &[false, true] } else { &[false] };
    for &everywhere in ways {
        let mut arrival = Arrival::of(cx.pool, cx.constants, program);
        let mut early = program.clone();
        write_out(cx, &mut early, everywhere, |cx, e, _, sum| {
            let [before, after] = [e, sum.value].map(|e| arrival.get(cx.pool, cx.constants, e));
            after < before
        });
        // A factor that terms had in common is not written out with each of them.
        if early != *program && weight_in_loop(cx.pool, cx.constants, &early) <= most {
            // Products among the terms can be used elsewhere too.
            let mut draft = Draft::new(cx, &early);
            materialise(cx, &mut draft);
            names::names(cx, &mut draft);
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

/// Writes out the sums in sums where that costs no operation, which shortens what waits for them: `y1 + w/2` with
/// `y1 = y + w/2` is `y + w`.
///
/// Angles stay the sums that they are. An angle that is advanced to the middle of a step and on by the same increment has
/// the same rounding twice; with another association the middle would be off by a constant in a rotation at a constant
/// rate, and velocities would drift.
pub(super) fn flatten_sums(cx: &mut Context<'_>, program: &mut Program) {
    // Symbols of sums and multiples of symbols, and these written out.
    let mut linear: Table<Expr> = Table::new();
    let angles = angles(cx.pool, program);
    for statement in &mut program.body {
        let Statement::Let { symbol, value } = statement else { continue };
        let whole = written_out(cx.pool, &linear, *value);
        let is_kept = angles.contains(symbol) && cx.pool.as_symbol(whole).is_none();
        let is_sum = matches!(cx.pool.node(*value), Node::Sum(_));
        if is_sum && !is_kept && sum_cost(cx.pool, whole) <= sum_cost(cx.pool, *value) {
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
fn sum_cost(pool: &Pool, e: Expr) -> usize {
    let terms = pool.terms(e);
    terms.len() + terms.iter().filter(|&&t| pool.has_coefficient(t)).count()
}

/// Writes out products of a multiplier. A multiplier is numerator × reciprocal, and the reciprocal arrives first: of
/// `k*(y*(numerator*inverse))` only one multiplication waits for the numerator in `(k*y*inverse)*numerator`. Done for results
/// on the recurrence, where it shortens the recurrence enough.
pub(super) fn expose_late_factors(cx: &mut Context<'_>, program: &mut Program) {
    let (named, products) = late_products(cx, program);
    let mut results = Vec::new();
    for (i, output) in named.outputs.iter().enumerate() {
        for (j, &value) in output.values.iter().enumerate() {
            let other = cx.pool.substitute(&[value], &products)[0];
            if other != value {
                results.push((i, j, other));
            }
        }
    }
    let with = |cx: &mut Context<'_>, results: &[(usize, usize, Expr)]| {
        let mut program = named.clone();
        for &(i, j, value) in results {
            program.outputs[i].values[j] = value;
        }
        drop_unused(cx.pool, &mut program);
        let cost = Cost::of(cx.pool, cx.constants, &program);
        (program, cost)
    };
    let before = with(cx, &[]).1;
    let mut best = with(cx, &results);
    // As they were again, one after the other, but for those that lengthen the chain.
    for k in (0..results.len()).rev() {
        let mut fewer = results.clone();
        fewer.remove(k);
        let other = with(cx, &fewer);
        if other.1.recurrence <= best.1.recurrence {
            (best, results) = (other, fewer);
        }
    }
    if best.1.is_worth(before) {
        *program = best.0;
    }
}

/// The program with names for late factors and for what they are multiplied with, and its symbols for such products,
/// written out.
fn late_products(cx: &mut Context<'_>, program: &Program) -> (Program, HashMap<Expr, Expr>) {
    let mut arrival = Arrival::of(cx.pool, cx.constants, program);
    let mut body: Vec<Statement> = Vec::new();
    // Of a product its early factors and the late one.
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
