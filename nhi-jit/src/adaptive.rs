//! Simulations with a tolerance.

use crate::{Acceleration, Error, Simulation};
use nhi_codegen::program::StateKind;
use nhi_methods::Variant;
use nhi_runtime::tolerance::{Accepted, Controller, Stalled, first_size};

/// A simulation that chooses the sizes of its steps by a tolerance, as `nhi_runtime::AdaptiveSimulation`: the states are the same, bit
/// for bit.
#[derive(Clone, Debug)]
pub struct AdaptiveSimulation {
    /// At the present time, without steps.
    simulation: Simulation,
    controller: Controller,
    steps: u64,
    rejections: u64,
}

impl AdaptiveSimulation {
    /// Continues from the present state of a simulation, with steps of other sizes.
    ///
    /// # Errors
    /// [`Error::FixedStepSize`] for a method whose state belongs to one step size, and [`Error::Tolerance`].
    pub fn new(simulation: &Simulation, tolerance: f64) -> Result<AdaptiveSimulation, Error> {
        let variant = simulation.variant();
        if simulation.kind() == StateKind::Jump {
            return Err(Error::FixedStepSize { variant });
        }
        let v = simulation.v();
        let acceleration = simulation.acceleration().ok();
        let a = acceleration.as_ref().map(|Acceleration { a, .. }| a.as_slice());
        let h = first_size(simulation.q(), &v, a);
        let controller =
            Controller::new(tolerance, variant.order(), h).ok_or(Error::Tolerance { tolerance })?;
        let simulation = simulation.departing(&v, h)?;
        Ok(AdaptiveSimulation { simulation, controller, steps: 0, rejections: 0 })
    }

    /// The simulation at the present state, whose step size is that of the last steps.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The method.
    pub fn variant(&self) -> Variant {
        self.simulation.variant()
    }

    /// Number of steps taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The number of pairs of steps that were forgotten because their error was too large, or because a step failed.
    pub fn rejections(&self) -> u64 {
        self.rejections
    }

    /// Sets the inputs of the next steps.
    ///
    /// # Errors
    /// [`Error::Length`] and [`Error::NonFinite`]; the simulation is unchanged.
    pub fn set_inputs(&mut self, inputs: &[f64]) -> Result<(), Error> {
        self.simulation.set_inputs(inputs)
    }

    /// Takes two steps, the last of which end at the time `target` if there is one; returns the simulations before each of them.
    ///
    /// # Errors
    /// [`Error::Stalled`] if no step is accurate enough; the simulation is unchanged.
    pub fn step(&mut self, target: Option<f64>) -> Result<[Simulation; 2], Error> {
        let AdaptiveSimulation { simulation, controller, steps, rejections } = self;
        let (estimate, now) = (*controller, simulation.time());
        let v = simulation.v();
        let mut attempts = 0;
        let accepted = controller.step(now, target, |h| {
            attempts += 1;
            pair(simulation, &v, h, &estimate)
        });
        *rejections += attempts - u64::from(accepted.is_ok());
        let stalled = |Stalled { h, cause }| Error::Stalled {
            tolerance: estimate.tolerance(),
            time: now,
            h,
            cause: cause.and_then(|error| match error {
                Error::Start { cause } | Error::Step { cause, .. } => Some(cause),
                _ => None,
            }),
        };
        let Accepted { pair: [first, middle, last], end } = accepted.map_err(stalled)?;
        *steps += 2;
        *simulation = last.arrived(end);
        Ok([first, middle])
    }

    /// Takes steps until the time is `t`, which may be in the past.
    ///
    /// # Errors
    /// [`Error::Stalled`] if no step is accurate enough; the simulation is in the state before that step.
    pub fn run_until(&mut self, t: f64) -> Result<(), Error> {
        while self.simulation.time() != t {
            self.step(Some(t))?;
        }
        Ok(())
    }
}

/// Two steps of size `h`, before, between and after them, and their error.
fn pair(
    simulation: &Simulation,
    v: &[f64],
    h: f64,
    controller: &Controller,
) -> Result<([Simulation; 3], f64), Error> {
    let mut coarse = simulation.departing(v, 2.0 * h)?;
    coarse.step()?;
    let first = simulation.departing(v, h)?;
    let mut middle = first.clone();
    middle.step()?;
    let mut last = middle.clone();
    last.step()?;
    let (after, compared) = (last.v(), coarse.v());
    let error = controller.error([
        [first.q(), last.q(), coarse.q()],
        [v, &after, &compared],
        [first.z(), last.z(), coarse.z()],
    ]);
    Ok(([first, middle, last], error))
}
