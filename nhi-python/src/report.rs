//! Derivations for people.

use nhi_codegen::report::Format;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The derivation of a system.
#[pyclass(frozen, module = "nhi._nhi")]
pub(crate) struct Report {
    pub(crate) inner: nhi_codegen::report::Report,
}

#[pymethods]
impl Report {
    /// The report in a format: `md`, `tex`, `html` or `json`.
    fn text(&self, format: &str) -> PyResult<String> {
        let Some(format) = Format::named(format) else {
            let known = Format::ALL.map(Format::name).join(", ");
            return Err(PyValueError::new_err(format!("format: expected one of {known}, found `{format}`")));
        };
        Ok(format.print(&self.inner))
    }
}
