//! Incremental trigonometry: rotates the sine and cosine of an angle by the small angle of a step.
//!
//! The pass saves most of a call. It applies to an angle θ' that is θ for h = 0, if sine and cosine of θ are computed too. The
//! increment δ = θ' − θ is small: its sine and cosine are short polynomials, and the addition theorems give those of θ'. δ is the
//! difference of the rounded angles, which is exact, so that the constraints hold at the angle that is stored, however many turns
//! it has. Only the last Newton update, which is not evaluated again, can change its last digit.
//!
//! The pass applies to derivatives of steps, and to steps with Newton loops, where each iteration waits for the angle. In a step
//! the increment must stand in the value of the angle itself; passes over steps rotate the other angles. Steps without Newton
//! loops run for many trajectories in SIMD lanes, and a branch on the size of each angle would prevent that.

use super::angle_addition::derive;
use crate::expr::Table;
use crate::expr::{Expr, Function};
use crate::optimise::draft::{Context, Draft};
use crate::program::{Binding, Input, Limits};

/// See the [module documentation](self).
pub(in crate::optimise) fn small_rotation(cx: &mut Context<'_>, draft: &mut Draft) {
    let (is_derivative, lets) = (draft.program.is_derivative(), draft.lets());
    let applies = |h: &&Input| is_derivative || h.binding == Binding::Prepared && draft.program.has_loop();
    let Some(h) = draft.program.step_size().filter(applies) else { return };
    let limits = Limits::of(cx.pool, h.symbols[0], if is_derivative { &lets } else { &[] });
    let values: Table<Expr> = lets.into_iter().collect();
    derive(cx, draft, |cx, _, pairs, angle, sources| {
        let limit = limits.get(cx.pool, *values.get(angle.argument).unwrap_or(&angle.argument));
        let close = sources.iter().filter(|(_, from)| limits.get(cx.pool, from.argument) == limit);
        let (source, from) = close.min_by_key(|(_, from)| from.position)?;
        let by = cx.pool.sub(angle.argument, from.argument);
        Some((vec![*source], pairs.named(cx, [Function::SmallSin, Function::SmallCos], by)))
    });
}
