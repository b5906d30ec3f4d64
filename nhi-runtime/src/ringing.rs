//! Velocities that ring: a method answers a damping that is faster than its steps with a change of sign at every step.
//!
//! Symmetric methods multiply a velocity that is damped with the time constant τ by (1 − h/2τ)/(1 + h/2τ) in every step. For
//! h ≫ 2τ that is nearly −1: the velocity stays as large as it was, where the motion has lost it at once. No equation of the
//! step is violated, and nothing but the signs tells.
//!
//! Explicit methods are unstable if an oscillation or a damping is faster than their steps: they multiply a velocity by a number below
//! −1 in every step. It changes its sign as one that rings, and grows.
//!
//! Single steps are all watched. Of the steps of [`Simulation::advance`](crate::Simulation::advance), the first 13 of a
//! simulation, the last 12 before every multiple of 4096, and the last 12 of a call that takes at least 2048 steps after such a
//! multiple are watched. In a long run they take less than 1 % of the instructions.

use crate::method::FLUSH_EVERY;

/// A velocity rings if it changes its sign at more than this number of steps in a row.
pub const STEPS: u32 = 10;

/// A velocity is unstable if every change of its sign multiplies it by this number, and more. One that oscillates a little faster or
/// slower than once in two steps grows for a while, too, as sin kδ: by at most (k + 1)/k, which is less after ten steps.
const GROWTH: f64 = 1.1;

/// How many steps in a row are watched among those that are taken together: two more than have to change a sign, because the first
/// may begin at a velocity that was not computed.
const WATCHED: u64 = STEPS as u64 + 2;

/// How many steps at the start of a simulation are watched. Damping that is only a little faster than the steps dies out soon
/// afterwards. The first step may lead from any velocity to the ringing.
const FIRST: u64 = WATCHED + 1;

/// The least number of steps taken together of which the last are watched, wherever they end.
const LEAST: u64 = FLUSH_EVERY / 2;

/// How many of the next `count` steps, after `taken` others, may be taken together, and how many of these, the last ones, have to
/// be watched. They do not pass a multiple of 4096.
#[doc(hidden)]
pub fn together(taken: u64, count: u64) -> (u64, u64) {
    if taken < FIRST {
        let count = count.min(FIRST - taken);
        return (count, count);
    }
    // Of the steps before the next multiple, those that remain.
    let remain = FLUSH_EVERY - (taken + count - 1) % FLUSH_EVERY - 1;
    let watched = WATCHED.saturating_sub(remain).min(count);
    (count, if count >= LEAST { WATCHED } else { watched })
}

/// A velocity below this multiple of the largest one is taken for a rounding error.
const FLOOR: f64 = 1e-9;

/// What is noticed of a velocity, beside zero for nothing.
const RANG: f64 = 1.0;
const GREW: f64 = 2.0;

/// Watches the velocities of a simulation, step by step.
///
/// ```
/// use nhi_runtime::ringing::Ringing;
///
/// let mut ringing = Ringing::new([0.0; 2]);
/// let mut v = [1.0, 0.5];
/// for _ in 0..20 {
///     let before = v;
///     v[0] *= -0.98;
///     ringing.take(before.into_iter().zip(v));
/// }
/// assert!(ringing.velocities().eq([0]));
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ringing<A> {
    /// Changes of sign in a row, of each velocity.
    changes: A,
    /// The least and the largest mean of two velocities in a row since then.
    means: [A; 2],
    /// The largest magnitude since then.
    magnitudes: A,
    /// Of these changes, the last ones in a row that multiplied the velocity by more than [`GROWTH`].
    growths: A,
    /// One for velocities that have rung, two for those that have grown.
    noticed: A,
    /// The largest magnitude of all velocities.
    largest: f64,
    /// Whether the last step changed a sign.
    follows: bool,
}

impl<A: Clone + AsRef<[f64]> + AsMut<[f64]>> Ringing<A> {
    /// For as many velocities as there are zeros.
    pub fn new(zeros: A) -> Ringing<A> {
        Ringing {
            changes: zeros.clone(),
            means: [zeros.clone(), zeros.clone()],
            magnitudes: zeros.clone(),
            growths: zeros.clone(),
            noticed: zeros,
            largest: 0.0,
            follows: false,
        }
    }

    /// Takes the velocities before and after a step.
    #[inline]
    pub fn take(&mut self, step: impl Iterator<Item = (f64, f64)> + Clone) {
        let seen = step.clone().fold((self.follows, self.largest), |(turns, largest), (before, after)| {
            let size = if before < 0.0 { -before } else { before };
            (turns | (before * after < 0.0), if size > largest { size } else { largest })
        });
        self.largest = seen.1;
        if seen.0 {
            self.follow(step);
        }
    }

    /// Looks at velocities of which one changes its sign now, or did before.
    #[cold]
    #[inline(never)]
    fn follow(&mut self, step: impl Iterator<Item = (f64, f64)>) {
        let floor = FLOOR * self.largest;
        self.follows = false;
        let [low, high] = &mut self.means;
        let means = low.as_mut().iter_mut().zip(high.as_mut());
        let sizes = self.magnitudes.as_mut().iter_mut().zip(self.growths.as_mut());
        let counts = self.changes.as_mut().iter_mut().zip(self.noticed.as_mut());
        let all = counts.zip(means.zip(sizes));
        for ((before, after), ((changes, noticed), ((low, high), (magnitude, growths)))) in step.zip(all) {
            // NaN does not change the sign either.
            if !(before * after < 0.0 && before.abs() > floor && after.abs() > floor) {
                (*changes, *growths) = (0.0, 0.0);
                continue;
            }
            let mean = f64::midpoint(before, after);
            if *changes == 0.0 {
                (*low, *high, *magnitude) = (mean, mean, before.abs());
            }
            *changes += 1.0;
            (*low, *high, *magnitude) = (low.min(mean), high.max(mean), magnitude.max(after.abs()));
            // A mean that moves is that of a motion, or of a velocity that is damped within a few steps.
            let moves = *high - *low > *magnitude / 3.0;
            if *changes > f64::from(STEPS) && !moves && *noticed == 0.0 {
                *noticed = RANG;
            }
            *growths = if after.abs() > GROWTH * before.abs() { *growths + 1.0 } else { 0.0 };
            if *growths > f64::from(STEPS) {
                *noticed = GREW;
            }
            self.follows = true;
        }
    }

    /// Begins anew: the velocities that follow are not those after the next step. What rang stays known.
    pub fn interrupt(&mut self) {
        self.changes.as_mut().iter_mut().for_each(|changes| *changes = 0.0);
        self.growths.as_mut().iter_mut().for_each(|growths| *growths = 0.0);
        self.follows = false;
    }

    /// The places of the velocities that have rung, and have not grown.
    pub fn velocities(&self) -> impl Iterator<Item = usize> + '_ {
        self.those(RANG)
    }

    /// The places of the velocities that have grown at every step, with a change of sign.
    pub fn unstable(&self) -> impl Iterator<Item = usize> + '_ {
        self.those(GREW)
    }

    fn those(&self, what: f64) -> impl Iterator<Item = usize> + '_ {
        let all = self.noticed.as_ref().iter().enumerate();
        all.filter(move |(_, noticed)| **noticed == what).map(|(i, _)| i)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watched(v: impl IntoIterator<Item = f64>) -> Ringing<[f64; 2]> {
        let mut ringing = Ringing::new([0.0; 2]);
        let mut last = None;
        for v in v {
            if let Some(last) = last.replace(v) {
                // The other velocity says what is large.
                ringing.take([(last, v), (1.0, 1.0)].into_iter());
            }
        }
        ringing
    }

    fn rings(v: impl IntoIterator<Item = f64>) -> bool {
        watched(v).velocities().any(|i| i == 0)
    }

    fn grows(v: impl IntoIterator<Item = f64>) -> bool {
        watched(v).unstable().any(|i| i == 0)
    }

    fn geometric(ratio: f64, count: i32) -> impl Iterator<Item = f64> {
        (0..count).map(move |k| ratio.powi(k))
    }

    #[test]
    fn which_steps_are_watched() {
        let watched = |calls: &[u64]| {
            let (mut taken, mut watched) = (0, Vec::new());
            for &call in calls {
                let end = taken + call;
                while taken < end {
                    let (count, last) = together(taken, (end - taken).min(FLUSH_EVERY - taken % FLUSH_EVERY));
                    assert!(0 < count && last <= count);
                    watched.extend(taken + count - last..taken + count);
                    taken += count;
                }
            }
            watched
        };
        let all = |parts: &[core::ops::Range<u64>]| parts.iter().cloned().flatten().collect::<Vec<u64>>();
        assert!(watched(&[10]).into_iter().eq(0..10));
        assert!(watched(&[1000]).into_iter().eq(0..13));
        assert_eq!(watched(&[3000]), all(&[0..13, 2988..3000]));
        assert_eq!(watched(&[5000]), all(&[0..13, 4084..4096]));
        assert_eq!(
            watched(&[20_000]),
            all(&[0..13, 4084..4096, 8180..8192, 12_276..12_288, 16_372..16_384, 19_988..20_000])
        );
        // However short the calls are.
        for call in [1, 2, 3, 5, 7, 100, 1000] {
            assert_eq!(watched(&vec![call; 5000 / call as usize]), all(&[0..13, 4084..4096]), "{call}");
        }
    }

    #[test]
    fn what_rings() {
        assert!(rings(geometric(-0.99, 12)), "eleven changes of sign");
        assert!(!rings(geometric(-0.99, 11)), "ten changes");
        assert!(rings(geometric(-0.7, 30)));
        assert!(rings((0..20).map(|k| if k % 2 == 0 { 0.0114 } else { -0.0186 })));
        assert!(rings((0..100).map(|k| 2.0 + f64::from(k)).chain(geometric(-0.9, 15))));
    }

    #[test]
    fn what_does_not() {
        assert!(!rings(geometric(-0.2, 40)), "it is damped within a few steps");
        assert!(!rings(geometric(0.9, 40)));
        assert!(!rings(geometric(-1.0, 40).map(|v| 1e-12 * v)), "rounding errors");
        assert!(!rings((0..1000).map(|k| (2.5 * f64::from(k)).cos())), "an oscillation of 2.5 steps");
        assert!(!rings((0..40).map(|k| if k % 2 == 0 { f64::from(k) } else { -1.0 })), "a mean that moves");
        assert!(!rings(geometric(f64::NAN, 40)));
    }

    #[test]
    fn what_is_unstable() {
        assert!(grows(geometric(-98.0, 12)) && grows(geometric(-1.3, 12)) && !grows(geometric(-1.3, 11)));
        assert!(!rings(geometric(-1.3, 40)), "it is told once");
        assert!(!grows(geometric(-1.09, 40)) && !grows(geometric(1.3, 40)) && !grows(geometric(-0.9, 40)));
        for delta in [1e-3, 0.01, 0.1, 0.2] {
            let oscillation = |k: i32| (delta * f64::from(k)).sin();
            assert!(
                !grows((0..200).map(|k| if k % 2 == 0 { oscillation(k) } else { -oscillation(k) })),
                "{delta}"
            );
        }
    }
}
