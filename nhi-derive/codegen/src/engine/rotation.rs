//! Polynomials in the entries of a rotation matrix.

use super::polynomial::{MAX_TERMS, Monomial, Polynomial, exponent, multiply};
use crate::expr::{Expr, Pool, Rational};

/// The unique form of `p` modulo RᵀR = R Rᵀ = 1 and det R = 1, for the rotation matrices of the pool; `None` where `p` has no
/// product of two entries.
///
/// The rules replace two entries of the first row, two of the first column, and two of which one is below and to the right of
/// the other: a minor of R is, up to a sign, the entry that is left. They are a Gröbner basis in the lexicographic order of
/// the entries: (2d + 1)² monomials of degree d have no such pair, as many as there are independent functions on SO(3) of
/// this degree and no lower one.
pub(super) fn rotations(pool: &Pool, p: &Polynomial) -> Option<Polynomial> {
    let mut reduced = None;
    for matrix in pool.rotations() {
        let rules = Rules { matrix };
        let p = reduced.as_ref().unwrap_or(p);
        if p.terms().any(|(m, _)| rules.pair(m).is_some()) {
            reduced = Some(rules.reduce(p.clone())?);
        }
    }
    reduced
}

struct Rules<'a> {
    /// R, row by row.
    matrix: &'a [Expr; 9],
}

impl Rules<'_> {
    /// `p` without pairs that a rule replaces, unless it gets too long.
    fn reduce(&self, mut p: Polynomial) -> Option<Polynomial> {
        loop {
            let found = p.terms().find_map(|(m, c)| Some((self.pair(m)?, m.clone(), c.clone())));
            let Some(((a, b), m, c)) = found else { return Some(p) };
            let both = vec![(self.matrix[a], -1)];
            let rest = multiply(&multiply(&m, &both), &vec![(self.matrix[b], -1)]);
            p.add_term(-c.clone(), m);
            p.add_scaled(&c, &rest, &self.product(a, b));
            if p.len() > MAX_TERMS {
                return None;
            }
        }
    }

    /// The first pair of entries in a monomial that a rule replaces.
    fn pair(&self, m: &Monomial) -> Option<(usize, usize)> {
        let power = |a: usize| exponent(m, self.matrix[a]);
        (0..9).filter(|&a| power(a) > 0).find_map(|a| {
            let other = |b: &usize| power(*b) > i64::from(*b == a) && is_replaced(a, *b);
            Some((a, (a..9).find(other)?))
        })
    }

    /// What the product of the entries a and b is replaced by.
    fn product(&self, a: usize, b: usize) -> Polynomial {
        let ((i, j), (k, l)) = (place(a), place(b));
        let entry = |i: usize, j: usize| self.matrix[3 * i + j];
        let mut out = Polynomial::default();
        let mut add = |c: i64, entries: &[Expr]| {
            let monomial = entries.iter().fold(Monomial::new(), |m, &e| multiply(&m, &vec![(e, 1)]));
            out.add_term(Rational::from_integer(c.into()), monomial);
        };
        if i == 0 && k == 0 || j == 0 && l == 0 {
            if a == b {
                add(1, &[]);
            }
            for s in 1..3 {
                let (x, y) =
                    if i == 0 && k == 0 { (entry(s, j), entry(s, l)) } else { (entry(i, s), entry(k, s)) };
                add(-1, &[x, y]);
            }
        } else {
            let (row, column) = (3 - i - k, 3 - j - l);
            add(1, &[entry(i, l), entry(k, j)]);
            add(if (row + column) % 2 == 0 { 1 } else { -1 }, &[entry(row, column)]);
        }
        out
    }
}

/// Row and column of an entry.
fn place(a: usize) -> (usize, usize) {
    (a / 3, a % 3)
}

/// Whether a rule replaces the product of the entries a ≤ b.
fn is_replaced(a: usize, b: usize) -> bool {
    let ((i, j), (k, l)) = (place(a), place(b));
    i == 0 && k == 0 || j == 0 && l == 0 || i < k && j < l
}

#[cfg(test)]
mod tests {
    use super::rotations;
    use crate::engine::polynomial::Polynomial;
    use crate::expr::group::Part;
    use crate::expr::{Expr, Pool};
    use std::collections::HashMap;

    fn pool() -> (Pool, [Expr; 9]) {
        let mut pool = Pool::new();
        let entries = std::array::from_fn(|i| pool.fresh_symbol(&format!("R{}{}", i / 3, i % 3)));
        pool.add_rotation(entries);
        (pool, entries)
    }

    /// `e` in its unique form, or itself if it has it already.
    fn reduced(pool: &mut Pool, e: Expr) -> Expr {
        let p = Polynomial::of(pool, e).expect("a polynomial");
        let p = rotations(pool, &p).unwrap_or(p);
        p.expr(pool)
    }

    #[test]
    fn identities_of_rotations() {
        let (mut pool, r) = pool();
        let pool = &mut pool;
        for i in 0..3 {
            for j in 0..3 {
                // RᵀR, R Rᵀ and the minors of R.
                let columns: Vec<Expr> = (0..3).map(|k| pool.mul(r[3 * k + i], r[3 * k + j])).collect();
                let rows: Vec<Expr> = (0..3).map(|k| pool.mul(r[3 * i + k], r[3 * j + k])).collect();
                let one = if i == j { pool.one() } else { pool.zero() };
                for terms in [columns, rows] {
                    let sum = pool.sum(&terms);
                    assert_eq!(reduced(pool, sum), one);
                }
                let at = |k: usize, l: usize| r[3 * ((i + k) % 3) + (j + l) % 3];
                let (a, b) = (pool.mul(at(1, 1), at(2, 2)), pool.mul(at(1, 2), at(2, 1)));
                let minor = pool.sub(a, b);
                let (minor, entry) = (reduced(pool, minor), reduced(pool, r[3 * i + j]));
                assert_eq!(minor, entry);
            }
        }
    }

    /// Products of up to four entries keep their values.
    #[test]
    fn values_are_kept() {
        let (mut pool, r) = pool();
        let pool = &mut pool;
        let free: HashMap<Expr, Expr> = r.into_iter().zip(Part::Matrix.free(pool, &r)).collect();
        for k in 0..400_usize {
            let factors: Vec<Expr> = [k, k / 9, k * 7 / 5, k / 3].map(|i| r[i % 9]).to_vec();
            let product = pool.product(&factors[..2 + k % 3]);
            let simple = reduced(pool, product);
            let difference = pool.sub(product, simple);
            let difference = pool.substitute(&[difference], &free)[0];
            assert!(pool.vanishes(difference), "{}", pool.show(product));
        }
    }
}
