//! Loop rotation: the step begins at another equation, and the state carries the intermediate values of that place.
//!
//! The critical path runs from one multiplier to the next: velocity, configuration, intermediate values x of the next
//! step, its multiplier. The rotated step carries x instead of configuration and velocity, and computes x' as an affine
//! function of its multipliers l,
//!
//! ```text
//! x' = A + B l.
//! ```
//!
//! A and B do not depend on l and are computed in parallel with it, so that only a multiplication and an addition
//! follow l. No step reads configuration and velocity any more, so that a loop over many steps computes them only once,
//! at its end. In single steps they cost further operations.
//!
//! The pass applies to short steps without a Newton loop, at every equation after which the step reads no more numbers
//! of the state than before. Each place gives two candidates: every carried value as an affine function of l, or only
//! those that are computed from the state directly. The driver also compares the rotation at the
//! [midpoints](super::midpoints) of coordinates, which is cheaper in single steps.
//!
//! For a step of another size the carried values are recomputed from the state.

use super::Make;
use crate::expr::{Expr, Node, Pool};
use crate::optimise::draft::Context;
use crate::optimise::liveness::used;
use crate::program::{
    Binding, Carried, Program, Rescale, Role, StateEntry, Statement, StepProgram, Table, lets,
};
use num_traits::Signed;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Two candidates for each equation that the step can begin at: affine forms are substituted through the carried
/// values, or end at them.
pub(super) fn candidates<'a>(pool: &Pool, step: &'a StepProgram) -> Vec<Make<'a>> {
    let mut cuts: Vec<Rc<Cut>> = Vec::new();
    for cut in places(&step.program) {
        if let Some(cut) = Cut::new(pool, &step.program, cut)
            && cuts.last().is_none_or(|last| last.read != cut.read)
        {
            cuts.push(Rc::new(cut));
        }
    }
    let both = cuts.into_iter().flat_map(|cut| [(cut.clone(), false), (cut, true)]);
    both.map(|(cut, through)| -> Make<'a> { Box::new(move |cx| cut.step(cx, step, through)) }).collect()
}

/// Positions at which a step can begin: those of its equations.
fn places(program: &Program) -> Vec<usize> {
    let body = program.body.iter().enumerate();
    body.filter(|(_, statement)| matches!(statement, Statement::Equation(_))).map(|(i, _)| i).collect()
}

/// A step in two parts; the rotated step begins with the second one.
struct Cut {
    /// The first part: `Let`s that depend on the state, t, parameters and step size alone.
    before: Vec<(Expr, Expr)>,
    /// Symbols that depend on more than parameters and step size.
    moving: Table<()>,
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
        let (mut known, mut moving) = (Table::new(), Table::new());
        for input in &program.inputs {
            let is_state = program.outputs.iter().any(|output| output.role == input.role);
            if input.binding != Binding::Step || is_state || input.role == Role::Time {
                known.extend(input.symbols.iter().map(|&s| (s, ())));
            }
            if input.binding == Binding::Step {
                moving.extend(input.symbols.iter().map(|&s| (s, ())));
            }
        }
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for (i, statement) in program.body.iter().enumerate() {
            if let Statement::Let { symbol, value } = *statement {
                let all = pool.reachable(&[value]);
                let symbols = || all.iter().copied().filter(|&e| pool.as_symbol(e).is_some());
                if symbols().any(|s| moving.contains(s)) {
                    moving.insert(symbol, ());
                }
                if i < cut && symbols().all(|s| known.contains(s)) {
                    known.insert(symbol, ());
                    before.push((symbol, value));
                    if moving.contains(symbol) {
                        continue;
                    }
                }
            }
            after.push(statement.clone());
        }
        let rest = Program { body: after.clone(), ..program.clone() };
        let needed = used(pool, &rest);
        let read = before.iter().map(|b| b.0).filter(|&s| needed.contains(&s) && moving.contains(s));
        let read: Vec<Expr> = read.collect();
        let state: Vec<Expr> = program.state().map(|(s, _)| s).filter(|s| needed.contains(s)).collect();
        let all = used(pool, program);
        let now = program.state().filter(|(s, _)| all.contains(s)).count();
        let fits = !read.is_empty() && read.len() + state.len() <= now;
        fits.then_some(Cut { before, moving, after, state, read })
    }

    /// The rotated step: it carries the values of the first part that the second part reads.
    fn step(&self, cx: &mut Context<'_>, step: &StepProgram, through: bool) -> Option<StepProgram> {
        let program = &step.program;
        let mut atoms = self.atoms(cx.pool);
        let images = loop {
            let mut forms = Forms::new(&atoms);
            let images = self.images(cx.pool, program, &mut forms, through)?;
            // A product of two atoms is affine in the later one alone.
            match atoms.iter().position(|atom| forms.multiplied.contains(atom)) {
                Some(early) => atoms.remove(early),
                None => break images,
            };
        };
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
            let (role, rescale) = (Carried::Intermediate, Rescale::Restart);
            (StateEntry { symbol, role, unit: None, start: symbol, rescale }, images[symbol])
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
            Node::Product(factors) => self.moving.contains(symbol) && factors.iter().any(is_inverse),
            _ => false,
        });
        quotients.map(|(symbol, _)| symbol).collect()
    }

    /// The values of the first part in the next step, as affine functions of the atoms.
    fn images(
        &self,
        pool: &mut Pool,
        program: &Program,
        forms: &mut Forms,
        through: bool,
    ) -> Option<Table<Expr>> {
        for statement in &self.after {
            if let Statement::Let { symbol, value } = *statement {
                forms.bind(pool, symbol, value);
            }
        }
        // The symbols of the next step, as functions of the results of this one.
        let mut next = Forms::new(&[]);
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
            if self.moving.contains(symbol) {
                let form =
                    if self.read.contains(&symbol) && !through { Form::free(form.value) } else { form };
                next.of.insert(symbol, form);
            }
        }
        forms.multiplied.append(&mut next.multiplied);
        Some(images)
    }
}

/// An expression as an affine function of the atoms, `free + Σ coefficient·atom`.
#[derive(Clone)]
struct Form {
    value: Expr,
    free: Expr,
    of: BTreeMap<Expr, Expr>,
}

impl Form {
    fn free(value: Expr) -> Form {
        Form { value, free: value, of: BTreeMap::new() }
    }
}

struct Forms {
    atoms: BTreeSet<Expr>,
    of: Table<Form>,
    /// Atoms whose products occur.
    multiplied: BTreeSet<Expr>,
}

impl Forms {
    fn new(atoms: &[Expr]) -> Forms {
        Forms { atoms: atoms.iter().copied().collect(), of: Table::new(), multiplied: BTreeSet::new() }
    }

    fn bind(&mut self, pool: &mut Pool, symbol: Expr, value: Expr) {
        let form = if self.atoms.contains(&symbol) {
            Form { value: symbol, free: pool.zero(), of: BTreeMap::from([(symbol, pool.one())]) }
        } else {
            let form = self.form(pool, value);
            if form.of.is_empty() { Form::free(symbol) } else { Form { value: symbol, ..form } }
        };
        self.of.insert(symbol, form);
    }

    fn form(&mut self, pool: &mut Pool, e: Expr) -> Form {
        for e in pool.reachable(&[e]) {
            if self.of.contains(e) {
                continue;
            }
            let form = self.found(pool, e);
            self.of.insert(e, form);
        }
        self.of[e].clone()
    }

    fn found(&mut self, pool: &mut Pool, e: Expr) -> Form {
        let operands = pool.children(e);
        let late = operands.iter().filter(|&&c| !self.of[c].of.is_empty()).count();
        let value = pool.rebuild(e, |c| self.of[c].value);
        match pool.node(e).clone() {
            Node::Sum(terms) if late > 0 => {
                let free: Vec<Expr> = terms.iter().map(|&t| self.of[t].free).collect();
                let mut parts: BTreeMap<Expr, Vec<Expr>> = BTreeMap::new();
                for &t in &terms {
                    for (&atom, &coefficient) in &self.of[t].of {
                        parts.entry(atom).or_default().push(coefficient);
                    }
                }
                let free = pool.sum(&free);
                let of = parts.into_iter().map(|(atom, parts)| (atom, pool.sum(&parts))).collect();
                self.whole(pool, free, of)
            }
            Node::Product(factors) if late == 1 => {
                let is_late = |forms: &Forms, f: Expr| !forms.of[f].of.is_empty();
                let rest: Vec<Expr> = factors
                    .iter()
                    .copied()
                    .filter(|&f| !is_late(self, f))
                    .map(|f| self.of[f].value)
                    .collect();
                let Some(&factor) = factors.iter().find(|&&f| is_late(self, f)) else {
                    return Form::free(value);
                };
                let rest = pool.product(&rest);
                let Form { free, of, .. } = self.of[factor].clone();
                let free = pool.mul(rest, free);
                let of = of.into_iter().map(|(atom, c)| (atom, pool.mul(rest, c))).collect();
                self.whole(pool, free, of)
            }
            Node::Product(factors) if late > 1 => {
                let atoms = factors.iter().flat_map(|&f| self.of[f].of.keys().copied());
                self.multiplied.extend(atoms);
                Form::free(value)
            }
            _ => Form::free(value),
        }
    }

    fn whole(&self, pool: &mut Pool, free: Expr, of: BTreeMap<Expr, Expr>) -> Form {
        let mut terms = vec![free];
        terms.extend(of.iter().map(|(&atom, &c)| pool.mul(c, atom)));
        Form { value: pool.sum(&terms), free, of }
    }
}
