//! Ensembles of a model beside its simulations, each with data of its own.

use crate::random::Random;
use nhi_models::{Row, Simulated, Trajectory, Visitor};
use nhi_runtime::prelude::*;
use nhi_runtime::{Method, Sample, SampleOf, State, System, Vector};

/// Trajectories of an ensemble.
const LEN: usize = 5;

/// Steps of the two parts of a run, of which the second is longer than the strides after which an ensemble
/// looks at its results.
const PARTS: [u64; 2] = [30, 270];

/// A system with parameters of its own, q₀, v₀ and inputs.
pub type Data<S> =
    (S, <S as System>::Configuration<f64>, <S as System>::Velocity<f64>, <S as System>::Inputs<f64>);

/// A model and data near its own for all trajectories.
pub struct Bed<S: System> {
    name: &'static str,
    h: f64,
    all: Vec<Data<S>>,
}

impl<S: Simulated> Bed<S> {
    /// Data near those of the model in `row`, for steps of length `h`.
    pub fn new(row: &Row<S>, h: f64) -> Self {
        let mut random = Random(3);
        Bed { name: row.name, h, all: (0..LEN).map(|i| data(row, h, i, &mut random)).collect() }
    }

    /// What the simulations by that method of the model are at the end of each part.
    ///
    /// # Panics
    /// If one of them fails.
    pub fn alone(&self, method: &nhi_models::Method) -> [Vec<Vec<u64>>; PARTS.len()] {
        let start = |(system, q, v, inputs): &Data<S>| {
            system.clone().simulate(method, *q, *v, *inputs, self.h).expect("a start")
        };
        let mut simulations: Vec<_> = self.all.iter().map(start).collect();
        PARTS.map(|steps| {
            let after = |simulation: &mut Box<dyn Trajectory>| {
                (0..steps).for_each(|_| simulation.step().expect("a step"));
                everything_alone(&**simulation)
            };
            simulations.iter_mut().map(after).collect()
        })
    }

    /// The same of an ensemble by `method`.
    ///
    /// # Panics
    /// If a trajectory fails.
    pub fn together<M: Method<S> + Clone + Sync>(&self, method: M) -> [Vec<Vec<u64>>; PARTS.len()] {
        let mut ensemble = Ensemble::with_inputs(method, self.all.iter().cloned(), self.h).expect("a start");
        let parts = PARTS.map(|steps| {
            ensemble.advance(steps);
            (0..LEN).map(|i| everything::<S>(&ensemble.state(i), ensemble.sample(i))).collect()
        });
        assert_eq!(ensemble.failures().next(), None);
        parts
    }
}

/// Data near the model's: poses are those that a method leads to after some steps, which are as far from
/// rotations as rounding, and velocities are projected there.
fn data<S: Simulated>(row: &Row<S>, h: f64, i: usize, random: &mut Random) -> Data<S> {
    let mut near = |x: &mut f64, scale: f64| *x += 0.05 * scale * random.next();
    let mut parameters = row.example().parameters();
    parameters.as_mut().iter_mut().for_each(|x| near(x, *x));
    let system = (row.build)(parameters);
    let (mut q, mut v) = row.start(&system);
    let mut inputs = S::Inputs::splat(0.0);
    inputs.as_mut().iter_mut().for_each(|x| near(x, 2.0));
    let mut before = system.clone().simulate(&S::methods()[0], q, v, inputs, h).expect("a start");
    (0..4 * i).for_each(|_| before.step().expect("a step"));
    q.as_mut().copy_from_slice(&before.q());
    v.as_mut().copy_from_slice(&before.v());
    v.as_mut().iter_mut().for_each(|x| near(x, 1.0));
    let v = S::project(&parameters, &q, &v, 0.0, &S::Inputs::splat(0.0)).expect("an admissible velocity");
    (system, q, v, inputs)
}

fn bits(numbers: &[&[f64]]) -> Vec<u64> {
    numbers.concat().into_iter().map(f64::to_bits).collect()
}

/// The sample and the state of a trajectory: its velocities before and after a reflection; the rest is in the
/// sample or a function of it.
pub fn everything<S: System>(state: &impl State<S, f64>, sample: SampleOf<S>) -> Vec<u64> {
    let Sample { k, t, q, v, p, lambda, z, energy } = sample;
    let (before, after) = state.jump();
    let scalars = [k as f64, t, energy];
    let vectors =
        [q.as_ref(), v.as_ref(), p.as_ref(), lambda.as_ref(), z.as_ref(), before.as_ref(), after.as_ref()];
    bits(&[&scalars[..], &vectors.concat()])
}

/// The same of a simulation.
fn everything_alone(simulation: &dyn Trajectory) -> Vec<u64> {
    let (before, after) = simulation.node().jump;
    let scalars = [simulation.steps() as f64, simulation.time(), simulation.energy()];
    let (q, v, p, lambda) = (simulation.q(), simulation.v(), simulation.p(), simulation.multipliers());
    bits(&[&scalars, &q, &v, &p, &lambda, &before, &after])
}

/// The ensemble by a method of the model.
struct Together<'b, S: System>(&'b Bed<S>);

impl<S: Simulated> Visitor<S> for Together<'_, S> {
    type Out = [Vec<Vec<u64>>; PARTS.len()];

    fn visit<M: Method<S> + Copy + Sync + 'static>(self, method: M) -> Self::Out {
        self.0.together(method)
    }
}

/// Compares the ensembles of the model by all methods that it has.
///
/// # Panics
/// If they differ in a bit.
pub fn check<S: Simulated>(row: &Row<S>, h: f64) {
    let bed = Bed::new(row, h);
    for method in S::methods() {
        let together = S::with_method(method, Together(&bed)).expect("a declared method");
        assert_eq!(together, bed.alone(method), "{} by {}", bed.name, method.id);
    }
}

/// One test per model, which [`check`]s it with steps of the given size.
#[macro_export]
macro_rules! ensembles_are_simulations {
    ($($name:ident $row:path, $h:literal;)*) => {$(
        #[test]
        fn $name() {
            $crate::together::check(&$row, $h);
        }
    )*};
}
