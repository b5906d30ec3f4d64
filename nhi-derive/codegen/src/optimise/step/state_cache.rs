//! Loop-carried common subexpressions (predictive commoning): carries values that the next step would compute again.
//!
//! A step evaluates forces, sines and cosines, M⁻¹ and μ at q, and often again at q'. The value at q' is the value at q
//! of the next step. The pass saves the second evaluation.
//!
//! Let σ be the substitution that replaces the symbols of the state by the results of the step, and t by t + h. The
//! pass applies to an expression e that depends on the state, t and the parameters alone, and whose image σ(e) the step
//! computes. Then e becomes an input of the step and σ(e) an output:
//!
//! ```text
//! carried input e,   carried output σ(e)
//! ```
//!
//! At a start the program [`initial`](StepProgram::initial) computes e. It also checks the pivots that a step need not
//! check, since the step before has checked them.
//!
//! An expression that depends on h is carried only if the state belongs to one step size. An expression that depends on
//! control inputs is never carried: the next step has other inputs.
//!
//! If the only use of a carried value is another function of the state, as in `d = v_post - h/2*F`, the step carries
//! that function instead, provided that it then reads fewer numbers.

use super::Make;
use crate::expr::{Expr, Node, Pool};
use crate::optimise::Options;
use crate::optimise::draft::{Context, Draft, rewrite};
use crate::optimise::liveness::used;
use crate::optimise::local::{sign_analysis, value_numbering};
use crate::optimise::names::formula_name;
use crate::optimise::search::Search;
use crate::program::{
    Binding, Carried, Constants, Program, Rescale, Role, StateEntry, Statement, StepProgram, Table, lets,
};
use crate::target::TARGET;
use num_traits::Signed;
use std::collections::{BTreeMap, BTreeSet};

/// `step` with a cache in its state; `None` if there is nothing to carry.
pub fn state_cache(pool: &mut Pool, constants: &mut Constants, step: &StepProgram) -> Option<StepProgram> {
    cached(&mut Context::new(pool, constants, Options::default()), step)
}

/// The same, as a pass.
pub(super) fn candidate<'a>(step: &'a StepProgram, _: &Search) -> Vec<Make<'a>> {
    vec![Box::new(|cx| cached(cx, step))]
}

fn cached(cx: &mut Context<'_>, step: &StepProgram) -> Option<StepProgram> {
    let mut draft = Draft::new(cx, &step.program);
    sign_analysis(cx, &mut draft);
    // Equal values are equal expressions from here on.
    value_numbering(cx, &mut draft);
    let mut images = Images::of(cx, &draft.program, step.has_one_size);
    let any = images.choose(cx, &draft.program, &BTreeSet::new(), 1);
    let instead = images.users(cx, &any);
    let mut best = None;
    for forced in [BTreeSet::new(), instead] {
        let choice = images.choose(cx, &draft.program, &forced, TARGET.state_entry);
        if choice.carried.is_empty() {
            continue;
        }
        let step = images.rewrite(cx, step, &draft, &choice);
        let reads = numbers_read(cx.pool, &step.program);
        if best.as_ref().is_none_or(|&(fewest, _)| reads < fewest) {
            best = Some((reads, step));
        }
    }
    best.map(|(_, step)| step)
}

/// How many inputs of the step, rather than parameters, a program reads.
fn numbers_read(pool: &Pool, program: &Program) -> usize {
    let used = used(pool, program);
    let known = program.inputs.iter().filter(|i| i.binding == Binding::Step).flat_map(|i| &i.symbols);
    known.filter(|s| used.contains(s)).count()
}

/// The substitution σ of a step.
struct Images {
    /// σ(e) of every expression that depends on the state, t and the parameters alone.
    image: Table<Expr>,
    /// The expressions among these that depend on the state or t.
    moving: Table<()>,
    /// Values bound outside of loops.
    values: BTreeMap<Expr, Expr>,
    /// Expressions computed outside of loops, each without its sign, and once more without its numeric coefficient.
    computed: Table<()>,
}

/// The expressions that the step carries.
#[derive(Default)]
struct Choice {
    carried: BTreeSet<Expr>,
    /// Each expression that is carried as a whole, with the carried one: itself, or itself without its coefficient.
    whole: BTreeMap<Expr, Expr>,
    /// Sums and products some of whose operands are carried as one value: the other operands, and that value.
    part: BTreeMap<Expr, (Vec<Expr>, Expr)>,
    /// Symbols whose values the step still computes.
    bound: BTreeSet<Expr>,
}

impl Images {
    fn of(cx: &mut Context<'_>, program: &Program, fixed: bool) -> Images {
        let mut images = Images {
            image: Table::new(),
            moving: Table::new(),
            values: BTreeMap::new(),
            computed: Table::new(),
        };
        images.inputs(cx.pool, program, fixed);
        let mut symbol_of: Table<Expr> = Table::new();
        let mut roots = Vec::new();
        for statement in &program.body {
            match statement {
                Statement::Let { symbol, value } => {
                    symbol_of.insert(*value, *symbol);
                    images.values.insert(*symbol, *value);
                    roots.push(*value);
                }
                Statement::Pivot { pivot, diagonal, .. } => roots.extend([*pivot, *diagonal]),
                Statement::Newton(newton) => roots.extend(newton.before()),
                Statement::Equation(_) | Statement::Turn(_) => {}
            }
        }
        roots.extend(program.outputs.iter().flat_map(|o| o.values.iter().copied()));
        for value in program.values() {
            images.extend(cx.pool, &symbol_of, value);
        }
        images.compute(cx, &roots);
        images
    }

    /// Images of the inputs that a carried expression may depend on.
    fn inputs(&mut self, pool: &mut Pool, program: &Program, fixed: bool) {
        let h = program.symbols(&Role::StepSize).first().copied();
        for input in &program.inputs {
            let next = program.outputs.iter().find(|o| o.role == input.role);
            match (&input.role, next, h) {
                (Role::StepSize, ..) if !fixed => {}
                (_, Some(next), _) if input.binding == Binding::Step => {
                    for (&symbol, &value) in input.symbols.iter().zip(&next.values) {
                        self.image.insert(symbol, value);
                        self.moving.insert(symbol, ());
                    }
                }
                (Role::Time, _, Some(h)) if input.scalar => {
                    let end = pool.add(input.symbols[0], h);
                    self.image.insert(input.symbols[0], end);
                    self.moving.insert(input.symbols[0], ());
                }
                _ if input.binding == Binding::Prepared => {
                    self.image.extend(input.symbols.iter().map(|&s| (s, s)));
                }
                _ => {}
            }
        }
    }

    /// Images of all subexpressions of `root`, given those of the symbols bound before.
    fn extend(&mut self, pool: &mut Pool, symbol_of: &Table<Expr>, root: Expr) {
        for e in pool.reachable(&[root]) {
            if self.image.contains(e) {
                continue;
            }
            // A bound symbol stands for its value, whose image is known already.
            let operands = match self.values.get(&e) {
                Some(&value) => vec![value],
                None => pool.children(e),
            };
            let is_open = pool.as_symbol(e).is_some() && operands.is_empty();
            if is_open || !operands.iter().all(|&c| self.image.contains(c)) {
                continue;
            }
            if operands.iter().any(|&c| self.moving.contains(c)) {
                self.moving.insert(e, ());
            }
            let image = match self.values.get(&e) {
                Some(&value) => self.image[value],
                None => pool.rebuild(e, |c| self.image[c]),
            };
            self.image.insert(e, *symbol_of.get(image).unwrap_or(&image));
            // The expression without its coefficient is a candidate too.
            let (_, bare) = pool.split_coefficient(e);
            if !self.image.contains(bare) && self.moving.contains(e) {
                let image = pool.rebuild(bare, |c| self.image[c]);
                self.image.insert(bare, *symbol_of.get(image).unwrap_or(&image));
                self.moving.insert(bare, ());
            }
        }
    }

    /// Records the subexpressions of `roots`, and the partial sums and products of those operands that are images.
    fn compute(&mut self, cx: &mut Context<'_>, roots: &[Expr]) {
        let mut of_some: BTreeSet<Expr> = BTreeSet::new();
        for e in self.moving.keys() {
            of_some.insert(bare(cx, self.image[e]));
        }
        let fixed: BTreeSet<Expr> =
            self.image.keys().into_iter().filter(|&e| !self.moving.contains(e)).collect();
        for e in cx.pool.reachable(roots) {
            let (_, abs) = cx.signed(e);
            let mut all = vec![abs];
            if let Some((operands, join)) = flat(cx.pool, abs) {
                let mut group = Vec::new();
                for x in operands.iter().copied() {
                    if of_some.contains(&bare(cx, x)) || fixed.contains(&x) {
                        group.push(x);
                    }
                }
                if group.len() < operands.len() {
                    let joined = join(cx.pool, &group);
                    all.push(cx.signed(joined).1);
                }
            }
            for e in all {
                self.computed.insert(e, ());
                let bare = bare(cx, e);
                self.computed.insert(bare, ());
            }
        }
    }

    /// The expression to carry for `e` (without sign) if its image is computed: `e`, or `e` without its coefficient.
    fn carried(&self, cx: &mut Context<'_>, e: Expr, worth: usize) -> Option<Expr> {
        if !self.moving.contains(e) {
            return None;
        }
        let image = self.image[e];
        let (_, image) = cx.signed(image);
        let carried = if self.computed.contains(image) {
            e
        } else {
            let both = [bare(cx, image), bare(cx, e)];
            let known = self.image.contains(both[1]) && self.computed.contains(both[0]);
            known.then_some(both[1])?
        };
        (self.cost(cx.pool, carried) >= worth).then_some(carried)
    }

    /// Operations that compute `e`, without those on parameters alone.
    fn cost(&self, pool: &Pool, e: Expr) -> usize {
        let mut cost = 0;
        let mut seen: Table<()> = Table::new();
        let mut stack = vec![e];
        while let Some(e) = stack.pop() {
            if !self.moving.contains(e) || seen.insert(e, ()).is_some() {
                continue;
            }
            if let Some(&value) = self.values.get(&e) {
                stack.push(value);
                continue;
            }
            let operands = pool.children(e);
            let moving = operands.iter().filter(|&&x| self.moving.contains(x)).count();
            // Numbers and parameters together count as one operand; a sign does not count.
            let rest = operands.iter().any(|&x| {
                let sign = pool.as_number(x).is_some_and(|c| c.abs() == num_traits::One::one());
                !self.moving.contains(x) && !sign
            });
            cost += match pool.node(e) {
                Node::Number(_) | Node::Pi | Node::Symbol(_) => 0,
                Node::Sum(_) | Node::Product(_) => moving + usize::from(rest) - 1,
                Node::Power(..) => 1,
                Node::Call(..) | Node::Atan2(..) | Node::Map(..) => 15,
            };
            stack.extend(operands);
        }
        cost
    }

    /// Chooses the largest subexpressions of the results that can be carried. The symbols in `forced` are carried even
    /// if their images have to be computed.
    fn choose(
        &mut self,
        cx: &mut Context<'_>,
        program: &Program,
        forced: &BTreeSet<Expr>,
        worth: usize,
    ) -> Choice {
        let mut choice = Choice::default();
        let mut seen: Table<()> = Table::new();
        let mut stack = results(program);
        while let Some(e) = stack.pop() {
            let (_, e) = cx.signed(e);
            if seen.insert(e, ()).is_some() {
                continue;
            }
            let whole = if forced.contains(&e) { Some(e) } else { self.carried(cx, e, worth) };
            if let Some(carried) = whole {
                choice.carried.insert(carried);
                choice.whole.insert(e, carried);
                continue;
            }
            if let Some(&value) = self.values.get(&e) {
                choice.bound.insert(e);
                stack.push(value);
                continue;
            }
            let mut operands = cx.pool.children(e);
            if let Some((group, carried)) = self.group(cx, e, worth) {
                operands.retain(|x| !group.contains(x));
                choice.carried.insert(carried);
                choice.part.insert(e, (operands.clone(), carried));
            }
            stack.extend(operands);
        }
        choice
    }

    /// Operands of a sum or product that have images, with their partial sum or product, if the image of that is
    /// computed.
    fn group(&mut self, cx: &mut Context<'_>, e: Expr, worth: usize) -> Option<(Vec<Expr>, Expr)> {
        let (operands, join) = flat(cx.pool, e)?;
        let known = |&x: &Expr| self.image.contains(x) && cx.pool.as_number(x).is_none();
        let group: Vec<Expr> = operands.iter().copied().filter(known).collect();
        let several = group.len() > 1 && group.len() < operands.len();
        if !several || !group.iter().any(|&x| self.moving.contains(x)) {
            return None;
        }
        let images: Vec<Expr> = group.iter().map(|&x| self.image[x]).collect();
        let image = join(cx.pool, &images);
        let (negative, image) = cx.signed(image);
        if negative || !self.computed.contains(image) {
            return None;
        }
        let joined = join(cx.pool, &group);
        self.image.insert(joined, image);
        self.moving.insert(joined, ());
        (self.cost(cx.pool, joined) >= worth).then_some((group, joined))
    }

    /// Bound symbols that depend on the state and are computed from carried expressions.
    fn users(&self, cx: &mut Context<'_>, choice: &Choice) -> BTreeSet<Expr> {
        let mut users = BTreeSet::new();
        for &symbol in choice.bound.iter().filter(|&&s| self.moving.contains(s)) {
            let made_of = cx.pool.reachable(&[self.values[&symbol]]);
            let carried = made_of.into_iter().any(|e| {
                let (_, e) = cx.signed(e);
                choice.whole.contains_key(&e) || choice.part.contains_key(&e)
            });
            if carried {
                users.insert(symbol);
            }
        }
        users
    }

    /// The step that carries `choice`.
    fn rewrite(
        &self,
        cx: &mut Context<'_>,
        old: &StepProgram,
        draft: &Draft,
        choice: &Choice,
    ) -> StepProgram {
        let mut symbols: BTreeMap<Expr, Expr> = BTreeMap::new();
        for &e in &choice.carried {
            let symbol = match cx.pool.as_symbol(e) {
                Some(_) => e,
                None => {
                    let name =
                        formula_name(cx.pool, e, false).unwrap_or_else(|| Role::Carried.name().to_owned());
                    cx.pool.fresh_symbol(&name)
                }
            };
            symbols.insert(e, symbol);
        }
        let operands = |cx: &mut Context<'_>, e: Expr| match cx.signed(e) {
            (true, abs) => vec![abs],
            _ if choice.whole.contains_key(&e) => Vec::new(),
            _ => match choice.part.get(&e) {
                Some((rest, _)) => rest.clone(),
                None => cx.pool.children(e),
            },
        };
        let build = |cx: &mut Context<'_>, e: Expr, image: &Table<Expr>| {
            if let (true, abs) = cx.signed(e) {
                return cx.pool.neg(image[abs]);
            }
            if let Some(carried) = choice.whole.get(&e) {
                let symbol = symbols[carried];
                let (coefficient, _) = cx.pool.split_coefficient(e);
                return if carried == &e { symbol } else { cx.pool.scale(coefficient, symbol) };
            }
            if let Some((rest, carried)) = choice.part.get(&e) {
                let all: Vec<Expr> = rest.iter().map(|&x| image[x]).chain([symbols[carried]]).collect();
                return match cx.pool.node(e) {
                    Node::Sum(_) => cx.pool.sum(&all),
                    _ => cx.pool.product(&all),
                };
            }
            cx.pool.rebuild(e, |c| image[c])
        };
        let results: Vec<Expr> = choice.carried.iter().map(|&e| self.image[e]).collect();
        let mut new: Table<Expr> = Table::new();
        rewrite(cx, &[draft.program.values(), results.clone()].concat(), &mut new, operands, build);

        let mut step = draft.clone();
        let mut before = Vec::new();
        step.program.body.retain(|statement| match statement {
            Statement::Let { symbol, .. } => {
                if self.image.contains(*symbol) {
                    before.push(statement.clone());
                }
                !choice.carried.contains(symbol)
            }
            Statement::Pivot { .. } if self.is_checked_before(&draft.program, statement) => {
                before.push(statement.clone());
                false
            }
            _ => true,
        });
        for value in step.program.values_mut() {
            *value = new[*value];
        }
        let entries = symbols.into_iter().zip(results).map(|((start, symbol), next)| {
            let (role, rescale) = (Carried::Cached, Rescale::Keep);
            (StateEntry { symbol, role, unit: None, start, rescale }, new[next])
        });
        old.carrying(step.finish(cx.pool), before, entries)
    }

    /// Whether the step before has made the same check.
    fn is_checked_before(&self, program: &Program, check: &Statement) -> bool {
        let Statement::Pivot { pivot, diagonal, what } = *check else { return false };
        if !self.moving.contains(pivot) {
            return false;
        }
        match (self.image.get(pivot), self.image.get(diagonal)) {
            (Some(&pivot), Some(&diagonal)) => {
                program.body.contains(&Statement::Pivot { pivot, diagonal, what })
            }
            _ => false,
        }
    }
}

/// All evaluated expressions except the values of `Let`s outside of loops.
fn results(program: &Program) -> Vec<Expr> {
    let mut all = Vec::new();
    for statement in &program.body {
        match statement {
            Statement::Pivot { pivot, diagonal, .. } => all.extend([*pivot, *diagonal]),
            Statement::Newton(newton) => {
                all.extend(newton.before());
                all.extend(lets(&newton.body).map(|(_, value)| value));
                all.extend(newton.updates());
            }
            Statement::Equation(_) | Statement::Turn(_) | Statement::Let { .. } => {}
        }
    }
    all.extend(program.outputs.iter().flat_map(|o| &o.values));
    all
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
