//! Common factors of sums: a x + a y + b x + b y becomes (a + b) (x + y).

use super::polynomial::{Monomial, exponent, integer, lexicographic, multiply, product, without};
use crate::expr::{Expr, Function, Node, Pool, Rational};
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;

/// How often sums of factored terms are looked at again.
const ROUNDS: usize = 4;
/// Longest sum that is looked at.
const MAX_TERMS: usize = 300;
/// Longest sum that is searched for products of sums.
const MAX_PAIRED: usize = 64;

type Terms = Vec<(Rational, Monomial)>;

/// Sums with common factors taken out once, of one pool: equal forms of an expression have most of their sums in common.
pub(super) type Factored = HashMap<Expr, Expr>;

/// `e` with common factors taken out of every sum outside function arguments, again while that
/// changes anything.
pub(super) fn factor(pool: &mut Pool, factored: &mut Factored, e: Expr) -> Expr {
    let mut e = e;
    for _ in 0..ROUNDS {
        let mut image: HashMap<Expr, Expr> = HashMap::new();
        for x in pool.reachable(&[e]) {
            let y = pool.rebuild(x, |c| image[&c]);
            let y = match pool.node(y) {
                Node::Sum(terms) if terms.len() <= MAX_TERMS => match factored.get(&y) {
                    Some(&factored) => factored,
                    None => {
                        let terms = terms.clone();
                        let terms = terms.into_iter().map(|t| split(pool, t)).collect();
                        let terms = complements(pool, terms);
                        let terms = sums_of_two(pool, terms);
                        let product = horner(pool, terms);
                        factored.insert(y, product);
                        product
                    }
                },
                _ => y,
            };
            image.insert(x, y);
        }
        if image[&e] == e {
            break;
        }
        e = image[&e];
    }
    e
}

/// A term as number times powers of factors, which may be sums.
fn split(pool: &mut Pool, term: Expr) -> (Rational, Monomial) {
    let (c, rest) = pool.split_coefficient(term);
    let factors = match pool.node(rest) {
        Node::Product(f) => f.clone(),
        _ => vec![rest],
    };
    let mut m = Monomial::new();
    for f in factors {
        let (base, n) = pool.split_power(f);
        let f = match integer(pool, n) {
            Some(n) => (base, n),
            None => (f, 1),
        };
        if !pool.is_one(f.0) {
            m = multiply(&m, &vec![f]);
        }
    }
    (c, m)
}

/// Merges pairs of terms: r - r cos(x)^2 becomes r sin(x)^2.
fn complements(pool: &mut Pool, terms: Terms) -> Terms {
    let mut by_monomial: BTreeMap<Monomial, Rational> = terms.into_iter().map(|(c, m)| (m, c)).collect();
    let squares: Vec<(Monomial, Expr)> =
        by_monomial.keys().flat_map(|m| m.iter().filter(|f| f.1 == 2).map(|f| (m.clone(), f.0))).collect();
    for (m, square) in squares {
        let other = match *pool.node(square) {
            Node::Call(Function::Sin, x) => pool.call(Function::Cos, x),
            Node::Call(Function::Cos, x) => pool.call(Function::Sin, x),
            _ => continue,
        };
        let rest = without(&m, square);
        let (Some(c), Some(d)) = (by_monomial.get(&m), by_monomial.get(&rest)) else { continue };
        if *c == -d.clone() {
            let d = d.clone();
            by_monomial.remove(&m);
            by_monomial.remove(&rest);
            *by_monomial.entry(multiply(&rest, &vec![(other, 2)])).or_insert_with(Rational::zero) += d;
        }
    }
    by_monomial.into_iter().filter(|(_, c)| !c.is_zero()).map(|(m, c)| (c, m)).collect()
}

/// Collects products of sums: a x + a y + b x + b y becomes (a + b) (x + y), with any number of
/// terms on the right and any ratio of a to b.
fn sums_of_two(pool: &mut Pool, mut terms: Terms) -> Terms {
    while let Some((a, b, ratio, common)) = best_pair(&terms) {
        let used = |m: &Monomial| {
            [a, b]
                .iter()
                .any(|&x| exponent(m, x) > 0 && common.iter().any(|c| c.1 == multiply(m, &vec![(x, -1)])))
        };
        terms.retain(|(_, m)| !used(m));
        // Integers on the left: a + 3/2 b is written 1/2 (2 a + 3 b).
        let whole = Rational::from_integer(ratio.denom().clone());
        let left = [product(pool, &whole, &vec![(a, 1)]), product(pool, &(&ratio * &whole), &vec![(b, 1)])];
        let left = pool.sum(&left);
        let right: Vec<Expr> = common.iter().map(|(c, m)| product(pool, &(c / &whole), m)).collect();
        let right = pool.sum(&right);
        let term = pool.mul(left, right);
        terms.push(split(pool, term));
    }
    terms
}

/// The two factors a and b whose quotients have the most terms in common up to one ratio, at least
/// two, with these terms.
fn best_pair(terms: &Terms) -> Option<(Expr, Expr, Rational, Terms)> {
    if terms.len() > MAX_PAIRED {
        return None;
    }
    let mut quotients: BTreeMap<Expr, BTreeMap<Monomial, Rational>> = BTreeMap::new();
    for (c, m) in terms {
        for &(atom, n) in m {
            if n > 0 {
                quotients.entry(atom).or_default().insert(multiply(m, &vec![(atom, -1)]), c.clone());
            }
        }
    }
    quotients.retain(|_, q| q.len() > 1);
    let mut best: Option<(Expr, Expr, Rational, Terms)> = None;
    for (&a, of_a) in &quotients {
        for (&b, of_b) in quotients.range((Bound::Excluded(a), Bound::Unbounded)) {
            let mut by_ratio: BTreeMap<Rational, Terms> = BTreeMap::new();
            for (m, c) in of_a {
                // A term with both factors would be counted from both sides.
                if exponent(m, a) == 0
                    && exponent(m, b) == 0
                    && let Some(d) = of_b.get(m)
                {
                    by_ratio.entry(d / c).or_default().push((c.clone(), m.clone()));
                }
            }
            for (ratio, common) in by_ratio {
                if common.len() > best.as_ref().map_or(1, |b| b.3.len()) {
                    best = Some((a, b, ratio, common));
                }
            }
        }
    }
    best
}

/// Sum of the terms with factors taken out, the most frequent first.
fn horner(pool: &mut Pool, mut terms: Terms) -> Expr {
    let (content, common) = take_out(&mut terms);
    let mut parts = Vec::new();
    while let Some((atom, sign)) = most_frequent(pool, &terms) {
        let (with, rest): (Terms, Terms) = terms.into_iter().partition(|(_, m)| exponent(m, atom) * sign > 0);
        terms = rest;
        parts.push(horner(pool, with));
    }
    parts.extend(terms.iter().map(|(c, m)| product(pool, c, m)));
    let sum = pool.sum(&parts);
    let outside = product(pool, &content, &common);
    pool.mul(outside, sum)
}

/// Divides the terms by their common factor and returns it.
fn take_out(terms: &mut Terms) -> (Rational, Monomial) {
    let Some((_, first)) = terms.first() else { return (Rational::one(), Monomial::new()) };
    let mut common = Monomial::new();
    for &(atom, _) in first {
        let exponents = terms.iter().map(|(_, m)| exponent(m, atom));
        let (least, most) = exponents.fold((i64::MAX, i64::MIN), |(lo, hi), n| (lo.min(n), hi.max(n)));
        let n = if least > 0 { least } else { most.min(0) };
        if n != 0 {
            common.push((atom, n));
        }
    }
    let content = content(terms) * sign(terms);
    if !content.is_one() {
        terms.iter_mut().for_each(|(c, _)| *c /= &content);
    }
    if !common.is_empty() {
        let inverse: Monomial = common.iter().map(|&(a, n)| (a, -n)).collect();
        terms.iter_mut().for_each(|(_, m)| *m = multiply(m, &inverse));
    }
    (content, common)
}

/// The sign of most terms, of the leading one if there are as many of both.
fn sign(terms: &Terms) -> Rational {
    let negative = terms.iter().filter(|(c, _)| c.is_negative()).count();
    let leading = terms.iter().max_by(|a, b| lexicographic(&a.1, &b.1));
    let leading = leading.is_some_and(|(c, _)| c.is_negative());
    let flip = 2 * negative > terms.len() || 2 * negative == terms.len() && leading;
    if flip { -Rational::one() } else { Rational::one() }
}

/// The number that leaves the most terms with coefficient 1 or -1; one if none is better.
fn content(terms: &Terms) -> Rational {
    let mut frequency: BTreeMap<Rational, usize> = BTreeMap::new();
    for (c, m) in terms {
        // A lone constant costs nothing whatever it is.
        if !m.is_empty() {
            *frequency.entry(c.abs()).or_default() += 1;
        }
    }
    let units = frequency.get(&Rational::one()).copied().unwrap_or(0);
    let mut best = (Rational::one(), units + 1);
    for (c, n) in frequency {
        if n > best.1 {
            best = (c, n);
        }
    }
    let gcd = terms.iter().fold(Rational::zero(), |g, (c, _)| gcd(&g, c));
    // Taking 2 out of 2 a + 4 b costs what it saves and shows the structure.
    if best.1 <= units + 1 && units == 0 && !gcd.is_zero() { gcd } else { best.0 }
}

fn gcd(a: &Rational, b: &Rational) -> Rational {
    if a.is_zero() {
        return b.abs();
    }
    Rational::new(a.numer().gcd(b.numer()), a.denom().lcm(b.denom()))
}

/// The factor (with the sign of its exponent) that most terms share, weighted by what it saves.
fn most_frequent(pool: &Pool, terms: &Terms) -> Option<(Expr, i64)> {
    let mut counts: BTreeMap<(Expr, i64), usize> = BTreeMap::new();
    for &(atom, n) in terms.iter().flat_map(|(_, m)| m) {
        *counts.entry((atom, n.signum())).or_default() += 1;
    }
    let mut best: Option<((Expr, i64), usize)> = None;
    for (key, n) in counts {
        // Fewer divisions, then fewer operations inside the factor.
        let weight = (n - 1)
            * if key.1 < 0 {
                4
            } else if matches!(pool.node(key.0), Node::Sum(_)) {
                2
            } else {
                1
            };
        if n > 1 && best.is_none_or(|b| weight > b.1) {
            best = Some((key, weight));
        }
    }
    best.map(|b| b.0)
}
