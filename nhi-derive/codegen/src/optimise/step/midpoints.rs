//! Loop rotation at a coordinate: the state carries the midpoint of the next step instead of the coordinate.
//!
//! The rotation saves additions and shortens the recurrence. It applies to a coordinate q that a step reads only in its
//! midpoint m = q + h/2 v, unless m is an angle, which [`trig_recurrence`](super::trig_recurrence) carries.
//!
//! ```text
//! before:  m = q + h/2 v,   q' = m + h/2 v'
//! after:   m' = m + h v'
//! ```
//!
//! No step reads q' any more, so that a loop over many steps computes it only once, at its end. For a step of another
//! size, m is recomputed from the state.

use super::reassociate::{angles, reassociate_sums};
use super::scaled_velocities::increment;
use crate::expr::{Expr, Node};
use crate::optimise::draft::Context;
use crate::program::liveness::{read_again, uses};
use crate::program::{Carried, Rescale, Role, StateEntry, Statement, StepProgram, lets};
use std::collections::HashMap;

/// `step` with its midpoints carried, if it has any: symbols bound to the sum of a coordinate, which a loop over steps
/// reads nowhere else, and c·h times a velocity. Angles and the coordinates at the end of the step are no midpoints.
pub(super) fn midpoints(cx: &mut Context<'_>, step: &StepProgram) -> Option<StepProgram> {
    let (pool, program) = (&mut *cx.pool, &step.program);
    let [h] = *program.symbols(&Role::StepSize) else { return None };
    let uses = uses(pool, program, &read_again(pool, program));
    let next: HashMap<Expr, Expr> = program.state().collect();
    let angles = angles(pool, program);
    let is_increment = |e| increment(pool, h, e).is_some_and(|(_, x)| next.contains_key(&x));
    let is_midpoint = |&(symbol, value): &(Expr, Expr)| {
        let Node::Sum(terms) = pool.node(value) else { return false };
        let is_read_here_alone =
            |x: Expr| uses.get(x) == Some(&1) && next.get(&x).is_some_and(|&y| y != symbol);
        let is_sum = match terms[..] {
            [a, b] => {
                (is_read_here_alone(a) && is_increment(b)) || (is_read_here_alone(b) && is_increment(a))
            }
            _ => false,
        };
        is_sum && uses.contains(symbol) && !angles.contains(&symbol)
    };
    let (names, sums): (Vec<Expr>, Vec<Expr>) = lets(&program.body).filter(is_midpoint).unzip();
    if names.is_empty() {
        return None;
    }
    let first: HashMap<Expr, Expr> = step.entries().iter().map(|entry| (entry.symbol, entry.start)).collect();
    let (values, starts) = (pool.substitute(&sums, &next), pool.substitute(&sums, &first));
    let mut new = step.clone();
    new.program.body.retain(|s| !matches!(s, Statement::Let { symbol, .. } if names.contains(symbol)));
    let entry = |(symbol, start)| StateEntry::new(symbol, Carried::Midpoint, start, Rescale::Restart);
    new.carry(names.into_iter().zip(starts).map(entry).zip(values));
    reassociate_sums(cx, &mut new.program);
    Some(new)
}
