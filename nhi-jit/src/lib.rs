//! Compiles step functions to machine code at run time, by Cranelift.
//!
//! ```
//! use nhi_codegen::declaration::Declaration;
//! use nhi_codegen::engine::default_engine;
//! use nhi_codegen::source::structs;
//! use nhi_codegen::pipeline::Derived;
//! use nhi_jit::{Compiled, Simulation};
//! use nhi_methods::Variant;
//!
//! let text = "
//!     #[derive(Nonholonomic)]
//!     #[nonholonomic(
//!         coordinates(theta, x, y),
//!         lagrangian = J/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
//!         constraints(a*dtheta + sin(theta)*dx - cos(theta)*dy),
//!         methods(Dla2)
//!     )]
//!     struct Sleigh { J: f64, m: f64, a: f64 }
//! ";
//! let declaration = Declaration::parse(&structs(text)?[0]).map_err(|rejected| format!("{rejected:?}"))?;
//! let derived = Derived::new(declaration, default_engine().as_mut()).map_err(|rejected| format!("{rejected:?}"))?;
//! let optimised = derived.optimised().map_err(|rejected| format!("{rejected:?}"))?;
//! let dla2 = Variant::with_id("dla2").ok_or("a method")?;
//! let compiled = Compiled::new(&optimised, &[dla2])?;
//! let mut simulation = Simulation::new(&compiled, dla2, &[1.0, 1.0, 0.2], &[0.0; 3], &[1.0, 0.5, 0.2], 0.01)?;
//! simulation.advance(1000)?;
//! println!("t = {}, q = {:?}", simulation.time(), simulation.q());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Compiled steps compute the bits of the steps that the derive generates: a lowered function fixes the order of operations,
//! Cranelift neither reassociates nor contracts them, and elementary functions and the maps of groups are those of
//! `nhi-runtime`, called or written as the same operations. The chapter on compilation in `ARCHITECTURE.md` says how.
//!
//! Where Cranelift has no back end, or the system refuses executable memory, [`Compiled::new`] returns
//! [`Error::Unavailable`]. `nhi-interpreter` runs the same functions without compiling them, a few hundred times slower.

mod adaptive;
mod admissible;
mod compile;
mod compiled;
mod derivatives;
mod error;
mod formulas;
mod manifold;
mod native;
mod passage;
mod simulation;

pub use adaptive::AdaptiveSimulation;
pub use compile::instructions;
pub use compiled::{Acceleration, Compiled, Point};
pub use derivatives::{
    Basis, BasisDerivative, ByParameters, Curvature, Derivatives, Frame, Linearization, PullBack,
    SecondDerivatives,
};
pub use error::Error;
pub use formulas::{Formulas, Slopes};
pub use manifold::Manifold;
pub use simulation::{Simulation, Stepped};
