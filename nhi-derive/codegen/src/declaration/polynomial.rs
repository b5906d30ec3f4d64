//! Expressions as polynomials in some of their symbols: in velocities, in differentials.
//!
//! Only what depends on those symbols is multiplied out; coefficients stay as they were written.

use crate::expr::{Expr, Node, Pool};
use num_traits::ToPrimitive;
use std::collections::{BTreeMap, HashMap};

/// Highest degree of intermediate results.
const MAX_DEGREE: usize = 12;
/// Most terms of intermediate results.
const MAX_TERMS: usize = 20_000;
/// Most products of terms altogether.
const MAX_PRODUCTS: usize = 500_000;

/// Product of variables, given by their positions in ascending order.
pub(crate) type Monomial = Vec<u16>;

/// Coefficients, none of which is the number zero.
pub(crate) type Polynomial = BTreeMap<Monomial, Expr>;

/// Why an expression is not written as a polynomial.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Obstacle {
    /// Not a polynomial, or of a degree far beyond any useful one.
    NotPolynomial,
    /// It has too many terms.
    TooLarge,
}

/// `e` as a polynomial in `variables`, which are symbols.
pub(crate) fn polynomial(pool: &mut Pool, e: Expr, variables: &[Expr]) -> Result<Polynomial, Obstacle> {
    let positions: HashMap<Expr, u16> = variables.iter().enumerate().map(|(i, v)| (*v, i as u16)).collect();
    let mut products = 0;
    // Nodes without an entry do not depend on the variables.
    let mut images: HashMap<Expr, Result<Polynomial, Obstacle>> = HashMap::new();
    for x in pool.reachable(&[e]) {
        if let Some(&i) = positions.get(&x) {
            let one = pool.one();
            images.insert(x, Ok(Polynomial::from([(vec![i], one)])));
            continue;
        }
        let children = pool.children(x);
        if !children.iter().any(|c| images.contains_key(c)) {
            continue;
        }
        let image = match pool.node(x).clone() {
            Node::Sum(_) => children
                .iter()
                .map(|&c| image_of(&images, c))
                .collect::<Result<Vec<_>, _>>()
                .and_then(|terms| collect(pool, terms.into_iter().flatten())),
            Node::Product(_) => {
                let one = pool.one();
                children.iter().try_fold(constant(one), |product, &c| {
                    let factor = image_of(&images, c)?;
                    multiply(pool, &product, &factor, &mut products)
                })
            }
            // By monomials, if the branch is chosen by something else.
            Node::Select([condition, a, b]) if !images.contains_key(&condition) => {
                match (image_of(&images, a), image_of(&images, b)) {
                    (Ok(a), Ok(b)) => Ok(choices(pool, condition, &a, &b)),
                    (Err(obstacle), _) | (_, Err(obstacle)) => Err(obstacle),
                }
            }
            Node::Power(base, exponent) if !images.contains_key(&exponent) => {
                power(pool, &images, base, exponent, &mut products)
            }
            _ => Err(Obstacle::NotPolynomial),
        };
        images.insert(x, image);
    }
    let mut result = image_of(&images, e)?;
    result.retain(|_, coefficient| !pool.is_zero(*coefficient));
    Ok(result)
}

/// A polynomial that is `a` where the condition is not negative, otherwise `b`.
fn choices(pool: &mut Pool, condition: Expr, a: &Polynomial, b: &Polynomial) -> Polynomial {
    let zero = pool.zero();
    let mut all: Polynomial = a.keys().chain(b.keys()).map(|monomial| (monomial.clone(), zero)).collect();
    for (monomial, coefficient) in &mut all {
        let [a, b] = [a, b].map(|of| of.get(monomial).copied().unwrap_or(zero));
        *coefficient = pool.select(condition, a, b);
    }
    all
}

fn constant(e: Expr) -> Polynomial {
    Polynomial::from([(Vec::new(), e)])
}

fn image_of(images: &HashMap<Expr, Result<Polynomial, Obstacle>>, e: Expr) -> Result<Polynomial, Obstacle> {
    images.get(&e).cloned().unwrap_or_else(|| Ok(constant(e)))
}

fn power(
    pool: &mut Pool,
    images: &HashMap<Expr, Result<Polynomial, Obstacle>>,
    base: Expr,
    exponent: Expr,
    products: &mut usize,
) -> Result<Polynomial, Obstacle> {
    let n = pool.as_number(exponent).filter(|n| n.is_integer()).and_then(|n| n.to_integer().to_usize());
    let Some(n) = n.filter(|n| *n <= MAX_DEGREE) else { return Err(Obstacle::NotPolynomial) };
    let base = image_of(images, base)?;
    let one = pool.one();
    (0..n).try_fold(constant(one), |product, _| multiply(pool, &product, &base, products))
}

fn multiply(
    pool: &mut Pool,
    a: &Polynomial,
    b: &Polynomial,
    products: &mut usize,
) -> Result<Polynomial, Obstacle> {
    *products = products.saturating_add(a.len().saturating_mul(b.len()));
    if a.len().saturating_mul(b.len()) > MAX_TERMS || *products > MAX_PRODUCTS {
        return Err(Obstacle::TooLarge);
    }
    let mut terms = Vec::with_capacity(a.len() * b.len());
    for (m, &x) in a {
        for (n, &y) in b {
            if m.len() + n.len() > MAX_DEGREE {
                return Err(Obstacle::NotPolynomial);
            }
            let mut monomial = [m.as_slice(), n.as_slice()].concat();
            monomial.sort_unstable();
            terms.push((monomial, pool.mul(x, y)));
        }
    }
    collect(pool, terms.into_iter())
}

fn collect(pool: &mut Pool, terms: impl Iterator<Item = (Monomial, Expr)>) -> Result<Polynomial, Obstacle> {
    let mut parts: BTreeMap<Monomial, Vec<Expr>> = BTreeMap::new();
    for (monomial, coefficient) in terms {
        parts.entry(monomial).or_default().push(coefficient);
    }
    if parts.len() > MAX_TERMS {
        return Err(Obstacle::TooLarge);
    }
    let sums = parts.into_iter().map(|(monomial, coefficients)| (monomial, pool.sum(&coefficients)));
    let mut result: Polynomial = sums.collect();
    result.retain(|_, coefficient| !pool.is_zero(*coefficient));
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_variables_are_multiplied_out() {
        let mut p = Pool::new();
        let (x, y, u, v) = (p.symbol("x"), p.symbol("y"), p.symbol("u"), p.symbol("v"));
        let xy = p.add(x, y);
        let uv = p.add(u, v);
        let uv2 = p.powi(uv, 2);
        let xy9 = p.powi(xy, 9);
        let e = p.mul(xy9, uv2);
        let poly = polynomial(&mut p, e, &[u, v]).unwrap();
        let two = p.int(2);
        let mixed = p.mul(two, xy9);
        assert_eq!(poly, Polynomial::from([(vec![0, 0], xy9), (vec![0, 1], mixed), (vec![1, 1], xy9)]));
    }

    #[test]
    fn zero_has_no_terms() {
        let mut p = Pool::new();
        let (zero, v) = (p.zero(), p.symbol("v"));
        assert_eq!(polynomial(&mut p, zero, &[v]), Ok(Polynomial::new()));
    }

    #[test]
    fn quotients_functions_and_high_powers_are_none() {
        let mut p = Pool::new();
        let (x, v) = (p.symbol("x"), p.symbol("v"));
        let quotient = p.div(x, v);
        let sine = p.call(crate::expr::Function::Sin, v);
        let xv = p.add(x, v);
        let high = p.powi(xv, 1000);
        for e in [quotient, sine, high] {
            assert_eq!(polynomial(&mut p, e, &[v]), Err(Obstacle::NotPolynomial));
        }
    }
}
