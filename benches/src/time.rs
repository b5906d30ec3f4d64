//! Time per step.

use crate::Start;
use std::ops::Range;
use std::time::Instant;

/// Number of passes over all cases.
const PASSES: usize = 10;

/// Batches of each case in a pass.
const ROUNDS: usize = 20;

/// Longest duration of a batch, in seconds: so short that most batches are not interrupted by other work.
const BATCH: f64 = 2e-4;

/// Nanoseconds per step of each of `cases`: the fastest of all batches, because other load on the machine only adds
/// time. A batch has at most `most_steps`. The batches of the cases in a group, whose times are compared, alternate, so
/// that other load affects all of them; passes are seconds apart.
pub fn nanoseconds(cases: &[Start<'_>], groups: &[Range<usize>], most_steps: u64) -> Vec<f64> {
    let steps: Vec<u64> = cases.iter().map(|case| steps_per_batch(case, most_steps)).collect();
    let mut best = vec![f64::INFINITY; cases.len()];
    for _ in 0..PASSES {
        for group in groups {
            for _ in 0..ROUNDS {
                for i in group.clone() {
                    // Every batch is the same part of the trajectory.
                    let ns = seconds(&cases[i], steps[i]) / steps[i] as f64 * 1e9;
                    best[i] = best[i].min(ns);
                }
            }
        }
    }
    best
}

/// The ranges of consecutive chunks.
pub fn groups<'a, T: 'a>(chunks: impl Iterator<Item = &'a [T]>) -> Vec<Range<usize>> {
    let mut end = 0;
    let place = |chunk: &[T]| {
        end += chunk.len();
        end - chunk.len()..end
    };
    chunks.map(place).collect()
}

/// The number of steps that take [`BATCH`], at most `most_steps`.
fn steps_per_batch(start: &Start<'_>, most_steps: u64) -> u64 {
    const FEW: u64 = 500;
    let per_step = seconds(start, FEW) / FEW as f64;
    ((BATCH / per_step) as u64).clamp(FEW, most_steps)
}

fn seconds(start: &Start<'_>, steps: u64) -> f64 {
    let mut run = start();
    let start = Instant::now();
    run.advance(steps);
    start.elapsed().as_secs_f64()
}
