//! The filter of Wächter and Biegler (*On the implementation of an interior-point filter line-search algorithm for large-scale
//! nonlinear programming*, Math. Program. 106, 2006, section 2.3): pairs of infeasibility θ and barrier function φ, of which a
//! trial has to improve one. Numbers in parentheses are those of its equations.
use alloc::vec::Vec;
#[cfg(not(feature = "std"))]
use num_traits::Float;

/// γ_θ, γ_φ: what counts as progress (18).
const GAMMA: f64 = 1e-5;
/// s_θ, s_φ, δ: where φ alone decides (19).
const POWER_THETA: f64 = 1.1;
const POWER_PHI: f64 = 2.3;
const SWITCH: f64 = 1.0;
/// η_φ: the decrease of φ (20).
const ARMIJO: f64 = 1e-4;
/// γ_α: how much shorter than what (23) needs the last trial is.
const SAFETY: f64 = 0.05;
/// φ is rounded to this many units.
const ROUNDING: f64 = 10.0 * f64::EPSILON;

/// θ and φ of a point.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Merit {
    pub(crate) theta: f64,
    pub(crate) phi: f64,
}

#[derive(Clone, Debug)]
pub(crate) struct Filter {
    corners: Vec<Merit>,
    /// θ_max (21) and θ_min.
    largest: f64,
    small: f64,
}

impl Filter {
    /// An empty filter for a solution that begins with the infeasibility `theta`.
    pub(crate) fn new(theta: f64) -> Self {
        let size = theta.max(1.0);
        Filter { corners: Vec::new(), largest: 3.0 * size, small: 1e-4 * size }
    }

    pub(crate) fn clear(&mut self) {
        self.corners.clear();
    }

    /// Whether a `trial` at the part α of a step along which φ changes at the rate `slope` is accepted. If it is for its θ,
    /// or for progress in either, the filter keeps the point `from` (22).
    pub(crate) fn accepts(&mut self, from: Merit, trial: Merit, alpha: f64, slope: f64) -> bool {
        let slack = ROUNDING * from.phi.abs();
        let is_worse = |corner: &Merit| trial.theta >= corner.theta && trial.phi >= corner.phi + slack;
        if !(trial.theta <= self.largest && trial.phi.is_finite()) || self.corners.iter().any(is_worse) {
            return false;
        }
        if from.theta <= self.small && self.is_switched(from, alpha, slope) {
            return trial.phi <= from.phi + ARMIJO * alpha * slope + slack;
        }
        let (theta, phi) = ((1.0 - GAMMA) * from.theta, from.phi - GAMMA * from.theta);
        if trial.theta <= theta || trial.phi <= phi + slack {
            self.corners.push(Merit { theta, phi });
            return true;
        }
        false
    }

    /// (19)
    fn is_switched(&self, from: Merit, alpha: f64, slope: f64) -> bool {
        slope < 0.0 && alpha * (-slope).powf(POWER_PHI) > SWITCH * from.theta.powf(POWER_THETA)
    }

    /// The shortest step to try (23).
    pub(crate) fn shortest(&self, from: Merit, slope: f64) -> f64 {
        let mut least = GAMMA;
        if slope < 0.0 {
            least = least.min(GAMMA * from.theta / -slope);
            if from.theta <= self.small {
                least = least.min(SWITCH * from.theta.powf(POWER_THETA) / (-slope).powf(POWER_PHI));
            }
        }
        // Without infeasibility φ decreases for any step that is short enough.
        SAFETY * least.max(1e-10)
    }
}
