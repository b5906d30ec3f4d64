//! Choosing between equal expressions.

use super::cost::cost;
use crate::expr::{Expr, Pool};

/// Of `candidates[i]`, all equal, one each such that all together cost least to evaluate, as far as
/// two greedy passes find out. The first candidate is what was asked; ties go to the earlier one.
///
/// One pass starts from the originals, the other from what is cheapest alone: an angle's sine is
/// worth removing only where every expression can do without it.
pub(crate) fn cheapest(pool: &Pool, candidates: &[Vec<Expr>]) -> Vec<Expr> {
    let originals: Vec<Expr> = candidates.iter().map(|c| c[0]).collect();
    let alone: Vec<Expr> = candidates
        .iter()
        .map(|c| c.iter().copied().min_by_key(|&e| cost(pool, &[e])).unwrap_or(c[0]))
        .collect();
    let from_originals = improve(pool, candidates, originals);
    let from_alone = improve(pool, candidates, alone);
    if from_alone.1 < from_originals.1 { from_alone.0 } else { from_originals.0 }
}

/// Replaces one expression after the other by the candidate that lowers the total cost most.
fn improve(pool: &Pool, candidates: &[Vec<Expr>], mut chosen: Vec<Expr>) -> (Vec<Expr>, u64) {
    let mut best = cost(pool, &chosen);
    for (i, choices) in candidates.iter().enumerate() {
        let mut winner = chosen[i];
        for &c in choices {
            chosen[i] = c;
            let total = cost(pool, &chosen);
            if total < best {
                best = total;
                winner = c;
            }
        }
        chosen[i] = winner;
    }
    (chosen, best)
}
