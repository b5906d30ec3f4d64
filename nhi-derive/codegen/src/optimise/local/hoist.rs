//! Loop-invariant code motion and staging: values are computed once, as early as their operands are known.
//!
//! The pass saves in every step what depends on the parameters and the step size alone, and in every Newton iteration
//! what does not depend on the unknowns. The early operands of a sum or product are grouped: `a*sin(x)/J` costs one
//! multiplication, by the constant `a/J`. Signs stay where they are, since sums absorb them.

use crate::expr::{Expr, Node, Pool};
use crate::optimise::draft::{Context, Draft, Levels, Stage};
use crate::optimise::place::place;
use crate::program::Table;
use std::collections::BTreeMap;

/// See the [module documentation](self).
pub(in crate::optimise) fn hoist(cx: &mut Context<'_>, draft: &mut Draft) {
    let mut early = Early { levels: draft.levels(cx), symbols: BTreeMap::new() };
    let mut image: Table<Expr> = Table::new();
    for e in cx.pool.reachable(&draft.program.values()) {
        let stage = early.levels.stage(cx.pool, e);
        let plain = cx.pool.rebuild(e, |c| image[c]);
        let new = match stage {
            Stage::Prepared => plain,
            _ => early.split(cx, draft, plain, stage),
        };
        image.insert(e, new);
    }
    for value in draft.program.values_mut() {
        *value = image[*value];
    }
    // Results known early are kept rather than recomputed.
    let mut outputs = std::mem::take(&mut draft.program.outputs);
    for value in outputs.iter_mut().flat_map(|o| &mut o.values) {
        if early.levels.stage(cx.pool, *value) == Stage::Prepared {
            *value = early.named(cx, draft, *value);
        }
    }
    draft.program.outputs = outputs;
    let definitions: Vec<(Expr, Expr)> = early.symbols.into_iter().map(|(value, s)| (s, value)).collect();
    place(cx, draft, &definitions);
}

struct Early {
    levels: Levels,
    /// The symbol of each value that is computed early.
    symbols: BTreeMap<Expr, Expr>,
}

impl Early {
    /// `e`, computed in `stage`, with a symbol for what can be computed before.
    fn split(&mut self, cx: &mut Context<'_>, draft: &mut Draft, e: Expr, stage: Stage) -> Expr {
        match cx.pool.node(e).clone() {
            Node::Number(_) | Node::Pi | Node::Symbol(_) => e,
            Node::Sum(terms) => self.split_flat(cx, draft, &terms, stage, Pool::sum),
            Node::Product(factors) => self.split_flat(cx, draft, &factors, stage, Pool::product),
            // An exponent that is a constant is part of the operation.
            Node::Power(b, x) if cx.constants.contains(cx.pool, x) => {
                let b = self.operand(cx, draft, b, stage);
                cx.pool.pow(b, x)
            }
            Node::Power(..) | Node::Call(..) | Node::Atan2(..) | Node::Map(..) => {
                let children = cx.pool.children(e);
                let early: BTreeMap<Expr, Expr> =
                    children.into_iter().map(|c| (c, self.operand(cx, draft, c, stage))).collect();
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

    fn operand(&mut self, cx: &mut Context<'_>, draft: &mut Draft, x: Expr, stage: Stage) -> Expr {
        if self.levels.stage(cx.pool, x) < stage { self.named(cx, draft, x) } else { x }
    }

    /// A symbol for `value`, with its sign outside; what costs nothing stays as it is.
    fn named(&mut self, cx: &mut Context<'_>, draft: &mut Draft, value: Expr) -> Expr {
        if cx.is_trivial(value) {
            return value;
        }
        let (negative, abs) = cx.signed(value);
        let symbol = match self.symbols.get(&abs) {
            Some(&s) => s,
            None => {
                let level = self.levels.of(cx.pool, abs);
                let s = draft.fresh(cx);
                self.levels.insert(s, level);
                self.symbols.insert(abs, s);
                s
            }
        };
        cx.with_sign(negative, symbol)
    }
}
