//! Systems whose parameters and starts are unknown, and what is measured of them.

use crate::dense::with_scratch;
use crate::discrete::{LANES, VALUES, entry, lifted, sizes, vector};
use crate::{Discrete, Dynamics, PlanError, Sizes};
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use nhi_runtime::{Differentiable, Dual, Failure, Fits, ReducedOf, Scalar, System, Tangential};

/// The motions of a system for all values of its parameters, with their derivatives, and what is measured of them: what an
/// [`Identification`](crate::Identification) needs to know. [`Declared`] is a system that rustc compiles.
///
/// States and their tangent vectors are those of [`Dynamics`]; matrices are slices, row after row. A step is that of size h from
/// time t, given as (t, h), with inputs that are held.
pub trait Observed {
    /// A state x.
    type State: Clone;

    /// NX and K.
    fn sizes(&self) -> Sizes;

    /// What the entry `i` of a tangent vector displaces, such as `theta`.
    fn entry(&self, i: usize) -> String;

    /// The names of the parameters.
    fn parameters(&self) -> Vec<String>;

    /// How many numbers a sample has.
    fn count(&self) -> usize;

    /// The guess of the start, with steps of size `h`.
    ///
    /// # Errors
    /// What is no start, or no parameters and step size to take steps with.
    fn start(&self, parameters: &[f64], h: f64) -> Result<Self::State, PlanError>;

    /// The state after a step.
    ///
    /// # Errors
    /// A step that cannot be taken.
    fn step(
        &self,
        parameters: &[f64],
        step: (f64, f64),
        x: &Self::State,
        u: &[f64],
    ) -> Result<Self::State, Failure>;

    /// Sets `a` to ∂x'/∂x, NX × NX, and `c` to ∂x'/∂p, NX × parameters, unless it is empty.
    ///
    /// # Errors
    /// Those of the step.
    fn linearize(
        &self,
        parameters: &[f64],
        step: (f64, f64),
        x: &Self::State,
        u: &[f64],
        by: (&mut [f64], &mut [f64]),
    ) -> Result<(), Failure>;

    /// [`Observed::step`] and [`Observed::linearize`]: a system may share between them what both need.
    ///
    /// # Errors
    /// Those of the step.
    fn differentiate(
        &self,
        parameters: &[f64],
        step: (f64, f64),
        x: &Self::State,
        u: &[f64],
        by: (&mut [f64], &mut [f64]),
    ) -> Result<Self::State, Failure> {
        self.linearize(parameters, step, x, u, by)?;
        self.step(parameters, step, x, u)
    }

    /// Sets `out` to the measured numbers at time `t`; where they are not defined, to what is not finite.
    fn measure(&self, parameters: &[f64], t: f64, x: &Self::State, u: &[f64], out: &mut [f64]);

    /// Sets the first of `by` to their derivatives by x, count × NX, and the second one to those by the parameters at a fixed x,
    /// count × parameters.
    fn linearize_measured(
        &self,
        parameters: &[f64],
        t: f64,
        x: &Self::State,
        u: &[f64],
        by: (&mut [f64], &mut [f64]),
    );

    /// x ⊕ δ.
    fn retract(&self, x: &Self::State, delta: &[f64]) -> Self::State;

    /// The tangent vector at x ⊕ δ along which it moves with the entry `i` of δ. By default that of a vector space.
    fn moved(&self, _x: &Self::State, delta: &[f64], i: usize) -> Vec<f64> {
        (0..delta.len()).map(|j| if i == j { 1.0 } else { 0.0 }).collect()
    }
}

/// What is measured of a declared system, written for any number type so that it can be differentiated.
pub trait Measurement<S: Tangential> {
    /// How many numbers a sample has.
    fn count(&self) -> usize;

    /// Sets `out` to the measured numbers of a motion at time `t`.
    fn value<T: Scalar>(
        &self,
        parameters: &S::Parameters<T>,
        q: &S::Configuration<T>,
        v: &S::Velocity<T>,
        z: &S::States<T>,
        t: T,
        out: &mut [T],
    );
}

/// The entries of the configuration with these indices, as measured numbers.
#[derive(Clone, Debug)]
pub struct Entries(pub Vec<usize>);

impl<S: Tangential> Measurement<S> for Entries {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn value<T: Scalar>(
        &self,
        _: &S::Parameters<T>,
        q: &S::Configuration<T>,
        _: &S::Velocity<T>,
        _: &S::States<T>,
        _: T,
        out: &mut [T],
    ) {
        // An index that does not exist measures zero; `Identification::solve` refuses it.
        let entries = self.0.iter().map(|&i| q.as_ref().get(i).copied().unwrap_or(T::from_f64(0.0)));
        out.iter_mut().zip(entries).for_each(|(out, entry)| *out = entry);
    }
}

/// Numbers with derivatives in several directions.
type First = Dual<f64, LANES>;

/// Gives the entries from `first` on directions of their own.
fn seed(entries: &mut [First], first: usize) {
    entries.iter_mut().skip(first).zip(0..LANES).for_each(|(entry, lane)| entry.eps[lane] = 1.0);
}

/// Sets the columns from `first` on of a matrix of `width` columns to the derivatives of `out`.
fn set_columns(matrix: &mut [f64], width: usize, first: usize, out: &[First]) {
    for (row, out) in matrix.chunks_exact_mut(width).zip(out) {
        row.iter_mut().skip(first).zip(out.eps).for_each(|(to, by)| *to = by);
    }
}

/// A declared system with a method, a guess of its start and what is measured of it, as rustc compiles them.
#[derive(Clone, Debug)]
pub struct Declared<S: System, M, F> {
    method: M,
    q: S::Configuration<f64>,
    v: S::Velocity<f64>,
    measurement: F,
}

impl<S: Tangential, M: Differentiable<S> + Copy, F: Measurement<S>> Declared<S, M, F> {
    /// That of a method. The velocity at the start is the admissible one with the quasi-velocities ν = Y(q) `v`.
    pub fn new(
        method: M,
        (q, v): (impl Fits<S::Configuration<f64>>, impl Fits<S::Velocity<f64>>),
        measurement: F,
    ) -> Self {
        Declared { method, q: q.fit(), v: v.fit(), measurement }
    }

    /// The step from time t.
    fn discrete(&self, parameters: &[f64], (t, h): (f64, f64)) -> Result<Discrete<S, M>, Failure> {
        let discrete = Discrete::of(self.method, vector(parameters), h);
        discrete.map(|discrete| discrete.from_time(t)).map_err(|error| match error {
            PlanError::Prepare { cause } => cause,
            _ => Failure::NonFinite,
        })
    }

    fn measured<T: Scalar>(
        &self,
        parameters: &S::Parameters<T>,
        t: f64,
        x: &ReducedOf<S, T>,
        u: &[f64],
        out: &mut [T],
    ) {
        let t = T::from_f64(t);
        let v = S::velocity(parameters, &x.q, &x.nu, t, &vector(u));
        self.measurement.value(parameters, &x.q, &v, &x.z, t, out);
    }
}

impl<S: Tangential, M: Differentiable<S> + Copy, F: Measurement<S>> Observed for Declared<S, M, F> {
    type State = ReducedOf<S>;

    fn sizes(&self) -> Sizes {
        sizes::<S>()
    }

    fn entry(&self, i: usize) -> String {
        entry::<S>(i)
    }

    fn parameters(&self) -> Vec<String> {
        S::PARAMETERS.iter().map(|&name| name.to_owned()).collect()
    }

    fn count(&self) -> usize {
        self.measurement.count()
    }

    fn start(&self, parameters: &[f64], h: f64) -> Result<Self::State, PlanError> {
        Discrete::<S, M>::of(self.method, vector(parameters), h)?.with_components(0, self.q, self.v)
    }

    fn step(
        &self,
        parameters: &[f64],
        step: (f64, f64),
        x: &Self::State,
        u: &[f64],
    ) -> Result<Self::State, Failure> {
        self.discrete(parameters, step)?.step(0, x, u)
    }

    fn linearize(
        &self,
        parameters: &[f64],
        step: (f64, f64),
        x: &Self::State,
        u: &[f64],
        (a, c): (&mut [f64], &mut [f64]),
    ) -> Result<(), Failure> {
        let discrete = self.discrete(parameters, step)?;
        discrete.sensitivities(&discrete.departure(0, x, u)?, a, c)
    }

    fn differentiate(
        &self,
        parameters: &[f64],
        step: (f64, f64),
        x: &Self::State,
        u: &[f64],
        (a, c): (&mut [f64], &mut [f64]),
    ) -> Result<Self::State, Failure> {
        let discrete = self.discrete(parameters, step)?;
        let from = discrete.departure(0, x, u)?;
        discrete.sensitivities(&from, a, c)?;
        discrete.step_from(0, &from)
    }

    fn measure(&self, parameters: &[f64], t: f64, x: &Self::State, u: &[f64], out: &mut [f64]) {
        self.measured(&vector(parameters), t, x, u, out);
    }

    fn linearize_measured(
        &self,
        parameters: &[f64],
        t: f64,
        x: &Self::State,
        u: &[f64],
        (by_state, by_parameters): (&mut [f64], &mut [f64]),
    ) {
        let size = sizes::<S>().states;
        let first = |length: usize| (0..length).step_by(LANES);
        with_scratch::<VALUES, _, _>(self.count(), First::constant(0.0), |out| {
            for first in first(size) {
                let mut delta: S::Tangent<First> = vector(&[]);
                seed(delta.as_mut(), first);
                let x = S::retract(&lifted::<S, First>(x), &delta);
                self.measured(&vector(parameters), t, &x, u, out);
                set_columns(by_state, size, first, out);
            }
            for first in first(parameters.len()) {
                let mut moved: S::Parameters<First> = vector(parameters);
                seed(moved.as_mut(), first);
                self.measured(&moved, t, &lifted::<S, First>(x), u, out);
                set_columns(by_parameters, parameters.len(), first, out);
            }
        });
    }

    fn retract(&self, x: &Self::State, delta: &[f64]) -> Self::State {
        S::retract(x, &vector(delta))
    }

    fn moved(&self, x: &Self::State, delta: &[f64], i: usize) -> Vec<f64> {
        let start = lifted::<S, Dual<f64>>(&self.retract(x, delta));
        let mut delta: S::Tangent<Dual<f64>> = vector(delta);
        delta.as_mut()[i].eps = [1.0];
        let moved = S::retract(&lifted::<S, Dual<f64>>(x), &delta);
        S::difference(&start, &moved).as_ref().iter().map(|x| x.eps[0]).collect()
    }
}
