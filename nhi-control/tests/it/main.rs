//! Plans, feedback and estimates.

mod by_name;
mod identify;
mod linear_system;
mod lqr;
mod mpc;
mod plan;
mod search;
mod systems;
