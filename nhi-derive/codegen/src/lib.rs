//! Derivation and code generation behind `#[derive(Nonholonomic)]`, as an ordinary library.
//!
//! ```text
//! tokens → declaration → mechanics → scheme → StepProgram → optimise → Optimised → Rust, C
//!          (spans)       (geometry)  (method)  (program)     (optimise)  (lower)     (emit, backend)
//! ```
//!
//! Each stage is a function that can be called from a test and whose result can be printed.

pub mod backend;
mod caught;
pub mod declaration;
pub mod emit;
pub mod engine;
pub mod expand;
pub mod expr;
pub mod facts;
pub mod forms;
pub mod functions;
pub mod generate;
pub mod lower;
pub mod mechanics;
pub mod method;
pub mod optimise;
pub mod optimised;
pub mod parallel;
pub mod pipeline;
pub mod program;
#[cfg(feature = "report")]
pub mod report;
pub mod source;
#[cfg(feature = "serde")]
pub mod stored;
pub mod system;
pub mod target;

pub use expand::{expand, expand_derivatives, expand_plain, explain};
pub use pipeline::derive;
