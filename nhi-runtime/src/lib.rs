//! Simulations of mechanical systems with rolling, skating and wheel constraints.
#![cfg_attr(not(feature = "std"), no_std)]

mod admissible;
mod error;
mod mechanics;
mod method;
mod samples;
mod scalar;
mod simulation;
mod state;
mod system;

#[doc(hidden)]
pub mod emitted;
#[doc(hidden)]
pub mod stub;

pub use error::{Error, Failure, Quantity};
pub use mechanics::Mechanics;
pub use method::{
    Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, GniEulerA, GniEulerB, GniMidpoint,
    Method, Rattle, Reflecting, Rk2Heun, Rk2Midpoint, Rk4, Started,
};
pub use samples::{Sample, Samples};
pub use scalar::Scalar;
pub use simulation::Simulation;
pub use state::{JumpState, NodeState, State};
pub use system::{Acceleration, Emits, Start, System, Vector};

/// What a program that simulates needs: `use nhi_runtime::prelude::*;`.
pub mod prelude {
    pub use crate::Mechanics as _;
    pub use crate::Simulation;
    pub use crate::{
        Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, GniEulerA, GniEulerB,
        GniMidpoint, Rattle, Rk2Heun, Rk2Midpoint, Rk4,
    };
}
