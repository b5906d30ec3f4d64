//! Statements in the order in which they are needed.

use super::{Program, Statement, lets};
use crate::expr::{Expr, Pool};
use std::collections::HashMap;

impl Program {
    /// The same statements, each where another one or a result first needs it; what can fail comes first. Code gets shorter, since
    /// fewer values are stored and loaded again, but fewer operations can be executed at the same time.
    pub(crate) fn in_order_of_demand(mut self, pool: &Pool) -> Program {
        let mut places: HashMap<Expr, usize> = HashMap::new();
        for (i, statement) in self.body.iter().enumerate() {
            let symbols: Vec<Expr> = match statement {
                Statement::Let { symbol, .. } => vec![*symbol],
                Statement::Turn(turn) => turn.sines.to_vec(),
                Statement::Newton(newton) => newton
                    .unknowns
                    .iter()
                    .copied()
                    .chain(lets(&newton.body).map(|(symbol, _)| symbol))
                    .collect(),
                Statement::Equation(_) | Statement::Pivot { .. } => Vec::new(),
            };
            places.extend(symbols.into_iter().map(|symbol| (symbol, i)));
        }
        let needed = |values: &[Expr]| -> Vec<usize> {
            let reachable = pool.reachable(values);
            reachable.into_iter().filter_map(|symbol| places.get(&symbol).copied()).rev().collect()
        };
        let can_fail = |i: &usize| matches!(self.body[*i], Statement::Pivot { .. } | Statement::Newton(_));
        let results = self
            .outputs
            .iter()
            .flat_map(|output| output.values.iter().flat_map(|&e| needed(&[e]).into_iter().rev()));
        let roots = (0..self.body.len()).filter(can_fail).chain(results);
        // Whether a statement has its place, or waits for those that it needs.
        let (mut is_placed, mut is_open) = (vec![false; self.body.len()], vec![false; self.body.len()]);
        let mut order = Vec::with_capacity(self.body.len());
        for root in roots {
            let mut stack = vec![root];
            while let Some(&i) = stack.last() {
                if is_placed[i] || is_open[i] {
                    stack.pop();
                    if !std::mem::replace(&mut is_placed[i], true) {
                        order.push(i);
                    }
                    continue;
                }
                is_open[i] = true;
                stack.extend(needed(&self.body[i].values()).into_iter().filter(|&j| !is_open[j]));
            }
        }
        // A heading stands before the first statement under it.
        let headings: Vec<Option<usize>> = self
            .body
            .iter()
            .enumerate()
            .scan(None, |heading, (i, statement)| {
                if matches!(statement, Statement::Equation(_)) {
                    *heading = Some(i);
                }
                Some(*heading)
            })
            .collect();
        let mut body = Vec::with_capacity(self.body.len());
        for i in order {
            let heading = headings[i].filter(|&heading| !std::mem::replace(&mut is_placed[heading], true));
            body.extend(heading.into_iter().chain([i]).map(|i| self.body[i].clone()));
        }
        self.body = body;
        self
    }
}
