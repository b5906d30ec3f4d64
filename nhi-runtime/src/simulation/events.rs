//! Runs to a given time and to an event.

use super::Clock;
use super::clock::check_time;
use crate::derivatives::{Departure, Kept, Last};
use crate::{AnyStepSize, Error, Failure, Method, SampleOf, Simulation, System, bisection, passage};

/// Of more steps than this, one is less than the rounding of their time.
const MOST_STEPS: f64 = 9007199254740992.0;

impl<S: System, M: Method<S>> Simulation<S, M> {
    /// Takes steps until the time is `t`. The last step is shortened if `t` is between two nodes; steps after it have the
    /// size [h](Simulation::h) again, and begin at `t`. If `t` is the time of a node up to rounding, no step is shortened,
    /// and the states are those of [`Simulation::step`], bit for bit.
    ///
    /// Methods whose state belongs to one step size, such as [`Rattle`](crate::Rattle), have no shortened step: with them
    /// this does not compile.
    ///
    /// # Errors
    /// [`Error::NonFinite`] if `t` is not finite, and [`Error::Unreachable`] if the steps lead away from `t`; the simulation
    /// is unchanged. [`Error::Step`] says which step failed and why; the simulation is in the state before that step.
    pub fn run_until(&mut self, t: f64) -> Result<(), Error>
    where
        M::State<f64>: AnyStepSize,
    {
        check_time(t)?;
        let (now, h) = (self.time(), self.h());
        let steps = (t - now) / h;
        // The times of nodes are rounded, and so is `t`.
        let is_node = |k: u64| {
            let (node, size) = (self.clock.time(k), t.abs().max(self.clock.origin.abs()));
            (node - t).abs() <= 4.0 * f64::EPSILON * size
        };
        let nearest = self.steps.saturating_add((steps + 0.5) as u64);
        if steps > -0.5 && is_node(nearest) {
            return self.advance(nearest - self.steps);
        }
        if !(0.0..=MOST_STEPS).contains(&steps) {
            return Err(Error::Unreachable { t, now, h });
        }
        self.advance(steps as u64)?;
        let rest = t - self.time();
        let state = self.shortened(rest, t)?;
        self.accept_shortened(state, rest, t);
        Ok(())
    }

    /// Takes steps until `condition` is true of a sample, and returns the time at which it becomes true. That time is
    /// located to rounding: if the condition is false before a step and true after it, the step is repeated with other
    /// sizes, by bisection, and the simulation ends after the shortest step with which the condition is true. Steps after it
    /// have the size [h](Simulation::h) again. If the condition is true of the present sample, no step is taken.
    ///
    /// A condition that becomes true and false again within a step is not noticed. Bound a run in time by the condition:
    ///
    /// ```
    /// use nhi_runtime::prelude::*;
    ///
    /// /// A ball thrown up from the height `y`.
    /// #[derive(Nonholonomic)]
    /// #[nonholonomic(coordinates(y), lagrangian = dot(y)^2/2 - g*y, constraints())]
    /// struct Ball { g: f64 }
    ///
    /// let mut sim = Simulation::new(Ball { g: 10.0 }, Dla2, [1.0], [5.0], 0.01)?;
    /// let landing = sim.advance_until(|sample| sample.q[0] <= 0.0 || sample.t >= 60.0)?;
    /// // y = 1 + 5 t − 5 t².
    /// assert!((landing - (0.5 + 0.45_f64.sqrt())).abs() < 1e-14);
    /// # Ok::<(), nhi_runtime::Error>(())
    /// ```
    ///
    /// It does not compile with methods whose state belongs to one step size, as [`Simulation::run_until`].
    ///
    /// # Errors
    /// [`Error::Step`] says which step failed and why; the simulation is in the state before that step.
    pub fn advance_until(&mut self, condition: impl Fn(&SampleOf<S>) -> bool) -> Result<f64, Error>
    where
        M::State<f64>: AnyStepSize,
    {
        if condition(&self.sample()) {
            return Ok(self.time());
        }
        loop {
            let (before, last) = (self.state, self.last);
            self.step()?;
            if condition(&self.sample()) {
                let after = (self.state, self.last);
                (self.state, self.last) = (before, last);
                self.steps -= 1;
                self.kinetic = f64::NAN;
                return self.locate(after, condition);
            }
        }
    }

    /// The time in the next step, after which the state is that of `after`, at which `condition` becomes true.
    pub(super) fn locate(
        &mut self,
        after: (M::State<f64>, Last<S, M, f64>),
        condition: impl Fn(&SampleOf<S>) -> bool,
    ) -> Result<f64, Error> {
        let now = self.time();
        let found = bisection::event(now, self.h(), |size| {
            let t = now + size;
            let state = self.shortened(size, t)?;
            Ok(condition(&self.sample_of(&state, self.steps + 1, t)).then_some(state))
        })?;
        match found {
            Some((size, state)) => self.accept_shortened(state, size, now + size),
            None => {
                (self.state, self.last) = after;
                (self.steps, self.kinetic) = (self.steps + 1, f64::NAN);
            }
        }
        Ok(self.time())
    }

    /// The state after a step of the size `h` to the time `t`, for further steps of the size [`Simulation::h`].
    fn shortened(&self, h: f64, t: f64) -> Result<M::State<f64>, Error> {
        let Simulation { method, parameters, inputs, .. } = self;
        let now = self.time();
        let step = || -> Result<M::State<f64>, Failure> {
            let prepared = method.prepare(parameters, h)?;
            let before = method.rescale(parameters, h, &method.resync(&self.state), now)?;
            let after = method.step(&prepared, &before, now, inputs)?;
            let after = method.update_velocity(h, &before, &after);
            let (ends, energy) = ([&self.state, &after], self.kinetic_energy());
            passage::test::<S, f64>(&self.limits, parameters, (now, h), inputs, ends, energy)?;
            method.rescale(parameters, self.h(), &after, t)
        };
        step().map_err(|cause| self.failed(cause))
    }

    /// Continues from the state after a shortened step of the size `h` to the time `t`.
    fn accept_shortened(&mut self, state: M::State<f64>, h: f64, t: f64) {
        let departure = || Departure { state: self.state, inputs: self.inputs, t: self.time(), h };
        self.last = Kept::of(departure);
        (self.state, self.steps, self.kinetic) = (state, self.steps + 1, f64::NAN);
        self.clock = Clock::continued(t, self.steps, self.h());
    }
}
