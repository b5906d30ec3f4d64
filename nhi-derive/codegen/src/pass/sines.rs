//! Sines and cosines from step to step.
//!
//! Saves a third of a sine and cosine, and choosing between both by the quadrant: an angle is the one of the step
//! before, turned by little, and short polynomials say what that changes. So the state carries sine and cosine of an
//! angle of the step, and the angle where it is no coordinate at the end. What an angle is turned by is taken from the rounded
//! angles, θ' − θ, which is exact. Roundings of sine and cosine add up, so that drivers have them computed anew every
//! few steps.
//!
//! Not done for a coordinate of which a step has several angles, such as Runge–Kutta methods: these are close to each
//! other.

use super::carry::{CARRIED, Step, carries, starting};
use crate::expr::{Expr, Function, Node, Pool};
use crate::program::{Binding, Program, Statement};
use std::collections::{BTreeMap, BTreeSet};

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
    let of = |(angle, [sin, cos]): (Expr, [Expr; 2])| {
        let [&from, &sin, &cos] = [state.get(&angle)?, state.get(&sin)?, state.get(&cos)?];
        Some((angle, Turned { from, sines: [sin, cos] }))
    };
    called(pool, step).into_iter().filter_map(of).collect()
}

/// `step` with the sines of its angles carried.
pub(super) fn sines(pool: &mut Pool, mut step: Step) -> Step {
    let moved = moved(pool, &step.step);
    let early: BTreeSet<Expr> = early(&step.step);
    let known = turned(pool, &step.step);
    let mut of_coordinate: BTreeMap<Expr, usize> = BTreeMap::new();
    let called = called(pool, &step.step);
    for from in called.iter().filter_map(|(angle, _)| moved.get(angle)) {
        *of_coordinate.entry(*from).or_default() += 1;
    }
    let carried = step.step.outputs.iter().find(|o| o.name == CARRIED).map(|o| o.values.clone());
    let (mut symbols, mut values) = (step.step.symbols(CARRIED).to_vec(), carried.unwrap_or_default());
    let mut first = match &step.carry {
        Some(carry) => carry.outputs[0].values.clone(),
        None => vec![pool.zero(); symbols.len()],
    };
    let before = symbols.len();
    for (angle, next) in called {
        let is_fixed =
            pool.reachable(&[angle]).iter().all(|&e| pool.as_symbol(e).is_none() || early.contains(&e));
        let coordinate = moved.get(&angle).copied();
        let is_one_of_several = coordinate.is_some_and(|from| of_coordinate[&from] > 1);
        if is_fixed || is_one_of_several || known.contains_key(&angle) {
            continue;
        }
        let start = coordinate.unwrap_or_else(|| pool.zero());
        let of_state = step.step.state().any(|(symbol, value)| value == angle && Some(symbol) == coordinate);
        let name = coordinate.and_then(|q| pool.as_symbol(q)).map_or("", |q| pool.name(q)).to_owned();
        let mut carry = |pool: &mut Pool, what: &str, value: Expr, start: Expr| {
            symbols.push(pool.fresh_symbol(&format!("{what}_{name}")));
            values.push(value);
            first.push(start);
        };
        if !of_state {
            carry(pool, "last", angle, start);
        }
        for (f, what, next) in [(Function::Sin, "sin", next[0]), (Function::Cos, "cos", next[1])] {
            let start = pool.call(f, start);
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

/// What does not change from step to step.
fn early(program: &Program) -> BTreeSet<Expr> {
    let early = program.inputs.iter().filter(|input| input.binding != Binding::Step);
    early.flat_map(|input| input.symbols.iter().copied()).collect()
}
