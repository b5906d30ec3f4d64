//! Declared systems with a method as systems in discrete time.

use crate::dense::{set_identity, with_scratch};
use crate::{Dynamics, Function, PlanError, Sizes};
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use nhi_methods::Variant;
use nhi_runtime::{
    CurvatureOf, Departure, DepartureOf, Differentiable, Dual, Failure, Fits, Limits, Method, Reduced,
    ReducedOf, Scalar, State, Symmetry, System, Tangential, Vector,
};

/// Directions in which derivatives of functions are taken at once.
pub(crate) const LANES: usize = 4;

/// Functions of more values are differentiated with an allocation.
pub(crate) const VALUES: usize = 16;

/// The steps of size h of a method for a declared system, from time t₀: x = (q, ν, z), as [`Tangential`] defines it, and inputs
/// that are held over a step. The multipliers of a step are solved from zero, so that a step depends on nothing else.
#[derive(Clone, Debug)]
pub struct Discrete<S: Tangential, M: Method<S>> {
    method: M,
    parameters: S::Parameters<f64>,
    prepared: M::Prepared<f64>,
    h: f64,
    t0: f64,
    is_flat: bool,
}

impl<S: Tangential, M: Differentiable<S>> Discrete<S, M> {
    /// The system with steps of size `h` from time 0.
    ///
    /// # Errors
    /// [`PlanError::Prepare`] if the parameters or the step size are none to take steps with.
    pub fn new(system: &S, method: M, h: f64) -> Result<Self, PlanError> {
        Discrete::of(method, system.parameters(), h)
    }

    /// The same with values of the parameters.
    pub(crate) fn of(method: M, parameters: S::Parameters<f64>, h: f64) -> Result<Self, PlanError> {
        let finite = parameters.as_ref().iter().chain([&h]).all(|x| x.is_finite()) && h != 0.0;
        let prepared = if finite { method.prepare(&parameters, h) } else { Err(Failure::NonFinite) };
        let prepared = prepared.map_err(|cause| PlanError::Prepare { cause })?;
        // The velocities of poses have names of their own.
        let is_flat = S::COORDINATES == S::VELOCITIES;
        Ok(Discrete { method, parameters, prepared, h, t0: 0.0, is_flat })
    }

    /// The same with steps from time `t0`.
    #[must_use]
    pub fn from_time(mut self, t0: f64) -> Self {
        self.t0 = t0;
        self
    }

    /// The step size.
    pub fn step_size(&self) -> f64 {
        self.h
    }

    /// The state at `q` with the admissible velocity `v` before step `k`, with zero auxiliary states.
    ///
    /// # Errors
    /// [`PlanError::Constraints`] if the velocity violates them. Where inputs drive them, that is with zero inputs:
    /// drives act from the first step on. Then it is [`PlanError::Velocity`] if steps depend on the inputs of the step before them,
    /// because x is no state: those of `DlaRattle` and `Rdp` do not.
    pub fn state(
        &self,
        k: usize,
        q: impl Fits<S::Configuration<f64>>,
        v: impl Fits<S::Velocity<f64>>,
    ) -> Result<ReducedOf<S>, PlanError> {
        let (q, v) = (q.fit(), v.fit());
        let method = Variant::with_id(self.method.id()).map(|variant| variant.method);
        let x = match method.is_some_and(nhi_methods::Method::forgets_drives) {
            true => self.components(k, q, v).ok_or(PlanError::Velocity { is_driven: false })?,
            false => self.with_components(k, q, v)?,
        };
        let nearest = S::velocity(&self.parameters, &q, &x.nu, self.time(k), &S::Inputs::splat(0.0));
        let size = v.as_ref().iter().fold(1.0, |size: f64, v| size.max(v.abs()));
        let mut both = nearest.as_ref().iter().zip(v.as_ref());
        let is_admissible = both.all(|(x, y)| (x - y).abs() <= 1e-9 * size);
        if is_admissible {
            return Ok(x);
        }
        let residual = S::residual(&self.parameters, &q, &v, self.time(k), &S::Inputs::splat(0.0));
        Err(PlanError::constraints(S::CONSTRAINTS.iter().copied(), residual.as_ref()))
    }

    /// The state with ν = Y(q) v before step `k`, for any velocity v, of a system whose constraints inputs do not drive.
    pub(crate) fn with_components(
        &self,
        k: usize,
        q: S::Configuration<f64>,
        v: S::Velocity<f64>,
    ) -> Result<ReducedOf<S>, PlanError> {
        let t = self.time(k);
        let [none, some] = [0.0, 1.0].map(|u| S::basis(&self.parameters, &q, t, &S::Inputs::splat(u)).v0);
        let is_driven = none != some;
        let known = if is_driven { None } else { self.components(k, q, v) };
        known.ok_or(PlanError::Velocity { is_driven })
    }

    /// The same with zero inputs, if it is finite.
    fn components(&self, k: usize, q: S::Configuration<f64>, v: S::Velocity<f64>) -> Option<ReducedOf<S>> {
        let nu = S::quasi_velocity(&self.parameters, &q, &v, self.time(k), &S::Inputs::splat(0.0));
        let is_finite = q.as_ref().iter().chain(nu.as_ref()).all(|x| x.is_finite());
        is_finite.then(|| Reduced { q, nu, z: S::States::splat(0.0) })
    }

    /// The state at rest at `q` before step `k`.
    ///
    /// # Errors
    /// As [`Discrete::state`].
    pub fn at_rest(&self, k: usize, q: impl Fits<S::Configuration<f64>>) -> Result<ReducedOf<S>, PlanError> {
        self.state(k, q, S::Velocity::splat(0.0))
    }

    /// The velocity v = X ν + v₀ of a state before step `k` with the inputs `u`.
    pub fn velocity(&self, k: usize, x: &ReducedOf<S>, u: &[f64]) -> S::Velocity<f64> {
        S::velocity(&self.parameters, &x.q, &x.nu, self.time(k), &vector(u))
    }

    /// Sets `a` to ∂x'/∂x of the step from there, and `c` to ∂x'/∂p unless it is empty.
    pub(crate) fn sensitivities(
        &self,
        from: &DepartureOf<S, M>,
        a: &mut [f64],
        c: &mut [f64],
    ) -> Result<(), Failure> {
        let linear = self.method.linearize(&self.parameters, from)?;
        let size = linear.a.as_ref().len();
        let rows = a.chunks_exact_mut(size).zip(linear.a.as_ref());
        rows.for_each(|(to, row)| to.copy_from_slice(row.as_ref()));
        if !c.is_empty() {
            let by_parameters = self.method.linearize_parameters(&self.parameters, from)?;
            let rows = c.chunks_exact_mut(S::PARAMETERS.len()).zip(by_parameters.c.as_ref());
            rows.for_each(|(to, row)| to.copy_from_slice(row.as_ref()));
        }
        Ok(())
    }

    fn time(&self, k: usize) -> f64 {
        self.t0 + k as f64 * self.h
    }

    /// Where step `k` begins.
    pub(crate) fn departure(
        &self,
        k: usize,
        x: &ReducedOf<S>,
        u: &[f64],
    ) -> Result<DepartureOf<S, M>, Failure> {
        let (t, h, inputs) = (self.time(k), self.h, vector(u));
        let v = S::velocity(&self.parameters, &x.q, &x.nu, t, &inputs);
        let lambda = S::Multipliers::splat(0.0);
        let state = self.method.state(&self.parameters, h, &x.q, (&v, &v), &lambda, &x.z, t)?;
        Ok(Departure { state, inputs, t, h })
    }

    /// The state after step `k`, which begins there.
    pub(crate) fn step_from(&self, k: usize, from: &DepartureOf<S, M>) -> Result<ReducedOf<S>, Failure> {
        let Departure { state, inputs, t, .. } = from;
        let after = self.method.step(&self.prepared, state, *t, inputs)?;
        self.test(*t, inputs, [state, &after])?;
        self.reduced(k, &after, inputs)
    }

    /// Tests a step as a simulation does, which would refuse it.
    fn test(&self, t: f64, inputs: &S::Inputs<f64>, states: [&M::State<f64>; 2]) -> Result<(), Failure> {
        Limits::DEFAULT.test::<S, f64>(&self.parameters, (t, self.h), inputs, states)
    }

    /// The state after step `k` in the place of the method's.
    fn reduced(
        &self,
        k: usize,
        after: &M::State<f64>,
        inputs: &S::Inputs<f64>,
    ) -> Result<ReducedOf<S>, Failure> {
        let (q, v, z) = (after.q(), after.v(), after.z());
        let nu = S::quasi_velocity(&self.parameters, &q, &v, self.time(k + 1), inputs);
        let is_finite = nu.as_ref().iter().all(|nu| nu.is_finite());
        if is_finite { Ok(Reduced { q, nu, z }) } else { Err(Failure::NonFinite) }
    }
}

/// Adds the whole matrix of second derivatives to `hessian`.
fn add_second<S: Tangential>(second: &CurvatureOf<S>, hessian: &mut [f64]) {
    let Sizes { states, inputs } = sizes::<S>();
    let n = states + inputs;
    let rows = second.xx.as_ref().iter().zip(second.xu.as_ref());
    for (i, (xx, xu)) in rows.enumerate() {
        xx.as_ref().iter().enumerate().for_each(|(j, by)| hessian[i * n + j] += by);
        for (j, by) in xu.as_ref().iter().enumerate() {
            hessian[i * n + states + j] += by;
            hessian[(states + j) * n + i] += by;
        }
    }
    for (i, uu) in second.uu.as_ref().iter().enumerate() {
        uu.as_ref().iter().enumerate().for_each(|(j, by)| hessian[(states + i) * n + states + j] += by);
    }
}

/// Sets `ab` to the rows of A and B, one beside the other.
fn set_beside<A: AsRef<[f64]>, B: AsRef<[f64]>>(ab: &mut [f64], a: &[A], b: &[B]) {
    let columns = ab.len() / a.len().max(1);
    for (to, (a, b)) in ab.chunks_exact_mut(columns.max(1)).zip(a.iter().zip(b)) {
        let (to_a, to_b) = to.split_at_mut(a.as_ref().len());
        to_a.copy_from_slice(a.as_ref());
        to_b.copy_from_slice(b.as_ref());
    }
}

/// NX and K of a system.
pub(crate) const fn sizes<S: Tangential>() -> Sizes {
    // A tangent vector is an array.
    Sizes { states: size_of::<S::Tangent<f64>>() / size_of::<f64>(), inputs: S::INPUTS.len() }
}

/// What an entry of a tangent vector displaces: velocities of poses by their names, quasi-velocities as `nu[0]`.
pub(crate) fn entry<S: Tangential>(i: usize) -> String {
    let (n, d) = (S::VELOCITIES.len(), S::QuasiVelocity::<f64>::splat(0.0).as_ref().len());
    match S::VELOCITIES.get(i) {
        Some(name) => (*name).to_owned(),
        None if i < n + d => format!("nu[{}]", i - n),
        None => S::STATES.get(i - n - d).map_or_else(|| format!("x[{i}]"), |name| (*name).to_owned()),
    }
}

/// The numbers of a slice as a vector; zero where there are none.
pub(crate) fn vector<T: Scalar, V: Vector<T>>(x: &[f64]) -> V {
    let mut vector = V::splat(T::from_f64(0.0));
    vector.as_mut().iter_mut().zip(x).for_each(|(to, &x)| *to = T::from_f64(x));
    vector
}

/// A state in another number type.
pub(crate) fn lifted<S: Tangential, T: Scalar>(x: &ReducedOf<S>) -> ReducedOf<S, T> {
    Reduced { q: vector(x.q.as_ref()), nu: vector(x.nu.as_ref()), z: vector(x.z.as_ref()) }
}

impl<S: Tangential, M: Differentiable<S>> Dynamics for Discrete<S, M> {
    type State = ReducedOf<S>;

    const SIZES: Option<Sizes> = Some(sizes::<S>());

    fn sizes(&self) -> Sizes {
        sizes::<S>()
    }

    fn entry(&self, i: usize) -> String {
        entry::<S>(i)
    }

    fn momenta(&self, k: usize, x: &Self::State) -> Vec<(String, Vec<f64>)> {
        let size = self.sizes().states;
        let derivatives = |symmetry: &Symmetry| {
            let mut slopes = vec![0.0; size];
            // First derivatives, in some directions at once.
            for first in (0..size).step_by(LANES) {
                let mut delta: S::Tangent<First> = vector(&[]);
                let lanes = first..size.min(first + LANES);
                let entries = delta.as_mut()[lanes.clone()].iter_mut();
                entries.enumerate().for_each(|(lane, entry)| entry.eps[lane] = 1.0);
                let x = S::retract(&lifted::<S, First>(x), &delta);
                let parameters = vector(self.parameters.as_ref());
                let t = First::from_f64(self.time(k));
                let v = S::velocity(&parameters, &x.q, &x.nu, t, &vector(&[]));
                let p = S::momentum(&parameters, &x.q, &v, t);
                for (lane, slope) in slopes[lanes].iter_mut().enumerate() {
                    let terms = p.as_ref().iter().zip(symmetry.direction);
                    *slope = terms.map(|(p, xi)| p.eps[lane] * xi).sum();
                }
            }
            (symmetry.momentum.to_owned(), slopes)
        };
        S::SYMMETRIES.iter().map(derivatives).collect()
    }

    fn step(&self, k: usize, x: &Self::State, u: &[f64]) -> Result<Self::State, Failure> {
        self.step_from(k, &self.departure(k, x, u)?)
    }

    fn motion(
        &self,
        steps: usize,
        x: &Self::State,
        inputs: &[f64],
        states: &mut Vec<Self::State>,
    ) -> Result<(), (usize, Failure)> {
        let (count, mut before) = (S::INPUTS.len(), None);
        for k in 0..steps {
            let failed = |cause| (k, cause);
            let u = &inputs[k * count..(k + 1) * count];
            let mut state = match before {
                None => self.departure(k, x, u).map_err(failed)?.state,
                Some(state) => state,
            };
            self.method.resync_if_due(&mut state, k as u64);
            let u = vector(u);
            let after = self.method.step(&self.prepared, &state, self.time(k), &u).map_err(failed)?;
            self.test(self.time(k), &u, [&state, &after]).map_err(failed)?;
            states.push(self.reduced(k, &after, &u).map_err(failed)?);
            before = Some(after);
        }
        Ok(())
    }

    fn linearize(&self, k: usize, x: &Self::State, u: &[f64], ab: &mut [f64]) -> Result<(), Failure> {
        let linear = self.method.linearize(&self.parameters, &self.departure(k, x, u)?)?;
        set_beside(ab, linear.a.as_ref(), linear.b.as_ref());
        Ok(())
    }

    fn curvature(
        &self,
        k: usize,
        x: &Self::State,
        u: &[f64],
        w: &[f64],
        hessian: &mut [f64],
    ) -> Result<(), Failure> {
        let from = self.departure(k, x, u)?;
        add_second::<S>(&self.method.curvature(&self.parameters, &from, &vector(w))?, hessian);
        Ok(())
    }

    fn differentiate(
        &self,
        k: usize,
        x: &Self::State,
        u: &[f64],
        w: Option<&[f64]>,
        (ab, hessian): (&mut [f64], &mut [f64]),
    ) -> Result<(), Failure> {
        let Some(w) = w else { return self.linearize(k, x, u, ab) };
        let second = self.method.curvature(&self.parameters, &self.departure(k, x, u)?, &vector(w))?;
        add_second::<S>(&second, hessian);
        set_beside(ab, second.a.as_ref(), second.b.as_ref());
        Ok(())
    }

    fn retract(&self, x: &Self::State, delta: &[f64]) -> Self::State {
        S::retract(x, &vector(delta))
    }

    fn difference(&self, from: &Self::State, to: &Self::State, delta: &mut [f64]) {
        delta.copy_from_slice(S::difference(from, to).as_ref());
    }

    fn difference_derivatives(
        &self,
        from: &Self::State,
        to: &Self::State,
        w: &[f64],
        jacobian: &mut [f64],
        hessian: &mut [f64],
    ) {
        let n = self.sizes().states;
        if self.is_flat {
            return set_identity(jacobian, n);
        }
        by_duals::<S>(to, &[], n, w, jacobian, hessian, &|x, _u, out| {
            out.copy_from_slice(S::difference(&lifted::<S, Second>(from), x).as_ref());
        });
    }

    fn is_flat(&self) -> bool {
        self.is_flat
    }
}

/// Numbers with first derivatives in [`LANES`] directions.
type First = Dual<f64, LANES>;

/// Numbers with first derivatives in [`LANES`] directions, second ones in these and another one.
pub(crate) type Second = Dual<Dual<f64, LANES>>;

/// A function of state and inputs.
pub(crate) type Value<'f, S> =
    &'f dyn Fn(&ReducedOf<S, Second>, &<S as System>::Inputs<Second>, &mut [Second]);

/// First and second derivatives of a function by (δ, υ), as [`Function::derivatives`] has them, `n` directions.
pub(crate) fn by_duals<S: Tangential>(
    x: &ReducedOf<S>,
    u: &[f64],
    n: usize,
    w: &[f64],
    jacobian: &mut [f64],
    hessian: &mut [f64],
    value: Value<'_, S>,
) {
    with_scratch::<VALUES, _, _>(w.len(), Second::from_f64(0.0), |out| {
        for i in 0..n {
            for first in (0..=i).step_by(LANES) {
                let mut delta: S::Tangent<Second> = vector(&[]);
                let mut inputs: S::Inputs<Second> = vector(u);
                for (at, entry) in delta.as_mut().iter_mut().chain(inputs.as_mut()).enumerate() {
                    entry.eps[0].re = if at == i { 1.0 } else { 0.0 };
                    if let Some(eps) = at.checked_sub(first).and_then(|lane| entry.re.eps.get_mut(lane)) {
                        *eps = 1.0;
                    }
                }
                value(&S::retract(&lifted::<S, Second>(x), &delta), &inputs, out);
                for (l, (out, w)) in out.iter().zip(w).enumerate() {
                    jacobian[l * n + i] = out.eps[0].re;
                    for (j, second) in (first..=i).zip(out.eps[0].eps) {
                        hessian[i * n + j] += w * second;
                        if i != j {
                            hessian[j * n + i] += w * second;
                        }
                    }
                }
            }
        }
    });
}

/// Values of state and inputs of a declared system, written for any number type so that they can be differentiated;
/// [`Smooth`] makes a [`Function`] of them.
pub trait Formula<S: Tangential> {
    /// How many values there are.
    fn count(&self) -> usize;

    /// Sets `out` to the values at stage `k`.
    fn value<T: Scalar>(&self, k: usize, x: &ReducedOf<S, T>, u: &S::Inputs<T>, out: &mut [T]);
}

/// A [`Formula`] as a function of a stage, with its derivatives by dual numbers.
#[derive(Clone, Copy, Debug)]
pub struct Smooth<F>(pub F);

impl<S: Tangential, M: Differentiable<S>, F: Formula<S>> Function<Discrete<S, M>> for Smooth<F> {
    fn count(&self) -> usize {
        self.0.count()
    }

    fn value(&self, _: &Discrete<S, M>, k: usize, x: &ReducedOf<S>, u: &[f64], out: &mut [f64]) {
        self.0.value(k, x, &vector::<f64, S::Inputs<f64>>(u), out);
    }

    fn derivatives(
        &self,
        dynamics: &Discrete<S, M>,
        k: usize,
        x: &ReducedOf<S>,
        u: &[f64],
        w: &[f64],
        jacobian: &mut [f64],
        hessian: &mut [f64],
    ) {
        let Sizes { states, inputs } = dynamics.sizes();
        by_duals::<S>(x, u, states + inputs, w, jacobian, hessian, &|x, u, out| {
            self.0.value(k, x, u, out);
        });
    }
}

/// The multipliers of these constraints, by their numbers, in the step that begins at a stage with its inputs: the forces that a
/// wheel must not exceed if it is not to slip, as an inequality at the stages `0..N`.
///
/// Its Hessian is left out, as in the method of Gauss and Newton: steps emit no second derivatives of multipliers. Solutions are the
/// same, but where a bound is active they take more iterations, and [`Status::is_minimum`](crate::Status::is_minimum) leaves out that
/// curvature.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Multipliers(pub Vec<usize>);

impl<S: Tangential, M: Differentiable<S>> Function<Discrete<S, M>> for Multipliers {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn check(&self, _sizes: Sizes) -> Result<(), PlanError> {
        let count = S::CONSTRAINTS.len();
        match self.0.iter().find(|&&entry| entry >= count) {
            Some(&entry) => Err(PlanError::Entry { entry, count }),
            None => Ok(()),
        }
    }

    fn value(&self, dynamics: &Discrete<S, M>, k: usize, x: &ReducedOf<S>, u: &[f64], out: &mut [f64]) {
        // A step that cannot be taken has no numbers.
        out.fill(f64::NAN);
        let Ok(Departure { state, inputs, t, .. }) = dynamics.departure(k, x, u) else { return };
        if let Ok(after) = dynamics.method.step(&dynamics.prepared, &state, t, &inputs) {
            let lambda = after.lambda();
            out.iter_mut().zip(&self.0).for_each(|(out, &i)| *out = lambda.as_ref()[i]);
        }
    }

    fn derivatives(
        &self,
        dynamics: &Discrete<S, M>,
        k: usize,
        x: &ReducedOf<S>,
        u: &[f64],
        _w: &[f64],
        jacobian: &mut [f64],
        _hessian: &mut [f64],
    ) {
        jacobian.fill(f64::NAN);
        let Ok(from) = dynamics.departure(k, x, u) else { return };
        let Ok(linear) = dynamics.method.linearize(&dynamics.parameters, &from) else { return };
        let Sizes { states, inputs } = dynamics.sizes();
        for (row, &i) in jacobian.chunks_exact_mut(states + inputs).zip(&self.0) {
            let (by_x, by_u) = row.split_at_mut(states);
            by_x.copy_from_slice(linear.lambda_x.as_ref()[i].as_ref());
            by_u.copy_from_slice(linear.lambda_u.as_ref()[i].as_ref());
        }
    }
}
