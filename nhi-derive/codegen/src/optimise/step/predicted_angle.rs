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
//! - Angles after a Newton loop that differ from an angle in the loop by a factor of ±1 or ±2. The last iterate, one
//!   tiny update before the solution, is the prediction. Its sine and cosine are known early: they do not depend on the
//!   division of the last update.
//! - Angles θ' = θ + 2 (θ̄ − θ) of the next step: the two half steps around a node have equal rotations. The state
//!   carries θ, the rotation 2 (θ̄ − θ) of the last iterate, and sine and cosine of their sum. The sum is not rounded
//!   before it is subtracted from θ', so that the number of turns of an angle does not limit the accuracy. If sine and
//!   cosine of θ̄ are known, then (2) sin (θ + 2α) = sin θ + 2 sin α cos (θ + α), and likewise for the cosine.
//! - Phases a t + b, which advance by a h in every step. Sine and cosine of a h are prepared. A carried phase has the
//!   rounding errors of several additions, as the time has.
//!
//! If no reaction acts on the angle, the prediction is exact up to rounding and is used without a check, until the next
//! re-synchronisation or change of the step size. Other predictions are checked at run time: if x̂ is not close to x,
//! sine and cosine are rotated by polynomials, or computed.

use super::trig_recurrence::{Called, Carrying};
use crate::expr::{Expr, Function, Node, Pool};
use crate::program::{Foreseen, Newton, Program, Role, Rotated, StateEntry, Statement, Turn, lets};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Largest number of terms of an expanded angle.
const MAX_TERMS: usize = 64;

/// Position and statement of the only Newton loop; `None` without a loop, or with several.
fn newton(program: &Program) -> Option<(usize, &Newton)> {
    let mut loops = program.body.iter().enumerate().filter_map(|(i, s)| match s {
        Statement::Newton(newton) => Some((i, newton)),
        _ => None,
    });
    loops.next().filter(|_| loops.next().is_none())
}

/// `e` in expanded form, with symbols replaced by their values; each value may use the symbols before it.
fn opened(pool: &mut Pool, e: Expr, values: &[(Expr, Expr)]) -> Option<Expr> {
    let mut e = e;
    for &(symbol, value) in values.iter().rev() {
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
    let called = Called::all(pool, &program.body, [Function::Sin, Function::Cos]);
    let is_called = |e: &Expr| called.iter().any(|c| c.angle == *e);
    let (mut moved, mut by) = (BTreeSet::new(), BTreeSet::new());
    for (symbol, value) in lets(&program.body[..at]) {
        if let Node::Sum(terms) = pool.node(value)
            && terms.iter().any(is_called)
        {
            moved.insert(symbol);
            by.extend(terms.iter().copied().filter(|e| !is_called(e)));
        }
    }
    all.extend(lets(&program.body[..at]).filter(|(symbol, _)| moved.contains(symbol) || by.contains(symbol)));
    all.extend(lets(&newton.body).chain(lets(&program.body[at..])));
    Some(all)
}

/// A small angle in the loop or before it that is `by` / c, for c = 1, 2, −1 or −2, and c.
fn part(pool: &mut Pool, program: &Program, by: Expr, late: &[(Expr, Expr)]) -> Option<(Called, i64)> {
    let (at, newton) = newton(program)?;
    let small = [Function::SmallSin, Function::SmallCos];
    let before = Called::all(pool, &program.body[..at], small);
    for called in Called::all(pool, &newton.body, small).into_iter().chain(before) {
        let Some(angle) = pool.as_symbol(called.angle).and_then(|_| opened(pool, called.angle, late)) else {
            continue;
        };
        for c in [1, 2, -1, -2] {
            let number = pool.int(c);
            let multiple = pool.mul(number, angle);
            let difference = pool.sub(by, multiple);
            let difference = pool.expand(difference, MAX_TERMS);
            if difference.is_some_and(|d| pool.is_zero(d)) {
                return Some((called, c));
            }
        }
    }
    None
}

/// Makes an angle of the loop, and its sine and cosine, available after the loop.
fn keep(program: &mut Program, called: Called) {
    for statement in &mut program.body {
        let Statement::Newton(newton) = statement else { continue };
        if called.position(&newton.body).is_some() && !newton.kept.contains(&called.angle) {
            newton.kept.extend([called.angle, called.sines[0], called.sines[1]]);
        }
    }
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

/// Symbols of the sine and cosine of angle + α, if they are bound, given sine and cosine of α.
fn turned(pool: &mut Pool, program: &Program, called: Called, [sin, cos]: [Expr; 2]) -> Option<[Expr; 2]> {
    let [s, c] = called.sines;
    let [sc, cs, cc, ss] = [(s, cos), (c, sin), (c, cos), (s, sin)].map(|(x, y)| pool.mul(x, y));
    let values = [pool.add(sc, cs), pool.sub(cc, ss)];
    let [sin, cos] = values.map(|value| lets(&program.body).find(|&(_, v)| v == value));
    Some([sin?.0, cos?.0])
}

/// Replaces sines and cosines of small angles after the loop by corrections of those of the last iterate.
pub(super) fn after_loops(pool: &mut Pool, program: &mut Program) {
    let Some(late) = late(pool, program) else { return };
    for called in Called::all(pool, &program.body, [Function::SmallSin, Function::SmallCos]) {
        let after = newton(program).map(|(at, _)| at);
        if called.position(&program.body) < after {
            continue;
        }
        let Some(angle) = opened(pool, called.angle, &late) else { continue };
        let Some((from, c)) = part(pool, program, angle, &late) else { continue };
        keep(program, from);
        let (mut near, mut known) = (from.angle, from.sines);
        if c != 1 {
            let Some(mut at) = called.position(&program.body) else { continue };
            let number = pool.int(c);
            near = pool.mul(number, from.angle);
            known = match c {
                -1 => [pool.neg(from.sines[0]), from.sines[1]],
                _ => {
                    let [sin, versine] = doubled(pool, program, &mut at, from, c);
                    let one = pool.one();
                    [sin, pool.sub(one, versine)]
                }
            };
        }
        let nothing = pool.zero();
        called.turn(&mut program.body, near, Foreseen::Near(nothing), known);
    }
}

/// Prediction of an angle of the next step.
pub(super) struct Ahead {
    /// Its rotation in the step.
    pub(super) by: Expr,
    /// Sine and cosine of the predicted angle.
    pub(super) sines: [Expr; 2],
    /// Whether the prediction is exact up to rounding, rather than up to the last Newton update.
    pub(super) is_known: bool,
}

/// The prediction of the angle of `called` in the next step, if there is one.
pub(super) fn ahead(pool: &mut Pool, program: &mut Program, called: Called) -> Option<Ahead> {
    let late = late(pool, program)?;
    let before: Vec<(Expr, Expr)> = lets(&program.body).collect();
    let angle = opened(pool, called.angle, &before)?;
    let ends: HashMap<Expr, Expr> = program.state().collect();
    let next = pool.substitute(&[angle], &ends)[0];
    let by = pool.sub(next, called.angle);
    let by = opened(pool, by, &late)?;
    let (from, c) = part(pool, program, by, &late)?;
    keep(program, from);
    let is_known = newton(program).is_some_and(|(_, newton)| from.position(&newton.body).is_none());
    let Called { angle, sines: [sin, cos] } = called;
    let mut at = newton(program)?.0 + 1;
    program.body.insert(at, Statement::Equation("prediction of the sine and cosine at the next node".into()));
    at += 1;
    let number = pool.int(c);
    let by = pool.mul(number, from.angle);
    let sign = pool.int(c.signum());
    let sines = if c.abs() == 1 {
        let (s, c) = (pool.mul(number, from.sines[0]), from.sines[1]);
        let products = [(sin, c), (cos, s), (cos, c), (sin, s)].map(|(x, y)| pool.mul(x, y));
        [pool.add(products[0], products[1]), pool.sub(products[2], products[3])]
    } else if let half = [pool.mul(sign, from.sines[0]), from.sines[1]]
        && let Some([sin_half, cos_half]) = turned(pool, program, called, half)
    {
        // (2)
        let two = pool.int(2);
        let twice = pool.mul(two, half[0]);
        let twice = bind(pool, program, &mut at, "twice", twice);
        let changes = [pool.mul(twice, cos_half), pool.mul(twice, sin_half)];
        [pool.add(sin, changes[0]), pool.sub(cos, changes[1])]
    } else {
        let [s, v] = doubled(pool, program, &mut at, from, c.abs());
        let products = [(cos, s), (sin, v), (cos, v), (sin, s)].map(|(x, y)| pool.mul(x, y));
        let changes = match c > 0 {
            true => [pool.sub(products[0], products[1]), pool.add(products[2], products[3])],
            false => [pool.add(products[0], products[1]), pool.sub(products[2], products[3])],
        };
        // `Let`s fix the association: the small products are added to each other first.
        let changes = changes.map(|value| bind(pool, program, &mut at, "change", value));
        let sin = if c > 0 { pool.add(sin, changes[0]) } else { pool.sub(sin, changes[0]) };
        [sin, pool.sub(cos, changes[1])]
    };
    let name = pool.as_symbol(angle).map_or("", |a| pool.name(a)).to_owned();
    let sines = [("sin", sines[0]), ("cos", sines[1])]
        .map(|(f, value)| bind(pool, program, &mut at, &format!("{f}_near_{name}"), value));
    Some(Ahead { by, sines, is_known })
}

/// `e` as a function of the inputs at a start; `None` if it depends on anything else.
pub(super) fn of_inputs(pool: &mut Pool, program: &Program, e: Expr, carried: &[StateEntry]) -> Option<Expr> {
    let values: Vec<(Expr, Expr)> = lets(&program.body).collect();
    let e = opened(pool, e, &values)?;
    let first: HashMap<Expr, Expr> = carried.iter().map(|entry| (entry.symbol, entry.start)).collect();
    let e = pool.substitute(&[e], &first)[0];
    let given = program.inputs.iter().filter(|i| !matches!(i.role, Role::Inputs | Role::Carried));
    let known = given.flat_map(|i| i.symbols.iter().copied()).collect();
    pool.are_made_of(&[e], &known).then_some(e)
}

/// Carries sines and cosines of phases, angles that are linear in time. If several phases have the same rate, none of
/// them is carried.
pub(super) fn phases(pool: &mut Pool, program: &mut Program, carrying: &mut Carrying) {
    let (Some(&t), Some(&h)) =
        (program.symbols(&Role::Time).first(), program.symbols(&Role::StepSize).first())
    else {
        return;
    };
    let prepared = program.early();
    let mut known = prepared.clone();
    known.insert(t);
    let values = bound_of(pool, &program.body, &mut known);
    let mut by_rate: BTreeMap<Expr, Vec<Expr>> = BTreeMap::new();
    for e in pool.reachable(&program.values()) {
        let Node::Call(Function::Sin | Function::Cos, x) = *pool.node(e) else { continue };
        if !pool.are_made_of(&[x], &known) {
            continue;
        }
        let Some(phase) = opened(pool, x, &values) else { continue };
        let later = pool.add(t, h);
        let later = pool.substitute(&[phase], &HashMap::from([(t, later)]))[0];
        let by = pool.sub(later, phase);
        let Some(by) = pool.expand(by, MAX_TERMS) else { continue };
        if pool.depends_on(phase, &[t]) && pool.are_made_of(&[by], &prepared) {
            let phases = by_rate.entry(by).or_default();
            if !phases.contains(&x) {
                phases.push(x);
            }
        }
    }
    for (i, (by, phases)) in by_rate.into_iter().enumerate() {
        let [phase] = phases[..] else { continue };
        turn_phase(pool, program, carrying, (phase, by), &format!("phase_{i}"));
    }
}

fn turn_phase(
    pool: &mut Pool,
    program: &mut Program,
    carrying: &mut Carrying,
    (phase, by): (Expr, Expr),
    name: &str,
) {
    let Some(first) = carrying.at_start(pool, program, phase) else { return };
    let calls = [Function::Sin, Function::Cos].map(|f| pool.call(f, phase));
    let uses = |s: &Statement| pool.reachable(&evaluated(s)).iter().any(|x| calls.contains(x));
    let Some(mut at) = program.body.iter().position(uses) else { return };
    let sines = ["sin", "cos"].map(|f| pool.fresh_symbol(&format!("{f}_{name}")));
    let mut map: HashMap<Expr, Expr> = calls.into_iter().zip(sines).collect();
    // Names that were bound to one of the calls are replaced as well.
    let names: Vec<(Expr, Expr)> = lets(&program.body).filter(|(_, value)| map.contains_key(value)).collect();
    program.body.retain(|s| !matches!(s, Statement::Let { value, .. } if calls.contains(value)));
    map.extend(names.into_iter().map(|(symbol, value)| (symbol, map[&value])).collect::<Vec<_>>());
    for e in program.values_mut().into_iter().chain(carrying.values_mut()) {
        *e = pool.substitute(&[*e], &map)[0];
    }
    let angle = bind(pool, program, &mut at, name, phase);
    let mut start = 0;
    let [sin_by, cos_by] = [Function::Sin, Function::Cos].map(|f| pool.call(f, by));
    let [by, sin_by, cos_by] = [("turn", by), ("sin_turn", sin_by), ("cos_turn", cos_by)]
        .map(|(what, value)| bind(pool, program, &mut start, &format!("{what}_of_{name}"), value));
    at += start;
    let of_by = [sin_by, cos_by];
    let next = pool.add(angle, by);
    let products = [(sines[0], of_by[1]), (sines[1], of_by[0]), (sines[1], of_by[1]), (sines[0], of_by[0])]
        .map(|(x, y)| pool.mul(x, y));
    let next_sines = [pool.add(products[0], products[1]), pool.sub(products[2], products[3])];
    let name = format!("near_{name}");
    let from = carrying.angle(pool, &name, next, first);
    let known = carrying.sines(pool, &name, next_sines, (Rotated { angle: from, rotation: None }, first));
    // The rotation is checked, since a state does not hold the time.
    let turn = Turn { sines, angle, from, foreseen: Foreseen::Near(pool.zero()), known };
    program.body.insert(at, Statement::Turn(turn));
}

/// All expressions that a statement evaluates.
fn evaluated(statement: &Statement) -> Vec<Expr> {
    match statement {
        Statement::Newton(newton) => {
            let body = newton.body.iter().flat_map(evaluated);
            newton.before().into_iter().chain(body).chain(newton.updates()).collect()
        }
        other => other.values(),
    }
}
