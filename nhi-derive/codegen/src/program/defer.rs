//! Sinks computations into the only place that uses them.

use super::{Program, Statement, without_idle_headings};
use crate::expr::Table;
use crate::expr::{Expr, Pool};
use std::borrow::Cow;

impl Program {
    /// The program without the statements that only the derivatives of its loops need, and these statements for each
    /// loop. Few updates evaluate the derivatives.
    pub(crate) fn deferred(&self, pool: &Pool) -> (Cow<'_, Program>, Vec<Vec<Statement>>) {
        if !self.bends() {
            return (Cow::Borrowed(self), Vec::new());
        }
        let lets = self.lets();
        let mut results = self.clone();
        retain(&mut results, |_| false);
        for statement in &mut results.body {
            if let Statement::Newton(newton) = statement {
                newton.derivatives.clear();
            }
        }
        let needed = made_of(pool, &lets, &results.values());
        let deferred = self.body.iter().filter_map(|statement| {
            let Statement::Newton(newton) = statement else { return None };
            let of_slopes = made_of(pool, &lets, &newton.derivatives);
            let is_only = |symbol: Expr| of_slopes.contains(symbol) && !needed.contains(symbol);
            let only = lets.iter().filter(|(symbol, _)| is_only(*symbol));
            let only = only.map(|&(symbol, value)| Statement::Let { symbol, value });
            let heading = Statement::Equation("derivatives F′, F″ and F‴ of the residual F".into());
            Some(without_idle_headings(std::iter::once(heading).chain(only).collect()))
        });
        let deferred = deferred.collect();
        let mut rest = self.clone();
        retain(&mut rest, |symbol| needed.contains(symbol));
        (Cow::Owned(rest), deferred)
    }
}

/// Removes the `Let`s of all other symbols.
fn retain(program: &mut Program, is_bound: impl Fn(Expr) -> bool) {
    let stays = |s: &Statement| match s {
        Statement::Let { symbol, .. } => is_bound(*symbol),
        _ => true,
    };
    program.body.retain(stays);
    program.body = without_idle_headings(std::mem::take(&mut program.body));
    for statement in &mut program.body {
        if let Statement::Newton(newton) = statement {
            newton.body.retain(stays);
            newton.body = without_idle_headings(std::mem::take(&mut newton.body));
        }
    }
}

/// All subexpressions of `roots`, through the values of symbols.
fn made_of(pool: &Pool, lets: &[(Expr, Expr)], roots: &[Expr]) -> Table<()> {
    let mut all: Table<()> = pool.reachable(roots).into_iter().map(|e| (e, ())).collect();
    for &(symbol, value) in lets.iter().rev() {
        if all.contains(symbol) {
            let further = pool.reachable_where(&[value], |e| !all.contains(e));
            all.extend(further.into_iter().map(|e| (e, ())));
        }
    }
    all
}
