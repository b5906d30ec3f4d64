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

/// Bases of the constant directions that are seen to be symmetries when everything is multiplied out, and of further ones along
/// which L is invariant and no force acts, but reactions do: d/dt (p·ξ) = (μ ξ)·λ. Beside a group factor these are directions
/// of the coordinates alone.
pub(super) fn symmetries(x: &mut Mechanics) -> [Vec<Symmetry>; 2] {
    let mut reduced = Echelon::default();
    reduced.annihilate(x, &[x.dl_dq.clone(), x.force.clone()]);
    let mut invariances = reduced.directions(x);
    reduced.annihilate(x, &x.mu.clone());
    let symmetries = reduced.directions(x);
    // As many as are independent of the symmetries.
    let mut rows: Vec<Vec<Expr>> = Vec::new();
    let mut is_independent = |symmetry: &Symmetry| {
        rows.push(symmetry.direction.iter().map(|&c| x.system.pool.int(i64::from(c))).collect());
        let is_independent = x.system.pool.rank(&rows) == rows.len();
        if !is_independent {
            rows.pop();
        }
        is_independent
    };
    symmetries.iter().for_each(|symmetry| _ = is_independent(symmetry));
    invariances.retain(is_independent);
    [symmetries, invariances]
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
    /// Adds the equations for directions that are annihilated by covectors.
    fn annihilate(&mut self, x: &mut Mechanics, covectors: &[Vec<Expr>]) {
        let k = x.system.shape();
        for covector in covectors {
            for equation in equations(x, &covector[..k]) {
                self.insert(equation);
            }
        }
    }

    /// A basis of the solutions.
    fn directions(&self, x: &Mechanics) -> Vec<Symmetry> {
        let directions = (0..x.system.shape()).filter_map(|free| self.solution(free, x.n()));
        directions.map(|direction| Symmetry { momentum: words(x, &direction), direction }).collect()
    }

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
