//! Runs in `f32` beside the same ones in `f64`.

use super::run::Run;
use nhi_runtime::{Method, System};

/// Largest deviation of a run in `f32` from the one in `f64`, in rounding units of `f32` and relative to 1 and
/// the value; of multipliers, which are impulses divided by h, h times that.
const UNITS: f64 = 100.0;

#[track_caller]
pub(crate) fn check<S: System + Clone, M: Method<S> + Copy>(run: &Run<S, M>) {
    // The same numbers for both.
    let x: Vec<f32> = run.x.iter().map(|&x| x as f32).collect();
    let rounded: Vec<f64> = x.iter().map(|&x| f64::from(x)).collect();
    let (single, double) = (run.end(&x).expect("a run"), run.end(&rounded).expect("a run"));
    let half = double.len() / 2;
    // Behind q and two velocities.
    let multipliers = S::COORDINATES.len() + 2 * S::VELOCITIES.len();
    let multipliers = multipliers..multipliers + S::CONSTRAINTS.len();
    for (i, (single, double)) in single.into_iter().zip(double).enumerate() {
        let unit = if multipliers.contains(&(i % half)) { rounded[rounded.len() - 1] } else { 1.0 };
        let error = unit * (f64::from(single) - double).abs() / (1.0 + double.abs());
        let units = error / f64::from(f32::EPSILON);
        assert!(units < UNITS, "{}, result {i}: {units} units", run.name);
    }
}
