//! Angles close to ones that are known earlier: `theta_1.sin_cos_beside(theta)`.
//!
//! Saves waiting: the turns that are taken off an angle before its sine and cosine are computed are those of the
//! coordinate that a step moves to it, as a rule, and known before it. Results stay what they are, bit for bit.

use crate::expr::{Expr, Node, Pool};
use crate::pass::Latency;
use crate::program::{Constants, Program, Statement};
use std::collections::BTreeMap;

/// Cycles in which the turns of an angle are found: an earlier one has to be there before that.
const TURNS: u32 = 16;

/// The coordinate that each bound sum of one and other terms was, if it is known much earlier.
pub(super) fn beside(
    pool: &mut Pool,
    constants: &mut Constants,
    latency: &mut Latency,
    program: &Program,
) -> BTreeMap<Expr, Expr> {
    let mut moved: BTreeMap<Expr, Expr> =
        program.symbols("q").iter().map(|&symbol| (symbol, symbol)).collect();
    for statement in &program.body {
        let Statement::Let { symbol, value } = statement else { continue };
        let Node::Sum(terms) = pool.node(*value) else { continue };
        if let [from] = terms.iter().filter_map(|term| moved.get(term).copied()).collect::<Vec<_>>()[..] {
            moved.insert(*symbol, from);
        }
    }
    moved.retain(|&angle, &mut from| {
        let [late, early] = [angle, from].map(|e| latency.get(pool, constants, e));
        late > early + TURNS
    });
    moved
}
