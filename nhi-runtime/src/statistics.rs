//! What a simulation notices of its steps.

use crate::careful;
use crate::ringing::Ringing;

/// Counts of the steps that a simulation has taken since its start, and velocities that ring. `V` has a number for each velocity.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Statistics<V> {
    safeguarded: u64,
    evaluations: u64,
    ringing: Ringing<V>,
}

impl<V: Clone + AsRef<[f64]> + AsMut<[f64]>> Statistics<V> {
    /// Those of a simulation at its start, with a zero for each velocity.
    #[doc(hidden)]
    pub fn new(zeros: V) -> Statistics<V> {
        Statistics { safeguarded: 0, evaluations: 0, ringing: Ringing::new(zeros) }
    }

    /// Number of steps whose equations Newton's method did not solve, and its safeguarded form did: bisection for one unknown, a line
    /// search for several.
    pub fn safeguarded(&self) -> u64 {
        self.safeguarded
    }

    /// How often the safeguarded iterations have evaluated the equations, also those that failed.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// The places of the velocities that have [rung](crate::ringing): they changed their signs at every step, for more than ten steps.
    /// The method then answers a damping that is faster than its steps with an oscillation. Of the steps of `advance`, some are
    /// watched: the first 13 of a simulation, the last 12 before every multiple of 4096, and the last 12 of a call that takes at
    /// least 2048 steps after such a multiple.
    pub fn ringing(&self) -> impl Iterator<Item = usize> + '_ {
        self.ringing.velocities()
    }

    /// The places of the velocities that changed their signs at every step and grew, by more than a tenth each, for more than ten
    /// steps. The method is then unstable: a spring or a damping is faster than its steps. The same steps are watched as for
    /// [ringing](Statistics::ringing).
    pub fn unstable(&self) -> impl Iterator<Item = usize> + '_ {
        self.ringing.unstable()
    }

    /// Takes note of a step, with the velocities before and after it.
    #[doc(hidden)]
    #[inline]
    pub fn take(&mut self, step: impl Iterator<Item = (f64, f64)> + Clone) {
        self.ringing.take(step);
    }

    /// Takes note of steps that were not watched.
    #[doc(hidden)]
    pub fn skip(&mut self) {
        self.ringing.interrupt();
    }

    /// What is known of ringing, to be [restored](Statistics::restore) if steps are repeated.
    #[doc(hidden)]
    pub fn watched(&self) -> &Ringing<V> {
        &self.ringing
    }

    /// Forgets what has been noticed of velocities since then.
    #[doc(hidden)]
    pub fn restore(&mut self, watched: Ringing<V>) {
        self.ringing = watched;
    }

    /// Counts the evaluations of a step since there were so many on this thread.
    #[doc(hidden)]
    #[inline]
    pub fn count(&mut self, before: Evaluations, is_solved: bool) {
        let since = careful::evaluations().wrapping_sub(before.0);
        if since > 0 {
            self.evaluations += u64::from(since);
            self.safeguarded += u64::from(is_solved);
        }
    }
}

/// How many evaluations safeguarded iterations have made on this thread.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Evaluations(u32);

impl Evaluations {
    /// So far.
    #[inline]
    pub fn now() -> Evaluations {
        Evaluations(careful::evaluations())
    }
}
