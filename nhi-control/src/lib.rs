//! Planning and feedback for simulated nonholonomic systems.
//!
//! # Feedback
//!
//! The first derivatives A = ∂x'/∂x and B = ∂x'/∂u of a step, as `linearize` of a simulation returns them, make the linear
//! system δx' = A δx + B δu of deviations from a motion. [`lqr`] stabilises an equilibrium, or a relative equilibrium, whose
//! derivatives are constant; [`track`] a motion along which they change.
//!
//! # Planning
//!
//! A [`Problem`] asks for the motion of least cost of a system in discrete time ([`Dynamics`]), with conditions, bounds and
//! inequalities. [`Discrete`] makes such a system of a declared one and a method whose steps are differentiated; the states of
//! all steps are unknowns (multiple shooting), and the discrete equations are those that the simulation solves, so that the
//! [`Plan`] is exact for it. [`Problem::solve`] is a primal–dual interior-point method with a filter line search, with exact
//! second derivatives of steps: without them, the curvature of constraints, which makes a wheel go sideways, is not seen.
//! Its linear systems take a time proportional to the number of steps.
//!
//! Sizes are numbers of the problem, not of its type, so that systems that are compiled at run time share the code of those that
//! rustc compiles; what depends on the system is its steps.

mod bracket;
mod dense;
mod discrete;
mod dynamics;
mod error;
mod filter;
mod function;
mod interior_point;
mod kkt;
mod plan;
mod problem;
mod riccati;

pub use discrete::{Discrete, Formula, Smooth};
pub use dynamics::{Dynamics, Sizes};
pub use error::{LqrError, PlanError};
pub use function::{Difference, Function, Quadratic};
pub use plan::{Outcome, Plan, Status};
pub use problem::{Options, Problem};
pub use riccati::{Lqr, lqr, track};
