//! Staging: splits off the part of a program that depends on parameters and step size alone.

use super::liveness::used;
use super::{Binding, Input, Levels, Output, Program, Role, Stage, Statement, lets, without_idle_headings};
use crate::expr::{Expr, Pool};

/// A program in two parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prepared {
    /// Computes the prepared values: one scalar output for each, named like its symbol.
    pub prepare: Program,
    /// The rest, with an input `prepared` in place of the inputs that are known early.
    pub step: Program,
}

/// Splits `program` by binding time. Together the parts compute the same values and make the same checks.
pub fn split(pool: &Pool, program: &Program) -> Prepared {
    let (of_step, inputs): (Vec<Input>, Vec<Input>) =
        program.inputs.iter().cloned().partition(|i| i.binding == Binding::Step);
    let mut order: Vec<Expr> = inputs.iter().flat_map(|i| i.symbols.clone()).collect();
    let unknowns: Vec<Vec<Expr>> = program.newtons().map(|newton| newton.unknowns.clone()).collect();
    let mut levels = Levels::of(pool, program, &unknowns, &program.lets().into_iter().collect());
    let mut is_early = |e: Expr| levels.stage(pool, e) == Stage::Prepared;
    let (first, rest): (Vec<Statement>, Vec<Statement>) =
        program.body.iter().cloned().partition(|statement| match statement {
            Statement::Let { value, .. } => is_early(*value),
            Statement::Pivot { pivot, diagonal, .. } => is_early(*pivot) && is_early(*diagonal),
            _ => false,
        });
    order.extend(lets(&first).map(|(symbol, _)| symbol));
    let body = without_idle_headings(rest);
    let mut step = Program { body, inputs: of_step, ..program.clone() };
    let used = used(pool, &step);
    order.retain(|s| used.contains(s));
    let symbols = order.clone();
    let prepared = Input { role: Role::Prepared, symbols, binding: Binding::Prepared, scalar: false };
    step.inputs.insert(0, prepared);
    let named = |symbol: Expr| Role::Named(pool.show(symbol).to_string());
    let output = |symbol: Expr| Output { role: named(symbol), values: vec![symbol], scalar: true };
    let prepare = Program {
        name: "prepare".into(),
        doc: vec!["Computes what depends on the parameters and the step size alone.".into()],
        inputs: inputs.into_iter().map(|i| Input { binding: Binding::Step, ..i }).collect(),
        body: first,
        outputs: order.into_iter().map(output).collect(),
    };
    Prepared { prepare, step }
}
