//! Powers and elementary functions: exact values, parities and powers of powers.

use super::build::MAX_BITS;
use super::{Expr, Function, Node, Pool, Rational};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// Largest exponent that is distributed over the factors of a product. It bounds the recursion: every
/// root below a root halves the exponent that reaches it, at least.
const MAX_DISTRIBUTED: u32 = 1 << 10;

impl Pool {
    /// `1 / a`.
    pub fn recip(&mut self, a: Expr) -> Expr {
        self.pow(a, Expr::MINUS_ONE)
    }

    /// Square root.
    pub fn sqrt(&mut self, a: Expr) -> Expr {
        let half = self.ratio(1, 2);
        self.pow(a, half)
    }

    /// Integer power.
    pub fn powi(&mut self, a: Expr, n: i64) -> Expr {
        let n = self.int(n);
        self.pow(a, n)
    }

    /// `base ^ exponent`.
    pub fn pow(&mut self, base: Expr, exponent: Expr) -> Expr {
        let (mut base, mut exponent) = (base, exponent);
        loop {
            match (base, exponent) {
                (Expr::UNDEFINED, _) | (_, Expr::UNDEFINED) => return Expr::UNDEFINED,
                (_, Expr::ZERO) | (Expr::ONE, _) => return Expr::ONE,
                (_, Expr::ONE) => return base,
                _ => {}
            }
            let Some(x) = self.as_number(exponent) else {
                return self.intern(Node::Power(base, exponent));
            };
            match self.node(base) {
                Node::Number(_) => return self.power_of_number(base, exponent),
                // (b^y)^n = b^(y n) for integer n, whatever the sign of b; but (x^2)^(1/2) is not x.
                &Node::Power(b, y) if x.is_integer() => {
                    exponent = self.mul(y, exponent);
                    base = b;
                }
                Node::Product(f) if x.is_integer() && *x.numer().magnitude() <= MAX_DISTRIBUTED.into() => {
                    let powers: Vec<Expr> = f.clone().iter().map(|&b| self.pow(b, exponent)).collect();
                    return self.product(&powers);
                }
                // (b - a)^2 = (a - b)^2, (b - a)^3 = -(a - b)^3
                Node::Sum(_) if x.is_integer() && self.is_negated(base) => {
                    let odd = x.numer().is_odd();
                    let base = self.neg(base);
                    let power = self.intern(Node::Power(base, exponent));
                    return if odd { self.neg(power) } else { power };
                }
                _ => return self.intern(Node::Power(base, exponent)),
            }
        }
    }

    /// A number to the power of a number: exact where that is a rational number, otherwise with an
    /// exponent between 0 and 1 and a rational factor.
    fn power_of_number(&mut self, base: Expr, exponent: Expr) -> Expr {
        let (Some(b), Some(x)) = (self.as_number(base), self.as_number(exponent)) else {
            unreachable!("called for numbers")
        };
        if b.is_zero() {
            return if x.is_positive() { Expr::ZERO } else { Expr::UNDEFINED };
        }
        if let Some(r) = rational_power(b, x) {
            return self.number(r);
        }
        let whole = x.floor();
        match rational_power(b, &whole) {
            Some(factor) if !x.is_integer() && !whole.is_zero() => {
                let fraction = x - whole;
                let fraction = self.number(fraction);
                let root = self.intern(Node::Power(base, fraction));
                self.scale(factor, root)
            }
            _ => self.intern(Node::Power(base, exponent)),
        }
    }

    /// Elementary function of one argument, with parities and exact values.
    pub fn call(&mut self, f: Function, x: Expr) -> Expr {
        use Function::*;
        if let Some(value) = self.exact_value(f, x) {
            return value;
        }
        let even = matches!(f, Cos | Cosh | SmallCos);
        let odd = matches!(f, Sin | Tan | Asin | Atan | Sinh | Tanh | SmallSin);
        if (even || odd) && self.is_negated(x) {
            let y = self.neg(x);
            let value = self.call(f, y);
            return if even { value } else { self.neg(value) };
        }
        match (f, self.node(x)) {
            (Ln, &Node::Call(Exp, y)) | (Exp, &Node::Call(Ln, y)) => y,
            _ => self.intern(Node::Call(f, x)),
        }
    }

    /// Values that are rational, or rational multiples of pi.
    fn exact_value(&mut self, f: Function, x: Expr) -> Option<Expr> {
        use Function::*;
        match (f, x) {
            (_, Expr::UNDEFINED) => Some(Expr::UNDEFINED),
            (Sin | Tan | Asin | Atan | Sinh | Tanh | SmallSin, Expr::ZERO) | (Acos | Ln, Expr::ONE) => {
                Some(Expr::ZERO)
            }
            (Cos | Cosh | Exp | SmallCos, Expr::ZERO) => Some(Expr::ONE),
            (Acos, Expr::MINUS_ONE) => Some(Expr::PI),
            (Acos, Expr::ZERO) | (Asin, Expr::ONE) => Some(self.fraction_of_pi(2)),
            (Atan, Expr::ONE) => Some(self.fraction_of_pi(4)),
            (Sin | Cos | Tan, _) => self.at_multiple_of_pi(f, x),
            _ => None,
        }
    }

    fn fraction_of_pi(&mut self, denominator: i64) -> Expr {
        let r = self.ratio(1, denominator);
        self.mul(r, Expr::PI)
    }

    /// Sine, cosine and tangent at integer multiples of pi/6 and pi/4: the angles between the legs of machines with three, four,
    /// six or eight. The tangent has no value at odd multiples of pi/2.
    fn at_multiple_of_pi(&mut self, f: Function, x: Expr) -> Option<Expr> {
        let (c, rest) = self.split_coefficient(x);
        if rest != Expr::PI {
            return None;
        }
        let twelfths = c * Rational::from_integer(BigInt::from(12));
        if !twelfths.is_integer() {
            return None;
        }
        let k = twelfths.to_integer().mod_floor(&BigInt::from(24)).to_usize()?;
        match f {
            Function::Sin => self.sine_of_twelfths(k),
            Function::Cos => self.sine_of_twelfths(k + 6),
            _ => {
                let (sin, cos) = (self.sine_of_twelfths(k)?, self.sine_of_twelfths(k + 6)?);
                (cos != Expr::ZERO).then(|| self.div(sin, cos))
            }
        }
    }

    /// sin(k pi/12), where it is half of the root of 0, 1, 2, 3 or 4.
    fn sine_of_twelfths(&mut self, k: usize) -> Option<Expr> {
        let (half_turns, k) = (k / 12, k % 12);
        let square = [Some(0), None, Some(1), Some(2), Some(3), None, Some(4)][k.min(12 - k)]?;
        let (square, half) = (self.ratio(square, 1), self.ratio(1, 2));
        let root = self.pow(square, half);
        let sine = self.mul(half, root);
        Some(if half_turns % 2 == 1 { self.neg(sine) } else { sine })
    }

    /// `atan2(y, x)`.
    pub fn atan2(&mut self, y: Expr, x: Expr) -> Expr {
        match (y, x) {
            (Expr::UNDEFINED, _) | (_, Expr::UNDEFINED) => Expr::UNDEFINED,
            _ => self.intern(Node::Atan2(y, x)),
        }
    }
}

/// `b^x` where it is a rational number that is cheap to write down; `b` is not zero.
fn rational_power(b: &Rational, x: &Rational) -> Option<Rational> {
    let (root, n) = (x.denom(), x.numer());
    let b = if root.is_one() {
        b.clone()
    } else {
        let root = root.to_u32()?;
        if b.is_negative() {
            return None;
        }
        let exact = |i: &BigInt| {
            let r = i.nth_root(root);
            (r.pow(root) == *i).then_some(r)
        };
        Rational::new(exact(b.numer())?, exact(b.denom())?)
    };
    if b.numer().magnitude().is_one() && b.denom().is_one() {
        let odd = b.is_negative() && n.is_odd();
        return Some(if odd { -Rational::one() } else { Rational::one() });
    }
    let size = b.numer().bits().max(b.denom().bits());
    let n = n.to_i32()?;
    (u64::from(n.unsigned_abs()).checked_mul(size)? <= MAX_BITS).then(|| b.pow(n))
}
