//! The working form of a program, on which the local passes operate.

use super::Options;
use super::flat::Factors;
use crate::expr::Table;
use crate::expr::{Expr, Pool};
use crate::program::{Constants, Levels, Newton, Operations, Program, Shape, Statement, signed};
use std::collections::HashMap;
use std::sync::Arc;

/// The state that passes share.
#[derive(Debug)]
pub(super) struct Context<'a> {
    /// Owner of all expressions.
    pub pool: &'a mut Pool,
    /// Values known at compile time.
    pub constants: &'a mut Constants,
    /// Options of the optimiser.
    pub(super) options: Options,
    /// Products as lists of factors.
    pub(super) factors: Table<Arc<Factors>>,
}

impl<'a> Context<'a> {
    pub(super) fn new(pool: &'a mut Pool, constants: &'a mut Constants, options: Options) -> Context<'a> {
        Context { pool, constants, options, factors: Table::new() }
    }

    /// Whether `e` is minus something, and that something (or `e`).
    pub(super) fn signed(&mut self, e: Expr) -> (bool, Expr) {
        signed(self.pool, self.constants, e)
    }

    /// `e`, or minus `e`.
    pub(super) fn with_sign(&mut self, negative: bool, e: Expr) -> Expr {
        if negative { self.pool.neg(e) } else { e }
    }

    /// Whether `e` costs nothing: a constant, a symbol, or either with a minus sign.
    pub(super) fn is_trivial(&mut self, e: Expr) -> bool {
        let (_, e) = self.signed(e);
        self.pool.as_symbol(e).is_some() || self.constants.contains(self.pool, e)
    }
}

/// A program in which equal expressions have equal values at every place. Inside of a Newton loop the unknowns have
/// symbols of their own, so that `x + unknown` in the loop and after it are different expressions.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Draft {
    /// The program; its Newton bodies use the symbols of `iterates`.
    pub(super) program: Program,
    /// Per Newton loop the symbols of the unknowns inside of it.
    iterates: Vec<Vec<Expr>>,
    generated: usize,
}

/// First character of generated symbols; the pass `names` replaces them by readable names.
const GENERATED: char = '%';

impl Draft {
    pub(super) fn new(cx: &mut Context<'_>, program: &Program) -> Draft {
        // What passes have made before has such names too.
        let number = |&(symbol, _): &(Expr, Expr)| {
            cx.pool.name(cx.pool.as_symbol(symbol)?).strip_prefix(GENERATED)?.parse().ok()
        };
        let generated = program.lets().iter().filter_map(number).max().unwrap_or(0);
        let mut draft = Draft { program: program.clone(), iterates: Vec::new(), generated };
        for newton in draft.program.newtons_mut() {
            let loop_number = draft.iterates.len();
            let iterates: Vec<Expr> = (0..newton.unknowns.len())
                .map(|i| cx.pool.symbol(&format!("{GENERATED}u{loop_number}_{i}")))
                .collect();
            rename_in_loop(cx.pool, newton, &newton.unknowns.clone(), &iterates);
            draft.iterates.push(iterates);
        }
        draft
    }

    /// The program with the unknowns' own names inside of the loops too.
    pub(super) fn finish(&self, pool: &mut Pool) -> Program {
        let mut program = self.program.clone();
        for (newton, iterates) in program.newtons_mut().zip(&self.iterates) {
            rename_in_loop(pool, newton, iterates, &newton.unknowns.clone());
        }
        program
    }

    /// The symbol of every unknown inside of its loop, and the unknown.
    pub(super) fn unknowns(&self) -> Vec<(Expr, Expr)> {
        let outside = self.program.newtons().flat_map(|newton| newton.unknowns.iter().copied());
        self.iterates.iter().flatten().copied().zip(outside).collect()
    }

    /// A new symbol for a value that a pass wants a name for.
    pub(super) fn fresh(&mut self, cx: &mut Context<'_>) -> Expr {
        self.generated += 1;
        cx.pool.symbol(&format!("{GENERATED}{}", self.generated))
    }

    /// Symbol and value of every `Let` in order.
    pub(super) fn lets(&self) -> Vec<(Expr, Expr)> {
        self.program.lets()
    }

    /// Gives bound symbols other names.
    pub(super) fn rename(&mut self, cx: &mut Context<'_>, names: &Table<Expr>) {
        let rename = |s: &mut Statement| {
            if let Statement::Let { symbol, .. } = s {
                *symbol = *names.get(*symbol).unwrap_or(symbol);
            }
        };
        self.program.newtons_mut().for_each(|newton| newton.body.iter_mut().for_each(rename));
        self.program.body.iter_mut().for_each(rename);
        self.map(cx, |_, e, _| names.get(e).copied());
    }

    /// Every evaluated expression that is not the value of a `Let`.
    pub(super) fn results(&self) -> Vec<Expr> {
        let mut all = Vec::new();
        for statement in &self.program.body {
            match statement {
                Statement::Let { .. } => {}
                Statement::Newton(newton) => all.extend(newton.before().into_iter().chain(newton.updates())),
                other => all.extend(other.values()),
            }
        }
        all.extend(self.program.outputs.iter().flat_map(|output| &output.values));
        all
    }

    /// Replaces every expression bottom-up. `f` gets a node and the images of older nodes, and returns the image of the
    /// node; `None` stands for the same operation on the images of the operands.
    pub(super) fn map(
        &mut self,
        cx: &mut Context<'_>,
        mut f: impl FnMut(&mut Context<'_>, Expr, &Table<Expr>) -> Option<Expr>,
    ) {
        let mut image: Table<Expr> = Table::new();
        for e in cx.pool.reachable(&self.program.values()) {
            let new = f(cx, e, &image).unwrap_or_else(|| cx.pool.rebuild(e, |c| image[c]));
            image.insert(e, new);
        }
        self.replace(&image);
    }

    /// Replaces every evaluated expression by its image.
    pub(super) fn replace(&mut self, image: &Table<Expr>) {
        for value in self.program.values_mut() {
            *value = image[*value];
        }
    }

    /// Number of uses of each expression without its sign, in operations and statements.
    pub(super) fn uses(&self, cx: &mut Context<'_>) -> Table<usize> {
        let mut uses: Table<usize> = Table::new();
        let mut stack = self.program.values();
        while let Some(e) = stack.pop() {
            let (_, e) = cx.signed(e);
            let count = uses.entry(e);
            *count += 1;
            if *count == 1 {
                Shape::of(cx.pool, cx.constants, e).for_each_operand(|x| stack.push(x));
            }
        }
        uses
    }

    /// Every expression that is computed, its sign apart, by id. Powers that are written as repeated
    /// factors of a product are no expressions of their own.
    pub(super) fn computed(&self, cx: &mut Context<'_>) -> Vec<Expr> {
        self.uses(cx).keys()
    }

    /// Operation counts.
    pub(super) fn operations(&self, cx: &mut Context<'_>) -> Operations {
        Operations::of(cx.pool, cx.constants, &self.program)
    }

    /// Level of every symbol.
    pub(super) fn levels(&self, cx: &Context<'_>) -> Levels {
        self.levels_with(cx, &self.lets().into_iter().collect())
    }

    /// Level of every symbol, given the values of all `lets`.
    pub(super) fn levels_with(&self, cx: &Context<'_>, lets: &Table<Expr>) -> Levels {
        Levels::of(cx.pool, &self.program, &self.iterates, lets)
    }
}

fn rename_in_loop(pool: &mut Pool, newton: &mut Newton, from: &[Expr], to: &[Expr]) {
    let map: HashMap<Expr, Expr> = from.iter().copied().zip(to.iter().copied()).collect();
    let inside = newton.body.iter_mut().flat_map(Statement::values_mut);
    let values: Vec<&mut Expr> = inside.chain(&mut newton.delta).chain(&mut newton.derivatives).collect();
    let old: Vec<Expr> = values.iter().map(|value| **value).collect();
    for (value, new) in values.into_iter().zip(pool.substitute(&old, &map)) {
        *value = new;
    }
}

/// Completes `image` for everything in `roots`: `operands` says what an expression without a sign is made of, and
/// `build` makes its image from theirs.
pub(super) fn rewrite(
    cx: &mut Context<'_>,
    roots: &[Expr],
    image: &mut Table<Expr>,
    operands: impl Fn(&Pool, Expr) -> Vec<Expr>,
    mut build: impl FnMut(&mut Context<'_>, Expr, &Table<Expr>) -> Expr,
) {
    // Each with whether its operands have images.
    let mut stack: Vec<(Expr, bool)> = roots.iter().rev().map(|&e| (e, false)).collect();
    while let Some((e, is_ready)) = stack.pop() {
        if image.contains(e) {
            continue;
        }
        let (negative, abs) = cx.signed(e);
        if is_ready {
            let new = if negative { cx.pool.neg(image[abs]) } else { build(cx, e, image) };
            image.insert(e, new);
            continue;
        }
        stack.push((e, true));
        let made_of = if negative { vec![abs] } else { operands(cx.pool, e) };
        stack.extend(made_of.into_iter().rev().filter(|&c| !image.contains(c)).map(|c| (c, false)));
    }
}

/// Whether a pass generated this symbol.
pub(super) fn is_generated(pool: &Pool, symbol: Expr) -> bool {
    pool.as_symbol(symbol).is_some_and(|s| pool.name(s).starts_with(GENERATED))
}
