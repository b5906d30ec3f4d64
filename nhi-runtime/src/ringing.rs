//! Velocities that ring: a method answers a damping that is faster than its steps with a change of sign at every step.
//!
//! Symmetric methods multiply a velocity that is damped with the time constant τ by (1 − h/2τ)/(1 + h/2τ) in every step. For
//! h ≫ 2τ that is nearly −1: the velocity stays as large as it was, where the motion has lost it at once. No equation of the
//! step is violated, and nothing but the signs tells.

/// A velocity rings if it changes its sign at more than this number of steps in a row.
pub const STEPS: u32 = 10;

/// A velocity below this multiple of the largest one is taken for a rounding error.
const FLOOR: f64 = 1e-9;

/// What is known of one velocity; at first nothing.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Signs {
    last: f64,
    /// Changes of sign in a row.
    changes: u32,
    /// The least and the largest mean of two velocities in a row since then, and the largest magnitude.
    means: (f64, f64),
    magnitude: f64,
    rang: bool,
}

impl Signs {
    /// Takes the velocity after a step; smaller ones than `floor` have no sign.
    fn take(&mut self, v: f64, floor: f64) {
        let mean = f64::midpoint(self.last, v);
        let magnitude = v.abs();
        // NaN does not change the sign either.
        if self.last * v < 0.0 && magnitude > floor && self.last.abs() > floor {
            if self.changes == 0 {
                self.means = (mean, mean);
                self.magnitude = self.last.abs();
            }
            self.changes = self.changes.saturating_add(1);
            self.means = (self.means.0.min(mean), self.means.1.max(mean));
            self.magnitude = self.magnitude.max(magnitude);
            // A mean that moves is that of a motion, or of a velocity that is damped within a few steps.
            let moves = self.means.1 - self.means.0 > self.magnitude / 3.0;
            self.rang |= self.changes > STEPS && !moves;
        } else {
            self.changes = 0;
        }
        self.last = v;
    }
}

/// Watches the velocities of a simulation, step by step.
///
/// ```
/// use nhi_runtime::ringing::{Ringing, Signs};
///
/// let mut ringing = Ringing::new([Signs::default(); 2]);
/// let mut v = 1.0;
/// for _ in 0..20 {
///     ringing.take(&[v, 0.5]);
///     v *= -0.98;
/// }
/// assert!(ringing.velocities().eq([0]));
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Ringing<A> {
    velocities: A,
    largest: f64,
}

impl<A: AsRef<[Signs]> + AsMut<[Signs]>> Ringing<A> {
    /// With one entry for every velocity.
    pub fn new(velocities: A) -> Ringing<A> {
        Ringing { velocities, largest: 0.0 }
    }

    /// Takes the velocities at the start and after every step.
    pub fn take(&mut self, v: &[f64]) {
        self.largest = v.iter().fold(self.largest, |largest, v| largest.max(v.abs()));
        let floor = FLOOR * self.largest;
        for (signs, &v) in self.velocities.as_mut().iter_mut().zip(v) {
            signs.take(v, floor);
        }
    }

    /// Begins anew: the velocities that follow are not those after the next step. What rang stays known.
    pub fn interrupt(&mut self) {
        for signs in self.velocities.as_mut() {
            *signs = Signs { rang: signs.rang, ..Signs::default() };
        }
    }

    /// The places of the velocities that have rung.
    pub fn velocities(&self) -> impl Iterator<Item = usize> + '_ {
        let all = self.velocities.as_ref().iter().enumerate();
        all.filter(|(_, signs)| signs.rang).map(|(i, _)| i)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rings(v: impl IntoIterator<Item = f64>) -> bool {
        let mut ringing = Ringing::new([Signs::default(); 2]);
        // The other velocity says what is large.
        v.into_iter().for_each(|v| ringing.take(&[v, 1.0]));
        ringing.velocities().any(|i| i == 0)
    }

    fn geometric(ratio: f64, count: i32) -> impl Iterator<Item = f64> {
        (0..count).map(move |k| ratio.powi(k))
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
}
