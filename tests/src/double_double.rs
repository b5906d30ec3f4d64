//! Numbers of 32 digits: a scalar type of the user's own, to see what the rounding of `f64` hides.

use nhi_runtime::Scalar;
use std::f64::consts::FRAC_PI_2;
use std::ops::{Add, Div, Mul, Neg, Sub};
use twofloat::{TwoFloat, consts};

/// An unevaluated sum of two `f64`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DoubleDouble(pub TwoFloat);

macro_rules! operators {
    ($($trait:ident $f:ident;)*) => {$(
        impl $trait for DoubleDouble {
            type Output = Self;
            fn $f(self, other: Self) -> Self {
                DoubleDouble(self.0.$f(other.0))
            }
        }
    )*};
}

operators! { Add add; Sub sub; Mul mul; }

impl Div for DoubleDouble {
    type Output = Self;
    /// The crate's quotient is sometimes good to 17 digits only; its remainder gives the others.
    fn div(self, other: Self) -> Self {
        let quotient = self.0 / other.0;
        DoubleDouble(quotient + (self.0 - quotient * other.0) / other.0)
    }
}

impl Neg for DoubleDouble {
    type Output = Self;
    fn neg(self) -> Self {
        DoubleDouble(-self.0)
    }
}

macro_rules! functions {
    ($($f:ident)*) => {$(
        fn $f(self) -> Self {
            DoubleDouble(self.0.$f())
        }
    )*};
}

impl Scalar for DoubleDouble {
    /// A few units: divisions and functions are not rounded correctly.
    const EPSILON: f64 = 1.0 / (1u128 << 100) as f64;
    fn from_f64(x: f64) -> Self {
        DoubleDouble(TwoFloat::from(x))
    }
    fn to_f64(self) -> f64 {
        self.0.into()
    }
    functions! { sqrt tan asin acos atan sinh cosh tanh exp ln }
    fn sin(self) -> Self {
        self.sin_cos().0
    }
    fn cos(self) -> Self {
        self.sin_cos().1
    }
    /// Taylor's series within π/4 of a multiple of π/2: the crate's polynomials are good to 24 digits.
    fn sin_cos(self) -> (Self, Self) {
        let quarters = (self.0.hi() / FRAC_PI_2).round();
        let x = DoubleDouble(self.0 - consts::FRAC_PI_2 * quarters);
        let (mut sin, mut cos) = (Self::from_f64(0.0), Self::from_f64(0.0));
        let mut power = Self::from_f64(1.0);
        // xⁿ/n! < 1e-33 from n = 28 on.
        for n in 0..28 {
            match n % 4 {
                0 => cos = cos + power,
                1 => sin = sin + power,
                2 => cos = cos - power,
                _ => sin = sin - power,
            }
            power = power * x / Self::from_f64(f64::from(n + 1));
        }
        match quarters.rem_euclid(4.0) {
            0.0 => (sin, cos),
            1.0 => (cos, -sin),
            2.0 => (-sin, -cos),
            _ => (-cos, sin),
        }
    }
    fn atan2(self, x: Self) -> Self {
        DoubleDouble(self.0.atan2(x.0))
    }
    fn powf(self, x: Self) -> Self {
        DoubleDouble(self.0.powf(x.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (sin 3)² + (cos 3)² = 1, the formula for three times the angle, and a value of 32 digits.
    #[test]
    fn sine_and_cosine_have_all_digits() {
        let number = DoubleDouble::from_f64;
        for x in [-7.3, -1.6, -0.2, 0.0, 0.7, 1.0, 2.4, 40.0] {
            let (s, c) = number(x).sin_cos();
            assert!((s * s + c * c - number(1.0)).to_f64().abs() < 2e-31, "{x}");
            let (s3, c3) = (number(3.0) * number(x)).sin_cos();
            let four = number(4.0);
            assert!((s3 - (number(3.0) * s - four * s * s * s)).to_f64().abs() < 1e-30, "{x}");
            assert!((c3 - (four * c * c * c - number(3.0) * c)).to_f64().abs() < 1e-30, "{x}");
        }
        // sin 1 = 0.84147098480789650665250232163030…
        let (hi, lo) = (0.841_470_984_807_896_5, 1.776_845_092_935_536e-18);
        assert!((number(1.0).sin() - number(hi) - number(lo)).to_f64().abs() < 2e-31);
    }
}
