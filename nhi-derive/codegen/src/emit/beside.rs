//! Angles close to ones that are known earlier: `theta_1.sin_cos_beside(theta)`.
//!
//! Saves waiting: the turns that are taken off an angle before its sine and cosine are computed are those of the
//! coordinate that a step moves to it, as a rule, and known before it. Results stay what they are, bit for bit.

use crate::expr::{Expr, Pool};
use crate::pass::{Latency, moved};
use crate::program::{Constants, Program};
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
    let mut moved = moved(pool, program);
    moved.retain(|&angle, &mut from| {
        let [late, early] = [angle, from].map(|e| latency.get(pool, constants, e));
        late > early + TURNS
    });
    moved
}
