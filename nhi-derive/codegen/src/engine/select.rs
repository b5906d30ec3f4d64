//! Choosing between equal expressions.

use crate::expr::{Expr, Pool};

/// Of several equal expressions the cheapest to evaluate, the first of those if there are more.
pub(super) fn cheapest_alone(pool: &Pool, candidates: &[Expr]) -> Expr {
    improve(pool, &[candidates.to_vec()], vec![candidates[0]]).0[0]
}

/// Of `candidates[i]`, all equal, one each such that all together cost least to evaluate, as far as
/// two greedy passes find out. The first candidate is what was asked; ties go to the earlier one.
///
/// One pass starts from the originals, the other from what is cheapest alone: the sine of an angle
/// is worth removing only where every expression can do without it.
pub(super) fn cheapest(pool: &Pool, candidates: &[Vec<Expr>]) -> Vec<Expr> {
    let originals: Vec<Expr> = candidates.iter().map(|c| c[0]).collect();
    let alone: Vec<Expr> = candidates.iter().map(|c| cheapest_alone(pool, c)).collect();
    let from_originals = improve(pool, candidates, originals);
    let from_alone = improve(pool, candidates, alone);
    if from_alone.1 < from_originals.1 { from_alone.0 } else { from_originals.0 }
}

/// Replaces one expression after the other by the candidate that lowers the total cost most.
fn improve(pool: &Pool, candidates: &[Vec<Expr>], mut chosen: Vec<Expr>) -> (Vec<Expr>, usize) {
    let mut best = pool.cost(&chosen).weight();
    for (i, choices) in candidates.iter().enumerate() {
        let mut winner = chosen[i];
        let mut tried = vec![winner];
        for &c in choices {
            if tried.contains(&c) {
                continue;
            }
            tried.push(c);
            chosen[i] = c;
            let total = pool.cost(&chosen).weight();
            if total < best {
                best = total;
                winner = c;
            }
        }
        chosen[i] = winner;
    }
    (chosen, best)
}
