//! Time as a function of the number of steps.

use crate::{Error, Quantity, Scalar};
use core::ops::Range;

/// The times of the nodes, t = t₀ + (k − k₀) h since the last change of the step size. They are computed from k, not
/// accumulated, so that they have one rounding error each.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Clock<T> {
    /// t₀.
    pub(super) origin: T,
    /// k₀, the number of steps taken at the time t₀.
    pub(super) taken: u64,
    h: T,
}

impl<T: Scalar> Clock<T> {
    /// The clock of a start at the time `t0`.
    pub(super) fn new(t0: T, h: T) -> Self {
        Clock { origin: t0, taken: 0, h }
    }

    /// The clock that shows `t` after `k` steps and continues with the step size `h`.
    pub(super) fn continued(t: T, k: u64, h: T) -> Self {
        Clock { origin: t, taken: k, h }
    }

    /// The step size.
    #[inline(always)]
    pub(super) fn h(&self) -> T {
        self.h
    }

    /// The time after `k` steps.
    #[inline(always)]
    pub(super) fn time(&self, k: u64) -> T {
        self.after(k - self.taken)
    }

    /// Steps counted from the origin.
    #[inline(always)]
    pub(super) fn since_origin(&self, steps: Range<u64>) -> Range<u64> {
        steps.start - self.taken..steps.end - self.taken
    }

    /// The time `n` steps after the origin.
    #[inline(always)]
    pub(super) fn after(&self, n: u64) -> T {
        // The conversion of a signed number is one instruction.
        self.origin + T::from_f64(n as i64 as f64) * self.h
    }

    /// Checks that its numbers are those of a clock.
    pub(super) fn check(&self) -> Result<(), Error> {
        let (t, h) = (self.origin.to_f64(), self.h.to_f64());
        if !h.is_finite() || h == 0.0 {
            return Err(Error::StepSize { h });
        }
        check_time(t)
    }
}

/// Checks that a time is finite.
pub(super) fn check_time(t: f64) -> Result<(), Error> {
    match t.is_finite() {
        true => Ok(()),
        false => Err(Error::NonFinite { quantity: Quantity::Time, name: "t", value: t }),
    }
}
