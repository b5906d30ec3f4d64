//! Horizontal symmetries: directions in which the system may be moved and in which no reaction acts.

use super::Mechanics;
use crate::expr::{Expr, Rational};
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::collections::BTreeMap;

/// A constant direction ξ along which L is invariant and no force acts, and which all one-forms annihilate:
///
/// ```text
/// ξ·∂L/∂q = 0,   f·ξ = 0,   μ(q) ξ = 0   for all q, v, t.
/// ```
///
/// Then d/dt (p·ξ) = (∂L/∂q + f + μᵀλ)·ξ = 0 with p = ∂L/∂v. The one-forms may change along ξ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symmetry {
    /// The conserved momentum p·ξ in words, `p_phi` or `p_x + 2*p_y`.
    pub momentum: String,
    /// ξ, n integers without a common divisor, the first of which is positive.
    pub direction: Vec<i32>,
}

/// Terms up to which forces are multiplied out in search of cancellations.
const EXPANSION_LIMIT: usize = 200;

/// A basis of the constant directions that are seen to be symmetries when everything is multiplied
/// out. Beside a group factor these are directions of the coordinates alone.
pub(super) fn symmetries(x: &mut Mechanics) -> Vec<Symmetry> {
    let covectors: Vec<Vec<Expr>> = [&x.dl_dq, &x.force].into_iter().chain(&x.mu).cloned().collect();
    annihilated(x, &covectors)
}

/// A basis of the constant directions ξ along which L is invariant and no force acts, whatever the reactions do:
/// d/dt (p·ξ) = (μ ξ)·λ. Beside a group factor these are directions of the coordinates alone.
fn invariances(x: &mut Mechanics) -> Vec<Symmetry> {
    let covectors = [x.dl_dq.clone(), x.force.clone()];
    annihilated(x, &covectors)
}

/// As many of the [`invariances`] as are independent of the symmetries: those along which reactions act.
pub(super) fn with_reactions(x: &mut Mechanics) -> Vec<Symmetry> {
    let mut rows: Vec<Vec<Expr>> = Vec::new();
    let mut row = |x: &mut Mechanics, symmetry: &Symmetry| -> bool {
        rows.push(symmetry.direction.iter().map(|&c| x.system.pool.int(i64::from(c))).collect());
        let is_independent = x.system.pool.rank(&rows) == rows.len();
        if !is_independent {
            rows.pop();
        }
        is_independent
    };
    for symmetry in &x.symmetries.clone() {
        row(x, symmetry);
    }
    let mut all = invariances(x);
    all.retain(|symmetry| row(x, symmetry));
    all
}

/// A basis of the constant directions that are seen to be annihilated by `covectors`.
fn annihilated(x: &mut Mechanics, covectors: &[Vec<Expr>]) -> Vec<Symmetry> {
    let n = x.n();
    let k = n - x.system.group.map_or(0, |group| group.dimension);
    let mut reduced = Echelon::default();
    for covector in covectors {
        for equation in equations(x, &covector[..k]) {
            reduced.insert(equation);
        }
    }
    let directions = (0..k).filter_map(|free| reduced.solution(free, n));
    directions.map(|direction| Symmetry { momentum: words(x, &direction), direction }).collect()
}

/// Σ ξᵢ eᵢ = 0 as linear equations for ξ: one for each product of functions that occurs.
fn equations(x: &mut Mechanics, e: &[Expr]) -> Vec<Vec<Rational>> {
    let pool = &mut x.system.pool;
    let mut coefficients: BTreeMap<Expr, Vec<Rational>> = BTreeMap::new();
    for (i, &e_i) in e.iter().enumerate() {
        if pool.vanishes(e_i) {
            continue;
        }
        let expanded = pool.expand(e_i, EXPANSION_LIMIT).unwrap_or(e_i);
        for term in pool.terms(expanded) {
            let (c, product) = pool.split_coefficient(term);
            let row = coefficients.entry(product).or_insert_with(|| vec![Rational::zero(); e.len()]);
            row[i] += c;
        }
    }
    coefficients.into_values().collect()
}

/// Linear equations in reduced row echelon form, by the column of their leading one.
#[derive(Default)]
struct Echelon {
    rows: BTreeMap<usize, Vec<Rational>>,
}

impl Echelon {
    fn insert(&mut self, mut row: Vec<Rational>) {
        for (&lead, known) in &self.rows {
            subtract(&mut row, lead, known);
        }
        let Some(lead) = row.iter().position(|x| !x.is_zero()) else { return };
        let scale = row[lead].recip();
        for x in &mut row {
            *x *= &scale;
        }
        for known in self.rows.values_mut() {
            subtract(known, lead, &row);
        }
        self.rows.insert(lead, row);
    }

    /// The solution in which the unknown `free` is one and the other free ones are zero, in integers;
    /// none where `free` is not free or the integers are unreasonable.
    fn solution(&self, free: usize, n: usize) -> Option<Vec<i32>> {
        if self.rows.contains_key(&free) {
            return None;
        }
        let mut x = vec![Rational::zero(); n];
        x[free] = Rational::one();
        for (&lead, row) in &self.rows {
            x[lead] = -row[free].clone();
        }
        let denominator = x.iter().fold(Rational::one().to_integer(), |d, x| d.lcm(x.denom()));
        let negative = x.iter().find(|x| !x.is_zero()).is_some_and(Signed::is_negative);
        let scale = Rational::from(if negative { -denominator } else { denominator });
        x.iter().map(|x| (x * &scale).to_integer().to_i32()).collect()
    }
}

/// `row` without its entry in the column where `known` has a leading one.
fn subtract(row: &mut [Rational], lead: usize, known: &[Rational]) {
    let c = row[lead].clone();
    if !c.is_zero() {
        for (x, k) in row.iter_mut().zip(known) {
            *x -= &c * k;
        }
    }
}

/// `p_x + 2*p_y`.
fn words(x: &Mechanics, direction: &[i32]) -> String {
    let mut text = String::new();
    for (&c, coordinate) in direction.iter().zip(&x.system.coordinates) {
        if c == 0 {
            continue;
        }
        text += match (text.is_empty(), c < 0) {
            (true, _) => "",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        if c.unsigned_abs() != 1 {
            text += &format!("{}*", c.unsigned_abs());
        }
        text += &format!("p_{}", coordinate.name);
    }
    text
}
