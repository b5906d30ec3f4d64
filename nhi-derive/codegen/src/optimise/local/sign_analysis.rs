//! Sign analysis: removes the checks of pivots that are positive in every state.
//!
//! Each check costs two comparisons, a multiplication and two jumps in every step. The pass applies to a pivot that is
//! its own diagonal entry, such as 1 + y², if the signs of its terms prove that it is positive. Values that are not
//! finite are detected at the end of the step.

use crate::expr::Table;
use crate::expr::{Expr, Function, Node};
use crate::optimise::draft::{Context, Draft};
use crate::program::Statement;
use num_traits::{Signed, Zero};

/// What is known of a number's sign, for all arguments that it exists for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Sign {
    Any,
    /// Zero or more.
    NotNegative,
    /// At least some positive constant, so that no rounding makes it zero.
    Positive,
}

/// See the [module documentation](self).
pub(in crate::optimise) fn sign_analysis(cx: &mut Context<'_>, draft: &mut Draft) {
    let mut signs = Table::new();
    for (symbol, value) in draft.lets() {
        let of_value = sign(cx, &mut signs, value);
        signs.insert(symbol, of_value);
    }
    draft.program.body.retain(|statement| match *statement {
        Statement::Pivot { pivot, diagonal, .. } if pivot == diagonal => {
            sign(cx, &mut signs, pivot) != Sign::Positive
        }
        _ => true,
    });
}

fn sign(cx: &mut Context<'_>, signs: &mut Table<Sign>, e: Expr) -> Sign {
    for e in cx.pool.reachable_where(&[e], |e| !signs.contains(e)) {
        let sign = of_node(cx, signs, e);
        signs.insert(e, sign);
    }
    signs[e]
}

fn of_node(cx: &mut Context<'_>, signs: &Table<Sign>, e: Expr) -> Sign {
    if let Some(value) = cx.constants.value(cx.pool, e) {
        return if value > 0.0 { Sign::Positive } else { Sign::Any };
    }
    match cx.pool.node(e) {
        Node::Sum(terms) => {
            let least = terms.iter().map(|&t| signs[t]).min();
            match terms.iter().map(|&t| signs[t]).max() {
                Some(most) if least != Some(Sign::Any) => most,
                _ => Sign::Any,
            }
        }
        // Products of small factors can underflow.
        Node::Product(factors) if factors.iter().all(|&f| signs[f] != Sign::Any) => Sign::NotNegative,
        &Node::Power(base, x) => {
            // Even powers, and those that exist for positive numbers alone.
            let of_any = cx
                .pool
                .as_number(x)
                .is_some_and(|x| !x.is_integer() || (x.is_positive() && (x.to_integer() % 2u8).is_zero()));
            if of_any || signs[base] != Sign::Any { Sign::NotNegative } else { Sign::Any }
        }
        Node::Call(Function::Cosh, _) => Sign::Positive,
        Node::Call(Function::Exp, _) => Sign::NotNegative,
        _ => Sign::Any,
    }
}
