//! Real numbers in high precision with a running error bound.

use super::sample::{Field, Operands, Point};
use super::{Expr, Function, Node, Rational};
use dashu_float::round::{Rounded, mode::HalfEven};
use dashu_float::{ConstCache, Context, FBig, FpResult, Repr};
use dashu_int::IBig;
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

type Float = FBig<HalfEven, 2>;

/// Bits carried. Half of them may be lost to ill conditioning before a point is given up.
const PRECISION: usize = 192;
const CONTEXT: Context<HalfEven> = Context::new(PRECISION);

const fn power_of_two(n: i64) -> f64 {
    f64::from_bits(((1023 + n) as u64) << 52)
}

/// The unit of error bounds.
const UNIT: f64 = power_of_two(-(PRECISION as i64));
/// A value that cancelled down to its error is zero if the error is this small relative to the terms.
const RESOLUTION: f64 = power_of_two(-(PRECISION as i64) / 2);
/// Slack of the first-order error bounds.
const SLACK: f64 = 16.0;
/// Largest relative error for which first-order bounds are valid; between the two limits zero is undecided.
const CERTAIN: f64 = power_of_two(-20);
/// Sizes outside `1/HUGE..HUGE` could leave the range of the error bounds.
const HUGE: f64 = 1e250;
/// The exponential of more leaves that range.
const MAX_EXPONENT: f64 = 500.0;
/// Angles are reduced by multiples of pi up to here.
const MAX_ANGLE: f64 = 1e15;
/// Inverse sine and cosine have an infinite slope at one and stay that far from it.
const MARGIN: f64 = 1e-6;

/// A number with a bound of its error. A number whose error bound contains zero is exactly zero.
#[derive(Clone, Debug)]
pub(super) struct Ball {
    middle: Float,
    /// Absolute value of `middle`.
    size: f64,
    /// In units of [`UNIT`].
    error: f64,
}

impl Ball {
    fn zero(error: f64) -> Ball {
        Ball { middle: Float::ZERO, size: 0.0, error }
    }

    /// A computed value with the error propagated into it; `scale` is the size of what may have
    /// cancelled. `None` where it cannot be told whether this is zero.
    fn new(value: FpResult<Float>, propagated: f64, scale: f64) -> Option<Ball> {
        let value = value.ok()?;
        let exact = matches!(value, Rounded::Exact(_));
        let middle = value.value();
        let size = middle.to_f64().value().abs();
        let error = if exact { propagated } else { propagated + size };
        let is_zero = middle.repr().significand().is_zero();
        let in_range = size > 1.0 / HUGE && size < HUGE && error < HUGE;
        if !is_zero && !in_range {
            return None;
        }
        if is_zero || size <= SLACK * error * UNIT {
            let error = error + size / UNIT;
            (error * UNIT <= RESOLUTION * scale).then_some(Ball::zero(error))
        } else {
            (error * UNIT <= CERTAIN * size).then_some(Ball { middle, size, error })
        }
    }

    fn repr(&self) -> &Repr<2> {
        self.middle.repr()
    }

    fn is_zero(&self) -> bool {
        self.size == 0.0
    }

    fn is_positive(&self) -> bool {
        self.middle > Float::ZERO
    }
}

/// Arithmetic of balls.
#[derive(Default)]
pub(super) struct Balls {
    constants: ConstCache,
}

fn integer(i: &BigInt) -> IBig {
    IBig::from_le_bytes(&i.to_signed_bytes_le())
}

impl Balls {
    fn root(&mut self, x: &Ball) -> Option<Ball> {
        if x.is_zero() {
            // Somewhere between zero and the root of the error.
            return Some(Ball::zero((x.error * UNIT).sqrt() / UNIT));
        }
        let root = CONTEXT.sqrt(x.repr());
        let size = x.size.sqrt();
        Ball::new(root, x.error / (2.0 * size), size)
    }

    fn integer_power(&mut self, x: &Ball, n: i32) -> Option<Ball> {
        if x.is_zero() {
            return (n > 0).then(|| x.clone());
        }
        let size = x.size.powi(n);
        let slope = f64::from(n).abs() * x.size.powi(n - 1);
        Ball::new(CONTEXT.powi(x.repr(), IBig::from(n)), slope * x.error, size)
    }

    /// `base ^ exponent`; the exponent once more if it is a number.
    fn power(&mut self, base: &Ball, exponent: &Ball, number: Option<&Rational>) -> Option<Ball> {
        if let Some(r) = number {
            if r.is_integer() {
                return match r.numer().to_i32()? {
                    -1 => self.reciprocal(base),
                    n => self.integer_power(base, n),
                };
            }
            if base.is_zero() && r.is_positive() || *r.denom() == 2.into() {
                if !base.is_zero() && !base.is_positive() {
                    return None;
                }
                let root = self.root(base)?;
                let n = if *r.denom() == 2.into() { r.numer().to_i32()? } else { 1 };
                return self.integer_power(&root, n);
            }
        }
        if !base.is_positive() {
            return None;
        }
        let log = base.size.ln();
        if (log * exponent.size).abs() > MAX_EXPONENT {
            return None;
        }
        let value = CONTEXT.powf(base.repr(), exponent.repr(), Some(&mut self.constants));
        let size = (log * exponent.size).abs().exp();
        let relative = exponent.size * base.error / base.size + log.abs() * exponent.error;
        Ball::new(value, relative * size, size)
    }

    fn call(&mut self, f: Function, x: &Ball) -> Option<Ball> {
        use Function::*;
        let in_domain = match f {
            Sin | Cos | SmallSin | SmallCos | Tan => x.size < MAX_ANGLE,
            Asin | Acos => x.size < 1.0 - MARGIN,
            Sinh | Cosh | Tanh | Exp => x.size < MAX_EXPONENT,
            Ln => x.is_positive(),
            Atan => true,
        };
        if !in_domain {
            return None;
        }
        if x.is_zero() {
            match f {
                Sin | SmallSin | Tan | Asin | Atan | Sinh | Tanh => return Some(x.clone()),
                Cos | SmallCos | Cosh | Exp => {
                    return Some(Ball { middle: Float::ONE, size: 1.0, error: x.error });
                }
                Acos | Ln => {}
            }
        }
        let cache = Some(&mut self.constants);
        let value = match f {
            Sin | SmallSin => CONTEXT.sin(x.repr(), cache),
            Cos | SmallCos => CONTEXT.cos(x.repr(), cache),
            Tan => CONTEXT.tan(x.repr(), cache),
            Asin => CONTEXT.asin(x.repr(), cache),
            Acos => CONTEXT.acos(x.repr(), cache),
            Atan => CONTEXT.atan(x.repr(), cache),
            Sinh => CONTEXT.sinh(x.repr(), cache),
            Cosh => CONTEXT.cosh(x.repr(), cache),
            Tanh => CONTEXT.tanh(x.repr(), cache),
            Exp => CONTEXT.exp(x.repr(), cache),
            Ln => CONTEXT.ln(x.repr(), cache),
        };
        let size = value.as_ref().ok()?.value_ref().to_f64().value().abs();
        let slope = match f {
            Sin | Cos | SmallSin | SmallCos | Tanh | Atan => 1.0,
            Tan => 1.0 + size * size,
            Asin | Acos => 1.0 / (1.0 - x.size * x.size).sqrt(),
            Sinh => 1.0 + size,
            Cosh | Exp => size,
            Ln => 1.0 / x.size,
        };
        Ball::new(value, slope * x.error, size + slope * x.size)
    }

    fn atan2(&mut self, y: &Ball, x: &Ball) -> Option<Ball> {
        // The cut, where the angle jumps.
        if y.is_zero() && !x.is_positive() {
            return None;
        }
        let error = (x.error + y.error) / x.size.max(y.size);
        if y.is_zero() {
            return Some(Ball::zero(error));
        }
        Ball::new(CONTEXT.atan2(y.repr(), x.repr(), Some(&mut self.constants)), error, 1.0)
    }
}

impl Field for Balls {
    type Value = Ball;

    fn number(&mut self, r: &Rational) -> Option<Ball> {
        let [numer, denom] = [r.numer(), r.denom()].map(|i| Repr::new(integer(i), 0));
        Ball::new(CONTEXT.div(&numer, &denom), 0.0, 0.0)
    }

    fn pi(&mut self) -> Option<Ball> {
        let pi = CONTEXT.pi(Some(&mut self.constants));
        Ball::new(Ok(pi), 0.0, 0.0)
    }

    fn symbol(&mut self, point: Point, index: u32) -> Option<Ball> {
        let x = point.real(index);
        let middle = Float::try_from(x).ok()?;
        Some(Ball { middle, size: x.abs(), error: 0.0 })
    }

    fn sum(&mut self, terms: &[Ball]) -> Option<Ball> {
        let mut total = Float::ZERO;
        let mut error = 0.0;
        let mut scale = 0.0;
        for t in terms {
            error += t.error;
            if t.is_zero() {
                continue;
            }
            scale += t.size;
            let next = CONTEXT.add(total.repr(), t.repr()).ok()?;
            if matches!(next, Rounded::Inexact(..)) {
                error += scale;
            }
            total = next.value();
        }
        if scale == 0.0 {
            return Some(Ball::zero(error));
        }
        Ball::new(Ok(Rounded::Exact(total)), error, scale)
    }

    fn product(&mut self, factors: &[Ball]) -> Option<Ball> {
        let mut product = Ball { middle: Float::ONE, size: 1.0, error: 0.0 };
        for f in factors {
            let error = product.error * f.size + f.error * product.size + product.error * f.error * UNIT;
            product = if product.is_zero() || f.is_zero() {
                Ball::zero(error)
            } else {
                Ball::new(CONTEXT.mul(product.repr(), f.repr()), error, product.size * f.size)?
            };
        }
        Some(product)
    }

    fn reciprocal(&mut self, x: &Ball) -> Option<Ball> {
        if x.is_zero() {
            return None;
        }
        let one = Repr::new(IBig::ONE, 0);
        let size = 1.0 / x.size;
        Ball::new(CONTEXT.div(&one, x.repr()), x.error * size * size, size)
    }

    fn function(&mut self, operands: &Operands<'_, Ball>, e: Expr) -> Option<Ball> {
        let pool = operands.pool;
        match pool.node(e) {
            Node::Power(b, x) => self.power(operands.value(*b)?, operands.value(*x)?, pool.as_number(*x)),
            Node::Call(f, x) => self.call(*f, operands.value(*x)?),
            Node::Atan2(y, x) => self.atan2(operands.value(*y)?, operands.value(*x)?),
            Node::Select([c, a, b]) => {
                let c = operands.value(*c)?;
                // Where the sign is not certain, the branch is not.
                if c.is_zero() && c.error > 0.0 {
                    return None;
                }
                let is_positive = c.is_zero() || c.is_positive();
                operands.value(if is_positive { *a } else { *b }).cloned()
            }
            _ => None,
        }
    }

    fn size(&self, x: &Ball) -> f64 {
        x.size
    }
}
