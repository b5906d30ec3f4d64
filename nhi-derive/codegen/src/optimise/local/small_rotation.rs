//! Incremental trigonometry: rotates the sine and cosine of an angle by the small angle of a step.
//!
//! The pass saves most of a call. It applies to an angle θ' = θ + h·x if sine and cosine of θ are computed too. The
//! increment δ has the factor h and is small: its sine and cosine are short polynomials, and the addition theorems give
//! those of θ'. δ is the difference of the rounded angles, which is exact, so that the constraints hold at the angle
//! that is stored, however many turns it has. Only the last Newton update, which is not evaluated again, can change its
//! last digit.
//!
//! The pass applies to steps with Newton loops, where each iteration waits for the angle, and to derivatives of steps. Other
//! steps run for many trajectories in SIMD lanes, and a branch on the size of each angle would prevent that.

use super::angle_addition::derive;
use crate::expr::{Expr, Function};
use crate::optimise::draft::{Context, Draft};
use crate::program::{Binding, Input, Role, Table};

/// See the [module documentation](self).
pub(in crate::optimise) fn small_rotation(cx: &mut Context<'_>, draft: &mut Draft) {
    let mut inputs = draft.program.inputs.iter().filter(|i| i.role == Role::StepSize);
    let applies = |i: &&Input| draft.program.has_loop() || i.binding == Binding::Step;
    let Some(h) = inputs.find(applies).map(|i| i.symbols[0]) else { return };
    let values: Table<Expr> = draft.lets().into_iter().collect();
    derive(cx, draft, |cx, _, pairs, angle, sources| {
        let value = *values.get(angle.argument)?;
        let (source, from) = sources.iter().find(|(_, from)| {
            let by = cx.pool.sub(value, from.argument);
            cx.pool.terms(by).iter().all(|term| cx.pool.factors(term).contains(&h))
        })?;
        let by = cx.pool.sub(angle.argument, from.argument);
        Some((vec![*source], pairs.named(cx, [Function::SmallSin, Function::SmallCos], by)))
    });
}
