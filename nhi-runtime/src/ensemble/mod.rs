//! Many trajectories of one system by one method.

mod block;
mod checkpoint;
mod lane;
#[cfg(test)]
mod tests;

use crate::isa::Isa;
use crate::{
    Arithmetic, Error, Fits, Fused, Limits, Method, Quantity, SampleOf, Separate, Simulation, State, System,
    error,
};
use block::{Block, Common, Constants, LANES, Stop};
use core::fmt;
use core::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

pub use checkpoint::Checkpoint;

/// Many trajectories of a system by one method with one step size. An ensemble takes much less time than as many
/// simulations.
///
/// Every trajectory has the states of a [`Simulation`] with the same data, bit for bit, on every machine and with any
/// number of threads. Trajectories are stored number by number, so that vector instructions take the steps of several at
/// once, with the best instruction set of the processor. Long steps are not vectorised; they gain from
/// threads only. Threads are those of [rayon](https://docs.rs/rayon) (feature `rayon`), within `ThreadPool::install` those
/// of the pool.
///
/// All trajectories start at t = 0 and keep their step size and parameters. For runs to an event or with changes on the way
/// there is [`Simulation`], one per thread.
///
/// A trajectory stops if a step fails, in the state before that step; [`Ensemble::error`] returns the reason. The other
/// trajectories continue. Steps allocate nothing.
///
/// ```
/// use nhi_runtime::prelude::*;
///
/// #[derive(Nonholonomic, Clone)]
/// #[nonholonomic(
///     coordinates(x, y, z),
///     lagrangian = (dot(x)^2 + dot(y)^2 + dot(z)^2)/2 - k/2*x^2,
///     constraints(dz - y*dx = 0),
/// )]
/// struct Particle { k: f64 }
///
/// // Heights from 0 to 1, and two times ten thousand steps.
/// let height = |i: usize| i as f64 / 99.0;
/// let initial = (0..100).map(|i| ([1.0, height(i), 0.0], [0.5, 1.0, 0.5 * height(i)]));
/// let mut ensemble = Ensemble::new(Particle { k: 1.0 }, Dla2, initial, 0.01)?;
/// let start = ensemble.energies();
/// ensemble.advance(10_000);
/// assert!(ensemble.energies().iter().zip(&start).all(|(e, e0)| (e - e0).abs() < 1e-3));
///
/// // x of every trajectory after every thousandth step.
/// let x = ensemble.record(10_000, 1_000, |_, sample| sample.q[0]);
/// assert_eq!((x.len(), x[0].len()), (10, 100));
/// assert_eq!(x[9][42], ensemble.q(42)[0]);
/// assert_eq!(ensemble.failures().count(), 0);
/// # Ok::<(), nhi_runtime::TrajectoryError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ensemble<S: System, M: Method<S>, A: Arithmetic = Separate> {
    method: M,
    h: f64,
    steps: u64,
    limits: Limits,
    len: usize,
    /// Parameters and prepared values, if they are the same for all trajectories.
    shared: Option<Constants>,
    blocks: Vec<Block>,
    of: PhantomData<fn() -> (S, A)>,
}

/// The error of one trajectory of an [`Ensemble`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TrajectoryError {
    /// Index of the trajectory, from 0.
    pub index: usize,
    /// Its error.
    pub error: Error,
}

impl fmt::Display for TrajectoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "trajectory {}: {}", self.index, self.error)
    }
}

// Without `source`, which would repeat the error that is part of the message.
impl core::error::Error for TrajectoryError {}

impl<S: System, M: Method<S> + Clone> Ensemble<S, M> {
    /// Starts `method` with the step size `h` at every configuration and velocity of `initial`, as [`Simulation::new`] does.
    ///
    /// # Errors
    /// The first error of [`Simulation::new`].
    pub fn new<Q, V>(
        system: S,
        method: M,
        initial: impl IntoIterator<Item = (Q, V)>,
        h: f64,
    ) -> Result<Self, TrajectoryError>
    where
        S: Clone,
        Q: Into<S::Configuration<f64>>,
        V: Into<S::Velocity<f64>>,
    {
        let simulations =
            initial.into_iter().map(|(q, v)| Simulation::new(system.clone(), method.clone(), q, v, h));
        Self::build(method.clone(), h, true, simulations)
    }

    /// As [`Ensemble::new`], with parameters for every trajectory.
    ///
    /// # Errors
    /// As [`Ensemble::new`].
    pub fn with_systems<Q, V>(
        method: M,
        initial: impl IntoIterator<Item = (S, Q, V)>,
        h: f64,
    ) -> Result<Self, TrajectoryError>
    where
        Q: Into<S::Configuration<f64>>,
        V: Into<S::Velocity<f64>>,
    {
        let simulations =
            initial.into_iter().map(|(system, q, v)| Simulation::new(system, method.clone(), q, v, h));
        Self::build(method.clone(), h, false, simulations)
    }

    /// As [`Ensemble::with_systems`], with control inputs. The start of the method uses them, too.
    ///
    /// # Errors
    /// As [`Ensemble::new`].
    pub fn with_inputs<Q, V, U>(
        method: M,
        initial: impl IntoIterator<Item = (S, Q, V, U)>,
        h: f64,
    ) -> Result<Self, TrajectoryError>
    where
        Q: Into<S::Configuration<f64>>,
        V: Into<S::Velocity<f64>>,
        U: Into<S::Inputs<f64>> + Copy,
    {
        let simulations = initial
            .into_iter()
            .map(|(system, q, v, u)| Simulation::with_inputs(system, method.clone(), q, v, &u, h));
        Self::build(method.clone(), h, false, simulations)
    }

    /// As [`Ensemble::with_inputs`], with auxiliary states, which are zero otherwise.
    ///
    /// # Errors
    /// As [`Ensemble::new`].
    pub fn with_states<Q, V, Z, U>(
        method: M,
        initial: impl IntoIterator<Item = (S, Q, V, Z, U)>,
        h: f64,
    ) -> Result<Self, TrajectoryError>
    where
        Q: Into<S::Configuration<f64>>,
        V: Into<S::Velocity<f64>>,
        Z: Into<S::States<f64>>,
        U: Into<S::Inputs<f64>> + Copy,
    {
        let simulations = initial.into_iter().map(|(system, q, v, z, u)| {
            let builder = Simulation::builder(system, method.clone());
            builder.start(q, v).states(z).inputs(&u).step_size(h).build()
        });
        Self::build(method.clone(), h, false, simulations)
    }

    /// The same trajectories, continued with [`Fused`] multiply–add operations. Steps take up to a quarter less time on
    /// processors that have them, which is most for steps with sines and long sums (`benches/README.md`). Steps that are
    /// not vectorised do not change.
    ///
    /// States differ by rounding from those of a [`Simulation`]. They depend on the processor, but not on the number of
    /// threads.
    pub fn fused(self) -> Ensemble<S, M, Fused> {
        let Ensemble { method, h, steps, limits, len, shared, blocks, of: _ } = self;
        Ensemble { method, h, steps, limits, len, shared, blocks, of: PhantomData }
    }

    fn build(
        method: M,
        h: f64,
        share: bool,
        simulations: impl Iterator<Item = Result<Simulation<S, M>, Error>>,
    ) -> Result<Self, TrajectoryError> {
        let mut ensemble = Ensemble {
            method,
            h,
            steps: 0,
            limits: Limits::DEFAULT,
            len: 0,
            shared: None,
            blocks: Vec::new(),
            of: PhantomData,
        };
        for (index, simulation) in simulations.enumerate() {
            let of = |error| TrajectoryError { index, error };
            let simulation = simulation.map_err(of)?;
            let (parameters, prepared) = simulation.constants();
            if index % LANES == 0 {
                ensemble.blocks.push(Block::new::<S, M>(!share));
            }
            if let Some(block) = ensemble.blocks.last_mut() {
                block.push::<S, M>(simulation.state(), &simulation.inputs());
                match block.own() {
                    Some(own) => own.set::<S, M>(index % LANES, parameters, prepared),
                    None if ensemble.shared.is_none() => {
                        let mut shared = Constants::new::<S, M>();
                        (0..LANES).for_each(|lane| shared.set::<S, M>(lane, parameters, prepared));
                        ensemble.shared = Some(shared);
                    }
                    None => {}
                }
            }
            ensemble.len += 1;
        }
        Ok(ensemble)
    }
}

impl<S: System, M: Method<S>, A: Arithmetic> Ensemble<S, M, A> {
    /// Number of trajectories.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no trajectories.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Number of steps that trajectories without an error have taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The step size.
    pub fn h(&self) -> f64 {
        self.h
    }

    /// t = k h.
    pub fn time(&self) -> f64 {
        self.steps as f64 * self.h
    }

    /// The method.
    pub fn method(&self) -> &M {
        &self.method
    }

    /// The state of the method in trajectory `i`.
    ///
    /// # Panics
    /// If there is no trajectory `i`, as all functions with the index of a trajectory.
    pub fn state(&self, i: usize) -> M::State<f64> {
        let (block, lane) = self.place(i);
        block.state::<S, M>(lane)
    }

    /// Configuration q of trajectory `i`.
    pub fn q(&self, i: usize) -> S::Configuration<f64> {
        self.state(i).q()
    }

    /// Velocity v = dq/dt of trajectory `i`.
    pub fn v(&self, i: usize) -> S::Velocity<f64> {
        self.state(i).v()
    }

    /// Auxiliary states z of trajectory `i`.
    pub fn z(&self, i: usize) -> S::States<f64> {
        self.state(i).z()
    }

    /// Energy of trajectory `i`.
    pub fn energy(&self, i: usize) -> f64 {
        self.sample(i).energy
    }

    /// The present sample of trajectory `i`. If the trajectory stopped, the sample before the step that failed.
    pub fn sample(&self, i: usize) -> SampleOf<S> {
        let (block, lane) = self.place(i);
        block.sample::<S, M>(lane, self.shared.as_ref(), self.h, self.steps)
    }

    /// The error of trajectory `i`, if it stopped.
    pub fn error(&self, i: usize) -> Option<Error> {
        let (block, lane) = self.place(i);
        block.stopped[lane].map(|stop| self.error_of(stop))
    }

    /// The errors of all trajectories that stopped.
    pub fn failures(&self) -> impl Iterator<Item = TrajectoryError> {
        self.stops().map(|(index, stop)| TrajectoryError { index, error: self.error_of(stop) })
    }

    /// The control inputs of trajectory `i`.
    pub fn inputs(&self, i: usize) -> S::Inputs<f64> {
        let (block, lane) = self.place(i);
        block.inputs::<S>(lane)
    }

    /// Sets the control inputs of trajectory `i`, which are held from now on.
    ///
    /// # Errors
    /// [`Error::NonFinite`]; nothing is changed.
    pub fn set_inputs(&mut self, i: usize, inputs: impl Fits<S::Inputs<f64>>) -> Result<(), Error> {
        let inputs = inputs.fit();
        error::finite(Quantity::Input, S::INPUTS, inputs.as_ref())?;
        self.check(i);
        self.blocks[i / LANES].set_inputs::<S>(i % LANES, &inputs);
        Ok(())
    }

    /// Refuses steps by other limits from now on, in all trajectories.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    fn check(&self, i: usize) {
        assert!(i < self.len, "trajectory {i} of {}", self.len);
    }

    fn place(&self, i: usize) -> (&Block, usize) {
        self.check(i);
        (&self.blocks[i / LANES], i % LANES)
    }

    fn stops(&self) -> impl Iterator<Item = (usize, Stop)> {
        let all = self.blocks.iter().flat_map(|block| block.stopped.iter()).enumerate();
        all.filter_map(|(index, stop)| Some((index, (*stop)?)))
    }

    fn error_of(&self, Stop { steps, cause }: Stop) -> Error {
        Error::Step { step: steps + 1, time: steps as f64 * self.h, cause }
    }
}

impl<S: System, M: Method<S> + Sync, A: Arithmetic> Ensemble<S, M, A> {
    /// Takes `steps` steps of every trajectory that has not stopped, with the inputs held. Intermediate multipliers that no
    /// later state depends on may be neither computed nor checked.
    pub fn advance(&mut self, steps: u64) {
        self.advance_on(Isa::best(), steps);
    }

    /// As [`Ensemble::advance`], with the given instruction set.
    fn advance_on(&mut self, isa: Isa, steps: u64) {
        let Ensemble { method, h, shared, blocks, limits, steps: from, .. } = self;
        let common = Common { method: &*method, shared: shared.as_ref(), h: *h, isa, limits: *limits };
        let from = *from;
        for_each_block(blocks, &|_, block| block.advance::<S, M, A>(&common, from, steps));
        self.steps += steps;
    }

    /// Takes `steps` steps, and evaluates `quantity` for the index and the [`Sample`](crate::Sample) of every trajectory
    /// after every `every` steps (at least one). Returns one vector over all trajectories for each time. An optimised build
    /// does not compute the fields of a sample that `quantity` does not use.
    ///
    /// Threads are not synchronised at samples, so samples may be frequent.
    pub fn record<R: Send>(
        &mut self,
        steps: u64,
        every: u64,
        quantity: impl Fn(usize, &SampleOf<S>) -> R + Sync,
    ) -> Vec<Vec<R>> {
        let every = every.max(1);
        let Ensemble { method, h, shared, blocks, limits, steps: from, .. } = self;
        let (shared, h, from) = (shared.as_ref(), *h, *from);
        let common = Common { method: &*method, shared, h, isa: Isa::best(), limits: *limits };
        let samples = steps / every;
        let of_blocks = Results::new(blocks.len());
        for_each_block(blocks, &|b, block| {
            let mut of_block = Vec::with_capacity(samples.try_into().unwrap_or_default());
            for n in 0..samples {
                block.advance::<S, M, A>(&common, from + n * every, every);
                of_block.push(block.observe::<S, M, R>(b, shared, h, from + (n + 1) * every, &quantity));
            }
            block.advance::<S, M, A>(&common, from + samples * every, steps % every);
            of_blocks.set(b, of_block);
        });
        self.steps += steps;
        let mut of_blocks: Vec<_> = of_blocks.into_vec().into_iter().map(Vec::into_iter).collect();
        (0..samples).map(|_| of_blocks.iter_mut().filter_map(Iterator::next).flatten().collect()).collect()
    }

    /// Evaluates `quantity` for the index and the present [`Sample`](crate::Sample) of every trajectory, with all threads.
    pub fn observe<R: Send>(&self, quantity: impl Fn(usize, &SampleOf<S>) -> R + Sync) -> Vec<R> {
        let (shared, h, steps) = (self.shared.as_ref(), self.h, self.steps);
        let of_blocks = Results::new(self.blocks.len());
        for_each_index(self.blocks.len(), &|b| {
            of_blocks.set(b, self.blocks[b].observe::<S, M, R>(b, shared, h, steps, &quantity));
        });
        of_blocks.into_vec().into_iter().flatten().collect()
    }

    /// The energies of all trajectories.
    pub fn energies(&self) -> Vec<f64> {
        self.observe(|_, sample| sample.energy)
    }
}

/// Calls `f` with every block, on all threads. Neither this function nor [`for_each_index`] is generic: otherwise the code of
/// the thread pool would be compiled again for every system and method.
fn for_each_block(blocks: &mut [Block], f: &(dyn Fn(usize, &mut Block) + Sync)) {
    #[cfg(feature = "rayon")]
    {
        use rayon::prelude::*;
        blocks.par_iter_mut().enumerate().for_each(|(b, block)| f(b, block));
    }
    #[cfg(not(feature = "rayon"))]
    blocks.iter_mut().enumerate().for_each(|(b, block)| f(b, block));
}

/// Calls `f` with every index below `len`, on all threads.
fn for_each_index(len: usize, f: &(dyn Fn(usize) + Sync)) {
    #[cfg(feature = "rayon")]
    {
        use rayon::prelude::*;
        (0..len).into_par_iter().for_each(f);
    }
    #[cfg(not(feature = "rayon"))]
    (0..len).for_each(f);
}

/// Results that threads store by index.
struct Results<R>(Mutex<Vec<Option<R>>>);

impl<R> Results<R> {
    fn new(len: usize) -> Self {
        Results(Mutex::new((0..len).map(|_| None).collect()))
    }

    fn set(&self, index: usize, result: R) {
        let mut results = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        results[index] = Some(result);
    }

    fn into_vec(self) -> Vec<R> {
        let results = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.into_iter().flatten().collect()
    }
}
