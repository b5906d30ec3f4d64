//! Checkpoints of ensembles.

use super::block::Stop;
use super::{Ensemble, LANES};
use crate::{Arithmetic, Error, Failure, Fields, Method, System};

/// All numbers of an [`Ensemble`] that steps change. An ensemble that is built from the same data continues from them as
/// without an interruption, bit for bit.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Checkpoint {
    /// Number of steps taken.
    pub steps: u64,
    /// The numbers of all trajectories one after the other: for each its state, then its inputs.
    pub numbers: Vec<f64>,
    /// Index, number of steps and reason of the trajectories that stopped.
    pub stopped: Vec<(usize, u64, Failure)>,
}

impl<S: System, M: Method<S>, A: Arithmetic> Ensemble<S, M, A> {
    /// The present checkpoint, for [`Ensemble::restore`].
    pub fn checkpoint(&self) -> Checkpoint {
        let mut numbers = Vec::with_capacity(self.len * Self::numbers());
        for i in 0..self.len {
            self.state(i).write(&mut |x| numbers.push(x));
            self.inputs(i).write(&mut |x| numbers.push(x));
        }
        let stopped = self.stops().map(|(i, Stop { steps, cause })| (i, steps, cause)).collect();
        Checkpoint { steps: self.steps, numbers, stopped }
    }

    /// Continues from `checkpoint`, which has to come from an ensemble with the same method, step size and parameters.
    ///
    /// # Errors
    /// [`Error::Checkpoint`] if it does not fit the system, the method and the number of trajectories, or has numbers that
    /// are not finite; nothing is changed.
    pub fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), Error> {
        let Checkpoint { steps, numbers, stopped } = checkpoint;
        let fits = numbers.len() == self.len * Self::numbers()
            && numbers.iter().all(|x| x.is_finite())
            && stopped.iter().all(|(i, ..)| *i < self.len);
        if !fits {
            return Err(Error::Checkpoint);
        }
        let mut numbers = numbers.iter().copied();
        for i in 0..self.len {
            let mut next = || numbers.next().unwrap_or(f64::NAN);
            let state = <M::State<f64>>::read(&mut next);
            let inputs = <S::Inputs<f64>>::read(&mut next);
            let block = &mut self.blocks[i / LANES];
            block.set_state::<S, M>(i % LANES, &state);
            block.set_inputs::<S>(i % LANES, &inputs);
            block.stopped[i % LANES] = None;
        }
        for &(i, steps, cause) in stopped {
            let cause = cause.with_names(S::CONSTRAINTS, S::VELOCITIES, S::PARAMETERS);
            self.blocks[i / LANES].stopped[i % LANES] = Some(Stop { steps, cause });
        }
        self.steps = *steps;
        Ok(())
    }

    /// How many numbers of a trajectory steps change.
    fn numbers() -> usize {
        <M::State<f64> as Fields<f64>>::LEN + <S::Inputs<f64> as Fields<f64>>::LEN
    }
}
