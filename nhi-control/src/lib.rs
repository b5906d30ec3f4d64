//! Planning and feedback for simulated nonholonomic systems.
//!
//! The first derivatives A = ∂x'/∂x and B = ∂x'/∂u of a step, as `linearize` of a simulation returns them, make the linear
//! system δx' = A δx + B δu of deviations from a motion. [`lqr`] stabilises an equilibrium, or a relative equilibrium, whose
//! derivatives are constant; [`track`] a motion along which they change.

mod dense;
mod dynamics;
mod error;
mod kkt;
mod riccati;

pub use dynamics::{Dynamics, Sizes};
pub use error::LqrError;
pub use riccati::{Lqr, lqr, track};
