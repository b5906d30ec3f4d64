use crate::trigonometry;
use core::fmt::Debug;
use core::ops::{Add, Div, Mul, Neg, Sub};
use num_traits::Float;

/// The numbers a generated step computes with: `f64`, `f32`, [`Dual`](crate::Dual), or a type of your own.
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
    /// Whether every step looks if its results are finite. A driver that does so itself, after several
    /// steps, has a scalar that says no.
    const CHECKED: bool = true;
    /// Order of the derivatives that a number carries beside its value, as [`Dual`](crate::Dual) does. Where
    /// a step solves an equation by Newton's method, as many more iterations find the derivatives of the
    /// solution.
    const DERIVATIVES: u32 = 0;
    /// How far Newton's method goes, with the same instructions whatever the numbers are, so that a driver can take
    /// steps side by side: one update (1), one of second order (2), which there is for one unknown, or two (3); 0: as
    /// many updates as are needed.
    const UPDATES: u32 = 0;
    /// Whether a product and the sum that it is part of are one operation.
    const FUSED: bool = false;
    /// The nearest value to `x`.
    fn from_f64(x: f64) -> Self;
    /// The real part, for tests of size.
    fn to_f64(self) -> f64;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Sine and cosine.
    fn sin_cos(self) -> (Self, Self);
    /// Sine and cosine of an angle that is small as a rule, such as what a step turns something by. Any other
    /// one is right, but takes longer.
    #[inline]
    fn small_sin_cos(self) -> (Self, Self) {
        self.sin_cos()
    }
    /// Sine and cosine of an angle that is close to `from` as a rule, of whose `sines`, (sin, cos), they may be made:
    /// every such turn adds a rounding. Any other one is right, but takes longer.
    #[inline]
    fn sin_cos_turned(self, _from: Self, _sines: (Self, Self)) -> (Self, Self) {
        self.sin_cos()
    }
    /// Sine and cosine of an angle that is `from` + `by`, of which these are the `sines`, (sin, cos), but for a tiny
    /// difference as a rule. Any other one is right, but takes longer.
    #[inline]
    fn sin_cos_near(self, from: Self, by: Self, sines: (Self, Self)) -> (Self, Self) {
        self.sin_cos_turned(from + by, sines)
    }
    /// The same number, but for the compiler, which does not pack what it is made of into vectors with what is made
    /// beside it: operations that wait for each other would wait for shuffles too.
    #[inline]
    fn apart(self) -> Self {
        self
    }
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
    /// Integer power.
    fn powi(self, n: i32) -> Self;
    /// Power.
    fn powf(self, x: Self) -> Self;
}

macro_rules! float_scalar {
    ($(
        $float:ty: $sin_cos:path, $small_sin_cos:path, $sin_cos_turned:expr, $sin_cos_near:expr, $sin:path, $cos:path, $apart:path;
    )*) => {$(
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
            fn small_sin_cos(self) -> (Self, Self) {
                $small_sin_cos(self)
            }
            #[inline]
            fn sin_cos_turned(self, from: Self, sines: (Self, Self)) -> (Self, Self) {
                $sin_cos_turned(self, from, sines)
            }
            #[inline]
            fn sin_cos_near(self, from: Self, by: Self, sines: (Self, Self)) -> (Self, Self) {
                $sin_cos_near(self, from, by, sines)
            }
            #[inline]
            fn apart(self) -> Self {
                $apart(self)
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
            fn powi(self, n: i32) -> Self {
                Float::powi(self, n)
            }
            #[inline]
            fn powf(self, x: Self) -> Self {
                Float::powf(self, x)
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
    f64: trigonometry::sin_cos, trigonometry::small_sin_cos,
        trigonometry::sin_cos_turned, trigonometry::sin_cos_near, trigonometry::sin, trigonometry::cos,
        crate::isa::apart;
    f32: Float::sin_cos, Float::sin_cos, |x, _, _| Float::sin_cos(x),
        |x, _, _, _| Float::sin_cos(x), Float::sin, Float::cos, core::convert::identity;
}
