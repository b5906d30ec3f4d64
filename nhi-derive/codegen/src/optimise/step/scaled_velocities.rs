//! Velocities carried as increments.
//!
//! Saves multiplications by the step size: with u = c·h and u·v in the state, q + c·h·v is a sum. So that no other
//! takes its place, every value bound by the step is a power of u and a value without: what is linear in
//! velocities is multiplied by u as they are, and h is left where forces are, as h².
//!
//! The velocities themselves are results that no step reads: a loop over many steps computes them at its end alone.
//! So this pass counts the operations of a loop, and of a single step it saves less, or none.
//!
//! For another step size increments are made anew of the velocities. These are rounded products of them, of which the
//! rounding of a constant velocity is the same in every step: drivers with steps of several sizes add to the velocities
//! before a step what increments have changed by instead.
//!
//! Unknowns of a Newton loop, velocities or impulses, are multiplied by u as well, and with them the errors of guesses.
//! In such a step the passes before look for what has the factor h, so that they come first.

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

/// Powers of the step size that are looked through; values of values could have any.
const MAX_POWER: i32 = 8;

/// The step with velocities times a multiple of the step size in its state.
pub(super) fn candidate<'a>(step: &'a StepProgram, search: &'a Search) -> Vec<Make<'a>> {
    vec![Box::new(|cx| {
        let choice = Choice::of(cx.pool, step)?;
        let optimised = step.program.has_loop().then(|| Draft::clone(&search.best).finish(cx.pool));
        let mut scaled = choice.scaled(cx, step, optimised.unwrap_or_else(|| step.program.clone()));
        reassociate_sums(cx, &mut scaled.program);
        Some(scaled)
    })]
}

/// u = c·h.
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

/// The numbers of the state that are multiplied by u, those of the fields but `carried` first.
struct Choice {
    unit: Unit,
    /// Whole fields of the state.
    fields: Vec<Expr>,
    /// Among those carried already.
    carried: Vec<Expr>,
}

impl Choice {
    /// What is multiplied by the step size somewhere, with the numbers beside it in the state.
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
        // c h s is a product of these alone; or of what the next step finds there, at the end of a midpoint's.
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

    /// The `step`, as `program` computes it, with these numbers times u.
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
        // What the state carries comes from the results as they were, and at a start from what is carried now.
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

/// The entry of a velocity, before it is multiplied by u.
fn velocity(program: &Program, symbol: Expr) -> StateEntry {
    let of = program.inputs.iter().find_map(|input| {
        let index = input.symbols.iter().position(|&s| s == symbol)?;
        Some((input.role.clone(), index))
    });
    let (of, index) = of.expect("a number of the state");
    let role = Carried::Increment { of, index };
    StateEntry { symbol, role, unit: None, start: symbol, rescale: Rescale::Restart }
}

/// Every expression as uᵏ and a rest.
struct Images {
    unit: Unit,
    of: Table<(i32, Expr)>,
}

impl Images {
    /// Has a statement made of what there is now.
    fn scale(&mut self, pool: &mut Pool, statement: &mut Statement) {
        match statement {
            Statement::Let { symbol, value } => {
                let (k, rest) = self.extract(pool, *value);
                let name = if k == 0 { *symbol } else { self.named(pool, *symbol, k) };
                // A name for h/2 stands for a number now.
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
                // What unknowns are compared with is squared.
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
                // Whatever F is in units of, its second derivative is per unknown more than the first.
                let k = newton.slopes.first().map_or(0, |&slope| self.extract(pool, slope).0);
                for (e, order) in newton.slopes.iter_mut().zip(0..) {
                    *e = self.plain(pool, *e, -k - order);
                }
            }
            Statement::Equation(_) | Statement::Turn(_) => {}
        }
    }

    /// A symbol for u⁻ᵏ times `symbol`.
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

    /// k and `e` without uᵏ.
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

    /// uᵏ times `e`.
    fn plain(&mut self, pool: &mut Pool, e: Expr, k: i32) -> Expr {
        let (own, rest) = self.extract(pool, e);
        self.unit.times(pool, own + k, rest)
    }
}

fn integer(pool: &Pool, e: Expr) -> Option<i32> {
    let number = pool.as_number(e)?;
    if number.denom().is_one() { number.to_i32() } else { None }
}
