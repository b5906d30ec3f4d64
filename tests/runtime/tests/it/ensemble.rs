//! Many trajectories at once are the same trajectories.

use crate::double::{SLEIGH, Sleigh};
use nhi_runtime::prelude::*;
use nhi_runtime::{Checkpoint, Error, Failure, Method, TrajectoryError};

const H: f64 = 0.02;

/// Configuration and velocity number `i` of a sleigh with that parameter `a`.
fn initial(i: usize, a: f64) -> ([f64; 3], [f64; 3]) {
    let x = i as f64;
    let (theta, omega, u) = (0.1 * x - 2.0, 1.2 - 0.01 * x, 0.7 + 0.02 * x);
    let (s, c) = theta.sin_cos();
    ([theta, x, -x], [omega, u * c - a * omega * s, u * s + a * omega * c])
}

fn system(i: usize) -> Sleigh {
    Sleigh { inertia: 0.5 + 0.01 * i as f64, m: 1.0, a: 0.2 }
}

fn torque(i: usize) -> [f64; 1] {
    [0.3 - 0.004 * i as f64]
}

/// Trajectories with parameters and inputs of their own.
fn driven<M: Method<Sleigh> + Clone>(method: M, len: usize) -> Ensemble<Sleigh, M> {
    let all = (0..len).map(|i| {
        let (q, v) = initial(i, 0.2);
        (system(i), q, v, torque(i))
    });
    Ensemble::with_inputs(method, all, H).unwrap()
}

#[track_caller]
fn check<M: Method<Sleigh> + Copy + Sync>(method: M)
where
    M::State<f64>: PartialEq,
{
    for (len, steps) in [(0, 10), (1, 300), (63, 257), (64, 256), (65, 3), (200, 517)] {
        let alone = |i: usize| {
            let (q, v) = initial(i, 0.2);
            Simulation::with_inputs(system(i), method, q, v, &torque(i), H).unwrap()
        };
        let mut ensemble = driven(method, len);
        ensemble.advance(steps);
        assert_eq!((ensemble.len(), ensemble.steps()), (len, steps));
        for i in 0..len {
            let mut simulation = alone(i);
            (0..steps).for_each(|_| simulation.step().unwrap());
            assert_eq!(&ensemble.state(i), simulation.state(), "{i} of {len}");
            assert_eq!(ensemble.sample(i), simulation.sample(), "{i} of {len}");
            assert_eq!(ensemble.time(), simulation.time());
            assert_eq!(ensemble.error(i), None);
        }
    }
}

#[test]
fn trajectories_are_those_of_simulations() {
    check(Dla2);
    check(Rattle);
    check(Compose::suzuki4(Dla2));
}

#[test]
fn parameters_can_be_the_same_for_all() {
    let (len, steps) = (70, 300);
    let mut ensemble = Ensemble::new(SLEIGH, Rattle, (0..len).map(|i| initial(i, SLEIGH.a)), H).unwrap();
    ensemble.set_inputs(3, [0.25]).unwrap();
    assert!(matches!(ensemble.set_inputs(4, [f64::NAN]), Err(Error::NonFinite { .. })));
    ensemble.advance(steps);
    for i in 0..len {
        let (q, v) = initial(i, SLEIGH.a);
        let mut simulation = Simulation::new(SLEIGH, Rattle, q, v, H).unwrap();
        let u = if i == 3 { [0.25] } else { [0.0] };
        (0..steps).for_each(|_| simulation.step_with(&u).unwrap());
        assert_eq!(ensemble.inputs(i), simulation.inputs());
        assert_eq!(&ensemble.state(i), simulation.state());
        assert_eq!(ensemble.energy(i), simulation.energy());
    }
}

#[test]
fn a_trajectory_with_wrong_data_is_named() {
    let all = (0..90).map(|i| {
        let (q, v) = initial(i, SLEIGH.a);
        (q, if i == 77 { [1.0, 1.0, 1.0] } else { v })
    });
    let error = Ensemble::new(SLEIGH, Dla2, all, H).unwrap_err();
    assert!(matches!(error, TrajectoryError { index: 77, error: Error::Constraint { .. } }));
    assert!(error.to_string().starts_with("trajectory 77: the initial velocity violates"), "{error}");
    let error = Ensemble::new(SLEIGH, Dla2, [initial(0, SLEIGH.a)], 0.0).unwrap_err();
    assert_eq!(error, TrajectoryError { index: 0, error: Error::StepSize { h: 0.0 } });
}

/// Torques of two trajectories accelerate them until the velocity overflows, at different steps.
fn failing() -> (Ensemble<Sleigh, nhi_runtime::Started<Rattle>>, [usize; 2], f64) {
    let h = 10.0;
    let all = (0..80).map(|i| {
        let (q, v) = initial(i, SLEIGH.a);
        (
            SLEIGH,
            q,
            v,
            [if i == 5 {
                2e305
            } else if i == 70 {
                5e304
            } else {
                1e-4
            }],
        )
    });
    (Ensemble::with_inputs(Rattle::plain(), all, h).unwrap(), [5, 70], h)
}

#[test]
fn a_trajectory_that_fails_stops_alone() {
    let (mut ensemble, fail, h) = failing();
    ensemble.advance(600);
    ensemble.advance(70);
    for i in 0..ensemble.len() {
        let (q, v) = initial(i, SLEIGH.a);
        let mut simulation =
            Simulation::with_inputs(SLEIGH, Rattle::plain(), q, v, &ensemble.inputs(i), h).unwrap();
        let result = (0..670).try_for_each(|_| simulation.step());
        assert_eq!(ensemble.error(i), result.err(), "{i}");
        assert_eq!(result.is_err(), fail.contains(&i), "{i}");
        assert_eq!(&ensemble.state(i), simulation.state(), "{i}");
        assert_eq!(ensemble.sample(i).k, simulation.steps());
    }
    assert!(matches!(ensemble.error(5), Some(Error::Step { cause: Failure::NonFinite, .. })));
    assert_eq!(ensemble.failures().map(|f| f.index).collect::<Vec<_>>(), fail);
    assert_eq!(
        ensemble.failures().map(|f| Some(f.error)).collect::<Vec<_>>(),
        fail.map(|i| ensemble.error(i))
    );
    assert_eq!(ensemble.steps(), 670);
}

/// Beyond 2²⁰ sines take another way, which is not that of several angles at a time.
#[test]
fn angles_may_be_large() {
    let all = [0.3, 1_048_570.0, 3e6, -1e9].map(|theta: f64| {
        let (s, c) = theta.sin_cos();
        ([theta, 0.0, 0.0], [1.2, 0.7 * c - 0.24 * s, 0.7 * s + 0.24 * c])
    });
    let mut ensemble = Ensemble::new(SLEIGH, Rattle, all, 0.05).unwrap();
    ensemble.advance(700);
    for (i, (q, v)) in all.into_iter().enumerate() {
        let mut simulation = Simulation::new(SLEIGH, Rattle, q, v, 0.05).unwrap();
        (0..700).for_each(|_| simulation.step().unwrap());
        assert_eq!(&ensemble.state(i), simulation.state());
        let mut at_once = Simulation::new(SLEIGH, Rattle, q, v, 0.05).unwrap();
        at_once.advance(700).unwrap();
        assert_eq!(at_once.state(), simulation.state());
    }
    assert_eq!(ensemble.failures().next(), None);
}

#[test]
fn quantities_are_recorded_on_the_way() {
    let (mut at_once, mut slowly) = (driven(Rattle, 100), driven(Rattle, 100));
    let recorded = at_once.record(1_010, 100, |i, sample| (i, sample.k, sample.q[1]));
    assert_eq!(recorded.len(), 10);
    for row in recorded {
        slowly.advance(100);
        let now: Vec<_> = (0..100).map(|i| (i, slowly.steps(), slowly.q(i)[1])).collect();
        assert_eq!(row, now);
    }
    slowly.advance(10);
    assert_eq!(at_once.energies(), slowly.energies());
    assert_eq!(at_once.observe(|i, s| (i, s.energy))[42], (42, slowly.energy(42)));
    // Of one that failed, the last state.
    let (mut ensemble, [fails, _], _) = failing();
    let k = ensemble.record(600, 200, |_, sample| sample.k);
    let last = ensemble.sample(fails).k;
    assert!(last < 600);
    assert_eq!(k.iter().map(|k| k[fails]).collect::<Vec<_>>(), [last.min(200), last.min(400), last]);
    assert_eq!(k[2][0], 600);
}

#[test]
fn an_interrupted_run_goes_on_as_if_it_had_not_been() {
    let (mut straight, _, _) = failing();
    let (mut interrupted, _, _) = failing();
    straight.advance(400);
    interrupted.advance(150);
    let checkpoint = interrupted.checkpoint();
    interrupted.advance(7);
    let (mut resumed, _, _) = failing();
    resumed.restore(&checkpoint).unwrap();
    assert_eq!((resumed.checkpoint(), resumed.steps()), (checkpoint.clone(), 150));
    interrupted.restore(&checkpoint).unwrap();
    for mut ensemble in [resumed, interrupted] {
        ensemble.advance(250);
        assert_eq!(ensemble.checkpoint(), straight.checkpoint());
        assert_eq!(ensemble.failures().collect::<Vec<_>>(), straight.failures().collect::<Vec<_>>());
    }
    let wrong = Checkpoint { numbers: checkpoint.numbers[1..].to_vec(), ..checkpoint.clone() };
    assert_eq!(straight.restore(&wrong), Err(Error::Checkpoint));
    let wrong = Checkpoint { stopped: vec![(80, 0, Failure::NonFinite)], ..checkpoint };
    assert_eq!(straight.restore(&wrong), Err(Error::Checkpoint));
    assert_eq!(straight.steps(), 400);
}

#[test]
#[should_panic(expected = "trajectory 65 of 65")]
fn there_are_as_many_trajectories_as_were_given() {
    driven(Rattle, 65).q(65);
}

#[cfg(feature = "rayon")]
#[test]
fn fused_steps_differ_by_rounding() {
    let (mut separate, mut fused) = (driven(Rattle, 100), driven(Rattle, 100).fused());
    separate.advance(500);
    fused.advance(500);
    let mut same = true;
    for i in 0..100 {
        let (a, b) = (separate.sample(i), fused.sample(i));
        same &= a == b;
        // Every step adds a few roundings of numbers of order ten, whose effect grows with time at most.
        let close = |a: &[f64], b: &[f64]| {
            a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 500.0 * 100.0 * f64::EPSILON)
        };
        assert!(close(&a.q, &b.q) && close(&a.v, &b.v), "{i}: {a:?} and {b:?}");
    }
    #[cfg(not(target_arch = "x86_64"))]
    let has_fused = cfg!(target_arch = "aarch64");
    #[cfg(target_arch = "x86_64")]
    let has_fused = std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma");
    assert_eq!(same, !has_fused);
    // Its checkpoint is one of the same trajectories.
    let checkpoint = fused.checkpoint();
    fused.advance(300);
    let mut again = driven(Rattle, 100).fused();
    again.restore(&checkpoint).unwrap();
    again.advance(300);
    assert_eq!(again.checkpoint(), fused.checkpoint());
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let results: Vec<_> = [1, 2, 3]
        .into_iter()
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut ensemble = driven(Dla2, 200);
                let recorded = ensemble.record(300, 7, |_, sample| sample.energy);
                (recorded, ensemble.checkpoint())
            })
        })
        .collect();
    assert!(results.iter().all(|result| *result == results[0]));
}
