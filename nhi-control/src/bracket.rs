//! Start guesses that leave a motion on which conditions cannot be met to first order.
//!
//! At rest, or straight ahead, the linearisation of a nonholonomic system is not controllable, as no system is that Brockett's
//! condition excludes (*Asymptotic stability and feedback stabilization*, 1983). What first order cannot do, a pair of sines in
//! two inputs does to second order: it moves the system along the Lie bracket of the two (Murray and Sastry, *Nonholonomic
//! motion planning: steering using sinusoids*, IEEE Trans. Automat. Contr. 38, 1993). The distance grows with the square of the
//! amplitude, so that two motions tell it.

use crate::Dynamics;
use crate::dense::{dot, norm, norm2};
use crate::problem::Problem;
use alloc::vec::Vec;
use core::f64::consts::TAU;
#[cfg(not(feature = "std"))]
use num_traits::Float;

/// The displacement, as the largest entry of a tangent vector, of the motions from which amplitudes are found.
pub(crate) const PROBE: f64 = 0.3;
/// The largest ratio of the amplitudes to those of these motions.
const LARGEST_RATIO: f64 = 20.0;
/// The largest factor by which the norm of all residuals may grow with waves that do not end where they began.
const SPOILED: f64 = 2.0;
/// The part of the best score at which waves are about as good.
const COMPARABLE: f64 = 0.5;
/// Squares of amplitudes among which the best is sought with an effect that is no square.
const SAMPLES: usize = 64;
/// The part of the combinations that may be left with amplitudes that are found from one motion.
const ENOUGH: f64 = 0.8;
/// Ratios of the amplitudes to those of these motions that are tried where more is left.
const RATIOS: [f64; 6] = [0.5, 1.0, 2.0, 3.0, 5.0, 8.0];
/// Units of an input that are tried one after the other to find its amplitude.
const UNITS: [f64; 4] = [1.0, 1e-2, 1e-4, 1e-6];

pub(crate) struct Found {
    pub(crate) inputs: Vec<f64>,
    pub(crate) pair: (usize, usize),
}

/// A function of the time from 0 to 1, and the mean of its squares relative to that of a sine: what it costs.
type Wave = (fn(f64) -> f64, f64);

/// An input, the wave that is added to it, and its amplitude.
type AddedWave = (usize, Wave, f64);

/// Forces of the two inputs.
type Waves = [Wave; 2];

const COS: Wave = (|s| (TAU * s).cos(), 1.0);
const SIN: Wave = (|s| (TAU * s).sin(), 1.0);
const COS_OF_TWICE: Wave = (|s| (2.0 * TAU * s).cos(), 1.0);
const CLOSED_SIN: Wave = (|s| (TAU * s).sin() - 2.0 * (2.0 * TAU * s).sin(), 5.0);

/// One period, which costs least. What a sine moves does not end where it began, which is left to first order.
const OPEN: [Waves; 3] = [[COS, SIN], [SIN, COS], [COS, COS]];

/// What they move alone is displaced as 1 − cos and ½ sin 2 − sin, and ends where it began, at rest.
const CLOSED: [Waves; 6] = [
    [COS, CLOSED_SIN],
    [CLOSED_SIN, COS],
    [COS, COS],
    [CLOSED_SIN, CLOSED_SIN],
    // For brackets with one input twice.
    [COS, COS_OF_TWICE],
    [COS_OF_TWICE, COS],
];

/// All conditions with some inputs, and the norm of what is missing to them and to inequalities.
pub(crate) type Residuals = (Vec<f64>, f64);

/// Inputs that move `combinations` of conditions towards zero, which no inputs do to first order along the motion through `states`
/// with the inputs `u`, where the residuals are `here`.
pub(crate) fn find<D: Dynamics>(
    problem: &Problem<'_, D>,
    (states, u): (&[D::State], &[f64]),
    combinations: &[Vec<f64>],
    here: Residuals,
    residuals: &dyn Fn(&[f64]) -> Option<Residuals>,
) -> Option<Found> {
    let amplitudes = amplitudes(problem, (states, u));
    let search = Search { problem, u, amplitudes, combinations, residuals };
    let (before, missed) = search.combined(here);
    let mut open = None;
    let candidates = search.scored(&OPEN, &before);
    let least = candidates.first().map_or(0.0, |best| COMPARABLE * best.score);
    for candidate in candidates.iter().take_while(|candidate| candidate.score >= least) {
        let found = search.amplified(candidate, &before);
        if found.as_ref().is_some_and(|(_, spoiled)| *spoiled <= SPOILED * missed) {
            return found.map(|(found, _)| found);
        }
        open = open.or(found);
    }
    let closed = search.scored(&CLOSED, &before);
    let closed = closed.first().and_then(|best| search.amplified(best, &before));
    closed.or(open).map(|(found, _)| found)
}

/// Waves of a pair of inputs, and how well they move the combinations towards zero with the best ratio √|t| of the amplitudes to those
/// of the probing motions, where t is negative if one of the two changes its sign.
struct Candidate {
    score: f64,
    t: f64,
    /// Of the probing motion.
    effect: Vec<f64>,
    pair: (usize, usize),
    waves: Waves,
}

/// The combinations after a motion, its inputs, and the norm of all residuals.
type Trial = (Vec<f64>, Vec<f64>, f64);

struct Search<'s, 'a, D: Dynamics> {
    problem: &'s Problem<'a, D>,
    u: &'s [f64],
    /// Of each input, those of the motions from which amplitudes are found.
    amplitudes: Vec<f64>,
    combinations: &'s [Vec<f64>],
    residuals: &'s dyn Fn(&[f64]) -> Option<Residuals>,
}

impl<D: Dynamics> Search<'_, '_, D> {
    /// The combinations of conditions in the place of these.
    fn combined(&self, (rows, all): Residuals) -> Residuals {
        (self.combinations.iter().map(|combination| dot(combination, &rows)).collect(), all)
    }

    /// The combinations, and the norm of all residuals.
    fn residuals(&self, u: &[f64]) -> Option<Residuals> {
        (self.residuals)(u).map(|all| self.combined(all))
    }

    /// Pairs of inputs and waves by how well they move the combinations from `before` towards zero, the best first, as is found from
    /// one motion each.
    fn scored(&self, all: &[Waves], before: &[f64]) -> Vec<Candidate> {
        let (nu, amplitudes) = (self.amplitudes.len(), &self.amplitudes);
        let mut candidates = Vec::new();
        for pair in (0..nu).flat_map(|i| (i + 1..nu).map(move |j| (i, j))) {
            for &waves in all {
                let (i, j) = pair;
                let probe =
                    with(self.problem, self.u, &[(i, waves[0], amplitudes[i]), (j, waves[1], amplitudes[j])]);
                let Some((after, _)) = self.residuals(&probe) else { continue };
                let effect: Vec<f64> =
                    after.iter().zip(before).map(|(after, before)| after - before).collect();
                let (square, product) = (dot(&effect, &effect), dot(&effect, before));
                if square <= 0.0 {
                    continue;
                }
                // |before + t effect| is least for this t.
                let t = -product / square;
                let aligned = product * product / (square * dot(before, before));
                let size = 0.5 * (waves[0].1 + waves[1].1) * t.abs();
                candidates.push(Candidate {
                    score: aligned / (1.0 + size.sqrt() / LARGEST_RATIO),
                    t,
                    effect,
                    pair,
                    waves,
                });
            }
        }
        candidates.sort_by(|one, other| other.score.total_cmp(&one.score));
        candidates
    }

    /// These waves with the amplitudes that move the combinations best, and the norm of all residuals that are left.
    fn amplified(&self, candidate: &Candidate, before: &[f64]) -> Option<(Found, f64)> {
        let &Candidate { t, pair: (i, j), waves, ref effect, .. } = candidate;
        let amplitudes = &self.amplitudes;
        let moved = |ratios: [f64; 2]| {
            let added = [(i, waves[0], ratios[0] * amplitudes[i]), (j, waves[1], ratios[1] * amplitudes[j])];
            let inputs = with(self.problem, self.u, &added);
            let (after, missing) = self.residuals(&inputs)?;
            Some((after, inputs, missing))
        };
        let size = norm2(before);
        let best = |square: f64| {
            let ratio = square.sqrt().min(LARGEST_RATIO);
            moved([ratio, ratio.copysign(t)])
        };
        let is_enough = |(after, ..): &Trial| norm2(after) < ENOUGH * size;
        let first = best(t.abs());
        let mut found = first.as_ref().filter(|first| is_enough(first)).cloned();
        if let (None, Some((after, ..))) = (&found, &first) {
            let probe: Vec<f64> = effect.iter().map(|x| x * t.signum()).collect();
            found =
                best(nearest(before, &probe, (t.abs().min(LARGEST_RATIO.powi(2)), after))).filter(is_enough);
        }
        if found.is_none() {
            // Another power of the amplitude, as for brackets of brackets.
            for ratio in RATIOS {
                for signs in [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]] {
                    let other =
                        moved(signs.map(|sign| sign * ratio)).filter(|(after, ..)| norm2(after) < size);
                    let is_better = |(other, ..): &Trial| {
                        found.as_ref().is_none_or(|(after, ..)| norm2(other) < norm2(after))
                    };
                    found = other.filter(is_better).or(found);
                }
            }
        }
        found.map(|(_, inputs, missing)| (Found { inputs, pair: (i, j) }, missing))
    }
}

/// The s at which `before` + a s + b s² is nearest to zero, up to four times the one of `there`, with a + b = `effect`, and the value of
/// `there`: for effects that are squares of amplitudes only where these are small.
fn nearest(before: &[f64], effect: &[f64], there: (f64, &[f64])) -> f64 {
    let (s, after) = there;
    let left = |at: f64| {
        let entry = |((before, effect), after): ((&f64, &f64), &f64)| {
            let b = ((after - before) / s - effect) / (s - 1.0);
            (before + (effect - b) * at + b * at * at).powi(2)
        };
        before.iter().zip(effect).zip(after).map(entry).sum::<f64>()
    };
    let all = (1..=SAMPLES).map(|i| 4.0 * s * i as f64 / SAMPLES as f64);
    all.min_by(|one, other| left(*one).total_cmp(&left(*other))).unwrap_or(s)
}

/// Amplitudes of waves of each input that displace a motion with the inputs `u` by [`PROBE`].
pub(crate) fn amplitudes<D: Dynamics>(
    problem: &Problem<'_, D>,
    (states, u): (&[D::State], &[f64]),
) -> Vec<f64> {
    let of = |j: usize| amplitude(problem, states, |units| with(problem, u, &[(j, COS, units)]));
    (0..problem.dynamics.sizes().inputs).map(of).collect()
}

/// The inputs `u` with waves added.
fn with<D: Dynamics>(problem: &Problem<'_, D>, u: &[f64], waves: &[AddedWave]) -> Vec<f64> {
    let nu = problem.dynamics.sizes().inputs;
    let mut all = u.to_vec();
    for (k, step) in all.chunks_exact_mut(nu.max(1)).enumerate() {
        let s = (k as f64 + 0.5) / problem.steps as f64;
        waves.iter().for_each(|(j, (wave, _), amplitude)| step[*j] += amplitude * wave(s));
    }
    all
}

/// The amplitude of an input, of which `with` adds so many units to those of a motion through `states`, with which these are displaced
/// by [`PROBE`].
fn amplitude<D: Dynamics>(
    problem: &Problem<'_, D>,
    states: &[D::State],
    with: impl Fn(f64) -> Vec<f64>,
) -> f64 {
    let dynamics = problem.dynamics;
    let mut delta = vec![0.0; dynamics.sizes().states];
    let mut moved = Vec::with_capacity(problem.steps);
    // Where steps with one unit cannot be taken, a small part of it says as much.
    for unit in UNITS {
        moved.clear();
        if dynamics.motion(problem.steps, &problem.start, &with(unit), &mut moved).is_err() {
            continue;
        }
        let mut largest = 0.0_f64;
        for (from, to) in states.iter().skip(1).zip(&moved) {
            dynamics.difference(from, to, &mut delta);
            largest = largest.max(norm(&delta));
        }
        return if largest > 0.0 && largest.is_finite() { unit * PROBE / largest } else { unit };
    }
    UNITS[UNITS.len() - 1]
}
