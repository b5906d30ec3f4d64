//! Systems, models and runs.

mod adaptive;
mod bodies;
mod claims;
mod control;
mod declaration;
mod events;
mod fit;
mod flow;
mod frame;
mod groups;
mod limits;
mod lost;
mod models;
mod moving;
mod multipliers;
mod outputs;
mod ringing;
mod run;
mod support;
