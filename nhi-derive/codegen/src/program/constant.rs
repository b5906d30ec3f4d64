//! Values of constant expressions, correct to the last bit.

use super::Shape;
use crate::expr::Table;
use crate::expr::{Expr, Node, Pool, Rational};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::sync::Arc;

/// Digits after the binary point that intermediate results keep beyond their leading digit.
const PRECISION: u64 = 256;

/// π in units of 10⁻⁸⁰.
const PI: &str = "314159265358979323846264338327950288419716939937510582097494459230781640628620899";

/// Values of constant expressions, remembered by id. Rational numbers, π, sums, products, integer
/// powers and square roots are constants; other functions of constants are left to the program,
/// because mathematical libraries differ in their last digits.
#[derive(Clone, Debug, Default)]
pub struct Constants {
    known: Table<Option<Rational>>,
    /// Whether an expression is best computed as minus another, and that one or itself.
    pub(super) signs: Table<(bool, Expr)>,
    /// How expressions are computed.
    pub(super) shapes: Table<Arc<Shape>>,
}

impl Constants {
    /// The nearest double precision number to `e`, if it is constant.
    pub fn value(&mut self, pool: &Pool, e: Expr) -> Option<f64> {
        self.rational(pool, e).and_then(ToPrimitive::to_f64)
    }

    /// Whether `e` is constant.
    pub fn contains(&mut self, pool: &Pool, e: Expr) -> bool {
        self.rational(pool, e).is_some()
    }

    fn rational(&mut self, pool: &Pool, e: Expr) -> Option<&Rational> {
        let open = |e| !self.known.contains(e);
        if open(e) {
            // Mostly an expression is asked for after its operands: no search then.
            let mut is_ready = true;
            pool.for_each_child(e, |c| is_ready &= !open(c));
            let all = if is_ready { vec![e] } else { pool.reachable_where(&[e], open) };
            for x in all {
                let value = self.combine(pool, x);
                self.known.insert(x, value.map(rounded));
            }
        }
        self.known[e].as_ref()
    }

    fn combine(&self, pool: &Pool, e: Expr) -> Option<Rational> {
        let mut constant = true;
        pool.for_each_child(e, |c| constant &= self.known[c].is_some());
        if !constant {
            return None;
        }
        let at = |&c: &Expr| self.known[c].clone();
        match pool.node(e) {
            Node::Number(r) => Some(r.clone()),
            Node::Pi => {
                let digits: BigInt = PI.parse().expect("digits");
                Some(Rational::new(digits, BigInt::from(10).pow(80)))
            }
            Node::Sum(c) => c.iter().try_fold(Rational::zero(), |sum, c| Some(sum + at(c)?)),
            Node::Product(c) => c.iter().try_fold(Rational::one(), |product, c| Some(product * at(c)?)),
            Node::Power(b, x) => {
                let (base, x) = (at(b)?, at(x)?);
                let twice = x * Rational::from_integer(2.into());
                let n = twice.is_integer().then(|| twice.to_integer().to_i32())??;
                if n.abs() > 128 || (base.is_zero() && n < 0) {
                    return None;
                }
                match n.div_rem(&2) {
                    (k, 0) => Some(base.pow(k)),
                    _ => Some(root(&base)?.pow(n)),
                }
            }
            Node::Select([c, a, b]) => at(if at(c)?.is_negative() { b } else { a }),
            Node::Symbol(_) | Node::Call(..) | Node::Atan2(..) | Node::Map(..) | Node::Saddle(..) => None,
        }
    }
}

/// `r`, shortened to [`PRECISION`] where it is longer.
fn rounded(r: Rational) -> Rational {
    let (n, d) = (r.numer().bits(), r.denom().bits());
    if n.max(d) <= 4 * PRECISION || r.is_zero() {
        return r;
    }
    let shift = PRECISION as i64 + d as i64 - n as i64;
    let scaled = &r * power_of_two(shift);
    Rational::from_integer(scaled.round().to_integer()) * power_of_two(-shift)
}

fn root(r: &Rational) -> Option<Rational> {
    if r.is_negative() {
        return None;
    }
    // √(n/d) = √(n d)/d, to PRECISION digits.
    let product = r.numer() * r.denom();
    let scale = BigInt::one() << PRECISION;
    Some(Rational::new((product * &scale * &scale).sqrt(), r.denom() * scale))
}

fn power_of_two(n: i64) -> Rational {
    let p = BigInt::one() << n.unsigned_abs();
    if n < 0 { Rational::new(BigInt::one(), p) } else { Rational::from_integer(p) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_rounded_once() {
        let mut pool = Pool::new();
        let mut constants = Constants::default();
        let (pi, two) = (pool.pi(), pool.int(2));
        let half_pi = pool.div(pi, two);
        assert_eq!(constants.value(&pool, half_pi), Some(std::f64::consts::FRAC_PI_2));
        let root = pool.sqrt(two);
        assert_eq!(constants.value(&pool, root), Some(std::f64::consts::SQRT_2));
        let inverse = pool.recip(root);
        assert_eq!(constants.value(&pool, inverse), Some(std::f64::consts::FRAC_1_SQRT_2));
        for (n, d) in [(1, 3), (1, 10), (2, 3), (-7, 11), (10_000_000_019, 7)] {
            let e = pool.ratio(n, d);
            assert_eq!(constants.value(&pool, e), Some(n as f64 / d as f64));
        }
        // 10^30 pi^3 - 31006276680299820175476315067101 cancels 32 digits.
        let (ten, thirty) = (pool.int(10), pool.int(30));
        let (scale, cube) = (pool.pow(ten, thirty), pool.powi(pi, 3));
        let near = pool.number("-31006276680299820175476315067101".parse().expect("a number"));
        let product = pool.mul(scale, cube);
        let difference = pool.add(product, near);
        assert_eq!(constants.value(&pool, difference), Some(0.395_202_225_288_565_9));
        let x = pool.symbol("x");
        let sum = pool.add(x, pi);
        assert_eq!(constants.value(&pool, sum), None);
        let exp = pool.call(crate::expr::Function::Exp, two);
        assert_eq!(constants.value(&pool, exp), None);
    }
}
