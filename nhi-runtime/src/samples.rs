use crate::{Error, Method, Scalar, Simulation, System};
use core::iter::FusedIterator;

/// A point of a trajectory.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sample<Q, V, L, Z, T = f64> {
    /// Number of steps taken.
    pub k: u64,
    /// Time, k h.
    pub t: T,
    /// Configuration.
    pub q: Q,
    /// Velocity.
    pub v: V,
    /// Momentum ∂L/∂v.
    pub p: V,
    /// Multipliers (forces) of the last step.
    pub lambda: L,
    /// Auxiliary states.
    pub z: Z,
    /// Energy.
    pub energy: T,
}

/// The sample of a simulation of the system `S` in the number type `T`.
pub type SampleOf<S, T = f64> = Sample<
    <S as System>::Configuration<T>,
    <S as System>::Velocity<T>,
    <S as System>::Multipliers<T>,
    <S as System>::States<T>,
    T,
>;

/// Iterator over samples of a trajectory; see [`Simulation::samples`].
#[derive(Debug)]
pub struct Samples<'a, S: System, M: Method<S>, T: Scalar = f64> {
    simulation: &'a mut Simulation<S, M, T>,
    every: usize,
    next: Next,
}

/// How the next sample is obtained.
#[derive(Clone, Copy, Debug)]
enum Next {
    Present,
    Steps,
    Nothing,
}

impl<'a, S: System, M: Method<S>, T: Scalar> Samples<'a, S, M, T> {
    pub(crate) fn new(simulation: &'a mut Simulation<S, M, T>, every: usize) -> Self {
        Samples { simulation, every: every.max(1), next: Next::Present }
    }
}

impl<S: System, M: Method<S>, T: Scalar> Iterator for Samples<'_, S, M, T> {
    type Item = Result<SampleOf<S, T>, Error>;

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

impl<S: System, M: Method<S>, T: Scalar> FusedIterator for Samples<'_, S, M, T> {}
