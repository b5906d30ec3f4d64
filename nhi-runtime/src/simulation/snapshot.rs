//! Simulations as numbers.

use super::Clock;
use crate::balance::Interval;
use crate::derivatives::Kept;
use crate::statistics::Statistics;
use crate::{Error, Fields, Limits, Method, Simulation, SnapshotFault, State, System, Vector};

/// All numbers of a [`Simulation`], to be stored and continued from. With the feature `serde` it can be written in any
/// format that keeps `f64` exactly.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Snapshot {
    /// Name of the system.
    pub system: String,
    /// Id of the method, with the coefficients of a composition of your own.
    pub method: String,
    /// Parameters of the system.
    pub parameters: Vec<f64>,
    /// Step size.
    pub h: f64,
    /// Number of steps taken.
    pub steps: u64,
    /// Time at the last change of the step size, or at the start.
    pub origin: f64,
    /// Number of steps that were taken then.
    pub taken: u64,
    /// The control inputs that are held.
    pub inputs: Vec<f64>,
    /// Numbers of the state: configuration, velocity, multipliers, auxiliary states, and what a step carries to the next one. For methods that
    /// reflect, velocities before and after the reflection.
    pub state: Vec<f64>,
    /// Names of the carried numbers, the last ones of the state.
    pub carried: Vec<String>,
}

impl<S: System, M: Method<S>> Simulation<S, M> {
    /// The numbers of the simulation, for [`Simulation::from_snapshot`].
    pub fn to_snapshot(&self) -> Snapshot {
        Snapshot {
            system: S::NAME.into(),
            method: name(&self.method),
            parameters: self.parameters.as_ref().to_vec(),
            h: self.h(),
            steps: self.steps,
            origin: self.clock.origin,
            taken: self.clock.taken,
            inputs: self.inputs.as_ref().to_vec(),
            state: numbers(&self.state),
            carried: M::State::<f64>::CARRIED.iter().map(|&name| name.into()).collect(),
        }
    }

    /// The simulation that the snapshot was taken of. It continues as that one does, bit for bit, if the code was generated
    /// from the same declaration by the same version. The system has to have the parameters of the snapshot, and the method
    /// its choices, such as the retraction, the start, and the coefficients of a composition.
    ///
    /// # Errors
    /// [`Error::Snapshot`] says what differs. The other errors are [`Error::StepSize`], [`Error::NonFinite`] and
    /// [`Error::Start`].
    pub fn from_snapshot(system: S, method: M, snapshot: &Snapshot) -> Result<Self, Error> {
        let refused = |fault| Err(Error::Snapshot { fault });
        if snapshot.system != S::NAME {
            return refused(SnapshotFault::OtherSystem { name: S::NAME });
        }
        if snapshot.method != name(&method) {
            return refused(SnapshotFault::OtherMethod { id: method.id() });
        }
        let parameters = system.parameters();
        let given = S::PARAMETERS.iter().zip(parameters.as_ref()).zip(&snapshot.parameters);
        if let Some(((name, &value), &snapshot)) = given.into_iter().find(|((_, value), old)| value != old) {
            return refused(SnapshotFault::OtherParameter { name, value, snapshot });
        }
        let clock = Clock::continued(snapshot.origin, snapshot.taken, snapshot.h);
        clock.check()?;
        let (inputs, state) = match (read(&snapshot.inputs), read(&snapshot.state)) {
            (Some(inputs), Some(state))
                if snapshot.parameters.len() == S::PARAMETERS.len()
                    && snapshot.taken <= snapshot.steps
                    && snapshot.carried == M::State::<f64>::CARRIED =>
            {
                (inputs, state)
            }
            _ => return refused(SnapshotFault::Numbers),
        };
        let prepared = method.prepare(&parameters, snapshot.h).map_err(|cause| Error::Start { cause })?;
        let (steps, limits, kinetic) = (snapshot.steps, Limits::DEFAULT, f64::NAN);
        let (interval, last) = (Interval::LONGEST, Kept::NOTHING);
        Ok(Simulation {
            system,
            method,
            clock,
            parameters,
            prepared,
            inputs,
            state,
            steps,
            limits,
            kinetic,
            interval,
            last,
            statistics: Statistics::new(S::Velocity::splat(0.0)),
        })
    }
}

/// The id of a method, and what else its steps depend on. Printed coefficients are read as the same numbers.
fn name<S: System, M: Method<S>>(method: &M) -> String {
    match method.own_coefficients() {
        [] => method.id().into(),
        own => format!("{}{own:?}", method.id()),
    }
}

/// The numbers of a value.
fn numbers(value: &impl Fields<f64>) -> Vec<f64> {
    let mut numbers = Vec::new();
    value.write(&mut |x| numbers.push(x));
    numbers
}

/// The value with these numbers, if they are as many as it has and finite.
fn read<V: Fields<f64>>(numbers: &[f64]) -> Option<V> {
    let fits = numbers.len() == V::LEN && numbers.iter().all(|x| x.is_finite());
    let mut numbers = numbers.iter().copied();
    fits.then(|| V::read(&mut || numbers.next().unwrap_or(f64::NAN)))
}
