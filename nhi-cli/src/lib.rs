//! The `nhi` command as a library: cases, runs, comparison with reference data, figures.

mod case;
mod check;
mod demo;
mod figure;
mod forms;
mod generate;
mod group;
mod list;
mod number;
mod output;
mod problem;
mod progress;
mod run;

pub mod command;
pub mod scoreboard;

pub use case::Malformed;
pub use check::{Report, Unchecked};
pub use problem::Problem;
pub use run::{Sample, Stopped};
