//! Planning, feedback and identification for simulated nonholonomic systems.
//!
//! # Feedback
//!
//! The first derivatives A = ∂x'/∂x and B = ∂x'/∂u of a step, as `linearize` of a simulation returns them, make the linear
//! system δx' = A δx + B δu of deviations from a motion. [`lqr`] stabilises an equilibrium, or a relative equilibrium, whose
//! derivatives are constant and from which [`Linear::without`] takes the cyclic coordinates by name; [`track`] a motion along which
//! they change.
//!
//! # Planning
//!
//! A [`Problem`] asks for the motion of least cost of a system in discrete time ([`Dynamics`]), with conditions, bounds and
//! inequalities. [`Discrete`] makes such a system of a declared one and a method whose steps are differentiated; the states of
//! all steps are unknowns (multiple shooting), and the discrete equations are those that the simulation solves, so that the
//! [`Plan`] is exact for it. [`Kinematic`] takes admissible velocities for inputs instead. [`Problem::solve`] is a primal–dual
//! interior-point method with a filter line search, with exact second derivatives of steps: without them, the curvature of
//! constraints, which makes a wheel go sideways, is not seen. Its linear systems take a time proportional to the number of steps.
//!
//! A disk that cannot slide moves sideways, from rest to rest:
//!
//! ```
//! use nhi_control::{Discrete, Options, Problem, Quadratic};
//! use nhi_runtime::prelude::*;
//!
//! /// A disk that rolls upright, driven at its axle and steered.
//! #[derive(Nonholonomic)]
//! #[nonholonomic(
//!     coordinates(x, y, theta, phi),
//!     inputs(drive, steer),
//!     lagrangian = m/2*(dot(x)^2 + dot(y)^2) + j/2*dot(theta)^2 + i/2*dot(phi)^2,
//!     constraints(along: dx - r*cos(theta)*dphi = 0, across: dy - r*sin(theta)*dphi = 0),
//!     force = drive*dphi + steer*dtheta,
//!     methods(Dla2 + derivatives),
//! )]
//! struct Disk {
//!     m: f64,
//!     i: f64,
//!     j: f64,
//!     r: f64,
//! }
//!
//! let (steps, h) = (40, 1.0 / 40.0);
//! let disk = Discrete::new(&Disk { m: 1.0, i: 0.5, j: 0.25, r: 1.0 }, Dla2, h)?;
//! let plan = Problem::new(&disk, steps, disk.at_rest(0, [0.0; 4])?)
//!     .cost("effort", Quadratic::of_inputs(&[h, h]))
//!     // All but the angle of rolling.
//!     .reach_entries(disk.at_rest(0, [0.0, 1.0, 0.0, 0.0])?, &[0, 1, 2, 4, 5])
//!     .solve(&Options::default())?;
//! assert!(plan.status.is_converged() && plan.status.is_minimum, "{}", plan.status);
//! assert!((plan.cost - 49.703570).abs() < 1e-6);
//! # Ok::<(), nhi_control::PlanError>(())
//! ```
//!
//! A plan is a local minimum. [`multi_start`] and [`best_of`] solve a problem from several start guesses, and [`free_time`] finds the time of a plan
//! where it has a price.
//!
//! # Control
//!
//! [`Mpc`] answers every measured state with the first input of a plan from there, by one Newton step for every step of time.
//!
//! # Identification
//!
//! An [`Identification`] finds parameters and starts of a declared system from [`Samples`] of its motion, with their covariance and
//! the directions that the samples do not determine.
//!
//! # Sizes
//!
//! Sizes are numbers of the problem, not of its type, so that systems that are compiled at run time share the code of those that
//! rustc compiles; what depends on the system is its steps. An [`Mpc`] allocates all that it needs when it is made.
//!
//! # Without the standard library
//!
//! Without the default feature `std` the crate needs an allocator only. [`multi_start`] and [`best_of`], which take threads, are not there.

#![no_std]

#[macro_use]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod best;
mod bracket;
mod dense;
mod discrete;
mod dynamics;
mod error;
mod filter;
mod free_time;
mod function;
mod held;
mod identify;
mod interior_point;
mod kinematic;
mod kkt;
mod linear;
#[cfg(feature = "std")]
mod multi_start;
mod observed;
mod plan;
mod problem;
mod riccati;
mod waves;

pub use best::Best;
pub use discrete::{Discrete, Formula, Multipliers, Smooth};
pub use dynamics::{Dynamics, Sizes};
pub use error::{LqrError, PlanError};
pub use free_time::{Timed, free_time};
pub use function::{Difference, Function, Quadratic};
pub use identify::{Doubt, Identification, Identified, IdentifyError, Passed, Samples};
pub use interior_point::{Feedback, Mpc, Nlp};
pub use kinematic::Kinematic;
pub use linear::Linear;
#[cfg(feature = "std")]
pub use multi_start::{best_of, multi_start};
pub use observed::{Declared, Entries, Measurement, Observed};
pub use plan::{Outcome, Plan, Status};
pub use problem::{Options, Problem};
pub use riccati::{Lqr, lqr, track};

#[cfg(any(doc, doctest))]
#[doc = include_str!("../guide.md")]
pub mod guide {}

/// The program of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
