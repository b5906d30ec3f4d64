//! Plane rotations by small angles, which cost less than sines and cosines of their sums.

use super::fma;
use nhi_runtime::Scalar;

/// Cosine and sine of an angle, optionally with fused multiply–add.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rotation<const FUSED: bool> {
    pub(super) c: f64,
    pub(super) s: f64,
}

impl<const FUSED: bool> Rotation<FUSED> {
    /// By any angle.
    #[inline]
    pub(super) fn of(angle: f64) -> Self {
        let (s, c) = Scalar::sin_cos(angle);
        Rotation { c, s }
    }

    /// By |x| ≤ 1/8: the next terms of the series are below 2⁻⁵⁴ of the result.
    #[inline(always)]
    pub(super) fn small(x: f64) -> Self {
        let fma = fma::<FUSED>;
        let z = x * x;
        let zz = z * z;
        let s = fma(zz, fma(z, 1.0 / 362880.0, -1.0 / 5040.0), fma(z, 1.0 / 120.0, -1.0 / 6.0));
        let c =
            fma(zz, fma(zz, -1.0 / 3628800.0, fma(z, 1.0 / 40320.0, -1.0 / 720.0)), fma(z, 1.0 / 24.0, -0.5));
        Rotation { c: fma(z, c, 1.0), s: fma(x * z, s, x) }
    }

    /// By |x| ≤ [`NUDGE`].
    #[inline(always)]
    pub(super) fn tiny(x: f64) -> Self {
        let fma = fma::<FUSED>;
        let half = -0.5 * x;
        Rotation { c: fma(half, x, 1.0), s: fma(half * x * x, 1.0 / 3.0, x) }
    }

    /// The composition of this rotation and `other`.
    #[inline(always)]
    pub(super) fn then(self, other: Self) -> Self {
        let (c, s) = other.of_vector((self.c, self.s));
        Rotation { c, s }
    }

    /// By twice the angle.
    #[inline(always)]
    pub(super) fn twice(self) -> Self {
        let ss = self.s + self.s;
        Rotation { c: fma::<FUSED>(-ss, self.s, 1.0), s: ss * self.c }
    }

    /// Rotates a vector by the angle.
    #[inline(always)]
    pub(super) fn of_vector(self, (x, y): (f64, f64)) -> (f64, f64) {
        let fma = fma::<FUSED>;
        (fma(x, self.c, -(y * self.s)), fma(y, self.c, x * self.s))
    }

    /// The components of a vector in a frame that is rotated by the angle.
    #[inline(always)]
    pub(super) fn seen(self, (x, y): (f64, f64)) -> (f64, f64) {
        let fma = fma::<FUSED>;
        (fma(x, self.c, y * self.s), fma(y, self.c, -(x * self.s)))
    }
}

/// Above this |x|, the error of [`Rotation::tiny`] exceeds 2⁻⁵⁴.
pub(super) const NUDGE: f64 = 1.0 / 8192.0;

/// Extrapolates a smooth sequence by two steps from its last three members; the error is four third differences.
#[inline(always)]
pub(super) fn two_ahead<const FUSED: bool>([x, before, first]: [f64; 3]) -> f64 {
    let fma = fma::<FUSED>;
    fma(6.0, x, fma(-8.0, before, 3.0 * first))
}

/// Steps between re-synchronisations of incrementally rotated pairs, which bound the change of their length by
/// rounding.
pub(super) const RENEWED: u64 = 64;
