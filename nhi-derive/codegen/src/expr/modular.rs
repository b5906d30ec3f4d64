//! Arithmetic modulo a prime: decides identities exactly, without reference to any real number.
//!
//! Elementary functions are formal here. A sine is the imaginary part of a product of units, one for
//! each term of its argument, an exponential a product of squares, a root the root of a square, and
//! everything that has no addition theorem is a free number that depends on the value of its argument.
//! So what vanishes does so by the rules
//!
//! ```text
//! exp(a + b) = exp(a) exp(b),   cis(a + b) = cis(a) cis(b),   cis = cos + i sin,   |cis| = 1,
//! (x y)^r = x^r y^r,   x^(r + s) = x^r x^s   for x, y > 0,   sin(asin(x)) = x,   exp(ln(x)) = x
//! ```
//!
//! and by rational arithmetic alone, hence wherever it is defined. An expression that is not zero by these
//! rules is not zero at random residues, except with probability degree / 2^62 (Schwartz and Zippel).
//!
//! Squares modulo the prime stand for positive numbers: -1 is none, products and quotients of squares
//! are squares, and every residue but zero is a square or the negative of one. Since (prime − 1)/2 is a
//! prime too, roots of every degree are unique among the squares. By Chebotarev's theorem all
//! combinations of signs occur at random points, so that sqrt(x^2) is not taken for x. The sign of a
//! constant is the same at all points and may be the wrong one: where roots are taken, a real point has
//! to agree.

use super::sample::{Field, Operands, Point, mix};
use super::{Expr, Function, Node, Rational};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// The largest prime below 2^62 that is 3 modulo 4 and whose half, (p − 1)/2, is a prime.
const PRIME: u64 = 4_611_686_018_427_377_339;
/// The number of squares.
const SQUARES: u64 = (PRIME - 1) / 2;
/// Larger exponents make degrees too large for certainty; such powers are free numbers.
pub(super) const MAX_EXPONENT: u64 = 1 << 24;
/// Angles are multiples of their terms divided by this.
const PARTS_OF_ANGLES: i64 = 5040;
/// Most terms, and deepest nesting, up to which arguments are multiplied out.
const MAX_TERMS: usize = 64;
const MAX_DEPTH: usize = 16;

/// The field of residues modulo [`PRIME`].
pub(super) struct Residues;

type Known<'a> = Operands<'a, u64>;

fn add(a: u64, b: u64) -> u64 {
    (a + b) % PRIME
}

fn negative(a: u64) -> u64 {
    (PRIME - a) % PRIME
}

fn multiply(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

/// baseⁿ by repeated squares.
fn repeated<T: Copy>(one: T, mut base: T, mut n: u64, times: impl Fn(T, T) -> T) -> T {
    let mut result = one;
    while n > 0 {
        if n & 1 == 1 {
            result = times(result, base);
        }
        base = times(base, base);
        n >>= 1;
    }
    result
}

fn power(base: u64, n: u64) -> u64 {
    repeated(1, base, n, multiply)
}

fn residue(i: &BigInt, modulus: u64) -> u64 {
    i.mod_floor(&BigInt::from(modulus)).to_u64().expect("a residue is smaller than the modulus")
}

fn inverse(x: u64) -> Option<u64> {
    (x != 0).then(|| power(x, PRIME - 2))
}

fn is_square(x: u64) -> bool {
    power(x, SQUARES) == 1
}

/// The power of a square, a square.
fn real_power(square: u64, exponent: &Rational) -> Option<u64> {
    let denominator = residue(exponent.denom(), SQUARES);
    if denominator == 0 {
        return None;
    }
    // The exponents of squares are a field.
    let modulus = u128::from(SQUARES);
    let inverse = repeated(1, u128::from(denominator), SQUARES - 2, |x, y| x * y % modulus);
    let n = inverse * u128::from(residue(exponent.numer(), SQUARES)) % modulus;
    Some(power(square, n as u64))
}

/// A number that depends on `of` alone and is otherwise random.
fn free(of: &[u64]) -> u64 {
    of.iter().fold(of.len() as u64, |seed, &x| mix(seed ^ mix(x))) % PRIME
}

/// What free numbers are free values of.
#[derive(Clone, Copy)]
#[repr(u64)]
enum Free {
    Unit,
    Square,
    Power,
    Atan2,
    Function,
    Select,
}

fn free_square(kind: Free, of: &[u64]) -> u64 {
    let x = free(&[&[kind as u64], of].concat());
    multiply(x, x)
}

/// A number with a formal imaginary unit, i² = −1.
#[derive(Clone, Copy)]
struct Complex {
    re: u64,
    im: u64,
}

impl Complex {
    const ONE: Complex = Complex { re: 1, im: 0 };
    const I: Complex = Complex { re: 0, im: 1 };

    fn times(self, z: Complex) -> Complex {
        Complex {
            re: add(multiply(self.re, z.re), negative(multiply(self.im, z.im))),
            im: add(multiply(self.re, z.im), multiply(self.im, z.re)),
        }
    }

    /// For |self| = 1.
    fn power(self, n: i64) -> Complex {
        let base = if n < 0 { Complex { im: negative(self.im), ..self } } else { self };
        repeated(Complex::ONE, base, n.unsigned_abs(), Complex::times)
    }

    /// self / |self|, where |self|² is a square.
    fn direction(self) -> Option<Complex> {
        let square = add(multiply(self.re, self.re), multiply(self.im, self.im));
        if !is_square(square) {
            return None;
        }
        let scale = real_power(square, &Rational::new((-1).into(), 2.into()))?;
        Some(Complex { re: multiply(self.re, scale), im: multiply(self.im, scale) })
    }

    /// A free number with |z| = 1: (w + i)²/(w² + 1).
    fn unit(of: u64) -> Option<Complex> {
        let w = Complex { re: free(&[Free::Unit as u64, of]), im: 1 };
        let scale = inverse(add(multiply(w.re, w.re), 1))?;
        let z = w.times(w);
        Some(Complex { re: multiply(z.re, scale), im: multiply(z.im, scale) })
    }
}

/// One term c·a of an argument: the value of a, and a where it is a node.
#[derive(Clone)]
struct Term {
    c: Rational,
    value: u64,
    node: Option<Expr>,
}

impl Term {
    fn times(&self, other: &Term) -> Term {
        let node = match (self.value, other.value) {
            (1, _) => other.node,
            (_, 1) => self.node,
            _ => None,
        };
        Term { c: &self.c * &other.c, value: multiply(self.value, other.value), node }
    }
}

/// An argument, multiplied out.
fn terms(known: &Known<'_>, e: Expr, depth: usize) -> Option<Vec<Term>> {
    let whole = Term { c: Rational::one(), value: *known.value(e)?, node: Some(e) };
    if whole.value == 0 {
        return Some(Vec::new());
    }
    let product = |factors: &[Expr]| {
        let mut product = vec![Term { c: Rational::one(), value: 1, node: None }];
        for &f in factors {
            let factor = terms(known, f, depth + 1)?;
            if factor.len() * product.len() > MAX_TERMS {
                return None;
            }
            product = product.iter().flat_map(|a| factor.iter().map(|b| a.times(b))).collect();
        }
        Some(product)
    };
    let multiplied = match known.pool.node(e) {
        _ if depth > MAX_DEPTH => None,
        Node::Number(r) => Some(vec![Term { c: r.clone(), value: 1, node: None }]),
        Node::Sum(c) => {
            let parts: Option<Vec<Vec<Term>>> = c.iter().map(|&t| terms(known, t, depth + 1)).collect();
            parts.map(|parts| parts.concat()).filter(|all| all.len() <= MAX_TERMS)
        }
        Node::Product(c) => product(c),
        Node::Power(b, x) if matches!(known.pool.node(*b), Node::Sum(_)) => {
            let n = known.pool.as_number(*x).filter(|x| x.is_integer()).and_then(|x| x.numer().to_usize());
            n.filter(|&n| n <= 6).and_then(|n| product(&vec![*b; n]))
        }
        _ => None,
    };
    let mut all = multiplied.unwrap_or_else(|| vec![whole]);
    // Like terms, up to sign; a node of its own is kept.
    for t in &mut all {
        if t.node.is_none_or(|node| !has_rule(known.pool.node(node))) {
            t.node = None;
            if t.value > PRIME / 2 {
                (t.c, t.value) = (-t.c.clone(), negative(t.value));
            }
        }
    }
    all.sort_by_key(|t| (t.value, t.node));
    let mut collected: Vec<Term> = Vec::with_capacity(all.len());
    for t in all {
        match collected.last_mut() {
            Some(last) if (last.value, last.node) == (t.value, t.node) => last.c += t.c,
            _ => collected.push(t),
        }
    }
    collected.retain(|t| !t.c.is_zero() && t.value != 0);
    Some(collected)
}

/// Whether the exponential or the direction of this angle is known.
fn has_rule(node: &Node) -> bool {
    use Function::{Acos, Asin, Atan, Ln};
    matches!(node, Node::Pi | Node::Atan2(..) | Node::Call(Asin | Acos | Atan | Ln, _))
}

/// cos(x) + i sin(x).
fn direction(known: &Known<'_>, x: Expr) -> Option<Complex> {
    let mut product = Complex::ONE;
    for term in terms(known, x, 0)? {
        product = product.times(direction_of_term(known, &term)?);
    }
    Some(product)
}

fn direction_of_term(known: &Known<'_>, term: &Term) -> Option<Complex> {
    let whole = Some(&term.c).filter(|c| c.is_integer()).and_then(|c| c.numer().to_i64());
    let whole = whole.filter(|n| n.unsigned_abs() <= MAX_EXPONENT);
    let value = |e: Expr| known.value(e).copied();
    let real = |re: u64, im: u64| Complex { re, im };
    if let Some(node) = term.node {
        let quarters = &term.c + &term.c;
        let known = match (known.pool.node(node), whole) {
            (Node::Pi, _) if quarters.is_integer() => {
                return Some(Complex::I.power(residue(quarters.numer(), 4) as i64));
            }
            (Node::Atan2(y, x), Some(_)) => Some(real(value(*x)?, value(*y)?).direction()?),
            (Node::Call(Function::Atan, x), Some(_)) => Some(real(1, value(*x)?).direction()?),
            (Node::Call(f @ (Function::Asin | Function::Acos), x), Some(_)) => {
                let x = value(*x)?;
                let other = add(1, negative(multiply(x, x)));
                if other != 0 && !is_square(other) {
                    return None;
                }
                let other = real_power(other, &Rational::new(1.into(), 2.into()))?;
                Some(if *f == Function::Asin { real(other, x) } else { real(x, other) })
            }
            _ => None,
        };
        if let (Some(z), Some(n)) = (known, whole) {
            return Some(z.power(n));
        }
    }
    let parts = &term.c * Rational::from_integer(PARTS_OF_ANGLES.into());
    if parts.is_integer()
        && let Some(n) = parts.numer().to_i64().filter(|n| n.unsigned_abs() <= MAX_EXPONENT)
    {
        return Some(Complex::unit(term.value)?.power(n));
    }
    // An angle of its own.
    Complex::unit(free(&[term.value, residue(term.c.numer(), PRIME), residue(term.c.denom(), PRIME)]))
}

/// exp(x), a square.
fn exponential(known: &Known<'_>, x: Expr) -> Option<u64> {
    let mut product = 1;
    for term in terms(known, x, 0)? {
        let base = match term.node.map(|node| known.pool.node(node)) {
            Some(Node::Call(Function::Ln, x)) => Some(*known.value(*x)?).filter(|&x| is_square(x))?,
            _ => free_square(Free::Square, &[term.value]),
        };
        product = multiply(product, real_power(base, &term.c)?);
    }
    Some(product)
}

/// `base ^ exponent`.
fn general_power(known: &Known<'_>, base: Expr, exponent: Expr) -> Option<u64> {
    let b = *known.value(base)?;
    let number = known.pool.as_number(exponent);
    if let Some(n) = number.filter(|n| n.is_integer()).map(|n| n.numer()) {
        let size = n.magnitude().to_u64().filter(|&n| n <= MAX_EXPONENT);
        let p = match size {
            Some(size) => power(b, size),
            None if b == 0 => 0,
            None => free(&[Free::Power as u64, b, residue(&n.abs(), PRIME)]),
        };
        return if n.is_negative() { inverse(p) } else { Some(p) };
    }
    if b == 0 {
        return number.filter(|n| n.is_positive()).map(|_| 0);
    }
    // Whether a number is a square says nothing about its sign.
    let square = match known.pool.as_number(base) {
        Some(b) if b.is_negative() => return None,
        Some(_) if !is_square(b) => free_square(Free::Power, &[b]),
        _ if !is_square(b) => return None,
        _ => b,
    };
    let mut product = 1;
    for term in terms(known, exponent, 0)? {
        let of_term = if term.value == 1 { square } else { free_square(Free::Power, &[square, term.value]) };
        product = multiply(product, real_power(of_term, &term.c)?);
    }
    Some(product)
}

fn function(known: &Known<'_>, f: Function, x: Expr) -> Option<u64> {
    use Function::*;
    let half = PRIME.div_ceil(2);
    match f {
        Sin | SmallSin => Some(direction(known, x)?.im),
        Cos | SmallCos => Some(direction(known, x)?.re),
        Tan => {
            let z = direction(known, x)?;
            Some(multiply(z.im, inverse(z.re)?))
        }
        Exp => exponential(known, x),
        Sinh | Cosh | Tanh => {
            let e = exponential(known, x)?;
            let back = inverse(e)?;
            let (sinh, cosh) = (add(e, negative(back)), add(e, back));
            match f {
                Sinh => Some(multiply(half, sinh)),
                Cosh => Some(multiply(half, cosh)),
                _ => Some(multiply(sinh, inverse(cosh)?)),
            }
        }
        Ln if *known.value(x)? == 0 => None,
        Asin | Acos | Atan | Ln => Some(free(&[Free::Function as u64, f as u64, *known.value(x)?])),
    }
}

impl Field for Residues {
    type Value = u64;

    fn number(&mut self, r: &Rational) -> Option<u64> {
        Some(multiply(residue(r.numer(), PRIME), inverse(residue(r.denom(), PRIME))?))
    }

    fn pi(&mut self) -> Option<u64> {
        // As good as any: pi is transcendental.
        Some(3_141_592_653_589_793)
    }

    fn symbol(&mut self, point: Point, index: u32) -> Option<u64> {
        Some(point.bits(index) % PRIME)
    }

    fn sum(&mut self, terms: &[u64]) -> Option<u64> {
        Some(terms.iter().fold(0, |a, &b| add(a, b)))
    }

    fn product(&mut self, factors: &[u64]) -> Option<u64> {
        Some(factors.iter().fold(1, |a, &b| multiply(a, b)))
    }

    fn reciprocal(&mut self, &x: &u64) -> Option<u64> {
        inverse(x)
    }

    fn function(&mut self, known: &Known<'_>, e: Expr) -> Option<u64> {
        match known.pool.node(e) {
            Node::Power(b, x) => general_power(known, *b, *x),
            Node::Call(f, x) => function(known, *f, *x),
            Node::Atan2(y, x) => {
                let (y, x) = (*known.value(*y)?, *known.value(*x)?);
                ((y, x) != (0, 0)).then(|| free(&[Free::Atan2 as u64, y, x]))
            }
            // b + (a − b) θ with a number θ that the condition determines.
            Node::Select([c, a, b]) => {
                let (c, a, b) = (*known.value(*c)?, *known.value(*a)?, *known.value(*b)?);
                let theta = free(&[Free::Select as u64, c]);
                Some(add(b, multiply(theta, add(a, negative(b)))))
            }
            _ => None,
        }
    }

    fn size(&self, &x: &u64) -> f64 {
        if x == 0 { 0.0 } else { 1.0 }
    }
}
