//! Incremental trigonometry: rotates the sine and cosine of an angle by the small angle of a step.
//!
//! The pass saves most of a call. It applies to an angle θ' = θ + h·x if sine and cosine of θ are computed too. The
//! increment δ has the factor h and is small: its sine and cosine are short polynomials, and the addition theorems give
//! those of θ'. δ is the difference of the rounded angles, which is exact, so that the constraints hold at the angle
//! that is stored, however many turns it has. Only the last Newton update, which is not evaluated again, can change its
//! last digit.
//!
//! The pass applies to programs with Newton loops, where each iteration waits for the angle. Other programs run for
//! many trajectories in SIMD lanes, and a branch on the size of each angle would prevent that.

use super::angle_addition::{MAX_ANGLES, Pairs, SINES, of_sum};
use crate::expr::{Expr, Function, Node};
use crate::optimise::draft::{Context, Draft, Stage};
use crate::program::{Binding, Role, Table};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Largest number of terms of an angle.
const MAX_TERMS: usize = 8;

/// See the [module documentation](self).
pub(in crate::optimise) fn small_rotation(cx: &mut Context<'_>, draft: &mut Draft) {
    let mut inputs = draft.program.inputs.iter();
    let step_size = inputs.find(|i| i.role == Role::StepSize && i.binding == Binding::Prepared);
    let Some(h) = step_size.map(|i| i.symbols[0]) else { return };
    if !draft.program.has_loop() {
        return;
    }
    let mut pairs = Pairs::of(draft);
    for (angle, source) in turned(cx, draft, h) {
        let by = cx.pool.sub(angle, source);
        let by = pairs.named(cx, [Function::SmallSin, Function::SmallCos], by);
        let source = pairs.named(cx, SINES, source);
        pairs.made.insert(angle, of_sum(cx.pool, source, by));
    }
    pairs.keep_if_better(cx, draft);
}

/// The angles with names that are another one and a multiple of `h`, and that one.
fn turned(cx: &mut Context<'_>, draft: &Draft, h: Expr) -> BTreeMap<Expr, Expr> {
    let mut levels = draft.levels(cx);
    // What is computed most often first.
    let mut called: BTreeSet<(Reverse<Stage>, Expr)> = BTreeSet::new();
    for e in draft.computed(cx) {
        if let Node::Call(Function::Sin | Function::Cos, x) = *cx.pool.node(e)
            && levels.stage(cx.pool, x) != Stage::Prepared
        {
            called.insert((Reverse(levels.stage(cx.pool, x)), x));
        }
    }
    let mut turned = BTreeMap::new();
    if called.len() > MAX_ANGLES {
        return turned;
    }
    let angles: BTreeSet<Expr> = called.iter().map(|&(_, x)| x).collect();
    let values: Table<Expr> = draft.lets().into_iter().collect();
    let mut sources = BTreeSet::new();
    for (_, angle) in called {
        let Some(&value) = values.get(angle).filter(|_| !sources.contains(&angle)) else { continue };
        let mut rest = cx.pool.terms(value);
        let source = rest.iter().position(|t| angles.contains(t) && !turned.contains_key(t));
        let Some(source) = source.filter(|_| (2..=MAX_TERMS).contains(&rest.len())) else { continue };
        let source = rest.remove(source);
        if rest.iter().all(|term| cx.pool.factors(term).contains(&h)) {
            sources.insert(source);
            turned.insert(angle, source);
        }
    }
    turned
}
