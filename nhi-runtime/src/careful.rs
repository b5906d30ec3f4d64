//! Newton's method with a safeguard, for equations at which the plain one has failed.
//!
//! It sees an equation F = 0 through the updates δ = −J⁻¹F alone, which the plain method computes as well.
//!
//! - One unknown: where δ > 0 and δ < 0 enclose a root, updates that leave the interval, or that do not halve the update before the
//!   last one, are replaced by bisection. Of an F that jumps from one sign to the other, as with dry friction at rest, the place of the
//!   jump is the solution: the iteration ends where the interval is rounding.
//! - Several unknowns: a line search. From x the next point is x + λδ, where λ is halved until ‖δ‖ decreases, or until the next
//!   update has the same direction and is not much larger. (Of two blocks that friction stops, one passes its point of rest often
//!   before the other one has reached its own.)

use crate::Failure;
use crate::emitted::unsolved;

/// After more evaluations the equations count as unsolvable.
const MAX_EVALUATIONS: u32 = 500;

/// A line search along a shorter part of an update fails.
const SHORTEST: f64 = 1.0 / (1u64 << 40) as f64;

#[cfg(feature = "std")]
std::thread_local! {
    /// Evaluations on this thread. An iteration is deep inside of a step, which returns the new state alone.
    static EVALUATIONS: core::cell::Cell<u32> = const { core::cell::Cell::new(0) };
}

/// Evaluations so far. Without threads there is one count.
#[cfg(not(feature = "std"))]
static EVALUATIONS: core::sync::atomic::AtomicU32 = core::sync::atomic::AtomicU32::new(0);

/// How many evaluations safeguarded iterations have made on this thread, up to multiples of 2³².
#[inline]
pub(crate) fn evaluations() -> u32 {
    #[cfg(feature = "std")]
    return EVALUATIONS.with(core::cell::Cell::get);
    #[cfg(not(feature = "std"))]
    return EVALUATIONS.load(core::sync::atomic::Ordering::Relaxed);
}

#[inline]
fn count_evaluation() {
    let count = evaluations().wrapping_add(1);
    #[cfg(feature = "std")]
    EVALUATIONS.with(|evaluations| evaluations.set(count));
    #[cfg(not(feature = "std"))]
    EVALUATIONS.store(count, core::sync::atomic::Ordering::Relaxed);
}

/// What the iteration has to do next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Next {
    /// Evaluate at the given point.
    At,
    /// Evaluate after the update.
    Updated,
    /// Nothing: the update is the last one.
    Solved,
    /// Nothing: the given point is the solution.
    Enclosed,
    /// Nothing: there is no solution in reach.
    Failed,
}

/// State of the iteration, apart from its points.
#[derive(Clone, Copy, Debug)]
pub struct Careful {
    epsilon: f64,
    scale2: f64,
    /// ‖δ‖² at the base.
    base2: f64,
    /// Part of the update that has been made.
    lambda: f64,
    /// Where δ > 0 and where δ < 0, of one unknown.
    low: f64,
    high: f64,
    /// Sizes of the last update, and of the one before it.
    last: f64,
    older: f64,
    evaluations: u32,
    /// Whether the equations jump.
    jumps: bool,
}

impl Careful {
    /// For numbers with this rounding error, and updates that are relative to `scale2` + ‖x‖².
    #[inline]
    pub const fn new(epsilon: f64, scale2: f64, jumps: bool) -> Careful {
        Careful {
            epsilon,
            scale2,
            base2: f64::INFINITY,
            lambda: 1.0,
            low: f64::NEG_INFINITY,
            high: f64::INFINITY,
            last: f64::INFINITY,
            older: f64::INFINITY,
            evaluations: 0,
            jumps,
        }
    }

    /// How many numbers its state is.
    pub const NUMBERS: usize = 10;

    /// Its state as numbers, for code that keeps it in memory.
    pub const fn numbers(&self) -> [f64; Self::NUMBERS] {
        let Careful { epsilon, scale2, base2, lambda, low, high, last, older, evaluations, jumps } = *self;
        [epsilon, scale2, base2, lambda, low, high, last, older, evaluations as f64, jumps as u8 as f64]
    }

    /// The state of these numbers.
    pub const fn of(numbers: [f64; Self::NUMBERS]) -> Careful {
        let [epsilon, scale2, base2, lambda, low, high, last, older, evaluations, jumps] = numbers;
        let (evaluations, jumps) = (evaluations as u32, jumps != 0.0);
        Careful { epsilon, scale2, base2, lambda, low, high, last, older, evaluations, jumps }
    }

    /// The failure at the unknowns `x`, which leaves the update `delta`.
    #[cold]
    #[inline]
    pub fn unsolved(
        &self,
        (x, delta, weights): (&[f64], &[f64], &[f64]),
        equations: &'static [&'static str],
    ) -> Failure {
        let (mut delta2, mut size2) = (0.0, self.scale2);
        for ((x, d), w) in x.iter().zip(delta).zip(weights) {
            delta2 += w * d * d;
            size2 += w * x * x;
        }
        unsolved((delta, weights), (delta2, size2), equations, self.evaluations)
    }

    /// What follows the update `delta` at `x`, which becomes the next point. `base` and `direction` are kept between calls.
    // It is compiled into the crate of the steps, where the compiler sees that it does not panic. So is what it calls.
    #[cold]
    #[inline]
    pub fn next(
        &mut self,
        x: &mut [f64],
        delta: &[f64],
        weights: &[f64],
        base: &mut [f64],
        direction: &mut [f64],
    ) -> Next {
        self.evaluations += 1;
        count_evaluation();
        if self.evaluations > MAX_EVALUATIONS {
            return Next::Failed;
        }
        let (mut delta2, mut size2) = (0.0, self.scale2);
        for ((x, d), w) in x.iter().zip(delta).zip(weights) {
            let next = x + d;
            delta2 += w * d * d;
            size2 += w * next * next;
        }
        let is_finite = (delta2 + size2).is_finite();
        let (rounding, noise) = (64.0 * self.epsilon, 65536.0 * self.epsilon);
        let is_noise = delta2 >= self.base2 && delta2 <= noise * noise * size2;
        if is_finite && (delta2 <= rounding * rounding * size2 || is_noise) {
            return Next::Solved;
        }
        if let ([x], [base], &[d]) = (&mut *x, &mut *base, delta) {
            return self.enclose(
                x,
                base,
                is_finite.then_some((d, delta2)),
                (weights.first().copied().unwrap_or(0.0), size2),
            );
        }
        let mut along = 0.0;
        for ((d, from), w) in delta.iter().zip(direction.iter()).zip(weights) {
            along += w * d * from;
        }
        let is_ahead = along >= 0.0 && delta2 <= 4.0 * self.base2;
        if is_finite && (is_ahead || delta2 <= (1.0 - 0.5 * self.lambda) * self.base2) {
            base.copy_from(x);
            direction.copy_from(delta);
            self.base2 = delta2;
            self.lambda = if self.lambda < 0.25 { 4.0 * self.lambda } else { 1.0 };
            if self.lambda == 1.0 {
                return Next::Updated;
            }
        } else {
            self.lambda *= 0.5;
            if self.base2 == f64::INFINITY || self.lambda < SHORTEST {
                return Next::Failed;
            }
        }
        for ((x, base), d) in x.iter_mut().zip(base).zip(direction) {
            *x = *base + self.lambda * *d;
        }
        Next::At
    }

    /// The same of one unknown, with the last point where the update was finite.
    #[inline]
    fn enclose(
        &mut self,
        x: &mut f64,
        base: &mut f64,
        update: Option<(f64, f64)>,
        (weight, size2): (f64, f64),
    ) -> Next {
        let Some((d, delta2)) = update else {
            let middle = *base + 0.5 * (*x - *base);
            if self.base2 == f64::INFINITY || middle == *base || middle == *x {
                return Next::Failed;
            }
            *x = middle;
            return Next::At;
        };
        *base = *x;
        self.base2 = delta2;
        if d > 0.0 {
            self.low = *x;
            self.high = if self.high > *x { self.high } else { f64::INFINITY };
        } else {
            self.high = *x;
            self.low = if self.low < *x { self.low } else { f64::NEG_INFINITY };
        }
        let (next, size) = (*x + d, if d > 0.0 { d } else { -d });
        let is_slow = 2.0 * size > self.older;
        self.older = self.last;
        self.last = size;
        if !(self.high - self.low).is_finite() || (self.low < next && next < self.high && !is_slow) {
            return Next::Updated;
        }
        let middle = self.low + 0.5 * (self.high - self.low);
        let is_between = self.low < middle && middle < self.high;
        // The updates point at each other from an interval that is rounding. Of an equation that jumps, as by dry friction at rest,
        // it is the place of the jump, and a value between those of both sides solves it. (A minimum has such updates, too.)
        let (width, rounding) = (self.high - self.low, 64.0 * self.epsilon);
        if self.jumps && (!is_between || weight * width * width <= rounding * rounding * size2) {
            *x = middle;
            return Next::Enclosed;
        }
        if !is_between {
            return Next::Failed;
        }
        self.last = if middle > *x { middle - *x } else { *x - middle };
        *x = middle;
        Next::At
    }
}

/// Copies between slices of one length, without a panic.
trait CopyFrom {
    fn copy_from(&mut self, from: &[f64]);
}

impl CopyFrom for [f64] {
    #[inline]
    fn copy_from(&mut self, from: &[f64]) {
        self.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
    }
}
