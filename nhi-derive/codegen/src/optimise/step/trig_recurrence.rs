//! Trigonometric recurrence: carries sines and cosines and rotates them by the increment of their angle.
//!
//! An angle changes little from step to step. Short polynomials of the increment δ and the addition theorems replace
//! the evaluation of sine and cosine, which saves a third of its time, and the selection by quadrant:
//!
//! ```text
//! sin θ' = sin θ cos δ + cos θ sin δ,   cos θ' = cos θ cos δ − sin θ sin δ,   δ = θ' − θ.
//! ```
//!
//! δ is the difference of the rounded angles, which is exact. Rounding errors of sine and cosine accumulate, so that
//! drivers re-synchronise them every few steps ([`StepProgram::resync`]).
//!
//! The pass applies to a coordinate, or a coordinate plus increments. The state carries sine and cosine of the angle, or of
//! its [prediction](super::predicted_angle) for the next step, and the angle unless that is a coordinate. If a step has
//! several such angles of one coordinate, as in the stages of Runge–Kutta methods, this holds for the first one, whose sine
//! and cosine are rotated to the others.

use super::predicted_angle;
use crate::expr::{Expr, Function, Node, Pool};
use crate::program::{
    Carried, Prediction, Program, Rescale, Role, Rotated, StateEntry, Statement, StepProgram, Turn, usual,
};
use std::collections::BTreeMap;

/// Symbols of the sine and cosine of an angle, bound by two adjacent statements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Called {
    pub(super) angle: Expr,
    pub(super) sines: [Expr; 2],
}

impl Called {
    /// The pairs in `body` of this sine and its cosine.
    pub(super) fn all(pool: &Pool, body: &[Statement], sine: Function) -> Vec<Called> {
        let call = |statement: &Statement| match statement {
            Statement::Let { symbol, value } => match *pool.node(*value) {
                Node::Call(f, x) => Some((f, x, *symbol)),
                _ => None,
            },
            _ => None,
        };
        let both = |pair: &[Statement]| {
            let ((f, angle, a), (g, y, b)) = (call(&pair[0])?, call(&pair[1])?);
            let sines = if f == sine { [a, b] } else { [b, a] };
            let are_both = [f, g].contains(&sine) && f.partner().is_some_and(|(partner, ..)| partner == g);
            (are_both && angle == y).then_some(Called { angle, sines })
        };
        let mut all: Vec<Called> = Vec::new();
        for called in body.windows(2).filter_map(both) {
            // A statement belongs to one pair, also where the same sine is computed twice.
            if all.last().is_none_or(|last| !last.sines.iter().any(|sine| called.sines.contains(sine))) {
                all.push(called);
            }
        }
        all
    }

    /// Position of the first of the two statements.
    pub(super) fn position(&self, body: &[Statement]) -> Option<usize> {
        body.iter().position(|s| matches!(s, Statement::Let { symbol, .. } if self.sines.contains(symbol)))
    }

    /// Replaces both statements by a rotation of the sine and cosine `known`. These belong to the angle `from`, or to
    /// the predicted angle of `prediction`.
    pub(super) fn turn(
        &self,
        body: &mut Vec<Statement>,
        from: Expr,
        prediction: Prediction,
        known: [Expr; 2],
    ) {
        let &Called { angle, sines } = self;
        if let Some(i) = self.position(body) {
            body.splice(i..i + 2, [Statement::Turn(Turn { sines, angle, from, prediction, known })]);
        }
    }
}

/// The angles of sines and cosines outside of loops, in order, with the coordinate that each is an increment of. Sines of rare solutions
/// are left to these.
fn angles(pool: &Pool, step: &Program) -> Vec<(Called, Expr)> {
    let (moved, usual) = (moved(pool, step), usual(pool, step));
    let of_coordinate = |called: Called| Some((called, *moved.get(&called.angle)?));
    let called = Called::all(pool, &step.body, Function::Sin).into_iter();
    called
        .filter(|called| called.sines.iter().any(|&e| usual.contains(e)))
        .filter_map(of_coordinate)
        .collect()
}

/// Carries the sines and cosines of the angles of `step`.
pub(super) fn trig_recurrence(pool: &mut Pool, step: &mut StepProgram) {
    predicted_angle::after_loops(pool, &mut step.program);
    let state: BTreeMap<Expr, Expr> = step.program.state().map(|(symbol, next)| (next, symbol)).collect();
    let angles = angles(pool, &step.program);
    for &(called, coordinate) in &angles {
        let first =
            angles.iter().find(|&&(_, other)| other == coordinate).map_or(called, |&(first, _)| first);
        if called != first {
            called.turn(&mut step.program.body, first.angle, Prediction::None, first.sines);
            continue;
        }
        let Called { angle, sines } = called;
        let name = pool.show(coordinate).to_string();
        let known = [angle, sines[0], sines[1]].map(|e| state.get(&e).copied());
        let (from, prediction, known) =
            if let Some(ahead) = predicted_angle::ahead(pool, step, called, coordinate) {
                ahead
            } else if let [Some(from), Some(sin), Some(cos)] = known {
                let of = Rotated { angle: from, rotation: None };
                for (symbol, role) in [(sin, Carried::Sine(of)), (cos, Carried::Cosine(of))] {
                    step.entry_mut(symbol).into_iter().for_each(|entry| entry.role = role.clone());
                }
                (from, Prediction::None, [sin, cos])
            } else {
                let mut from = coordinate;
                if known[0] != Some(coordinate) {
                    from = pool.fresh_symbol(&format!("last_{name}"));
                    let role = Carried::Angle { rotation: None };
                    step.carry([(StateEntry::new(from, role, coordinate, Rescale::Keep), angle)]);
                }
                let of = Rotated { angle: from, rotation: None };
                (from, Prediction::None, carry_sines(pool, step, &name, of, sines, coordinate, Rescale::Keep))
            };
        called.turn(&mut step.program.body, from, prediction, known);
    }
    predicted_angle::phases(pool, step);
}

/// Carries sine and cosine of an angle that is `first` at a start.
pub(super) fn carry_sines(
    pool: &mut Pool,
    step: &mut StepProgram,
    name: &str,
    of: Rotated,
    next: [Expr; 2],
    first: Expr,
    rescale: Rescale,
) -> [Expr; 2] {
    let [sin, cos] = [Function::Sin, Function::Cos].map(|f| {
        let symbol = pool.fresh_symbol(&format!("{}_{name}", f.name()));
        (symbol, pool.call(f, first))
    });
    let entries = [(sin, Carried::Sine(of)), (cos, Carried::Cosine(of))]
        .map(|((symbol, start), role)| StateEntry::new(symbol, role, start, rescale));
    step.carry(entries.into_iter().zip(next));
    [sin.0, cos.0]
}

/// For every coordinate, and every bound sum of one coordinate and increments, the coordinate.
pub(crate) fn moved(pool: &Pool, program: &Program) -> BTreeMap<Expr, Expr> {
    let mut moved: BTreeMap<Expr, Expr> =
        program.symbols(&Role::Configuration).iter().map(|&symbol| (symbol, symbol)).collect();
    for statement in &program.body {
        let Statement::Let { symbol, value } = statement else { continue };
        let Node::Sum(terms) = pool.node(*value) else { continue };
        if let [from] = terms.iter().filter_map(|term| moved.get(term).copied()).collect::<Vec<_>>()[..] {
            moved.insert(*symbol, from);
        }
    }
    moved
}
