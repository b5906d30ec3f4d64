//! Systems, models and runs.

mod claims;
mod control;
mod declaration;
mod events;
mod fit;
mod flow;
mod frame;
mod lost;
mod models;
mod outputs;
mod ringing;
mod run;
