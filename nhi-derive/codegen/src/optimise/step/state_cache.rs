//! Loop-carried common subexpressions (predictive commoning): carries values that the next step would compute again.
//!
//! A step evaluates forces, sines and cosines, M⁻¹ and μ at q, and often again at q'. The value at q' is the value at q
//! of the next step. The pass saves the second evaluation.
//!
//! Let σ be the substitution that replaces the symbols of the state by the results of the step, and t by t + h. The
//! pass applies to an expression e that depends on the state, t and the parameters alone, and whose image σ(e) the step
//! computes. Then e becomes an input of the step and σ(e) an output. At a start the program
//! [`initial`](StepProgram::initial) computes e, and checks the pivots that a step leaves to the step before.
//!
//! An expression that depends on h is carried only if the state belongs to one step size. An expression that depends on
//! control inputs is never carried: the next step has other inputs.
//!
//! If the only use of a carried value is another function of the state, as in `d = v_post - h/2*F`, the step carries
//! that function instead, provided that it then reads fewer numbers.

use crate::expr::Table;
use crate::expr::{Expr, Node, Pool};
use crate::optimise::Options;
use crate::optimise::draft::{Context, Draft, rewrite};
use crate::optimise::local::{sign_analysis, value_numbering};
use crate::program::liveness::used;
use crate::program::{
    Binding, Carried, Constants, Levels, Program, Rescale, Role, Stage, StateEntry, Statement, StepProgram,
    lets,
};
use crate::target::TARGET;
use num_traits::{One, Signed};
use std::collections::{BTreeMap, BTreeSet};

/// `step` with a cache in its state; `None` if there is nothing to carry.
pub fn state_cache(pool: &mut Pool, constants: &mut Constants, step: &StepProgram) -> Option<StepProgram> {
    cached(&mut Context::new(pool, constants, Options::default()), step)
}

/// The same, as a pass.
pub(super) fn cached(cx: &mut Context<'_>, step: &StepProgram) -> Option<StepProgram> {
    let mut draft = Draft::new(cx, &step.program);
    sign_analysis(cx, &mut draft);
    // Equal values are equal expressions from here on.
    value_numbering(cx, &mut draft);
    let mut images = Images::of(cx, &draft, step.has_one_size);
    let any = images.choose(cx, &BTreeSet::new(), 1);
    let instead = images.users(cx, &any);
    let mut steps = Vec::new();
    for forced in [BTreeSet::new(), instead] {
        let choice = images.choose(cx, &forced, TARGET.state_entry);
        if !choice.carried.is_empty() {
            steps.push(images.rewrite(cx, step, &choice));
        }
    }
    steps.into_iter().min_by_key(|step| numbers_read(cx.pool, &step.program))
}

/// How many inputs of the step, rather than parameters, a program reads.
fn numbers_read(pool: &Pool, program: &Program) -> usize {
    let used = used(pool, program);
    let known = program.inputs.iter().filter(|i| i.binding == Binding::Step).flat_map(|i| &i.symbols);
    known.filter(|s| used.contains(s)).count()
}

/// The substitution σ of a step.
struct Images<'a> {
    draft: &'a Draft,
    /// σ(e) of every expression that depends on the state, t and the parameters alone.
    image: Table<Expr>,
    levels: Levels,
    /// Values bound outside of loops.
    values: Table<Expr>,
    /// Expressions computed outside of loops, each without its sign, and once more without its numeric coefficient.
    computed: BTreeSet<Expr>,
}

/// The expressions that the step carries.
#[derive(Default)]
struct Choice {
    carried: BTreeSet<Expr>,
    /// Expressions made of a carried one: the other operands of the sum or product, and the carried one.
    of: BTreeMap<Expr, (Vec<Expr>, Expr)>,
    /// Symbols whose values the step still computes.
    bound: BTreeSet<Expr>,
}

impl<'a> Images<'a> {
    fn of(cx: &mut Context<'_>, draft: &'a Draft, fixed: bool) -> Images<'a> {
        let program = &draft.program;
        let values: Table<Expr> = lets(&program.body).collect();
        let symbol_of: Table<Expr> = lets(&program.body).map(|(symbol, value)| (value, symbol)).collect();
        let levels = draft.levels(cx);
        let mut images = Images { draft, image: Table::new(), levels, values, computed: BTreeSet::new() };
        let prepared = program.inputs.iter().filter(|i| i.binding == Binding::Prepared);
        let known = prepared.filter(|i| fixed || i.role != Role::StepSize).flat_map(|i| &i.symbols);
        images.image.extend(known.map(|&symbol| (symbol, symbol)));
        images.image.extend(program.state());
        if let [[t], [h]] = [Role::Time, Role::StepSize].map(|role| program.symbols(&role)) {
            images.image.insert(*t, cx.pool.add(*t, *h));
        }
        for value in program.values() {
            for e in cx.pool.reachable(&[value]) {
                images.extend(cx.pool, &symbol_of, e);
            }
        }
        let mut roots: Vec<Expr> = program.outputs.iter().flat_map(|o| o.values.iter().copied()).collect();
        for statement in &program.body {
            match statement {
                Statement::Newton(newton) => roots.extend(newton.before()),
                other => roots.extend(other.values()),
            }
        }
        images.compute(cx, &roots);
        images
    }

    /// What `e` is made of; a bound symbol stands for its value.
    fn operands(&self, pool: &Pool, e: Expr) -> Vec<Expr> {
        self.values.get(e).map_or_else(|| pool.children(e), |&value| vec![value])
    }

    /// The image of `e`, given those of its operands.
    fn extend(&mut self, pool: &mut Pool, symbol_of: &Table<Expr>, e: Expr) {
        let operands = self.operands(pool, e);
        let is_open = pool.as_symbol(e).is_some() && operands.is_empty();
        if self.image.contains(e) || is_open || !operands.iter().all(|&c| self.image.contains(c)) {
            return;
        }
        let image = match self.values.get(e) {
            Some(&value) => self.image[value],
            None => pool.rebuild(e, |c| self.image[c]),
        };
        self.image.insert(e, *symbol_of.get(image).unwrap_or(&image));
    }

    /// Records the subexpressions of `roots`, and the partial sums and products of those operands that are images.
    fn compute(&mut self, cx: &mut Context<'_>, roots: &[Expr]) {
        let of_some: BTreeSet<Expr> =
            self.image.keys().into_iter().map(|e| bare(cx, self.image[e])).collect();
        for e in cx.pool.reachable(roots) {
            let (_, abs) = cx.signed(e);
            let mut all = vec![abs];
            if let Some((mut operands, join)) = flat(cx.pool, abs) {
                let count = operands.len();
                operands.retain(|&x| of_some.contains(&bare(cx, x)));
                if operands.len() < count {
                    let joined = join(cx.pool, &operands);
                    all.push(cx.signed(joined).1);
                }
            }
            for e in all {
                self.computed.extend([e, bare(cx, e)]);
            }
        }
    }

    /// Whether `e` has an image and depends on the state or t.
    fn moves(&mut self, pool: &Pool, e: Expr) -> bool {
        self.image.contains(e) && self.levels.stage(pool, e) != Stage::Prepared
    }

    /// Whether to carry `e` (without sign): its image is computed.
    fn is_worth(&mut self, cx: &mut Context<'_>, e: Expr, worth: usize) -> bool {
        self.moves(cx.pool, e)
            && self.computed.contains(&cx.signed(self.image[e]).1)
            && self.cost(cx.pool, e) >= worth
    }

    /// Operations that compute `e`, without those on parameters alone.
    fn cost(&mut self, pool: &Pool, e: Expr) -> usize {
        let (mut cost, mut seen, mut stack) = (0, BTreeSet::new(), vec![e]);
        while let Some(e) = stack.pop() {
            if !self.moves(pool, e) || !seen.insert(e) {
                continue;
            }
            let (moving, fixed): (Vec<Expr>, Vec<Expr>) =
                self.operands(pool, e).into_iter().partition(|&x| self.moves(pool, x));
            // Numbers and parameters together count as one operand; a sign does not count.
            let is_sign = |&x: &Expr| pool.as_number(x).is_some_and(|c| c.abs().is_one());
            cost += match pool.node(e) {
                Node::Number(_) | Node::Pi | Node::Symbol(_) => 0,
                Node::Sum(_) | Node::Product(_) => moving.len() + usize::from(!fixed.iter().all(is_sign)) - 1,
                Node::Power(..) | Node::Select(_) => 1,
                Node::Call(..) | Node::Atan2(..) | Node::Map(..) | Node::Saddle(..) => 15,
            };
            stack.extend(moving);
        }
        cost
    }

    /// Chooses the largest subexpressions of the results that can be carried. The symbols in `forced` are carried even
    /// if their images have to be computed.
    fn choose(&mut self, cx: &mut Context<'_>, forced: &BTreeSet<Expr>, worth: usize) -> Choice {
        let mut choice = Choice::default();
        let mut seen = BTreeSet::new();
        let mut results = self.draft.program.clone();
        results.body.retain(|statement| !matches!(statement, Statement::Let { .. }));
        let mut stack = results.values();
        while let Some(e) = stack.pop() {
            let (_, e) = cx.signed(e);
            if !seen.insert(e) {
                continue;
            }
            let found = match forced.contains(&e) || self.is_worth(cx, e, worth) {
                true => Some((Vec::new(), e)),
                false => self.group(cx, e, worth),
            };
            if let Some((rest, carried)) = found {
                stack.extend(&rest);
                choice.carried.insert(carried);
                choice.of.insert(e, (rest, carried));
            } else if let Some(&value) = self.values.get(e) {
                choice.bound.insert(e);
                stack.push(value);
            } else {
                stack.extend(cx.pool.children(e));
            }
        }
        choice
    }

    /// The partial sum or product of those operands that have images, if the image of that is computed. With the other
    /// operands.
    fn group(&mut self, cx: &mut Context<'_>, e: Expr, worth: usize) -> Option<(Vec<Expr>, Expr)> {
        let (operands, join) = flat(cx.pool, e)?;
        let known = |&x: &Expr| self.image.contains(x) && cx.pool.as_number(x).is_none();
        let (group, rest): (Vec<Expr>, Vec<Expr>) = operands.into_iter().partition(known);
        if group.len() < 2 || rest.is_empty() || !group.iter().any(|&x| self.moves(cx.pool, x)) {
            return None;
        }
        let images: Vec<Expr> = group.iter().map(|&x| self.image[x]).collect();
        let image = join(cx.pool, &images);
        let (negative, image) = cx.signed(image);
        if negative || !self.computed.contains(&image) {
            return None;
        }
        let joined = join(cx.pool, &group);
        self.image.insert(joined, image);
        (self.cost(cx.pool, joined) >= worth).then_some((rest, joined))
    }

    /// Bound symbols that depend on the state and are computed from carried expressions.
    fn users(&mut self, cx: &mut Context<'_>, choice: &Choice) -> BTreeSet<Expr> {
        let mut users = choice.bound.clone();
        users.retain(|&symbol| {
            let made_of = cx.pool.reachable(&[self.values[symbol]]);
            self.moves(cx.pool, symbol) && made_of.iter().any(|&e| choice.of.contains_key(&cx.signed(e).1))
        });
        users
    }

    /// The step that carries `choice`.
    fn rewrite(&mut self, cx: &mut Context<'_>, old: &StepProgram, choice: &Choice) -> StepProgram {
        let mut symbols: BTreeMap<Expr, Expr> = BTreeMap::new();
        for &e in &choice.carried {
            let name = cx.pool.formula_name(e, false);
            let name = name.as_deref().unwrap_or(Role::Carried.name());
            let symbol = if cx.pool.as_symbol(e).is_some() { e } else { cx.pool.fresh_symbol(name) };
            symbols.insert(e, symbol);
        }
        let operands = |pool: &Pool, e: Expr| match choice.of.get(&e) {
            Some((rest, _)) => rest.clone(),
            None => pool.children(e),
        };
        let build = |cx: &mut Context<'_>, e: Expr, image: &Table<Expr>| match choice.of.get(&e) {
            Some((rest, carried)) => {
                let all: Vec<Expr> = rest.iter().map(|&x| image[x]).chain([symbols[carried]]).collect();
                let join = flat(cx.pool, e).map_or(Pool::product as Join, |(_, join)| join);
                join(cx.pool, &all)
            }
            None => cx.pool.rebuild(e, |c| image[c]),
        };
        let results: Vec<Expr> = choice.carried.iter().map(|&e| self.image[e]).collect();
        let mut new: Table<Expr> = Table::new();
        rewrite(cx, &[self.draft.program.values(), results.clone()].concat(), &mut new, operands, build);

        let mut step = self.draft.clone();
        let bound: BTreeSet<Expr> = lets(&old.start).map(|(symbol, _)| symbol).collect();
        let mut before = old.start.clone();
        step.program.body.retain(|statement| {
            let is_checked = self.is_checked_before(cx.pool, statement);
            let (is_known, is_dropped) = match statement {
                Statement::Let { symbol: s, .. } => (self.image.contains(*s), choice.carried.contains(s)),
                _ => (is_checked, is_checked),
            };
            let is_new = !matches!(statement, Statement::Let { symbol, .. } if bound.contains(symbol));
            before.extend((is_known && is_new).then(|| statement.clone()));
            !is_dropped
        });
        for value in step.program.values_mut() {
            *value = new[*value];
        }
        let entries = symbols.into_iter().zip(results).map(|((start, symbol), next)| {
            (StateEntry::new(symbol, Carried::Cached, start, Rescale::Keep), new[next])
        });
        let mut new_step = old.clone();
        (new_step.program, new_step.start) = (step.finish(cx.pool), before);
        new_step.carry(entries);
        new_step
    }

    /// Whether the statement is a check that the step before has made.
    fn is_checked_before(&mut self, pool: &Pool, statement: &Statement) -> bool {
        let &Statement::Pivot { pivot, diagonal, what } = statement else { return false };
        let images = [pivot, diagonal].map(|e| self.image.get(e).copied());
        let [Some(next), Some(diagonal)] = images else { return false };
        let image = Statement::Pivot { pivot: next, diagonal, what };
        self.moves(pool, pivot) && self.draft.program.body.contains(&image)
    }
}

/// `e` without its sign and numeric coefficient.
fn bare(cx: &mut Context<'_>, e: Expr) -> Expr {
    let (_, abs) = cx.signed(e);
    cx.pool.split_coefficient(abs).1
}

type Join = fn(&mut Pool, &[Expr]) -> Expr;

/// The operands of a sum or product, and the constructor of such a node.
fn flat(pool: &Pool, e: Expr) -> Option<(Vec<Expr>, Join)> {
    match pool.node(e) {
        Node::Sum(terms) => Some((terms.clone(), Pool::sum)),
        Node::Product(factors) => Some((factors.clone(), Pool::product)),
        _ => None,
    }
}
