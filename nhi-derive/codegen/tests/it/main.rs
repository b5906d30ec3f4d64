//! The tests of the generator that need no process of their own.

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
mod growth;
mod lower;
mod models;
mod passes;
mod phrasing;
mod positions;
mod program;
mod report;
mod steps;
#[path = "../support/mod.rs"]
mod support;
