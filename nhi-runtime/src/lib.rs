//! Runtime of nhi: what generated integrators of nonholonomic mechanical systems link against.
#![cfg_attr(not(feature = "std"), no_std)]

mod scalar;
mod system;

pub use scalar::Scalar;
pub use system::{Emits, Failure, JumpState, NodeState, Start, System, Vector};
