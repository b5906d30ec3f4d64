//! Predicted angles: sines and cosines are known at a predicted angle and corrected by a first-order rotation.
//!
//! Saves the polynomials of sine and cosine, and removes them from the critical path. With sine and cosine of a
//! prediction x̂ of an angle x,
//!
//! ```text
//! (1)  sin x = sin x̂ + (x − x̂) cos x̂,   cos x = cos x̂ − (x − x̂) sin x̂.
//! ```
//!
//! Predictions exist for three kinds of angles:
//!
//! - Angles after a Newton loop that differ from an angle in the loop by a factor of ±1 or ±2. The last iterate is the
//!   prediction. Its sine and cosine do not depend on the division of the last update.
//! - Angles θ' = θ + 2 (θ̄ − θ) of the next step: the two half steps around a node have equal rotations. The state
//!   carries θ, the rotation 2 (θ̄ − θ) of the last iterate, and sine and cosine of their sum. The sum is not rounded
//!   before it is subtracted from θ', so that the number of turns of an angle does not limit the accuracy. If sine and
//!   cosine of θ̄ are known, then (2) sin (θ + 2α) = sin θ + 2 sin α cos (θ + α), and likewise for the cosine.
//! - Phases a t + b, which advance by a h in every step. Sine and cosine of a h are prepared.
//!
//! If no reaction acts on the angle, the prediction is exact up to rounding and is used without a check, until the next
//! re-synchronisation or change of the step size. Other predictions are checked at run time: if x̂ is not close to x,
//! sine and cosine are rotated by polynomials, or computed.

use super::trig_recurrence::{Called, carry_sines};
use crate::expr::{Expr, Function, Node, Pool};
use crate::optimise::local::of_sum;
use crate::program::{
    Carried, Newton, Prediction, Program, Rescale, Role, Rotated, StateEntry, Statement, StepProgram, Turn,
    lets, usual,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Largest number of terms of an expanded value.
const MAX_TERMS: usize = 64;

/// Position and statement of the only Newton loop; `None` without a loop, or with several.
fn newton(program: &Program) -> Option<(usize, &Newton)> {
    let mut loops = program.body.iter().enumerate().filter_map(|(i, s)| match s {
        Statement::Newton(newton) => Some((i, newton)),
        _ => None,
    });
    loops.next().filter(|_| loops.next().is_none())
}

/// `e` in expanded form, with symbols replaced by their values; each value may use the symbols before it. Formulas stand for
/// solutions of linear equations.
pub(super) fn opened(pool: &mut Pool, e: Expr, values: &[(Expr, Expr)]) -> Option<Expr> {
    let mut e = pool.by_formulas(e);
    for &(symbol, value) in values.iter().rev() {
        let value = pool.by_formulas(value);
        e = pool.substitute(&[e], &HashMap::from([(symbol, value)]))[0];
    }
    pool.expand(e, MAX_TERMS)
}

/// The `Let`s that depend on `known` symbols alone. Their symbols become known.
fn bound_of(pool: &Pool, statements: &[Statement], known: &mut BTreeSet<Expr>) -> Vec<(Expr, Expr)> {
    let mut all = Vec::new();
    for (symbol, value) in lets(statements) {
        if pool.are_made_of(&[value], known) {
            known.insert(symbol);
            all.push((symbol, value));
        }
    }
    all
}

/// The `Let`s that angles are expanded by: those in the loop and after it; and of those before it the ones that depend
/// on parameters and step size alone, the sums of an angle and increments, and these increments.
fn late(pool: &Pool, program: &Program) -> Option<Vec<(Expr, Expr)>> {
    let (at, newton) = newton(program)?;
    let mut all = bound_of(pool, &program.body[..at], &mut program.early());
    let called = Called::all(pool, &program.body, Function::Sin);
    let is_called = |e: &Expr| called.iter().any(|c| c.angle == *e);
    let mut parts: BTreeSet<Expr> = BTreeSet::new();
    for (symbol, value) in lets(&program.body[..at]) {
        if let Node::Sum(terms) = pool.node(value)
            && terms.iter().any(is_called)
        {
            parts.extend(terms.iter().filter(|&e| !is_called(e)).chain([&symbol]));
        }
    }
    all.extend(lets(&program.body[..at]).filter(|(symbol, _)| parts.contains(symbol)));
    all.extend(lets(&newton.body).chain(lets(&program.body[at..])));
    Some(all)
}

/// A small angle in the loop or before it that is `by` / c, for c = 1, 2, −1 or −2, and c. The angle, its sine and its
/// cosine become visible after the loop.
fn part(pool: &mut Pool, program: &mut Program, by: Expr, late: &[(Expr, Expr)]) -> Option<(Called, i64)> {
    let (at, newton) = newton(program)?;
    let mut all = Called::all(pool, &newton.body, Function::SmallSin);
    all.extend(Called::all(pool, &program.body[..at], Function::SmallSin));
    let mut multiple = |called: Called| {
        pool.as_symbol(called.angle)?;
        let angle = opened(pool, called.angle, late)?;
        let mut is_multiple = |&c: &i64| {
            let c = pool.int(c);
            let multiple = pool.mul(c, angle);
            pool.expand(multiple, MAX_TERMS) == Some(by)
        };
        [1, 2, -1, -2].into_iter().find(&mut is_multiple).map(|c| (called, c))
    };
    let (from, c) = all.into_iter().find_map(&mut multiple)?;
    if let Statement::Newton(newton) = &mut program.body[at]
        && from.position(&newton.body).is_some()
        && !newton.last_iterate.contains(&from.angle)
    {
        newton.last_iterate.extend([from.angle, from.sines[0], from.sines[1]]);
    }
    Some((from, c))
}

/// Inserts a `Let` at position `at` and advances the position.
fn bind(pool: &mut Pool, program: &mut Program, at: &mut usize, name: &str, value: Expr) -> Expr {
    let symbol = pool.fresh_symbol(name);
    program.body.insert(*at, Statement::Let { symbol, value });
    *at += 1;
    symbol
}

/// Binds sin cα and 1 − cos cα, c = ±2, given sine and cosine of α.
fn doubled(pool: &mut Pool, program: &mut Program, at: &mut usize, called: Called, c: i64) -> [Expr; 2] {
    let Called { sines: [sin, cos], .. } = called;
    let two = pool.int(2);
    let twice = pool.mul(two, sin);
    let twice = bind(pool, program, at, "twice", twice);
    let sign = pool.int(c.signum());
    let values = [pool.product(&[sign, twice, cos]), pool.mul(twice, sin)];
    values.map(|value| bind(pool, program, at, "turn", value))
}

/// Replaces sines and cosines of small angles after the loop by corrections of those of the last iterate.
pub(super) fn after_loops(pool: &mut Pool, program: &mut Program) {
    let Some(late) = late(pool, program) else { return };
    // Sines of rare solutions are left to these.
    let usual = usual(pool, program);
    let is_usual = |called: &Called| called.sines.iter().any(|&e| usual.contains(e));
    let called = Called::all(pool, &program.body, Function::SmallSin);
    for called in called.into_iter().filter(is_usual) {
        let Some(mut at) = called.position(&program.body) else { continue };
        if newton(program).is_some_and(|(newton, _)| at < newton) {
            continue;
        }
        let Some(angle) = opened(pool, called.angle, &late) else { continue };
        let Some((from, c)) = part(pool, program, angle, &late) else { continue };
        let number = pool.int(c);
        let near = pool.mul(number, from.angle);
        let known = if c.abs() == 1 {
            [pool.mul(number, from.sines[0]), from.sines[1]]
        } else {
            let [sin, versine] = doubled(pool, program, &mut at, from, c);
            let one = pool.one();
            [sin, pool.sub(one, versine)]
        };
        let nothing = pool.zero();
        called.turn(&mut program.body, near, Prediction::Corrected(nothing), known);
    }
}

/// Carries the angle of `called` and its prediction for the next step, if there is one. What rotates its sine and
/// cosine: the angle before, the prediction, and the sine and cosine after it.
pub(super) fn ahead(
    pool: &mut Pool,
    step: &mut StepProgram,
    called: Called,
    coordinate: Expr,
) -> Option<(Expr, Prediction, [Expr; 2])> {
    let program = &mut step.program;
    let late = late(pool, program)?;
    // The sines that are predicted from are known when the loop ends.
    if called.position(&program.body) > newton(program).map(|(at, _)| at) {
        return None;
    }
    let before: Vec<(Expr, Expr)> = lets(&program.body).collect();
    let angle = opened(pool, called.angle, &before)?;
    let ends: HashMap<Expr, Expr> = program.state().collect();
    let next = pool.substitute(&[angle], &ends)[0];
    let by = pool.sub(next, called.angle);
    let by = opened(pool, by, &late)?;
    let (from, c) = part(pool, program, by, &late)?;
    let (mut at, newton) = newton(program)?;
    let is_known = from.position(&newton.body).is_none();
    at += 1;
    program.body.insert(at, Statement::Equation("prediction of the sine and cosine at the next node".into()));
    at += 1;
    let [number, sign, two] = [c, c.signum(), 2].map(|c| pool.int(c));
    let by = pool.mul(number, from.angle);
    let Called { angle, sines: [sin, cos] } = called;
    let one = [pool.mul(sign, from.sines[0]), from.sines[1]];
    let after_one = of_sum(pool, called.sines, one);
    let of_lets = after_one.map(|value| lets(&program.body).find(|&(_, v)| v == value));
    let sines = if c.abs() == 1 {
        after_one
    } else {
        let changes = if let [Some((sin_half, _)), Some((cos_half, _))] = of_lets {
            // (2)
            let twice = pool.mul(two, one[0]);
            let twice = bind(pool, program, &mut at, "twice", twice);
            [cos_half, sin_half].map(|half| pool.mul(twice, half))
        } else {
            let ([s, v], sin) = (doubled(pool, program, &mut at, from, c.abs()), pool.mul(sign, sin));
            let [cs, sv, cv, ss] = [(cos, s), (sin, v), (cos, v), (sin, s)].map(|(x, y)| pool.mul(x, y));
            // `Let`s fix the association: the small products are added to each other first.
            let changes = [pool.sub(cs, sv), pool.add(cv, ss)];
            let [change, other] = changes.map(|value| bind(pool, program, &mut at, "change", value));
            [pool.mul(sign, change), other]
        };
        [pool.add(sin, changes[0]), pool.sub(cos, changes[1])]
    };
    let name = pool.show(angle).to_string();
    let sines = [("sin", sines[0]), ("cos", sines[1])]
        .map(|(f, value)| bind(pool, program, &mut at, &format!("{f}_near_{name}"), value));
    let first = at_start(pool, step, angle);
    // A prediction without a Newton update is exact up to rounding. It holds for a step of the same size only.
    let (prediction, rescale): (fn(Expr) -> Prediction, _) = match is_known && first.is_some() {
        true => (Prediction::Exact, Rescale::Restart),
        false => (Prediction::Corrected, Rescale::Keep),
    };
    let (first, name) = (first.unwrap_or(coordinate), pool.show(coordinate).to_string());
    let [from, turn] = ["last", "turn"].map(|what| pool.fresh_symbol(&format!("{what}_{name}")));
    let roles = [Carried::Angle { rotation: Some(turn) }, Carried::Rotation];
    let numbers = [(from, first, angle), (turn, pool.zero(), by)].into_iter().zip(roles);
    step.carry(
        numbers.map(|((symbol, start, next), role)| (StateEntry::new(symbol, role, start, rescale), next)),
    );
    let of = Rotated { angle: from, rotation: Some(turn) };
    let known = carry_sines(pool, step, &format!("near_{name}"), of, sines, first, rescale);
    Some((from, prediction(turn), known))
}

/// The value of `e` in the first step, as a function of the inputs at a start; `None` if it depends on anything else.
fn at_start(pool: &mut Pool, step: &StepProgram, e: Expr) -> Option<Expr> {
    let values: Vec<(Expr, Expr)> = lets(&step.program.body).collect();
    let e = opened(pool, e, &values)?;
    let first: HashMap<Expr, Expr> = step.entries().iter().map(|entry| (entry.symbol, entry.start)).collect();
    let e = pool.substitute(&[e], &first)[0];
    let given = step.program.inputs.iter().filter(|i| !matches!(i.role, Role::Inputs | Role::Carried));
    let known = given.flat_map(|i| i.symbols.iter().copied()).collect();
    pool.are_made_of(&[e], &known).then_some(e)
}

/// Carries sines and cosines of phases, angles that are linear in time. If several phases have the same rate, none of
/// them is carried.
pub(super) fn phases(pool: &mut Pool, step: &mut StepProgram) {
    let program = &step.program;
    let [[t], [h]] = [Role::Time, Role::StepSize].map(|role| program.symbols(&role)) else { return };
    let (t, h) = (*t, *h);
    let prepared = program.early();
    let mut known = prepared.clone();
    known.insert(t);
    let values = bound_of(pool, &program.body, &mut known);
    let later = HashMap::from([(t, pool.add(t, h))]);
    let mut by_rate: BTreeMap<Expr, BTreeSet<Expr>> = BTreeMap::new();
    for e in pool.reachable(&program.values()) {
        let Node::Call(Function::Sin | Function::Cos, x) = *pool.node(e) else { continue };
        if !pool.are_made_of(&[x], &known) {
            continue;
        }
        let Some(phase) = opened(pool, x, &values) else { continue };
        let next = pool.substitute(&[phase], &later)[0];
        let by = pool.sub(next, phase);
        let Some(by) = pool.expand(by, MAX_TERMS) else { continue };
        if pool.depends_on(phase, &[t]) && pool.are_made_of(&[by], &prepared) {
            by_rate.entry(by).or_default().insert(x);
        }
    }
    for (i, (by, phases)) in by_rate.into_iter().enumerate() {
        if phases.len() == 1 {
            phases.into_iter().for_each(|phase| turn_phase(pool, step, phase, by, &format!("phase_{i}")));
        }
    }
}

fn turn_phase(pool: &mut Pool, step: &mut StepProgram, phase: Expr, by: Expr, name: &str) {
    let Some(first) = at_start(pool, step, phase) else { return };
    let program = &mut step.program;
    let calls = [Function::Sin, Function::Cos].map(|f| pool.call(f, phase));
    let uses = |s: &Statement| pool.reachable(&s.values()).iter().any(|x| calls.contains(x));
    let Some(mut at) = program.body.iter().position(uses) else { return };
    let sines = ["sin", "cos"].map(|f| pool.fresh_symbol(&format!("{f}_{name}")));
    let mut map: HashMap<Expr, Expr> = calls.into_iter().zip(sines).collect();
    // Names that were bound to one of the calls are replaced as well.
    let names: Vec<_> = lets(&program.body).filter_map(|(s, value)| Some((s, *map.get(&value)?))).collect();
    map.extend(names);
    program.body.retain(|s| !matches!(s, Statement::Let { value, .. } if calls.contains(value)));
    for e in program.values_mut() {
        *e = pool.substitute(&[*e], &map)[0];
    }
    let angle = bind(pool, program, &mut at, name, phase);
    let mut start = 0;
    let [sin_by, cos_by] = [Function::Sin, Function::Cos].map(|f| pool.call(f, by));
    let [by, sin_by, cos_by] = [("turn", by), ("sin_turn", sin_by), ("cos_turn", cos_by)]
        .map(|(what, value)| bind(pool, program, &mut start, &format!("{what}_of_{name}"), value));
    at += start;
    let next = pool.add(angle, by);
    let next_sines = of_sum(pool, sines, [sin_by, cos_by]);
    let name = format!("near_{name}");
    let from = pool.fresh_symbol(&name);
    let role = Carried::Angle { rotation: None };
    step.carry([(StateEntry::new(from, role, first, Rescale::Keep), next)]);
    let of = Rotated { angle: from, rotation: None };
    let known = carry_sines(pool, step, &name, of, next_sines, first, Rescale::Keep);
    // The rotation is checked, since a state does not hold the time.
    let turn = Turn { sines, angle, from, prediction: Prediction::Corrected(pool.zero()), known };
    step.program.body.insert(at, Statement::Turn(turn));
}
