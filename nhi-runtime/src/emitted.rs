//! What emitted code calls; nothing for people to use.

use crate::{Failure, Scalar};

/// Convergence control of a Newton iteration for `N` unknowns.
///
/// Updates are measured in one norm, ‖x‖² = Σ wᵢxᵢ², in which unknowns of different units can be
/// compared: with the masses Mᵢᵢ for velocities and (μM⁻¹μᵀ)ₐₐ for impulses it is twice a kinetic
/// energy. An update is small if it is beside x *and* beside what x is added to: an impulse that
/// vanishes is known when its effect on the velocity is.
#[derive(Clone, Copy, Debug)]
pub struct Newton<const N: usize> {
    weights: [f64; N],
    beside: f64,
    /// ‖δ‖² of the last update.
    last: f64,
    updates: u32,
}

impl<const N: usize> Default for Newton<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> Newton<N> {
    /// More updates mean that the iteration does not converge: where it does, four or five do.
    const MOST_UPDATES: u32 = 50;

    /// For unknowns of order one: updates are relative to 1 + ‖x‖².
    #[inline]
    pub const fn new() -> Self {
        Newton { weights: [1.0; N], beside: 1.0, last: f64::INFINITY, updates: 0 }
    }

    /// Updates are relative to `beside` + ‖x‖² in the norm with the given weights.
    #[inline]
    pub fn weighted<T: Scalar>(weights: [T; N], beside: T) -> Self {
        Newton { weights: weights.map(T::to_f64), beside: beside.to_f64(), ..Self::new() }
    }

    /// Adds `delta` to the unknowns; true when they are solved for.
    ///
    /// # Errors
    /// [`Failure::NonFinite`] and [`Failure::NotConverged`].
    #[inline]
    pub fn update<T: Scalar>(&mut self, unknowns: &mut [T; N], delta: [T; N]) -> Result<bool, Failure> {
        let mut delta2 = 0.0;
        let mut size2 = self.beside;
        for ((x, d), w) in unknowns.iter_mut().zip(delta).zip(self.weights) {
            *x = *x + d;
            delta2 += w * d.to_f64() * d.to_f64();
            size2 += w * x.to_f64() * x.to_f64();
        }
        if !(delta2.is_finite() && size2.is_finite()) {
            return Err(Failure::NonFinite);
        }
        // For f64 1.4e-14, and 1.5e-11 for updates that have stopped shrinking
        // (methods-rn, section 10).
        let rounding = 64.0 * T::EPSILON;
        let noise = 65536.0 * T::EPSILON;
        if delta2 <= rounding * rounding * size2 {
            return Ok(true);
        }
        // The iteration converges quadratically, so that after ‖δ₀‖, ‖δ₁‖ the next update is about
        // ‖δ₁‖(‖δ₁‖/‖δ₀‖)². Where that is rounding, it need not be computed. (The first condition
        // keeps an accidentally small δ₁ from being taken for convergence.)
        let shrunk = delta2 / self.last;
        let predicted = delta2 * shrunk * shrunk;
        if self.updates > 0 && delta2 <= rounding * size2 && predicted <= T::EPSILON * T::EPSILON * size2 {
            return Ok(true);
        }
        if delta2 >= self.last && delta2 <= noise * noise * size2 {
            return Ok(true);
        }
        self.last = delta2;
        self.updates += 1;
        if self.updates >= Self::MOST_UPDATES { Err(Failure::NotConverged) } else { Ok(false) }
    }
}

/// All `values` are finite.
#[inline]
pub fn finite<T: Scalar>(values: &[T]) -> bool {
    values.iter().all(|x| x.to_f64().is_finite())
}

/// A pivot of a symmetric positive definite elimination is positive by more than the rounding of
/// the diagonal entry that it was; not a number is not.
#[inline]
pub fn regular<T: Scalar>(pivot: T, diagonal: T) -> bool {
    let (pivot, diagonal) = (pivot.to_f64(), diagonal.to_f64());
    pivot > 16.0 * T::EPSILON * diagonal && pivot > 0.0
}
