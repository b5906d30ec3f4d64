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
    let named: Table<Expr> = draft.lets().into_iter().map(|(symbol, value)| (value, symbol)).collect();
    for e in shared.keys() {
        let symbol = named.get(e).copied().unwrap_or_else(|| {
            let symbol = draft.fresh(cx);
            definitions.push((symbol, e));
            symbol
        });
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
    for (symbol, value) in draft.lets().into_iter().chain(definitions) {
        let inner = operands(cx, value);
        rewrite(cx, &inner, &mut image, operands, build);
        let value = build(cx, value, &image);
        values.insert(symbol, value);
    }
    rewrite(cx, &draft.program.values(), &mut image, operands, build);
    draft.replace(&image);
    place(cx, draft, values);
}

/// Adds to `shared` what would be nested more deeply than [`MAX_DEPTH`].
fn cut_deep(cx: &mut Context<'_>, draft: &Draft, shared: &mut Table<()>) {
    let operands = |cx: &mut Context<'_>, e: Expr| -> Vec<Expr> {
        let (_, abs) = cx.signed(e);
        let operands = Shape::of(cx.pool, cx.constants, abs).operands();
        operands.into_iter().map(|x| cx.signed(x).1).collect()
    };
    rewrite(cx, &draft.program.values(), &mut Table::new(), operands, |cx, e, depths: &Table<usize>| {
        let below = operands(cx, e).into_iter().map(|x| if shared.contains(x) { 0 } else { depths[x] });
        let depth = below.max().map_or(0, |d| d + 1);
        if depth > MAX_DEPTH {
            let (_, abs) = cx.signed(e);
            shared.insert(abs, ());
        }
        depth
    });
}
