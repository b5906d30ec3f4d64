//! Energy over long runs: its bound and its drift.

use super::course::{Conserved, Course};
use nhi_run::model::{Instance, Method, Trajectory};
use nhi_runtime::Error;

/// Number of parts of a run for which the drift is fitted and drawn.
const PARTS: u64 = 128;
/// A relative error at which the energy counts as lost.
pub(super) const LOST: f64 = 0.1;

/// Errors of the energy, relative to its initial value, or of the moving energy.
#[derive(Clone, Debug)]
pub struct Energy {
    /// Largest errors in the first and in the second half of the run.
    pub halves: [f64; 2],
    /// Change over the run of the straight line fitted to the means of the errors over its parts.
    pub drift: f64,
    /// Times in the middle of the parts, and their largest errors.
    pub parts: Vec<(f64, f64)>,
    /// Time at which the error first exceeded 10 %.
    pub lost: Option<f64>,
    /// Why the run ended early.
    pub stopped: Option<String>,
    /// The drift that rounding can cause: a unit in the last place of the largest coordinate per step.
    /// The increments of an unbounded angle or distance have the same rounding error for many steps.
    pub rounding: f64,
    /// The energy of the driven part at the end of a complete run over its initial value, where the model names one.
    pub driven: Option<f64>,
}

/// Runs `method` for `steps` steps; `None` if no energy is conserved.
pub fn energy(course: &Course, method: &Method, steps: u64) -> Option<Energy> {
    let conserved = course.conserved()?;
    let instance = course.instance();
    let mut energy = Energy {
        halves: [0.0; 2],
        drift: 0.0,
        parts: Vec::new(),
        lost: None,
        stopped: None,
        rounding: 0.0,
        driven: None,
    };
    let mut trajectory = match course.start(&*instance, method) {
        Ok(trajectory) => trajectory,
        Err(error) => {
            energy.stopped = Some(reason(&error));
            return Some(energy);
        }
    };
    let initial = value(&*instance, &*trajectory, conserved);
    let driven = course.driven();
    let driven = driven.map(|driven| (driven, value(&*instance, &*trajectory, driven)));
    let mut means = Vec::new();
    let mut taken = 0;
    for part in 0..PARTS {
        let (begin, end) = (part * steps / PARTS, (part + 1) * steps / PARTS);
        let (mut largest, mut sum): (f64, f64) = (0.0, 0.0);
        for _ in begin..end {
            if let Err(error) = trajectory.step() {
                energy.stopped = Some(reason(&error));
                break;
            }
            taken += 1;
            let error = value(&*instance, &*trajectory, conserved) / initial - 1.0;
            let half = usize::from(2 * taken > steps);
            energy.halves[half] = energy.halves[half].max(error.abs());
            largest = largest.max(error.abs());
            sum += error;
            if energy.lost.is_none() && error.abs() > LOST {
                energy.lost = Some(trajectory.time());
            }
        }
        if energy.stopped.is_some() {
            break;
        }
        let size = trajectory.q().into_iter().map(f64::abs).fold(1.0, f64::max);
        energy.rounding = energy.rounding.max(f64::EPSILON * size * steps as f64);
        if end > begin {
            let middle = course.h * (begin + end) as f64 / 2.0;
            energy.parts.push((middle, largest));
            means.push((middle, sum / (end - begin) as f64));
        }
    }
    energy.drift = slope(&means) * course.h * steps as f64;
    if energy.stopped.is_none() {
        energy.driven = driven.map(|(driven, initial)| value(&*instance, &*trajectory, driven) / initial);
    }
    Some(energy)
}

/// The number, time and cause of a failed step.
pub(super) fn reason(error: &Error) -> String {
    match error {
        Error::Step { step, time, cause } => format!("step {step} from t = {time:.2}: {cause}"),
        error => error.to_string(),
    }
}

fn value(instance: &dyn Instance, trajectory: &dyn Trajectory, conserved: Conserved) -> f64 {
    match conserved {
        Conserved::Energy => trajectory.energy(),
        Conserved::Invariant(i) => instance.invariants(&trajectory.q(), &trajectory.v())[i],
    }
}

/// The verdict on the energy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Its error is bounded, without drift.
    Bounded,
    /// Its error grows.
    Drifting,
    /// An error of more than 10 %.
    Lost,
    /// The run ended early.
    Stopped,
}

/// A drift of less than this part of the largest error, or less than rounding can cause, counts as none.
const DRIFTING: f64 = 0.3;

impl Energy {
    /// The verdict on the energy.
    pub fn verdict(&self) -> Verdict {
        if self.stopped.is_some() {
            Verdict::Stopped
        } else if self.lost.is_some() {
            Verdict::Lost
        } else if self.drift.abs() > (DRIFTING * self.largest()).max(self.rounding) {
            Verdict::Drifting
        } else {
            Verdict::Bounded
        }
    }

    /// The largest error of the run.
    pub fn largest(&self) -> f64 {
        self.halves[0].max(self.halves[1])
    }
}

/// Slope of the straight line fitted to `points` by least squares.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len().max(1) as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / n, y + point.1 / n));
    let (above, below) = points.iter().fold((0.0, 0.0), |(above, below), point| {
        (above + (point.0 - x) * (point.1 - y), below + (point.0 - x).powi(2))
    });
    if below > 0.0 { above / below } else { 0.0 }
}
