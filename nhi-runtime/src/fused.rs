//! Products and sums rounded once.

use crate::drive::Drive;
use crate::unchecked::{Sealed, functions_by_f64};
use crate::{Arithmetic, Scalar, isa};
use core::fmt;
use core::ops::{Add, Div, Mul, Neg, Sub};

/// A product and the sum that it is part of are one operation with one rounding (fused multiply–add), if the
/// processor has such operations.
// Multiplication is lazy: an addition that follows becomes a fused multiply–add; otherwise the product is computed when
// its value is needed. The choice is static, so no branch survives inlining.
#[derive(Clone, Copy)]
pub struct Fused {
    x: f64,
    /// The pending factor of `x`.
    by: Option<f64>,
}

impl Sealed for Fused {}

impl Arithmetic for Fused {
    #[cfg(any(target_feature = "fma", target_arch = "aarch64"))]
    type Everywhere = Fused;
    #[cfg(not(any(target_feature = "fma", target_arch = "aarch64")))]
    type Everywhere = crate::Separate;
}

impl Fused {
    #[inline(always)]
    fn value(self) -> f64 {
        match self.by {
            Some(y) => self.x * y,
            None => self.x,
        }
    }
}

impl PartialEq for Fused {
    fn eq(&self, other: &Self) -> bool {
        self.value() == other.value()
    }
}

impl fmt::Debug for Fused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value().fmt(f)
    }
}

impl Add for Fused {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::from_f64(match (self.by, other.by) {
            // Of two products the first is computed and the second fused: sums begin with the terms that arrive first.
            (_, Some(y)) => other.x.mul_add(y, self.value()),
            (Some(y), None) => self.x.mul_add(y, other.x),
            (None, None) => self.x + other.x,
        })
    }
}

impl Sub for Fused {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Fused {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Fused { x: self.value(), by: Some(other.value()) }
    }
}

impl Div for Fused {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Self::from_f64(self.value() / other.value())
    }
}

impl Neg for Fused {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Fused { x: -self.x, by: self.by }
    }
}

impl Scalar for Fused {
    const EPSILON: f64 = f64::EPSILON;
    const DRIVE: Drive = Drive { checked: false, fused: true, ..Drive::PLAIN };
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        Fused { x, by: None }
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self.value()
    }
    functions_by_f64!();
    #[inline(always)]
    fn opaque(self) -> Self {
        Self::from_f64(isa::opaque(self.value()))
    }
}
