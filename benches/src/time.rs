//! Time per step.

use crate::Run;
use std::time::Instant;

/// Batches of each case; the fastest counts, since everything else on the machine only adds time.
const BATCHES: usize = 40;

/// What a batch takes, in seconds.
const BATCH: f64 = 1e-3;

/// Nanoseconds per step of each of `cases`. Their batches take turns, so that a busy moment of the machine
/// does not fall on one case alone.
pub fn nanoseconds(cases: &[&dyn Fn() -> Box<dyn Run>]) -> Vec<f64> {
    let steps: Vec<u64> = cases.iter().map(|start| steps_per_batch(start().as_mut())).collect();
    let mut best = vec![f64::INFINITY; cases.len()];
    for _ in 0..BATCHES {
        for ((start, &steps), best) in cases.iter().zip(&steps).zip(&mut best) {
            // Every batch is the same part of the trajectory.
            let seconds = seconds(start().as_mut(), steps);
            *best = best.min(seconds / steps as f64 * 1e9);
        }
    }
    best
}

/// Steps that take about [`BATCH`].
fn steps_per_batch(run: &mut dyn Run) -> u64 {
    const FEW: u64 = 200;
    run.advance(FEW);
    let per_step = seconds(run, FEW) / FEW as f64;
    (BATCH / per_step).clamp(FEW as f64, 1e6) as u64
}

fn seconds(run: &mut dyn Run, steps: u64) -> f64 {
    let start = Instant::now();
    run.advance(steps);
    start.elapsed().as_secs_f64()
}
