//! Expressions as polynomials with rational coefficients in atoms: symbols, function values, roots
//! and, with negative exponents only, whole sums.

use crate::expr::{Expr, Node, Pool, Rational};
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::cmp::Ordering;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Largest number of terms of any polynomial here.
pub(super) const MAX_TERMS: usize = 300;
/// Largest exponent that is multiplied out.
const MAX_EXPONENT: i64 = 12;

/// Product of powers of atoms, by ascending atom, without zero exponents.
pub(super) type Monomial = Vec<(Expr, i64)>;

/// Terms by monomial, without zero coefficients.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Polynomial(BTreeMap<Monomial, Rational>);

/// `a b`.
pub(super) fn multiply(a: &Monomial, b: &Monomial) -> Monomial {
    let mut out = Monomial::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        match (a.get(i), b.get(j)) {
            (Some(&(x, m)), Some(&(y, n))) if x == y => {
                if m + n != 0 {
                    out.push((x, m + n));
                }
                i += 1;
                j += 1;
            }
            (Some(&f), other) if other.is_none_or(|g| f.0 < g.0) => {
                out.push(f);
                i += 1;
            }
            (_, Some(&g)) => {
                out.push(g);
                j += 1;
            }
            (_, None) => break,
        }
    }
    out
}

/// `m ^ n`.
pub(super) fn power(m: &Monomial, n: i64) -> Monomial {
    m.iter().map(|&(a, e)| (a, e * n)).collect()
}

/// Order by the exponent of the first atom, then of the second, and so on; multiplying both by the
/// same does not change it.
pub(super) fn lexicographic(a: &Monomial, b: &Monomial) -> Ordering {
    for (&(x, m), &(y, n)) in a.iter().zip(b) {
        let order = match x.cmp(&y) {
            Ordering::Less => m.cmp(&0),
            Ordering::Equal => m.cmp(&n),
            Ordering::Greater => 0.cmp(&n),
        };
        if order.is_ne() {
            return order;
        }
    }
    match (a.get(b.len()), b.get(a.len())) {
        (Some(f), _) => f.1.cmp(&0),
        (_, Some(f)) => 0.cmp(&f.1),
        _ => Ordering::Equal,
    }
}

/// Exponent of an atom in a monomial.
pub(super) fn exponent(m: &Monomial, atom: Expr) -> i64 {
    m.binary_search_by_key(&atom, |f| f.0).map_or(0, |i| m[i].1)
}

/// `m` without an atom.
pub(super) fn without(m: &Monomial, atom: Expr) -> Monomial {
    m.iter().copied().filter(|f| f.0 != atom).collect()
}

impl Polynomial {
    pub(super) fn term(c: Rational, m: Monomial) -> Self {
        let mut p = Polynomial::default();
        p.add_term(c, m);
        p
    }

    pub(super) fn number(c: Rational) -> Self {
        Self::term(c, Vec::new())
    }

    pub(super) fn atom(a: Expr) -> Self {
        Self::term(Rational::one(), vec![(a, 1)])
    }

    pub(super) fn terms(&self) -> impl Iterator<Item = (&Monomial, &Rational)> {
        self.0.iter()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Sum of the absolute values of all exponents, a measure of size in addition to `len`.
    pub(super) fn degree(&self) -> i64 {
        self.0.keys().flatten().map(|f| f.1.abs()).sum()
    }

    /// The atoms that occur, ascending.
    pub(super) fn atoms(&self) -> Vec<Expr> {
        let mut all: Vec<Expr> = self.0.keys().flatten().map(|f| f.0).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    pub(super) fn add_term(&mut self, c: Rational, m: Monomial) {
        match self.0.entry(m) {
            Entry::Occupied(mut o) => {
                *o.get_mut() += c;
                if o.get().is_zero() {
                    o.remove();
                }
            }
            Entry::Vacant(v) => {
                if !c.is_zero() {
                    v.insert(c);
                }
            }
        }
    }

    /// Adds `c m p`.
    pub(super) fn add_scaled(&mut self, c: &Rational, m: &Monomial, p: &Polynomial) {
        for (n, d) in &p.0 {
            // A product of fractions computes two greatest common divisors.
            let product = match (c.is_one(), d.is_one()) {
                (true, _) => d.clone(),
                (_, true) => c.clone(),
                _ => c * d,
            };
            self.add_term(product, multiply(m, n));
        }
    }

    /// Product, unless it gets too long.
    pub(super) fn mul(&self, other: &Polynomial) -> Option<Polynomial> {
        if self.len() * other.len() > 4 * MAX_TERMS {
            return None;
        }
        let mut out = Polynomial::default();
        for (m, c) in &self.0 {
            out.add_scaled(c, m, other);
        }
        (out.len() <= MAX_TERMS).then_some(out)
    }

    /// `self / divisor` if that leaves no remainder; no exponent may be negative.
    pub(super) fn divide_exactly(&self, divisor: &Polynomial) -> Option<Polynomial> {
        let (lead, c) = divisor.leading()?;
        let mut rest = self.clone();
        let mut quotient = Polynomial::default();
        while let Some((m, d)) = rest.leading() {
            let m = multiply(m, &power(lead, -1));
            if m.iter().any(|f| f.1 < 0) || quotient.len() > MAX_TERMS {
                return None;
            }
            let d = d / c;
            rest.add_scaled(&-d.clone(), &m, divisor);
            quotient.add_term(d, m);
        }
        Some(quotient)
    }

    /// The term that comes first lexicographically.
    fn leading(&self) -> Option<(&Monomial, &Rational)> {
        self.0.iter().max_by(|a, b| lexicographic(a.0, b.0))
    }

    /// Nonnegative integer power, unless it gets too long.
    pub(super) fn pow(&self, n: i64) -> Option<Polynomial> {
        if let Some((m, c)) = self.single() {
            return Some(Self::term(c.pow(n.to_i32()?), power(m, n)));
        }
        if n > MAX_EXPONENT {
            return None;
        }
        let mut out = Self::number(Rational::one());
        for _ in 0..n {
            out = out.mul(self)?;
        }
        Some(out)
    }

    /// The only term, if there is just one.
    pub(super) fn single(&self) -> Option<(&Monomial, &Rational)> {
        if self.0.len() == 1 { self.0.iter().next() } else { None }
    }

    /// The polynomial of an expression whose sums under the fraction bar are atoms; `None` if
    /// multiplying out makes it too long.
    pub(super) fn of(pool: &mut Pool, e: Expr) -> Option<Polynomial> {
        let mut image: HashMap<Expr, Polynomial> = HashMap::new();
        // The operands of an opaque node are ignored.
        for x in inside(pool, e) {
            let p = match pool.node(x) {
                Node::Number(r) => Polynomial::number(r.clone()),
                Node::Sum(terms) => {
                    let mut sum = Polynomial::default();
                    for t in terms {
                        sum.add_scaled(&Rational::one(), &Vec::new(), &image[t]);
                    }
                    sum
                }
                Node::Product(factors) => {
                    let mut product = Polynomial::number(Rational::one());
                    for f in factors {
                        product = product.mul(&image[f])?;
                    }
                    product
                }
                Node::Power(b, n) => match integer(pool, *n) {
                    Some(n) if n > 0 => image[b].pow(n)?,
                    Some(n) => Polynomial::term(Rational::one(), vec![(*b, n)]),
                    None => {
                        let (b, n) = (*b, *n);
                        let (root, n) = root(pool, b, n);
                        Polynomial::term(Rational::one(), vec![(root, n)])
                    }
                },
                _ => Polynomial::atom(x),
            };
            if p.len() > MAX_TERMS {
                return None;
            }
            image.insert(x, p);
        }
        image.remove(&e)
    }

    /// Back to an expression, as a plain sum of products.
    pub(super) fn expr(&self, pool: &mut Pool) -> Expr {
        let terms: Vec<Expr> = self.0.iter().map(|(m, c)| product(pool, c, m)).collect();
        pool.sum(&terms)
    }
}

/// `c m` as an expression.
pub(super) fn product(pool: &mut Pool, c: &Rational, m: &Monomial) -> Expr {
    let mut factors = vec![pool.number(c.clone())];
    for &(a, n) in m {
        factors.push(pool.powi(a, n));
    }
    pool.product(&factors)
}

/// The integer that an exponent is, if it is a small one.
pub(super) fn integer(pool: &Pool, n: Expr) -> Option<i64> {
    pool.as_number(n)
        .filter(|r| r.is_integer())
        .and_then(|r| r.to_integer().to_i64())
        .filter(|n| n.abs() < 1 << 20)
}

/// `b^n` as an integer power of a root of `b`.
fn root(pool: &mut Pool, b: Expr, n: Expr) -> (Expr, i64) {
    let Some(x) = pool.as_number(n).cloned() else { return (pool.pow(b, n), 1) };
    match x.numer().to_i64().filter(|n| n.abs() < 1 << 20) {
        Some(k) => {
            let base = pool.number(Rational::new(1.into(), x.denom().clone()));
            (pool.pow(b, base), k)
        }
        None => (pool.pow(b, n), x.signum().to_integer().to_i64().unwrap_or(1)),
    }
}

/// Everything of `e` that is not inside an atom, children before parents.
fn inside(pool: &Pool, e: Expr) -> Vec<Expr> {
    let mut seen = BTreeSet::new();
    let mut stack = vec![e];
    while let Some(x) = stack.pop() {
        if seen.insert(x) {
            match pool.node(x) {
                Node::Sum(c) | Node::Product(c) => stack.extend(c),
                Node::Power(b, n) if integer(pool, *n).is_some_and(|n| n > 0) => stack.push(*b),
                _ => {}
            }
        }
    }
    seen.into_iter().collect()
}
