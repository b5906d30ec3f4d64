//! Plans.

use crate::system::Core;
use crate::watch::waited_for;
use nhi_control::{Dynamics, Options, Outcome, Plan, Problem, Quadratic, Sizes};
use nhi_jit::{Basis, Compiled, Derivatives, Error, Frame, Point, SecondDerivatives, Simulation};
use nhi_methods::Variant;
use nhi_runtime::Failure;
use numpy::{IntoPyArray, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A state x = (q, ν, z).
#[derive(Clone)]
struct State {
    q: Vec<f64>,
    nu: Vec<f64>,
    z: Vec<f64>,
}

/// The steps of a compiled method for a system of coordinates.
struct Steps {
    compiled: Compiled,
    variant: Variant,
    derivatives: Derivatives,
    second: SecondDerivatives,
    basis: Basis,
    parameters: Vec<f64>,
    h: f64,
    names: Vec<String>,
    sizes: Sizes,
    lambda: Vec<f64>,
}

/// Why a step cannot be taken.
fn failure(error: Error) -> Failure {
    match error {
        Error::Start { cause }
        | Error::Step { cause, .. }
        | Error::Derivatives { cause }
        | Error::Basis { cause } => cause,
        // Numbers that are not finite: lengths are right.
        _ => Failure::NonFinite,
    }
}

/// Rows times a vector.
fn product(rows: &[f64], x: &[f64]) -> Vec<f64> {
    rows.chunks(x.len().max(1)).map(|row| row.iter().zip(x).map(|(a, b)| a * b).sum()).collect()
}

impl Steps {
    fn frame(&self, q: &[f64], k: usize, u: &[f64]) -> Result<Frame, Failure> {
        let (t, parameters) = (k as f64 * self.h, &self.parameters[..]);
        self.basis.at(&Point { parameters, q, v: &[], z: &[], t, inputs: u }).map_err(failure)
    }

    /// v = X ν + v₀ before step `k`.
    fn velocity(&self, k: usize, x: &State, u: &[f64]) -> Result<Vec<f64>, Failure> {
        let Frame { basis, mut drift, .. } = self.frame(&x.q, k, u)?;
        if !x.nu.is_empty() {
            drift.iter_mut().zip(product(&basis, &x.nu)).for_each(|(v, by)| *v += by);
        }
        Ok(drift)
    }

    /// The state with an admissible velocity before step `k`.
    fn state(&self, k: usize, q: &[f64], v: &[f64]) -> Result<State, Failure> {
        let nu = product(&self.frame(q, k, &vec![0.0; self.sizes.inputs])?.dual, v);
        let z = vec![0.0; self.compiled.states().len()];
        Ok(State { q: q.to_vec(), nu, z })
    }

    fn at<T>(
        &self,
        k: usize,
        x: &State,
        u: &[f64],
        f: impl FnOnce(&Point<'_>) -> Result<T, Error>,
    ) -> Result<T, Failure> {
        let v = self.velocity(k, x, u)?;
        let (parameters, t) = (&self.parameters[..], k as f64 * self.h);
        f(&Point { parameters, q: &x.q, v: &v, z: &x.z, t, inputs: u }).map_err(failure)
    }
}

impl Dynamics for Steps {
    type State = State;

    fn sizes(&self) -> Sizes {
        self.sizes
    }

    fn entry(&self, i: usize) -> String {
        self.names[i].clone()
    }

    fn step(&self, k: usize, x: &State, u: &[f64]) -> Result<State, Failure> {
        let stepped = self.at(k, x, u, |at| {
            let mut simulation = Simulation::at_point(&self.compiled, self.variant, at, self.h)?;
            simulation.step()?;
            Ok(simulation)
        })?;
        let nu = product(&self.frame(stepped.q(), k + 1, u)?.dual, &stepped.v());
        Ok(State { q: stepped.q().to_vec(), nu, z: stepped.z().to_vec() })
    }

    fn linearize(&self, k: usize, x: &State, u: &[f64], ab: &mut [f64]) -> Result<(), Failure> {
        let linear = self.at(k, x, u, |at| self.derivatives.linearize(at, &self.lambda, self.h))?;
        let Sizes { states, inputs } = self.sizes;
        for (i, row) in ab.chunks_exact_mut(states + inputs).enumerate() {
            let (of_state, of_inputs) = row.split_at_mut(states);
            of_state.copy_from_slice(&linear.a[i * states..(i + 1) * states]);
            of_inputs.copy_from_slice(&linear.b[i * inputs..(i + 1) * inputs]);
        }
        Ok(())
    }

    fn curvature(
        &self,
        k: usize,
        x: &State,
        u: &[f64],
        w: &[f64],
        hessian: &mut [f64],
    ) -> Result<(), Failure> {
        let second = self.at(k, x, u, |at| self.second.curvature(at, &self.lambda, self.h, w))?;
        hessian.iter_mut().zip(second.matrix()).for_each(|(to, by)| *to += by);
        Ok(())
    }

    fn retract(&self, x: &State, delta: &[f64]) -> State {
        let mut moved = x.clone();
        let entries = moved.q.iter_mut().chain(&mut moved.nu).chain(&mut moved.z);
        entries.zip(delta).for_each(|(x, by)| *x += by);
        moved
    }

    fn difference(&self, from: &State, to: &State, delta: &mut [f64]) {
        let all = |x: &State| [&x.q[..], &x.nu, &x.z].concat();
        for ((delta, a), b) in delta.iter_mut().zip(all(to)).zip(all(from)) {
            *delta = a - b;
        }
    }
}

/// q, v and u of a plan, gains, cost, whether it has converged, what it cannot meet, and the status in words.
type Planned<'py> = (
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray3<f64>>,
    f64,
    bool,
    Vec<(String, f64)>,
    String,
);

/// The motion of least ½ h Σ rⱼ uⱼ² from (q0, v0) to the entries of (q1, v1) that are numbers; bounds may be infinite. Arrays have
/// the lengths of the system, those of bounds of the coordinates and inputs.
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
    weights: PyReadonlyArray1<'py, f64>,
    input_bounds: (PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, f64>),
    bounds: (PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, f64>),
    guess: Option<Vec<Vec<f64>>>,
) -> PyResult<Planned<'py>> {
    let owned = |array: &PyReadonlyArray1<'_, f64>| array.as_slice().map(<[f64]>::to_vec);
    let core = core.get();
    let (compiled, variant) = core.compiled(py, method)?;
    if core.system.group().is_some() {
        let message = "a system with a pose is planned in Rust, by the crate nhi-control";
        return Err(PyValueError::new_err(message));
    }
    let (derivatives, second, basis) =
        (core.derivatives(py, variant)?, core.second_derivatives(py, variant)?, core.basis_of(py)?);
    let [n, d] = basis.sizes();
    let names = core.system.coordinates().iter().cloned();
    let names = names.chain((0..d).map(|i| format!("nu[{i}]"))).chain(core.system.states().iter().cloned());
    let names: Vec<String> = names.collect();
    let sizes = Sizes { states: names.len(), inputs: core.system.inputs().len() };
    let lambda = vec![0.0; core.system.constraints().len()];
    let parameters = owned(&parameters)?;
    let dynamics =
        Steps { compiled, variant, derivatives, second, basis, parameters, h, names, sizes, lambda };
    let drift = |u: f64| dynamics.frame(&vec![0.0; n], 0, &vec![u; sizes.inputs]).map(|frame| frame.drift);
    if matches!((drift(0.0), drift(1.0)), (Ok(none), Ok(some)) if none != some) {
        return Err(PyValueError::new_err("inputs must not drive constraints: a velocity would be no state"));
    }
    let named = |name: &'static str| move |cause: Failure| PyValueError::new_err(format!("{name}: {cause}"));
    let begin = dynamics.state(0, &owned(&start_at.0)?, &owned(&start_at.1)?).map_err(named("q0"))?;
    let (q1, v1) = (owned(&end_at.0)?, end_at.1.as_ref().map(owned).transpose()?);
    let mut reached: Vec<usize> = (0..n).filter(|&i| !q1[i].is_nan()).collect();
    // Free coordinates are where the motion begins, for the basis there.
    let place: Vec<f64> =
        q1.iter().zip(&begin.q).map(|(&to, &from)| if to.is_nan() { from } else { to }).collect();
    let rest = vec![0.0; n];
    let end = dynamics.state(steps, &place, v1.as_ref().unwrap_or(&rest)).map_err(named("q1"))?;
    if v1.is_some() {
        reached.extend(n..n + d);
    }
    let weights: Vec<f64> = owned(&weights)?.iter().map(|r| r * h).collect();
    let [lower, upper] = [owned(&input_bounds.0)?, owned(&input_bounds.1)?];
    let [least, most] = [owned(&bounds.0)?, owned(&bounds.1)?];
    let solved = waited_for(py, move || {
        let bounded: Vec<usize> = (0..n).filter(|&i| least[i].is_finite() || most[i].is_finite()).collect();
        let of = |all: &[f64]| bounded.iter().map(|&i| all[i]).collect::<Vec<f64>>();
        let origin = State { q: vec![0.0; n], ..begin.clone() };
        let mut problem = Problem::new(&dynamics, steps, begin)
            .cost("effort", Quadratic::of_inputs(&weights))
            .reach_entries(end, &reached);
        if lower.iter().chain(&upper).any(|x| x.is_finite()) {
            problem = problem.bound_inputs(&lower, &upper);
        }
        if !bounded.is_empty() {
            problem = problem.bound_entries(origin, &bounded, (&of(&least), &of(&most)));
        }
        if let Some(inputs) = guess {
            problem = problem.guess_inputs(inputs);
        }
        let plan = problem.solve(&Options::default()).map_err(|error| error.to_string())?;
        let v = plan.states.iter().enumerate().map(|(k, x)| {
            let u = plan.inputs.get(k).or(plan.inputs.last());
            dynamics.velocity(k, x, u.map_or(&[], Vec::as_slice)).map_err(|cause| cause.to_string())
        });
        let v = v.collect::<Result<Vec<_>, String>>()?;
        Ok((plan, v))
    })?;
    let (plan, v): (Plan<State>, Vec<Vec<f64>>) =
        solved.map_err(|error: String| PyValueError::new_err(error))?;
    let q: Vec<f64> = plan.states.iter().flat_map(|x| x.q.iter().copied()).collect();
    let gains: Vec<f64> =
        plan.gains.iter().flat_map(|k| k.transpose().iter().copied().collect::<Vec<f64>>()).collect();
    let cannot = match &plan.status.outcome {
        Outcome::CannotMeet(violated) => violated.clone(),
        _ => Vec::new(),
    };
    let (inputs, states) = (sizes.inputs, sizes.states);
    Ok((
        q.into_pyarray(py).reshape([steps + 1, n])?,
        v.concat().into_pyarray(py).reshape([steps + 1, n])?,
        plan.inputs.concat().into_pyarray(py).reshape([steps, inputs])?,
        gains.into_pyarray(py).reshape([plan.gains.len(), inputs, states])?,
        plan.cost,
        plan.status.is_converged(),
        cannot,
        plan.status.to_string(),
    ))
}
