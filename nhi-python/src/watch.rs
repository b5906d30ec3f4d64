//! The interpreter while Rust works: signals and progress.

use pyo3::prelude::*;
use std::time::{Duration, Instant};

/// Time between two looks at signals: short for people, long beside taking the interpreter lock.
const PERIOD: Duration = Duration::from_millis(50);

/// Looks at signals, such as Ctrl-C, and reports progress while the interpreter lock is released.
pub(crate) struct Watch {
    progress: Option<Py<PyAny>>,
    pending: u64,
    last: Instant,
}

impl Watch {
    /// `progress` is called with the steps that were taken since the call before.
    pub(crate) fn new(progress: Option<Py<PyAny>>) -> Watch {
        Watch { progress, pending: 0, last: Instant::now() }
    }

    /// After `steps` steps.
    ///
    /// # Errors
    /// What a signal's handler or `progress` raises.
    pub(crate) fn after(&mut self, steps: u64) -> PyResult<()> {
        self.pending += steps;
        if self.last.elapsed() < PERIOD {
            return Ok(());
        }
        Python::attach(|py| {
            py.check_signals()?;
            self.report(py)
        })?;
        self.last = Instant::now();
        Ok(())
    }

    /// Reports what has not been reported.
    ///
    /// # Errors
    /// What `progress` raises.
    pub(crate) fn report(&mut self, py: Python<'_>) -> PyResult<()> {
        if let Some(progress) = &self.progress {
            progress.call1(py, (std::mem::take(&mut self.pending),))?;
        }
        Ok(())
    }
}
