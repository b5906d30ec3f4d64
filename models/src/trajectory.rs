use crate::row::vector;
use nhi_runtime::{Error, Failure, Fields, Method, Simulation, State, System};

/// All that a method carries from a node to the next.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    /// Time.
    pub t: f64,
    /// Configuration.
    pub q: Vec<f64>,
    /// Velocities before and after the reflection; equal for a method without one.
    pub jump: (Vec<f64>, Vec<f64>),
}

impl Node {
    /// The node of the motion backwards in time, which reflects the other way round.
    pub fn reversed(self) -> Self {
        let (before, after) = self.jump;
        Node { jump: (after, before), ..self }
    }
}

/// A simulation, whatever its system and method.
pub trait Trajectory {
    /// One step with the inputs held.
    ///
    /// # Errors
    /// As [`Simulation::step`].
    fn step(&mut self) -> Result<(), Error>;
    /// `steps` steps with the inputs held.
    ///
    /// # Errors
    /// As [`Simulation::advance`].
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
    /// All numbers of the state, in the order of its fields: what the method carries beside the motion is last.
    fn numbers(&self) -> Vec<f64>;
    /// The node that the simulation is at.
    fn node(&self) -> Node;
    /// The node that `steps` steps of size `h` of the same method lead to from another node, on the
    /// constraint manifold or not, with the inputs held.
    ///
    /// # Errors
    /// Why a step fails.
    fn follow(&self, from: &Node, h: f64, steps: u64) -> Result<Node, Failure>;
    /// Momenta of horizontal symmetries, with their names.
    fn momenta(&self) -> Vec<(&'static str, f64)>;
}

impl<S: System, M: Method<S>> Trajectory for Simulation<S, M> {
    fn step(&mut self) -> Result<(), Error> {
        Simulation::step(self)
    }

    fn advance(&mut self, steps: u64) -> Result<(), Error> {
        // The same numbers either way. Builds without optimisation, which nobody measures, are spared the copies.
        #[cfg(all(feature = "at-once", not(debug_assertions)))]
        return Simulation::advance(self, steps);
        #[cfg(not(all(feature = "at-once", not(debug_assertions))))]
        return (0..steps).try_for_each(|_| Simulation::step(self));
    }

    fn step_with(&mut self, inputs: &[f64]) -> Result<(), Error> {
        Simulation::step_with(self, &vector::<S::Inputs<f64>>(inputs))
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
        let p = |v| S::momentum(&self.system().parameters(), &Simulation::q(self), &v, 0.0).as_ref().to_vec();
        (p(pre), p(post))
    }

    fn multipliers(&self) -> Vec<f64> {
        Simulation::multipliers(self).as_ref().to_vec()
    }

    fn energy(&self) -> f64 {
        Simulation::energy(self)
    }

    fn momenta(&self) -> Vec<(&'static str, f64)> {
        Simulation::momenta(self).collect()
    }

    fn numbers(&self) -> Vec<f64> {
        let mut numbers = Vec::with_capacity(<M::State<f64> as Fields<f64>>::LEN);
        self.state().write(&mut |x| numbers.push(x));
        numbers
    }

    fn node(&self) -> Node {
        node::<S, M>(self.time(), self.state())
    }

    fn follow(&self, from: &Node, h: f64, steps: u64) -> Result<Node, Failure> {
        let parameters = self.system().parameters();
        let prepared = self.method().prepare(&parameters, h)?;
        let (before, after) = (vector(&from.jump.0), vector(&from.jump.1));
        let (q, lambda, z) = (vector(&from.q), self.state().lambda(), self.state().z());
        let mut state = self.method().state(&parameters, h, &q, (&before, &after), &lambda, &z, from.t)?;
        for k in 0..steps {
            state = self.method().step(&prepared, &state, from.t + k as f64 * h, &self.inputs())?;
        }
        Ok(node::<S, M>(from.t + steps as f64 * h, &state))
    }
}

fn node<S: System, M: Method<S>>(t: f64, state: &M::State<f64>) -> Node {
    let (before, after) = state.jump();
    Node { t, q: state.q().as_ref().to_vec(), jump: (before.as_ref().to_vec(), after.as_ref().to_vec()) }
}
