use core::fmt::Debug;
use core::ops::{Add, Div, Mul, Neg, Sub};

/// The numbers a generated step computes with: `f64`, `f32`, or a type of your own.
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
    /// The nearest value to `x`.
    fn from_f64(x: f64) -> Self;
    /// The real part, for tests of size.
    fn to_f64(self) -> f64;
    /// Relative rounding unit of this type.
    const EPSILON: f64;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Sine and cosine.
    fn sin_cos(self) -> (Self, Self);
    /// Integer power.
    fn powi(self, n: i32) -> Self;
    /// Power.
    fn powf(self, x: Self) -> Self;
}
