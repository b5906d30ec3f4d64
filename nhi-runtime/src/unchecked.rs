//! Steps whose results nobody looks at one by one.

use crate::fields::converted;
use crate::{Fields, Scalar, trigonometry};
use core::ops::{Add, Div, Mul, Neg, Sub};

/// `f64` for a driver that looks at the results of several steps at once: the same numbers, bit for bit.
///
/// A step's last act is to look whether all its results are finite, which for small systems costs more
/// than the step. It need not happen every time: sums and products of what is not finite are not, and the
/// new (q, v) is a sum with the old one.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(transparent)]
pub(crate) struct Unchecked(pub(crate) f64);

/// `value`, whose results are not looked at.
#[inline]
pub(crate) fn unchecked<A: Fields<f64>, B: Fields<Unchecked>>(value: &A) -> B {
    converted(value, 0.0, Unchecked)
}

/// The other way round; `None` if anything in it is not finite.
#[inline]
pub(crate) fn finite<A: Fields<Unchecked>, B: Fields<f64>>(value: &A) -> Option<B> {
    // x·0 is zero for finite x alone.
    let mut sum = 0.0;
    value.write(&mut |Unchecked(x)| sum += x * 0.0);
    (sum == 0.0).then(|| converted(value, Unchecked(0.0), |Unchecked(x)| x))
}

macro_rules! by_f64 {
    ($($trait:ident $operator:ident;)*) => {$(
        impl $trait for Unchecked {
            type Output = Self;
            #[inline(always)]
            fn $operator(self, other: Self) -> Self {
                Unchecked($trait::$operator(self.0, other.0))
            }
        }
    )*};
    (scalar $($f:ident)*) => {$(
        #[inline(always)]
        fn $f(self) -> Self {
            Unchecked(Scalar::$f(self.0))
        }
    )*};
}

by_f64! {
    Add add;
    Sub sub;
    Mul mul;
    Div div;
}

impl Neg for Unchecked {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Unchecked(-self.0)
    }
}

impl Scalar for Unchecked {
    const EPSILON: f64 = f64::EPSILON;
    const CHECKED: bool = false;
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        Unchecked(x)
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self.0
    }
    by_f64!(scalar sqrt tan asin acos atan sinh cosh tanh exp ln);
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = trigonometry::sin_cos_or_nan(self.0);
        (Unchecked(sin), Unchecked(cos))
    }
    #[inline(always)]
    fn sin(self) -> Self {
        self.sin_cos().0
    }
    #[inline(always)]
    fn cos(self) -> Self {
        self.sin_cos().1
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        Unchecked(Scalar::atan2(self.0, x.0))
    }
    #[inline(always)]
    fn powi(self, n: i32) -> Self {
        Unchecked(Scalar::powi(self.0, n))
    }
    #[inline(always)]
    fn powf(self, x: Self) -> Self {
        Unchecked(Scalar::powf(self.0, x.0))
    }
}
