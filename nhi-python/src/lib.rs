//! The extension module `nhi._nhi`: what the Python package `nhi` computes in Rust.
//!
//! Python composes declarations and checks the shapes of arguments (`python/nhi`); here systems are derived and compiled,
//! and simulations run, without the interpreter lock.

mod cache;
mod control;
mod ensemble;
mod error;
mod fit;
mod plan;
mod recording;
mod report;
mod simulation;
mod system;
mod text;
mod watch;

use pyo3::prelude::*;

#[pymodule]
mod _nhi {
    use super::{Bound, PyModule, PyResult};

    #[pymodule_export]
    use crate::cache::clear_cache;
    #[pymodule_export]
    use crate::control::{along, feedback, without};
    #[pymodule_export]
    use crate::ensemble::Ensemble;
    #[pymodule_export]
    use crate::fit::fitted;
    #[pymodule_export]
    use crate::plan::{Mpc, Problem};
    #[pymodule_export]
    use crate::recording::Recording;
    #[pymodule_export]
    use crate::report::Report;
    #[pymodule_export]
    use crate::simulation::Simulation;
    #[pymodule_export]
    use crate::system::{Core, method_type, models};

    #[pymodule_init]
    fn init(_module: &Bound<'_, PyModule>) -> PyResult<()> {
        nhi_run::use_cache();
        nhi_run::observe(&crate::watch::LONG_WORK);
        Ok(())
    }

    /// The number of steps of a run that an event ends, where none is given.
    #[pymodule_export]
    const MOST_STEPS: u64 = nhi_run::Run::MOST_STEPS;
}
