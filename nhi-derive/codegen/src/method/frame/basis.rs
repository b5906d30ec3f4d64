//! An orthogonal basis of the admissible velocities, and how it turns.
//!
//! ```text
//! v = Y(q, t) η + w(q, t),   μ Y = 0,   μ w + μ₀ = 0,   YᵀM Y = D,   YᵀM w = 0,
//! ```
//!
//! with D diagonal: Y is the basis that derivatives of steps refer to, made orthogonal without roots (Gram and Schmidt), in the
//! order in which the fewest entries are filled. w is the slowest admissible velocity. The orthonormal frame of the method is
//! X = Y N with N = D^(−1/2), and N = 1 where an entry of D is constant: a constant factor of a column does not change the
//! method.
//!
//! In the components ν of v = X ν + w, η = N ν, the kinetic energy of the equations of motion (Hamel) is in
//!
//! ```text
//! N_a Σ_bc E_abc η_b η_c,   E_abc = ⟨M Y_c, [Y_b, Y_a]⟩ + ½ (δ_bc Y_a(D_b) − δ_ac Y_b(D_a)),   E_abc = −E_bac,
//! ```
//!
//! where w counts as a further column with η = 1 and contains ∂/∂t, and Y(f) is the derivative along Y. What is skew does no
//! work. All of this is written in terms of q and t.

use crate::engine::{BuiltIn, Engine};
use crate::expr::linear::{Matrix, dot};
use crate::expr::{Expr, Zero};
use crate::method::builder::{Builder, least_degree, names_of_forms};
use crate::method::derivative::{TangentBasis, tangent_basis};
use crate::program::Singular;

/// An entry of more operations is not simplified.
const LONG: usize = 200;

/// The basis in terms of q and t.
pub(super) struct Basis {
    /// Y, by columns.
    columns: Matrix,
    /// w.
    drift: Vec<Expr>,
    /// D.
    squares: Vec<Expr>,
    /// Twice the kinetic energy of the columns before they are made orthogonal, the scale of D.
    diagonal: Vec<Expr>,
    /// Whether an entry of D varies, so that the frame has N = D^(−1/2) there.
    varies: Vec<bool>,
    /// The rows of D⁻¹YᵀM, or of YᵀM where D varies: ν are N times these components of a velocity.
    dual: Matrix,
    /// E.
    pub(super) turns: Vec<Turn>,
}

/// Σ_c E_abc η_c for one pair of columns: b does −(this) η_a where a does (this) η_b.
pub(super) struct Turn {
    pub(super) a: usize,
    /// The number of columns stands for w.
    pub(super) b: usize,
    /// E_abc by c.
    pub(super) by: Vec<Expr>,
}

/// The basis at a point.
pub(super) struct Frame {
    /// Y, by columns.
    pub(super) columns: Matrix,
    /// w.
    pub(super) drift: Vec<Expr>,
    /// N.
    pub(super) norms: Vec<Expr>,
    /// XᵀM X: constants, and 1 where N ≠ 1.
    pub(super) weights: Vec<Expr>,
    /// (XᵀM X)⁻¹XᵀM without N, by rows.
    dual: Matrix,
}

impl Basis {
    pub(super) fn of(b: &mut Builder<'_>) -> Basis {
        let TangentBasis { basis, drift, .. } = tangent_basis(b.x);
        let t = b.x.system.t;
        let d = basis.first().map_or(0, Vec::len);
        let given: Matrix = (0..d).map(|k| basis.iter().map(|row| row[k]).collect()).collect();
        let mass = b.x.mass.clone();
        let moved: Matrix = given.iter().map(|x| b.apply(&mass, x)).collect();
        let mut gram = vec![vec![b.pool().zero(); d]; d];
        for k in 0..d {
            for l in k..d {
                let entry = dot(b.pool(), &given[k], &moved[l]);
                gram[k][l] = simple(b, entry);
                gram[l][k] = gram[k][l];
            }
        }
        let order: Vec<usize> =
            least_degree(b.pool(), &gram, Vec::new()).iter().map(|pivot| pivot[0]).collect();
        let (mut columns, mut squares): (Matrix, Vec<Expr>) = (Vec::new(), Vec::new());
        // ⟨Y_j, M X_k⟩ for j before k.
        let mut entries: Matrix = Vec::new();
        for (place, &k) in order.iter().enumerate() {
            let mut row: Vec<Expr> = Vec::with_capacity(place);
            let mut column = given[k].clone();
            let mut square = gram[k][k];
            for j in 0..place {
                let mut entry = gram[order[j]][k];
                for i in 0..j {
                    let quotient = b.pool().div(entries[j][i], squares[i]);
                    let product = b.mul(quotient, row[i]);
                    entry = b.sub(entry, product);
                }
                let entry = simple(b, entry);
                let quotient = b.pool().div(entry, squares[j]);
                let minus = b.pool().neg(quotient);
                column = b.axpy(&column, minus, &columns[j]);
                let product = b.mul(quotient, entry);
                square = b.sub(square, product);
                row.push(entry);
            }
            columns.push(column.into_iter().map(|e| simple(b, e)).collect());
            squares.push(simple(b, square));
            entries.push(row);
        }
        let mut slowest = drift;
        let momentum = b.apply(&mass, &slowest);
        for (column, &square) in columns.iter().zip(&squares) {
            let along = dot(b.pool(), column, &momentum);
            let quotient = b.pool().div(along, square);
            let minus = b.pool().neg(quotient);
            slowest = b.axpy(&slowest, minus, column);
        }
        let drift: Vec<Expr> = slowest.into_iter().map(|e| simple(b, e)).collect();
        let diagonal = order.iter().map(|&k| gram[k][k]).collect();
        let places: Vec<Expr> = b.x.q.iter().copied().chain([t]).collect();
        let varies: Vec<bool> = squares.iter().map(|&e| b.pool().depends_on(e, &places)).collect();
        let mut dual = Vec::with_capacity(d);
        for ((column, &square), &varies) in columns.iter().zip(&squares).zip(&varies) {
            let factor = if varies { b.pool().one() } else { b.pool().recip(square) };
            let row: Vec<Expr> = b.apply(&mass, column).into_iter().map(|e| b.mul(factor, e)).collect();
            dual.push(row.into_iter().map(|e| simple(b, e)).collect());
        }
        let mut basis = Basis { columns, drift, squares, diagonal, varies, dual, turns: Vec::new() };
        basis.turns = basis.turns(b);
        basis
    }

    /// Number of columns of Y.
    pub(super) fn len(&self) -> usize {
        self.columns.len()
    }

    /// E where it does not vanish.
    fn turns(&self, b: &mut Builder<'_>) -> Vec<Turn> {
        let d = self.len();
        let mass = b.x.mass.clone();
        let fields: Matrix = self.columns.iter().chain([&self.drift]).cloned().collect();
        let momenta: Matrix = fields.iter().map(|field| b.apply(&mass, field)).collect();
        let half = b.pool().ratio(1, 2);
        let mut squares = self.squares.clone();
        let square = dot(b.pool(), &self.drift, &momenta[d]);
        squares.push(simple(b, square));
        let mut turns = Vec::new();
        for a in 0..d {
            for other in a + 1..=d {
                let bracket = self.bracket(b, &fields, other, a);
                let mut by = Vec::with_capacity(d + 1);
                for c in 0..=d {
                    let mut entry = dot(b.pool(), &momenta[c], &bracket);
                    // D_c changes along the other one of the two.
                    let change = match c {
                        _ if c == other => Some((a, half)),
                        _ if c == a => Some((other, b.pool().neg(half))),
                        _ => None,
                    };
                    if let Some((along, factor)) = change {
                        let rate = self.rate(b, &fields, along, squares[c]);
                        let change = b.mul(factor, rate);
                        entry = b.add(entry, change);
                    }
                    by.push(simple(b, entry));
                }
                if by.iter().any(|&e| !b.pool().is_zero(e)) {
                    turns.push(Turn { a, b: other, by });
                }
            }
        }
        turns
    }

    /// The derivative of a function of q and t along a field; the last one, w, contains ∂/∂t.
    fn rate(&self, b: &mut Builder<'_>, fields: &Matrix, field: usize, e: Expr) -> Expr {
        let (q, t, anchor) = (b.x.q.clone(), b.x.system.t, b.x.anchor.clone());
        let mut terms = Vec::new();
        for (&q, row) in q.iter().zip(&anchor) {
            if b.pool().depends_on(e, &[q]) {
                let slope = b.pool().derivative(e, q);
                let rate = dot(b.pool(), row, &fields[field]);
                terms.push(b.mul(slope, rate));
            }
        }
        if field == self.len() {
            terms.push(b.pool().derivative(e, t));
        }
        b.pool().sum(&terms)
    }

    /// [first, second], velocities of bodies along the basis of the Lie algebra.
    fn bracket(&self, b: &mut Builder<'_>, fields: &Matrix, first: usize, second: usize) -> Vec<Expr> {
        let k = b.x.system.shape();
        let mut bracket = Vec::with_capacity(fields[first].len());
        for i in 0..fields[first].len() {
            let forwards = self.rate(b, fields, first, fields[second][i]);
            let backwards = self.rate(b, fields, second, fields[first][i]);
            bracket.push(b.sub(forwards, backwards));
        }
        if let Some(group) = b.x.system.group {
            let ad = (group.ad)(b.pool(), &fields[first][k..]);
            let turned = b.apply(&ad, &fields[second][k..]);
            for (entry, turned) in bracket[k..].iter_mut().zip(turned) {
                *entry = b.add(*entry, turned);
            }
        }
        bracket.into_iter().map(|e| simple(b, e)).collect()
    }

    /// The basis at (q, t).
    pub(super) fn at(&self, b: &mut Builder<'_>, q: &[Expr], t: Expr) -> Frame {
        let (v, one) = (b.x.v.clone(), b.pool().one());
        let columns = self.columns.iter().map(|column| b.at(column, q, &v, t)).collect();
        let drift = b.at(&self.drift, q, &v, t);
        let squares = b.at(&self.squares, q, &v, t);
        let minus_half = b.pool().ratio(-1, 2);
        let norm =
            |(&square, &varies): (&Expr, &bool)| if varies { b.pool().pow(square, minus_half) } else { one };
        let norms = squares.iter().zip(&self.varies).map(norm).collect();
        let weights =
            squares.iter().zip(&self.varies).map(|(&square, &varies)| if varies { one } else { square });
        let dual = self.dual.iter().map(|row| b.at(row, q, &v, t)).collect();
        Frame { columns, drift, norms, weights: weights.collect(), dual }
    }

    /// The same, bound, where the function fails if a column vanishes beside the others.
    pub(super) fn tested_at(&self, b: &mut Builder<'_>, q: &[Expr], t: Expr, suffix: &str) -> Frame {
        let v = b.x.v.clone();
        let [squares, diagonal] = [&self.squares, &self.diagonal].map(|e| b.at(e, q, &v, t));
        let what = if b.x.m() == 0 { Singular::Mass } else { Singular::Constraints };
        for (row, (square, diagonal)) in squares.into_iter().zip(diagonal).enumerate() {
            let square = b.bind("square", square);
            let diagonal = b.bind("diagonal", diagonal);
            b.pivot(square, diagonal, what, row);
        }
        let frame = self.at(b, q, t);
        let names = self.names_of_norms(suffix);
        let norms = names.iter().zip(&frame.norms).map(|(name, &norm)| b.bind(name, norm)).collect();
        Frame { norms, ..frame }
    }

    /// Names of N.
    pub(super) fn names_of_norms(&self, suffix: &str) -> Vec<String> {
        names_of_forms("norm", self.len()).iter().map(|name| format!("{name}{suffix}")).collect()
    }
}

impl Frame {
    /// ν of v, the components of its orthogonal projection.
    pub(super) fn components(&self, b: &mut Builder<'_>, v: &[Expr]) -> Vec<Expr> {
        let parts = b.apply(&self.dual, v);
        self.norms.iter().zip(parts).map(|(&norm, part)| b.mul(norm, part)).collect()
    }

    /// η = N ν, and 1 for w.
    pub(super) fn parts(&self, b: &mut Builder<'_>, nu: &[Expr]) -> Vec<Expr> {
        let one = b.pool().one();
        self.norms.iter().zip(nu).map(|(&norm, &nu)| b.mul(norm, nu)).chain([one]).collect()
    }

    /// Y η + w.
    pub(super) fn velocity(&self, b: &mut Builder<'_>, parts: &[Expr]) -> Vec<Expr> {
        self.columns.iter().zip(parts).fold(self.drift.clone(), |v, (column, &part)| b.axpy(&v, part, column))
    }
}

/// An expression without what cancels in it, by an engine of its own, so that the frame does not depend on the engine in use.
fn simple(b: &mut Builder<'_>, e: Expr) -> Expr {
    if b.pool().as_number(e).is_some() {
        return e;
    }
    if b.pool().zero_test(e) == Zero::Yes {
        return b.pool().zero();
    }
    let cost = b.pool().cost(&[e]).weight();
    if cost > LONG {
        return e;
    }
    let simple = BuiltIn.simplify(b.pool(), &[e]).map_or(e, |simple| simple[0]);
    let is_cheaper = b.pool().cost(&[simple]).weight() < cost || b.pool().as_number(simple).is_some();
    if is_cheaper { simple } else { e }
}
