//! Angle-addition rewriting: computes sines and cosines of sums of angles from those of the summands.
//!
//! The pass saves calls. It applies where the angles of several calls are sums, differences or doubles of fewer angles:
//! the pairs of φ, θ + φ and θ − φ follow from those of θ and φ, by
//!
//! ```text
//! sin(a ± b) = sin a cos b ± cos a sin b,   cos(a ± b) = cos a cos b ∓ sin a sin b,
//! sin 2a = 2 sin a cos a,                   cos 2a = 1 − 2 sin² a.
//! ```
//!
//! Angles that depend on parameters and step size alone cost nothing: cos(ω(t + h)) follows from the pair of ωt and the
//! prepared pair of ωh. Every angle is either called or follows from called angles in one application, so that rounding
//! errors do not accumulate.

use crate::expr::{Expr, Function, Node, OperationCount, Pool, Rational};
use crate::optimise::draft::{Context, Draft, Level, Levels, Stage};
use crate::optimise::place::place;
use crate::program::{Statement, Table};
use crate::target::TARGET;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{ToPrimitive, Zero};
use std::collections::{BTreeMap, BTreeSet};

/// Largest number of terms of an angle.
const MAX_TERMS: usize = 8;

/// Angles of one program that are looked at, largest common denominator of their multiples, and new angles
/// that are tried in each round at most.
const MAX_ANGLES: usize = 48;
const MAX_DENOMINATOR: i64 = 1 << 20;
const MAX_TRIED: usize = 16;

/// See the [module documentation](self).
pub(in crate::optimise) fn angle_addition(cx: &mut Context<'_>, draft: &mut Draft) {
    let Some(mut all) = Angles::of(cx, draft) else { return };
    all.reduce(cx);
    if all.derived.is_empty() {
        return;
    }
    let mut trial = draft.clone();
    // The pairs that others follow from get names, so that each is computed where it is known.
    let mut named = Vec::new();
    let mut pair = |cx: &mut Context<'_>, trial: &mut Draft, x: Expr| {
        let (sin, cos) = (cx.pool.call(Function::Sin, x), cx.pool.call(Function::Cos, x));
        let (s, c) = (trial.fresh(cx), trial.fresh(cx));
        named.extend([(s, sin), (c, cos)]);
        (s, c)
    };
    let mut sources: BTreeMap<usize, (Expr, Expr)> = BTreeMap::new();
    let mut pairs: BTreeMap<Expr, (Expr, Expr)> = BTreeMap::new();
    for (&b, derivation) in &all.derived {
        for a in derivation.sources() {
            sources.entry(a).or_insert_with(|| pair(cx, &mut trial, all.all[a].argument));
        }
        let offset = match derivation {
            Derivation::Offset(_, offset) if offset.iter().any(|&x| x != 0) => {
                let offset = all.sum(cx, offset);
                Some(pair(cx, &mut trial, offset))
            }
            _ => None,
        };
        pairs.insert(all.all[b].argument, derivation.formula(cx, &sources, offset));
    }
    trial.map(cx, |cx, e, _| {
        let Node::Call(f @ (Function::Sin | Function::Cos), x) = *cx.pool.node(e) else { return None };
        let &(sin, cos) = pairs.get(&x)?;
        Some(if f == Function::Sin { sin } else { cos })
    });
    place(cx, &mut trial, named);
    if trial.operations(cx).weight() < draft.operations(cx).weight() {
        *draft = trial;
    }
}

/// Rational multiples of atoms: expressions that are no sums.
type Form = BTreeMap<Expr, Rational>;

/// The multiple of each atom, in units that make all of them and their halves integers.
type Vector = Vec<i64>;

/// An angle whose sine or cosine is needed.
#[derive(Clone, Debug)]
struct Angle {
    argument: Expr,
    vector: Vector,
    /// How many of the two are needed.
    functions: i64,
    level: Level,
    /// The last statement that it needs.
    position: usize,
}

impl Angle {
    /// Whether the pair of this angle can be had where that of `other` is computed. Angles of later
    /// statements are no sources, so that nothing is computed from itself.
    fn is_source_of(&self, other: &Angle) -> bool {
        let visible = self.level.stage() != Stage::Iterated || self.level == other.level;
        visible && self.level <= other.level && self.position <= other.position
    }

    /// How often it is computed.
    fn times(&self) -> i64 {
        match self.level.stage() {
            Stage::Prepared => 0,
            Stage::Once => 1,
            Stage::Iterated => i64::from(TARGET.iterations),
        }
    }
}

/// How an angle follows from others, given by their numbers and whether they are subtracted.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Derivation {
    /// From another angle and a prepared one.
    Offset((usize, bool), Vector),
    /// As the double of another angle.
    Double((usize, bool)),
    /// From two other angles.
    Sum((usize, bool), (usize, bool)),
}

impl Derivation {
    fn sources(&self) -> Vec<usize> {
        match self {
            Derivation::Offset((a, _), _) | Derivation::Double((a, _)) => vec![*a],
            Derivation::Sum((a, _), (b, _)) => vec![*a, *b],
        }
    }

    /// Sine and cosine, by those of the sources and of what is prepared.
    fn formula(
        &self,
        cx: &mut Context<'_>,
        sources: &BTreeMap<usize, (Expr, Expr)>,
        prepared: Option<(Expr, Expr)>,
    ) -> (Expr, Expr) {
        let pair = |cx: &mut Context<'_>, (a, negative): (usize, bool)| {
            let (sin, cos) = sources[&a];
            (cx.with_sign(negative, sin), cos)
        };
        match *self {
            Derivation::Double(a) => {
                let (sin, cos) = pair(cx, a);
                let (one, two, square) = (cx.pool.one(), cx.pool.int(2), cx.pool.powi(sin, 2));
                let twice = cx.pool.mul(two, square);
                (cx.pool.product(&[two, sin, cos]), cx.pool.sub(one, twice))
            }
            Derivation::Sum(a, b) => {
                let (a, b) = (pair(cx, a), pair(cx, b));
                of_sum(cx, a, b)
            }
            Derivation::Offset(a, _) => {
                let a = pair(cx, a);
                prepared.map_or(a, |prepared| of_sum(cx, a, prepared))
            }
        }
    }
}

struct Angles {
    all: Vec<Angle>,
    /// What vectors are in units of one over.
    unit: BigInt,
    /// The atoms, and which of them are prepared.
    atoms: Vec<Expr>,
    early: Vec<bool>,
    /// What is bound, or an atom, by its multiples up to the sign; whether that is the other one.
    named: BTreeMap<Vector, (bool, Expr)>,
    /// Where symbols are bound.
    positions: Table<usize>,
    levels: Levels,
    /// Angles that are called, and how the others follow.
    called: BTreeSet<usize>,
    derived: BTreeMap<usize, Derivation>,
}

impl Angles {
    /// The angles of a program, if there are several.
    fn of(cx: &mut Context<'_>, draft: &Draft) -> Option<Angles> {
        let mut levels = draft.levels(cx);
        let mut wanted: BTreeMap<Expr, i64> = BTreeMap::new();
        for e in draft.computed(cx) {
            if let Node::Call(Function::Sin | Function::Cos, x) = *cx.pool.node(e)
                && levels.stage(cx.pool, x) != Stage::Prepared
                && !has_call(cx.pool, x)
            {
                *wanted.entry(x).or_default() += 1;
            }
        }
        if wanted.len() < 2 || wanted.len() > MAX_ANGLES {
            return None;
        }
        let mut forms = Table::new();
        for (symbol, value) in draft.lets() {
            if let Some(form) = form(cx, &forms, value) {
                forms.insert(symbol, form);
            }
        }
        let wanted: Vec<(Expr, i64, Form)> = wanted
            .into_iter()
            .filter_map(|(x, functions)| Some((x, functions, form(cx, &forms, x)?)))
            .collect();
        let atoms: BTreeSet<Expr> = wanted.iter().flat_map(|(_, _, form)| form.keys().copied()).collect();
        let atoms: Vec<Expr> = atoms.into_iter().collect();
        let early = atoms.iter().map(|&a| levels.stage(cx.pool, a) == Stage::Prepared).collect();
        let unit = unit(wanted.iter().flat_map(|(_, _, form)| form.values()))?;
        let mut named = BTreeMap::new();
        let symbols = atoms.iter().map(|&a| (a, Form::from([(a, Rational::from_integer(1.into()))])));
        let lets = draft.lets().into_iter().map(|(s, _)| s).filter_map(|s| Some((s, forms.get(s)?.clone())));
        for (symbol, form) in symbols.chain(lets) {
            if let Some(vector) = vector(&atoms, &unit, &form) {
                let (negative, vector) = normal(&vector);
                named.entry(vector).or_insert((negative, symbol));
            }
        }
        let positions = positions(cx.pool, draft);
        let mut angles = Angles {
            all: Vec::new(),
            unit,
            atoms,
            early,
            named,
            positions,
            levels,
            called: BTreeSet::new(),
            derived: BTreeMap::new(),
        };
        for (x, functions, form) in wanted {
            let vector = vector(&angles.atoms, &angles.unit, &form)?;
            let angle = angles.angle(cx, x, vector, functions);
            angles.called.insert(angles.all.len());
            angles.all.push(angle);
        }
        Some(angles)
    }

    fn angle(&mut self, cx: &Context<'_>, argument: Expr, vector: Vector, functions: i64) -> Angle {
        let symbols = cx.pool.reachable(&[argument]);
        let position = symbols.iter().filter_map(|&s| self.positions.get(s)).max().copied().unwrap_or(0);
        Angle { argument, vector, functions, level: self.levels.of(cx.pool, argument), position }
    }

    /// Derives as many angles as it pays to, with further angles for sources where they save more than
    /// they cost.
    fn reduce(&mut self, cx: &mut Context<'_>) {
        self.derive_from(None);
        for _ in 0..MAX_ANGLES {
            let mut best: Option<(i64, Angle)> = None;
            for vector in self.candidates() {
                let Some(argument) = self.argument(cx, &vector) else { continue };
                let angle = self.angle(cx, argument, vector, 2);
                let saved = self.savings(Some(angle.clone())).0;
                if saved > best.as_ref().map_or(0, |(most, _)| *most) {
                    best = Some((saved, angle));
                }
            }
            let Some((_, angle)) = best else { break };
            self.derive_from(Some(angle));
        }
    }

    fn derive_from(&mut self, further: Option<Angle>) {
        let (_, derived) = self.savings(further.clone());
        if let Some(angle) = further {
            self.called.insert(self.all.len());
            self.all.push(angle);
        }
        for (b, derivation) in derived {
            self.called.remove(&b);
            self.derived.insert(b, derivation);
        }
    }

    /// What it saves to call `further` too, and what is derived then: those that are computed most often
    /// and have most terms first.
    fn savings(&mut self, further: Option<Angle>) -> (i64, BTreeMap<usize, Derivation>) {
        let call = OperationCount { calls: [("sin_cos", 1)].into(), ..OperationCount::default() };
        let call = call.weight() as i64;
        let mut called = self.called.clone();
        let mut saved = 0;
        let added = further.is_some();
        if let Some(angle) = further {
            let terms = angle.vector.iter().filter(|&&x| x != 0).count() as i64;
            saved -= angle.times()
                * (call + if self.named.contains_key(&normal(&angle.vector).1) { 0 } else { terms });
            called.insert(self.all.len());
            self.all.push(angle);
        }
        let mut order: Vec<usize> = called.iter().copied().collect();
        let terms = |a: &Angle| a.vector.iter().filter(|&&x| x != 0).count();
        order.sort_by_key(|&i| (self.all[i].times(), terms(&self.all[i]), i));
        let mut derived = BTreeMap::new();
        let mut pinned: BTreeSet<usize> = self.derived.values().flat_map(Derivation::sources).collect();
        let mut pairs: BTreeSet<Vec<usize>> = BTreeSet::new();
        for b in order.into_iter().rev() {
            let last = self.all.len() - 1;
            if pinned.contains(&b) || (added && b == last) {
                continue;
            }
            called.remove(&b);
            let Some(derivation) = self.derivation(b, &called) else {
                called.insert(b);
                continue;
            };
            let angle = &self.all[b];
            let mut sources = derivation.sources();
            sources.sort_unstable();
            let operations = match &derivation {
                Derivation::Offset(_, offset) if offset.iter().all(|&x| x == 0) => 0,
                Derivation::Offset(..) => 3 * angle.functions,
                Derivation::Double(_) => 2 * angle.functions,
                // The products are the same for the sum and the difference.
                Derivation::Sum(..) if pairs.contains(&sources) => angle.functions,
                Derivation::Sum(..) => 3 * angle.functions,
            };
            saved += angle.times() * (call - operations);
            pinned.extend(&sources);
            pairs.insert(sources);
            derived.insert(b, derivation);
        }
        if added {
            self.all.pop();
        }
        (saved, derived)
    }

    /// How the angle `b` follows from `called` ones, if it does.
    fn derivation(&self, b: usize, called: &BTreeSet<usize>) -> Option<Derivation> {
        let angle = &self.all[b];
        let sources: Vec<usize> =
            called.iter().copied().filter(|&a| self.all[a].is_source_of(angle)).collect();
        let mut double = None;
        let mut by_vector: BTreeMap<Vector, usize> = BTreeMap::new();
        for &a in &sources {
            let vector = &self.all[a].vector;
            for negative in [false, true] {
                let offset = combined(&angle.vector, vector, !negative);
                if self.is_early(&offset) {
                    return Some(Derivation::Offset((a, negative), offset));
                }
                if offset == combined(&vec![0; vector.len()], vector, negative) {
                    double = Some(Derivation::Double((a, negative)));
                }
            }
            by_vector.entry(normal(vector).1).or_insert(a);
        }
        if double.is_some() {
            return double;
        }
        sources.iter().find_map(|&a| {
            [false, true].into_iter().find_map(|minus_a| {
                let rest = combined(&angle.vector, &self.all[a].vector, !minus_a);
                let (negative, rest) = normal(&rest);
                let &other = by_vector.get(&rest).filter(|&&other| other != a)?;
                let minus_other = negative != normal(&self.all[other].vector).0;
                Some(Derivation::Sum((a, minus_a), (other, minus_other)))
            })
        })
    }

    /// Angles that more than one pair of called ones differ by, or are symmetric to, most pairs first.
    fn candidates(&self) -> Vec<Vector> {
        let called: Vec<&Vector> = self.called.iter().map(|&i| &self.all[i].vector).collect();
        let mut counts: BTreeMap<Vector, usize> = BTreeMap::new();
        for (i, a) in called.iter().enumerate() {
            for b in &called[i + 1..] {
                for minus in [false, true] {
                    let sum = normal(&combined(a, b, minus)).1;
                    if sum.iter().all(|x| x % 2 == 0) {
                        *counts.entry(sum.iter().map(|x| x / 2).collect()).or_default() += 1;
                    }
                    *counts.entry(sum).or_default() += 1;
                }
            }
        }
        counts.retain(|vector, count| {
            *count > 1 && !self.is_early(vector) && !called.iter().any(|&a| normal(a).1 == *vector)
        });
        let mut best: Vec<(Vector, usize)> = counts.into_iter().collect();
        best.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        best.into_iter().take(MAX_TRIED).map(|(vector, _)| vector).collect()
    }

    fn is_early(&self, vector: &Vector) -> bool {
        vector.iter().zip(&self.early).all(|(&x, &early)| x == 0 || early)
    }

    /// An expression for an angle; none where it has calls in it.
    fn argument(&self, cx: &mut Context<'_>, vector: &Vector) -> Option<Expr> {
        let (negative, positive) = normal(vector);
        let argument = match self.named.get(&positive) {
            Some(&(opposite, e)) => cx.with_sign(negative != opposite, e),
            None => self.sum(cx, vector),
        };
        (!has_call(cx.pool, argument)).then_some(argument)
    }

    fn sum(&self, cx: &mut Context<'_>, vector: &Vector) -> Expr {
        let mut terms = Vec::new();
        for (&n, &atom) in vector.iter().zip(&self.atoms) {
            terms.push(cx.pool.scale(Rational::new(n.into(), self.unit.clone()), atom));
        }
        cx.pool.sum(&terms)
    }
}

/// The addition theorems for pairs of sine and cosine.
pub(super) fn of_sum(
    cx: &mut Context<'_>,
    (sin_a, cos_a): (Expr, Expr),
    (sin_b, cos_b): (Expr, Expr),
) -> (Expr, Expr) {
    let pairs = [(sin_a, cos_b), (cos_a, sin_b), (cos_a, cos_b), (sin_a, sin_b)];
    let [sc, cs, cc, ss] = pairs.map(|(a, b)| cx.pool.mul(a, b));
    (cx.pool.add(sc, cs), cx.pool.sub(cc, ss))
}

/// `e` as a sum of multiples of atoms, if they are few, through the `known` forms of symbols.
fn form(cx: &mut Context<'_>, known: &Table<Form>, e: Expr) -> Option<Form> {
    let mut form = Form::new();
    for term in cx.pool.terms(e) {
        for part in distributed(cx.pool, term) {
            let (c, atom) = cx.pool.split_coefficient(part);
            let Some(known) = known.get(atom) else {
                *form.entry(atom).or_default() += c;
                continue;
            };
            for (&atom, multiple) in known {
                *form.entry(atom).or_default() += &c * multiple;
            }
        }
        form.retain(|_, c| !c.is_zero());
        if form.len() > MAX_TERMS {
            return None;
        }
    }
    Some(form)
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

/// Twice the least common denominator.
fn unit<'a>(multiples: impl Iterator<Item = &'a Rational>) -> Option<BigInt> {
    let mut unit = BigInt::from(2);
    for multiple in multiples {
        unit = unit.lcm(&(multiple.denom() * 2));
        if unit > BigInt::from(MAX_DENOMINATOR) {
            return None;
        }
    }
    Some(unit)
}

/// `form` in those units, if it is made of `atoms` in numbers that cannot overflow.
fn vector(atoms: &[Expr], unit: &BigInt, form: &Form) -> Option<Vector> {
    if form.keys().any(|atom| atoms.binary_search(atom).is_err()) {
        return None;
    }
    let entry = |atom: &Expr| match form.get(atom) {
        Some(c) => {
            let n = c * Rational::from_integer(unit.clone());
            Some(i64::from(n.is_integer().then(|| n.to_integer().to_i32())??))
        }
        None => Some(0),
    };
    atoms.iter().map(entry).collect()
}

/// a ± b.
fn combined(a: &Vector, b: &Vector, minus: bool) -> Vector {
    a.iter().zip(b).map(|(x, y)| if minus { x - y } else { x + y }).collect()
}

/// Whether the first multiple is negative, and the vector or the opposite one, where it is not.
fn normal(vector: &Vector) -> (bool, Vector) {
    let negative = vector.iter().find(|&&x| x != 0).is_some_and(|&x| x < 0);
    (negative, if negative { vector.iter().map(|x| -x).collect() } else { vector.clone() })
}

fn has_call(pool: &Pool, e: Expr) -> bool {
    pool.reachable(&[e]).iter().any(|&x| is_call(pool, x))
}

fn is_call(pool: &Pool, e: Expr) -> bool {
    matches!(pool.node(e), Node::Call(..) | Node::Atan2(..) | Node::Map(..))
}

/// The number of the statement that binds each symbol whose value needs a call; what a loop iterates is
/// there before it.
fn positions(pool: &Pool, draft: &Draft) -> Table<usize> {
    let mut positions = Table::new();
    let mut statements = 0;
    let mut bind = |positions: &mut Table<usize>, statement: &Statement| {
        statements += 1;
        match statement {
            Statement::Let { symbol, value } => {
                let late = |&x: &Expr| positions.contains(x) || is_call(pool, x);
                if pool.reachable(&[*value]).iter().any(late) {
                    positions.insert(*symbol, statements);
                }
            }
            Statement::Newton(newton) => positions.extend(newton.unknowns.iter().map(|&x| (x, statements))),
            Statement::Equation(_) | Statement::Pivot { .. } | Statement::Turn(_) => {}
        }
    };
    for statement in &draft.program.body {
        if let Statement::Newton(newton) = statement {
            newton.body.iter().for_each(|inner| bind(&mut positions, inner));
        }
        bind(&mut positions, statement);
    }
    positions
}
