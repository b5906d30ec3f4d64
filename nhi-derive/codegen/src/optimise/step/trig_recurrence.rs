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
//! The pass applies to an angle that is a coordinate or a coordinate plus increments, if it is the only such angle of
//! its coordinate: the stages of Runge–Kutta methods have several angles close to each other. The state carries sine
//! and cosine, and the angle itself unless it is the coordinate at the end of the step. Where a step can
//! [predict](super::predicted_angle) the angle of the next one, it carries the predicted angle instead.

use super::predicted_angle;
use crate::expr::{Expr, Function, Node, Pool};
use crate::program::{
    Carried, Foreseen, Program, Rescale, Role, Rotated, StateEntry, Statement, StepProgram, Turn,
};
use std::collections::BTreeMap;

/// Symbols of the sine and cosine of an angle, bound by two adjacent statements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Called {
    pub(super) angle: Expr,
    pub(super) sines: [Expr; 2],
}

impl Called {
    /// The pairs in `body` for these functions: a sine, and a cosine.
    pub(super) fn all(pool: &Pool, body: &[Statement], functions: [Function; 2]) -> Vec<Called> {
        let call = |statement: &Statement| match statement {
            Statement::Let { symbol, value } => match *pool.node(*value) {
                Node::Call(f, x) => Some((f, x, *symbol)),
                _ => None,
            },
            _ => None,
        };
        let both = |pair: &[Statement]| {
            let ((f, angle, a), (g, y, b)) = (call(&pair[0])?, call(&pair[1])?);
            let sines = if f == functions[0] { [a, b] } else { [b, a] };
            let are_both = [f, g] == functions || [g, f] == functions;
            (are_both && angle == y).then_some(Called { angle, sines })
        };
        body.windows(2).filter_map(both).collect()
    }

    /// Position of the first of the two statements.
    pub(super) fn position(&self, body: &[Statement]) -> Option<usize> {
        body.iter().position(|s| matches!(s, Statement::Let { symbol, .. } if self.sines.contains(symbol)))
    }

    /// Replaces both statements by a rotation of the sine and cosine `known`. These belong to the angle `from`, or to
    /// the predicted angle of `foreseen`.
    pub(super) fn turn(&self, body: &mut Vec<Statement>, from: Expr, foreseen: Foreseen, known: [Expr; 2]) {
        let &Called { angle, sines } = self;
        if let Some(i) = self.position(body) {
            body.splice(i..i + 2, [Statement::Turn(Turn { sines, angle, from, foreseen, known })]);
        }
    }
}

/// The angles of sines and cosines outside of loops, with the coordinate that each is an increment of. Coordinates with
/// several angles are left out.
fn single(pool: &Pool, step: &Program) -> Vec<(Called, Expr)> {
    let moved = moved(pool, step);
    let of_coordinate = |called: Called| Some((called, *moved.get(&called.angle)?));
    let called = Called::all(pool, &step.body, [Function::Sin, Function::Cos]);
    let all: Vec<_> = called.into_iter().filter_map(of_coordinate).collect();
    let is_single = |q: Expr| all.iter().filter(|&&(_, coordinate)| coordinate == q).count() == 1;
    all.iter().copied().filter(|&(_, coordinate)| is_single(coordinate)).collect()
}

/// `step` with the sines and cosines of its angles carried.
pub(super) fn trig_recurrence(pool: &mut Pool, mut step: StepProgram) -> StepProgram {
    predicted_angle::after_loops(pool, &mut step.program);
    let mut carrying = Carrying::of(&step);
    let state: BTreeMap<Expr, Expr> = step.program.state().map(|(symbol, next)| (next, symbol)).collect();
    let singles = single(pool, &step.program);
    for &(called, coordinate) in &singles {
        let Called { angle, sines } = called;
        let name = pool.as_symbol(coordinate).map_or("", |q| pool.name(q)).to_owned();
        let known = [angle, sines[0], sines[1]].map(|e| state.get(&e).copied());
        let ahead = predicted_angle::ahead(pool, &mut step.program, called);
        let (from, foreseen, known) = match (ahead, known) {
            (Some(ahead), _) => {
                let first = carrying.at_start(pool, &step.program, angle);
                let is_known = ahead.is_known && first.is_some();
                let first = first.unwrap_or(coordinate);
                let before = carrying.new.len();
                let [from, by] = carrying.rotated(pool, &name, (angle, first), ahead.by);
                let of = Rotated { angle: from, rotation: Some(by) };
                let known = carrying.sines(pool, &format!("near_{name}"), ahead.sines, (of, first));
                if is_known {
                    // An exact prediction holds for a step of the same size only.
                    let new = carrying.new[before..].iter_mut();
                    new.for_each(|(entry, _)| entry.rescale = Rescale::Restart);
                }
                (from, if is_known { Foreseen::Known(by) } else { Foreseen::Near(by) }, known)
            }
            (None, [Some(from), Some(sin), Some(cos)]) => {
                let of = Rotated { angle: from, rotation: None };
                for (symbol, role) in [(sin, Carried::Sine(of)), (cos, Carried::Cosine(of))] {
                    step.entry_mut(symbol).into_iter().for_each(|entry| entry.role = role.clone());
                }
                (from, Foreseen::Not, [sin, cos])
            }
            _ if state.get(&angle) == Some(&coordinate) => {
                let of = Rotated { angle: coordinate, rotation: None };
                (coordinate, Foreseen::Not, carrying.sines(pool, &name, sines, (of, coordinate)))
            }
            _ => {
                let from = carrying.angle(pool, &format!("last_{name}"), angle, coordinate);
                let of = Rotated { angle: from, rotation: None };
                (from, Foreseen::Not, carrying.sines(pool, &name, sines, (of, coordinate)))
            }
        };
        called.turn(&mut step.program.body, from, foreseen, known);
    }
    predicted_angle::phases(pool, &mut step.program, &mut carrying);
    step.carry(carrying.new);
    step
}

/// The entries of a step, and further ones with their values for the next step.
pub(super) struct Carrying {
    before: Vec<StateEntry>,
    new: Vec<(StateEntry, Expr)>,
}

impl Carrying {
    fn of(step: &StepProgram) -> Carrying {
        Carrying { before: step.entries().to_vec(), new: Vec::new() }
    }

    /// Adds an entry; returns its symbol.
    fn number(&mut self, symbol: Expr, role: Carried, next: Expr, start: Expr) -> Expr {
        self.new.push((StateEntry { symbol, role, unit: None, start, rescale: Rescale::Keep }, next));
        symbol
    }

    /// Adds an angle that is `first` at a start.
    pub(super) fn angle(&mut self, pool: &mut Pool, name: &str, next: Expr, first: Expr) -> Expr {
        let symbol = pool.fresh_symbol(name);
        self.number(symbol, Carried::Angle { rotation: None }, next, first)
    }

    /// Adds an angle with its values for the next step and at a start, and its predicted rotation.
    fn rotated(&mut self, pool: &mut Pool, name: &str, (next, first): (Expr, Expr), by: Expr) -> [Expr; 2] {
        let [angle, rotation] = ["last", "turn"].map(|what| pool.fresh_symbol(&format!("{what}_{name}")));
        let nothing = pool.zero();
        self.number(angle, Carried::Angle { rotation: Some(rotation) }, next, first);
        [angle, self.number(rotation, Carried::Rotation, by, nothing)]
    }

    /// Adds sine and cosine of an angle that is `first` at a start.
    pub(super) fn sines(
        &mut self,
        pool: &mut Pool,
        name: &str,
        next: [Expr; 2],
        (of, first): (Rotated, Expr),
    ) -> [Expr; 2] {
        let both = [(Function::Sin, "sin", Carried::Sine(of)), (Function::Cos, "cos", Carried::Cosine(of))];
        let mut next = next.into_iter();
        both.map(|(f, what, role)| {
            let (symbol, start) = (pool.fresh_symbol(&format!("{what}_{name}")), pool.call(f, first));
            self.number(symbol, role, next.next().unwrap_or(symbol), start)
        })
    }

    /// The values of the new entries for the next step.
    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        self.new.iter_mut().map(|(_, next)| next)
    }

    /// The value of `e` in the first step, as a function of the inputs at a start.
    pub(super) fn at_start(&self, pool: &mut Pool, step: &Program, e: Expr) -> Option<Expr> {
        predicted_angle::of_inputs(pool, step, e, &self.before)
    }
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
