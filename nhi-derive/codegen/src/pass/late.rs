//! Products that wait for one of their factors.
//!
//! Saves waiting. A multiplier is a numerator, which is there late, times a [reciprocal](super::reciprocals), which is
//! there early, and what it does to a velocity is another product: `k*(y*(numerator*inverse))`. Written out,
//! `(k*y*inverse)*numerator`, it waits for the numerator by one multiplication, at the cost of those beside it. That is
//! done in results that the chain from step to step leads through, where it shortens the chain enough.

use super::draft::Context;
use super::increments::drop_unused;
use super::latency::{FLAT, Latency};
use super::middle::Cost;
use crate::expr::{Expr, Node};
use crate::program::{Program, Statement, Table};
use std::collections::HashMap;

/// After [shallow](super::shallow).
pub(super) fn late(cx: &mut Context<'_>, program: &mut Program) {
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
        let cost = Cost::of(cx, &program);
        (program, cost)
    };
    let before = with(cx, &[]).1;
    let mut best = with(cx, &results);
    // As they were again, one after the other, but for those that lengthen the chain.
    for k in (0..results.len()).rev() {
        let mut fewer = results.clone();
        fewer.remove(k);
        let other = with(cx, &fewer);
        if other.1.chain <= best.1.chain {
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
    let mut latency = Latency::of(cx.pool, cx.constants, program);
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
            let mut when = |f: Expr| latency.get(cx.pool, cx.constants, f);
            factors.sort_by_key(|&f| when(f));
            if let [early @ .., before, late] = factors.as_slice()
                && when(*late) >= when(*before) + FLAT
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
