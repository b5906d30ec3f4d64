//! Simulations of mechanical systems with rolling, skating and wheel constraints.
//!
//! A system is a struct of parameters whose Lagrangian and constraint one-forms are declared with
//! `#[derive(Nonholonomic)]`. The derive generates step functions of structure-preserving integrators
//! for this system; this crate runs them. They do not allocate, do not panic and work without `std`.
//!
//! - [`Simulation`] integrates a system with a method from an initial state; a [`Snapshot`] contains all of its numbers.
//! - [`AdaptiveSimulation`] does so with steps whose sizes follow from a [tolerance](Builder::tolerance).
//! - [`Ensemble`] integrates many trajectories at once.
//! - The methods are values. [`Dla2`] is recommended, and [`Rdp`] with a group factor. [`Rattle`] and
//!   the other reflecting methods have parasitic modes ([`Simulation::parasite`]). [`Rk4`] is for short runs.
//! - The derive implements [`System`], and [`Method`] for the types of the methods; [`Mechanics`] adds the functions of a system that
//!   need no simulation.
//! - [`group`] contains the Lie groups whose elements are poses, SO(3), SE(2) and SE(3).
//! - [`Error`] reports invalid data, or the step that could not be taken and the reason.
//!
#![cfg_attr(
    all(feature = "derive", feature = "std", feature = "nalgebra"),
    doc = "The [guide] begins with [a declaration and a run](guide::first) and answers the questions that come next."
)]
//!
//! # Names
//!
//! | mathematics | code |
//! |---|---|
//! | q, v = dq/dt, p = ∂L/∂v | `q`, `v`, `p` |
//! | multipliers λ: the reaction force is +μᵀλ | `lambda`, [`Simulation::multipliers`] |
//! | step size h, time t = k h, step k | `h`, `t`, `k` |
//! | control inputs u | `inputs` |
//! | auxiliary states z, dz/dt = F(q, v, z, t, u) | `z`, in emitted code `states` |
//! | one-forms μ(q), affine part μ₀(q): μ v + μ₀ = 0 | `mu`, `mu_t` |
//! | L(q, v), E = p·v − L | `lagrangian`, `energy` |
//! | M = ∂²L/∂v∂v, C = μ M⁻¹ μᵀ | `mass`, `c` |
//! | v before and after a reflection, M⁻¹(p∓ − a) | `v_pre`, `v_post` |
//!
//! # Features
//!
//! | feature | default | effect |
//! |---|---|---|
//! | `derive` | yes | re-exports `#[derive(Nonholonomic)]` |
//! | `symbolica` | no | the derive simplifies with the computer-algebra system Symbolica, which has its own licence; without the feature it uses the built-in rules |
//! | `std` | yes | elementary functions of the platform instead of those of `libm`; [`Ensemble`]; run-time choice of the best instruction set |
//! | `rayon` | yes | the threads of an [`Ensemble`]; needs `std` |
//! | `platform-trigonometry` | no | sines and cosines of `f64` by the platform's library (or `libm`) instead of the polynomials that are inlined into every step |
//! | `num-dual` | no | the dual numbers of the crate of that name as [`Scalar`]s, in addition to [`Dual`] |
//! | `serde` | no | [`Snapshot`]s and [`Checkpoint`]s implement `Serialize` and `Deserialize` |
//! | `nalgebra` | yes | conversions between poses and the rotations, unit quaternions and isometries of nalgebra |
//!
//! Configurations, velocities and inputs are arrays. Vectors of nalgebra implement the conversions into arrays and
//! back (`From` of `SVector`), so they can be passed directly.
#![cfg_attr(not(feature = "std"), no_std)]

// The systems shared by the tests use this name.
#[cfg(test)]
extern crate self as nhi_runtime;

#[doc(hidden)]
pub mod admissible;
#[doc(hidden)]
pub mod balance;
#[doc(hidden)]
pub mod bisection;
mod careful;
mod compose;
mod derivatives;
mod drive;
mod dual;
#[cfg(feature = "std")]
mod ensemble;
mod error;
mod fields;
mod fits;
#[cfg(feature = "std")]
mod fused;
pub mod group;
#[cfg(all(any(doc, doctest), feature = "derive", feature = "std", feature = "nalgebra"))]
pub mod guide;
mod id;
mod isa;
mod mechanics;
mod method;
mod named;
mod passage;
mod pose;
pub mod ringing;
mod saddle;
mod samples;
mod scalar;
mod simulation;
mod state;
pub mod statistics;
mod system;
#[doc(hidden)]
pub mod tolerance;
mod trigonometry;
mod unchecked;

#[doc(hidden)]
pub mod emitted;
#[doc(hidden)]
pub mod stub;

#[cfg(feature = "derive")]
pub use nhi_derive::Nonholonomic;

pub use balance::Limits;
pub use compose::{Compose, ComposedIds, Symmetric};
pub use derivatives::{
    Basis, BasisOf, Curvature, CurvatureOf, Departure, DepartureOf, Differentiable, Linearization,
    LinearizationOf, Matrix, ParameterLinearization, ParameterLinearizationOf, PulledBack, PulledBackOf,
    Reduced, ReducedOf, Steady, Tangential,
};
#[doc(hidden)]
pub use derivatives::{ExactTangents, Forgets, Kept, Memory, Remembers};
pub use dual::Dual;
#[cfg(feature = "std")]
pub use ensemble::{Checkpoint, Ensemble, TrajectoryError};
pub use error::{CoefficientFault, Error, Failure, Forms, Quantity, SnapshotFault};
pub use fields::Fields;
pub use fits::Fits;
#[cfg(feature = "std")]
pub use fused::Fused;
#[doc(hidden)]
pub use id::{Id, StartIds};
pub use mechanics::Mechanics;
pub use method::markers::*;
#[doc(hidden)]
pub use method::{Length, StepTraits};
pub use method::{Method, Reflecting, Retracted, Started};
pub use named::Named;
#[doc(hidden)]
pub use passage::negative_inertia;
#[doc(hidden)]
pub use pose::Called;
pub use pose::{Factor, Posed, Retracts};
pub use samples::{Sample, SampleOf, Samples};
pub use scalar::Scalar;
#[cfg(feature = "std")]
pub use simulation::Snapshot;
pub use simulation::{AdaptiveSimulation, Builder, NoStart, NoStepSize, Simulation, Tolerance};
pub use state::{AnyStepSize, JumpState, NodeState, State};
pub use system::{Acceleration, Start, Symmetry, System, Vector};
pub use unchecked::{Arithmetic, Separate};

/// The program of the README.
#[cfg(all(doctest, feature = "derive", feature = "std"))]
#[doc = include_str!("../README.md")]
struct Readme;

/// The imports of a typical program: `use nhi_runtime::prelude::*;`.
pub mod prelude {
    pub use crate::Compose;
    #[cfg(feature = "std")]
    pub use crate::Ensemble;
    pub use crate::Mechanics as _;
    pub use crate::Named as _;
    #[cfg(feature = "derive")]
    pub use crate::Nonholonomic;
    pub use crate::Simulation;
    pub use crate::Tangential as _;
    pub use crate::group::{Cayley, Ccsk, Exp, Exp1, Exp2, Exp4};
    pub use crate::method::markers::*;
}
