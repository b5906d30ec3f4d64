//! The size of steps whose error is estimated.
//!
//! A pair of steps of size h leads from the state y₀ to y₂, and one step of size 2h to w. Of a method of order p,
//!
//! ```text
//! (1)  err = max_i |y₂ᵢ − wᵢ| / ((2^p − 1) scᵢ),   scᵢ = tol (1 + max(|y₀ᵢ|, |y₂ᵢ|)),
//! (2)  h' = h min(facmax, max(facmin, fac (1/err)^(1/(p + 1)))).
//! ```
//!
//! err is the error of y₂ in units of the tolerance, up to O(h^(p + 2)). The pair is accepted if err ≤ 1, and otherwise repeated with
//! h'. (1) is Richardson's estimate by doubled steps, and (2) the elementary controller, of Hairer, Nørsett and Wanner, *Solving
//! Ordinary Differential Equations I*, section II.4, with the maximum norm. After a rejection facmax = 1, as there. y₂ is not
//! extrapolated: y₂ is on the constraints and has the energy that the method keeps, and y₂ + (y₂ − w)/(2^p − 1) has neither.

use crate::Scalar;
use core::ops::RangeInclusive;

/// Tolerances below this are below the rounding errors of steps.
pub const SMALLEST: f64 = 1e-14;

/// fac: the part of the largest size that is taken.
const SAFETY: f64 = 0.9;
/// facmin and facmax.
const FACTORS: RangeInclusive<f64> = 0.2..=5.0;

/// The step size when a simulation starts at rest.
const AT_REST: f64 = 1e-6;
/// Rates of a state relative to its size, below which it is at rest, and above which a rate has overflowed.
const RATES: RangeInclusive<f64> = 1e-5..=1e12;

/// The step size of a simulation with a tolerance.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Controller {
    tolerance: f64,
    order: u32,
    h: f64,
}

/// An accepted pair of steps.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Accepted<P> {
    /// What the steps have computed.
    pub pair: P,
    /// The time after them.
    pub end: f64,
}

/// No pair of steps is accurate enough.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Stalled<E> {
    /// The size of the last pair that was tried.
    pub h: f64,
    /// Why its steps failed, if they did.
    pub cause: Option<E>,
}

/// The next pair of steps.
struct Next {
    h: f64,
    end: f64,
    /// Whether the size is shortened to meet a given time.
    is_shortened: bool,
}

impl Controller {
    /// For a method of the given order; none if a tolerance of this size is impossible. `h` is the size of the first steps that are
    /// tried.
    pub fn new(tolerance: f64, order: u32, h: f64) -> Option<Controller> {
        let is_possible = (SMALLEST..f64::INFINITY).contains(&tolerance);
        is_possible.then_some(Controller { tolerance, order, h })
    }

    /// The tolerance.
    pub fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// The error (1) of a pair of steps relative to what is tolerated, from the parts of the states before and after it and after one
    /// step of twice the size: q, v and z.
    pub fn error(&self, parts: [[&[f64]; 3]; 3]) -> f64 {
        let difference = parts.into_iter().fold(0.0, |largest, [before, after, coarse]| {
            let numbers = before.iter().zip(after).zip(coarse);
            numbers.fold(largest, |largest: f64, ((before, after), coarse)| {
                largest.max((after - coarse).abs() / (1.0 + before.abs().max(after.abs())))
            })
        });
        difference / (f64::from((1_u32 << self.order) - 1) * self.tolerance)
    }

    /// The pair of steps that is accepted from the time `now` on, towards a target time or without one. If it comes close to the
    /// target, it ends there. `attempt` takes a pair of steps of a given size, and returns it with its [error](Controller::error).
    ///
    /// # Errors
    /// [`Stalled`] if steps of a size that is rounding of the time are not accurate enough.
    pub fn step<P, E>(
        &mut self,
        now: f64,
        target: Option<f64>,
        mut attempt: impl FnMut(f64) -> Result<(P, f64), E>,
    ) -> Result<Accepted<P>, Stalled<E>> {
        let before = self.h;
        let mut largest = *FACTORS.end();
        loop {
            let Next { h, end, is_shortened } = self.next(now, target);
            let cause = match attempt(h) {
                Ok((pair, error)) if error <= 1.0 => {
                    let next = h * self.factor(error, largest);
                    if !is_shortened && next.is_finite() {
                        self.h = next;
                    }
                    return Ok(Accepted { pair, end });
                }
                Ok((_, error)) => {
                    self.h = h * self.factor(error, 1.0);
                    None
                }
                Err(cause) => {
                    self.h = h * *FACTORS.start();
                    Some(cause)
                }
            };
            largest = 1.0;
            if self.h.abs() <= 4.0 * f64::EPSILON * now.abs() {
                self.h = before;
                return Err(Stalled { h, cause });
            }
        }
    }

    /// h'/h of (2).
    fn factor(&self, error: f64, largest: f64) -> f64 {
        let factor = SAFETY * Scalar::powf(error, -1.0 / f64::from(self.order + 1));
        // The error is not a number if states differ by more than the largest number.
        if factor > *FACTORS.start() { factor.min(largest) } else { *FACTORS.start() }
    }

    /// The next pair. The last two pairs to the target have the same size, so that none is much smaller than the others.
    fn next(&self, now: f64, target: Option<f64>) -> Next {
        let Some(target) = target else {
            return Next { h: self.h, end: now + 2.0 * self.h, is_shortened: false };
        };
        let rest = target - now;
        let h = self.h.abs().copysign(rest);
        let pairs = rest / (2.0 * h);
        if pairs <= 1.0 {
            Next { h: 0.5 * rest, end: target, is_shortened: true }
        } else if pairs <= 2.0 {
            Next { h: 0.25 * rest, end: now + 0.5 * rest, is_shortened: true }
        } else {
            Next { h, end: now + 2.0 * h, is_shortened: false }
        }
    }
}

/// A size for the first steps from the state (q, v) with the acceleration `a`, if it is known: a hundredth of the time in which the
/// state changes by its own size, as the first guess of Hairer, Nørsett and Wanner, section II.4.
pub fn first_size(q: &[f64], v: &[f64], a: Option<&[f64]>) -> f64 {
    let size = |x: &[f64]| x.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
    let rate = (size(v) / (1.0 + size(q))).max(size(a.unwrap_or_default()) / (1.0 + size(v)));
    if RATES.contains(&rate) { 0.01 / rate } else { AT_REST }
}

#[cfg(test)]
mod tests {
    use super::{Accepted, Controller, Stalled, first_size};

    fn controller(h: f64) -> Controller {
        Controller::new(1e-6, 2, h).unwrap()
    }

    #[test]
    fn the_error_is_relative_to_numbers_above_one() {
        let error = |before, after, coarse| {
            controller(1.0).error([
                [&[0.0; 2], &[0.0; 2], &[0.0; 2]],
                [&[before], &[after], &[coarse]],
                [&[]; 3],
            ])
        };
        assert!((error(0.0, 0.0, 3e-6) - 1.0).abs() < 1e-12);
        assert!((error(-1.0, 0.0, 6e-6) - 1.0).abs() < 1e-12);
        assert!((error(0.0, 999.0, 999.0 - 3e-3) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn an_error_of_order_three_is_brought_to_the_tolerance() {
        let mut controller = controller(1.0);
        let (mut now, mut sizes) = (0.0, std::vec::Vec::new());
        while now < 10.0 {
            let attempt = |h: f64| Ok::<_, ()>((h, 1e3 * h.powi(3)));
            let Accepted { pair, end } = controller.step(now, Some(10.0), attempt).unwrap();
            sizes.push(pair);
            now = end;
        }
        assert_eq!(now, 10.0);
        // 0.9³ of the tolerance.
        assert!(sizes[2..sizes.len() - 2].iter().all(|h| (h - 0.09).abs() < 1e-12), "{sizes:?}");
        let [a, b] = [sizes[sizes.len() - 2], sizes[sizes.len() - 1]];
        assert!((a - b).abs() < 1e-12 && a <= 0.09 + 1e-12, "{sizes:?}");
    }

    #[test]
    fn a_shortened_step_does_not_shorten_others() {
        let mut controller = controller(0.1);
        let accepted = controller.step(0.0, Some(1e-3), |h| Ok::<_, ()>((h, 1e-9))).unwrap();
        assert_eq!(accepted, Accepted { pair: 5e-4, end: 1e-3 });
        assert_eq!(controller.h, 0.1);
        // Backwards, too.
        let accepted = controller.step(1e-3, Some(0.0), |h| Ok::<_, ()>((h, 1e-9))).unwrap();
        assert_eq!(accepted, Accepted { pair: -5e-4, end: 0.0 });
    }

    #[test]
    fn steps_that_fail_are_repeated_with_smaller_ones_until_these_are_rounding() {
        let mut controller = controller(0.1);
        let attempt = |h: f64| if h > 0.01 { Err("large") } else { Ok((h, 0.5)) };
        let accepted = controller.step(1.0, None, attempt).unwrap();
        assert!(accepted.pair <= 0.01 && accepted.pair > 1e-3);
        let h = controller.h;
        // After a rejection the size does not grow.
        assert!(h <= accepted.pair);
        let stalled = controller.step(1.0, None, |_| Err::<((), f64), _>("always")).unwrap_err();
        assert_eq!(stalled.cause, Some("always"));
        assert!(stalled.h < 1e-14 && controller.h == h);
        let Stalled { cause, .. } = controller.step(0.0, None, |h| Ok::<_, ()>((h, f64::NAN))).unwrap_err();
        assert_eq!(cause, None);
    }

    #[test]
    fn the_first_size_is_that_of_the_motion() {
        assert_eq!(first_size(&[1.0], &[2.0], Some(&[0.0])), 0.01);
        assert_eq!(first_size(&[0.0], &[1.0], Some(&[20.0])), 0.001);
        for a in [Some(&[0.0][..]), Some(&[f64::INFINITY]), None] {
            assert_eq!(first_size(&[0.0], &[0.0], a), 1e-6);
        }
    }
}
