//! First-order dual numbers as a scalar of the runtime.

use nhi_runtime::Scalar;
use num_dual::{Dual64, DualNum};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// x + x′ε.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Dual(Dual64);

impl Dual {
    pub(crate) fn new(value: f64, slope: f64) -> Self {
        Dual(Dual64::new(value, slope))
    }
    pub(crate) fn slope(self) -> f64 {
        self.0.eps
    }
}

macro_rules! operators {
    ($($trait:ident $f:ident;)*) => {$(
        impl $trait for Dual {
            type Output = Self;
            fn $f(self, other: Self) -> Self {
                Dual(self.0.$f(other.0))
            }
        }
    )*};
}

operators! { Add add; Sub sub; Mul mul; Div div; }

impl Neg for Dual {
    type Output = Self;
    fn neg(self) -> Self {
        Dual(-self.0)
    }
}

macro_rules! functions {
    ($($f:ident)*) => {$(
        fn $f(self) -> Self {
            Dual(DualNum::$f(&self.0))
        }
    )*};
}

impl Scalar for Dual {
    const EPSILON: f64 = f64::EPSILON;
    fn from_f64(x: f64) -> Self {
        Dual::new(x, 0.0)
    }
    fn to_f64(self) -> f64 {
        self.0.re
    }
    functions! { sqrt sin cos tan asin acos atan sinh cosh tanh exp ln }
    fn sin_cos(self) -> (Self, Self) {
        (self.sin(), self.cos())
    }
    fn atan2(self, x: Self) -> Self {
        Dual(DualNum::atan2(&self.0, x.0))
    }
    fn powf(self, x: Self) -> Self {
        Dual(DualNum::powd(&self.0, x.0))
    }
}
