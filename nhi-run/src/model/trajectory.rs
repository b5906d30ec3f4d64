//! Simulations, whatever their systems and methods.

use nhi_runtime::{Error, Failure, Limits};

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
    /// As [`nhi_runtime::Simulation::step`].
    fn step(&mut self) -> Result<(), Error>;
    /// `steps` steps with the inputs held.
    ///
    /// # Errors
    /// As [`nhi_runtime::Simulation::advance`].
    fn advance(&mut self, steps: u64) -> Result<(), Error>;
    /// One step with other inputs.
    ///
    /// # Errors
    /// As [`nhi_runtime::Simulation::step_with`].
    ///
    /// # Panics
    /// If there are not as many values as inputs.
    fn step_with(&mut self, inputs: &[f64]) -> Result<(), Error>;
    /// Refuses steps by other limits from now on.
    fn set_limits(&mut self, limits: Limits);
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
