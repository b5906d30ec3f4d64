//! Choosing between equal expressions.

use crate::expr::{Expr, Pool};
use std::collections::HashMap;

/// How many of the cheapest forms of one expression are tried together with those of the others.
const KEPT: usize = 4;

/// The cheapest of several equal expressions, the first one of equal cost, of those that keep the digits of the first.
pub(super) fn cheapest_alone(pool: &Pool, forms: &[Expr]) -> Expr {
    ranked(pool, forms)[0]
}

/// Of `forms[i]`, all equal, one each such that all together cost least to evaluate, as far as two
/// greedy passes find out. The first form is what was asked; ties go to the earlier one. Forms that lose digits are left out.
///
/// One pass starts from the originals, the other from the forms that are cheapest in isolation: the sine of an angle
/// is worth removing only where every expression can do without it.
pub(super) fn cheapest(pool: &Pool, forms: &[Vec<Expr>]) -> Vec<Expr> {
    let best: Vec<Vec<Expr>> = forms.iter().map(|f| ranked(pool, f)).collect();
    let alone: Vec<Expr> = best.iter().map(|f| f[0]).collect();
    if forms.len() < 2 {
        return alone;
    }
    let originals = forms.iter().map(|f| f[0]).collect();
    let from_originals = improve(pool, &best, originals);
    let from_alone = improve(pool, &best, alone);
    if from_alone.1 < from_originals.1 { from_alone.0 } else { from_originals.0 }
}

/// The cheapest forms that keep the digits of the first one, cheapest first.
fn ranked(pool: &Pool, forms: &[Expr]) -> Vec<Expr> {
    let (mut distinct, _) = distinct(forms);
    distinct.sort_by_cached_key(|&e| pool.cost(&[e]).weight());
    distinct.into_iter().filter(|&e| !pool.loses_digits(forms[0], e)).take(KEPT).collect()
}

/// The expressions without repetitions, and where each went.
pub(super) fn distinct(exprs: &[Expr]) -> (Vec<Expr>, Vec<usize>) {
    let mut found: Vec<Expr> = Vec::new();
    let mut positions: HashMap<Expr, usize> = HashMap::new();
    let places = exprs
        .iter()
        .map(|&e| {
            *positions.entry(e).or_insert_with(|| {
                found.push(e);
                found.len() - 1
            })
        })
        .collect();
    (found, places)
}

/// Replaces one expression after the other by the form that lowers the total cost most.
fn improve(pool: &Pool, forms: &[Vec<Expr>], mut chosen: Vec<Expr>) -> (Vec<Expr>, usize) {
    let mut best = pool.cost(&chosen).weight();
    for (i, forms) in forms.iter().enumerate() {
        let mut winner = chosen[i];
        for &form in forms.iter().filter(|&&f| f != winner).collect::<Vec<_>>() {
            chosen[i] = form;
            let total = pool.cost(&chosen).weight();
            if total < best {
                best = total;
                winner = form;
            }
        }
        chosen[i] = winner;
    }
    (chosen, best)
}
