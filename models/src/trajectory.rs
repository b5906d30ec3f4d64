use nhi_runtime::{Error, Method, Simulation, State, System};

/// A simulation, whatever its system and method.
pub trait Trajectory {
    /// One step with the inputs held.
    ///
    /// # Errors
    /// As [`Simulation::step`].
    fn step(&mut self) -> Result<(), Error> {
        self.advance(1)
    }
    /// `steps` steps with the inputs held.
    ///
    /// # Errors
    /// As [`Simulation::step`], at the first step that fails.
    fn advance(&mut self, steps: u64) -> Result<(), Error>;
    /// One step with other inputs.
    ///
    /// # Errors
    /// As [`Simulation::step_with`].
    ///
    /// # Panics
    /// If there are not as many values as inputs.
    fn step_with(&mut self, inputs: &[f64]) -> Result<(), Error>;
    /// Number of steps taken.
    fn steps(&self) -> u64;
    /// Time.
    fn time(&self) -> f64;
    /// Configuration, length n.
    fn q(&self) -> Vec<f64>;
    /// Velocity, length n.
    fn v(&self) -> Vec<f64>;
    /// Momentum ∂L/∂v, length n.
    fn p(&self) -> Vec<f64>;
    /// Momenta before and after the reflection at the node; both `p` for a method without one.
    fn jump(&self) -> (Vec<f64>, Vec<f64>);
    /// Multipliers of the last step, length m.
    fn multipliers(&self) -> Vec<f64>;
    /// Energy.
    fn energy(&self) -> f64;
}

impl<S: System, M: Method<S>> Trajectory for Simulation<S, M> {
    fn advance(&mut self, steps: u64) -> Result<(), Error> {
        (0..steps).try_for_each(|_| Simulation::step(self))
    }

    fn step_with(&mut self, inputs: &[f64]) -> Result<(), Error> {
        Simulation::step_with(self, &crate::row::vector::<S::Inputs<f64>>(inputs))
    }

    fn steps(&self) -> u64 {
        Simulation::steps(self)
    }

    fn time(&self) -> f64 {
        Simulation::time(self)
    }

    fn q(&self) -> Vec<f64> {
        Simulation::q(self).as_ref().to_vec()
    }

    fn v(&self) -> Vec<f64> {
        Simulation::v(self).as_ref().to_vec()
    }

    fn p(&self) -> Vec<f64> {
        Simulation::p(self).as_ref().to_vec()
    }

    fn jump(&self) -> (Vec<f64>, Vec<f64>) {
        let (pre, post) = self.state().jump();
        let p = |v| S::momentum(&self.system().parameters(), &Simulation::q(self), &v).as_ref().to_vec();
        (p(pre), p(post))
    }

    fn multipliers(&self) -> Vec<f64> {
        Simulation::multipliers(self).as_ref().to_vec()
    }

    fn energy(&self) -> f64 {
        Simulation::energy(self)
    }
}
