use crate::drive::{Drive, SinCosUpdate};
use crate::trigonometry;
use core::f64::consts::PI;
use core::fmt::Debug;
use core::ops::{Add, Div, Mul, Neg, Sub};
use num_traits::Float;

/// The numbers a generated step computes with: `f64`, `f32`, [`Dual`](crate::Dual), or a type of your own.
///
/// An implementation consists of the arithmetic and the elementary functions.
pub trait Scalar:
    Copy
    + Debug
    + PartialEq
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// Relative rounding unit of this type.
    const EPSILON: f64;
    #[doc(hidden)]
    const DRIVE: Drive = Drive::PLAIN;
    /// The nearest value to `x`.
    fn from_f64(x: f64) -> Self;
    /// The nearest `f64`, without derivatives.
    fn to_f64(self) -> f64;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Sine and cosine.
    fn sin_cos(self) -> (Self, Self);
    /// Sine.
    fn sin(self) -> Self;
    /// Cosine.
    fn cos(self) -> Self;
    /// Tangent.
    fn tan(self) -> Self;
    /// Inverse sine.
    fn asin(self) -> Self;
    /// Inverse cosine.
    fn acos(self) -> Self;
    /// Inverse tangent.
    fn atan(self) -> Self;
    /// Angle of the point (`x`, `self`), in (−π, π].
    fn atan2(self, x: Self) -> Self;
    /// Hyperbolic sine.
    fn sinh(self) -> Self;
    /// Hyperbolic cosine.
    fn cosh(self) -> Self;
    /// Hyperbolic tangent.
    fn tanh(self) -> Self;
    /// Exponential.
    fn exp(self) -> Self;
    /// Natural logarithm.
    fn ln(self) -> Self;
    /// Power.
    fn powf(self, x: Self) -> Self;
    /// `positive` where the value is not negative, otherwise `negative`: piecewise functions are made of it.
    #[doc(hidden)]
    #[inline(always)]
    fn select(self, positive: Self, negative: Self) -> Self {
        if self.to_f64() >= 0.0 { positive } else { negative }
    }
    /// Sine and cosine of an angle about which something is known. The result is accurate for every angle.
    #[doc(hidden)]
    #[inline(always)]
    fn update_sin_cos(
        self,
        _update: SinCosUpdate,
        _from: Self,
        _by: Self,
        _sines: (Self, Self),
    ) -> (Self, Self) {
        self.sin_cos()
    }
    /// `near` if the value is below `bound`, else `far` of it. This and [`choose`](Scalar::choose) are the only ways in which the
    /// maps of groups choose among formulas. A number type that takes the same ones for several numbers has `near` alone.
    #[doc(hidden)]
    #[inline(always)]
    fn near_or_far(self, bound: f64, near: Self, far: impl Fn(Self) -> Self) -> Self {
        self.choose(bound, || near, || far(self), |near, far, one| one(near, far))
    }
    /// `near()` if the value is below `bound`, else `far()`. A number type that records operations takes both, and makes one
    /// value of them by `either`, with a function that makes one number of two.
    #[doc(hidden)]
    #[inline(always)]
    fn choose<V>(
        self,
        bound: f64,
        near: impl FnOnce() -> V,
        far: impl FnOnce() -> V,
        _either: impl FnOnce(V, V, &dyn Fn(Self, Self) -> Self) -> V,
    ) -> V {
        if self.is_near(bound) { near() } else { far() }
    }
    /// A function of the value. Numbers that carry derivatives multiply these by its derivative.
    #[doc(hidden)]
    #[inline(always)]
    fn chained<S: Smooth>(self) -> Self {
        S::of(self)
    }
    /// The nearest multiple of 2π, without derivatives.
    #[doc(hidden)]
    #[inline]
    fn full_turns(self) -> Self {
        Self::from_f64(2.0 * PI * Float::round(self.to_f64() / (2.0 * PI)))
    }
    /// Whether [`near`](Scalar::near_or_far) is chosen.
    #[doc(hidden)]
    #[inline(always)]
    fn is_near(self, bound: f64) -> bool {
        self.to_f64() < bound
    }
    /// Identity that is opaque to the optimiser. It prevents the compiler from packing neighbouring numbers, and the
    /// operations that compute them, into vectors, whose shuffles would lengthen a chain of dependent operations.
    #[doc(hidden)]
    #[inline(always)]
    fn opaque(self) -> Self {
        self
    }
}

/// A function of one number and its derivative.
#[doc(hidden)]
pub trait Smooth {
    /// The value.
    fn of<T: Scalar>(x: T) -> T;
    /// The derivative.
    fn slope<T: Scalar>(x: T) -> T;
}

macro_rules! float_scalar {
    ($($float:ty: $sin_cos:path, $sin:path, $cos:path, $update_sin_cos:expr, $opaque:path;)*) => {$(
        impl Scalar for $float {
            const EPSILON: f64 = <$float>::EPSILON as f64;
            #[inline]
            fn from_f64(x: f64) -> Self {
                x as $float
            }
            #[inline]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            float_scalar!(@unary $float: sqrt tan asin acos atan sinh cosh tanh exp ln);
            #[inline]
            fn sin_cos(self) -> (Self, Self) {
                $sin_cos(self)
            }
            #[inline]
            fn sin(self) -> Self {
                $sin(self)
            }
            #[inline]
            fn cos(self) -> Self {
                $cos(self)
            }
            #[inline]
            fn atan2(self, x: Self) -> Self {
                Float::atan2(self, x)
            }
            #[inline]
            fn powf(self, x: Self) -> Self {
                Float::powf(self, x)
            }
            #[inline(always)]
            fn update_sin_cos(
                self,
                update: SinCosUpdate,
                from: Self,
                by: Self,
                sines: (Self, Self),
            ) -> (Self, Self) {
                $update_sin_cos(self, update, from, by, sines)
            }
            #[inline]
            fn opaque(self) -> Self {
                $opaque(self)
            }
        }
    )*};
    (@unary $float:ty: $($f:ident)*) => {$(
        #[inline]
        fn $f(self) -> Self {
            Float::$f(self)
        }
    )*};
}

float_scalar! {
    f64: trigonometry::sin_cos, trigonometry::sin, trigonometry::cos, trigonometry::update_sin_cos,
        crate::isa::opaque;
    f32: Float::sin_cos, Float::sin, Float::cos, |x, _, _, _, _| Float::sin_cos(x), core::convert::identity;
}
