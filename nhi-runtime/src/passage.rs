//! The test of a step of a declared system; see [`balance`](crate::balance).

use crate::admissible::values;
use crate::balance::{
    End, Passage, are_far, changes_much, diagnose, explain, half_product, resolve, subtract,
};
use crate::system::Rows;
use crate::{Failure, Limits, Scalar, State, System, Vector, balance};

/// T = ½ vᵀMv of a state.
#[inline(always)]
pub(crate) fn kinetic<S: System, T: Scalar>(
    parameters: &S::Parameters<T>,
    state: &impl State<S, T>,
    t: T,
) -> f64 {
    kinetic_of::<S, T>(parameters, &state.q(), &state.v(), t)
}

/// The mean kinetic energy before and after the reflection at the node, if there is one: the energy of the mean velocity and
/// that of the parasitic mode, whose sign alternates.
pub(crate) fn kinetic_of_jump<S: System, T: Scalar>(
    parameters: &S::Parameters<T>,
    state: &impl State<S, T>,
    t: T,
) -> f64 {
    let (q, (before, after)) = (state.q(), state.jump());
    let [before, after] = [before, after].map(|v| kinetic_of::<S, T>(parameters, &q, &v, t));
    0.5 * (before + after)
}

/// In `f64`: derivatives of T are not needed.
#[inline(always)]
fn kinetic_of<S: System, T: Scalar>(
    parameters: &S::Parameters<T>,
    q: &S::Configuration<T>,
    v: &S::Velocity<T>,
    t: T,
) -> f64 {
    let (parameters, q, v, t) = (values(parameters), values(q), values(v), t.to_f64());
    let mut p = S::momentum(&parameters, &q, &v, t);
    if S::GYROSCOPIC {
        let at_rest = S::momentum(&parameters, &q, &S::Velocity::splat(0.0), t);
        subtract(p.as_mut(), at_rest.as_ref());
    }
    half_product(v.as_ref(), p.as_ref())
}

/// Tests a step of size `h` from the time `t` between two states, the first with the kinetic energy `before`, which is NaN
/// if it is unknown; returns the one after it, both those of the mean velocity if the method reflects.
///
/// # Errors
/// [`Failure::NearlySingular`] and [`Failure::EnergyJump`].
#[inline(always)]
pub(crate) fn test<S: System, T: Scalar>(
    limits: &Limits,
    parameters: &S::Parameters<T>,
    (t, h): (T, T),
    inputs: &S::Inputs<T>,
    states: [&(impl State<S, T> + Copy); 2],
    before: f64,
) -> Result<f64, Failure> {
    let [first, &last] = states;
    let after = kinetic::<S, T>(parameters, &last, t + h);
    if changes_much(before, after) {
        // Copies: every step would write to memory whose address a call takes.
        let (last, inputs) = (last, *inputs);
        explained::<S, T>(limits, parameters, (t, h), &inputs, [first, &last], after)?;
    }
    resolves::<S, T>(limits, parameters, (t, h), inputs, first)?;
    Ok(after)
}

/// Tests whether the velocity of a step that departs from a state is more than rounding.
///
/// # Errors
/// [`Failure::NearlySingular`].
#[inline(always)]
pub(crate) fn resolves<S: System, T: Scalar>(
    limits: &Limits,
    parameters: &S::Parameters<T>,
    (t, h): (T, T),
    inputs: &S::Inputs<T>,
    state: &impl State<S, T>,
) -> Result<(), Failure> {
    if state.reflects() && limits.growth < f64::INFINITY {
        let (before, after) = state.jump();
        if are_far(before.as_ref(), after.as_ref()) {
            let inputs = *inputs;
            return resolved::<S, T>(parameters, (t, h), &inputs, state);
        }
    }
    Ok(())
}

/// The second half of [`resolves`].
#[cold]
#[inline(never)]
fn resolved<S: System, T: Scalar>(
    parameters: &S::Parameters<T>,
    (t, h): (T, T),
    inputs: &S::Inputs<T>,
    state: &impl State<S, T>,
) -> Result<(), Failure> {
    let (before, after) = state.jump();
    let [before, after]: [S::Velocity<f64>; 2] = [values(&before), values(&after)];
    let ends = Ends::<S>::new(parameters, h, [t, t], inputs, [state, state]);
    resolve(&ends, before.as_ref(), after.as_ref())
}

impl Limits {
    /// Tests a step of size `h` from the time `t`, with inputs that are held over it, by the states before and after it: the test
    /// that a [`Simulation`](crate::Simulation) with these limits makes of every step.
    ///
    /// # Errors
    /// [`Failure::NearlySingular`] and [`Failure::EnergyJump`].
    pub fn test<S: System, T: Scalar>(
        &self,
        parameters: &S::Parameters<T>,
        (t, h): (T, T),
        inputs: &S::Inputs<T>,
        states: [&(impl State<S, T> + Copy); 2],
    ) -> Result<(), Failure> {
        let before = kinetic::<S, T>(parameters, states[0], t);
        test::<S, T>(self, parameters, (t, h), inputs, states, before).map(drop)
    }
}

/// The second half of [`test`].
#[cold]
#[inline(never)]
fn explained<S: System, T: Scalar>(
    limits: &Limits,
    parameters: &S::Parameters<T>,
    (t, h): (T, T),
    inputs: &S::Inputs<T>,
    states: [&impl State<S, T>; 2],
    after: f64,
) -> Result<(), Failure> {
    let [first, last] = states;
    let ends = || Ends::<S>::new(parameters, h, [t, t + h], inputs, [first, last]);
    let before = kinetic::<S, T>(parameters, first, t);
    explain(ends, limits, [before, after], |end| match end {
        End::Last => kinetic_of_jump::<S, T>(parameters, last, t + h),
        _ => kinetic_of_jump::<S, T>(parameters, first, t),
    })
}

/// Why the step that failed with `failure` at a state failed.
#[cold]
#[inline(never)]
pub(crate) fn diagnosed<S: System, T: Scalar>(
    parameters: &S::Parameters<T>,
    (t, h): (T, T),
    inputs: &S::Inputs<T>,
    state: &impl State<S, T>,
    failure: Failure,
) -> Failure {
    diagnose(&Ends::<S>::new(parameters, h, [t, t], inputs, [state, state]), failure)
}

/// Why a start, or a projection, at (q, z) failed with `failure`.
#[cold]
#[inline(never)]
pub(crate) fn diagnosed_at<S: System, T: Scalar>(
    parameters: &S::Parameters<T>,
    (t, h): (T, T),
    inputs: &S::Inputs<T>,
    (q, z): (&S::Configuration<T>, &S::States<T>),
    failure: Failure,
) -> Failure {
    let (q, z) = (values(q), values(z));
    diagnose(&Ends::<S>::between(parameters, h, [t, t], inputs, [(q, z), (q, z)]), failure)
}

/// Why a system cannot be started at (q, z) by any method, if a mass that is zero or negative is the reason.
#[cold]
#[inline(never)]
pub(crate) fn undetermined_at<S: System, T: Scalar>(
    parameters: &S::Parameters<T>,
    (t, h): (T, T),
    inputs: &S::Inputs<T>,
    (q, z): (&S::Configuration<T>, &S::States<T>),
) -> Option<Failure> {
    let (q, z) = (values(q), values(z));
    balance::undetermined(&Ends::<S>::between(parameters, h, [t, t], inputs, [(q, z), (q, z)]))
}

/// That the mass matrix at q gives some velocities a negative kinetic energy, if it does.
#[doc(hidden)]
pub fn negative_inertia<S: System>(
    parameters: &S::Parameters<f64>,
    q: &S::Configuration<f64>,
    t: f64,
) -> Option<Failure> {
    let point = (*q, S::States::splat(0.0));
    let inputs = S::Inputs::splat(0.0);
    balance::negative_inertia(&Ends::<S>::between(parameters, 0.0, [t, t], &inputs, [point, point]))
}

/// The ends of a step, in `f64`.
pub(crate) struct Ends<S: System> {
    parameters: S::Parameters<f64>,
    inputs: S::Inputs<f64>,
    h: f64,
    epsilon: f64,
    /// At the [nodes](End).
    times: [f64; 3],
    q: [S::Configuration<f64>; 3],
    /// Auxiliary states, before and after.
    z: [S::States<f64>; 2],
}

/// (q, z)
type Point<S> = (<S as System>::Configuration<f64>, <S as System>::States<f64>);

impl<S: System> Ends<S> {
    pub(crate) fn new<T: Scalar>(
        parameters: &S::Parameters<T>,
        h: T,
        times: [T; 2],
        inputs: &S::Inputs<T>,
        [first, last]: [&impl State<S, T>; 2],
    ) -> Self {
        let point = [(values(&first.q()), values(&first.z())), (values(&last.q()), values(&last.z()))];
        Ends::between(parameters, h, times, inputs, point)
    }

    fn between<T: Scalar>(
        parameters: &S::Parameters<T>,
        h: T,
        times: [T; 2],
        inputs: &S::Inputs<T>,
        [(first, z0), (last, z1)]: [Point<S>; 2],
    ) -> Self {
        let mut middle = first;
        for (x, y) in middle.as_mut().iter_mut().zip(last.as_ref()) {
            *x = 0.5 * (*x + y);
        }
        let [begin, end] = times.map(T::to_f64);
        Ends {
            parameters: values(parameters),
            inputs: values(inputs),
            h: h.to_f64(),
            epsilon: T::EPSILON,
            times: [begin, 0.5 * (begin + end), end],
            q: [first, middle, last],
            z: [z0, z1],
        }
    }

    fn time(&self, end: End) -> f64 {
        of(&self.times, end)
    }

    fn q(&self, end: End) -> S::Configuration<f64> {
        of(&self.q, end)
    }
}

fn of<X: Copy>(&[first, middle, last]: &[X; 3], end: End) -> X {
    match end {
        End::First => first,
        End::Middle => middle,
        End::Last => last,
    }
}

impl<S: System> Passage for Ends<S> {
    type Velocity = S::Velocity<f64>;
    type Multipliers = S::Multipliers<f64>;
    type Mass = <S::Velocity<f64> as Rows>::Of<S::Velocity<f64>>;
    type Forms = <S::Multipliers<f64> as Rows>::Of<S::Velocity<f64>>;
    type Square = <S::Multipliers<f64> as Rows>::Of<S::Multipliers<f64>>;

    fn names(&self) -> &'static [&'static str] {
        S::CONSTRAINTS
    }

    fn velocity_names(&self) -> &'static [&'static str] {
        S::VELOCITIES
    }

    fn is_massless(&self) -> bool {
        S::MASSLESS
    }

    fn is_forced(&self) -> bool {
        S::FORCED
    }

    fn h(&self) -> f64 {
        self.h
    }

    fn epsilon(&self) -> f64 {
        self.epsilon
    }

    fn size(&self) -> f64 {
        self.q(End::First).as_ref().iter().fold(0.0, |size: f64, x| size.max(x.abs()))
    }

    fn velocities(&self, x: f64) -> S::Velocity<f64> {
        S::Velocity::splat(x)
    }

    fn mass(&self) -> Self::Mass {
        S::Velocity::rows(S::Velocity::splat(0.0))
    }

    fn forms(&self) -> Self::Forms {
        S::Multipliers::<f64>::rows(S::Velocity::splat(0.0))
    }

    fn square(&self) -> Self::Square {
        S::Multipliers::<f64>::rows(S::Multipliers::splat(0.0))
    }

    fn parameter_names(&self) -> &'static [&'static str] {
        S::PARAMETERS
    }

    fn parameter(&self, i: usize) -> f64 {
        self.parameters.as_ref().get(i).copied().unwrap_or(f64::NAN)
    }

    fn momentum(&self, end: End, v: &S::Velocity<f64>) -> S::Velocity<f64> {
        S::momentum(&self.parameters, &self.q(end), v, self.time(end))
    }

    fn momentum_with(&self, which: u64, end: End, v: &S::Velocity<f64>) -> S::Velocity<f64> {
        let mut parameters = self.parameters;
        let set = parameters.as_mut().iter_mut().take(64).enumerate();
        set.filter(|(i, _)| which >> i & 1 == 1).for_each(|(_, x)| *x = 1.0);
        S::momentum(&parameters, &self.q(end), v, self.time(end))
    }

    fn potential(&self, place: End, time: End) -> f64 {
        S::energy(&self.parameters, &self.q(place), &S::Velocity::splat(0.0), self.time(time))
    }

    fn residual(&self, end: End, v: &S::Velocity<f64>) -> S::Multipliers<f64> {
        S::residual(&self.parameters, &self.q(end), v, self.time(end), &self.inputs)
    }

    fn slowest(&self, end: End) -> Option<S::Velocity<f64>> {
        let (q, rest) = (self.q(end), S::Velocity::splat(0.0));
        S::project_once(&self.parameters, &q, &rest, self.time(end), &self.inputs).ok()
    }

    fn acceleration(&self, time: End, v: &S::Velocity<f64>, after: f64) -> Option<S::Velocity<f64>> {
        let mut by = *v;
        by.as_mut().iter_mut().for_each(|x| *x *= after);
        let (q, z) = (self.q(End::First).displaced(by.as_ref()), &self.z[usize::from(time == End::Last)]);
        let acceleration = S::acceleration_of(&self.parameters, &q, v, z, self.time(time), &self.inputs);
        acceleration.ok().map(|(a, _)| a)
    }
}
