//! Systems, models and runs.

mod control;
mod declaration;
mod flow;
mod models;
mod run;
