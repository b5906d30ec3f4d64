//! Staging: splits off the part of a program that depends on parameters and step size alone.

use super::{Binding, Input, Output, Program, Role, Statement, without_idle_headings};
use crate::expr::{Expr, Pool};
use std::collections::BTreeSet;

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
    let mut early: BTreeSet<Expr> = order.iter().copied().collect();
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    for statement in &program.body {
        let goes_first = match statement {
            Statement::Let { symbol, value } if pool.are_made_of(&[*value], &early) => {
                early.insert(*symbol);
                order.push(*symbol);
                true
            }
            Statement::Pivot { pivot, diagonal, .. } => pool.are_made_of(&[*pivot, *diagonal], &early),
            _ => false,
        };
        if goes_first { first.push(statement.clone()) } else { rest.push(statement.clone()) }
    }
    let body = without_idle_headings(rest);
    let mut step = Program { body, inputs: of_step, ..program.clone() };
    let used: BTreeSet<Expr> =
        pool.reachable(&step.values()).into_iter().filter(|e| early.contains(e)).collect();
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
