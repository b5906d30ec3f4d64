//! Simulations.

use crate::control::array as columns;
use crate::error::{simulation as raised, start};
use crate::system::Core;
use crate::watch::{Watch, waited_for};
use nhi_jit::{Derivatives, Simulation as Steps};
use nhi_run::control::linear;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

/// The integration of one trajectory, step by step. `System.simulation` makes one.
///
/// After k steps the time is t = k h. Inputs are held: every step uses those that were given last. A simulation belongs to
/// one thread at a time; several simulations can run at once.
#[pyclass(module = "nhi._nhi")]
pub(crate) struct Simulation {
    core: Py<Core>,
    steps: Steps,
}

impl Simulation {
    pub(crate) fn new(core: Py<Core>, steps: Steps) -> Simulation {
        Simulation { core, steps }
    }

    fn derivatives(&self, py: Python<'_>) -> PyResult<Derivatives> {
        self.core.get().derivatives(py, self.steps.variant())
    }
}

/// Two matrices.
type Matrices<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>);

/// A matrix given by rows as an array of its own.
fn matrix<'py>(py: Python<'py>, rows: &[f64], shape: [usize; 2]) -> PyResult<Bound<'py, PyArray2<f64>>> {
    PyArray1::from_slice(py, rows).reshape(shape)
}

/// Numbers as an array of their own.
fn array<'py>(py: Python<'py>, numbers: &[f64]) -> Bound<'py, PyArray1<f64>> {
    PyArray1::from_slice(py, numbers)
}

/// The numbers of an array, which is quick, or of another sequence.
fn numbers(argument: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    if let Ok(array) = given.cast::<PyArray1<f64>>()
        && let Ok(numbers) = array.readonly().to_vec()
    {
        return Ok(numbers);
    }
    given
        .extract()
        .map_err(|error: PyErr| PyValueError::new_err(format!("{argument}: expected numbers: {error}")))
}

#[pymethods]
impl Simulation {
    /// Takes one step, with these inputs if they are given.
    ///
    /// Raises `StepError` for a step that fails, and `ValueError` for inputs of a wrong number; the simulation is unchanged.
    #[pyo3(signature = (inputs = None))]
    fn step(&mut self, py: Python<'_>, inputs: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let stepped = match inputs {
            None => self.steps.step(),
            Some(inputs) => self.steps.step_with(&numbers("inputs", inputs)?),
        };
        stepped.map_err(|error| raised(py, &error))
    }

    /// Takes `steps` steps with the inputs held, without the interpreter lock.
    ///
    /// Raises `StepError` for a step that fails; the simulation is in the state before that step. After a
    /// `KeyboardInterrupt` it is in the state after some whole number of steps.
    #[pyo3(signature = (steps, inputs = None))]
    fn advance(&mut self, py: Python<'_>, steps: u64, inputs: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        if let Some(inputs) = inputs {
            self.steps.set_inputs(&numbers("inputs", inputs)?).map_err(|error| raised(py, &error))?;
        }
        let simulation = &mut self.steps;
        py.detach(|| {
            Watch::new(None).rounds(steps, |count| {
                simulation.advance(count).map_err(|error| Python::attach(|py| raised(py, &error)))
            })
        })
    }

    /// Time, in the unit of `h`.
    #[getter]
    fn t(&self) -> f64 {
        self.steps.time()
    }

    /// Number of steps taken.
    #[getter]
    fn steps(&self) -> u64 {
        self.steps.steps()
    }

    /// Step size.
    #[getter]
    fn h(&self) -> f64 {
        self.steps.h()
    }

    /// Id of the method.
    #[getter]
    fn method(&self) -> String {
        self.steps.variant().to_string()
    }

    /// What has been noticed of the steps: `safeguarded`, how many were solved by the safeguarded form of Newton's method only;
    /// `evaluations`, how often it evaluated equations; `ringing`, the velocities that changed their signs at every step; `unstable`,
    /// those that also grew.
    #[getter]
    fn statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let statistics = self.steps.statistics();
        let compiled = self.steps.compiled();
        let name = |i: usize| match &compiled.velocities()[i] {
            name if compiled.coordinates().contains(name) => format!("dot_{name}"),
            name => name.clone(),
        };
        let ringing: Vec<String> = statistics.ringing().map(name).collect();
        let unstable: Vec<String> = statistics.unstable().map(name).collect();
        let all = PyDict::new(py);
        all.set_item("safeguarded", statistics.safeguarded())?;
        all.set_item("evaluations", statistics.evaluations())?;
        all.set_item("ringing", ringing)?;
        all.set_item("unstable", unstable)?;
        Ok(all)
    }

    /// Configuration, shape (n,).
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array(py, self.steps.q())
    }

    /// Velocity dq/dt, with a group factor its body velocity last, shape (n,).
    #[getter]
    fn v<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array(py, &self.steps.v())
    }

    /// Auxiliary states, shape (number of them,).
    #[getter]
    fn z<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array(py, self.steps.z())
    }

    /// Momentum ∂L/∂v, shape of `v`.
    #[getter]
    fn p<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array(py, &self.steps.p())
    }

    /// Multipliers λ of the last step, shape (m,): the reaction is +μᵀλ.
    #[getter]
    fn multipliers<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array(py, self.steps.multipliers())
    }

    /// Reaction μᵀλ of the last step, a force or torque on every velocity, shape of `v`.
    #[getter]
    fn reaction<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array(py, &self.steps.reaction())
    }

    /// Energy ∂L/∂v · v − L.
    #[getter]
    fn energy(&self) -> f64 {
        self.steps.energy()
    }

    /// μ(q) v + μ₀(q) of the constraints, shape (m,).
    #[getter]
    fn residual<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array(py, &self.steps.residual())
    }

    /// g(q) of the position constraints.
    #[getter]
    fn position_residual<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array(py, &self.steps.position_residual())
    }

    /// The inputs that are held.
    #[getter]
    fn inputs<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array(py, self.steps.inputs())
    }

    /// dv/dt and the multipliers of the continuous equations at the present state and inputs.
    ///
    /// Raises `ValueError` where the equations are singular.
    #[allow(clippy::type_complexity, reason = "a pair of arrays")]
    fn acceleration<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>)> {
        let acceleration = self.steps.acceleration().map_err(|error| raised(py, &error))?;
        Ok((array(py, &acceleration.a), array(py, &acceleration.lambda)))
    }

    /// Names of the entries of x = (q, ν, z), of which `linearize` has the derivatives: those of velocities, `nu[0]` and so on, and
    /// those of auxiliary states.
    ///
    /// Raises `ValueError` for methods without derivatives.
    #[getter]
    fn entries(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let system = &self.core.get().system;
        let (velocities, states) = (system.velocities(), system.states());
        let d = self.derivatives(py)?.tangent_coordinates() - velocities.len() - states.len();
        let nu = (0..d).map(|i| format!("nu[{i}]"));
        Ok(velocities.iter().cloned().chain(nu).chain(states.iter().cloned()).collect())
    }

    /// A and B of the step just taken, x' = F(x, u) with x = (q, ν, z) and v = X ν + v₀: shapes (NX, NX) and (NX, number of
    /// inputs). `System.basis` has X; a pose has the tangent vectors g⁻¹ dg.
    ///
    /// Raises `ValueError` before the first step, and for methods without derivatives.
    fn linearize<'py>(&self, py: Python<'py>) -> PyResult<Matrices<'py>> {
        let derivatives = self.derivatives(py)?;
        let all = self.steps.linearize(&derivatives).map_err(|error| raised(py, &error))?;
        let (size, inputs) = (derivatives.tangent_coordinates(), self.steps.inputs().len());
        Ok((matrix(py, &all.a, [size, size])?, matrix(py, &all.b, [size, inputs])?))
    }

    /// Names, A and B of the step just taken, or of the continuous equations, by names of coordinates and velocities; see `nhi.linear`.
    #[pyo3(name = "_linear")]
    #[allow(clippy::type_complexity, reason = "three results")]
    fn linear<'py>(
        &self,
        py: Python<'py>,
        entries: Option<Vec<String>>,
        continuous: bool,
    ) -> PyResult<(Vec<String>, Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>)> {
        // Compiled where it can be interrupted.
        self.derivatives(py)?;
        let system = self.core.get().system.clone();
        let steps = self.steps.clone();
        let found = waited_for(py, move || {
            let entries: Option<Vec<&str>> =
                entries.as_ref().map(|entries| entries.iter().map(String::as_str).collect());
            linear(&system, &steps, entries.as_deref(), continuous)
        })?;
        let found = found.map_err(|error| start(py, &error))?;
        Ok((found.names, columns(py, &found.a)?, columns(py, &found.b)?))
    }

    /// ∂λ'/∂x and ∂λ'/∂u of the step just taken: shapes (m, NX) and (m, number of inputs).
    ///
    /// Raises `ValueError` as `linearize`.
    fn linearize_multipliers<'py>(&self, py: Python<'py>) -> PyResult<Matrices<'py>> {
        let derivatives = self.derivatives(py)?;
        let all = self.steps.linearize(&derivatives).map_err(|error| raised(py, &error))?;
        let (size, inputs) = (derivatives.tangent_coordinates(), self.steps.inputs().len());
        let m = self.steps.multipliers().len();
        Ok((matrix(py, &all.lambda_x, [m, size])?, matrix(py, &all.lambda_u, [m, inputs])?))
    }

    /// C = ∂x'/∂p and ∂x'/∂h of the step just taken: shapes (NX, number of parameters) and (NX,).
    ///
    /// Raises `ValueError` as `linearize`.
    #[allow(clippy::type_complexity, reason = "a pair of arrays")]
    fn linearize_parameters<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>)> {
        let derivatives = self.derivatives(py)?;
        let all = self.steps.linearize_parameters(&derivatives).map_err(|error| raised(py, &error))?;
        let shape = [derivatives.tangent_coordinates(), self.steps.parameters().len()];
        Ok((matrix(py, &all.c, shape)?, array(py, &all.h)))
    }

    /// wᵀA, wᵀB, wᵀC and wᵀ∂x'/∂h of the step just taken, for w of shape (NX,): of the shapes (NX,), (number of inputs,),
    /// (number of parameters,), and a number.
    ///
    /// Raises `ValueError` as `linearize`, and for w of another length.
    #[allow(clippy::type_complexity, reason = "four results")]
    fn pull_back<'py>(
        &self,
        py: Python<'py>,
        w: &Bound<'_, PyAny>,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, f64)>
    {
        let (derivatives, w) = (self.derivatives(py)?, numbers("w", w)?);
        let all = self.steps.pull_back(&derivatives, &w).map_err(|error| raised(py, &error))?;
        Ok((array(py, &all.a), array(py, &all.b), array(py, &all.c), all.h))
    }

    /// The second derivatives of w·x' by (x, u), of the step just taken, for w of shape (NX,): a symmetric matrix of shape
    /// (NX + K, NX + K) for K inputs. Poses are displaced by exponentials, at both ends of the step.
    ///
    /// Raises `ValueError` as `pull_back`.
    fn curvature<'py>(&self, py: Python<'py>, w: &Bound<'_, PyAny>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let derivatives = self.core.get().second_derivatives(py, self.steps.variant())?;
        let columns = derivatives.tangent_coordinates() + self.steps.inputs().len();
        let all = self.steps.curvature(&derivatives, &numbers("w", w)?);
        let entries = all.map_err(|error| raised(py, &error))?.matrix();
        matrix(py, &entries, [columns, columns])
    }

    /// Residuals of the momentum equations of the next step by the mid-point rule, by name:
    /// (J(t + h) − J(t))/h − dJ/dt at the mean of both states, of the momenta p·ξ along which L does not change and no force
    /// acts, such as `p_x`, and of the nonholonomic momenta `J_1`, `J_2`, … of a group. The simulation remains in its state.
    ///
    /// They are rounding errors for symmetries that the method keeps, and O(h²) for others, of methods of order 2.
    /// Raises `StepError` where the step fails and `ValueError` where the equations are singular.
    fn momentum_residuals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let residuals = self.steps.momentum_residuals().map_err(|error| raised(py, &error))?;
        let found = PyDict::new(py);
        for (name, residual) in residuals {
            found.set_item(name, residual)?;
        }
        Ok(found)
    }

    fn __repr__(&self) -> String {
        let Simulation { core, steps } = self;
        let (name, method) = (core.get().system.name(), steps.variant());
        format!("<nhi.Simulation of {name} by {method}: {} steps, t = {}>", steps.steps(), steps.time())
    }

    /// Declaration and numbers: unpickled, the simulation goes on with the same bits.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let py = slf.py();
        let Simulation { core, steps } = &*slf.borrow();
        let (parameters, inputs) = (array(py, steps.parameters()), array(py, steps.inputs()));
        let state = (steps.h(), array(py, steps.numbers()), steps.steps());
        let arguments = (core.clone_ref(py), steps.variant().to_string(), parameters, inputs, state);
        Ok((slf.get_type().getattr("_of")?, arguments.into_pyobject(py)?.into_any()))
    }

    #[classmethod]
    fn _of(
        class: &Bound<'_, PyType>,
        core: Py<Core>,
        method: &str,
        parameters: PyReadonlyArray1<'_, f64>,
        inputs: PyReadonlyArray1<'_, f64>,
        state: (f64, PyReadonlyArray1<'_, f64>, u64),
    ) -> PyResult<Simulation> {
        let py = class.py();
        let (compiled, variant) = core.get().compiled(py, method)?;
        let (parameters, inputs, (h, numbers, steps)) = (parameters.as_slice()?, inputs.as_slice()?, state);
        let restored = Steps::restore(&compiled, variant, parameters, inputs, h, numbers.as_slice()?, steps);
        Ok(Simulation { core, steps: restored.map_err(|error| raised(py, &error))? })
    }
}
