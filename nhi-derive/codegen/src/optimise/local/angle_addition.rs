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
use num_traits::{Signed, Zero};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Largest number of terms of an angle.
const MAX_TERMS: usize = 8;

/// Angles of one program that are looked at, and new angles that are tried in each round at most.
pub(super) const MAX_ANGLES: usize = 48;
const MAX_TRIED: usize = 16;

/// See the [module documentation](self).
pub(in crate::optimise) fn angle_addition(cx: &mut Context<'_>, draft: &mut Draft) {
    let Some(mut angles) = Angles::of(cx, draft) else { return };
    angles.reduce(cx);
    let mut pairs = Pairs::of(draft);
    for (&b, derivation) in &angles.derived {
        for a in derivation.sources() {
            pairs.named(cx, SINES, angles.all[a].argument);
        }
        let mut signed = |cx: &mut Context<'_>, (a, negative): (usize, bool)| {
            let [sin, cos] = pairs.named(cx, SINES, angles.all[a].argument);
            [cx.with_sign(negative, sin), cos]
        };
        let first = signed(cx, derivation.first);
        let made = match &derivation.rest {
            Rest::Called(a) => {
                let second = signed(cx, *a);
                of_sum(cx.pool, first, second)
            }
            Rest::Early(rest) if rest.is_empty() => first,
            Rest::Early(rest) => {
                let rest = sum(cx, rest);
                let second = pairs.named(cx, SINES, rest);
                of_sum(cx.pool, first, second)
            }
        };
        pairs.made.insert(angles.all[b].argument, made);
    }
    pairs.keep_if_better(cx, draft);
}

/// The functions of a pair.
pub(super) const SINES: [Function; 2] = [Function::Sin, Function::Cos];

/// Sine and cosine of an angle.
pub(in crate::optimise) type Pair = [Expr; 2];

/// A draft in which sines and cosines of some angles are made of those of others.
pub(super) struct Pairs {
    trial: Draft,
    /// The calls that others are made of. They get names, so that each is computed where it is known.
    names: BTreeMap<Expr, Expr>,
    /// Sine and cosine of every angle that is not called.
    pub(super) made: BTreeMap<Expr, Pair>,
}

impl Pairs {
    pub(super) fn of(draft: &Draft) -> Pairs {
        Pairs { trial: draft.clone(), names: BTreeMap::new(), made: BTreeMap::new() }
    }

    /// The names of two functions of `x`.
    pub(super) fn named(&mut self, cx: &mut Context<'_>, functions: [Function; 2], x: Expr) -> Pair {
        let calls = functions.map(|f| cx.pool.call(f, x));
        calls.map(|call| *self.names.entry(call).or_insert_with(|| self.trial.fresh(cx)))
    }

    /// Replaces `draft` if that saves operations.
    pub(super) fn keep_if_better(self, cx: &mut Context<'_>, draft: &mut Draft) {
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

/// A sum of rational multiples of atoms: expressions that are no sums.
type Form = BTreeMap<Expr, Rational>;

/// An angle whose sine or cosine is needed.
#[derive(Clone, Debug)]
struct Angle {
    argument: Expr,
    form: Form,
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

/// How an angle follows from others: as the sum of a called angle and the rest.
#[derive(Clone, Debug)]
struct Derivation {
    /// The number of a called angle, and whether it is subtracted.
    first: (usize, bool),
    rest: Rest,
}

#[derive(Clone, Debug)]
enum Rest {
    /// A prepared angle.
    Early(Form),
    /// Another called angle, or the same.
    Called((usize, bool)),
}

impl Derivation {
    fn sources(&self) -> BTreeSet<usize> {
        match self.rest {
            Rest::Early(_) => [self.first.0].into(),
            Rest::Called((other, _)) => [self.first.0, other].into(),
        }
    }
}

struct Angles {
    all: Vec<Angle>,
    /// The atoms that are prepared.
    early: BTreeSet<Expr>,
    /// What is bound, or an atom, by its form up to the sign; whether that is the other one.
    named: BTreeMap<Form, (bool, Expr)>,
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
        let early = atoms.iter().copied().filter(|&a| levels.stage(cx.pool, a) == Stage::Prepared).collect();
        let mut named = BTreeMap::new();
        let atoms = atoms.into_iter().map(|a| (a, Form::from([(a, Rational::from_integer(1.into()))])));
        let lets = draft.lets().into_iter().filter_map(|(s, _)| Some((s, forms.get(s)?.clone())));
        for (symbol, form) in atoms.chain(lets) {
            let (negative, form) = normal(form);
            named.entry(form).or_insert((negative, symbol));
        }
        let positions = positions(cx.pool, draft);
        let (called, derived) = ((0..wanted.len()).collect(), BTreeMap::new());
        let mut angles = Angles { all: Vec::new(), early, named, positions, levels, called, derived };
        for (x, functions, form) in wanted {
            let angle = angles.angle(cx, x, form, functions);
            angles.all.push(angle);
        }
        Some(angles)
    }

    fn angle(&mut self, cx: &Context<'_>, argument: Expr, form: Form, functions: i64) -> Angle {
        let symbols = cx.pool.reachable(&[argument]);
        let position = symbols.iter().filter_map(|&s| self.positions.get(s)).max().copied().unwrap_or(0);
        Angle { argument, form, functions, level: self.levels.of(cx.pool, argument), position }
    }

    /// Derives as many angles as it pays to, with further angles for sources where they save more than
    /// they cost.
    fn reduce(&mut self, cx: &mut Context<'_>) {
        let (_, mut derived) = self.savings(None);
        for further in self.all.len()..=self.all.len() + MAX_ANGLES {
            self.called.retain(|b| !derived.contains_key(b));
            self.derived.append(&mut derived);
            let mut best: Option<(i64, BTreeMap<usize, Derivation>, Angle)> = None;
            for form in self.candidates() {
                let argument = self.argument(cx, &form);
                if has_call(cx.pool, argument) {
                    continue;
                }
                let angle = self.angle(cx, argument, form, 2);
                self.all.push(angle.clone());
                let (saved, derived) = self.savings(Some(further));
                self.all.pop();
                if saved > best.as_ref().map_or(0, |(most, ..)| *most) {
                    best = Some((saved, derived, angle));
                }
            }
            let Some((_, of_best, angle)) = best else { break };
            derived = of_best;
            self.called.insert(further);
            self.all.push(angle);
        }
    }

    /// What it saves to call the angle `further` too, and what is derived then: those that are computed most often
    /// and have most terms first.
    fn savings(&self, further: Option<usize>) -> (i64, BTreeMap<usize, Derivation>) {
        let call = OperationCount { calls: [("sin_cos", 1)].into(), ..OperationCount::default() };
        let call = call.weight() as i64;
        let mut saved = 0;
        if let Some(angle) = further.map(|i| &self.all[i]) {
            let is_named = self.named.contains_key(&normal(angle.form.clone()).1);
            saved -= angle.times() * (call + if is_named { 0 } else { angle.form.len() as i64 });
        }
        let mut called: BTreeSet<usize> = self.called.iter().copied().chain(further).collect();
        let mut order: Vec<usize> = called.iter().copied().collect();
        order.sort_by_key(|&i| Reverse((self.all[i].times(), self.all[i].form.len(), i)));
        let mut derived = BTreeMap::new();
        let mut pinned: BTreeSet<usize> = self.derived.values().flat_map(Derivation::sources).collect();
        pinned.extend(further);
        let mut sums: BTreeSet<BTreeSet<usize>> = BTreeSet::new();
        for b in order {
            if pinned.contains(&b) {
                continue;
            }
            called.remove(&b);
            let Some(derivation) = self.derivation(b, &called) else {
                called.insert(b);
                continue;
            };
            let sources = derivation.sources();
            pinned.extend(&sources);
            let each = match &derivation.rest {
                Rest::Early(rest) if rest.is_empty() => 0,
                Rest::Called(_) if sources.len() == 1 => 2,
                // The products are the same for the sum and the difference.
                Rest::Called(_) if !sums.insert(sources) => 1,
                _ => 3,
            };
            saved += self.all[b].times() * (call - each * self.all[b].functions);
            derived.insert(b, derivation);
        }
        (saved, derived)
    }

    /// How the angle `b` follows from `called` ones, if it does.
    fn derivation(&self, b: usize, called: &BTreeSet<usize>) -> Option<Derivation> {
        let angle = &self.all[b];
        let sources = || called.iter().copied().filter(|&a| self.all[a].is_source_of(angle));
        let mut by_form: BTreeMap<Form, (usize, bool)> = BTreeMap::new();
        for a in sources() {
            let (negative, form) = normal(self.all[a].form.clone());
            by_form.entry(form).or_insert((a, negative));
        }
        let mut sum = None;
        for first in sources().flat_map(|a| [(a, false), (a, true)]) {
            let rest = combined(&angle.form, &self.all[first.0].form, !first.1);
            if self.is_early(&rest) {
                return Some(Derivation { first, rest: Rest::Early(rest) });
            }
            let (negative, rest) = normal(rest);
            if let (None, Some(&(other, opposite))) = (&sum, by_form.get(&rest)) {
                sum = Some(Derivation { first, rest: Rest::Called((other, negative != opposite)) });
            }
        }
        sum
    }

    /// Angles that more than one pair of called ones differ by, or are symmetric to, most pairs first.
    fn candidates(&self) -> Vec<Form> {
        let called: Vec<&Form> = self.called.iter().map(|&i| &self.all[i].form).collect();
        let mut counts: BTreeMap<Form, usize> = BTreeMap::new();
        for (i, a) in called.iter().enumerate() {
            for b in &called[i + 1..] {
                for minus in [false, true] {
                    let (_, sum) = normal(combined(a, b, minus));
                    let half = sum.iter().map(|(&atom, c)| (atom, c / Rational::from_integer(2.into())));
                    *counts.entry(half.collect()).or_default() += 1;
                    *counts.entry(sum).or_default() += 1;
                }
            }
        }
        for &a in &called {
            counts.remove(&normal(a.clone()).1);
        }
        let several = counts.into_iter().filter(|(form, count)| *count > 1 && !self.is_early(form));
        let mut best: Vec<(Form, usize)> = several.collect();
        best.sort_by_key(|(_, count)| Reverse(*count));
        best.into_iter().take(MAX_TRIED).map(|(form, _)| form).collect()
    }

    fn is_early(&self, form: &Form) -> bool {
        form.keys().all(|atom| self.early.contains(atom))
    }

    /// An expression for an angle without a sign.
    fn argument(&self, cx: &mut Context<'_>, form: &Form) -> Expr {
        match self.named.get(form) {
            Some(&(opposite, e)) => cx.with_sign(opposite, e),
            None => sum(cx, form),
        }
    }
}

fn sum(cx: &mut Context<'_>, form: &Form) -> Expr {
    let terms: Vec<Expr> = form.iter().map(|(&atom, c)| cx.pool.scale(c.clone(), atom)).collect();
    cx.pool.sum(&terms)
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

/// a ± b.
fn combined(a: &Form, b: &Form, minus: bool) -> Form {
    let mut sum = a.clone();
    for (&atom, c) in b {
        let multiple = sum.entry(atom).or_default();
        if minus { *multiple -= c } else { *multiple += c }
    }
    sum.retain(|_, c| !c.is_zero());
    sum
}

/// Whether the first multiple is negative, and the form or the opposite one, where it is not.
fn normal(mut form: Form) -> (bool, Form) {
    let negative = form.values().next().is_some_and(Signed::is_negative);
    if negative {
        form.values_mut().for_each(|c| *c = -&*c);
    }
    (negative, form)
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
