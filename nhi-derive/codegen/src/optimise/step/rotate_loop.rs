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
use crate::expr::{Expr, Node, Pool};
use crate::optimise::draft::Context;
use crate::program::liveness::used;
use crate::program::{
    Binding, Carried, Program, Rescale, Role, StateEntry, Statement, StepProgram, Table, lets,
};
use num_traits::Signed;
use std::collections::{BTreeMap, BTreeSet};

/// Two candidates for each equation that the step can begin at: affine forms are substituted through the carried
/// values, or end at them.
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
    let both = cuts.into_iter().flat_map(|cut| [cut.clone(), Cut { through: true, ..cut }]);
    both.map(|cut| -> Alternative<'a> { Box::new(move |cx| cut.step(cx, step)) }).collect()
}

/// A step in two parts; the rotated step begins with the second one.
#[derive(Clone)]
struct Cut {
    /// Whether affine forms are substituted through the carried values.
    through: bool,
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
        fits.then_some(Cut { through: false, before, moving, after, state, read })
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

    /// The values of the first part in the next step, as affine functions of the atoms; `None` if they are not.
    fn images(&self, pool: &mut Pool, program: &Program) -> Option<Table<Expr>> {
        let mut forms = Forms::new(pool, &self.atoms(pool));
        for statement in &self.after {
            if let Statement::Let { symbol, value } = *statement {
                forms.bind(pool, symbol, value);
            }
        }
        // The symbols of the next step, as functions of the results of this one.
        let mut next = Forms::new(pool, &[]);
        for (symbol, value) in program.state() {
            let form = forms.form(pool, value);
            next.of.insert(symbol, form);
        }
        let &h = program.symbols(&Role::StepSize).first()?;
        for &t in program.symbols(&Role::Time) {
            let end = pool.add(t, h);
            next.of.insert(t, Form::free(end));
        }
        let mut images = Table::new();
        for &(symbol, value) in &self.before {
            let form = next.form(pool, value);
            images.insert(symbol, form.value);
            if self.moving.contains(&symbol) {
                let form =
                    if self.read.contains(&symbol) && !self.through { Form::free(form.value) } else { form };
                next.of.insert(symbol, form);
            }
        }
        (forms.are_affine && next.are_affine).then_some(images)
    }
}

/// An expression as an affine function of the atoms: their coefficients, and under the key 1 what is free of them.
#[derive(Clone)]
struct Form {
    value: Expr,
    /// Empty if the expression does not depend on atoms.
    of: BTreeMap<Expr, Expr>,
}

impl Form {
    fn free(value: Expr) -> Form {
        Form { value, of: BTreeMap::new() }
    }

    /// Σ coefficient·atom
    fn late(pool: &mut Pool, of: BTreeMap<Expr, Expr>) -> Form {
        let terms: Vec<Expr> = of.iter().map(|(&atom, &c)| pool.mul(c, atom)).collect();
        Form { value: pool.sum(&terms), of }
    }
}

struct Forms {
    of: Table<Form>,
    /// Whether there are no products of atoms.
    are_affine: bool,
}

impl Forms {
    fn new(pool: &Pool, atoms: &[Expr]) -> Forms {
        let form = |&atom: &Expr| (atom, Form { value: atom, of: BTreeMap::from([(atom, pool.one())]) });
        Forms { of: atoms.iter().map(form).collect(), are_affine: true }
    }

    fn bind(&mut self, pool: &mut Pool, symbol: Expr, value: Expr) {
        if !self.of.contains(symbol) {
            let of = self.form(pool, value).of;
            self.of.insert(symbol, Form { value: symbol, of });
        }
    }

    fn form(&mut self, pool: &mut Pool, e: Expr) -> Form {
        for e in pool.reachable(&[e]) {
            if !self.of.contains(e) {
                let form = self.found(pool, e);
                self.of.insert(e, form);
            }
        }
        self.of[e].clone()
    }

    fn found(&mut self, pool: &mut Pool, e: Expr) -> Form {
        let value = pool.rebuild(e, |c| self.of[c].value);
        let (late, rest): (Vec<Expr>, Vec<Expr>) =
            pool.children(e).into_iter().partition(|&c| !self.of[c].of.is_empty());
        match (pool.node(e), &late[..]) {
            (Node::Sum(_), [_, ..]) => {
                let free = rest.into_iter().map(|t| (pool.one(), self.of[t].value));
                let mut parts: BTreeMap<Expr, Vec<Expr>> = BTreeMap::new();
                for (atom, part) in free.chain(late.iter().flat_map(|&t| self.of[t].of.clone())) {
                    parts.entry(atom).or_default().push(part);
                }
                let of = parts.into_iter().map(|(atom, parts)| (atom, pool.sum(&parts))).collect();
                Form::late(pool, of)
            }
            (Node::Product(_), &[late]) => {
                let rest: Vec<Expr> = rest.into_iter().map(|f| self.of[f].value).collect();
                let rest = pool.product(&rest);
                let of = self.of[late].of.iter().map(|(&atom, &c)| (atom, pool.mul(rest, c))).collect();
                Form::late(pool, of)
            }
            (Node::Product(_), [_, _, ..]) => {
                self.are_affine = false;
                Form::free(value)
            }
            _ => Form::free(value),
        }
    }
}
