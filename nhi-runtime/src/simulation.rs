//! One trajectory.

mod adaptive;
mod builder;
mod change;
mod clock;
mod events;
#[cfg(feature = "std")]
mod snapshot;

pub use adaptive::AdaptiveSimulation;
pub use builder::{Builder, NoStart, NoStepSize, Tolerance};
#[cfg(feature = "std")]
pub use snapshot::Snapshot;

use crate::balance::Interval;
use crate::derivatives::{Departure, Kept, Last};
use crate::error::{finite, increasing};
use crate::fields::Places;
use crate::isa::{Isa, REGISTERS, Work};
use crate::mechanics::{mean, momenta, momentum_rates, reaction, sum};
use crate::passage::{self, Ends};
use crate::ringing;
use crate::samples::SampleOf;
use crate::statistics::{Evaluations, Statistics};
use crate::unchecked::{self, unchecked};
use crate::{
    Acceleration, Arithmetic, Error, Failure, Fields, Fits, Limits, Method, Quantity, Reflecting, Sample,
    Samples, Scalar, Separate, State, System, Vector, admissible, balance, method,
};
use clock::Clock;
use core::ops::Range;

/// The integration of one trajectory: a system, a method and a state.
///
/// After k steps the time is t = k h, unless the simulation was [built](Simulation::builder) to start at another time or
/// its step size was changed. Control inputs are held: every step uses the inputs that were given last, which are zero at
/// first. Auxiliary states are zero at first, too, unless a [builder](Simulation::builder) is given others.
///
/// A simulation computes with `f64`, or with another [`Scalar`] if it is built by [`Simulation::with_parameters`].
#[derive(Clone, Debug)]
pub struct Simulation<S: System, M: Method<S>, T: Scalar = f64> {
    system: S,
    method: M,
    clock: Clock<T>,
    parameters: S::Parameters<T>,
    prepared: M::Prepared<T>,
    inputs: S::Inputs<T>,
    state: M::State<T>,
    steps: u64,
    limits: Limits,
    /// Kinetic energy of the state; NaN if it has not been computed.
    kinetic: f64,
    /// Between tests of the energy in [`Simulation::advance`].
    interval: Interval,
    /// Where the last step began.
    last: Last<S, M, T>,
    statistics: Statistics<S::Velocity<f64>>,
}

impl<S: System, M: Method<S>> Simulation<S, M> {
    /// Starts `method` at the configuration `q0` with the velocity `v0` = dq/dt and the step size `h`. The velocity has to
    /// satisfy the constraints, and the configuration the position constraints. The step size may be negative.
    ///
    /// # Errors
    /// [`Error::Constraint`] and [`Error::Position`] name a violated constraint and its residual, [`Error::Pose`] a matrix
    /// that is not a rotation. The other errors are [`Error::StepSize`], [`Error::NonFinite`] and [`Error::Start`].
    pub fn new(
        system: S,
        method: M,
        q0: impl Fits<S::Configuration<f64>>,
        v0: impl Fits<S::Velocity<f64>>,
        h: f64,
    ) -> Result<Self, Error> {
        Self::with_inputs(system, method, q0, v0, &S::Inputs::splat(0.0), h)
    }

    /// As [`Simulation::new`], with control inputs. The start of the method uses them, too.
    ///
    /// # Errors
    /// As [`Simulation::new`].
    pub fn with_inputs(
        system: S,
        method: M,
        q0: impl Fits<S::Configuration<f64>>,
        v0: impl Fits<S::Velocity<f64>>,
        inputs: &(impl Fits<S::Inputs<f64>> + Copy),
        h: f64,
    ) -> Result<Self, Error> {
        let parameters = system.parameters();
        Self::with_parameters(system, method, parameters, q0, v0, inputs, h)
    }

    /// As [`Simulation::new`], with the admissible velocity nearest to `v0` in the kinetic-energy metric. Before, the matrix of a
    /// pose is replaced by the rotation nearest to it, as that of numbers with three decimals has to be, and `q0` is brought onto
    /// position constraints, if there are any, by Gauss–Newton steps in the same metric.
    ///
    /// # Errors
    /// As [`Simulation::new`], and [`Error::Projection`].
    pub fn project(
        system: S,
        method: M,
        q0: impl Fits<S::Configuration<f64>>,
        v0: impl Fits<S::Velocity<f64>>,
        h: f64,
    ) -> Result<Self, Error> {
        let (parameters, inputs) = (system.parameters(), S::Inputs::splat(0.0));
        Self::build(
            system,
            method,
            parameters,
            (q0.fit(), v0.fit()),
            (S::States::splat(0.0), inputs),
            Clock::new(0.0, h),
            nearest::<S>,
        )
    }

    /// Takes `steps` steps with the inputs held. The states are those of [`Simulation::step`], bit for bit. This takes less
    /// time, because the energy is tested once after many steps, and so are the results of short steps. Intermediate
    /// multipliers that no later state depends on may be neither computed nor checked. If the kinetic energy has grown by more
    /// than a factor of 2 that the energy at rest and driven constraints do not explain, or has shrunk so much in a system
    /// without forces, the steps are repeated with the same test at shorter intervals, and these with the test of [`Limits`]
    /// after each step. So a step that multiplies the energy is found at once, unless the energy is lost again before the next
    /// check.
    ///
    /// # Errors
    /// [`Error::Step`] says which step failed and why; the simulation is in the state before that step.
    pub fn advance(&mut self, steps: u64) -> Result<(), Error> {
        self.advance_by::<Separate>(steps)
    }

    /// As [`Simulation::advance`] with [`Fused`](crate::Fused) multiply–add operations. It takes up to a fifth less time on
    /// processors that have them (`benches/README.md`). Long steps are those of [`Simulation::advance`], and so are those that
    /// are repeated with a test after each, and those that are watched for velocities that [ring](crate::ringing).
    ///
    /// States differ by rounding from those of [`Simulation::step`]. They also depend on the processor, and on how steps
    /// are divided among calls.
    ///
    /// # Errors
    /// As [`Simulation::advance`].
    #[cfg(feature = "std")]
    pub fn advance_fused(&mut self, steps: u64) -> Result<(), Error> {
        self.advance_by::<crate::Fused>(steps)
    }

    /// Whether no step since the given state, number of steps and kinetic energy need be tested.
    fn is_plausible_after(&self, (state, steps, before): &(M::State<f64>, u64, f64)) -> bool {
        let after = passage::kinetic_of_jump::<S, f64>(&self.parameters, &self.state, self.time());
        let times = [*steps, self.steps].map(|k| self.clock.time(k));
        let Simulation { limits, parameters, inputs, .. } = self;
        let at = (self.time(), self.h());
        let passage = Ends::<S>::new(parameters, at.1, times, inputs, [state, &self.state]);
        !balance::is_suspicious(&passage, *before, after)
            && passage::resolves::<S, f64>(limits, parameters, at, inputs, &self.state).is_ok()
    }

    #[inline]
    fn advance_by<A: Arithmetic>(&mut self, steps: u64) -> Result<(), Error> {
        self.advance_on::<A>(Isa::best(), steps)
    }

    /// As [`Simulation::advance`], with the given instruction set.
    #[inline]
    pub(crate) fn advance_on<A: Arithmetic>(&mut self, isa: Isa, steps: u64) -> Result<(), Error> {
        let inputs = self.inputs;
        let end = self.steps + steps;
        while self.steps < end {
            let count = self.interval.next(self.steps, end - self.steps);
            let (count, watched) = ringing::together(self.steps, count);
            let alone = Batch::<S, M>::ALONE;
            if watched == count || const { Last::<S, M, f64>::KEEPS } && count <= alone {
                self.take_checked(count, &inputs)?;
                continue;
            }
            let (before, last) = ((self.state, self.steps, self.kinetic_energy()), self.last);
            let ringing = *self.statistics.watched();
            let deferred = count.saturating_sub(alone + watched);
            let batch = Batch { simulation: self, count: deferred };
            // Longer steps have one version of the loop, or none: each doubles the time of the build, and checks cost little
            // relative to such steps. Few steps before those that are watched need no loop.
            let state = if watched > 0 && deferred == 0 || const { M::TRAITS.length.is_long() } {
                None
            } else if const { M::TRAITS.length.is_short() } {
                isa.run_scalar::<_, A, true>(batch)
            } else {
                isa.run_scalar::<_, A, false>(batch)
            };
            let is_fine = match state {
                Some(Some(state)) => {
                    (self.state, self.steps) = (state, self.steps + deferred);
                    if alone == 0 && watched == 0 {
                        method::flush_subnormals(&mut self.state, self.steps);
                    }
                    self.statistics.skip();
                    // If the velocity before these steps was not computed, nor can be its energy.
                    self.kinetic = if Batch::<S, M>::IS_PARTIAL { f64::INFINITY } else { f64::NAN };
                    let is_alone_fine = alone == 0 || self.take_checked(alone, &inputs).is_ok();
                    self.statistics.skip();
                    is_alone_fine && self.take_untested(watched, &inputs, Looks::Velocities)
                }
                Some(None) => false,
                None if count == 1 => {
                    self.take_checked(1, &inputs)?;
                    self.interval.lengthen(self.steps);
                    continue;
                }
                None => {
                    self.take_untested(count - watched, &inputs, Looks::Results)
                        && self.take_untested(watched, &inputs, Looks::Velocities)
                }
            };
            if is_fine && self.is_plausible_after(&before) {
                self.interval.lengthen(self.steps);
                continue;
            }
            (self.state, self.steps, self.kinetic) = before;
            self.last = last;
            if watched > 0 {
                self.statistics.restore(ringing);
            }
            // A step failed, or the energy has to be explained: repeat the steps.
            if !self.interval.shorten(count, const { M::TRAITS.length.is_long() }) {
                self.take_checked(count, &inputs)?;
            }
        }
        Ok(())
    }
}

/// What is looked at after a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Looks {
    /// Whether the results are finite.
    Results,
    /// Also the signs of velocities.
    Velocities,
    /// Also the energy.
    Energy,
}

/// `count` steps whose results are checked once, after the last one.
struct Batch<'a, S: System, M: Method<S>> {
    simulation: &'a Simulation<S, M>,
    count: u64,
}

impl<S: System, M: Method<S>> Batch<'_, S, M> {
    /// Whether the loop computes only the numbers of the state that the next step reads, not the velocities. One checked
    /// step after the loop computes the others.
    const IS_PARTIAL: bool = M::TRAITS.dead.len() > <S::Multipliers<f64> as Fields<f64>>::LEN;

    /// How many steps after the loop are taken one by one: one that computes all numbers of the state, and one before which the
    /// state is kept.
    const ALONE: u64 = Self::IS_PARTIAL as u64 + Last::<S, M, f64>::KEEPS as u64;

    /// How many numbers a step reads.
    const NUMBERS: usize = <M::State<f64> as Fields<f64>>::LEN - M::TRAITS.dead.len();

    /// Whether the numbers of a step fit into registers. With fused operations, some registers have to remain for
    /// intermediate results.
    const fn fits(fused: bool) -> bool {
        M::TRAITS.length.is_short() && !M::TRAITS.has_newton && !(fused && Self::NUMBERS > REGISTERS - 4)
    }

    /// The state after the given steps, without re-synchronisation.
    #[inline(always)]
    fn take<T: Scalar>(
        &self,
        prepared: &M::Prepared<T>,
        inputs: &S::Inputs<T>,
        mut state: M::State<T>,
        steps: Range<u64>,
    ) -> Option<M::State<T>> {
        let Simulation { method, clock, .. } = self.simulation;
        for n in clock.since_origin(steps) {
            if const { Self::fits(T::DRIVE.fused) } {
                // Opaque, because the compiler would pack the numbers where the initial state and that of the last iteration
                // meet.
                state = state.each(|x| x.opaque());
            }
            state = method.step(prepared, &state, T::from_f64(clock.after(n)), inputs).ok()?;
            // With fused operations, longer states take less time if they are packed.
            if const { T::DRIVE.fused && Self::NUMBERS <= REGISTERS } {
                state = state.each(|x| x.opaque());
            }
        }
        Some(state)
    }
}

impl<S: System, M: Method<S>> Work for Batch<'_, S, M> {
    /// The final state; `None` if a step fails or a number is not finite.
    type Output = Option<M::State<f64>>;
    /// Steps with Newton's method have many live values. Longer steps get no version for AVX-512, which would double the time
    /// of the build.
    const MANY: bool = M::TRAITS.length.is_short() && M::TRAITS.has_newton;

    #[inline(always)]
    fn run<T: Scalar>(self) -> Self::Output {
        let Simulation { method, prepared, inputs, state, steps, .. } = self.simulation;
        let prepared: M::Prepared<T> = unchecked(prepared);
        let inputs: S::Inputs<T> = unchecked(inputs);
        let mut state: M::State<T> = unchecked(state);
        let all = *steps..*steps + self.count;
        if const { M::TRAITS.has_recurrence } {
            // Re-synchronisation is outside of the inner loop, where it would occupy registers.
            for steps in method::parts::<S, M>(all) {
                method.resync_if_due(&mut state, steps.start);
                state = self.take(&prepared, &inputs, state, steps)?;
            }
        } else {
            state = self.take(&prepared, &inputs, state, all)?;
        }
        let places = const { Places::new(if Self::IS_PARTIAL { M::TRAITS.dead } else { &[] }) };
        unchecked::finite(&state.with(T::from_f64(0.0), places, 0))
    }
}

impl<S: System, M: Method<S>, T: Scalar> Simulation<S, M, T> {
    /// Starts a simulation in the number type `T`, in which parameters, initial data, inputs and step size are given. With
    /// [`Dual`](crate::Dual) numbers it computes derivatives with respect to any of them. The parameters of `system` itself
    /// are not used.
    ///
    /// Values are checked as by [`Simulation::with_inputs`], to the accuracy of `T`. Derivatives are not checked: they may
    /// point out of the constraint manifold. `S::project(&parameters, &q, &v, t, &inputs)` returns the nearest admissible velocity,
    /// including its derivatives.
    ///
    /// # Errors
    /// As [`Simulation::new`], with values converted to `f64`.
    pub fn with_parameters(
        system: S,
        method: M,
        parameters: impl Fits<S::Parameters<T>>,
        q0: impl Fits<S::Configuration<T>>,
        v0: impl Fits<S::Velocity<T>>,
        inputs: &(impl Fits<S::Inputs<T>> + Copy),
        h: T,
    ) -> Result<Self, Error> {
        let start = (q0.fit(), v0.fit());
        let others = (S::States::splat(T::from_f64(0.0)), (*inputs).fit());
        let clock = Clock::new(T::from_f64(0.0), h);
        Self::build(system, method, parameters.fit(), start, others, clock, as_given::<S, T>)
    }

    fn build(
        system: S,
        method: M,
        parameters: S::Parameters<T>,
        (q0, v0): Point<S, T>,
        (z0, inputs): (S::States<T>, S::Inputs<T>),
        clock: Clock<T>,
        admissible: Admissible<S, T>,
    ) -> Result<Self, Error> {
        clock.check()?;
        finite(Quantity::Parameter, S::PARAMETERS, parameters.as_ref())?;
        increasing(S::TABLES, S::PARAMETERS, parameters.as_ref())?;
        finite(Quantity::Coordinate, S::COORDINATES, q0.as_ref())?;
        finite(Quantity::Velocity, S::VELOCITIES, v0.as_ref())?;
        finite(Quantity::State, S::STATES, z0.as_ref())?;
        finite(Quantity::Input, S::INPUTS, inputs.as_ref())?;
        let t = clock.time(0);
        let (q0, v0) = admissible(&parameters, (q0, v0), t, &inputs)?;
        admissible::check_pose::<S, T>(&q0)?;
        admissible::check_position::<S, T>(&parameters, &q0, t)?;
        admissible::check::<S, T>(&parameters, &q0, &v0, t, &inputs)?;
        let (prepared, state) = started(&method, &parameters, &clock, 0, (q0, v0, z0), &inputs)?;
        let (limits, kinetic, interval) = (Limits::DEFAULT, f64::NAN, Interval::LONGEST);
        Ok(Simulation {
            system,
            method,
            clock,
            parameters,
            prepared,
            inputs,
            state,
            steps: 0,
            limits,
            kinetic,
            interval,
            last: Kept::NOTHING,
            statistics: Statistics::new(S::Velocity::splat(0.0)),
        })
    }

    /// Refuses steps by other limits from now on.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// When a step is refused although its results are finite.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// What has been noticed of the steps: how many needed the safeguarded form of Newton's method, and which velocities ring.
    /// A simulation from a snapshot begins anew.
    ///
    /// ```
    /// use nhi_runtime::prelude::*;
    ///
    /// #[derive(Nonholonomic, Clone)]
    /// #[nonholonomic(coordinates(x), lagrangian = dot(x)^2/2, constraints(), force = -c*dot(x)*dx)]
    /// struct Damped {
    ///     c: f64,
    /// }
    ///
    /// // The time constant is a hundredth of a step.
    /// let mut sim = Simulation::new(Damped { c: 1e4 }, Dla2, [0.0], [1.0], 0.01).unwrap();
    /// for _ in 0..20 {
    ///     sim.step().unwrap();
    /// }
    /// assert!(sim.statistics().ringing().eq([0]));
    /// assert_eq!(sim.statistics().safeguarded(), 0);
    /// ```
    pub fn statistics(&self) -> &Statistics<S::Velocity<f64>> {
        &self.statistics
    }

    /// The kinetic energy of the present state.
    fn kinetic_energy(&self) -> f64 {
        if self.kinetic.is_nan() {
            passage::kinetic::<S, T>(&self.parameters, &self.state, self.time())
        } else {
            self.kinetic
        }
    }

    /// Takes one step with the inputs held. After every 4096th step, subnormal numbers of the state (below 2.3 · 10⁻³⁰⁸) are
    /// replaced by zero. A step that ends with kinetic energy it cannot explain is refused, as [`Limits`] says.
    ///
    /// # Errors
    /// [`Error::Step`] says which step failed and why; the simulation is unchanged.
    #[inline]
    pub fn step(&mut self) -> Result<(), Error> {
        let inputs = self.inputs;
        self.take_step(&inputs)
    }

    /// Sets the inputs and takes one step.
    ///
    /// # Errors
    /// [`Error::NonFinite`] and [`Error::Step`]; the simulation is unchanged.
    #[inline]
    pub fn step_with(&mut self, inputs: &(impl Fits<S::Inputs<T>> + Copy)) -> Result<(), Error> {
        let inputs: S::Inputs<T> = (*inputs).fit();
        finite(Quantity::Input, S::INPUTS, inputs.as_ref())?;
        self.take_step(&inputs)?;
        self.inputs = inputs;
        Ok(())
    }

    /// One step. Short steps are inlined.
    #[inline]
    fn take_step(&mut self, inputs: &S::Inputs<T>) -> Result<(), Error> {
        if const { !M::TRAITS.length.is_short() || cfg!(debug_assertions) } {
            return self.take_checked(1, inputs);
        }
        self.take_step_inline(inputs, Looks::Energy)
    }

    /// Steps with a check of the results after each, and a test of the energy.
    #[inline]
    fn take_checked(&mut self, steps: u64, inputs: &S::Inputs<T>) -> Result<(), Error> {
        self.take_steps(steps, inputs, Looks::Energy)
    }

    /// Steps with a check of the results after each, whose energy is not tested; false if one fails.
    #[inline]
    fn take_untested(&mut self, steps: u64, inputs: &S::Inputs<T>, looks: Looks) -> bool {
        if steps == 0 {
            return true;
        }
        self.kinetic = f64::NAN;
        if looks == Looks::Results {
            self.statistics.skip();
        }
        self.take_steps(steps, inputs, looks).is_ok()
    }

    /// Steps with a check of the results after each, compiled once: compiling steps takes most of the time of a build. Unless the
    /// energy is tested, the kinetic energy after the steps is not computed.
    #[inline]
    fn take_steps(&mut self, steps: u64, inputs: &S::Inputs<T>, looks: Looks) -> Result<(), Error> {
        <M::Prepared<T> as Fields<T>>::outlined(|| {
            // Without a function in between: every function that a step is inlined through is optimised once more.
            for _ in 0..steps {
                self.take_step_inline(inputs, looks)?;
            }
            Ok(())
        })
    }

    #[inline(always)]
    fn take_step_inline(&mut self, inputs: &S::Inputs<T>, looks: Looks) -> Result<(), Error> {
        let time = self.time();
        let h = self.h();
        let last = Kept::of(|| Departure { state: self.state, inputs: *inputs, t: time, h });
        let Simulation { method, parameters, prepared, state, steps, limits, kinetic, statistics, .. } = self;
        let evaluations = Evaluations::now();
        let stepped = method::step::<S, M, T>(
            method,
            prepared,
            state,
            (*steps, time),
            inputs,
            #[inline(always)]
            |now, next| {
                if looks == Looks::Energy {
                    let (at, ends) = ((time, h), [now, next]);
                    *kinetic = passage::test::<S, T>(limits, parameters, at, inputs, ends, *kinetic)?;
                }
                if looks != Looks::Results {
                    let (before, after) = (now.v(), next.v());
                    let velocities = before.as_ref().iter().zip(after.as_ref());
                    statistics.take(velocities.map(|(before, after)| (before.to_f64(), after.to_f64())));
                }
                Ok(())
            },
        );
        if const { M::TRAITS.has_newton } {
            self.statistics.count(evaluations, stepped.is_ok());
        }
        match stepped {
            Ok(()) => {
                self.steps += 1;
                self.last = last;
                Ok(())
            }
            Err(cause) => Err(self.failed(cause)),
        }
    }

    /// The error of the next step. The time is computed again: few steps depend on it, and few fail.
    #[cold]
    fn failed(&self, cause: Failure) -> Error {
        let time = self.time();
        let at = (time, self.h());
        let cause = passage::diagnosed::<S, T>(&self.parameters, at, &self.inputs, &self.state, cause);
        Error::Step { step: self.steps + 1, time: time.to_f64(), cause }
    }

    /// An infinite iterator over samples of the trajectory: the present one, then one after every `every` steps (at least
    /// one).
    ///
    /// It borrows the simulation and advances it. It ends after an error, with the simulation in the state after the last
    /// step that succeeded.
    pub fn samples(&mut self, every: usize) -> Samples<'_, S, M, T> {
        Samples::new(self, every)
    }

    /// The present sample of the trajectory.
    pub fn sample(&self) -> SampleOf<S, T> {
        self.sample_of(&self.state, self.steps, self.time())
    }

    /// The sample of a state.
    #[inline]
    fn sample_of(&self, state: &M::State<T>, k: u64, t: T) -> SampleOf<S, T> {
        let (q, v) = (state.q(), state.v());
        let p = S::momentum(&self.parameters, &q, &v, t);
        let energy = S::energy(&self.parameters, &q, &v, t);
        Sample { k, t, q, v, p, lambda: state.lambda(), z: state.z(), energy }
    }

    /// Time t.
    #[inline]
    pub fn time(&self) -> T {
        self.clock.time(self.steps)
    }

    /// Number k of steps taken.
    #[inline]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The step size.
    #[inline]
    pub fn h(&self) -> T {
        self.clock.h()
    }

    /// Configuration q.
    #[inline]
    pub fn q(&self) -> S::Configuration<T> {
        self.state.q()
    }

    /// Velocity v = dq/dt.
    #[inline]
    pub fn v(&self) -> S::Velocity<T> {
        self.state.v()
    }

    /// Auxiliary states z, in the order of [`System::STATES`].
    #[inline]
    pub fn z(&self) -> S::States<T> {
        self.state.z()
    }

    /// Momentum p = ∂L/∂v.
    pub fn p(&self) -> S::Velocity<T> {
        S::momentum(&self.parameters, &self.q(), &self.v(), self.time())
    }

    /// Multipliers λ of the last step, one per constraint: the reaction force is +μᵀλ, and its impulse over a step is
    /// h μᵀλ. The unit of λ is newton for a constraint in metres per second, and newton metre for one in radians per
    /// second. Before the first step, these are the multipliers of the start.
    ///
    /// | method | difference from the continuous λ |
    /// |---|---|
    /// | [`Dla2`](crate::Dla2), [`Dla2Midpoint`](crate::Dla2Midpoint), Runge–Kutta | O(h²) in the middle of the step, O(h) at its end |
    /// | [`Rattle`](crate::Rattle), [`GniMidpoint`](crate::GniMidpoint) with the consistent start, [`RattleRestarted`](crate::RattleRestarted) | O(h²) at its end, while the parasitic mode is small |
    /// | other methods on the constraint manifold; compositions, where λ is that of the last substep | O(h) |
    /// | other starts; [`GniEulerA`](crate::GniEulerA) and related methods | O(1): the parasitic mode |
    ///
    /// Impulses contain the rounding of velocities, ε|v|, and with position constraints that of configurations, ε|q|/h. Divided by h,
    /// this is large in very short steps: m ε|q|/h² is 200 N for 1 kg, 1 m and h = 1e-9 s. [`Simulation::acceleration`] computes λ as
    /// accurately as the state.
    #[inline]
    pub fn multipliers(&self) -> S::Multipliers<T> {
        self.state.lambda()
    }

    /// The reaction μ(q)ᵀλ with the [multipliers](Simulation::multipliers) of the last step, a mean over the step: a force
    /// for coordinates that are lengths, a torque for angles. Costs n + 1 evaluations of the constraints.
    pub fn reaction(&self) -> S::Velocity<T> {
        reaction::<S, T>(&self.parameters, &self.q(), self.time(), &self.multipliers())
    }

    /// Power that drives put into the system through the constraints: (μᵀλ)·v = −λ·μ₀, with the [multipliers] of the last step,
    /// a mean over the step. It vanishes for constraints that are linear in the velocities.
    ///
    /// The energy changes by this power, by that of the forces, and by −∂L/∂t. With λ from [`Simulation::acceleration`]
    /// instead, the power is as accurate as the state, except for constraints that depend on inputs: the rates of inputs are
    /// unknown there. Costs n + 1 evaluations of the constraints.
    ///
    /// [multipliers]: Simulation::multipliers
    pub fn constraint_power(&self) -> T {
        let (reaction, v) = (self.reaction(), self.v());
        sum(reaction.as_ref().iter().zip(v.as_ref()).map(|(&force, &v)| force * v))
    }

    /// μv + μ₀ with the inputs held, one number per constraint, in its unit. It is a rounding error for methods that stay on the
    /// constraint manifold, and grows for Runge–Kutta methods. Costs one evaluation of the constraints.
    pub fn residual(&self) -> S::Multipliers<T> {
        S::residual(&self.parameters, &self.q(), &self.v(), self.time(), &self.inputs)
    }

    /// g(q) of the position constraints, the last of [`System::CONSTRAINTS`], in their units. It is a rounding error for
    /// methods that keep them, and grows for Runge–Kutta methods. Costs one evaluation of these constraints.
    pub fn position_residual(&self) -> impl AsRef<[T]> + use<S, M, T> {
        S::position(&self.parameters, &self.q(), self.time())
    }

    /// Energy E = ∂L/∂v · v − L. Costs one evaluation.
    pub fn energy(&self) -> T {
        S::energy(&self.parameters, &self.q(), &self.v(), self.time())
    }

    /// The momenta p·ξ of the [symmetries](System::SYMMETRIES) that were found in the declaration, with their names, such as
    /// `p_phi`. Costs one evaluation of p.
    ///
    /// The continuous motion conserves them. All DLA and reflecting methods do so up to rounding, except
    /// [`Dla2`](crate::Dla2) where ξᵀM depends on q: it then conserves quantities that differ from them by O(h²).
    pub fn momenta(&self) -> impl Iterator<Item = (&'static str, T)> + use<S, M, T> {
        let p = self.p();
        S::SYMMETRIES.iter().map(move |symmetry| {
            let terms = p.as_ref().iter().zip(symmetry.direction);
            (symmetry.momentum, sum(terms.map(|(&p, &xi)| p * T::from_f64(xi))))
        })
    }

    /// The nonholonomic momentum J_b = ⟨p, (0, e_b(q))⟩, where the [basis](System::momentum_basis) e_b spans the admissible
    /// velocities with which only the pose moves: one number per vector, none without a group factor. Costs evaluations of
    /// p and of the basis.
    ///
    /// Reactions do not act along e_b, so the continuous motion obeys the momentum equation
    ///
    /// ```text
    /// dJ_b/dt = ⟨∂L/∂ξ, de_b/dt + [ξ, e_b]⟩ + (f + ∂L/∂g)·e_b
    /// ```
    ///
    /// (Bloch, Krishnaprasad, Marsden and Murray, *Nonholonomic mechanical systems with symmetry*, Arch.
    /// Rational Mech. Anal. 136, 1996; ∂L/∂g is zero for a Lagrangian that is invariant under the group).
    pub fn nonholonomic_momentum(&self) -> impl Iterator<Item = T> + use<S, M, T> {
        let p = self.p();
        let basis = S::momentum_basis(&self.parameters, &self.q(), self.time());
        (0..basis.as_ref().len()).filter_map(move |b| {
            let e = basis.as_ref().get(b)?;
            Some(sum(p.as_ref().iter().zip(e.as_ref()).map(|(&p, &e)| p * e)))
        })
    }

    /// The residuals of the momentum equations of the next step, by the mid-point rule,
    ///
    /// ```text
    /// (J(q₁, v₁) − J(q₀, v₀))/h − dJ/dt(½(q₀ + q₁), ½(v₀ + v₁)),
    /// ```
    ///
    /// with their names. The step is taken with the inputs held, and forgotten: the simulation remains in its state. There is
    /// one residual for each
    ///
    /// | momentum J | its name | dJ/dt |
    /// |---|---|---|
    /// | p·ξ of the [symmetries](System::SYMMETRIES) | `p_phi` | 0 |
    /// | p·ξ of the [directions along which reactions act](System::INVARIANCES) | `p_x` | (μξ)·λ, with λ of the continuous equations |
    /// | [nonholonomic momenta](Simulation::nonholonomic_momentum) J_b | `J_1`, `J_2`, … | that of their momentum equation |
    ///
    /// Those of symmetries are rounding errors for the methods that keep [momenta](Simulation::momenta), and so are all
    /// residuals of [`Rdp`](crate::Rdp) with the retraction [`Exp1`](crate::group::Exp1) if mass matrix and constraints are
    /// constant on the group: its discrete equations are this rule. Other residuals are O(h²) for methods of order 2 or more,
    /// and O(h) for those of order 1. A residual has the unit of the rate of its momentum. All of them cost a step and one
    /// evaluation of the accelerations.
    ///
    /// # Errors
    /// [`Error::Step`], and [`Error::Acceleration`] if the equations are singular.
    pub fn momentum_residuals(
        &self,
    ) -> Result<impl Iterator<Item = (&'static str, T)> + use<S, M, T>, Error> {
        let (t, h, mut next) = (self.time(), self.h(), self.state);
        method::step::<S, M, T>(
            &self.method,
            &self.prepared,
            &mut next,
            (self.steps, t),
            &self.inputs,
            |now, next| {
                let (limits, parameters, states) = (&self.limits, &self.parameters, [now, next]);
                passage::test::<S, T>(limits, parameters, (t, h), &self.inputs, states, self.kinetic)
                    .map(drop)
            },
        )
        .map_err(|cause| self.failed(cause))?;
        let motion = |state: &M::State<T>| (state.q(), state.v(), state.z());
        let (first, last, t1) = (motion(&self.state), motion(&next), self.clock.time(self.steps + 1));
        let mean = mean::<S, T>(&first, &last);
        let middle = T::from_f64(0.5) * (t + t1);
        let rates = momentum_rates::<S, T>(&self.parameters, &mean, middle, &self.inputs)?;
        let [first, last] =
            [(&first, t), (&last, t1)].map(|(at, t)| momenta::<S, T>(&self.parameters, at, t));
        Ok(first.zip(last).zip(rates).map(move |(((name, j0), (_, j1)), rate)| (name, (j1 - j0) / h - rate)))
    }

    /// dv/dt and the multipliers λ of the continuous equations at the present state and inputs.
    ///
    /// # Errors
    /// [`Error::Acceleration`] if the equations are singular.
    pub fn acceleration(&self) -> Result<Acceleration<S, T>, Error> {
        S::acceleration_of(&self.parameters, &self.q(), &self.v(), &self.z(), self.time(), &self.inputs)
            .map_err(|cause| Error::Acceleration { cause })
    }

    /// The control inputs that are held.
    pub fn inputs(&self) -> S::Inputs<T> {
        self.inputs
    }

    /// The system.
    pub fn system(&self) -> &S {
        &self.system
    }

    /// The method.
    pub fn method(&self) -> &M {
        &self.method
    }

    /// The parameters in the number type computed with.
    pub fn parameters(&self) -> &S::Parameters<T> {
        &self.parameters
    }

    /// Where the last step began, if that is known.
    pub(crate) fn last(&self) -> &Last<S, M, T> {
        &self.last
    }

    /// The values that steps do not change.
    #[cfg(feature = "std")]
    pub(crate) fn constants(&self) -> (&S::Parameters<T>, &M::Prepared<T>) {
        (&self.parameters, &self.prepared)
    }

    /// The state of the method.
    pub fn state(&self) -> &M::State<T> {
        &self.state
    }
}

impl<S: System, M: Method<S> + Reflecting, T: Scalar> Simulation<S, M, T> {
    /// The parasitic part of the state, η = ‖½(p⁻ − p⁺) − ½h μᵀΛ(q, v)‖ with the momenta p⁺ before
    /// and p⁻ after the reflection and the multipliers Λ of the continuous equations.
    ///
    /// The reflection has the eigenvalue −1 on the reaction forces. In this subspace the method adds to the motion an
    /// oscillation from step to step that has no counterpart in the equations. Without the oscillation, η is O(h³). On
    /// some systems it grows exponentially: do not trust a run in which η is no longer small relative to p, and use a
    /// method on the constraint manifold, such as [`Dla2`](crate::Dla2). η has the unit of a momentum; coordinates of
    /// different units have to be scaled first. It costs about as much as a step.
    ///
    /// # Errors
    /// [`Error::Acceleration`] if the equations are singular.
    pub fn parasite(&self) -> Result<T, Error> {
        let (q, (v_pre, v_post), t) = (self.q(), self.state.jump(), self.time());
        let p_pre = S::momentum(&self.parameters, &q, &v_pre, t);
        let p_post = S::momentum(&self.parameters, &q, &v_post, t);
        let (_, lambda) = self.acceleration()?;
        let reaction = reaction::<S, T>(&self.parameters, &q, t, &lambda);
        let jumps = p_pre.as_ref().iter().zip(p_post.as_ref());
        let half = T::from_f64(0.5);
        let eta2 = jumps.zip(reaction.as_ref()).map(|((&pre, &post), &reaction)| {
            let eta = half * (post - pre) - half * self.h() * reaction;
            eta * eta
        });
        Ok(sum(eta2).sqrt())
    }
}

/// (q, v)
type Point<S, T> = (<S as System>::Configuration<T>, <S as System>::Velocity<T>);

/// (q, v, z)
type Start<S, T> = (<S as System>::Configuration<T>, <S as System>::Velocity<T>, <S as System>::States<T>);

/// Prepared values and a state.
type Started<S, M, T> = (<M as Method<S>>::Prepared<T>, <M as Method<S>>::State<T>);

/// The prepared values and the state of `method` that is started at (q, v, z) after `k` steps.
fn started<S: System, M: Method<S>, T: Scalar>(
    method: &M,
    parameters: &S::Parameters<T>,
    clock: &Clock<T>,
    k: u64,
    (q, v, z): Start<S, T>,
    inputs: &S::Inputs<T>,
) -> Result<Started<S, M, T>, Error> {
    let (t, h) = (clock.time(k), clock.h());
    let start = |cause: Failure| Error::Start {
        cause: passage::diagnosed_at::<S, T>(parameters, (t, h), inputs, (&q, &z), cause),
    };
    let prepared = method.prepare(parameters, h).map_err(start)?;
    let state = method.start(parameters, h, &q, &v, &z, t, inputs).map_err(start)?;
    match passage::undetermined_at::<S, T>(parameters, (t, h), inputs, (&q, &z)) {
        Some(cause) => Err(Error::Start { cause }),
        None => Ok((prepared, state)),
    }
}

/// How the initial values are made admissible. A function pointer, so that `new` does not instantiate the projection.
type Admissible<S, T> = fn(
    &<S as System>::Parameters<T>,
    Point<S, T>,
    T,
    &<S as System>::Inputs<T>,
) -> Result<Point<S, T>, Error>;

fn as_given<S: System, T: Scalar>(
    _: &S::Parameters<T>,
    start: Point<S, T>,
    _: T,
    _: &S::Inputs<T>,
) -> Result<Point<S, T>, Error> {
    Ok(start)
}

fn nearest<S: System>(
    parameters: &S::Parameters<f64>,
    (q, v): Point<S, f64>,
    t: f64,
    inputs: &S::Inputs<f64>,
) -> Result<Point<S, f64>, Error> {
    let posed = admissible::posed::<S, f64>(&q);
    let z = S::States::splat(0.0);
    let diagnosed = |q: &S::Configuration<f64>, cause| Error::Projection {
        cause: passage::diagnosed_at::<S, f64>(parameters, (t, 1.0), inputs, (q, &z), cause),
    };
    let q = admissible::on_positions::<S, f64>(parameters, &posed, t)
        .map_err(|cause| diagnosed(&posed, cause))?;
    let v = S::project(parameters, &q, &v, t, inputs).map_err(|cause| diagnosed(&q, cause))?;
    Ok((q, v))
}
