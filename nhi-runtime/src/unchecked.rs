//! Steps with deferred finiteness checks.

use crate::drive::Drive;
use crate::fields::converted;
use crate::{Fields, Scalar};
use core::ops::{Add, Div, Mul, Neg, Sub};

// At its end a step checks that all results are finite, which for small systems costs more than the step. The check can
// be deferred: sums and products with a non-finite operand are not finite, and the new (q, v) is a sum with the old one,
// so a non-finite value persists.

/// The arithmetic of the loops of [`Simulation::advance`](crate::Simulation::advance) and of an `Ensemble`:
/// [`Separate`], or `Fused` if the processor has fused operations. These number types are only for these loops: steps do
/// not check that results are finite, and sines of angles above 2²⁰ are NaN.
pub trait Arithmetic: Scalar + Sealed {
    /// The numbers used if the processor lacks the instructions that this arithmetic needs.
    #[doc(hidden)]
    type Everywhere: Scalar;
}

/// Prevents other implementations of [`Arithmetic`].
#[doc(hidden)]
pub trait Sealed {}

impl Sealed for Separate {}

impl Arithmetic for Separate {
    type Everywhere = Separate;
}

/// Every operation rounds separately. Results are those of `f64`, bit for bit.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(transparent)]
pub struct Separate(f64);

/// Converts `value` to numbers with deferred checks.
#[inline]
pub(crate) fn unchecked<T: Scalar, A: Fields<f64>, B: Fields<T>>(value: &A) -> B {
    converted(value, 0.0, T::from_f64)
}

/// Converts back; `None` if a number is not finite.
#[inline]
pub(crate) fn finite<T: Scalar, A: Fields<T>, B: Fields<f64>>(value: &A) -> Option<B> {
    let mut sum = 0.0;
    value.write(&mut |x| sum += zero_if_finite(x.to_f64()));
    (sum == 0.0).then(|| converted(value, T::from_f64(0.0), T::to_f64))
}

/// x·0, which is zero only for finite `x`: the sum over many numbers is zero if all of them are finite.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn zero_if_finite(x: f64) -> f64 {
    x * 0.0
}

/// The functions of a [`Scalar`] with deferred checks: those of `f64`, with sines that are NaN where they would need a
/// call.
macro_rules! functions_by_f64 {
    () => {
        functions_by_f64!(@unary sqrt tan asin acos atan sinh cosh tanh exp ln);
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn sin_cos(self) -> (Self, Self) {
            $crate::trigonometry::sin_cos_or_nan(self)
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn update_sin_cos(
            self,
            update: $crate::drive::SinCosUpdate,
            from: Self,
            by: Self,
            sines: (Self, Self),
        ) -> (Self, Self) {
            $crate::trigonometry::update_sin_cos_or_nan(self, update, from, by, sines)
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn sin(self) -> Self {
            self.sin_cos().0
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn cos(self) -> Self {
            self.sin_cos().1
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn atan2(self, x: Self) -> Self {
            Self::from_f64(Scalar::atan2(self.to_f64(), x.to_f64()))
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn powf(self, x: Self) -> Self {
            Self::from_f64(Scalar::powf(self.to_f64(), x.to_f64()))
        }
    };
    (@unary $($f:ident)*) => {$(
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn $f(self) -> Self {
            Self::from_f64(Scalar::$f(self.to_f64()))
        }
    )*};
}
#[cfg(feature = "std")]
pub(crate) use functions_by_f64;

macro_rules! by_f64 {
    ($($trait:ident $operator:ident;)*) => {$(
        impl $trait for Separate {
            type Output = Self;
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn $operator(self, other: Self) -> Self {
                Separate($trait::$operator(self.0, other.0))
            }
        }
    )*};
}

by_f64! {
    Add add;
    Sub sub;
    Mul mul;
    Div div;
}

impl Neg for Separate {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn neg(self) -> Self {
        Separate(-self.0)
    }
}

impl Scalar for Separate {
    const EPSILON: f64 = f64::EPSILON;
    const DRIVE: Drive = Drive { checked: false, ..Drive::PLAIN };
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn from_f64(x: f64) -> Self {
        Separate(x)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn to_f64(self) -> f64 {
        self.0
    }
    functions_by_f64!();
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn opaque(self) -> Self {
        Separate(crate::isa::opaque(self.0))
    }
}
