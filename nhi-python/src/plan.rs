//! Plans.

use crate::control::stacked;
use crate::error::{declaration, start};
use crate::recording::{BodyFacts, Recording, Shown, bodies};
use crate::system::Core;
use crate::watch::waited_for;
use nhi_run::Bodies;
use nhi_run::control::{Condition, Controller, Cost, Guess, Options, Planned, Planning, TimedPlan};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Mutex, PoisonError};

/// What is minimised.
#[derive(FromPyObject)]
pub(crate) enum Objective {
    /// A text.
    Text(String),
    /// Weights of the squares of inputs.
    Weights(Vec<f64>),
}

/// The problem of the motion of least cost between two states. Bounds may be infinite, entries at the end NaN where they are free.
#[pyclass(frozen, module = "nhi._nhi")]
pub(crate) struct Problem {
    planning: Planning,
}

/// Configurations, velocities and inputs by rows, of a start guess.
type Rows = (Vec<Vec<f64>>, Vec<Vec<f64>>, Vec<Vec<f64>>);

#[pymethods]
impl Problem {
    #[new]
    #[allow(clippy::too_many_arguments, reason = "the facts of a problem, as Python passes them")]
    fn new(
        py: Python<'_>,
        core: Py<Core>,
        method: Option<&str>,
        parameters: PyReadonlyArray1<'_, f64>,
        start_at: (PyReadonlyArray1<'_, f64>, Option<PyReadonlyArray1<'_, f64>>),
        end_at: (PyReadonlyArray1<'_, f64>, Option<PyReadonlyArray1<'_, f64>>),
        h: f64,
        steps: usize,
        cost: Objective,
        final_cost: Option<String>,
        bounds: Vec<(String, [f64; 2])>,
        conditions: Vec<(String, f64, usize)>,
        guess: Rows,
        options: (f64, usize, f64),
    ) -> PyResult<Problem> {
        let owned = |array: &PyReadonlyArray1<'_, f64>| array.as_slice().map(<[f64]>::to_vec);
        let system = core.get().system.clone();
        let variant =
            method.map(|method| system.variant(method)).transpose().map_err(|error| start(py, &error))?;
        let (q, v, inputs) = guess;
        let (tolerance, iterations, barrier) = options;
        let planning = Planning {
            variant,
            parameters: owned(&parameters)?,
            q0: owned(&start_at.0)?,
            v0: start_at.1.as_ref().map(owned).transpose()?.unwrap_or_default(),
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
            conditions: conditions
                .into_iter()
                .map(|(text, value, step)| Condition { text, value, step })
                .collect(),
            guess: if q.is_empty() { Guess::Inputs(inputs) } else { Guess::Motion { q, v, inputs } },
            options: Options { tolerance, iterations, barrier },
            system,
        };
        Ok(Problem { planning })
    }

    /// The best plan from some start guesses, and the others.
    #[allow(clippy::type_complexity, reason = "two results")]
    fn solve<'py>(
        &self,
        py: Python<'py>,
        starts: usize,
    ) -> PyResult<(Bound<'py, PyDict>, Vec<Bound<'py, PyDict>>)> {
        let planning = self.planning.clone();
        let solved = waited_for(py, move || planning.solve(starts))?;
        let (best, others) = solved.map_err(|error| start(py, &error))?;
        let others = others.into_iter().map(|other| self.facts(py, other)).collect::<PyResult<_>>()?;
        Ok((self.facts(py, best)?, others))
    }

    /// The plan whose time is free, the time, the derivative of the cost by it, and the number of solutions.
    fn free_time<'py>(
        &self,
        py: Python<'py>,
        times: [f64; 2],
        price: f64,
    ) -> PyResult<(Bound<'py, PyDict>, f64, f64, usize)> {
        let planning = self.planning.clone();
        let solved = waited_for(py, move || planning.free_time(times, price))?;
        let TimedPlan { time, planned, derivative, solutions } = solved.map_err(|error| start(py, &error))?;
        Ok((self.facts(py, planned)?, time, derivative, solutions))
    }

    /// The motion of a plan in velocities, of configurations, velocities and inputs.
    fn recording(&self, py: Python<'_>, rows: Rows, h: f64, drawn: Vec<BodyFacts>) -> PyResult<Recording> {
        let (q, v, inputs) = rows;
        let mut inner = self.planning.recording([&q, &v, &inputs], h);
        let read =
            Bodies::of(&self.planning.system, &bodies(drawn)?).map_err(|error| declaration(py, &error))?;
        read.place(&mut inner);
        Ok(Recording { inner, shown: Shown::Recorded })
    }
}

/// Rows of equal lengths as an array.
fn rows<'py>(py: Python<'py>, rows: &[Vec<f64>], columns: usize) -> PyResult<Bound<'py, PyArray2<f64>>> {
    rows.concat().into_pyarray(py).reshape([rows.len(), columns])
}

/// Numbers by names, in their order.
fn by_name<'py>(py: Python<'py>, named: &[(String, f64)]) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    named.iter().try_for_each(|(name, number)| all.set_item(name, number))?;
    Ok(all)
}

/// The configurations of some states.
fn places(states: &[nhi_run::control::State]) -> Vec<Vec<f64>> {
    states.iter().map(|x| x.q.clone()).collect()
}

impl Problem {
    /// The fields of `nhi.Plan`, by name.
    fn facts<'py>(&self, py: Python<'py>, planned: Planned) -> PyResult<Bound<'py, PyDict>> {
        let Planned { plan, v } = planned;
        let [n, m] = [self.planning.system.coordinates(), self.planning.system.velocities()].map(<[_]>::len);
        let inputs = plan.inputs.first().map_or(0, Vec::len);
        let x = &plan.states[0];
        let states = m + x.nu.len() + x.z.len();
        let facts = PyDict::new(py);
        facts.set_item("q", rows(py, &places(&plan.states), n)?)?;
        facts.set_item("v", rows(py, &v, m)?)?;
        facts.set_item("inputs", rows(py, &plan.inputs, inputs)?)?;
        facts.set_item("gains", stacked(py, &plan.gains, [inputs, states])?)?;
        facts.set_item("costates", rows(py, &plan.costates, states)?)?;
        facts.set_item("multipliers", by_name(py, &plan.multipliers)?)?;
        facts.set_item("cost", plan.cost)?;
        let status = &plan.status;
        facts.set_item("converged", status.is_converged())?;
        facts.set_item("is_minimum", status.is_minimum)?;
        facts.set_item("cannot_meet", by_name(py, &status.missed)?)?;
        let unchanged = status.dependent.iter().map(|combination| by_name(py, combination));
        facts.set_item("unchanged", unchanged.collect::<PyResult<Vec<_>>>()?)?;
        facts.set_item("iterations", status.iterations)?;
        facts.set_item("residuals", status.history.clone().into_pyarray(py))?;
        facts.set_item("status", status.to_string())?;
        Ok(facts)
    }
}

/// The input, the number of its step, iterations, why there is no new plan, and configurations and inputs of the plan.
type Reply<'py> = (
    Bound<'py, PyArray1<f64>>,
    usize,
    usize,
    Option<String>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
);

/// Feedback by repeated planning.
#[pyclass(frozen, module = "nhi._nhi")]
pub(crate) struct Mpc {
    controller: Mutex<Controller>,
}

#[pymethods]
impl Mpc {
    #[new]
    fn new(py: Python<'_>, problem: &Problem) -> PyResult<Mpc> {
        let planning = problem.planning.clone();
        let controller = waited_for(py, move || Controller::new(&planning))?;
        Ok(Mpc { controller: Mutex::new(controller.map_err(|error| start(py, &error))?) })
    }

    /// The input for a measured state.
    fn step<'py>(
        &self,
        py: Python<'py>,
        q: PyReadonlyArray1<'py, f64>,
        v: PyReadonlyArray1<'py, f64>,
        z: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Reply<'py>> {
        let (q, v, z) = (q.as_slice()?, v.as_slice()?, z.as_slice()?);
        let answer =
            py.detach(|| self.controller.lock().unwrap_or_else(PoisonError::into_inner).step(q, v, z));
        let answer = answer.map_err(|error| start(py, &error))?;
        let columns = answer.input.len();
        Ok((
            answer.input.into_pyarray(py),
            answer.step,
            answer.iterations,
            answer.failure.map(|cause| cause.to_string()),
            rows(py, &places(&answer.states), q.len())?,
            rows(py, &answer.inputs, columns)?,
        ))
    }
}
