use crate::{Error, Method, Simulation, System};
use core::iter::FusedIterator;

/// A point of a trajectory.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sample<Q, V, L> {
    /// Number of steps taken.
    pub k: u64,
    /// Time, k h.
    pub t: f64,
    /// Configuration.
    pub q: Q,
    /// Velocity.
    pub v: V,
    /// Momentum ∂L/∂v.
    pub p: V,
    /// Multipliers (forces) of the last step.
    pub lambda: L,
    /// Energy.
    pub energy: f64,
}

/// Iterator over samples of a trajectory; see [`Simulation::samples`].
#[derive(Debug)]
pub struct Samples<'a, S: System, M: Method<S>> {
    simulation: &'a mut Simulation<S, M>,
    every: usize,
    next: Next,
}

/// What the next sample takes.
#[derive(Clone, Copy, Debug)]
enum Next {
    Present,
    Steps,
    Nothing,
}

impl<'a, S: System, M: Method<S>> Samples<'a, S, M> {
    pub(crate) fn new(simulation: &'a mut Simulation<S, M>, every: usize) -> Self {
        Samples { simulation, every: every.max(1), next: Next::Present }
    }
}

impl<S: System, M: Method<S>> Iterator for Samples<'_, S, M> {
    type Item = Result<Sample<S::Configuration<f64>, S::Velocity<f64>, S::Multipliers<f64>>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.next {
            Next::Present => self.next = Next::Steps,
            Next::Steps => {
                for _ in 0..self.every {
                    if let Err(error) = self.simulation.step() {
                        self.next = Next::Nothing;
                        return Some(Err(error));
                    }
                }
            }
            Next::Nothing => return None,
        }
        Some(Ok(self.simulation.sample()))
    }
}

impl<S: System, M: Method<S>> FusedIterator for Samples<'_, S, M> {}
