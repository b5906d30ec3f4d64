//! Loop-invariant code motion and staging: values are computed once, as early as their operands are known.
//!
//! The pass saves in every step what depends on the parameters and the step size alone, and in every Newton iteration
//! what does not depend on the unknowns. The early operands of a sum or product are grouped: `a*sin(x)/J` costs one
//! multiplication, by the constant `a/J`. Signs stay where they are, since sums absorb them.

use crate::expr::Table;
use crate::expr::{Expr, Node, Pool};
use crate::optimise::draft::{Context, Draft};
use crate::optimise::place::place;
use crate::program::{Levels, Stage};
use std::collections::BTreeMap;

/// See the [module documentation](self).
pub(in crate::optimise) fn hoist(cx: &mut Context<'_>, draft: &mut Draft) {
    let mut early = Early { levels: draft.levels(cx), symbols: BTreeMap::new() };
    let mut image: Table<Expr> = Table::new();
    for e in cx.pool.reachable(&draft.program.values()) {
        let stage = early.levels.stage(cx.pool, e);
        let mut new = cx.pool.rebuild(e, |c| image[c]);
        if stage != Stage::Prepared {
            new = early.split(cx, draft, new, stage);
        }
        image.insert(e, new);
    }
    draft.replace(&image);
    // Results known early are kept rather than recomputed.
    let mut outputs = std::mem::take(&mut draft.program.outputs);
    for value in outputs.iter_mut().flat_map(|o| &mut o.values) {
        if early.levels.stage(cx.pool, *value) == Stage::Prepared {
            *value = early.named(cx, draft, *value);
        }
    }
    draft.program.outputs = outputs;
    place(cx, draft, early.symbols.into_iter().map(|(value, s)| (s, value)));
}

struct Early {
    levels: Levels,
    /// The symbol of each value that is computed early.
    symbols: BTreeMap<Expr, Expr>,
}

impl Early {
    /// `e`, computed in `stage`, with a symbol for what can be computed before.
    fn split(&mut self, cx: &mut Context<'_>, draft: &mut Draft, e: Expr, stage: Stage) -> Expr {
        let mut is_late = true;
        cx.pool.for_each_child(e, |c| is_late &= self.levels.stage(cx.pool, c) >= stage);
        if is_late {
            return e;
        }
        match cx.pool.node(e).clone() {
            Node::Number(_) | Node::Pi | Node::Symbol(_) => e,
            Node::Sum(terms) => self.split_flat(cx, draft, &terms, stage, Pool::sum),
            Node::Product(factors) => self.split_flat(cx, draft, &factors, stage, Pool::product),
            Node::Power(..)
            | Node::Call(..)
            | Node::Atan2(..)
            | Node::Select(_)
            | Node::Map(..)
            | Node::Saddle(..) => {
                let mut early: BTreeMap<Expr, Expr> = BTreeMap::new();
                for c in cx.pool.children(e) {
                    let is_early = self.levels.stage(cx.pool, c) < stage;
                    early.insert(c, if is_early { self.named(cx, draft, c) } else { c });
                }
                cx.pool.rebuild(e, |c| early[&c])
            }
        }
    }

    fn split_flat(
        &mut self,
        cx: &mut Context<'_>,
        draft: &mut Draft,
        operands: &[Expr],
        stage: Stage,
        join: impl Fn(&mut Pool, &[Expr]) -> Expr,
    ) -> Expr {
        let mut groups: BTreeMap<Stage, Vec<Expr>> = BTreeMap::new();
        for &x in operands {
            let at = self.levels.stage(cx.pool, x);
            groups.entry(at).or_default().push(x);
        }
        let mut late = groups.remove(&stage).unwrap_or_default();
        let mut known: Vec<Expr> = Vec::new();
        for (_, mut group) in groups {
            group.extend(known);
            let joined = join(cx.pool, &group);
            known = vec![self.named(cx, draft, joined)];
        }
        late.extend(known);
        join(cx.pool, &late)
    }

    /// A symbol for `value`, with its sign outside; what costs nothing stays as it is.
    fn named(&mut self, cx: &mut Context<'_>, draft: &mut Draft, value: Expr) -> Expr {
        if cx.is_trivial(value) {
            return value;
        }
        let (negative, abs) = cx.signed(value);
        let level = self.levels.level(cx.pool, abs);
        let symbol = *self.symbols.entry(abs).or_insert_with(|| draft.fresh(cx));
        self.levels.insert(symbol, level);
        cx.with_sign(negative, symbol)
    }
}
