//! Angle-addition rewriting: computes sines and cosines of sums of angles from those of the summands.
//!
//! The pass saves calls. It applies to an angle that is the sum or the difference of two others whose pairs are computed too,
//! or twice another one:
//!
//! ```text
//! sin(a ± b) = sin a cos b ± cos a sin b,   cos(a ± b) = cos a cos b ∓ sin a sin b,
//! sin 2a = 2 sin a cos a,                   cos 2a = 1 − 2 sin² a.
//! ```
//!
//! Angles that depend on parameters and step size alone cost nothing: cos(ω(t + h)) follows from the pair of ωt and the
//! prepared pair of ωh. Every angle is either called or follows from called angles in one application, so that rounding
//! errors do not accumulate.

use crate::expr::Table;
use crate::expr::{Expr, Function, Node, Pool};
use crate::optimise::draft::{Context, Draft};
use crate::optimise::flat::with_linear;
use crate::optimise::place::place;
use crate::program::{Level, Levels, Stage, Statement};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Largest number of terms of an angle.
const MAX_TERMS: usize = 8;

/// Most angles of a program that is looked at.
const MAX_ANGLES: usize = 48;

/// See the [module documentation](self).
pub(in crate::optimise) fn angle_addition(cx: &mut Context<'_>, draft: &mut Draft) {
    derive(cx, draft, |cx, levels, pairs, angle, sources| {
        let mut found = None;
        for (a, first) in sources {
            let rest = cx.pool.sub(angle.form, first.form);
            if levels.stage(cx.pool, rest) == Stage::Prepared {
                return Some((vec![*a], pairs.named(cx, SINES, rest)));
            }
            let minus = cx.pool.neg(rest);
            let second = sources.iter().find(|(_, second)| [rest, minus].contains(&second.form));
            found = found.or(second.map(|(b, second)| ([*a, *b], second.argument, second.form == minus)));
        }
        let (sources, second, is_negative) = found?;
        let [sin, cos] = pairs.named(cx, SINES, second);
        Some((sources.to_vec(), [cx.with_sign(is_negative, sin), cos]))
    });
}

/// Makes the pairs of angles of those of others, and keeps the result if that saves operations. For an angle and the others
/// that are called where it is computed, each with its number, `find` returns the numbers of the angles that it is made of, the
/// first summand among them before all others, and the pair of the second summand.
pub(super) fn derive(
    cx: &mut Context<'_>,
    draft: &mut Draft,
    find: impl Fn(
        &mut Context<'_>,
        &mut Levels,
        &mut Pairs,
        &Angle,
        &[(usize, &Angle)],
    ) -> Option<(Vec<usize>, Pair)>,
) {
    let (mut pairs, mut levels) = (Pairs::of(draft), draft.levels(cx));
    let angles = angles(cx, draft, &mut levels);
    // Angles that others are made of, and those that are made of others.
    let (mut pinned, mut derived) = (BTreeSet::new(), BTreeSet::new());
    for (i, angle) in angles.iter().enumerate().filter(|_| angles.len() <= MAX_ANGLES) {
        if pinned.contains(&i) {
            continue;
        }
        let others = angles.iter().enumerate().filter(|(a, _)| *a != i && !derived.contains(a));
        let sources: Vec<(usize, &Angle)> = others.filter(|(_, other)| other.is_source_of(angle)).collect();
        if let Some((made_of, second)) = find(cx, &mut levels, &mut pairs, angle, &sources) {
            let first = pairs.named(cx, SINES, angles[made_of[0]].argument);
            pairs.made.insert(angle.argument, of_sum(cx.pool, first, second));
            pinned.extend(made_of);
            derived.insert(i);
        }
    }
    pairs.keep_if_better(cx, draft);
}

/// The functions of a pair.
const SINES: [Function; 2] = [Function::Sin, Function::Cos];

/// Sine and cosine of an angle.
pub(in crate::optimise) type Pair = [Expr; 2];

/// A draft in which sines and cosines of some angles are made of those of others.
pub(super) struct Pairs {
    trial: Draft,
    /// The calls that others are made of. They get names, so that each is computed where it is known.
    names: BTreeMap<Expr, Expr>,
    /// Sine and cosine of every angle that is not called.
    made: BTreeMap<Expr, Pair>,
}

impl Pairs {
    fn of(draft: &Draft) -> Pairs {
        Pairs { trial: draft.clone(), names: BTreeMap::new(), made: BTreeMap::new() }
    }

    /// The names of two functions of `x`.
    pub(super) fn named(&mut self, cx: &mut Context<'_>, functions: [Function; 2], x: Expr) -> Pair {
        let calls = functions.map(|f| cx.pool.call(f, x));
        calls.map(|call| *self.names.entry(call).or_insert_with(|| self.trial.fresh(cx)))
    }

    /// Replaces `draft` if that saves operations.
    fn keep_if_better(self, cx: &mut Context<'_>, draft: &mut Draft) {
        let Pairs { mut trial, names, made } = self;
        if made.is_empty() {
            return;
        }
        trial.map(cx, |cx, e, _| {
            let Node::Call(f, x) = *cx.pool.node(e) else { return None };
            let function = SINES.iter().position(|&g| g == f)?;
            Some(made.get(&x)?[function])
        });
        place(cx, &mut trial, names.into_iter().map(|(call, name)| (name, call)));
        if trial.operations(cx).weight() < draft.operations(cx).weight() {
            *draft = trial;
        }
    }
}

/// The addition theorems.
pub(in crate::optimise) fn of_sum(pool: &mut Pool, [sin_a, cos_a]: Pair, [sin_b, cos_b]: Pair) -> Pair {
    if [sin_a, cos_a] == [sin_b, cos_b] {
        let (one, two, square) = (pool.one(), pool.int(2), pool.powi(sin_a, 2));
        let twice = pool.mul(two, square);
        return [pool.product(&[two, sin_a, cos_a]), pool.sub(one, twice)];
    }
    let pairs = [(sin_a, cos_b), (cos_a, sin_b), (cos_a, cos_b), (sin_a, sin_b)];
    let [sc, cs, cc, ss] = pairs.map(|(a, b)| pool.mul(a, b));
    [pool.add(sc, cs), pool.sub(cc, ss)]
}

/// An angle whose sine or cosine is needed.
#[derive(Clone, Debug)]
pub(super) struct Angle {
    pub(super) argument: Expr,
    /// A sum of multiples of expressions that are no sums, if they are few.
    form: Expr,
    level: Level,
    /// The last statement that it needs.
    pub(super) position: usize,
}

impl Angle {
    /// Whether the pair of this angle can be had where that of `other` is computed. Angles of later
    /// statements are no sources, so that nothing is computed from itself.
    fn is_source_of(&self, other: &Angle) -> bool {
        let visible = self.level.stage() != Stage::Iterated || self.level == other.level;
        visible && self.level <= other.level && self.position <= other.position
    }
}

/// The angles of a program: those that are computed most often and have most terms first.
fn angles(cx: &mut Context<'_>, draft: &Draft, levels: &mut Levels) -> Vec<Angle> {
    let mut forms = Table::new();
    for (symbol, value) in draft.lets() {
        if let Some(form) = form(cx.pool, &forms, value) {
            forms.insert(symbol, form);
        }
    }
    let (positions, mut arguments) = (positions(cx.pool, draft), BTreeSet::new());
    for e in draft.computed(cx) {
        if let Node::Call(Function::Sin | Function::Cos, x) = *cx.pool.node(e)
            && levels.stage(cx.pool, x) != Stage::Prepared
            && !cx.pool.reachable(&[x]).iter().any(|&x| is_call(cx.pool, x))
        {
            arguments.insert(x);
        }
    }
    let angle = |argument| {
        let symbols = cx.pool.reachable(&[argument]);
        let position = symbols.iter().filter_map(|&s| positions.get(s)).max().copied().unwrap_or(0);
        let form = form(cx.pool, &forms, argument).unwrap_or(argument);
        Angle { argument, form, level: levels.level(cx.pool, argument), position }
    };
    let mut angles: Vec<Angle> = arguments.into_iter().map(angle).collect();
    angles.reverse();
    angles.sort_by_key(|angle| Reverse((angle.level.stage(), cx.pool.terms(angle.form).len())));
    angles
}

/// `e` as a sum of multiples of expressions that are no sums, if they are few, through the `known` forms of symbols.
fn form(pool: &mut Pool, known: &Table<Expr>, e: Expr) -> Option<Expr> {
    let terms = pool.terms(e);
    let terms: Vec<Expr> = terms.into_iter().flat_map(|term| distributed(pool, term)).collect();
    let sum = pool.sum(&terms);
    let form = with_linear(pool, sum, known);
    (pool.terms(form).len() <= MAX_TERMS).then_some(form)
}

/// The terms of a product with one sum in it, multiplied out.
fn distributed(pool: &mut Pool, product: Expr) -> Vec<Expr> {
    let factors = pool.factors(&product).to_vec();
    let short = |&f: &Expr| matches!(pool.node(f), Node::Sum(terms) if terms.len() <= MAX_TERMS);
    let Some(i) = factors.iter().position(short) else { return vec![product] };
    let mut rest = factors;
    let sum = rest.remove(i);
    let rest = pool.product(&rest);
    pool.terms(sum).into_iter().map(|t| pool.mul(rest, t)).collect()
}

fn is_call(pool: &Pool, e: Expr) -> bool {
    matches!(pool.node(e), Node::Call(..) | Node::Atan2(..) | Node::Map(..) | Node::Saddle(..))
}

/// The number of the statement that binds each symbol whose value needs a call; what a loop iterates is
/// there before it.
fn positions(pool: &Pool, draft: &Draft) -> Table<usize> {
    let mut positions = Table::new();
    let statements = draft.program.body.iter().flat_map(|statement| {
        let inside = if let Statement::Newton(newton) = statement { &newton.body[..] } else { &[] };
        inside.iter().chain([statement])
    });
    for (i, statement) in statements.enumerate() {
        match statement {
            Statement::Let { symbol, value } => {
                let late = |&x: &Expr| positions.contains(x) || is_call(pool, x);
                if pool.reachable(&[*value]).iter().any(late) {
                    positions.insert(*symbol, i + 1);
                }
            }
            Statement::Newton(newton) => positions.extend(newton.unknowns.iter().map(|&x| (x, i + 1))),
            _ => {}
        }
    }
    positions
}
