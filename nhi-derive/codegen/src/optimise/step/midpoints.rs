//! Loop rotation at a coordinate: the state carries the midpoint of the next step instead of the coordinate.
//!
//! The rotation saves additions and shortens the recurrence. It applies to a coordinate q that a step reads only in its
//! midpoint m = q + h/2 v, and only if m is no argument of a sine or cosine: an angle is carried with its sine and
//! cosine (`trig_recurrence`).
//!
//! ```text
//! before:  m = q + h/2 v,   q' = m + h/2 v'
//! after:   m' = m + h v'
//! ```
//!
//! No step reads q' any more, so that a loop over many steps computes it only once, at its end. For a step of another
//! size, m is recomputed from the state.

use super::Make;
use super::reassociate::reassociate_sums;
use crate::expr::{Expr, Node, Pool};
use crate::optimise::draft::Context;
use crate::optimise::liveness::{read_again, uses};
use crate::optimise::search::Search;
use crate::program::{Carried, Program, Rescale, Role, StateEntry, Statement, StepProgram};
use std::collections::HashMap;

/// The step with its midpoints carried, as a candidate for the driver.
pub(super) fn candidate<'a>(step: &'a StepProgram, _: &Search) -> Vec<Make<'a>> {
    vec![Box::new(|cx| midpoints(cx, step))]
}

/// `step` with its midpoints carried, if it has any.
fn midpoints(cx: &mut Context<'_>, step: &StepProgram) -> Option<StepProgram> {
    let pool = &mut *cx.pool;
    let midpoints = of(pool, &step.program);
    if midpoints.is_empty() {
        return None;
    }
    let next: HashMap<Expr, Expr> = step.program.state().collect();
    let first: HashMap<Expr, Expr> = step.entries().iter().map(|entry| (entry.symbol, entry.start)).collect();
    let (names, sums): (Vec<Expr>, Vec<Expr>) = midpoints.into_iter().unzip();
    let (values, starts) = (pool.substitute(&sums, &next), pool.substitute(&sums, &first));
    let mut new = step.clone();
    new.program.body.retain(|s| !matches!(s, Statement::Let { symbol, .. } if names.contains(symbol)));
    let entries = names.into_iter().zip(starts).map(|(symbol, start)| {
        let (role, rescale) = (Carried::Midpoint, Rescale::Restart);
        StateEntry { symbol, role, unit: None, start, rescale }
    });
    new.carry(entries.zip(values));
    reassociate_sums(cx, &mut new.program);
    Some(new)
}

/// Midpoints: symbols bound to the sum of a coordinate, which a loop over steps reads nowhere else, and c·h times a
/// velocity; with these sums. Angles and the coordinates at the end of the step are no midpoints.
fn of(pool: &Pool, program: &Program) -> Vec<(Expr, Expr)> {
    let [h] = *program.symbols(&Role::StepSize) else { return Vec::new() };
    let uses = uses(pool, program, &read_again(pool, program));
    let next: HashMap<Expr, Expr> = program.state().collect();
    let is_increment = |e: Expr| match pool.node(e) {
        Node::Product(factors) => {
            let rest = factors.iter().filter(|&&f| f != h && pool.as_number(f).is_none());
            factors.contains(&h) && rest.clone().count() == 1 && rest.clone().all(|f| next.contains_key(f))
        }
        _ => false,
    };
    // `trig_recurrence` carries angles.
    let all = pool.reachable(&program.values());
    let is_angle = |x: Expr| all.iter().any(|&e| matches!(*pool.node(e), Node::Call(_, y) if x == y));
    let midpoint = |statement: &Statement| {
        let Statement::Let { symbol, value } = *statement else { return None };
        let Node::Sum(terms) = pool.node(value) else { return None };
        let &[a, b] = &terms[..] else { return None };
        let is_read_here_alone =
            |x: Expr| uses.get(x) == Some(&1) && next.get(&x).is_some_and(|&y| y != symbol);
        let is_midpoint = |x, y| is_read_here_alone(x) && is_increment(y);
        let is_carried = (is_midpoint(a, b) || is_midpoint(b, a)) && uses.contains(symbol);
        (is_carried && !is_angle(symbol)).then_some((symbol, value))
    };
    program.body.iter().filter_map(midpoint).collect()
}
