//! Polynomials in sines and cosines modulo sin² + cos² = 1 and the addition theorems.

use super::polynomial::{MAX_TERMS, Monomial, Polynomial, exponent, multiply, without};
use crate::expr::{Expr, Function, Node, Pool, Rational};
use num_traits::{One, Signed, ToPrimitive, Zero};

/// Largest number of sines and cosines in one product that is turned into a sum of them.
const MAX_FACTORS: i64 = 6;
/// Largest multiple of an angle, and number of summands in it, that is expanded.
const MAX_MULTIPLE: i64 = 4;

/// Angles whose sine or cosine occurs, with both, by ascending angle.
pub(super) fn angles(pool: &mut Pool, p: &Polynomial) -> Vec<(Expr, Expr)> {
    let mut arguments: Vec<Expr> =
        p.atoms().into_iter().filter_map(|a| trigonometric(pool, a).map(|(_, x)| x)).collect();
    arguments.sort_unstable();
    arguments.dedup();
    arguments.into_iter().map(|x| (pool.call(Function::Sin, x), pool.call(Function::Cos, x))).collect()
}

/// The argument, if this atom is a sine or a cosine.
fn trigonometric(pool: &Pool, atom: Expr) -> Option<(Function, Expr)> {
    match *pool.node(atom) {
        Node::Call(f @ (Function::Sin | Function::Cos), x) => Some((f, x)),
        _ => None,
    }
}

/// `p` with every power of `atom` above the first reduced by `atom² = 1 - other²`, unless that has too many terms:
/// one angle after the other may double their number.
pub(super) fn eliminate(p: &Polynomial, atom: Expr, other: Expr) -> Option<Polynomial> {
    let mut square = Polynomial::number(Rational::one());
    square.add_term(-Rational::one(), vec![(other, 2)]);
    let mut out = Polynomial::default();
    for (m, c) in p.terms() {
        let n = exponent(m, atom);
        if n < 2 {
            out.add_term(c.clone(), m.clone());
            continue;
        }
        let mut rest = without(m, atom);
        if n % 2 == 1 {
            rest = multiply(&rest, &vec![(atom, 1)]);
        }
        out.add_scaled(c, &rest, &square.pow(n / 2)?);
        if out.len() > MAX_TERMS {
            return None;
        }
    }
    Some(out)
}

/// `p` reduced at each angle in whichever direction leaves the fewest terms, if any does.
pub(super) fn reduce(pool: &mut Pool, p: &Polynomial) -> Polynomial {
    let size = |p: &Polynomial| (p.len(), p.degree());
    let mut best = p.clone();
    for (sin, cos) in angles(pool, p) {
        for (atom, other) in [(sin, cos), (cos, sin)] {
            if let Some(q) = eliminate(&best, atom, other)
                && size(&q) < size(&best)
            {
                best = q;
            }
        }
    }
    best
}

/// `p` without squares of sines (or of cosines), which is a normal form for independent angles.
pub(super) fn normal(pool: &mut Pool, p: &Polynomial, without: Function) -> Option<Polynomial> {
    let mut out = p.clone();
    for (sin, cos) in angles(pool, p) {
        let (atom, other) = if without == Function::Sin { (sin, cos) } else { (cos, sin) };
        out = eliminate(&out, atom, other)?;
    }
    Some(out)
}

/// Products of sines and cosines as sums of single ones: 2 cos a cos b = cos(a - b) + cos(a + b)
/// and its relatives. Independent of how the angles were split, hence a normal form.
pub(super) fn linearise(pool: &mut Pool, p: &Polynomial) -> Option<Polynomial> {
    let mut out = Polynomial::default();
    for (m, c) in p.terms() {
        let mut rest = Monomial::new();
        // Sum of coefficient × sin or cos of an angle.
        let mut sum: Vec<(Rational, Function, Expr)> = vec![(c.clone(), Function::Cos, pool.zero())];
        let mut factors = 0;
        for &(a, n) in m {
            let Some((f, x)) = trigonometric(pool, a).filter(|_| n > 0) else {
                rest = multiply(&rest, &vec![(a, n)]);
                continue;
            };
            factors += n;
            if factors > MAX_FACTORS {
                return None;
            }
            for _ in 0..n {
                sum = sum.iter().flat_map(|t| times(pool, t, f, x)).collect();
            }
        }
        for (c, f, x) in sum {
            let value = pool.call(f, x);
            add_product(pool, &mut out, &c, &rest, value);
        }
        if out.len() > MAX_TERMS {
            return None;
        }
    }
    Some(out)
}

/// `c f(a) g(b)` as a sum of two.
fn times(
    pool: &mut Pool,
    (c, f, a): &(Rational, Function, Expr),
    g: Function,
    b: Expr,
) -> [(Rational, Function, Expr); 2] {
    use Function::{Cos, Sin};
    let half = c / Rational::from_integer(2.into());
    let (minus, plus) = (pool.sub(*a, b), pool.add(*a, b));
    match (f, g) {
        (Cos, Cos) => [(half.clone(), Cos, minus), (half, Cos, plus)],
        (Sin, Sin) => [(half.clone(), Cos, minus), (-half, Cos, plus)],
        (Sin, _) => [(half.clone(), Sin, minus), (half, Sin, plus)],
        (_, _) => [(-half.clone(), Sin, minus), (half, Sin, plus)],
    }
}

/// Adds `c m value`, where `value` is a number times an atom, or zero.
fn add_product(pool: &mut Pool, p: &mut Polynomial, c: &Rational, m: &Monomial, value: Expr) {
    let (k, atom) = pool.split_coefficient(value);
    let m = if pool.is_one(atom) { m.clone() } else { multiply(m, &vec![(atom, 1)]) };
    if !k.is_zero() {
        p.add_term(c * k, m);
    }
}

/// Sines and cosines of sums and multiples of angles in terms of those of the single angles.
pub(super) fn expand(pool: &mut Pool, p: &Polynomial) -> Option<Polynomial> {
    let mut out = Polynomial::default();
    for (m, c) in p.terms() {
        let mut product = Polynomial::number(c.clone());
        for &(a, n) in m {
            let factor = match trigonometric(pool, a).filter(|_| n > 0) {
                Some((f, x)) => {
                    let (cos, sin) = expand_angle(pool, x)?;
                    if f == Function::Sin { sin.pow(n)? } else { cos.pow(n)? }
                }
                None => Polynomial::term(Rational::one(), vec![(a, n)]),
            };
            product = product.mul(&factor)?;
        }
        out.add_scaled(&Rational::one(), &Vec::new(), &product);
    }
    Some(out)
}

/// Cosine and sine of a sum of multiples.
fn expand_angle(pool: &mut Pool, angle: Expr) -> Option<(Polynomial, Polynomial)> {
    let mut total = (Polynomial::number(Rational::one()), Polynomial::default());
    let terms = pool.terms(angle);
    if terms.len() as i64 > MAX_MULTIPLE {
        return None;
    }
    for t in terms {
        let (c, rest) = pool.split_coefficient(t);
        let n = c.numer().to_i64().filter(|n| n.abs() <= MAX_MULTIPLE);
        let constant = pool.is_one(rest) || *pool.node(rest) == Node::Pi;
        let (unit, n) = match n {
            Some(n) if !constant => {
                let unit = Rational::new(1.into(), c.denom().clone());
                (pool.scale(unit, rest), n)
            }
            _ => (t, 1),
        };
        let (cos, sin) = (pool.call(Function::Cos, unit), pool.call(Function::Sin, unit));
        let (cos, mut sin) = (value(pool, cos), value(pool, sin));
        if n.is_negative() {
            sin = sin.mul(&Polynomial::number(-Rational::one()))?;
        }
        for _ in 0..n.abs() {
            total = add_angle(&total, &(cos.clone(), sin.clone()))?;
        }
    }
    Some(total)
}

fn value(pool: &mut Pool, e: Expr) -> Polynomial {
    let mut p = Polynomial::default();
    add_product(pool, &mut p, &Rational::one(), &Vec::new(), e);
    p
}

type CosSin = (Polynomial, Polynomial);

/// Cosine and sine of a sum of two angles.
fn add_angle(a: &CosSin, b: &CosSin) -> Option<CosSin> {
    let combine = |p: Polynomial, sign: i64, q: &Polynomial| {
        let mut sum = p;
        sum.add_scaled(&Rational::from_integer(sign.into()), &Vec::new(), q);
        sum
    };
    let cos = combine(a.0.mul(&b.0)?, -1, &a.1.mul(&b.1)?);
    let sin = combine(a.1.mul(&b.0)?, 1, &a.0.mul(&b.1)?);
    Some((cos, sin))
}

/// `e` with the sines and cosines of sums and multiples of angles expanded, if it has any.
#[cfg(feature = "symbolica")]
pub(super) fn single_angles(pool: &mut Pool, e: Expr) -> Option<Expr> {
    let mut map = std::collections::HashMap::new();
    for x in pool.reachable(&[e]) {
        if let Some((f, angle)) = trigonometric(pool, x) {
            let (cos, sin) = expand_angle(pool, angle)?;
            let expanded = if f == Function::Sin { sin } else { cos }.expr(pool);
            if expanded != x {
                map.insert(x, expanded);
            }
        }
    }
    (!map.is_empty()).then(|| pool.substitute(&[e], &map)[0])
}
