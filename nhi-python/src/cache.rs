//! The cache of derived systems.

use nhi_run::Cache;
use pyo3::prelude::*;

/// Removes what is kept of systems that took long to derive: the files of `nhi cache`, which the command uses, too.
#[pyfunction]
pub(crate) fn clear_cache(py: Python<'_>) -> PyResult<()> {
    let Some(cache) = Cache::of_user() else { return Ok(()) };
    py.detach(|| cache.clear())?;
    Ok(())
}
