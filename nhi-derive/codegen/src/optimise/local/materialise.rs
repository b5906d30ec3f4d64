//! Materialisation of shared values: binds values with several uses to names.
//!
//! Afterwards the value of every `Let` is a tree, so that nothing is computed twice. Sine and cosine of one angle get
//! names even if each is used once, because one call computes both. Deeply nested subexpressions get names for the sake
//! of readers and of `rustc`.

use crate::expr::Table;
use crate::expr::{Expr, Node, Pool};
use crate::optimise::draft::{Context, Draft, rewrite};
use crate::optimise::place::place;
use crate::program::Shape;
use std::collections::BTreeMap;

/// Operations nested in one expression at most.
const MAX_DEPTH: usize = 24;

/// See the [module documentation](self).
pub(in crate::optimise) fn materialise(cx: &mut Context<'_>, draft: &mut Draft) {
    let uses = draft.uses(cx);
    // What gets a name, and how deeply operations are nested in everything else.
    let (mut shared, mut depths): (Vec<Expr>, Table<usize>) = (Vec::new(), Table::new());
    for e in draft.computed(cx) {
        let paired = match *cx.pool.node(e) {
            Node::Call(f, x) => f.partner().is_some_and(|(g, ..)| uses.contains(cx.pool.call(g, x))),
            // One call gives all numbers of a map, or of a solution.
            Node::Map(..) | Node::Saddle(..) => true,
            _ => false,
        };
        let operands = Shape::of(cx.pool, cx.constants, e).operands();
        // What constants have been folded into comes later, and counts as a variable.
        let depth = |x| depths.get(cx.signed(x).1).map_or(1, |depth| depth + 1);
        let depth = operands.into_iter().map(depth).max().unwrap_or(0);
        let is_shared = depth > MAX_DEPTH || ((uses[e] > 1 || paired) && !cx.is_trivial(e));
        shared.extend(is_shared.then_some(e));
        depths.insert(e, if is_shared { 0 } else { depth });
    }
    // A value that has a name already keeps it; numbering has left one name per value.
    let mut image: Table<Expr> = Table::new();
    let mut definitions = Vec::new();
    let named: Table<Expr> = draft.lets().into_iter().map(|(symbol, value)| (value, symbol)).collect();
    for e in shared {
        let symbol = named.get(e).copied().unwrap_or_else(|| {
            let symbol = draft.fresh(cx);
            definitions.push((symbol, e));
            symbol
        });
        image.insert(e, symbol);
    }
    let build = |cx: &mut Context<'_>, e: Expr, image: &Table<Expr>| cx.pool.rebuild(e, |c| image[c]);
    // Values of `Let`s keep their own operation.
    let mut values: BTreeMap<Expr, Expr> = BTreeMap::new();
    for (symbol, value) in draft.lets().into_iter().chain(definitions) {
        let (negative, abs) = cx.signed(value);
        let inner = if negative { vec![abs] } else { cx.pool.children(value) };
        rewrite(cx, &inner, &mut image, Pool::children, build);
        let value = if negative { cx.pool.neg(image[abs]) } else { build(cx, value, &image) };
        values.insert(symbol, value);
    }
    rewrite(cx, &draft.program.values(), &mut image, Pool::children, build);
    draft.replace(&image);
    place(cx, draft, values);
}
