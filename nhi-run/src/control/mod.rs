//! Planning and identification of declared systems without rustc, by [`nhi_control`].
//!
//! A [`Planning`] and a [`Fitting`] are stated by names, numbers and texts. Steps, their derivatives and the functions that the
//! texts describe are compiled.

mod discrete;
mod fit;
mod kinematic;
mod linear;
mod mpc;
mod plan;
mod steps;

pub use fit::{Fitted, Fitting};
pub use linear::linear;
pub use mpc::{Answer, Controller};
pub use nhi_control::{Doubt, Identified, Options, Samples};
pub use plan::{Condition, Cost, Guess, Planned, Planning, TimedPlan};
pub use steps::State;

use crate::Error;

/// An argument that is impossible.
fn wrong(name: &'static str, problem: impl ToString) -> Error {
    Error::Argument { name, problem: problem.to_string() }
}

/// Most steps of a motion whose inputs are listed, and of a plan, which keeps matrices for each.
const MOST: [usize; 2] = [10_000_000, 1_000_000];

/// Most start guesses.
const MOST_STARTS: usize = 10_000;

/// The number of start guesses.
fn guesses(starts: usize) -> Result<(), Error> {
    if (1..=MOST_STARTS).contains(&starts) {
        return Ok(());
    }
    Err(wrong("starts", format!("must be from 1 to {MOST_STARTS}, found {starts}")))
}

/// The step size of a motion forwards in time.
fn forwards(h: f64) -> Result<(), Error> {
    let is_forwards = h.is_finite() && h > 0.0;
    if is_forwards { Ok(()) } else { Err(wrong("h", format!("must be positive and finite, found {h}"))) }
}
