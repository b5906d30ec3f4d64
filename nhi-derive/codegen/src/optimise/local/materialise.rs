//! Materialisation of shared values: binds values with several uses to names.
//!
//! Afterwards the value of every `Let` is a tree, so that nothing is computed twice. Sine and cosine of one angle get
//! names even if each is used once, because one call computes both. Deeply nested subexpressions get names for the sake
//! of readers and of `rustc`.

use crate::expr::{Expr, Node};
use crate::optimise::draft::{Context, Draft, rewrite};
use crate::optimise::place::place;
use crate::program::{Shape, Table};
use std::collections::BTreeMap;

/// Operations nested in one expression at most.
const MAX_DEPTH: usize = 24;

/// See the [module documentation](self).
pub(in crate::optimise) fn materialise(cx: &mut Context<'_>, draft: &mut Draft) {
    let uses = draft.uses(cx);
    let mut shared: Table<()> = Table::new();
    for e in draft.computed(cx) {
        let paired = match *cx.pool.node(e) {
            Node::Call(f, x) => f.partner().is_some_and(|(g, ..)| uses.contains(cx.pool.call(g, x))),
            // One call gives all numbers of a map.
            Node::Map(..) => true,
            _ => false,
        };
        if (uses[e] > 1 || paired) && !cx.is_trivial(e) {
            shared.insert(e, ());
        }
    }
    cut_deep(cx, draft, &mut shared);
    // A value that has a name already keeps it; numbering has left one name per value.
    let mut image: Table<Expr> = Table::new();
    let mut definitions = Vec::new();
    let mut named: Table<Expr> = Table::new();
    for (symbol, value) in draft.lets() {
        named.insert(value, symbol);
    }
    for e in shared.keys() {
        let symbol = match named.get(e) {
            Some(&s) => s,
            None => {
                let s = draft.fresh(cx);
                definitions.push((s, e));
                s
            }
        };
        image.insert(e, symbol);
    }
    let operands = |cx: &mut Context<'_>, e: Expr| match cx.signed(e) {
        (true, abs) => vec![abs],
        _ => cx.pool.children(e),
    };
    let build = |cx: &mut Context<'_>, e: Expr, image: &Table<Expr>| match cx.signed(e) {
        (true, abs) => cx.pool.neg(image[abs]),
        _ => cx.pool.rebuild(e, |c| image[c]),
    };
    // Values of `Let`s keep their own operation.
    let mut values: BTreeMap<Expr, Expr> = BTreeMap::new();
    for (symbol, value) in draft.lets().into_iter().chain(definitions.iter().copied()) {
        let inner = operands(cx, value);
        rewrite(cx, &inner, &mut image, operands, build);
        let value = build(cx, value, &image);
        values.insert(symbol, value);
    }
    rewrite(cx, &draft.program.values(), &mut image, operands, build);
    for value in draft.program.values_mut() {
        *value = image[*value];
    }
    draft.set_lets(&values);
    let definitions: Vec<(Expr, Expr)> = definitions.into_iter().map(|(s, _)| (s, values[&s])).collect();
    place(cx, draft, &definitions);
}

/// Adds to `shared` what would be nested more deeply than [`MAX_DEPTH`].
fn cut_deep(cx: &mut Context<'_>, draft: &Draft, shared: &mut Table<()>) {
    let mut depths: Table<usize> = Table::new();
    let mut stack = draft.program.values();
    while let Some(&top) = stack.last() {
        let (_, e) = cx.signed(top);
        if depths.contains(e) {
            stack.pop();
            continue;
        }
        let operands = Shape::of(cx.pool, cx.constants, e).operands();
        let operands: Vec<Expr> = operands.into_iter().map(|x| cx.signed(x).1).collect();
        let open: Vec<Expr> = operands.iter().copied().filter(|&x| !depths.contains(x)).collect();
        if !open.is_empty() {
            stack.extend(open);
            continue;
        }
        let below = operands.iter().map(|&x| if shared.contains(x) { 0 } else { depths[x] }).max();
        let depth = below.map_or(0, |d| d + 1);
        if depth > MAX_DEPTH {
            shared.insert(e, ());
        }
        depths.insert(e, depth);
        stack.pop();
    }
}
