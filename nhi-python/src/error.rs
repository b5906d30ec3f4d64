//! Errors as Python's exceptions, whose classes are those of `nhi._errors`.

use nhi_jit::Error as Jit;
use nhi_run::{DeclarationError, Error, Mistake, Place};
use nhi_runtime::Quantity;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyType};

static DECLARATION: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static STEP: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// `nhi.DeclarationError` with all mistakes; its attributes are those of the first one.
pub(crate) fn declaration(py: Python<'_>, error: &DeclarationError) -> PyErr {
    let raised = || {
        let mistakes =
            error.mistakes.iter().map(|mistake| facts(py, mistake)).collect::<PyResult<Vec<_>>>()?;
        let class = DECLARATION.import(py, "nhi._errors", "DeclarationError")?;
        Ok(PyErr::from_value(class.call1((error.render(false), mistakes))?))
    };
    raised().unwrap_or_else(|failed: PyErr| failed)
}

/// The attributes of a mistake.
fn facts<'py>(py: Python<'py>, mistake: &Mistake) -> PyResult<Bound<'py, PyDict>> {
    let facts = PyDict::new(py);
    let place = mistake.place.as_ref();
    facts.set_item("message", &mistake.message)?;
    facts.set_item("help", &mistake.help)?;
    facts.set_item("source", place.map(|place| &place.file))?;
    facts.set_item("line", place.map(Place::line))?;
    facts.set_item("column", place.map(Place::column))?;
    facts.set_item("token", place.map(Place::token))?;
    Ok(facts)
}

/// `nhi.StepError`.
pub(crate) fn step(py: Python<'_>, message: String, step: u64, time: f64, reason: String) -> PyErr {
    let raised = || {
        let class = STEP.import(py, "nhi._errors", "StepError")?;
        Ok(PyErr::from_value(class.call1((message, step, time, reason))?))
    };
    raised().unwrap_or_else(|failed: PyErr| failed)
}

/// Why a run could not begin: mostly a `ValueError` that names the argument.
pub(crate) fn start(py: Python<'_>, error: &Error) -> PyErr {
    match error {
        // As the argument is called here.
        Error::Argument { name: "parameters", problem } => PyValueError::new_err(format!("p: {problem}")),
        Error::Method { .. } | Error::Argument { .. } => PyValueError::new_err(error.to_string()),
        Error::Declaration(error) => declaration(py, error),
        Error::Derivation(message) | Error::Unsolved(message) => PyRuntimeError::new_err(message.clone()),
        Error::Jit(error) => simulation(py, error),
        Error::Advised { error, advice } => advised(py, error, Some(advice)),
    }
}

/// Why a simulation could not begin or go on.
pub(crate) fn simulation(py: Python<'_>, error: &Jit) -> PyErr {
    advised(py, error, None)
}

/// The same with what to do about it.
pub(crate) fn advised(py: Python<'_>, error: &Jit, advice: Option<&str>) -> PyErr {
    let with_advice = |text: String| match advice {
        Some(advice) => format!("{text}; {advice}"),
        None => text,
    };
    let message = with_advice(error.to_string());
    let argument = match error {
        Jit::Step { step: number, time, cause } => {
            return step(py, message, *number, *time, with_advice(cause.to_string()));
        }
        Jit::Stalled { time, cause, .. } => {
            let reason =
                cause.map_or_else(|| "the tolerance is not met".to_owned(), |cause| cause.to_string());
            return step(py, message, 0, *time, reason);
        }
        Jit::Start { cause } => return step(py, message, 0, 0.0, with_advice(cause.to_string())),
        Jit::StepSize { .. } => "h",
        Jit::FixedStepSize { .. } | Jit::Tolerance { .. } => "tolerance",
        Jit::NonFinite { quantity, .. } => match quantity {
            Quantity::Parameter => "p",
            Quantity::Coordinate => "q0",
            Quantity::Velocity => "v0",
            Quantity::Input => "inputs",
            Quantity::State => "z0",
            Quantity::Time => "t",
        },
        Jit::Length { what, .. } => what,
        Jit::Pose { .. } | Jit::Position { .. } | Jit::Projection { .. } => "q0",
        Jit::Constraint { residual, .. } if !residual.is_finite() => "q0",
        Jit::Constraint { .. } => "v0",
        Jit::Acceleration { .. } | Jit::Basis { .. } => "q",
        Jit::NoDerivatives { .. } => "method",
        Jit::NoStep | Jit::Derivatives { .. } => return PyValueError::new_err(message),
        _ => return PyRuntimeError::new_err(message),
    };
    let remedy = match error.is_near_admissible() {
        true => "; `project=True` begins at the nearest admissible state",
        false => "",
    };
    PyValueError::new_err(format!("{argument}: {message}{remedy}"))
}
