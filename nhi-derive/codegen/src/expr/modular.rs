//! Arithmetic modulo a prime: decides rational expressions exactly.
//!
//! A rational function that is not zero is not zero at random residues, except with probability
//! degree / 2^61 (Schwartz and Zippel); one that is zero is zero at all of them. Since pi is
//! transcendental it behaves as one more variable.

use super::sample::{Field, Point};
use super::{Function, Rational};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::ToPrimitive;

/// The Mersenne prime 2^61 - 1.
const PRIME: u64 = (1 << 61) - 1;
/// Exponents beyond it are not worth the loss in certainty.
pub(super) const MAX_EXPONENT: u32 = 1 << 24;

/// The field of residues modulo [`PRIME`].
pub(super) struct Residues;

fn multiply(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

fn power(mut base: u64, mut n: u64) -> u64 {
    let mut result = 1;
    while n > 0 {
        if n & 1 == 1 {
            result = multiply(result, base);
        }
        base = multiply(base, base);
        n >>= 1;
    }
    result
}

fn residue(i: &BigInt) -> u64 {
    i.mod_floor(&BigInt::from(PRIME)).to_u64().expect("a residue is smaller than the prime")
}

fn inverse(x: u64) -> Option<u64> {
    (x != 0).then(|| power(x, PRIME - 2))
}

impl Field for Residues {
    type Value = u64;

    fn number(&mut self, r: &Rational) -> Option<u64> {
        Some(multiply(residue(r.numer()), inverse(residue(r.denom()))?))
    }

    fn pi(&mut self) -> Option<u64> {
        Some(3_141_592_653_589_793)
    }

    fn symbol(&mut self, point: Point, index: u32) -> Option<u64> {
        Some(point.bits(index) % PRIME)
    }

    fn sum(&mut self, terms: &[u64]) -> Option<u64> {
        Some(terms.iter().fold(0, |a, b| (a + b) % PRIME))
    }

    fn product(&mut self, factors: &[u64]) -> Option<u64> {
        Some(factors.iter().fold(1, |a, &b| multiply(a, b)))
    }

    fn power(&mut self, &base: &u64, _: &u64, number: Option<&Rational>) -> Option<u64> {
        let n = number.filter(|n| n.is_integer())?.numer();
        let p = power(base, n.magnitude().to_u64()?);
        if n.sign() == num_bigint::Sign::Minus { inverse(p) } else { Some(p) }
    }

    fn call(&mut self, _: Function, _: &u64) -> Option<u64> {
        None
    }

    fn atan2(&mut self, _: &u64, _: &u64) -> Option<u64> {
        None
    }

    fn size(&self, &x: &u64) -> f64 {
        if x == 0 { 0.0 } else { 1.0 }
    }
}
