//! Changes between two steps.

use super::{Clock, Start, started};
use crate::derivatives::Kept;
use crate::error::{finite, increasing};
use crate::{Error, Fits, Method, Quantity, Scalar, Simulation, System, admissible};

impl<S: System, M: Method<S>, T: Scalar> Simulation<S, M, T> {
    /// Continues with steps of the size `h`, which may be negative. The method starts anew at the present time, (q, v, z) and
    /// inputs, which keeps its order. [`Simulation::multipliers`] are those of the start until the next step.
    ///
    /// A reflecting method, such as [`Rattle`](crate::Rattle), starts as it was chosen to; its parasitic mode starts anew,
    /// too.
    ///
    /// # Errors
    /// [`Error::StepSize`] and [`Error::Start`]; the simulation is unchanged.
    pub fn set_step_size(&mut self, h: T) -> Result<(), Error> {
        let clock = Clock::continued(self.time(), self.steps, h);
        clock.check()?;
        let at = (self.q(), self.v(), self.z());
        (self.prepared, self.state) =
            started(&self.method, &self.parameters, &clock, self.steps, at, &self.inputs)?;
        self.clock = clock;
        self.kinetic = f64::NAN;
        Ok(())
    }

    /// Continues from another configuration and velocity, which are checked as by [`Simulation::new`]; `S::project` returns the
    /// nearest admissible velocity. An impact, for instance, is a new velocity at the same configuration. Time, number of steps,
    /// inputs and auxiliary states stay as they are. The method starts anew, as after [`Simulation::set_step_size`].
    ///
    /// # Errors
    /// As [`Simulation::new`]; the simulation is unchanged.
    pub fn set_state(
        &mut self,
        q: impl Fits<S::Configuration<T>>,
        v: impl Fits<S::Velocity<T>>,
    ) -> Result<(), Error> {
        let (q, v) = (q.fit(), v.fit());
        finite(Quantity::Coordinate, S::COORDINATES, q.as_ref())?;
        admissible::check_pose::<S, T>(&q)?;
        finite(Quantity::Velocity, S::VELOCITIES, v.as_ref())?;
        let t = self.time();
        admissible::check_position::<S, T>(&self.parameters, &q, t)?;
        admissible::check::<S, T>(&self.parameters, &q, &v, t, &self.inputs)?;
        self.restart((q, v, self.z()))
    }

    /// Continues from other auxiliary states: a motor that is switched off, an integrator that is reset. Everything else stays
    /// as it is. The method starts anew, as after [`Simulation::set_step_size`].
    ///
    /// # Errors
    /// [`Error::NonFinite`] and [`Error::Start`]; the simulation is unchanged.
    pub fn set_states(&mut self, z: impl Fits<S::States<T>>) -> Result<(), Error> {
        let z = z.fit();
        finite(Quantity::State, S::STATES, z.as_ref())?;
        self.restart((self.q(), self.v(), z))
    }

    /// Starts the method at (q, v, z).
    fn restart(&mut self, at: Start<S, T>) -> Result<(), Error> {
        (self.prepared, self.state) =
            started(&self.method, &self.parameters, &self.clock, self.steps, at, &self.inputs)?;
        self.kinetic = f64::NAN;
        self.last = Kept::NOTHING;
        Ok(())
    }
}

impl<S: System, M: Method<S>> Simulation<S, M> {
    /// Changes parameters between two steps: `|p| p.m = 2.0`. Position, velocity and auxiliary states stay as they are, and with them the
    /// momentum jumps. If the velocity constraints change, the velocity is projected onto the new ones in the
    /// kinetic-energy metric, as by the impulse of the reactions in an instant. The method starts anew, as after
    /// [`Simulation::set_step_size`].
    ///
    /// # Errors
    /// [`Error::NonFinite`] names a parameter, [`Error::Position`] a position constraint that the present configuration
    /// violates with the new parameters. The others are [`Error::Projection`] and [`Error::Start`]. The simulation is
    /// unchanged.
    pub fn set_parameters(&mut self, change: impl FnOnce(&mut S)) -> Result<(), Error>
    where
        S: Clone,
    {
        let mut system = self.system.clone();
        change(&mut system);
        let parameters = system.parameters();
        finite(Quantity::Parameter, S::PARAMETERS, parameters.as_ref())?;
        increasing(S::TABLES, S::PARAMETERS, parameters.as_ref())?;
        let (q, mut v, t, inputs) = (self.q(), self.v(), self.time(), &self.inputs);
        admissible::check_position::<S, f64>(&parameters, &q, t)?;
        // Methods that do not keep the constraints exactly leave a residual, which is not to be removed here.
        let residual = |parameters| S::residual(parameters, &q, &v, t, inputs);
        if residual(&parameters) != residual(&self.parameters) {
            v = S::project(&parameters, &q, &v, t, inputs).map_err(|cause| Error::Projection { cause })?;
        }
        let at = (q, v, self.z());
        let (prepared, state) =
            started(&self.method, &parameters, &self.clock, self.steps, at, &self.inputs)?;
        (self.system, self.parameters) = (system, parameters);
        (self.prepared, self.state) = (prepared, state);
        self.kinetic = f64::NAN;
        self.last = Kept::NOTHING;
        Ok(())
    }
}
