//! Discrete-time Riccati equations.

use crate::LqrError;
use alloc::string::String;
use alloc::vec::Vec;
use nalgebra::{Cholesky, Complex, ComplexField, DMatrix, Dyn, SVD};

/// Modes whose eigenvalue has at least this modulus do not decay within a simulation.
const DECAYS_BELOW: f64 = 1.0 - 1e-9;

/// Singular values of [A − λ, B] below this, relative to the norm of A and B, are zero.
const RANK_TOLERANCE: f64 = 1e-9;

/// Doublings: after k of them, 2^k steps of the recursion are done.
const MAX_DOUBLINGS: usize = 60;

/// The optimal feedback δu = −K δx of a linear system for the cost Σ δxᵀQ δx + δuᵀR δu.
#[derive(Clone, PartialEq, Debug)]
pub struct Lqr {
    /// K, inputs × states.
    pub gain: DMatrix<f64>,
    /// P of the remaining cost δxᵀP δx.
    pub cost: DMatrix<f64>,
    /// Eigenvalues of A − B K, the largest first.
    pub eigenvalues: Vec<Complex<f64>>,
}

/// The optimal feedback of δx' = A δx + B δu for the cost Σ δxᵀQ δx + δuᵀR δu over all steps.
///
/// ```text
/// P = Q + AᵀP A − AᵀP B K,   K = (R + BᵀP B)⁻¹ BᵀP A.
/// ```
///
/// P is computed by the structure-preserving doubling algorithm (Chu, Fan, Lin and Wang, *Structure-preserving algorithms for
/// periodic discrete-time algebraic Riccati equations*, Int. J. Control 77, 2004).
///
/// # Errors
/// [`LqrError::Shape`], [`LqrError::NonFinite`] and [`LqrError::Weights`] for the arguments; [`LqrError::Uncontrollable`] and
/// [`LqrError::Unweighted`] name a mode that no feedback stabilises, or that does not count.
pub fn lqr(a: &DMatrix<f64>, b: &DMatrix<f64>, q: &DMatrix<f64>, r: &DMatrix<f64>) -> Result<Lqr, LqrError> {
    optimal((a, b), q, r, &|i| format!("x[{i}]"))
}

/// The same, with names of the entries of x.
pub(crate) fn optimal(
    (a, b): (&DMatrix<f64>, &DMatrix<f64>),
    q: &DMatrix<f64>,
    r: &DMatrix<f64>,
    name: &dyn Fn(usize) -> String,
) -> Result<Lqr, LqrError> {
    let n = a.nrows();
    has_shape("a", a, (n, n))?;
    has_shape("b", b, (n, b.ncols()))?;
    let inverse = factored_weights(q, n, r, b.ncols())?.inverse();
    let named = |direction: Vec<f64>| direction.into_iter().enumerate().map(|(i, x)| (name(i), x)).collect();
    for eigenvalue in undamped(a) {
        if let Some(direction) = unreached(&a.transpose(), &b.transpose(), eigenvalue) {
            return Err(LqrError::Uncontrollable { eigenvalue, direction: named(direction) });
        }
        if let Some(direction) = unreached(a, q, eigenvalue) {
            return Err(LqrError::Unweighted { eigenvalue, direction: named(direction) });
        }
    }
    let (mut a_k, mut g, mut h) = (a.clone(), b * &inverse * b.transpose(), q.clone());
    let one = DMatrix::identity(n, n);
    for _ in 0..MAX_DOUBLINGS {
        let lu = (&one + &g * &h).lu();
        let both = lu.solve(&a_k).zip(lu.solve(&g));
        let (w_a, w_g) = both.ok_or(LqrError::NoConvergence)?;
        let change = a_k.transpose() * &h * &w_a;
        g += &a_k * w_g * a_k.transpose();
        g = symmetric(&g);
        a_k = &a_k * w_a;
        h = symmetric(&(h + &change));
        if !h.iter().all(|x| x.is_finite()) {
            return Err(LqrError::NoConvergence);
        }
        if change.norm() <= 4.0 * f64::EPSILON * h.norm() {
            let gain = gain(a, b, r, &h).ok_or(LqrError::NoConvergence)?;
            let closed = a - b * &gain;
            let mut eigenvalues: Vec<Complex<f64>> = closed.complex_eigenvalues().iter().copied().collect();
            eigenvalues.sort_by(|x, y| y.modulus().total_cmp(&x.modulus()));
            return Ok(Lqr { gain, cost: h, eigenvalues });
        }
    }
    Err(LqrError::NoConvergence)
}

/// The optimal feedback along a motion, with the derivatives Aₖ and Bₖ of its steps: gains Kₖ, one for each step, for the cost
/// Σ δxₖᵀQ δxₖ + δuₖᵀR δuₖ and δxᵀQ_end δx at the end.
///
/// # Errors
/// As [`lqr`], of the shapes and weights.
pub fn track(
    steps: &[(DMatrix<f64>, DMatrix<f64>)],
    q: &DMatrix<f64>,
    r: &DMatrix<f64>,
    q_end: &DMatrix<f64>,
) -> Result<Vec<DMatrix<f64>>, LqrError> {
    let (n, k) = (q.nrows(), r.nrows());
    factored_weights(q, n, r, k)?;
    is_semidefinite("q_end", q_end, n)?;
    let mut p = q_end.clone();
    let mut gains = Vec::with_capacity(steps.len());
    for (a, b) in steps.iter().rev() {
        has_shape("a", a, (n, n))?;
        has_shape("b", b, (n, k))?;
        let gain = gain(a, b, r, &p).ok_or(LqrError::Weights { matrix: "r" })?;
        p = symmetric(&(q + a.transpose() * &p * (a - b * &gain)));
        gains.push(gain);
    }
    gains.reverse();
    Ok(gains)
}

/// (R + BᵀP B)⁻¹ BᵀP A
fn gain(a: &DMatrix<f64>, b: &DMatrix<f64>, r: &DMatrix<f64>, p: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let b_p = b.transpose() * p;
    Some((r + &b_p * b).cholesky()?.solve(&(b_p * a)))
}

fn symmetric(x: &DMatrix<f64>) -> DMatrix<f64> {
    0.5 * (x + x.transpose())
}

fn has_shape(matrix: &'static str, x: &DMatrix<f64>, expected: (usize, usize)) -> Result<(), LqrError> {
    let found = x.shape();
    if found != expected {
        return Err(LqrError::Shape { matrix, expected, found });
    }
    if x.iter().all(|x| x.is_finite()) { Ok(()) } else { Err(LqrError::NonFinite { matrix }) }
}

/// The Cholesky factor of R, if Q and R are weights.
fn factored_weights(
    q: &DMatrix<f64>,
    n: usize,
    r: &DMatrix<f64>,
    k: usize,
) -> Result<Cholesky<f64, Dyn>, LqrError> {
    is_semidefinite("q", q, n)?;
    has_shape("r", r, (k, k))?;
    let is_symmetric = (r - r.transpose()).norm() <= 1e-12 * r.norm();
    let factor = if is_symmetric { r.clone().cholesky() } else { None };
    factor.ok_or(LqrError::Weights { matrix: "r" })
}

fn is_semidefinite(matrix: &'static str, q: &DMatrix<f64>, n: usize) -> Result<(), LqrError> {
    has_shape(matrix, q, (n, n))?;
    let rounding = 1e-12 * q.norm();
    let is = (q - q.transpose()).norm() <= rounding
        && symmetric(q).symmetric_eigenvalues().iter().all(|&x| x >= -rounding);
    if is { Ok(()) } else { Err(LqrError::Weights { matrix }) }
}

/// The eigenvalues of modes that do not decay.
fn undamped(a: &DMatrix<f64>) -> Vec<Complex<f64>> {
    let all = a.complex_eigenvalues();
    all.iter().copied().filter(|eigenvalue| eigenvalue.modulus() >= DECAYS_BELOW).collect()
}

/// A vector w with A w = λ w and C w = 0, its real part, if there is one.
fn unreached(a: &DMatrix<f64>, c: &DMatrix<f64>, eigenvalue: Complex<f64>) -> Option<Vec<f64>> {
    let n = a.nrows();
    let shifted = a.map(|x| Complex::new(x, 0.0)) - DMatrix::identity(n, n) * eigenvalue;
    let mut rows = shifted.insert_rows(n, c.nrows(), Complex::new(0.0, 0.0));
    // Rows of C of the size of A, whatever its units.
    let scale = if c.norm() > 0.0 { a.norm() / c.norm() } else { 0.0 };
    rows.rows_mut(n, c.nrows()).copy_from(&c.map(|x| Complex::new(scale * x, 0.0)));
    let svd = SVD::new(rows, false, true);
    let (place, &least) = svd.singular_values.iter().enumerate().min_by(|x, y| x.1.total_cmp(y.1))?;
    if least > RANK_TOLERANCE * a.norm() {
        return None;
    }
    let w: Vec<Complex<f64>> = svd.v_t?.row(place).iter().map(|x| x.conj()).collect();
    // The phase for which the largest entry is real.
    let largest = w.iter().copied().max_by(|x, y| x.modulus().total_cmp(&y.modulus()))?;
    let real: Vec<f64> = w.iter().map(|x| (x / largest).re).collect();
    let length = real.iter().map(|x| x * x).sum::<f64>().sqrt();
    Some(real.into_iter().map(|x| x / length).collect())
}
