//! Angles that are foreseen.
//!
//! Saves the polynomials of sine and cosine, and waiting for what they are turned by. The last iteration of Newton's
//! method has computed sine and cosine of what its guess turns an angle by, one tiny update before the solution, and
//! early beside the division of that update. With what they are of another angle x̂, of tiny x − x̂,
//!
//! ```text
//! (1)  sin x = sin x̂ + (x − x̂) cos x̂,   cos x = cos x̂ − (x − x̂) sin x̂.
//! ```
//!
//! - Where an angle after the loop is turned by once or twice what one in the loop is, x̂ is that of the last iteration.
//! - So it is where an angle θ' of the next step is θ + 2 (θ̄ − θ), as half a step after a node turns by as much as half
//!   a step before it. The state carries θ and 2 (θ̄ − θ) of the last iteration, with sine and cosine of the sum, which
//!   is not rounded before it is taken off θ': however many turns an angle has, its sines are those of the angle.
//!   Where sine and cosine of θ̄ are known, (2) sin (θ + 2α) = sin θ + 2 sin α cos (θ + α), and so the cosine.
//! - Phases a t + b turn by a h in every step, whose sine and cosine are prepared. Their sines are those of a phase that
//!   is off by some of its roundings, as the time is.
//!
//! Angles that no reaction turns are x̂ but for rounding: their sines are taken as they are, until they are computed
//! anew, as they are for a step of another size. Where x̂ of others is not near, sines are turned or computed as others
//! are.

use super::trig_recurrence::{Called, Carrying};
use crate::expr::{Expr, Function, Node, Pool};
use crate::program::{Foreseen, Newton, Program, Role, Rotated, StateEntry, Statement, Turn, lets};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Terms at most of an angle when it is multiplied out.
const MAX_TERMS: usize = 64;

/// The Newton loop, if there is one, and where it is.
fn newton(program: &Program) -> Option<(usize, &Newton)> {
    let mut loops = program.body.iter().enumerate().filter_map(|(i, s)| match s {
        Statement::Newton(newton) => Some((i, newton)),
        _ => None,
    });
    loops.next().filter(|_| loops.next().is_none())
}

/// `e` with symbols replaced by their values, each of which may have those before it, multiplied out.
fn opened(pool: &mut Pool, e: Expr, values: &[(Expr, Expr)]) -> Option<Expr> {
    let mut e = e;
    for &(symbol, value) in values.iter().rev() {
        e = pool.substitute(&[e], &HashMap::from([(symbol, value)]))[0];
    }
    pool.expand(e, MAX_TERMS)
}

/// Symbols and values of what is bound of `known` symbols alone, which these are added to.
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

/// What is bound inside of the loop and after it; of what is bound before, what depends on parameters and step size
/// alone, what an angle is moved to, and by what.
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

/// Of the sines of small angles in the loop, or of those before it, those of `by` / c, with c = 1, 2, −1 or −2.
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

/// Has sines of the loop kept after it.
fn keep(program: &mut Program, called: Called) {
    for statement in &mut program.body {
        let Statement::Newton(newton) = statement else { continue };
        if called.position(&newton.body).is_some() && !newton.kept.contains(&called.angle) {
            newton.kept.extend([called.angle, called.sines[0], called.sines[1]]);
        }
    }
}

/// Binds `value` at a place in the body, which moves on.
fn bind(pool: &mut Pool, program: &mut Program, at: &mut usize, name: &str, value: Expr) -> Expr {
    let symbol = pool.fresh_symbol(name);
    program.body.insert(*at, Statement::Let { symbol, value });
    *at += 1;
    symbol
}

/// sin cα and 1 − cos cα for what is `called` of α, c = ±2, bound in the body.
fn doubled(pool: &mut Pool, program: &mut Program, at: &mut usize, called: Called, c: i64) -> [Expr; 2] {
    let Called { sines: [sin, cos], .. } = called;
    let two = pool.int(2);
    let twice = pool.mul(two, sin);
    let twice = bind(pool, program, at, "twice", twice);
    let sign = pool.int(c.signum());
    let values = [pool.product(&[sign, twice, cos]), pool.mul(twice, sin)];
    values.map(|value| bind(pool, program, at, "turn", value))
}

/// Sine and cosine of an angle and α, whose sines these are, if they are bound.
fn turned(pool: &mut Pool, program: &Program, called: Called, [sin, cos]: [Expr; 2]) -> Option<[Expr; 2]> {
    let [s, c] = called.sines;
    let [sc, cs, cc, ss] = [(s, cos), (c, sin), (c, cos), (s, sin)].map(|(x, y)| pool.mul(x, y));
    let values = [pool.add(sc, cs), pool.sub(cc, ss)];
    let [sin, cos] = values.map(|value| lets(&program.body).find(|&(_, v)| v == value));
    Some([sin?.0, cos?.0])
}

/// Sines of small angles after the loop, which are those of the last iteration, or of twice its angle.
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

/// What is known of an angle of the next step.
pub(super) struct Ahead {
    /// What it is turned by.
    pub(super) by: Expr,
    /// Its sine and cosine.
    pub(super) sines: [Expr; 2],
    /// Whether that is known but for rounding, and not as far as the last iteration knows.
    pub(super) is_known: bool,
}

/// What is known of an angle that was `called`.
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
        // Bound, since what is small is added first.
        let changes = changes.map(|value| bind(pool, program, &mut at, "change", value));
        let sin = if c > 0 { pool.add(sin, changes[0]) } else { pool.sub(sin, changes[0]) };
        [sin, pool.sub(cos, changes[1])]
    };
    let name = pool.as_symbol(angle).map_or("", |a| pool.name(a)).to_owned();
    let sines = [("sin", sines[0]), ("cos", sines[1])]
        .map(|(f, value)| bind(pool, program, &mut at, &format!("{f}_near_{name}"), value));
    Some(Ahead { by, sines, is_known })
}

/// `e` as a function of the inputs at a start; none if it depends on anything else.
pub(super) fn of_inputs(pool: &mut Pool, program: &Program, e: Expr, carried: &[StateEntry]) -> Option<Expr> {
    let values: Vec<(Expr, Expr)> = lets(&program.body).collect();
    let e = opened(pool, e, &values)?;
    let first: HashMap<Expr, Expr> = carried.iter().map(|entry| (entry.symbol, entry.start)).collect();
    let e = pool.substitute(&[e], &first)[0];
    let given = program.inputs.iter().filter(|i| !matches!(i.role, Role::Inputs | Role::Carried));
    let known = given.flat_map(|i| i.symbols.iter().copied()).collect();
    pool.are_made_of(&[e], &known).then_some(e)
}

/// Sines and cosines of what is linear in time, each with another rate, are carried from step to step.
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
    // What was one of them has no name of its own any more.
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
    // Looked at: a state does not say what time it is.
    let turn = Turn { sines, angle, from, foreseen: Foreseen::Near(pool.zero()), known };
    program.body.insert(at, Statement::Turn(turn));
}

/// What a statement evaluates.
fn evaluated(statement: &Statement) -> Vec<Expr> {
    match statement {
        Statement::Newton(newton) => {
            let body = newton.body.iter().flat_map(evaluated);
            newton.before().into_iter().chain(body).chain(newton.updates()).collect()
        }
        other => other.values(),
    }
}
