//! Plans.

use crate::error::start;
use crate::system::Core;
use crate::watch::waited_for;
use nhi_run::control::{Cost, Planned, Planning};
use numpy::{IntoPyArray, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;

/// q, v and u of a plan, gains, cost, whether it has converged, what it misses, the status in words, and costs and status of what other
/// start guesses led to.
type Found<'py> = (
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray3<f64>>,
    f64,
    bool,
    Vec<(String, f64)>,
    String,
    Vec<(f64, bool, String)>,
);

/// What is minimised.
#[derive(FromPyObject)]
pub(crate) enum Objective {
    /// A text.
    Text(String),
    /// Weights of the squares of inputs.
    Weights(Vec<f64>),
}

/// The motion of least cost from (q0, v0) to the entries of (q1, v1) that are numbers; bounds may be infinite.
#[pyfunction(name = "plan")]
#[allow(clippy::too_many_arguments, reason = "the facts of a problem, as Python passes them")]
pub(crate) fn planned<'py>(
    py: Python<'py>,
    core: Py<Core>,
    method: &str,
    parameters: PyReadonlyArray1<'py, f64>,
    start_at: (PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, f64>),
    end_at: (PyReadonlyArray1<'py, f64>, Option<PyReadonlyArray1<'py, f64>>),
    h: f64,
    steps: usize,
    cost: Objective,
    final_cost: Option<String>,
    bounds: Vec<(String, [f64; 2])>,
    guess: Vec<Vec<f64>>,
    starts: usize,
) -> PyResult<Found<'py>> {
    let owned = |array: &PyReadonlyArray1<'_, f64>| array.as_slice().map(<[f64]>::to_vec);
    let system = core.get().system.clone();
    let planning = Planning {
        variant: system.variant(method).map_err(|error| start(py, &error))?,
        parameters: owned(&parameters)?,
        q0: owned(&start_at.0)?,
        v0: owned(&start_at.1)?,
        q1: owned(&end_at.0)?,
        v1: end_at.1.as_ref().map(owned).transpose()?,
        h,
        steps,
        cost: match cost {
            Objective::Text(cost) => Cost::Text(cost),
            Objective::Weights(weights) => Cost::Effort(weights),
        },
        final_cost,
        bounds,
        guess,
        starts,
        system,
    };
    let [n, m] = [planning.system.coordinates(), planning.system.velocities()].map(<[String]>::len);
    let inputs = planning.system.inputs().len();
    let solved = waited_for(py, move || planning.solve())?;
    let Planned { plan, v, others } = solved.map_err(|error| start(py, &error))?;
    let q: Vec<f64> = plan.states.iter().flat_map(|x| x.q.iter().copied()).collect();
    let states = plan.states[0].nu.len() + plan.states[0].z.len() + m;
    // Columns come first in a matrix.
    let gains = plan.gains.iter().flat_map(|k| k.transpose().iter().copied().collect::<Vec<f64>>());
    let gains: Vec<f64> = gains.collect();
    Ok((
        q.into_pyarray(py).reshape([steps + 1, n])?,
        v.concat().into_pyarray(py).reshape([steps + 1, m])?,
        plan.inputs.concat().into_pyarray(py).reshape([steps, inputs])?,
        gains.into_pyarray(py).reshape([plan.gains.len(), inputs, states])?,
        plan.cost,
        plan.status.is_converged(),
        plan.status.missed.clone(),
        plan.status.to_string(),
        others
            .into_iter()
            .map(|plan| (plan.cost, plan.status.is_converged(), plan.status.to_string()))
            .collect(),
    ))
}
