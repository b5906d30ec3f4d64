//! Many simulations on all cores.

use crate::error::simulation as raised;
use crate::system::Core;
use crate::watch::Watch;
use nhi_jit::{Point, Simulation};
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray2, PyReadonlyArray3,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

/// Inputs of the steps of a run.
struct PerStep<'a> {
    /// By members, or once for all of them; steps; inputs.
    numbers: &'a [f64],
    steps: usize,
    width: usize,
}

impl<'a> PerStep<'a> {
    /// Those of `count` steps of a member, from a step on.
    fn rows(&self, member: usize, from: u64, count: u64) -> impl Iterator<Item = &'a [f64]> + use<'a> {
        let all = self.numbers.len() / (self.steps * self.width);
        let first = member.min(all - 1) * self.steps + from as usize;
        let rows = first * self.width..(first + count as usize) * self.width;
        self.numbers[rows].chunks(self.width)
    }
}

/// Simulations of one system, with the same compiled steps. A member whose step has failed stays where it was.
#[pyclass(module = "nhi._nhi")]
pub(crate) struct Ensemble {
    core: Py<Core>,
    members: Vec<Member>,
    steps: u64,
    h: f64,
}

struct Member {
    simulation: Simulation,
    failed: Option<nhi_jit::Error>,
}

impl Member {
    /// Takes `count` steps with the inputs held.
    fn advance(&mut self, count: u64) {
        if self.failed.is_none() {
            self.failed = self.simulation.advance(count).err();
        }
    }

    /// Takes a step with each row of inputs.
    fn advance_with<'a>(&mut self, mut rows: impl Iterator<Item = &'a [f64]>) {
        if self.failed.is_none() {
            self.failed = rows.find_map(|row| self.simulation.step_with(row).err());
        }
    }

    /// The numbers of a sample; none are known after a failure.
    fn write(&self, numbers: &[f64], row: &mut [f64]) {
        match &self.failed {
            None => row.copy_from_slice(numbers),
            Some(_) => row.fill(f64::NAN),
        }
    }
}

/// What prevents member `i` from starting, with its number if an argument is wrong.
fn of_member(py: Python<'_>, i: usize, error: &nhi_jit::Error) -> PyErr {
    let error = raised(py, error);
    match error.is_instance_of::<PyValueError>(py) {
        true => PyValueError::new_err(format!("member {i}: {}", error.value(py))),
        false => error,
    }
}

#[pymethods]
impl Ensemble {
    /// Starts a member for every row of the arguments.
    #[new]
    #[allow(clippy::too_many_arguments, reason = "the facts of simulations")]
    fn new(
        core: Py<Core>,
        method: &str,
        parameters: PyReadonlyArray2<'_, f64>,
        q0: PyReadonlyArray2<'_, f64>,
        v0: PyReadonlyArray2<'_, f64>,
        z0: PyReadonlyArray2<'_, f64>,
        inputs: PyReadonlyArray2<'_, f64>,
        h: f64,
        project: bool,
    ) -> PyResult<Ensemble> {
        let py = parameters.py();
        let (compiled, variant) = core.get().compiled(py, method)?;
        let begin = if project { Simulation::project_point } else { Simulation::at_point };
        let arrays = [&parameters, &q0, &v0, &z0, &inputs].map(|array| array.as_array());
        let rows = arrays[1].nrows();
        let members = py.detach(|| {
            let mut watch = Watch::new(None);
            let begun = (0..rows).map(|i| {
                watch.after(0)?;
                let rows = arrays.map(|array| array.row(i).to_vec());
                let [parameters, q, v, z, inputs] = rows.each_ref().map(Vec::as_slice);
                let begun = begin(&compiled, variant, &Point { parameters, q, v, z, t: 0.0, inputs }, h);
                let begun = begun.map_err(|error| Python::attach(|py| of_member(py, i, &error)))?;
                Ok(Member { simulation: begun, failed: None })
            });
            begun.collect::<PyResult<Vec<_>>>()
        })?;
        Ok(Ensemble { core, members, steps: 0, h })
    }

    /// Configurations at the present time and after every `every` steps, shape (K, N, n). `inputs`, shape (N, steps, k) or
    /// (1, steps, k), none of which is zero, are those of each step; without them, the present ones are held.
    fn run<'py>(
        &mut self,
        py: Python<'py>,
        steps: u64,
        every: u64,
        inputs: Option<PyReadonlyArray3<'py, f64>>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let n = self.core.get().system.coordinates().len();
        let count = self.members.len();
        let samples = (steps / every) as usize + 1;
        let mut q = vec![0.0; samples * count * n];
        let inputs = match &inputs {
            None => None,
            Some(array) => {
                Some(PerStep { numbers: array.as_slice()?, steps: array.shape()[1], width: array.shape()[2] })
            }
        };
        let Ensemble { members, steps: taken, .. } = self;
        let start = *taken;
        py.detach(|| {
            // A pool of its own: after a fork, the threads of a common one would be missing.
            let pool = ThreadPoolBuilder::new().build();
            let pool = pool.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
            let mut watch = Watch::new(progress);
            let mut advance = |members: &mut [Member], count: u64| {
                watch.rounds(count, |steps| {
                    let from = *taken - start;
                    pool.install(|| {
                        members.par_iter_mut().enumerate().for_each(|(i, member)| match &inputs {
                            None => member.advance(steps),
                            Some(inputs) => member.advance_with(inputs.rows(i, from, steps)),
                        });
                    });
                    *taken += steps;
                    Ok(())
                })
            };
            for (k, sample) in q.chunks_mut((count * n).max(1)).enumerate() {
                advance(members, if k == 0 { 0 } else { every })?;
                for (member, row) in members.iter().zip(sample.chunks_mut(n)) {
                    member.write(member.simulation.q(), row);
                }
            }
            advance(members, steps % every)?;
            Python::attach(|py| watch.report(py))
        })?;
        q.into_pyarray(py).reshape([samples, count, n])
    }

    fn __len__(&self) -> usize {
        self.members.len()
    }

    /// Time.
    #[getter]
    fn t(&self) -> f64 {
        self.steps as f64 * self.h
    }

    /// Number of steps taken.
    #[getter]
    fn steps(&self) -> u64 {
        self.steps
    }

    /// Configurations, shape (N, n).
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.matrix(py, |simulation| simulation.q().to_vec(), self.core.get().system.coordinates().len())
    }

    /// Velocities, shape (N, n).
    #[getter]
    fn v<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.matrix(py, Simulation::v, self.core.get().system.velocities().len())
    }

    /// Auxiliary states, shape (N, number of them).
    #[getter]
    fn z<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.matrix(py, |simulation| simulation.z().to_vec(), self.core.get().system.states().len())
    }

    /// Multipliers of the last step, shape (N, m).
    #[getter]
    fn multipliers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let width = self.core.get().system.constraints().len();
        self.matrix(py, |simulation| simulation.multipliers().to_vec(), width)
    }

    /// Energies, shape (N,).
    #[getter]
    fn energy<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let energies = self.members.iter().map(|member| match &member.failed {
            None => member.simulation.energy(),
            Some(_) => f64::NAN,
        });
        energies.collect::<Vec<_>>().into_pyarray(py)
    }

    /// Places and errors of the members whose steps have failed.
    #[getter]
    fn failures(&self, py: Python<'_>) -> Vec<(usize, Py<PyAny>)> {
        let members = self.members.iter().enumerate();
        let failed = members.filter_map(|(i, member)| Some((i, member.failed.as_ref()?)));
        failed.map(|(i, error)| (i, raised(py, error).into_value(py).into_any())).collect()
    }
}

impl Ensemble {
    fn matrix<'py>(
        &self,
        py: Python<'py>,
        numbers: impl Fn(&Simulation) -> Vec<f64>,
        width: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let mut all = vec![0.0; self.members.len() * width];
        for (member, row) in self.members.iter().zip(all.chunks_mut(width.max(1))) {
            member.write(&numbers(&member.simulation), row);
        }
        all.into_pyarray(py).reshape([self.members.len(), width])
    }
}
