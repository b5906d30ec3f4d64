//! Systems whose parameters and starts are unknown, and what is measured of them.

use crate::dense::with_scratch;
use crate::discrete::{LANES, VALUES, entry, lifted, sizes, vector};
use crate::{Discrete, Dynamics, PlanError, Sizes};
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use nhi_runtime::admissible::corrected;
use nhi_runtime::{
    Differentiable, Dual, Failure, Fits, Reduced, ReducedOf, Scalar, System, Tangential, Vector,
};

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

    /// Names of the entries of a start, with their guesses: coordinates, velocities such as `dot_theta`, and auxiliary states. A pose
    /// has the entries of its tangent vectors in place of coordinates, by which the guess is displaced; their guesses are zero.
    fn entries(&self) -> Vec<(String, f64)>;

    /// What the measured number `i` is called.
    fn label(&self, i: usize) -> String {
        format!("measured number {i}")
    }

    /// The names of the parameters.
    fn parameters(&self) -> Vec<String>;

    /// How many numbers a sample has.
    fn count(&self) -> usize;

    /// The start whose [`Observed::entries`] differ from their guesses by `delta`, brought onto the constraints that there are with
    /// these parameters: the velocity is the admissible one that is nearest in the metric of the kinetic energy. Steps have the size
    /// `h`.
    ///
    /// # Errors
    /// What is no start, or no parameters and step size to take steps with.
    fn start(&self, parameters: &[f64], h: f64, delta: &[f64]) -> Result<Self::State, PlanError>;

    /// Sets the first of `by` to the derivatives of the start by `delta`, NX × entries, and the second one to those by the
    /// parameters, NX × parameters.
    ///
    /// # Errors
    /// Those of the start.
    fn linearize_start(
        &self,
        parameters: &[f64],
        delta: &[f64],
        by: (&mut [f64], &mut [f64]),
    ) -> Result<(), Failure>;

    /// That the mass matrix gives some velocities a negative kinetic energy at a start, or, without one, at the guess of it, if it does.
    fn negative_inertia(&self, _parameters: &[f64], _x: Option<&Self::State>) -> Option<Failure> {
        None
    }

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

/// Numbers without derivatives.
fn lifted_all(numbers: &[f64]) -> Vec<First> {
    numbers.iter().map(|&x| First::constant(x)).collect()
}

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
    /// That of a method, with the guess of the start.
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

    /// The displaced start on the constraints: q, v and z.
    #[allow(clippy::type_complexity, reason = "the parts of a start")]
    fn admissible<T: Scalar>(
        &self,
        parameters: &S::Parameters<T>,
        delta: &[T],
    ) -> Result<(S::Configuration<T>, S::Velocity<T>, S::States<T>), Failure> {
        let (zero, n) = (T::from_f64(0.0), self.v.as_ref().len());
        let given: S::Configuration<T> = vector(self.q.as_ref());
        let mut q = given.displaced(&delta[..n]);
        let size = |q: &S::Configuration<T>| {
            let g = S::position::<T>(parameters, q, zero);
            g.as_ref().iter().fold(0.0, |size: f64, g| size.max(g.to_f64().abs()))
        };
        if !S::position::<T>(parameters, &q, zero).as_ref().is_empty() {
            let correct = |q: &S::Configuration<T>| S::correct(parameters, q, zero);
            // The derivatives converge one step after the values.
            q = correct(&corrected(q, size, correct)?)?;
        }
        let mut v: S::Velocity<T> = vector(self.v.as_ref());
        v.as_mut().iter_mut().zip(&delta[n..]).for_each(|(v, &by)| *v = *v + by);
        let v = S::project(parameters, &q, &v, zero, &S::Inputs::splat(zero))?;
        let mut z = S::States::splat(zero);
        z.as_mut().iter_mut().zip(&delta[2 * n..]).for_each(|(z, &by)| *z = by);
        Ok((q, v, z))
    }

    /// The same as a state x = (q, ν, z).
    fn reduced<T: Scalar>(
        &self,
        parameters: &S::Parameters<T>,
        delta: &[T],
    ) -> Result<ReducedOf<S, T>, Failure> {
        let zero = T::from_f64(0.0);
        let (q, v, z) = self.admissible(parameters, delta)?;
        let nu = S::quasi_velocity(parameters, &q, &v, zero, &S::Inputs::splat(zero));
        Ok(Reduced { q, nu, z })
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

    fn entries(&self) -> Vec<(String, f64)> {
        let coordinates = (0..S::VELOCITIES.len()).map(|i| {
            let name = entry::<S>(i);
            let place = S::COORDINATES.iter().position(|&coordinate| coordinate == name);
            (name, place.map_or(0.0, |place| self.q.as_ref()[place]))
        });
        let velocities = self.v.as_ref().iter().enumerate();
        let velocities = velocities.map(|(i, &v)| (format!("dot_{}", entry::<S>(i)), v));
        let states = S::STATES.iter().map(|&name| (name.to_owned(), 0.0));
        coordinates.chain(velocities).chain(states).collect()
    }

    fn parameters(&self) -> Vec<String> {
        S::PARAMETERS.iter().map(|&name| name.to_owned()).collect()
    }

    fn count(&self) -> usize {
        self.measurement.count()
    }

    fn start(&self, parameters: &[f64], h: f64, delta: &[f64]) -> Result<Self::State, PlanError> {
        let discrete = Discrete::<S, M>::of(self.method, vector(parameters), h)?;
        let cannot = |cause| PlanError::Prepare { cause };
        let (q, v, z) = self.admissible(&vector(parameters), delta).map_err(cannot)?;
        Ok(ReducedOf::<S> { z, ..discrete.with_components(0, q, v)? })
    }

    fn negative_inertia(&self, parameters: &[f64], x: Option<&Self::State>) -> Option<Failure> {
        nhi_runtime::negative_inertia::<S>(&vector(parameters), x.map_or(&self.q, |x| &x.q), 0.0)
    }

    fn linearize_start(
        &self,
        parameters: &[f64],
        delta: &[f64],
        (by_delta, by_parameters): (&mut [f64], &mut [f64]),
    ) -> Result<(), Failure> {
        let start = self.reduced::<First>(&vector(parameters), &lifted_all(delta))?;
        let values = |numbers: &[First]| numbers.iter().map(|x| x.re).collect::<Vec<f64>>();
        let start = Reduced {
            q: vector(&values(start.q.as_ref())),
            nu: vector(&values(start.nu.as_ref())),
            z: vector(&values(start.z.as_ref())),
        };
        for first in (0..delta.len()).step_by(LANES) {
            let mut moved = lifted_all(delta);
            seed(&mut moved, first);
            let moved = self.reduced::<First>(&vector(parameters), &moved)?;
            set_columns(by_delta, delta.len(), first, S::difference(&start, &moved).as_ref());
        }
        for first in (0..parameters.len()).step_by(LANES) {
            let mut moved: S::Parameters<First> = vector(parameters);
            seed(moved.as_mut(), first);
            let moved = self.reduced::<First>(&moved, &lifted_all(delta))?;
            set_columns(by_parameters, parameters.len(), first, S::difference(&start, &moved).as_ref());
        }
        Ok(())
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
}
