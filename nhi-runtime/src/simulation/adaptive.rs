//! Simulations with a tolerance.

use super::clock::{Clock, check_time};
use crate::derivatives::{Departure, Kept, Last};
use crate::error::finite;
use crate::method::{self, flushed};
use crate::statistics::Evaluations;
use crate::tolerance::{Accepted, Controller, Stalled};
use crate::{
    AnyStepSize, Error, Failure, Fields, Fits, Limits, Method, Quantity, SampleOf, Simulation, State, System,
    passage,
};
use core::ops::Deref;

/// A simulation that chooses the sizes of its steps by a tolerance; see [`Builder::tolerance`](crate::Builder::tolerance).
///
/// It takes pairs of steps. Two steps of size h from the state y₀ = (q, v, z) lead to y₂, and one step of size 2h to w. For a method
/// of order p,
///
/// ```text
/// err = max_i |y₂ᵢ − wᵢ| / ((2^p − 1) tol (1 + max(|y₀ᵢ|, |y₂ᵢ|)))
/// ```
///
/// estimates the error of the pair. If err > 1, or if a step fails, the pair is forgotten and repeated with smaller steps.
/// The next size is h min(5, max(0.2, 0.9 err^(−1/(p + 1)))), and no larger than h after a rejection. This is step-size control by
/// doubled steps: Hairer, Nørsett and Wanner, *Solving Ordinary Differential Equations I*, section II.4, with the maximum norm. It
/// costs half as many steps again as are kept.
///
/// The tolerance bounds the error of one pair: relative for numbers above 1, and absolute below. The error at a given time is then
/// proportional to tol^(p/(p + 1)), for `Frame` to tol^(2/3); it falls by a factor of 4.6 if the tolerance falls by 10. The states that
/// are kept are those of the method itself, without extrapolation: they satisfy the constraints, and those of
/// [`Frame`](crate::Frame) have the energy of the start up to rounding. Other methods keep the energy well only with steps of one size.
///
/// All that can be [read](Simulation) of a simulation can be read of this one; [`h`](Simulation::h) is the size of the last steps, and
/// before them that of the first ones that are tried.
#[derive(Clone, Debug)]
pub struct AdaptiveSimulation<S: System, M: Method<S>> {
    simulation: Simulation<S, M>,
    controller: Controller,
    rejections: u64,
}

/// Two steps of one size, with the states before, between and after them.
struct Pair<P, T> {
    h: f64,
    prepared: P,
    states: [T; 3],
    kinetic: f64,
}

/// What steps of one size have in common, and the state that they begin with.
type Begin<S, M> = (<M as Method<S>>::Prepared<f64>, <M as Method<S>>::State<f64>);

/// The pair of a method.
type PairOf<S, M> = Pair<<M as Method<S>>::Prepared<f64>, <M as Method<S>>::State<f64>>;

impl<S: System, M: Method<S>> Deref for AdaptiveSimulation<S, M> {
    type Target = Simulation<S, M>;

    fn deref(&self) -> &Simulation<S, M> {
        &self.simulation
    }
}

impl<S: System, M: Method<S>> AdaptiveSimulation<S, M>
where
    M::State<f64>: AnyStepSize,
{
    pub(super) fn new(simulation: Simulation<S, M>, controller: Controller) -> Self {
        AdaptiveSimulation { simulation, controller, rejections: 0 }
    }

    /// The tolerance.
    pub fn tolerance(&self) -> f64 {
        self.controller.tolerance()
    }

    /// The number of pairs of steps that were forgotten because their error was too large, or because a step failed.
    pub fn rejections(&self) -> u64 {
        self.rejections
    }

    /// Takes two steps, with the inputs held.
    ///
    /// # Errors
    /// [`Error::Stalled`] if no step is accurate enough; the simulation is unchanged.
    pub fn step(&mut self) -> Result<(), Error> {
        let pair = self.accurate(None)?;
        self.accept(&pair);
        Ok(())
    }

    /// Takes steps until the time is `t`, which may be in the past. The last ones are shortened, so that they end at `t`; that does not
    /// shorten later ones.
    ///
    /// ```
    /// use nhi_runtime::prelude::*;
    ///
    /// /// A pendulum of length 1.
    /// #[derive(Nonholonomic)]
    /// #[nonholonomic(
    ///     coordinates(phi),
    ///     lagrangian = dot(phi)^2/2 + g*cos(phi),
    ///     constraints(),
    ///     methods(Frame),
    /// )]
    /// struct Pendulum { g: f64 }
    ///
    /// let mut sim =
    ///     Simulation::builder(Pendulum { g: 9.81 }, Frame).start([3.0], [0.0]).tolerance(1e-6).build()?;
    /// let energy = sim.energy();
    /// for k in 1..=10 {
    ///     sim.run_until(f64::from(k))?;
    ///     println!("t = {}, phi = {}, h = {}", sim.time(), sim.q()[0], sim.h());
    /// }
    /// assert!((sim.energy() - energy).abs() < 1e-12 * energy);
    /// # Ok::<(), nhi_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NonFinite`] if `t` is not finite; the simulation is unchanged. [`Error::Stalled`] if no step is accurate enough; the
    /// simulation is in the state before that step.
    pub fn run_until(&mut self, t: f64) -> Result<(), Error> {
        check_time(t)?;
        while self.time() != t {
            let pair = self.accurate(Some(t))?;
            self.accept(&pair);
        }
        Ok(())
    }

    /// Takes steps until `condition` is true of a sample, and returns the time at which it becomes true, located up to rounding, as
    /// [`Simulation::advance_until`] does. If it is true of the present sample, no step is taken.
    ///
    /// # Errors
    /// [`Error::Stalled`] if no step is accurate enough, and [`Error::Step`] if a shorter step to the event fails; the simulation is in
    /// the state before that step.
    pub fn advance_until(&mut self, condition: impl Fn(&SampleOf<S>) -> bool) -> Result<f64, Error> {
        if condition(&self.sample()) {
            return Ok(self.time());
        }
        loop {
            let pair = self.accurate(None)?;
            let end = pair.end;
            let Pair { states: [_, middle, last], .. } = pair.pair;
            let simulation = &mut self.simulation;
            simulation.enter(&pair.pair);
            for state in [middle, last] {
                let t = simulation.clock.time(simulation.steps + 1);
                if condition(&simulation.sample_of(&state, simulation.steps + 1, t)) {
                    let departure = simulation.leaving();
                    return simulation.locate((state, departure), condition);
                }
                simulation.follow(state);
            }
            simulation.arrive(end, pair.pair.kinetic);
        }
    }

    /// Holds these control inputs from now on.
    ///
    /// # Errors
    /// [`Error::NonFinite`]; the simulation is unchanged.
    pub fn set_inputs(&mut self, inputs: &(impl Fits<S::Inputs<f64>> + Copy)) -> Result<(), Error> {
        let inputs: S::Inputs<f64> = (*inputs).fit();
        finite(Quantity::Input, S::INPUTS, inputs.as_ref())?;
        self.simulation.inputs = inputs;
        Ok(())
    }

    /// As [`Simulation::set_state`].
    ///
    /// # Errors
    /// As there.
    pub fn set_state(
        &mut self,
        q: impl Fits<S::Configuration<f64>>,
        v: impl Fits<S::Velocity<f64>>,
    ) -> Result<(), Error> {
        self.simulation.set_state(q, v)
    }

    /// As [`Simulation::set_states`].
    ///
    /// # Errors
    /// As there.
    pub fn set_states(&mut self, z: impl Fits<S::States<f64>>) -> Result<(), Error> {
        self.simulation.set_states(z)
    }

    /// As [`Simulation::set_parameters`].
    ///
    /// # Errors
    /// As there.
    pub fn set_parameters(&mut self, change: impl FnOnce(&mut S)) -> Result<(), Error>
    where
        S: Clone,
    {
        self.simulation.set_parameters(change)
    }

    /// As [`Simulation::set_limits`].
    pub fn set_limits(&mut self, limits: Limits) {
        self.simulation.set_limits(limits);
    }

    /// The next pair of steps that is accurate enough, towards a target time or without one.
    fn accurate(&mut self, target: Option<f64>) -> Result<Accepted<PairOf<S, M>>, Error> {
        let AdaptiveSimulation { simulation, controller, rejections } = self;
        let (estimate, now, tolerance) = (*controller, simulation.time(), controller.tolerance());
        let evaluations = Evaluations::now();
        let mut attempts = 0;
        let accepted = controller.step(now, target, |h| {
            attempts += 1;
            simulation.pair(h, &estimate)
        });
        *rejections += attempts - u64::from(accepted.is_ok());
        if const { M::TRAITS.has_newton } {
            simulation.statistics.count(evaluations, accepted.is_ok());
        }
        accepted.map_err(|Stalled { h, cause }| Error::Stalled {
            tolerance,
            time: now,
            h,
            cause: cause.map(|cause| {
                let Simulation { parameters, inputs, state, .. } = &*simulation;
                passage::diagnosed::<S, f64>(parameters, (now, h), inputs, state, cause)
            }),
        })
    }

    /// Continues from the state after a pair.
    fn accept(&mut self, Accepted { pair, end }: &Accepted<PairOf<S, M>>) {
        let simulation = &mut self.simulation;
        simulation.enter(pair);
        let [_, middle, last] = pair.states;
        simulation.follow(middle);
        simulation.follow(last);
        simulation.arrive(*end, pair.kinetic);
    }
}

impl<S: System, M: Method<S>> Simulation<S, M> {
    /// A pair of steps of size `h` from the present state, and its error.
    fn pair(&self, h: f64, controller: &Controller) -> Result<(PairOf<S, M>, f64), Failure> {
        let (long, from) = self.begin(2.0 * h)?;
        let (coarse, _) = self.stepped(&long, 2.0 * h, (0, from), self.kinetic_energy())?;
        let (prepared, first) = self.begin(h)?;
        let (middle, kinetic) = self.stepped(&prepared, h, (0, first), self.kinetic_energy())?;
        let (last, kinetic) = self.stepped(&prepared, h, (1, middle), kinetic)?;
        let states = [first, middle, last];
        let ends = [first, last, coarse];
        let (q, v, z) =
            (ends.map(|state| state.q()), ends.map(|state| state.v()), ends.map(|state| state.z()));
        let error = controller.error([
            q.each_ref().map(AsRef::as_ref),
            v.each_ref().map(AsRef::as_ref),
            z.each_ref().map(AsRef::as_ref),
        ]);
        Ok((Pair { h, prepared, states, kinetic }, error))
    }

    /// What steps of size `h` have in common, and the present state for them.
    fn begin(&self, h: f64) -> Result<Begin<S, M>, Failure> {
        let Simulation { method, parameters, .. } = self;
        let (q, v, lambda, z) = (self.q(), self.v(), self.multipliers(), self.z());
        let prepared = method.prepare(parameters, h)?;
        let state = method.state(parameters, h, &q, (&v, &v), &lambda, &z, self.time())?;
        Ok((prepared, state))
    }

    /// The state, and its kinetic energy, after the step number `k` + 1 of size `h` from the present time on.
    fn stepped(
        &self,
        prepared: &M::Prepared<f64>,
        h: f64,
        (k, mut state): (u64, M::State<f64>),
        mut kinetic: f64,
    ) -> Result<(M::State<f64>, f64), Failure> {
        let Simulation { method, limits, parameters, inputs, .. } = self;
        let t = self.time() + k as f64 * h;
        method::step::<S, M, f64>(method, prepared, &mut state, (k, t), inputs, |now, next| {
            kinetic = passage::test::<S, f64>(limits, parameters, (t, h), inputs, [now, next], kinetic)?;
            Ok(())
        })?;
        Ok((state, kinetic))
    }

    /// Continues with the steps of a pair.
    fn enter(&mut self, pair: &PairOf<S, M>) {
        self.clock = Clock::continued(self.time(), self.steps, pair.h);
        (self.prepared, self.state) = (pair.prepared, pair.states[0]);
    }

    /// Where the next step begins.
    fn leaving(&self) -> Last<S, M, f64> {
        Kept::of(|| Departure { state: self.state, inputs: self.inputs, t: self.time(), h: self.h() })
    }

    /// Continues from the state after a step.
    fn follow(&mut self, state: M::State<f64>) {
        self.last = self.leaving();
        let (before, after) = (self.v(), state.v());
        self.statistics.take(before.as_ref().iter().copied().zip(after.as_ref().iter().copied()));
        (self.state, self.steps, self.kinetic) = (state, self.steps + 1, f64::NAN);
    }

    /// Continues from the present state at the time `end`. Operations on subnormal numbers take a hundred times as long as others.
    fn arrive(&mut self, end: f64, kinetic: f64) {
        self.clock = Clock::continued(end, self.steps, self.h());
        (self.state, self.kinetic) = (self.state.each(flushed), kinetic);
    }
}
