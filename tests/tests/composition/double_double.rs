//! Numbers of 32 digits: a scalar type of the user's own, to see orders above the rounding of `f64`.

use nhi_runtime::Scalar;
use std::ops::{Add, Div, Mul, Neg, Sub};
use twofloat::TwoFloat;

/// An unevaluated sum of two `f64`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct DoubleDouble(pub(crate) TwoFloat);

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
    functions! { sqrt sin cos tan asin acos atan sinh cosh tanh exp ln }
    fn sin_cos(self) -> (Self, Self) {
        (self.sin(), self.cos())
    }
    fn atan2(self, x: Self) -> Self {
        DoubleDouble(self.0.atan2(x.0))
    }
    fn powi(self, n: i32) -> Self {
        DoubleDouble(self.0.powi(n))
    }
    fn powf(self, x: Self) -> Self {
        DoubleDouble(self.0.powf(x.0))
    }
}
