//! Start guesses that leave a motion on which conditions cannot be met to first order.
//!
//! At rest, or straight ahead, the linearisation of a nonholonomic system is not controllable, as no system is that Brockett's
//! condition excludes (*Asymptotic stability and feedback stabilization*, 1983). What first order cannot do, a pair of sines in
//! two inputs does to second order: it moves the system along the Lie bracket of the two (Murray and Sastry, *Nonholonomic
//! motion planning: steering using sinusoids*, IEEE Trans. Automat. Contr. 38, 1993). The distance grows with the square of the
//! amplitude, so that two motions tell it.

use crate::dense::{dot, norm};
use crate::interior_point::roll_out;
use crate::problem::Problem;
use crate::Dynamics;
use std::f64::consts::TAU;

/// The displacement, as the largest entry of a tangent vector, of the motions from which amplitudes are found.
const PROBE: f64 = 0.3;
/// The largest ratio of the amplitudes to those of these motions.
const LARGEST_RATIO: f64 = 20.0;
/// Halvings of an amplitude with which steps cannot be taken, or that makes nothing better.
const HALVINGS: usize = 6;

pub(crate) struct Found {
    pub(crate) inputs: Vec<f64>,
    pub(crate) pair: (usize, usize),
}

/// Waves of the two inputs, of the time from 0 to 1: forces, of which those by a cosine lead back to the start.
type Waves = [fn(f64) -> f64; 2];

const WAVES: [Waves; 5] = [
    [|s| (TAU * s).cos(), |s| (TAU * s).cos()],
    [|s| (TAU * s).cos(), |s| (TAU * s).sin()],
    [|s| (TAU * s).sin(), |s| (TAU * s).cos()],
    [|s| (TAU * s).cos(), |s| (2.0 * TAU * s).sin()],
    [|s| (2.0 * TAU * s).sin(), |s| (TAU * s).cos()],
];

/// Inputs that move `combinations` of conditions towards zero, which no inputs do to first order along the motion with the
/// inputs `u`. `conditions` evaluates all conditions along a motion.
pub(crate) fn find<D: Dynamics>(
    problem: &Problem<'_, D>,
    u: &[f64],
    combinations: &[Vec<f64>],
    conditions: &dyn Fn(&[D::State]) -> Option<Vec<f64>>,
) -> Option<Found> {
    let nu = problem.dynamics.sizes().inputs;
    let with = |waves: &[(usize, fn(f64) -> f64, f64)]| -> Vec<f64> {
        let mut all = u.to_vec();
        for (k, step) in all.chunks_exact_mut(nu).enumerate() {
            let s = (k as f64 + 0.5) / problem.steps as f64;
            waves.iter().for_each(|(j, wave, amplitude)| step[*j] += amplitude * wave(s));
        }
        all
    };
    let left = |u: &[f64]| -> Option<Vec<f64>> {
        let rows = conditions(&roll_out(problem, u).ok()?)?;
        Some(combinations.iter().map(|combination| dot(combination, &rows)).collect())
    };
    let before = left(u)?;
    let amplitudes: Vec<f64> = (0..nu).map(|j| amplitude(problem, u, &with(&[(j, WAVES[0][0], 1.0)]))).collect();
    let mut best: Option<(f64, f64, [usize; 2], Waves)> = None;
    for (i, j) in (0..nu).flat_map(|i| (i + 1..nu).map(move |j| (i, j))) {
        for waves in WAVES {
            let probe = with(&[(i, waves[0], amplitudes[i]), (j, waves[1], amplitudes[j])]);
            let Some(after) = left(&probe) else { continue };
            let effect: Vec<f64> = after.iter().zip(&before).map(|(after, before)| after - before).collect();
            let (square, product) = (dot(&effect, &effect), dot(&effect, &before));
            if square <= 0.0 {
                continue;
            }
            // |before + t effect| is least for this t.
            let t = -product / square;
            let aligned = product * product / (square * dot(&before, &before));
            let score = aligned / (1.0 + t.abs().sqrt() / LARGEST_RATIO);
            if best.as_ref().is_none_or(|(other, ..)| score > *other) {
                best = Some((score, t, [i, j], waves));
            }
        }
    }
    let (_, t, [i, j], waves) = best?;
    let mut ratio = t.abs().sqrt().min(LARGEST_RATIO);
    for _ in 0..HALVINGS {
        let moved = with(&[
            (i, waves[0], ratio * amplitudes[i]),
            (j, waves[1], ratio.copysign(t) * amplitudes[j]),
        ]);
        if left(&moved).is_some_and(|after| dot(&after, &after) < dot(&before, &before)) {
            return Some(Found { inputs: moved, pair: (i, j) });
        }
        ratio *= 0.5;
    }
    None
}

/// The amplitude of an input, of which `unit` has one unit in addition to `u`, with which states are displaced by [`PROBE`].
fn amplitude<D: Dynamics>(problem: &Problem<'_, D>, u: &[f64], unit: &[f64]) -> f64 {
    let (Ok(from), Ok(to)) = (roll_out(problem, u), roll_out(problem, unit)) else { return 1.0 };
    let mut delta = vec![0.0; problem.dynamics.sizes().states];
    let mut largest = 0.0_f64;
    for (from, to) in from.iter().zip(&to) {
        problem.dynamics.difference(from, to, &mut delta);
        largest = largest.max(norm(&delta));
    }
    if largest > 0.0 && largest.is_finite() { PROBE / largest } else { 1.0 }
}
