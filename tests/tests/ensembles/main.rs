//! Ensembles of the models are their simulations, bit for bit.

mod failing;
mod settling;

use nhi_models::{self as models, Row, Simulated, Trajectory, Visitor, lie};
use nhi_runtime::prelude::*;
use nhi_runtime::{Method, Sample, SampleOf, State, System, Vector};
use nhi_tests::random::Random;

/// Trajectories of an ensemble.
const LEN: usize = 5;

/// Steps of the two parts of a run, of which the second is longer than the strides after which an ensemble
/// looks at its results.
const PARTS: [u64; 2] = [30, 270];

/// A system with parameters of its own, q₀, v₀ and inputs.
type Data<S> =
    (S, <S as System>::Configuration<f64>, <S as System>::Velocity<f64>, <S as System>::Inputs<f64>);

/// A model and data near its own for all trajectories.
struct Bed<S: System> {
    name: &'static str,
    h: f64,
    all: Vec<Data<S>>,
}

impl<S: Simulated> Bed<S> {
    fn new(row: &Row<S>, h: f64) -> Self {
        let mut random = Random(3);
        Bed { name: row.name, h, all: (0..LEN).map(|i| data(row, h, i, &mut random)).collect() }
    }

    /// What the simulations by that method of the model are at the end of each part.
    fn alone(&self, method: &nhi_models::Method) -> [Vec<Vec<u64>>; PARTS.len()] {
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
    fn together<M: Method<S> + Clone + Sync>(&self, method: M) -> [Vec<Vec<u64>>; PARTS.len()] {
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
fn everything<S: System>(state: &impl State<S, f64>, sample: SampleOf<S>) -> Vec<u64> {
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

fn check<S: Simulated>(row: &Row<S>, h: f64) {
    let bed = Bed::new(row, h);
    for method in S::methods() {
        let together = S::with_method(method, Together(&bed)).expect("a declared method");
        assert_eq!(together, bed.alone(method), "{} by {}", bed.name, method.id);
    }
}

/// One test per model, by all methods that it has.
macro_rules! tests {
    ($($name:ident $row:path, $h:literal;)*) => {$(
        #[test]
        fn $name() {
            check(&$row, $h);
        }
    )*};
}

tests! {
    contact_oscillator models::contact_oscillator::MODEL, 0.05;
    contact_oscillator_gauged models::contact_oscillator_gauged::MODEL, 0.05;
    perturbed_oscillator models::perturbed_oscillator::MODEL, 0.05;
    chaotic_r7 models::chaotic_r7::MODEL, 0.05;
    sleigh_com models::sleigh_com::MODEL, 0.02;
    sleigh_contact models::sleigh_contact::MODEL, 0.02;
    snakeboard models::snakeboard::MODEL, 0.005;
    snakeboard_free models::snakeboard_free::MODEL, 0.01;
    vertical_disk models::vertical_disk::MODEL, 0.02;
    knife_incline models::knife_incline::MODEL, 0.02;
    rotating_table_skate models::rotating_table_skate::MODEL, 0.02;
    nh_particle models::nh_particle::MODEL, 0.05;
    nh_particle_harmonic models::nh_particle::HARMONIC, 0.05;
    euler_disk models::euler_disk::MODEL, 0.005;
    mobile_robot models::mobile_robot::MODEL, 0.02;
    sleigh_moving_mass models::sleigh_moving_mass::MODEL, 0.02;
    magnetic_particle models::magnetic_particle::MODEL, 0.02;

    se2_sleigh lie::chaplygin_sleigh::MODEL, 0.02;
    se2_snakeboard lie::snakeboard::MODEL, 0.01;
    se2_robot lie::two_wheeled_robot::MODEL, 0.02;
    se2_roller_racer lie::roller_racer::MODEL, 0.02;
    se2_vertical_disk lie::vertical_disk::MODEL, 0.02;
    ball_as_printed lie::ball_as_printed::MODEL, 0.02;
    chaplygin_ball lie::chaplygin_ball::MODEL, 0.02;
    chaplygin_top lie::chaplygin_ball::TOP, 0.02;
    suslov lie::suslov::MODEL, 0.05;
    se3_body lie::se3_body::MODEL, 0.02;
    so3_particle lie::nonholonomic_particle::MODEL, 0.05;
    rattleback lie::rattleback::MODEL, 0.005;
}

/// Steps of about 0.7 rad, for which maps of groups have other formulas; these are not vectorised.
#[test]
fn far_motions_on_a_group() {
    let bed = Bed::new(&lie::suslov::MODEL, 0.7);
    let method = lie::suslov::Suslov::methods().iter().find(|method| method.id == "rdp").expect("declared");
    assert_eq!(bed.together(Rdp), bed.alone(method));
}
