//! Declared systems.

use crate::error::{self, declaration, start};
use crate::recording::{BodyFacts, Recording, Shown, bodies};
use crate::report::Report;
use crate::simulation::Simulation;
use crate::text::{Composed, Piece};
use crate::watch::{Watch, waited_for};
use nhi_jit::{Basis, Compiled, Derivatives, Point, SecondDerivatives};
use nhi_methods::{Method, Variant};
use nhi_run::model::MODELS;
use nhi_run::{Bodies, Events, Inputs, Run, Scheme, Stop, System};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

/// A declared system. Arguments have the lengths of the system: `python/nhi` checks them.
#[pyclass(frozen, module = "nhi._nhi")]
pub(crate) struct Core {
    pub(crate) system: System,
    pieces: Vec<Piece>,
    file: String,
    name: Option<String>,
    /// What is compiled.
    ready: Mutex<HashSet<Part>>,
}

/// What is compiled of a system, one by one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Part {
    Functions,
    Basis,
    BasisDerivative,
    Steps(Variant),
    Derivatives(Variant),
    SecondDerivatives(Variant),
}

/// Samples and the exception that ended the run.
type RunResult = (Recording, Option<Py<PyAny>>);

/// X, v₀ and Y.
type Frame<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>);

/// q, ν and z of a state.
type State<'py> = [Bound<'py, PyArray1<f64>>; 3];

/// The same as arguments.
type NumpyState<'py> = (PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, f64>);

/// The numbers in the parts of a state.
fn parts<'a>((q, nu, z): &'a NumpyState<'_>) -> PyResult<[&'a [f64]; 3]> {
    Ok([q.as_slice()?, nu.as_slice()?, z.as_slice()?])
}

impl Core {
    /// The compiled derivatives of the steps of a method.
    pub(crate) fn derivatives(&self, py: Python<'_>, variant: Variant) -> PyResult<Derivatives> {
        self.made(py, Part::Derivatives(variant), move |system| system.derivatives(variant))
    }

    /// The compiled second derivatives of the steps of a method.
    pub(crate) fn second_derivatives(&self, py: Python<'_>, variant: Variant) -> PyResult<SecondDerivatives> {
        self.made(py, Part::SecondDerivatives(variant), move |system| system.second_derivatives(variant))
    }

    /// The compiled steps of a method.
    pub(crate) fn compiled(&self, py: Python<'_>, method: &str) -> PyResult<(Compiled, Variant)> {
        let variant = self.system.variant(method).map_err(|error| start(py, &error))?;
        let compiled = self.made(py, Part::Steps(variant), move |system| system.compiled(variant))?;
        Ok((compiled, variant))
    }

    /// The compiled basis of the admissible velocities.
    pub(crate) fn basis_of(&self, py: Python<'_>) -> PyResult<Basis> {
        self.made(py, Part::Basis, System::basis)
    }

    /// The compiled functions of the system.
    fn functions(&self, py: Python<'_>) -> PyResult<Compiled> {
        self.made(py, Part::Functions, System::functions)
    }

    /// A compiled part. Only its compilation takes a thread, which can be interrupted.
    fn made<T: Send + 'static>(
        &self,
        py: Python<'_>,
        part: Part,
        make: impl FnOnce(&System) -> Result<T, nhi_run::Error> + Send + 'static,
    ) -> PyResult<T> {
        let ready = || self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        let made = if ready().contains(&part) {
            make(&self.system)
        } else {
            let system = self.system.clone();
            waited_for(py, move || make(&system))?
        };
        let made = made.map_err(|error| start(py, &error))?;
        ready().insert(part);
        Ok(made)
    }

    /// What `function` computes at each row of `q` and `v`, one after the other.
    fn rows(
        &self,
        py: Python<'_>,
        [parameters, inputs, z]: [&PyReadonlyArray1<'_, f64>; 3],
        [q, v]: [&PyReadonlyArray2<'_, f64>; 2],
        t: f64,
        function: impl Fn(&Compiled, &Point<'_>, &mut Vec<f64>) -> Result<(), String> + Sync,
    ) -> PyResult<Vec<f64>> {
        let (parameters, inputs, z) = (parameters.as_slice()?, inputs.as_slice()?, z.as_slice()?);
        let (n, m) = (self.system.coordinates().len(), self.system.velocities().len());
        let (q, v) = (q.as_slice()?, v.as_slice()?);
        let functions = self.functions(py)?;
        let computed = py.detach(|| {
            let mut all = Vec::new();
            for (q, v) in q.chunks(n).zip(v.chunks(m)) {
                function(&functions, &Point { parameters, q, v, z, t, inputs }, &mut all)?;
            }
            Ok(all)
        });
        computed.map_err(|message: String| PyValueError::new_err(format!("q: {message}")))
    }
}

#[pymethods]
#[allow(clippy::too_many_arguments, reason = "the facts of a point or a run, as Python passes them")]
impl Core {
    /// Reads and derives the declaration that the pieces make, which stands for the text of `file`.
    #[new]
    fn new(py: Python<'_>, pieces: Vec<Piece>, file: String, name: Option<String>) -> PyResult<Core> {
        let (own_pieces, own_file, own_name) = (pieces.clone(), file.clone(), name.clone());
        let read = waited_for(py, move || {
            let composed = Composed::new(&own_pieces);
            composed.check()?;
            System::parse(&composed.text, &own_file, own_name.as_deref())
                .map_err(|error| composed.in_arguments(error))
        })?;
        let system = read.map_err(|error| declaration(py, &error))?;
        Ok(Core { system, pieces, file, name, ready: Mutex::default() })
    }

    /// The declaration: unpickled, the system is derived once in each process.
    #[allow(clippy::type_complexity, reason = "a tuple for pickle")]
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Vec<Piece>, &str, Option<&str>))> {
        let make = py.import("nhi._declaration")?.getattr("unpickled")?;
        Ok((make, (self.pieces.clone(), &self.file, self.name.as_deref())))
    }

    #[getter]
    fn name(&self) -> &str {
        self.system.name()
    }

    #[getter]
    fn source(&self) -> &str {
        self.system.source()
    }

    #[getter]
    fn fingerprint(&self) -> &str {
        self.system.fingerprint()
    }

    #[getter]
    fn parameters(&self) -> Vec<String> {
        self.system.parameters().to_vec()
    }

    #[getter]
    fn coordinates(&self) -> Vec<String> {
        self.system.coordinates().to_vec()
    }

    #[getter]
    fn velocities(&self) -> Vec<String> {
        self.system.velocities().to_vec()
    }

    #[getter]
    fn inputs(&self) -> Vec<String> {
        self.system.inputs().to_vec()
    }

    #[getter]
    fn states(&self) -> Vec<String> {
        self.system.states().to_vec()
    }

    #[getter]
    fn constraints(&self) -> Vec<String> {
        self.system.constraints().to_vec()
    }

    /// Ids of the methods that apply.
    #[getter]
    fn methods(&self) -> Vec<&'static str> {
        self.system.methods().map(|method| method.facts().id).collect()
    }

    /// Id of the method that is used if none is named: the recommended one of those that are declared.
    #[getter]
    fn default_method(&self) -> &'static str {
        let declared = self.system.declared();
        let recommended = [Method::Dla2, Method::DlaRattle, Method::Rdp];
        let found = recommended.iter().find(|method| declared.contains(method));
        found.unwrap_or(&declared[0]).facts().id
    }

    /// Energies, shape (N,), at configurations and velocities of shape (N, n).
    fn energy<'py>(
        &self,
        py: Python<'py>,
        parameters: PyReadonlyArray1<'py, f64>,
        q: PyReadonlyArray2<'py, f64>,
        v: PyReadonlyArray2<'py, f64>,
        t: f64,
        inputs: PyReadonlyArray1<'py, f64>,
        z: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let all = self.rows(py, [&parameters, &inputs, &z], [&q, &v], t, |functions, at, all| {
            all.push(functions.energy(at));
            Ok(())
        })?;
        Ok(all.into_pyarray(py))
    }

    /// Admissible velocities, shape (N, n).
    fn project<'py>(
        &self,
        py: Python<'py>,
        parameters: PyReadonlyArray1<'py, f64>,
        q: PyReadonlyArray2<'py, f64>,
        v: PyReadonlyArray2<'py, f64>,
        t: f64,
        inputs: PyReadonlyArray1<'py, f64>,
        z: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let all = self.rows(py, [&parameters, &inputs, &z], [&q, &v], t, |functions, at, all| {
            all.extend(functions.project(at).map_err(|failure| failure.to_string())?);
            Ok(())
        })?;
        let m = self.system.velocities().len();
        let rows = all.len() / m;
        all.into_pyarray(py).reshape([rows, m])
    }

    /// dv/dt and multipliers side by side, shape (N, n + m).
    fn acceleration<'py>(
        &self,
        py: Python<'py>,
        parameters: PyReadonlyArray1<'py, f64>,
        q: PyReadonlyArray2<'py, f64>,
        v: PyReadonlyArray2<'py, f64>,
        t: f64,
        inputs: PyReadonlyArray1<'py, f64>,
        z: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let all = self.rows(py, [&parameters, &inputs, &z], [&q, &v], t, |functions, at, all| {
            let acceleration = functions.acceleration(at).map_err(|failure| failure.to_string())?;
            all.extend(acceleration.a);
            all.extend(acceleration.lambda);
            Ok(())
        })?;
        let width = self.system.velocities().len() + self.system.constraints().len();
        let rows = all.len() / width;
        all.into_pyarray(py).reshape([rows, width])
    }

    /// X, shape (n, d), v₀, shape (n,), and Y, shape (d, n), of v = X ν + v₀ and ν = Y v.
    fn basis<'py>(
        &self,
        py: Python<'py>,
        parameters: PyReadonlyArray1<'py, f64>,
        q: PyReadonlyArray1<'py, f64>,
        t: f64,
        inputs: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Frame<'py>> {
        let basis = self.basis_of(py)?;
        let (parameters, q, inputs) = (parameters.as_slice()?, q.as_slice()?, inputs.as_slice()?);
        let at = Point { parameters, q, v: &[], z: &[], t, inputs };
        let frame = basis.at(&at).map_err(|error| PyValueError::new_err(format!("q: {error}")))?;
        let [n, d] = basis.sizes();
        let (x, y) = (frame.basis.into_pyarray(py), frame.dual.into_pyarray(py));
        Ok((x.reshape([n, d])?, frame.drift.into_pyarray(py), y.reshape([d, n])?))
    }

    /// ∂(X ν + v₀)/∂q, shape (n, n).
    #[allow(clippy::too_many_arguments, reason = "the facts of a state, as Python passes them")]
    fn basis_derivative<'py>(
        &self,
        py: Python<'py>,
        parameters: PyReadonlyArray1<'py, f64>,
        q: PyReadonlyArray1<'py, f64>,
        nu: PyReadonlyArray1<'py, f64>,
        t: f64,
        inputs: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let [n, d] = self.basis_of(py)?.sizes();
        let nu = nu.as_slice()?;
        if nu.len() != d {
            return Err(PyValueError::new_err(format!("nu: expected shape ({d},), found ({},)", nu.len())));
        }
        let derivative = self.made(py, Part::BasisDerivative, System::basis_derivative)?;
        let (parameters, q, inputs) = (parameters.as_slice()?, q.as_slice()?, inputs.as_slice()?);
        let at = Point { parameters, q, v: &[], z: &[], t, inputs };
        let matrix = derivative.at(&at, nu).map_err(|error| PyValueError::new_err(format!("q: {error}")))?;
        matrix.into_pyarray(py).reshape([n, n])
    }

    /// x ⊕ δ.
    fn retract<'py>(
        &self,
        py: Python<'py>,
        x: NumpyState<'py>,
        delta: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<State<'py>> {
        let moved = self.system.manifold().retract(parts(&x)?, delta.as_slice()?);
        Ok(moved.map(|part| part.into_pyarray(py)))
    }

    /// `end` ⊖ `start`.
    fn difference<'py>(
        &self,
        py: Python<'py>,
        start: NumpyState<'py>,
        end: NumpyState<'py>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(self.system.manifold().difference(parts(&start)?, parts(&end)?).into_pyarray(py))
    }

    /// What to say before the steps of a method are derived and compiled, if that takes long. Nothing for a method that is compiled,
    /// or does not apply.
    fn forewarning(&self, py: Python<'_>, method: &str) -> PyResult<Option<String>> {
        let Ok(variant) = self.system.variant(method) else { return Ok(None) };
        let ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner).contains(&Part::Steps(variant));
        if ready {
            return Ok(None);
        }
        let system = self.system.clone();
        // Compilation meets the same error, and raises it.
        waited_for(py, move || system.forewarning(variant).unwrap_or_default())
    }

    /// What to say about parameters and inputs that neither the declaration nor one of these texts uses.
    fn unused(&self, texts: Vec<String>) -> Option<String> {
        self.system.unused(texts.iter().map(String::as_str))
    }

    /// Compiles the functions of the system and the steps of a method, unless they are.
    fn prepare(&self, py: Python<'_>, method: &str) -> PyResult<()> {
        self.functions(py)?;
        self.compiled(py, method).map(|_| ())
    }

    /// The derivation for people.
    fn report(&self, py: Python<'_>) -> PyResult<Report> {
        let system = self.system.clone();
        let report = waited_for(py, move || system.report())?.map_err(|error| start(py, &error))?;
        Ok(Report { inner: report })
    }

    /// The Lagrangian and the constraints, typeset.
    fn summary(&self, py: Python<'_>) -> PyResult<Report> {
        let summary = py.detach(|| self.system.summary()).map_err(|error| start(py, &error))?;
        Ok(Report { inner: summary })
    }

    /// A run's samples, and the exception that ended it before its last step. `inputs` has one row, which is held, or a row
    /// per step. With a tolerance, `h` is the time from one sample to the next, and `end` that of the last one; without an end, there
    /// are as many as `steps`.
    fn record(
        &self,
        py: Python<'_>,
        method: &str,
        parameters: PyReadonlyArray1<'_, f64>,
        q0: PyReadonlyArray1<'_, f64>,
        v0: PyReadonlyArray1<'_, f64>,
        z0: PyReadonlyArray1<'_, f64>,
        inputs: PyReadonlyArray2<'_, f64>,
        is_held: bool,
        h: f64,
        steps: u64,
        every: u64,
        project: bool,
        progress: Option<Py<PyAny>>,
        until: Option<&str>,
        recorded: Vec<(String, String)>,
        drawn: Vec<BodyFacts>,
        tolerance: Option<f64>,
        end: Option<f64>,
    ) -> PyResult<RunResult> {
        let shown = match bodies(drawn)?.as_slice() {
            [] => Shown::Declared(self.system.clone()),
            bodies => Shown::Given(Box::new(
                Bodies::of(&self.system, bodies).map_err(|error| declaration(py, &error))?,
            )),
        };
        self.functions(py)?;
        let end = end.unwrap_or(h * steps as f64);
        let (h, steps) = match tolerance {
            Some(_) => Run::nodes(end, h).map_err(|error| start(py, &error))?,
            None => (h, steps),
        };
        let events = Events::new(&self.system, until, &recorded).map_err(|error| start(py, &error))?;
        let scheme = match method {
            "exact" => Scheme::Exact,
            _ => {
                let variant = self.compiled(py, method)?.1;
                match tolerance {
                    Some(tolerance) => Scheme::Adaptive { variant, tolerance, end },
                    None => Scheme::Steps(variant),
                }
            }
        };
        let mut rows = inputs.as_array().rows().into_iter().map(|row| row.to_vec()).collect::<Vec<_>>();
        let inputs = if is_held { Inputs::Held(rows.swap_remove(0)) } else { Inputs::PerStep(rows) };
        let run = Run {
            system: self.system.clone(),
            scheme,
            parameters: parameters.as_slice()?.to_vec(),
            q0: q0.as_slice()?.to_vec(),
            v0: v0.as_slice()?.to_vec(),
            z0: z0.as_slice()?.to_vec(),
            inputs,
            h,
            steps,
            every,
            project,
            pose: None,
        };
        let mut watch = Watch::new(progress);
        let (recording, ended) = py.detach(|| samples(&run, &events, &mut watch))?;
        watch.report(py)?;
        Ok((Recording { inner: recording, shown }, ended.map(|error| error.into_value(py).into_any())))
    }

    /// A simulation at its start.
    fn simulation(
        slf: &Bound<'_, Self>,
        method: &str,
        parameters: PyReadonlyArray1<'_, f64>,
        q0: PyReadonlyArray1<'_, f64>,
        v0: PyReadonlyArray1<'_, f64>,
        z0: PyReadonlyArray1<'_, f64>,
        inputs: PyReadonlyArray1<'_, f64>,
        h: f64,
        project: bool,
    ) -> PyResult<Simulation> {
        let py = slf.py();
        let (compiled, variant) = slf.get().compiled(py, method)?;
        let begin = if project { nhi_jit::Simulation::project_point } else { nhi_jit::Simulation::at_point };
        let (parameters, inputs) = (parameters.as_slice()?, inputs.as_slice()?);
        let (q, v, z) = (q0.as_slice()?, v0.as_slice()?, z0.as_slice()?);
        let begun = begin(&compiled, variant, &Point { parameters, q, v, z, t: 0.0, inputs }, h);
        Ok(Simulation::new(slf.clone().unbind(), begun.map_err(|error| error::simulation(py, &error))?))
    }
}

/// The models of the literature: names, whether they are for methods on groups, and declarations.
#[pyfunction]
pub(crate) fn models() -> Vec<(&'static str, bool, &'static str)> {
    MODELS.iter().map(|model| (model.name, model.on_group, model.declaration)).collect()
}

/// The type of the method with this id, with or without choices, as `methods(...)` in a declaration names it.
#[pyfunction]
pub(crate) fn method_type(id: &str) -> Option<&'static str> {
    Variant::with_id(id).map(|variant| variant.method.facts().marker)
}

/// The samples of a run, at its start and after every `every` steps, and what ended it early. The interpreter lock is not
/// held.
fn samples(run: &Run, events: &Events, watch: &mut Watch) -> PyResult<(nhi_run::Recording, Option<PyErr>)> {
    let (mut samples, mut raised, mut looked_at) = (Vec::new(), None, 0);
    let wanted = |k: u64| k.is_multiple_of(run.every);
    let ended = run.samples_with(events, wanted, &mut |sample| samples.push(sample), &mut |k| {
        let taken = k - std::mem::replace(&mut looked_at, k);
        raised = watch.after(taken).err();
        if raised.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let ended = ended.map_err(|error| Python::attach(|py| start(py, &error)))?;
    let raised = match &ended.stop {
        Some(Stop::Step(error)) => {
            Some(Python::attach(|py| error::advised(py, error, ended.advice.as_deref())))
        }
        Some(stop @ Stop::Flow { place, time, cause }) => {
            let node = (time / run.h).round() as u64;
            // At a node, it is the step that ended there that cannot be taken.
            let (number, begin) = if *place == "at" { (node, time - run.h) } else { (node + 1, *time) };
            Some(Python::attach(|py| error::step(py, stop.to_string(), number, begin, cause.to_string())))
        }
        Some(stop @ Stop::Stiff { time }) => {
            let text = stop.to_string();
            let reason = text.split_once(": ").map_or(&*text, |(_, reason)| reason).to_owned();
            let number = (time / run.h).round() as u64 + 1;
            Some(Python::attach(|py| error::step(py, text, number, *time, reason)))
        }
        _ => raised,
    };
    Ok((run.recording(&samples, ended), raised))
}
