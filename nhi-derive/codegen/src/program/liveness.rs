//! Liveness: the values that results of a step depend on, and the results that the next step reads.

use super::{Program, Statement};
use crate::expr::Table;
use crate::expr::{Expr, Pool};
use std::collections::BTreeSet;

/// The results of a step that the next step reads.
pub(crate) fn read_again(pool: &Pool, program: &Program) -> Vec<Expr> {
    let used = used(pool, program);
    program.state().filter(|(symbol, _)| used.contains(symbol)).map(|(_, value)| value).collect()
}

/// Every expression that a program evaluates.
pub(crate) fn used(pool: &Pool, program: &Program) -> BTreeSet<Expr> {
    pool.reachable(&program.values()).into_iter().collect()
}

/// Removes statements whose values are not used. Values are used by later statements and by results alone.
pub(crate) fn drop_unused(pool: &Pool, program: &mut Program) {
    let mut used: Table<()> = Table::new();
    let mark = |used: &mut Table<()>, roots: &[Expr]| {
        let new = pool.reachable_where(roots, |e| !used.contains(e));
        new.into_iter().for_each(|e| {
            used.insert(e, ());
        });
    };
    program.outputs.iter().for_each(|output| mark(&mut used, &output.values));
    let mut kept = Vec::with_capacity(program.body.len());
    for statement in program.body.drain(..).rev() {
        let is_used = match &statement {
            Statement::Let { symbol, .. } => used.contains(*symbol),
            Statement::Turn(turn) => turn.sines.iter().any(|s| used.contains(*s)),
            _ => true,
        };
        if is_used {
            mark(&mut used, &statement.values());
            kept.push(statement);
        }
    }
    kept.reverse();
    program.body = kept;
}

/// The symbols that `results` need, directly or through other values.
pub(crate) fn live(pool: &Pool, values: &Table<Expr>, results: Vec<Expr>) -> Table<()> {
    let (mut live, mut seen, mut stack) = (Table::new(), Table::new(), results);
    while let Some(e) = stack.pop() {
        if seen.insert(e, ()).is_some() {
            continue;
        }
        match values.get(e) {
            Some(&value) => {
                live.insert(e, ());
                stack.push(value);
            }
            None => pool.for_each_child(e, |c| {
                if !seen.contains(c) {
                    stack.push(c);
                }
            }),
        }
    }
    live
}

/// Number of uses of each expression in a step of which only the results in `read` are needed.
pub(crate) fn uses(pool: &Pool, program: &Program, read: &[Expr]) -> Table<usize> {
    let mut uses: Table<usize> = Table::new();
    let count = |uses: &mut Table<usize>, root: Expr| {
        for e in pool.reachable(&[root]) {
            pool.for_each_child(e, |c| *uses.entry(c) += 1);
        }
        *uses.entry(root) += 1;
    };
    read.iter().for_each(|&root| count(&mut uses, root));
    let mut statements: Vec<&Statement> = program.body.iter().collect();
    while let Some(statement) = statements.pop() {
        match statement {
            Statement::Let { symbol, value } if uses.contains(*symbol) => count(&mut uses, *value),
            Statement::Pivot { pivot, diagonal, .. } => {
                count(&mut uses, *pivot);
                count(&mut uses, *diagonal);
            }
            Statement::Newton(newton) => {
                newton.before().iter().chain(&newton.updates()).for_each(|&e| count(&mut uses, e));
                statements.extend(&newton.body);
            }
            _ => {}
        }
    }
    uses
}
