//! The symbolic engines, against each other and against evaluation.

pub(crate) mod conditioned;
mod forms;
#[cfg(feature = "symbolica")]
mod isolation;
mod models;
mod random;

use nhi_codegen::engine::{BuiltIn, Engine};

/// Every engine that the features of this build have.
fn engines() -> Vec<Box<dyn Engine>> {
    vec![
        Box::new(BuiltIn),
        #[cfg(feature = "symbolica")]
        Box::new(nhi_codegen::engine::Symbolica::new()),
    ]
}
