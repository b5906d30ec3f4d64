//! Sines and cosines from step to step.
//!
//! Saves a third of a sine and cosine, and choosing between both by the quadrant: an angle is the one of the step
//! before, turned by little, and short polynomials say what that changes. So the state carries sine and cosine of an
//! angle of the step, and the angle where it is no coordinate at the end. What an angle is turned by is taken from the
//! rounded angles, θ' − θ, which is exact. Roundings of sine and cosine add up, so that drivers have them computed anew
//! every few steps.
//!
//! Done for the angles that a step moves a coordinate to, one of each: those of Runge–Kutta methods are several, close
//! to each other.

use super::carry::{Step, carried, carries, starting};
use crate::expr::{Expr, Function, Node, Pool};
use crate::program::{Program, Statement};
use std::collections::BTreeMap;

/// What the state of a step has of an angle from the step before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Turned {
    /// The angle.
    pub(crate) from: Expr,
    /// Its sine and cosine.
    pub(crate) sines: [Expr; 2],
}

/// The angles whose sine and cosine are bound one after the other outside of loops.
fn called(pool: &Pool, program: &Program) -> Vec<(Expr, [Expr; 2])> {
    let call = |statement: &Statement| match statement {
        Statement::Let { symbol, value } => match *pool.node(*value) {
            Node::Call(f, x) => Some((f, x, *symbol)),
            _ => None,
        },
        _ => None,
    };
    let both = |pair: &[Statement]| match (call(&pair[0])?, call(&pair[1])?) {
        ((Function::Sin, x, sin), (Function::Cos, y, cos)) if x == y => Some((x, [sin, cos])),
        ((Function::Cos, x, cos), (Function::Sin, y, sin)) if x == y => Some((x, [sin, cos])),
        _ => None,
    };
    program.body.windows(2).filter_map(both).collect()
}

/// The angles of a step that the state has from the step before, with their sines.
pub(crate) fn turned(pool: &Pool, step: &Program) -> BTreeMap<Expr, Turned> {
    let state: BTreeMap<Expr, Expr> = step.state().map(|(symbol, next)| (next, symbol)).collect();
    let of = |(angle, _, [sin, cos]): (Expr, Expr, [Expr; 2])| {
        let [&from, &sin, &cos] = [state.get(&angle)?, state.get(&sin)?, state.get(&cos)?];
        Some((angle, Turned { from, sines: [sin, cos] }))
    };
    single(pool, step).into_iter().filter_map(of).collect()
}

/// The angles that are called, with the coordinate that each was and their sines; none of a coordinate that has
/// several.
fn single(pool: &Pool, step: &Program) -> Vec<(Expr, Expr, [Expr; 2])> {
    let moved = moved(pool, step);
    let of_coordinate = |(angle, sines)| Some((angle, *moved.get(&angle)?, sines));
    let all: Vec<_> = called(pool, step).into_iter().filter_map(of_coordinate).collect();
    let is_single = |q: Expr| all.iter().filter(|&&(_, coordinate, _)| coordinate == q).count() == 1;
    all.iter().copied().filter(|&(_, coordinate, _)| is_single(coordinate)).collect()
}

/// `step` with the sines of its angles carried.
pub(super) fn sines(pool: &mut Pool, mut step: Step) -> Step {
    let known = turned(pool, &step.step);
    let (mut symbols, mut values) = carried(&step.step);
    let mut first = match &step.carry {
        Some(carry) => carry.outputs[0].values.clone(),
        None => vec![pool.zero(); symbols.len()],
    };
    let before = symbols.len();
    for (angle, coordinate, next) in single(pool, &step.step) {
        if known.contains_key(&angle) {
            continue;
        }
        let of_state = step.step.state().any(|(symbol, value)| value == angle && symbol == coordinate);
        let name = pool.as_symbol(coordinate).map_or("", |q| pool.name(q)).to_owned();
        let mut carry = |pool: &mut Pool, what: &str, value: Expr, start: Expr| {
            symbols.push(pool.fresh_symbol(&format!("{what}_{name}")));
            values.push(value);
            first.push(start);
        };
        if !of_state {
            carry(pool, "last", angle, coordinate);
        }
        for (f, what, next) in [(Function::Sin, "sin", next[0]), (Function::Cos, "cos", next[1])] {
            let start = pool.call(f, coordinate);
            carry(pool, what, next, start);
        }
    }
    if symbols.len() > before {
        match &mut step.carry {
            Some(carry) => carry.outputs[0].values = first,
            None => step.carry = Some(starting(&step.step, Vec::new(), first)),
        }
        carries(&mut step.step, symbols, values);
    }
    step
}

/// The coordinate that each bound sum of one and other terms was, and each coordinate itself.
pub(crate) fn moved(pool: &Pool, program: &Program) -> BTreeMap<Expr, Expr> {
    let mut moved: BTreeMap<Expr, Expr> =
        program.symbols("q").iter().map(|&symbol| (symbol, symbol)).collect();
    for statement in &program.body {
        let Statement::Let { symbol, value } = statement else { continue };
        let Node::Sum(terms) = pool.node(*value) else { continue };
        if let [from] = terms.iter().filter_map(|term| moved.get(term).copied()).collect::<Vec<_>>()[..] {
            moved.insert(*symbol, from);
        }
    }
    moved
}
