//! Division hoisting: replaces a division by a multiplication by the reciprocal where the denominator arrives first.
//!
//! A division has the longest latency of the simple operations. If the denominator is known early, the reciprocal is
//! computed in parallel with the numerator and the division leaves the critical path, for one multiplication more:
//!
//! ```text
//! over/under   becomes   over*inv_under,   inv_under = 1/under.
//! ```
//!
//! The pass applies to quotients outside of Newton loops whose numerator arrives later than the denominator by more
//! than the latency of a multiplication. Inside of Newton loops no denominator arrives early.

use crate::expr::Table;
use crate::expr::{Expr, Node};
use crate::optimise::draft::Context;
use crate::program::Arrival;
use crate::program::{Program, Shape, Statement};
use crate::target::TARGET;
use num_traits::Signed;

/// Replaces quotients whose denominators arrive early. The pass runs after those that save operations;
/// `expose_late_factors` relies on its products `numerator*inverse`.
pub(super) fn hoist_division(cx: &mut Context<'_>, program: &mut Program) {
    let mut arrival = Arrival::of(cx.pool, cx.constants, program);
    let mut symbols: Table<Expr> = Table::new();
    for statement in std::mem::take(&mut program.body) {
        let Statement::Let { symbol, value } = statement else {
            program.body.push(statement);
            continue;
        };
        let mut image: Table<Expr> = Table::new();
        for e in cx.pool.reachable(&[value]) {
            let mut new = cx.pool.rebuild(e, |c| image[c]);
            if let Some((negative, inverse, others)) = early_denominator(cx, &mut arrival, e) {
                if !symbols.contains(inverse) {
                    let name = cx.pool.formula_name(inverse, true).unwrap_or_else(|| "inverse".to_owned());
                    let symbol = cx.pool.fresh_symbol(&name);
                    symbols.insert(inverse, symbol);
                    program.body.push(Statement::Let { symbol, value: inverse });
                }
                let others: Vec<Expr> = others.iter().map(|&f| image[f]).chain([symbols[inverse]]).collect();
                let product = cx.pool.product(&others);
                new = cx.with_sign(negative, product);
            }
            image.insert(e, new);
        }
        program.body.push(Statement::Let { symbol, value: image[value] });
    }
}

/// The sign of a quotient `e`, its coefficient divided by its denominator, and its other factors, if that reciprocal
/// arrives so early that the division delays `e` no more than a multiplication does.
fn early_denominator(
    cx: &mut Context<'_>,
    arrival: &mut Arrival,
    e: Expr,
) -> Option<(bool, Expr, Vec<Expr>)> {
    let Node::Product(factors) = cx.pool.node(e).clone() else { return None };
    let (_, abs) = cx.signed(e);
    let shape = Shape::of(cx.pool, cx.constants, abs);
    let Shape::Quotient { over, under, .. } = &*shape else { return None };
    let &[under] = under.as_slice() else { return None };
    let inverse = cx.pool.powi(under, -1);
    if over.is_empty() || !factors.contains(&inverse) {
        return None;
    }
    let (coefficient, _) = cx.pool.split_coefficient(e);
    let others = factors.into_iter().filter(|&f| f != inverse && cx.pool.as_number(f).is_none()).collect();
    let over = cx.pool.product(over);
    let over = arrival.get(cx.pool, cx.constants, over);
    let under = arrival.get(cx.pool, cx.constants, under);
    let inverse = cx.pool.scale(coefficient.abs(), inverse);
    (over > under + TARGET.flat_latency).then_some((coefficient.is_negative(), inverse, others))
}
