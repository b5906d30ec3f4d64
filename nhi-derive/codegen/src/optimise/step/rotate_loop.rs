//! Loop rotation: the step begins at another equation, and the state carries the intermediate values of that place.
//!
//! The critical path runs from one multiplier to the next: velocity, configuration, intermediate values x of the next
//! step, its multiplier. The rotated step carries x instead, and computes x' as an affine function of its multipliers l,
//!
//! ```text
//! x' = A + B l.
//! ```
//!
//! A and B are computed in parallel with l, so that only a multiplication and an addition follow it. A loop over many
//! steps computes configuration and velocity only once, at its end. In single steps they cost further operations.
//!
//! The pass applies to short steps without a Newton loop, at every equation after which the step reads no more numbers
//! of the state than before. [`midpoints`](super::midpoints) is a cheaper rotation, at coordinates. For a step of another
//! size the carried values are recomputed from the state.

use super::Alternative;
use crate::expr::Table;
use crate::expr::{Expr, Node, Pool};
use crate::optimise::draft::Context;
use crate::program::liveness::used;
use crate::program::{Binding, Carried, Program, Rescale, Role, StateEntry, Statement, StepProgram, lets};
use num_traits::Signed;
use std::collections::{BTreeSet, HashMap};

/// A candidate for each equation that the step can begin at.
pub(super) fn candidates<'a>(pool: &Pool, step: &'a StepProgram) -> Vec<Alternative<'a>> {
    let mut cuts: Vec<Cut> = Vec::new();
    for (i, statement) in step.program.body.iter().enumerate() {
        if matches!(statement, Statement::Equation(_))
            && let Some(cut) = Cut::new(pool, &step.program, i)
            && cuts.last().is_none_or(|last| last.read != cut.read)
        {
            cuts.push(cut);
        }
    }
    let alternative = |cut: Cut| -> Alternative<'a> { Box::new(move |cx| cut.step(cx, step)) };
    cuts.into_iter().map(alternative).collect()
}

/// A step in two parts; the rotated step begins with the second one.
struct Cut {
    /// The first part: `Let`s that depend on the state, t, parameters and step size alone.
    before: Vec<(Expr, Expr)>,
    /// Symbols that depend on more than parameters and step size.
    moving: BTreeSet<Expr>,
    /// The second part.
    after: Vec<Statement>,
    /// Numbers of the state that the second part reads.
    state: Vec<Expr>,
    /// Symbols of the first part that the second part reads.
    read: Vec<Expr>,
}

impl Cut {
    /// `None` if the second part reads more numbers than the whole.
    fn new(pool: &Pool, program: &Program, cut: usize) -> Option<Cut> {
        let of_step = program.inputs.iter().filter(|input| input.binding == Binding::Step);
        let mut moving: BTreeSet<Expr> = of_step.flat_map(|input| &input.symbols).copied().collect();
        let mut known = program.early();
        known.extend(program.state().map(|(symbol, _)| symbol));
        known.extend(program.symbols(&Role::Time));
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for (i, statement) in program.body.iter().enumerate() {
            if let Statement::Let { symbol, value } = *statement {
                if pool.reachable(&[value]).iter().any(|e| moving.contains(e)) {
                    moving.insert(symbol);
                }
                if i < cut && pool.are_made_of(&[value], &known) {
                    known.insert(symbol);
                    before.push((symbol, value));
                    if moving.contains(&symbol) {
                        continue;
                    }
                }
            }
            after.push(statement.clone());
        }
        let rest = Program { body: after.clone(), ..program.clone() };
        let needed = used(pool, &rest);
        let read = before.iter().map(|b| b.0).filter(|&s| needed.contains(&s) && moving.contains(&s));
        let read: Vec<Expr> = read.collect();
        let state: Vec<Expr> = program.state().map(|(s, _)| s).filter(|s| needed.contains(s)).collect();
        let all = used(pool, program);
        let now = program.state().filter(|(s, _)| all.contains(s)).count();
        let fits = !read.is_empty() && read.len() + state.len() <= now;
        fits.then_some(Cut { before, moving, after, state, read })
    }

    /// The rotated step: it carries the values of the first part that the second part reads.
    fn step(&self, cx: &mut Context<'_>, step: &StepProgram) -> Option<StepProgram> {
        let program = &step.program;
        let images = self.images(cx.pool, program)?;
        // A start computes the same values from the entries carried so far.
        let mut start = step.start.clone();
        let named = step.entries().iter().filter(|entry| entry.symbol != entry.start);
        start.extend(named.map(|entry| Statement::Let { symbol: entry.symbol, value: entry.start }));
        let bound: BTreeSet<Expr> = lets(&start).map(|(symbol, _)| symbol).collect();
        let before = self.before.iter().filter(|(symbol, _)| !bound.contains(symbol));
        start.extend(before.map(|&(symbol, value)| Statement::Let { symbol, value }));
        let kept = step.carried().into_iter().filter(|(entry, _)| self.state.contains(&entry.symbol));
        let kept = kept.map(|(entry, next)| {
            let (start, rescale) = (entry.symbol, Rescale::Restart);
            (StateEntry { start, rescale, ..entry }, next)
        });
        let read = self.read.iter().map(|&symbol| {
            let entry = StateEntry::new(symbol, Carried::Intermediate, symbol, Rescale::Restart);
            (entry, images[symbol])
        });
        let new = Program { body: self.after.clone(), ..program.clone() };
        Some(step.carrying(new, start, kept.chain(read)))
    }

    /// Multipliers and other late values: the quotients in the second part.
    fn atoms(&self, pool: &Pool) -> Vec<Expr> {
        let is_inverse = |&e: &Expr| match pool.node(e) {
            Node::Power(_, x) => pool.as_number(*x).is_some_and(Signed::is_negative),
            _ => false,
        };
        let quotients = lets(&self.after).filter(|&(symbol, value)| match pool.node(value) {
            Node::Product(factors) => self.moving.contains(&symbol) && factors.iter().any(is_inverse),
            _ => false,
        });
        quotients.map(|(symbol, _)| symbol).collect()
    }

    /// The values of the first part in the next step, as affine functions of the atoms where they are.
    fn images(&self, pool: &mut Pool, program: &Program) -> Option<Table<Expr>> {
        let atoms = self.atoms(pool);
        // Symbols that are such functions.
        let mut late: HashMap<Expr, Expr> = HashMap::new();
        for (symbol, value) in lets(&self.after).filter(|(symbol, _)| !atoms.contains(symbol)) {
            let value = pool.substitute(&[value], &late)[0];
            late.extend(affine(pool, value, &atoms).map(|value| (symbol, value)));
        }
        // The symbols of the next step, as functions of the results of this one.
        let (symbols, values): (Vec<Expr>, Vec<Expr>) = program.state().unzip();
        let values = pool.substitute(&values, &late);
        let mut next: HashMap<Expr, Expr> = symbols.into_iter().zip(values).collect();
        let &h = program.symbols(&Role::StepSize).first()?;
        next.extend(program.symbols(&Role::Time).iter().map(|&t| (t, pool.add(t, h))));
        let mut images = Table::new();
        for &(symbol, value) in &self.before {
            let value = pool.substitute(&[value], &next)[0];
            let value = affine(pool, value, &atoms).unwrap_or(value);
            images.insert(symbol, value);
            if self.moving.contains(&symbol) {
                next.insert(symbol, value);
            }
        }
        Some(images)
    }
}

/// `e` as A + B l with the atoms l, if it is such a function of them.
fn affine(pool: &mut Pool, e: Expr, atoms: &[Expr]) -> Option<Expr> {
    let slopes: Vec<Expr> = atoms.iter().map(|&atom| pool.derivative(e, atom)).collect();
    if !pool.depends_on(e, atoms) || !pool.are_affine(&[e], &slopes, atoms) {
        return None;
    }
    let free = pool.at_zero(&[e], atoms)[0];
    let late = slopes.into_iter().zip(atoms).map(|(slope, &atom)| pool.mul(slope, atom));
    let terms: Vec<Expr> = late.chain([free]).collect();
    Some(pool.sum(&terms))
}
