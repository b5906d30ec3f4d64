//! Feedback.

use nalgebra::DMatrix;
use nhi_control::{Linear, LqrError, track};
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray2, PyReadonlyArray3,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// K, P, and the real and imaginary parts of the eigenvalues of A − B K.
type Feedback<'py> = (
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
);

fn matrix(given: &PyReadonlyArray2<'_, f64>) -> PyResult<DMatrix<f64>> {
    let [rows, columns] = [given.shape()[0], given.shape()[1]];
    Ok(DMatrix::from_row_slice(rows, columns, given.as_slice()?))
}

pub(crate) fn array<'py>(py: Python<'py>, x: &DMatrix<f64>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    // Columns come first in `DMatrix`.
    let by_rows: Vec<f64> = x.transpose().iter().copied().collect();
    by_rows.into_pyarray(py).reshape([x.nrows(), x.ncols()])
}

fn raised(error: &LqrError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Names, A and B without the entries `left`, of arrays in the order of C.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "three results")]
pub(crate) fn without<'py>(
    py: Python<'py>,
    names: Vec<String>,
    a: PyReadonlyArray2<'py, f64>,
    b: PyReadonlyArray2<'py, f64>,
    left: Vec<String>,
) -> PyResult<(Vec<String>, Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>)> {
    let left: Vec<&str> = left.iter().map(String::as_str).collect();
    let whole = Linear { names, a: matrix(&a)?, b: matrix(&b)? };
    let rest = whole.without(&left).map_err(|error| raised(&error))?;
    Ok((rest.names, array(py, &rest.a)?, array(py, &rest.b)?))
}

/// The optimal feedback, of arrays in the order of C.
#[pyfunction(name = "lqr")]
pub(crate) fn feedback<'py>(
    py: Python<'py>,
    names: Vec<String>,
    a: PyReadonlyArray2<'py, f64>,
    b: PyReadonlyArray2<'py, f64>,
    q: PyReadonlyArray2<'py, f64>,
    r: PyReadonlyArray2<'py, f64>,
) -> PyResult<Feedback<'py>> {
    let linear = Linear { names, a: matrix(&a)?, b: matrix(&b)? };
    let found = linear.lqr(&matrix(&q)?, &matrix(&r)?).map_err(|error| raised(&error))?;
    let [real, imaginary] = [|x: &nalgebra::Complex<f64>| x.re, |x: &nalgebra::Complex<f64>| x.im]
        .map(|part| found.eigenvalues.iter().map(part).collect::<Vec<f64>>().into_pyarray(py));
    Ok((array(py, &found.gain)?, array(py, &found.cost)?, real, imaginary))
}

/// The matrices of an array of them.
fn matrices(given: &PyReadonlyArray3<'_, f64>) -> PyResult<Vec<DMatrix<f64>>> {
    let [count, rows, columns] = [given.shape()[0], given.shape()[1], given.shape()[2]];
    let numbers = given.as_slice()?;
    let size = rows * columns;
    Ok((0..count)
        .map(|k| DMatrix::from_row_slice(rows, columns, &numbers[k * size..(k + 1) * size]))
        .collect())
}

/// The optimal feedback along a motion, of arrays in the order of C.
#[pyfunction(name = "track")]
pub(crate) fn along<'py>(
    py: Python<'py>,
    a: PyReadonlyArray3<'py, f64>,
    b: PyReadonlyArray3<'py, f64>,
    q: PyReadonlyArray2<'py, f64>,
    r: PyReadonlyArray2<'py, f64>,
    q_end: PyReadonlyArray2<'py, f64>,
) -> PyResult<Bound<'py, PyArray3<f64>>> {
    let steps: Vec<_> = matrices(&a)?.into_iter().zip(matrices(&b)?).collect();
    let (q, r) = (matrix(&q)?, matrix(&r)?);
    let gains = track(&steps, &q, &r, &matrix(&q_end)?).map_err(|error| raised(&error))?;
    stacked(py, &gains, [r.nrows(), q.nrows()])
}

/// Matrices of one size as an array.
pub(crate) fn stacked<'py>(
    py: Python<'py>,
    matrices: &[DMatrix<f64>],
    [rows, columns]: [usize; 2],
) -> PyResult<Bound<'py, PyArray3<f64>>> {
    // Columns come first in `DMatrix`.
    let numbers: Vec<f64> =
        matrices.iter().flat_map(|matrix| matrix.transpose().iter().copied().collect::<Vec<_>>()).collect();
    numbers.into_pyarray(py).reshape([matrices.len(), rows, columns])
}
