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
//! appears: values that are linear in velocities are scaled by u, and forces by h², which is a constant.
//!
//! No step reads v any more, so that a loop over many steps computes it only once, at its end. The driver therefore
//! compares the operations of a loop; a single step gains less, or nothing.
//!
//! For a step of another size, w is recomputed as u v. That product is rounded, and for a constant velocity the
//! rounding error would be the same after every change of the size. Before such a step, drivers advance v by the change
//! of the increments instead ([`StepProgram::update_velocity`]).
//!
//! The unknowns of a Newton loop, velocities or impulses, are scaled by u too, and so are the errors of their guesses.
//! In such a step the local passes run first, since they search for the factor h.

use super::Make;
use super::reassociate::reassociate_sums;
use crate::expr::{Expr, Node, Pool, Rational};
use crate::optimise::draft::{Context, Draft, is_generated};
use crate::optimise::liveness::{read_again, used, uses};
use crate::optimise::names::{formula_name, symbol_name};
use crate::optimise::search::Search;
use crate::program::{
    Binding, Carried, Input, Program, Rescale, Role, StateEntry, Statement, StepProgram, Table,
};
use num_traits::{One, Signed, ToPrimitive};
use std::collections::{BTreeMap, BTreeSet};

/// Largest power of the step size that is extracted; nested values could have any.
const MAX_POWER: i32 = 8;

/// The step with scaled velocities, as a candidate for the driver.
pub(super) fn candidate<'a>(step: &'a StepProgram, search: &'a Search) -> Vec<Make<'a>> {
    vec![Box::new(|cx| {
        let choice = Choice::of(cx.pool, step)?;
        let optimised = step.program.has_loop().then(|| Draft::clone(&search.best).finish(cx.pool));
        let mut scaled = choice.scaled(cx, step, optimised.unwrap_or_else(|| step.program.clone()));
        reassociate_sums(cx, &mut scaled.program);
        Some(scaled)
    })]
}

/// The unit u = c·h.
struct Unit {
    h: Expr,
    c: Rational,
}

impl Unit {
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
}

/// The numbers of the state that are scaled by u.
struct Choice {
    unit: Unit,
    /// Numbers of velocity fields; a field is scaled as a whole.
    fields: Vec<Expr>,
    /// Numbers among the entries carried so far.
    carried: Vec<Expr>,
}

impl Choice {
    /// The numbers that the step multiplies by h, with all numbers of their fields.
    fn of(pool: &Pool, step: &StepProgram) -> Option<Choice> {
        let program = &step.program;
        let &h = program.symbols(&Role::StepSize).first()?;
        let is_state =
            |i: &&Input| i.binding == Binding::Step && program.outputs.iter().any(|o| o.role == i.role);
        let velocities = |i: &&Input| !matches!(i.role, Role::Configuration | Role::Multipliers);
        let state: Vec<&Input> = program.inputs.iter().filter(is_state).filter(velocities).collect();
        let midpoints = step.entries().iter().filter(|entry| entry.role == Carried::Midpoint);
        let midpoints: Vec<Expr> = midpoints.map(|entry| entry.symbol).collect();
        let all = state.iter().flat_map(|i| &i.symbols).filter(|s| !midpoints.contains(s));
        // The products c h s that count have one of these as s: the symbol of a velocity, or its value for the next
        // step, by which a carried midpoint advances.
        let mut known: BTreeMap<Expr, Expr> = all.map(|&s| (s, s)).collect();
        if !midpoints.is_empty() {
            let next: Vec<_> = program.state().filter(|(s, _)| known.contains_key(s)).collect();
            known.extend(next.into_iter().map(|(symbol, next)| (next, symbol)));
        }
        let (mut multiplied, mut counts) = (BTreeSet::new(), BTreeMap::<Rational, usize>::new());
        let used = used(pool, program);
        let uses = uses(pool, program, &read_again(pool, program));
        for &e in used.iter().filter(|&&e| uses.contains(e)) {
            let Node::Product(factors) = pool.node(e) else { continue };
            let (c, _) = pool.split_coefficient(e);
            let rest: Vec<Expr> = factors.iter().copied().filter(|&f| pool.as_number(f).is_none()).collect();
            if let [a, b] = rest[..] {
                let other = if a == h { b } else { a };
                if let (true, Some(&symbol)) = (a == h || b == h, known.get(&other)) {
                    multiplied.insert(symbol);
                    *counts.entry(c.abs()).or_default() += 1;
                }
            }
        }
        let most = *counts.values().max()?;
        let c = counts.into_iter().find(|&(_, count)| count == most)?.0;
        let mut choice = Choice { unit: Unit { h, c }, fields: Vec::new(), carried: Vec::new() };
        for input in state {
            let read = input.symbols.iter().copied().filter(|s| used.contains(s));
            if input.role == Role::Carried {
                choice.carried.extend(read.filter(|s| multiplied.contains(s)));
            } else if input.symbols.iter().any(|s| multiplied.contains(s)) {
                choice.fields.extend(read);
            }
        }
        if program.has_loop() {
            let of_guesses = step.entries().iter().filter(|entry| entry.rescale != Rescale::Keep);
            choice.carried.extend(of_guesses.map(|entry| entry.symbol));
        }
        Some(choice)
    }

    /// `step`, in the form `program`, with these numbers scaled by u.
    fn scaled(self, cx: &mut Context<'_>, step: &StepProgram, program: Program) -> StepProgram {
        let Choice { unit, fields, carried } = self;
        let mut image = Images { unit, of: Table::new() };
        let one = cx.pool.number(image.unit.c.recip());
        image.of.insert(image.unit.h, (1, one));
        let mut symbols = Table::new();
        for &symbol in fields.iter().chain(&carried) {
            let new = image.named(cx.pool, symbol, -1);
            image.of.insert(symbol, (-1, new));
            symbols.insert(symbol, new);
        }

        let mut new = program.clone();
        for statement in &mut new.body {
            image.scale(cx.pool, statement);
        }
        // The new entries follow from the old results; at a start, from the entries carried so far.
        let results: Table<Expr> = program.state().collect();
        let velocities = fields.iter().map(|&symbol| velocity(&program, symbol));
        let mut entries = Vec::new();
        for mut entry in step.entries().iter().cloned().chain(velocities) {
            let k = i32::from(symbols.contains(entry.symbol));
            let next = image.plain(cx.pool, results[entry.symbol], k);
            if let Some(&symbol) = symbols.get(entry.symbol) {
                entry.symbol = symbol;
                entry.unit = Some(image.unit.c.clone());
                // An error that is zero stays zero.
                if entry.rescale != Rescale::Zero {
                    entry.start = image.unit.times(cx.pool, 1, entry.start);
                    entry.rescale = Rescale::Restart;
                }
            }
            entries.push((entry, next));
        }
        for output in new.outputs.iter_mut().filter(|o| o.role != Role::Carried) {
            for value in &mut output.values {
                *value = image.plain(cx.pool, *value, 0);
            }
        }
        step.carrying(new, step.start.clone(), entries)
    }
}

/// The entry of a velocity, before it is scaled by u.
fn velocity(program: &Program, symbol: Expr) -> StateEntry {
    let of = program.inputs.iter().find_map(|input| {
        let index = input.symbols.iter().position(|&s| s == symbol)?;
        Some((input.role.clone(), index))
    });
    let (of, index) = of.expect("a number of the state");
    let role = Carried::Increment { of, index };
    StateEntry { symbol, role, unit: None, start: symbol, rescale: Rescale::Restart }
}

/// Every expression as a product of uᵏ and a rest.
struct Images {
    unit: Unit,
    of: Table<(i32, Expr)>,
}

impl Images {
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
            Statement::Pivot { pivot, diagonal, .. } => {
                *pivot = self.plain(pool, *pivot, 0);
                *diagonal = self.plain(pool, *diagonal, 0);
            }
            Statement::Newton(newton) => {
                for e in newton.guess.iter_mut().chain(&mut newton.otherwise) {
                    *e = self.plain(pool, *e, 1);
                }
                // The reference scale of the stopping test is a square.
                newton.beside = self.plain(pool, newton.beside, 2);
                for e in &mut newton.weights {
                    *e = self.plain(pool, *e, 0);
                }
                for unknown in &mut newton.unknowns {
                    let new = self.named(pool, *unknown, -1);
                    self.of.insert(*unknown, (-1, new));
                    *unknown = new;
                }
                newton.body.iter_mut().for_each(|s| self.scale(pool, s));
                for e in &mut newton.delta {
                    *e = self.plain(pool, *e, 1);
                }
                // Each derivative of F has one unknown more in the denominator of its unit than the one before,
                // whatever the unit of F is.
                let k = newton.slopes.first().map_or(0, |&slope| self.extract(pool, slope).0);
                for (e, order) in newton.slopes.iter_mut().zip(0..) {
                    *e = self.plain(pool, *e, -k - order);
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
        let power = self.unit.power(pool, -k);
        let power = symbol_name(pool, power).or_else(|| formula_name(pool, power, true));
        let names: Vec<String> = [power, symbol_name(pool, symbol)].into_iter().flatten().collect();
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
                    let parts: Vec<(i32, Expr)> = factors.iter().map(|&f| self.of[f]).collect();
                    let rest: Vec<Expr> = parts.iter().map(|p| p.1).collect();
                    Some((parts.iter().map(|p| p.0).sum(), pool.product(&rest)))
                }
                Node::Sum(terms) => {
                    let parts: Vec<(i32, Expr)> = terms.iter().map(|&t| self.of[t]).collect();
                    let least = parts.iter().map(|p| p.0).min().unwrap_or(0);
                    let rest: Vec<Expr> =
                        parts.iter().map(|&(k, part)| self.unit.times(pool, k - least, part)).collect();
                    Some((least, pool.sum(&rest)))
                }
                Node::Power(base, exponent) => integer(pool, exponent).and_then(|n| {
                    let (k, base) = self.of[base];
                    Some((k.checked_mul(n)?, pool.powi(base, n.into())))
                }),
                Node::Call(..) | Node::Atan2(..) | Node::Map(..) => None,
            };
            let new = new.filter(|(k, _)| k.abs() <= MAX_POWER).unwrap_or_else(|| (0, self.rebuilt(pool, e)));
            self.of.insert(e, new);
        }
        self.of[e]
    }

    /// The same function of the same arguments.
    fn rebuilt(&self, pool: &mut Pool, e: Expr) -> Expr {
        let operands: Table<Expr> = pool
            .children(e)
            .into_iter()
            .map(|c| {
                let (k, rest) = self.of[c];
                (c, self.unit.times(pool, k, rest))
            })
            .collect();
        pool.rebuild(e, |c| operands[c])
    }

    /// uᵏ times `e`, with all powers of u multiplied in.
    fn plain(&mut self, pool: &mut Pool, e: Expr, k: i32) -> Expr {
        let (own, rest) = self.extract(pool, e);
        self.unit.times(pool, own + k, rest)
    }
}

fn integer(pool: &Pool, e: Expr) -> Option<i32> {
    let number = pool.as_number(e)?;
    if number.denom().is_one() { number.to_i32() } else { None }
}
