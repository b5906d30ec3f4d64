//! Identification.

use crate::error::start;
use crate::system::Core;
use crate::watch::waited_for;
use nhi_run::control::{Fitted, Fitting, Samples};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;

type Vector<'py> = Bound<'py, PyArray1<f64>>;
type Matrix<'py> = Bound<'py, PyArray2<f64>>;

/// All parameters, q0 and v0 of the motion; names, values and covariance of the unknowns; χ², degrees of freedom and noise; the
/// directions that are not determined, what speaks against the fit, the numbers of the motion in place of the samples, and χ² and values
/// of what other start guesses led to.
type Found<'py> = (
    [Vector<'py>; 3],
    (Vec<String>, Vector<'py>, Matrix<'py>),
    (f64, usize, f64),
    Vec<Vec<f64>>,
    Vec<String>,
    Matrix<'py>,
    Vec<(f64, Vec<f64>)>,
);

/// Parameters and starts with the least sum of squares. Arrays have the lengths of the system.
#[pyfunction(name = "fit")]
#[allow(clippy::too_many_arguments, reason = "the facts of a problem, as Python passes them")]
pub(crate) fn fitted<'py>(
    py: Python<'py>,
    core: Py<Core>,
    method: &str,
    parameters: PyReadonlyArray1<'py, f64>,
    start_at: (PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, f64>),
    h: f64,
    inputs: Vec<Vec<f64>>,
    measured: Vec<String>,
    samples: (Vec<f64>, Vec<Vec<f64>>, Vec<f64>),
    unknowns: Option<Vec<String>>,
    starts: usize,
) -> PyResult<Found<'py>> {
    let owned = |array: &PyReadonlyArray1<'_, f64>| array.as_slice().map(<[f64]>::to_vec);
    let system = core.get().system.clone();
    let (times, values, deviations) = samples;
    let count = measured.len();
    let fitting = Fitting {
        variant: system.variant(method).map_err(|error| start(py, &error))?,
        parameters: owned(&parameters)?,
        q0: owned(&start_at.0)?,
        v0: owned(&start_at.1)?,
        h,
        inputs,
        measured,
        samples: Samples { times, values, deviations },
        unknowns,
        starts,
        system,
    };
    let solved = waited_for(py, move || fitting.solve())?;
    let Fitted { identified, q0, v0, others } = solved.map_err(|error| start(py, &error))?;
    let (size, rows) = (identified.values.len(), identified.fitted.len());
    let covariance: Vec<f64> = identified.covariance.iter().copied().collect();
    Ok((
        [identified.parameters.into_pyarray(py), q0.into_pyarray(py), v0.into_pyarray(py)],
        (
            identified.unknowns,
            identified.values.into_pyarray(py),
            // It is symmetric.
            covariance.into_pyarray(py).reshape([size, size])?,
        ),
        (identified.chi_squared, identified.degrees_of_freedom, identified.noise),
        identified.undetermined,
        identified.doubts.iter().map(ToString::to_string).collect(),
        identified.fitted.concat().into_pyarray(py).reshape([rows, count])?,
        others.into_iter().map(|other| (other.chi_squared, other.values)).collect(),
    ))
}
