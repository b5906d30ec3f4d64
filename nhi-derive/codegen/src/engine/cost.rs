//! What an expression costs to evaluate, for choosing between equal ones.

use crate::expr::{Expr, Function, Node, Pool};
use num_traits::{Signed, ToPrimitive};
use std::collections::HashSet;

/// Weights in units of one addition or multiplication, from latencies of current processors and of
/// their mathematical libraries.
const DIVISION: u64 = 6;
const SQRT: u64 = 8;
const SIN_COS: u64 = 24;
const CALL: u64 = 30;

/// Cost of evaluating all of `roots` together; what they share is counted once, and so is the sine
/// of an angle whose cosine is needed too.
pub(super) fn cost(pool: &Pool, roots: &[Expr]) -> u64 {
    let mut total = 0;
    let mut angles = HashSet::new();
    for e in pool.reachable(roots) {
        total += match pool.node(e) {
            Node::Number(_) | Node::Pi | Node::Symbol(_) => 0,
            Node::Sum(c) => c.len() as u64 - 1,
            Node::Product(c) => {
                let free =
                    usize::from(pool.as_number(c[0]).is_some_and(|r| r.abs() == num_traits::One::one()));
                let under = c.iter().filter(|&&f| divides(pool, f)).count();
                // A quotient multiplies what is over and under the bar and divides once.
                let multiplications = c.len() - 1 - free;
                match under {
                    0 => multiplications as u64,
                    _ => DIVISION + multiplications.saturating_sub(1) as u64,
                }
            }
            Node::Power(b, x) => power(pool, *x),
            Node::Call(Function::Sin | Function::Cos, x) => {
                if angles.insert(*x) {
                    SIN_COS
                } else {
                    1
                }
            }
            Node::Call(..) | Node::Atan2(..) => CALL,
        };
    }
    total
}

/// Whether this factor stands under the fraction bar.
fn divides(pool: &Pool, factor: Expr) -> bool {
    match pool.node(factor) {
        Node::Power(_, x) => pool.as_number(*x).is_some_and(Signed::is_negative),
        _ => false,
    }
}

/// Cost of a power apart from the division, which its product pays.
fn power(pool: &Pool, exponent: Expr) -> u64 {
    let Some(x) = pool.as_number(exponent) else { return 2 * CALL };
    let root = match x.denom().to_u32() {
        Some(1) => 0,
        Some(2) => SQRT,
        _ => return 2 * CALL,
    };
    // Half-integer powers are a root times an integer power.
    let n = x.to_integer().abs().to_u64().unwrap_or(u64::MAX);
    root + match n {
        0 | 1 => 0,
        n => u64::from(n.ilog2()) + u64::from(n.count_ones()) - 1,
    }
}
