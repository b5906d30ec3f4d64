//! Model predictive control.

use super::plan::{Planning, unsolved};
use super::steps::State;
use super::wrong;
use crate::Error;
use crate::error::sized;
use nhi_control::{Mpc, PlanError};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// An [`Mpc`] of a problem, on a thread of its own: while an input is applied, it computes all of the next one that does not depend on
/// the measured state.
#[derive(Debug)]
pub struct Controller {
    planning: Planning,
    measured: Sender<Measured>,
    answers: Receiver<Result<Answer, PlanError>>,
}

/// A measured state: configuration, velocity, auxiliary states.
type Measured = [Vec<f64>; 3];

/// The input for a measured state, and the plan that it is the first one of.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The number of the step that the input is for.
    pub step: usize,
    /// The input for the next step.
    pub input: Vec<f64>,
    /// Iterations of the interior-point method; none if no bound is active.
    pub iterations: usize,
    /// Why there is no new plan, if there is none. The input is then that of the last one for this step.
    pub failure: Option<PlanError>,
    /// The states of the plan, the first one that of now.
    pub states: Vec<State>,
    /// The inputs of the plan.
    pub inputs: Vec<Vec<f64>>,
}

impl Controller {
    /// Solves the problem from its start, and prepares the first step.
    ///
    /// # Errors
    /// Those of [`Planning::solve`], and [`Error::Unsolved`] if it finds no solution.
    pub fn new(planning: &Planning) -> Result<Controller, Error> {
        let (measured, requests) = channel::<Measured>();
        let (replies, answers) = channel();
        let (ready, begun) = channel();
        let own = planning.clone();
        thread::spawn(move || {
            let control = || -> Result<(), Error> {
                let dynamics = own.dynamics()?;
                let states = own.states(&dynamics)?;
                let problem = own.texts()?.problem(&dynamics, &own, &states);
                let mut mpc = Mpc::new(&problem, &own.options).map_err(unsolved)?;
                if ready.send(Ok(())).is_err() {
                    return Ok(());
                }
                // Until nobody measures any more.
                while let Ok([q, v, z]) = requests.recv() {
                    let step = mpc.next_step();
                    let answer = dynamics.nearest(step, &q, &v).map(|x| {
                        let feedback = mpc.step(&State { z, ..x });
                        let (input, iterations) = (feedback.input.to_vec(), feedback.iterations);
                        let failure = feedback.failure;
                        let (states, inputs) = (mpc.states().to_vec(), mpc.inputs().map(<[f64]>::to_vec));
                        Answer { step, input, iterations, failure, inputs: inputs.collect(), states }
                    });
                    if replies.send(answer).is_err() {
                        break;
                    }
                    mpc.prepare();
                }
                Ok(())
            };
            if let Err(error) = control() {
                // Nobody waits after an interrupt.
                ready.send(Err(error)).unwrap_or(());
            }
        });
        begun.recv().unwrap_or_else(|_| Err(ended()))?;
        Ok(Controller { planning: planning.clone(), measured, answers })
    }

    /// The input for a measured state, at the next step of time.
    ///
    /// # Errors
    /// [`Error::Argument`] for numbers that are not finite, or the wrong number of them.
    pub fn step(&self, q: &[f64], v: &[f64], z: &[f64]) -> Result<Answer, Error> {
        let system = &self.planning.system;
        let mut expected = vec![("q", q, system.coordinates().len())];
        if self.planning.variant.is_some() {
            expected.extend([("v", v, system.velocities().len()), ("z", z, system.states().len())]);
        }
        for (name, numbers, length) in expected {
            sized(name, numbers, length)?;
            if numbers.iter().any(|x| !x.is_finite()) {
                return Err(wrong(name, "its entries must be finite"));
            }
        }
        let sent = self.measured.send([q.to_vec(), v.to_vec(), z.to_vec()]);
        sent.map_err(|_| ended())?;
        self.answers.recv().map_err(|_| ended())?.map_err(|error| wrong("q", error))
    }
}

/// The thread of a controller ends with it.
fn ended() -> Error {
    Error::Derivation("a bug of nhi, please report it: the thread of a controller has ended".to_owned())
}
