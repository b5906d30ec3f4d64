//! The `nhi` command as a library: cases, runs, comparison with reference data, figures.

mod bodies;
mod cache;
mod case;
mod check;
mod completions;
mod csv;
mod declared;
mod demo;
mod failed;
mod files;
mod fit;
mod generate;
mod group;
mod list;
mod models;
mod new;
mod number;
mod outputs;
mod plan;
mod problem;
mod progress;
mod run;
mod simulate;
mod stated;

pub mod command;
pub mod scoreboard;

pub use case::Malformed;
pub use check::{CheckError, Report};
pub use nhi_run::Sample;
pub use problem::Problem;
pub use run::Stopped;
