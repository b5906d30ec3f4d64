//! Change of variables: the state carries velocities times a multiple of the step size.
//!
//! The pass saves the multiplications of velocities by h. It applies to steps that multiply a velocity by h, except
//! long steps with a Newton loop. With u = c·h, where c is the most frequent coefficient, and w = u v in the state,
//!
//! ```text
//! q' = q + c h v   becomes   q' = q + w.
//! ```
//!
//! Every value bound by the step is replaced by its quotient by a power of u, so that no other multiplication by h
//! appears: values that are linear in velocities are scaled by u, and forces by h², which is a constant. The unknowns of
//! a Newton loop, and the errors of their guesses, are scaled by u too; there the local passes run first, since they
//! search for the factor h.
//!
//! No step reads v any more, so that a loop over many steps computes it only once, at its end. The driver therefore
//! compares the operations of a loop.
//!
//! For a step of another size, w is recomputed as u v. That product is rounded, and for a constant velocity the
//! rounding error would be the same after every change of the size. Before such a step, drivers advance v by the change
//! of the increments instead ([`StepProgram::update_velocity`]).

use super::reassociate::reassociate_sums;
use crate::expr::Table;
use crate::expr::{Expr, Node, Pool, Rational, Saddle};
use crate::optimise::draft::{Context, Draft, is_generated};
use crate::optimise::search::Search;
use crate::program::liveness::{read_again, used, uses};
use crate::program::{Binding, Carried, Input, Program, Rescale, Role, StateEntry, Statement, StepProgram};
use num_traits::{Signed, ToPrimitive};
use std::collections::{BTreeMap, BTreeSet};

/// Largest power of the step size that is extracted; nested values could have any.
const MAX_POWER: i32 = 8;

/// `step` with scaled velocities, if it multiplies any by the step size.
pub(super) fn scaled(cx: &mut Context<'_>, step: &StepProgram, search: &Search) -> Option<StepProgram> {
    let (h, c, numbers) = choice(cx.pool, step)?;
    let program = match step.program.has_loop() {
        true => Draft::clone(&search.best).finish(cx.pool),
        false => step.program.clone(),
    };
    let of = Table::from_iter([(h, (1, cx.pool.number(c.recip())))]);
    let mut image = Images { h, c, of };
    let mut symbols = Table::new();
    for &symbol in &numbers {
        let new = image.named(cx.pool, symbol, -1);
        image.of.insert(symbol, (-1, new));
        symbols.insert(symbol, new);
    }
    let mut new = program.clone();
    new.body.iter_mut().for_each(|s| image.scale(cx.pool, s));
    // The new entries follow from the old results; at a start, from the entries carried so far.
    let results: Table<Expr> = program.state().collect();
    let velocities = numbers.iter().filter(|&&symbol| step.entry(symbol).is_none());
    let velocities = velocities.map(|&symbol| velocity(&program, symbol));
    let mut entries = Vec::new();
    for mut entry in step.entries().iter().cloned().chain(velocities) {
        let k = i32::from(symbols.contains(entry.symbol));
        let next = image.plain(cx.pool, results[entry.symbol], k);
        if let Some(&symbol) = symbols.get(entry.symbol) {
            entry.symbol = symbol;
            entry.unit = Some(image.c.clone());
            entry.start = image.times(cx.pool, 1, entry.start);
            entry.rescale = Rescale::Restart;
        }
        entries.push((entry, next));
    }
    let results = new.outputs.iter_mut().filter(|o| o.role != Role::Carried);
    image.set(cx.pool, results.flat_map(|o| &mut o.values), 0);
    let mut scaled = step.carrying(new, step.start.clone(), entries);
    reassociate_sums(cx, &mut scaled.program);
    Some(scaled)
}

/// h and c, and the numbers of the state that are scaled: velocities that the step multiplies by h, with all
/// numbers of their fields, and such numbers among the entries carried so far.
fn choice(pool: &Pool, step: &StepProgram) -> Option<(Expr, Rational, Vec<Expr>)> {
    let program = &step.program;
    let &h = program.symbols(&Role::StepSize).first()?;
    let is_velocity = |i: &&Input| {
        let is_state = i.binding == Binding::Step && program.outputs.iter().any(|o| o.role == i.role);
        is_state && !matches!(i.role, Role::Configuration | Role::Multipliers | Role::States)
    };
    let state: Vec<&Input> = program.inputs.iter().filter(is_velocity).collect();
    let is_midpoint = |entry: &StateEntry| entry.role == Carried::Midpoint;
    let all = state.iter().flat_map(|i| &i.symbols).filter(|&&s| !step.entry(s).is_some_and(is_midpoint));
    // The products c h s that count have one of these as s: the symbol of a velocity, or its value for the next step, by
    // which a carried midpoint advances.
    let mut known: BTreeMap<Expr, Expr> = all.map(|&s| (s, s)).collect();
    if step.entries().iter().any(is_midpoint) {
        let next: Vec<_> = program.state().filter(|(s, _)| known.contains_key(s)).collect();
        known.extend(next.into_iter().map(|(symbol, next)| (next, symbol)));
    }
    let (mut multiplied, mut counts) = (BTreeSet::new(), BTreeMap::<Rational, usize>::new());
    for e in uses(pool, program, &read_again(pool, program)).keys() {
        if let Some((c, x)) = increment(pool, h, e)
            && let Some(&symbol) = known.get(&x)
        {
            multiplied.insert(symbol);
            *counts.entry(c.abs()).or_default() += 1;
        }
    }
    let most = *counts.values().max()?;
    let c = counts.into_iter().find(|&(_, count)| count == most)?.0;
    let used = used(pool, program);
    let mut numbers = Vec::new();
    for Input { role, symbols, .. } in state {
        let as_a_whole = *role != Role::Carried && symbols.iter().any(|s| multiplied.contains(s));
        let is_scaled = |s: &Expr| used.contains(s) && (as_a_whole || multiplied.contains(s));
        numbers.extend(symbols.iter().copied().filter(is_scaled));
    }
    if program.has_loop() {
        let of_guesses = step.entries().iter().filter(|entry| entry.rescale != Rescale::Keep);
        numbers.extend(of_guesses.map(|entry| entry.symbol));
    }
    Some((h, c, numbers))
}

/// The entry of a velocity, before it is scaled by u.
fn velocity(program: &Program, symbol: Expr) -> StateEntry {
    let index = |input: &Input| input.symbols.iter().position(|&s| s == symbol);
    let of = program.inputs.iter().find_map(|input| Some((input.role.clone(), index(input)?)));
    let (of, index) = of.expect("a number of the state");
    let role = Carried::Increment { of, index };
    StateEntry::new(symbol, role, symbol, Rescale::Restart)
}

/// Every expression as a product of uᵏ and a rest.
struct Images {
    h: Expr,
    /// u / h
    c: Rational,
    of: Table<(i32, Expr)>,
}

impl Images {
    /// uᵏ
    fn power(&self, pool: &mut Pool, k: i32) -> Expr {
        let h = pool.powi(self.h, k.into());
        pool.scale(self.c.pow(k), h)
    }

    /// uᵏ e
    fn times(&self, pool: &mut Pool, k: i32, e: Expr) -> Expr {
        let power = self.power(pool, k);
        pool.mul(power, e)
    }

    /// Rewrites a statement in terms of the scaled symbols.
    fn scale(&mut self, pool: &mut Pool, statement: &mut Statement) {
        match statement {
            Statement::Let { symbol, value } => {
                let (k, rest) = self.extract(pool, *value);
                let name = if k == 0 { *symbol } else { self.named(pool, *symbol, k) };
                // The rest of a name for h/2 is a number.
                let is_number = pool.as_number(rest).is_some();
                self.of.insert(*symbol, (k, if is_number { rest } else { name }));
                (*symbol, *value) = (name, rest);
            }
            Statement::Pivot { pivot, diagonal, .. } => self.set(pool, [pivot, diagonal], 0),
            Statement::Newton(newton) => {
                self.set(pool, newton.guess.iter_mut().chain(&mut newton.fallback), 1);
                // The reference scale of the stopping test is a square.
                self.set(pool, [&mut newton.scale2], 2);
                self.set(pool, &mut newton.weights, 0);
                for unknown in &mut newton.unknowns {
                    let new = self.named(pool, *unknown, -1);
                    self.of.insert(*unknown, (-1, new));
                    *unknown = new;
                }
                newton.body.iter_mut().for_each(|s| self.scale(pool, s));
                self.set(pool, &mut newton.delta, 1);
                // Each derivative of F has one unknown more in the denominator of its unit than the one before,
                // whatever the unit of F is.
                let k = newton.derivatives.first().map_or(0, |&slope| self.extract(pool, slope).0);
                for (e, order) in newton.derivatives.iter_mut().zip(0..) {
                    self.set(pool, [e], -k - order);
                }
            }
            Statement::Equation(_) | Statement::Turn(_) => {}
        }
    }

    /// A fresh symbol for `symbol` times u⁻ᵏ.
    fn named(&self, pool: &mut Pool, symbol: Expr, k: i32) -> Expr {
        if is_generated(pool, symbol) {
            let name = pool.as_symbol(symbol).map_or("", |s| pool.name(s)).to_owned();
            return pool.fresh_symbol(&name);
        }
        let power = self.power(pool, -k);
        let power = pool.symbol_name(power).or_else(|| pool.formula_name(power, true));
        let names: Vec<String> = [power, pool.symbol_name(symbol)].into_iter().flatten().collect();
        pool.fresh_symbol(&names.join("_"))
    }

    /// The exponent k and the rest of `e`.
    fn extract(&mut self, pool: &mut Pool, e: Expr) -> (i32, Expr) {
        for e in pool.reachable(&[e]) {
            if self.of.contains(e) {
                continue;
            }
            let new = match pool.node(e).clone() {
                Node::Number(_) | Node::Pi | Node::Symbol(_) => Some((0, e)),
                Node::Product(factors) => {
                    let (powers, rest): (Vec<i32>, Vec<Expr>) = factors.iter().map(|&f| self.of[f]).unzip();
                    Some((powers.iter().sum(), pool.product(&rest)))
                }
                Node::Sum(terms) => {
                    let parts: Vec<(i32, Expr)> = terms.iter().map(|&t| self.of[t]).collect();
                    let least = parts.iter().map(|p| p.0).min().unwrap_or(0);
                    let rest: Vec<Expr> =
                        parts.iter().map(|&(k, part)| self.times(pool, k - least, part)).collect();
                    Some((least, pool.sum(&rest)))
                }
                Node::Power(base, exponent) => {
                    let n = pool.as_number(exponent).filter(|n| n.is_integer()).and_then(Rational::to_i32);
                    n.and_then(|n| {
                        let (k, base) = self.of[base];
                        Some((k.checked_mul(n)?, pool.powi(base, n.into())))
                    })
                }
                Node::Saddle(saddle, arguments) => Some(self.solution(pool, saddle, &arguments)),
                Node::Call(..) | Node::Atan2(..) | Node::Select(_) | Node::Map(..) => None,
            };
            let new = new.filter(|(k, _)| k.abs() <= MAX_POWER).unwrap_or_else(|| (0, self.rebuilt(pool, e)));
            self.of.insert(e, new);
        }
        self.of[e]
    }

    /// A solution is linear in what is known of it, in f and in r. Its exponent is the least one of f and r, but for
    /// zeros, for velocities and multipliers alike.
    fn solution(&self, pool: &mut Pool, saddle: Saddle, arguments: &[Expr]) -> (i32, Expr) {
        let [known, _, _, _, rhs] = saddle.arguments();
        let powers = arguments[rhs.clone()].iter().filter(|&&e| !pool.is_zero(e)).map(|&e| self.of[e].0);
        let k = powers.min().unwrap_or(0);
        let scaled = |i: usize| known.contains(&i) || rhs.contains(&i);
        let arguments: Vec<Expr> = arguments
            .iter()
            .enumerate()
            .map(|(i, &e)| {
                let (own, rest) = self.of[e];
                self.times(pool, if scaled(i) { own - k } else { own }, rest)
            })
            .collect();
        (k, pool.saddle(saddle, &arguments))
    }

    /// The same function of the same arguments.
    fn rebuilt(&self, pool: &mut Pool, e: Expr) -> Expr {
        let mut operands: Table<Expr> = Table::new();
        for c in pool.children(e) {
            let (k, rest) = self.of[c];
            operands.insert(c, self.times(pool, k, rest));
        }
        pool.rebuild(e, |c| operands[c])
    }

    /// uᵏ times `e`, with all powers of u multiplied in.
    fn plain(&mut self, pool: &mut Pool, e: Expr, k: i32) -> Expr {
        let (own, rest) = self.extract(pool, e);
        self.times(pool, own + k, rest)
    }

    /// Multiplies each of `values` by uᵏ.
    fn set<'a>(&mut self, pool: &mut Pool, values: impl IntoIterator<Item = &'a mut Expr>, k: i32) {
        for e in values {
            *e = self.plain(pool, *e, k);
        }
    }
}

/// c and x, for a product c·h·x.
pub(super) fn increment(pool: &Pool, h: Expr, e: Expr) -> Option<(Rational, Expr)> {
    let (c, bare) = pool.split_coefficient(e);
    match *pool.factors(&bare) {
        [a, x] | [x, a] if a == h => Some((c, x)),
        _ => None,
    }
}
