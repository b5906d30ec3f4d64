//! The constraint distribution on R^k × G: its part along the group, the nonholonomic connection and a
//! basis.
//!
//! With velocities v = (u, ξ), one-forms μ = (a | b) and M = (M_rr M_rg; M_gr M_gg) in blocks of u and ξ
//!
//! ```text
//! E    b E = 0                               columns e_b: a basis of 𝔤^q = ker b
//! A    b A = a,   Eᵀ M_gg A = Eᵀ M_gr        of b ξ + a u = 0 is ξ = E Ω − A u the solution
//! D    D = (1 0; −A E)                       a basis of the constraint distribution ker μ
//! J_b  J_b = ⟨p, (0, e_b)⟩                   the nonholonomic momentum
//! ```
//!
//! E Ω is M-orthogonal to the horizontal part −A u; A is the kinematic and the mechanical connection at
//! once. All of it is of the linear part of affine constraints.
//!
//! (Bloch, Krishnaprasad, Marsden and Murray, *Nonholonomic mechanical systems with symmetry*, Arch.
//! Rational Mech. Anal. 136, 1996; Kobilarov, Martín de Diego and Ferraro, *Simulating Nonholonomic
//! Dynamics*.)

use super::Mechanics;
use crate::engine::{Engine, EngineError};
use crate::expr::linear::Matrix;
use crate::expr::linear::{cramer, determinant, product, solve_definite, subtract, transposed};
use crate::expr::{Expr, Pool, Zero};
use num_traits::ToPrimitive;
use std::collections::HashMap;

/// The motions of the pose alone that the constraints of a system with a group factor admit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vertical {
    /// As many one-forms with independent parts b as there are almost everywhere.
    rows: Matrix,
    /// E, n_g × (n_g − rank): polynomial in b, and zero columns at most where the rank of b is lower.
    pub e: Matrix,
    /// Whether the rank of b may be lower somewhere.
    may_vanish: bool,
}

/// How the constraints of a system with a group factor lie to the group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Connection {
    /// Rank of b almost everywhere.
    pub rank: usize,
    /// E of [`Vertical`].
    pub e: Matrix,
    /// A, n_g × k, if b has as many independent rows as there are constraints. With less no motion of
    /// the group makes every motion of the coordinates admissible.
    pub a: Option<Matrix>,
    /// D, n × (n − m); without A another basis of ker μ.
    pub d: Matrix,
    /// det(b; Eᵀ M_gg), if it has zeros of rank b: there E and A are not what they are elsewhere.
    pub regular: Option<Expr>,
}

/// The projectors of covectors along the annihilator of ker μ and onto it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Projectors {
    /// 𝒬* = μᵀ C⁻¹ μ M⁻¹, n × n.
    pub q: Matrix,
    /// 𝒫* = 1 − 𝒬*, n × n.
    pub p: Matrix,
}

impl Vertical {
    /// Of a system with a group factor.
    pub(super) fn of(x: &mut Mechanics, engine: &mut dyn Engine) -> Result<Option<Vertical>, EngineError> {
        if x.system.group.is_trivial() {
            return Ok(None);
        }
        let dimension = x.system.group.dimension();
        let k = x.system.shape();
        let known = Known::new(x);
        let pool = &mut x.system.pool;
        let rows = known.independent(pool, &x.mu, k);
        let b: Matrix = rows.iter().map(|row| row[k..].to_vec()).collect();
        let pivots = known.pivots(pool, engine, &b, dimension)?;
        let e = pivots.kernel(pool, &b, dimension);
        let e = simplify(pool, engine, &known, &e)?;
        let e = pivots.scaled(pool, &known, e);
        let e = known.recognised(pool, e);
        let may_vanish = known.class(pool, pivots.determinant) == Class::OfConfiguration;
        Ok(Some(Vertical { rows, e, may_vanish }))
    }
}

impl Mechanics {
    /// E, A and D of a system with a group factor.
    ///
    /// # Errors
    /// Those of the engine.
    pub fn connection(&mut self, engine: &mut dyn Engine) -> Result<Option<Connection>, EngineError> {
        let Some(vertical) = self.vertical.clone() else { return Ok(None) };
        let Vertical { rows, e, may_vanish } = vertical;
        let (k, n_g, rank) = (self.system.shape(), self.system.group.dimension(), rows.len());
        let known = Known::new(self);
        let pool = &mut self.system.pool;
        let block = |columns: std::ops::Range<usize>| -> Matrix {
            self.mass[k..].iter().map(|row| row[columns.clone()].to_vec()).collect()
        };
        let e_t = transposed(&e, n_g - rank);
        let mut matrix: Matrix = rows.iter().map(|row| row[k..].to_vec()).collect();
        matrix.extend(product(pool, &e_t, &block(k..k + n_g)));
        let det = if k > 0 || may_vanish { determinant(pool, &matrix) } else { pool.one() };
        let det = engine.simplify(pool, &[det])?[0];
        let a = if rank < self.mu.len() {
            None
        } else {
            let mut rhs: Matrix = rows.iter().map(|row| row[..k].to_vec()).collect();
            rhs.extend(product(pool, &e_t, &block(0..k)));
            let mut a = vec![Vec::with_capacity(k); n_g];
            for right in transposed(&rhs, k) {
                for (row, top) in a.iter_mut().zip(cramer(pool, &matrix, &right)) {
                    row.push(top);
                }
            }
            let mut a = simplify(pool, engine, &known, &a)?;
            for entry in a.iter_mut().flatten() {
                *entry = pool.div(*entry, det);
            }
            Some(simplify(pool, engine, &known, &a)?)
        };
        let regular = may_vanish.then_some(det);
        let d = match &a {
            Some(a) => horizontal_and_vertical(pool, a, &e),
            None => {
                let (d, _) = known.null_space(pool, &self.mu, k + n_g, k + n_g);
                simplify(pool, engine, &known, &d)?
            }
        };
        Ok(Some(Connection { rank, e, a, d, regular }))
    }

    /// The projectors of covectors that belong to the one-forms, in closed form.
    ///
    /// # Errors
    /// Those of the engine.
    pub fn projectors(&mut self, engine: &mut dyn Engine) -> Result<Projectors, EngineError> {
        let (n, m) = (self.n(), self.m());
        let known = Known::new(self);
        let pool = &mut self.system.pool;
        let (b, c) = match &self.reaction {
            Some(reaction) => (reaction.b.clone(), reaction.c.clone()),
            None => {
                let b = solve_definite(pool, &self.inertia, &transposed(&self.mu, n));
                let c = product(pool, &self.mu, &b);
                (b, c)
            }
        };
        let lambda = solve_definite(pool, &c, &transposed(&b, m));
        let mut q = match m {
            0 => vec![vec![pool.zero(); n]; n],
            _ => product(pool, &transposed(&self.mu, n), &lambda),
        };
        // What elimination leaves of an inverse mass matrix is not made readable by any effort.
        if self.reaction.is_some() {
            q = simplify(pool, engine, &known, &q)?;
        }
        let one: Matrix = (0..n).map(|i| (0..n).map(|j| pool.int(i64::from(i == j))).collect()).collect();
        let p = subtract(pool, &one, &q);
        Ok(Projectors { q, p })
    }
}

/// Velocities up to which all sets of pivots are compared.
const MAX_PIVOTS: usize = 8;

/// The velocities that the constraints admit, v = D u + w.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Admissible {
    /// D, n × (n − m).
    pub d: Matrix,
    /// w, n; zero if no constraint is affine.
    pub drift: Vec<Expr>,
    /// The velocities that u consists of: D is the identity and w is zero in these rows.
    pub free: Vec<usize>,
}

impl Mechanics {
    /// M⁻¹, simplified.
    ///
    /// # Errors
    /// Those of the engine.
    pub fn inverse_mass(&mut self, engine: &mut dyn Engine) -> Result<Matrix, EngineError> {
        let n = self.n();
        let known = Known::new(self);
        let pool = &mut self.system.pool;
        let one: Matrix = (0..n).map(|i| (0..n).map(|j| pool.int(i64::from(i == j))).collect()).collect();
        let inverse = solve_definite(pool, &self.mass, &one);
        simplify(pool, engine, &known, &inverse)
    }

    /// The admissible velocities, in terms of some of the velocities themselves.
    ///
    /// # Errors
    /// Those of the engine.
    pub fn admissible(&mut self, engine: &mut dyn Engine) -> Result<Admissible, EngineError> {
        let n = self.n();
        let known = Known::new(self);
        let pool = &mut self.system.pool;
        let rows: Matrix =
            self.mu.iter().zip(&self.mu_t).map(|(row, &dt)| [&row[..], &[dt]].concat()).collect();
        let (basis, mut free) = match n <= MAX_PIVOTS {
            true => {
                let pivots = known.pivots(pool, engine, &self.mu, n)?;
                let kernel = pivots.kernel(pool, &rows, n + 1);
                // Numerators first: what is simple over the determinant is seldom found to be so afterwards.
                let mut kernel = simplify(pool, engine, &known, &kernel)?;
                for e in kernel.iter_mut().flatten() {
                    *e = pool.div(*e, pivots.determinant);
                }
                let free = (0..=n).filter(|j| !pivots.columns.contains(j)).collect();
                (kernel, free)
            }
            false => known.null_space(pool, &rows, n + 1, n),
        };
        free.pop();
        let basis = simplify(pool, engine, &known, &basis)?;
        let drift = basis[..n].iter().map(|row| row[free.len()]).collect();
        let d = basis[..n].iter().map(|row| row[..free.len()].to_vec()).collect();
        Ok(Admissible { d, drift, free })
    }

    /// A basis of the vectors that `rows` of m entries annihilate, as rows of m entries.
    pub(super) fn annihilated(
        &mut self,
        engine: &mut dyn Engine,
        rows: &Matrix,
        m: usize,
    ) -> Result<Matrix, EngineError> {
        let known = Known::new(self);
        let pool = &mut self.system.pool;
        let (basis, free) = known.null_space(pool, rows, m, m);
        let basis = simplify(pool, engine, &known, &basis)?;
        Ok(transposed(&basis, free.len()))
    }
}

/// (1 0; −A E)
fn horizontal_and_vertical(pool: &mut Pool, a: &Matrix, e: &Matrix) -> Matrix {
    let columns = |rows: &Matrix| rows.first().map_or(0, Vec::len);
    let (k, n) = (columns(a), columns(a) + columns(e));
    let mut d: Matrix = Vec::with_capacity(k + e.len());
    for i in 0..k {
        d.push((0..n).map(|j| pool.int(i64::from(i == j))).collect());
    }
    for (a, e) in a.iter().zip(e) {
        d.push(a.iter().map(|&a| pool.neg(a)).chain(e.iter().copied()).collect());
    }
    d
}

/// What expressions can depend on, and what holds on the group.
struct Known {
    q: Vec<Expr>,
    parameters: Vec<Expr>,
    /// The entries of rotation matrices by free symbols.
    free: HashMap<Expr, Expr>,
}

/// How good a pivot is; in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Number,
    OfParameters,
    OfConfiguration,
}

impl Known {
    fn new(x: &mut Mechanics) -> Known {
        let free = x.free_pose();
        Known { q: x.q.clone(), parameters: x.parameters(), free }
    }

    /// Whether `e` is known to vanish on the group.
    fn vanishes(&self, pool: &mut Pool, e: Expr) -> bool {
        self.zero_test(pool, e) == Zero::Yes
    }

    fn zero_test(&self, pool: &mut Pool, e: Expr) -> Zero {
        if pool.as_number(e).is_some() {
            return if pool.is_zero(e) { Zero::Yes } else { Zero::No };
        }
        let e = if self.free.is_empty() { e } else { pool.substitute(&[e], &self.free)[0] };
        pool.zero_test(e)
    }

    fn class(&self, pool: &Pool, e: Expr) -> Class {
        match pool.as_number(e) {
            Some(_) => Class::Number,
            None if pool.depends_on(e, &self.q) => Class::OfConfiguration,
            None => Class::OfParameters,
        }
    }

    /// Sums that are an entry of a rotation matrix, such as its cofactors, as that entry.
    fn recognised(&self, pool: &mut Pool, mut a: Matrix) -> Matrix {
        let entries: Vec<Expr> = self.q.iter().copied().filter(|q| self.free.contains_key(q)).collect();
        for e in a.iter_mut().flatten() {
            if pool.terms(*e).len() < 2 || !pool.depends_on(*e, &entries) {
                continue;
            }
            for &entry in &entries {
                let (minus, plus) = (pool.sub(*e, entry), pool.add(*e, entry));
                if self.vanishes(pool, minus) {
                    *e = entry;
                } else if self.vanishes(pool, plus) {
                    *e = pool.neg(entry);
                }
            }
        }
        a
    }

    /// The first rows whose parts from column `k` on are independent.
    fn independent(&self, pool: &mut Pool, rows: &Matrix, k: usize) -> Matrix {
        let (mut kept, mut parts): (Matrix, Matrix) = (Vec::new(), Vec::new());
        for row in rows {
            let part = pool.substitute(&row[k..], &self.free);
            parts.push(part);
            if pool.rank(&parts) == parts.len() {
                kept.push(row.clone());
            } else {
                parts.pop();
            }
        }
        kept
    }

    /// The columns of independent rows of `n` entries by which the others are expressed: those whose
    /// determinant is a number if there are such, else one that does not depend on the configuration, else
    /// any; among equals the last ones, so that the velocities named first remain free.
    fn pivots(
        &self,
        pool: &mut Pool,
        engine: &mut dyn Engine,
        b: &Matrix,
        n: usize,
    ) -> Result<Pivots, EngineError> {
        let sets = (0..1u32 << n).rev().filter(|set| set.count_ones() as usize == b.len());
        let sets: Vec<Vec<usize>> = sets.map(|set| (0..n).filter(|j| set >> j & 1 == 1).collect()).collect();
        let mut determinants = Vec::with_capacity(sets.len());
        for columns in &sets {
            let square: Matrix = b.iter().map(|row| columns.iter().map(|&j| row[j]).collect()).collect();
            determinants.push(determinant(pool, &square));
        }
        let determinants = engine.simplify(pool, &determinants)?;
        // What may be zero only where nothing else is left.
        let mut best: Option<((Zero, Class), Pivots)> = None;
        for (columns, determinant) in sets.into_iter().zip(determinants) {
            let class = self.class(pool, determinant);
            if best.as_ref().is_some_and(|(known, _)| *known <= (Zero::No, class)) {
                continue;
            }
            match self.zero_test(pool, determinant) {
                Zero::Yes => {}
                zero if best.as_ref().is_some_and(|(known, _)| *known <= (zero, class)) => {}
                zero => best = Some(((zero, class), Pivots { columns, determinant, n })),
            }
        }
        let none = || Pivots { columns: Vec::new(), determinant: pool.one(), n };
        Ok(best.map_or_else(none, |(_, pivots)| pivots))
    }

    /// A basis of the kernel of `rows`, as columns of `n` entries, by elimination of unknowns among the first
    /// `pivots`; with the unknowns that remain free, in whose rows the basis is the identity.
    fn null_space(&self, pool: &mut Pool, rows: &Matrix, n: usize, pivots: usize) -> (Matrix, Vec<usize>) {
        let mut rows = rows.clone();
        let mut leads: Vec<usize> = Vec::new();
        for i in 0..rows.len() {
            let mut best: Option<((Zero, Class), usize)> = None;
            for (j, &entry) in rows[i].iter().enumerate().take(pivots) {
                let class = self.class(pool, entry);
                if best.is_some_and(|(known, _)| known < (Zero::No, class)) {
                    continue;
                }
                match self.zero_test(pool, entry) {
                    Zero::Yes => {}
                    zero if best.is_some_and(|(known, _)| known < (zero, class)) => {}
                    zero => best = Some(((zero, class), j)),
                }
            }
            // The forms are independent almost everywhere.
            let Some((_, lead)) = best else { continue };
            let pivot = rows[i][lead];
            let scaled: Vec<Expr> = rows[i].iter().map(|&x| pool.div(x, pivot)).collect();
            for (other, row) in rows.iter_mut().enumerate() {
                let factor = row[lead];
                if other == i || pool.is_zero(factor) {
                    continue;
                }
                for (entry, &x) in row.iter_mut().zip(&scaled) {
                    let less = pool.mul(factor, x);
                    *entry = pool.sub(*entry, less);
                }
                row[lead] = pool.zero();
            }
            rows[i] = scaled;
            leads.push(lead);
        }
        let free: Vec<usize> = (0..n).filter(|j| !leads.contains(j)).collect();
        let mut basis: Matrix = vec![Vec::with_capacity(free.len()); n];
        for &j in &free {
            for (i, entries) in basis.iter_mut().enumerate() {
                entries.push(match leads.iter().position(|&lead| lead == i) {
                    Some(row) => pool.neg(rows[row][j]),
                    None => pool.int(i64::from(i == j)),
                });
            }
        }
        (basis, free)
    }
}

/// Columns of b, of `n`, that form a regular matrix b_P almost everywhere.
struct Pivots {
    columns: Vec<usize>,
    determinant: Expr,
    n: usize,
}

impl Pivots {
    /// A basis of ker b, which has `n` columns and may have more than there were to choose from: e_F = det b_P and e_P = −adj(b_P) b_F for one after the other of the columns F
    /// that are no pivots.
    fn kernel(&self, pool: &mut Pool, b: &Matrix, n: usize) -> Matrix {
        let square: Matrix = b.iter().map(|row| self.columns.iter().map(|&j| row[j]).collect()).collect();
        let mut e = vec![Vec::new(); n];
        for j in (0..n).filter(|j| !self.columns.contains(j)) {
            let column: Vec<Expr> = b.iter().map(|row| row[j]).collect();
            let mut entries = vec![pool.zero(); n];
            entries[j] = self.determinant;
            for (i, x) in self.columns.iter().zip(cramer(pool, &square, &column)) {
                entries[*i] = pool.neg(x);
            }
            for (row, x) in e.iter_mut().zip(entries) {
                row.push(x);
            }
        }
        e
    }

    /// The basis divided by the determinant where that is a number, elsewhere by its sign and by the
    /// parameters that are factors of all entries of a vector.
    fn scaled(&self, pool: &mut Pool, known: &Known, e: Matrix) -> Matrix {
        let columns: Matrix = transposed(&e, self.n - self.columns.len())
            .into_iter()
            .map(|entries| {
                let scale = match known.class(pool, self.determinant) {
                    Class::Number => pool.recip(self.determinant),
                    _ => {
                        let sign = if pool.is_negated(self.determinant) { -1 } else { 1 };
                        let sign = pool.int(sign);
                        let common = common_parameters(pool, known, &entries);
                        pool.div(sign, common)
                    }
                };
                entries.into_iter().map(|x| pool.mul(scale, x)).collect()
            })
            .collect();
        transposed(&columns, self.n)
    }
}

/// The product of the powers of parameters that divide all `entries`.
fn common_parameters(pool: &mut Pool, known: &Known, entries: &[Expr]) -> Expr {
    let mut common: Option<Vec<(Expr, i64)>> = None;
    for &entry in entries.iter().filter(|&&e| !pool.is_zero(e)) {
        let powers: Vec<(Expr, i64)> = pool
            .factors(&entry)
            .iter()
            .filter_map(|&factor| {
                let (base, exponent) = pool.split_power(factor);
                let exponent = pool.as_number(exponent).filter(|x| x.is_integer())?.to_i64()?;
                (known.parameters.contains(&base) && exponent > 0).then_some((base, exponent))
            })
            .collect();
        let known = common.unwrap_or_else(|| powers.clone());
        let shared = known.into_iter().filter_map(|(base, exponent)| {
            let here = powers.iter().find(|(other, _)| *other == base)?.1;
            Some((base, exponent.min(here)))
        });
        common = Some(shared.collect());
    }
    let powers: Vec<Expr> =
        common.unwrap_or_default().into_iter().map(|(base, exponent)| pool.powi(base, exponent)).collect();
    pool.product(&powers)
}

/// Entries that vanish on the group as zeros, the others simplified.
fn simplify(
    pool: &mut Pool,
    engine: &mut dyn Engine,
    known: &Known,
    a: &Matrix,
) -> Result<Matrix, EngineError> {
    let mut flat = a.concat();
    for e in &mut flat {
        if known.vanishes(pool, *e) {
            *e = pool.zero();
        }
    }
    let mut flat = engine.simplify(pool, &flat)?.into_iter();
    Ok(a.iter().map(|row| flat.by_ref().take(row.len()).collect()).collect())
}
