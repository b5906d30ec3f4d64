//! The tests of the generator that need no process of their own.
//!
//! Tests of all models take four of them by default (`files`); random cases and sizes are fewer, too. With the environment
//! variable `NHI_TESTS=all`, they take all. The heads of the modules say what they sample.

mod connection;
mod declaration;
mod derivatives;
mod driven;
mod emission;
mod engine;
mod equations;
mod expr;
#[path = "../../examples/growth/families.rs"]
mod families;
mod files;
mod growth;
mod lower;
mod models;
mod passes;
mod phrasing;
mod positions;
mod powers;
mod program;
mod report;
mod steps;
#[path = "../support/mod.rs"]
mod support;
