//! Parameters and starts from samples.

use nhi_control::{Declared, Entries, Identification, IdentifyError, Measurement, Samples};
use nhi_runtime::prelude::*;
use nhi_runtime::{Scalar, System};
use std::f64::consts::TAU;

/// Chaplygin's sleigh, pushed along its blade and turned.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(theta, x, y),
    inputs(push, turn),
    lagrangian = j/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
    constraints(blade: a*dtheta + sin(theta)*dx - cos(theta)*dy),
    force = push*(cos(theta)*dx + sin(theta)*dy) + turn*dtheta,
    methods(Dla2 + derivatives)
)]
struct Sleigh {
    m: f64,
    j: f64,
    a: f64,
}

/// The sleigh in the frame of its body.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    group = SE2(theta, x, y; omega, v1, v2),
    inputs(push, turn),
    lagrangian = (j + m*a^2)/2*omega^2 + m/2*(v1^2 + v2^2) + m*a*omega*v2,
    constraints(blade: v2),
    force = push*v1*dt + turn*omega*dt,
    methods(Rdp + derivatives)
)]
struct PosedSleigh {
    m: f64,
    j: f64,
    a: f64,
}

const H: f64 = 0.05;
const STEPS: usize = 100;
const TRUE: Sleigh = Sleigh { m: 2.0, j: 0.6, a: 0.3 };
const GUESS: Sleigh = Sleigh { m: 1.5, j: 0.8, a: 0.4 };
const START: ([f64; 3], [f64; 3]) = ([0.0; 3], [0.4, 1.0, 0.12]);

fn inputs() -> Vec<Vec<f64>> {
    let input = |k: usize| {
        let t = k as f64 * H;
        vec![0.8 * (1.3 * t).sin(), 0.5 * (2.1 * t).cos()]
    };
    (0..STEPS).map(input).collect()
}

/// Samples of θ, x, y at the nodes, and between two of them if `between`.
fn samples(sleigh: &Sleigh, inputs: &[Vec<f64>], (q, v): ([f64; 3], [f64; 3]), between: bool) -> Samples {
    let mut sim = Simulation::new(sleigh.clone(), Dla2, q, v, H).expect("an admissible start");
    let mut samples = Samples::default();
    for (k, u) in inputs.iter().enumerate() {
        if between && k % 7 == 3 {
            let shorter = 0.37 * H;
            let mut part = Simulation::new(sleigh.clone(), Dla2, sim.q(), sim.v(), shorter).expect("a start");
            part.step_with(&[u[0], u[1]]).expect("a step");
            samples.times.push(k as f64 * H + shorter);
            samples.values.push(part.q().to_vec());
        }
        sim.step_with(&[u[0], u[1]]).expect("a step");
        samples.times.push((k + 1) as f64 * H);
        samples.values.push(sim.q().to_vec());
    }
    samples
}

/// Normally distributed numbers from a fixed sequence (SplitMix64; Box and Muller).
struct Noise(u64);

impl Noise {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let (r, angle) = ((-2.0 * (1.0 - self.uniform()).ln()).sqrt(), TAU * self.uniform());
        r * angle.cos()
    }
}

fn of_sleigh(samples: &Samples) -> Identification<'_, Declared<Sleigh, Dla2, Entries>> {
    Identification::new(&GUESS, (Dla2, H), START, Entries(vec![0, 1, 2]), samples)
}

#[test]
fn exact_samples_determine_parameters_and_start() {
    // The start is another one than the guess, with its velocity on the constraint.
    let turned = ([0.1, -0.05, 0.02], [0.4, 1.1 * 0.1_f64.cos(), 1.1 * 0.1_f64.sin()]);
    let start = Simulation::project(TRUE, Dla2, turned.0, turned.1, H).expect("a start");
    let samples = samples(&TRUE, &inputs(), (start.q(), start.v()), true);
    assert_eq!(samples.times.len(), 114);
    // θ, x, y and both quasi-velocities.
    let found =
        of_sleigh(&samples).inputs(inputs()).start_entries(&[0, 1, 2, 3, 4]).solve().expect("unknowns");
    for (found, expected) in found.parameters.iter().zip([2.0, 0.6, 0.3]) {
        assert!((found - expected).abs() < 1e-9, "{found:?}");
    }
    let left = start.q().iter().zip(found.start.q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(left < 1e-10, "{left}");
    assert_eq!(found.unknowns[..4], ["m", "j", "a", "theta(0)"]);
    assert!(found.undetermined.is_empty() && found.noise < 1e-10 && found.evaluations < 20, "{found:?}");
}

/// A disturbance of the samples by sines. `nhi-python/tests/test_fit.py` finds these numbers with steps that are compiled at run
/// time.
#[test]
fn disturbed_samples_have_one_result() {
    let mut samples = samples(&TRUE, &inputs(), START, false);
    for (k, sample) in samples.values.iter_mut().enumerate() {
        let disturbed = |(j, x): (usize, &mut f64)| *x += 1e-3 * (7.3 * k as f64 + 2.1 * j as f64).sin();
        sample.iter_mut().enumerate().for_each(disturbed);
    }
    let found = of_sleigh(&samples).inputs(inputs()).solve().expect("unknowns");
    let expected = [1.999_978_720_2, 0.599_959_711_5, 0.299_994_638_0];
    let off = found.values.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(off < 1e-9, "{:.12?}", found.values);
    // As many as Gauss and Newton's method needs: roundings are no reason for more.
    assert!(found.evaluations <= 7, "{}", found.evaluations);
    let deviations = [1.312_306_5e-4, 3.578_729_2e-4, 1.144_548_2e-4];
    let off = found
        .covariance
        .diagonal()
        .iter()
        .zip(deviations)
        .map(|(a, b)| (a.sqrt() / b - 1.0).abs())
        .fold(0.0, f64::max);
    assert!(off < 1e-7, "{:.9e}", found.covariance);
    let left =
        found.fitted.iter().flatten().zip(samples.values.iter().flatten()).map(|(a, b)| (a - b).powi(2));
    assert!((left.sum::<f64>() - found.chi_squared).abs() < 1e-15, "{found:?}");
}

/// The errors of many estimates have the covariance that each of them reports, that of the Cramér–Rao bound.
#[test]
fn estimates_attain_the_cramer_rao_bound() {
    const RUNS: usize = 80;
    let (exact, deviation) = (samples(&TRUE, &inputs(), START, false), 5e-3);
    let mut noise = Noise(17);
    let (mut distance, mut chi, mut degrees) = (0.0, 0.0, 0);
    for _ in 0..RUNS {
        let mut noisy = exact.clone();
        noisy.values.iter_mut().flatten().for_each(|x| *x += deviation * noise.normal());
        noisy.deviations = vec![deviation; 3];
        let found = of_sleigh(&noisy).inputs(inputs()).solve().expect("unknowns");
        let error =
            nalgebra::DVector::from_iterator(3, found.values.iter().zip([2.0, 0.6, 0.3]).map(|(a, b)| a - b));
        let inverse = found.covariance.clone().try_inverse().expect("a covariance");
        distance += (error.transpose() * inverse * error)[0];
        chi += found.chi_squared;
        degrees += found.degrees_of_freedom;
        // Without deviations the noise is estimated.
        noisy.deviations.clear();
        let unweighted = of_sleigh(&noisy).inputs(inputs()).solve().expect("unknowns");
        assert!((unweighted.noise / deviation - 1.0).abs() < 0.2, "{}", unweighted.noise);
    }
    assert_eq!(degrees, RUNS * (3 * STEPS - 3));
    // χ² with 3 RUNS degrees of freedom has the mean 1 and this deviation, relative to it.
    let (mean, spread) = (distance / (3 * RUNS) as f64, (2.0 / (3 * RUNS) as f64).sqrt());
    assert!((mean - 1.0).abs() < 4.0 * spread, "{mean}");
    assert!((chi / degrees as f64 - 1.0).abs() < 4.0 * (2.0 / degrees as f64).sqrt(), "{chi}");
}

/// Without forces only the ratio of inertias matters.
#[test]
fn what_cannot_be_known_is_a_direction() {
    let coasting = vec![vec![0.0; 2]; STEPS];
    let samples = samples(&TRUE, &coasting, START, false);
    let found = of_sleigh(&samples).solve().expect("unknowns");
    let [m, j, a] = found.parameters[..] else { panic!("{found:?}") };
    assert!((j / m - 0.3).abs() < 1e-7 && (a - 0.3).abs() < 1e-7, "{found:?}");
    let [direction] = &found.undetermined[..] else { panic!("{found:?}") };
    let size = m.hypot(j) * direction[0].signum();
    let off = (direction[0] * size - m).abs() + (direction[1] * size - j).abs() + direction[2].abs();
    assert!(off < 1e-6, "{direction:?}");
    assert_eq!(found.degrees_of_freedom, 3 * STEPS - 2);
    // One of the two is enough.
    let found = of_sleigh(&samples).parameters(&["j", "a"]).expect("names").solve().expect("unknowns");
    assert!(found.undetermined.is_empty() && (found.parameters[1] / 1.5 - 0.3).abs() < 1e-9, "{found:?}");
}

/// The velocity of the body and its distances from beacons.
struct Beacons(Vec<[f64; 2]>);

impl Measurement<PosedSleigh> for Beacons {
    fn count(&self) -> usize {
        self.0.len() + 1
    }

    fn value<T: Scalar>(
        &self,
        _: &[T; 3],
        q: &<PosedSleigh as System>::Configuration<T>,
        v: &[T; 3],
        _: &[T; 0],
        _: T,
        out: &mut [T],
    ) {
        out[0] = v[1];
        for (out, &[x, y]) in out[1..].iter_mut().zip(&self.0) {
            let (x, y) = (q[1] - T::from_f64(x), q[2] - T::from_f64(y));
            *out = (x * x + y * y).sqrt();
        }
    }
}

#[test]
fn a_pose_is_found_from_distances() {
    let truth = PosedSleigh { m: 2.0, j: 0.6, a: 0.3 };
    let (q, v) = ([0.3, 0.2, -0.1], [0.4, 1.0, 0.0]);
    let guess = PosedSleigh { m: 1.8, j: 0.7, a: 0.35 };
    for beacons in [vec![[3.0, -2.0]], vec![[3.0, -2.0], [-1.0, 2.0]]] {
        let beacons = Beacons(beacons);
        let mut sim = Simulation::new(truth.clone(), Rdp, q, v, H).expect("a start");
        let mut samples = Samples::default();
        for u in inputs() {
            sim.step_with(&[u[0], u[1]]).expect("a step");
            let mut out = vec![0.0; beacons.count()];
            beacons.value(&[2.0, 0.6, 0.3], &sim.q(), &sim.v(), &[], sim.time(), &mut out);
            samples.times.push(sim.time());
            samples.values.push(out);
        }
        let is_enough = beacons.0.len() > 1;
        let found = Identification::new(&guess, (Rdp, H), ([0.1, 0.0, 0.0], v), beacons, &samples)
            .inputs(inputs())
            .start_entries(&[0, 1, 2])
            .solve()
            .expect("unknowns");
        let off = |found: &[f64], expected: [f64; 3]| {
            found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        assert!(off(&found.parameters, [2.0, 0.6, 0.3]) < 1e-8, "{found:?}");
        if is_enough {
            assert!(found.undetermined.is_empty() && off(found.start.q.as_ref(), q) < 1e-8, "{found:?}");
        } else {
            // The motion can be turned about the only beacon. Entries of the start are those of ⊕ at the guess.
            let [turn] = &found.undetermined[..] else { panic!("{found:?}") };
            let moved = |by: f64| {
                let mut delta = [0.0; 5];
                (0..3).for_each(|i| delta[i] = found.values[3 + i] + by * turn[3 + i] / turn[3]);
                let mut origin = found.start;
                origin.q = nhi_runtime::Posed::from([0.1, 0.0, 0.0]);
                PosedSleigh::retract(&origin, &delta).q
            };
            let (before, after) = (moved(-1e-4), moved(1e-4));
            let distance = |q: &[f64]| (q[1] - 3.0).hypot(q[2] + 2.0);
            let turned = |q: &[f64]| (q[2] + 2.0).atan2(q[1] - 3.0);
            let [a, b] = [before.as_ref(), after.as_ref()];
            assert!((distance(a) - distance(b)).abs() < 1e-8, "{turn:?}");
            assert!((turned(b) - turned(a) - (b[0] - a[0])).abs() < 1e-8, "{turn:?}");
        }
    }
}

/// A mass on a spring.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x),
    lagrangian = dot(x)^2/2 - k/2*x^2,
    constraints(),
    methods(Dla2 + derivatives)
)]
struct Spring {
    k: f64,
}

/// The sum of squares over a frequency has many minima. That of the guess is not the least; of several starts one leads to it.
#[test]
fn the_best_of_several_starts_has_the_least_sum_of_squares() {
    let mut sim = Simulation::new(Spring { k: 4.0 }, Dla2, [1.0], [0.0], 0.05).expect("a start");
    let mut samples = Samples::default();
    for _ in 0..400 {
        sim.step().expect("a step");
        samples.times.push(sim.time());
        samples.values.push(sim.q().to_vec());
    }
    let problem =
        Identification::new(&Spring { k: 2.5 }, (Dla2, 0.05), ([1.0], [0.0]), Entries(vec![0]), &samples);
    let alone = problem.solve().expect("a minimum");
    assert!(alone.chi_squared > 1.0, "{}", alone.chi_squared);
    let (best, others) = problem.solve_from(30).expect("minima");
    assert!(best.chi_squared < 1e-18 && (best.values[0] - 4.0).abs() < 1e-9, "{:?}", best.values);
    let sums: Vec<f64> = others.iter().map(|other| other.chi_squared).collect();
    assert!(
        sums.is_sorted() && sums.iter().any(|sum| (sum / alone.chi_squared - 1.0).abs() < 1e-6),
        "{sums:?}"
    );
    // Each minimum once.
    assert!(others.windows(2).all(|pair| (pair[0].values[0] - pair[1].values[0]).abs() > 1e-6));
    let (one, none) = problem.solve_from(1).expect("a minimum");
    assert_eq!((one.values, none.len()), (alone.values, 0));
}

#[test]
fn mistakes_have_names() {
    let good = samples(&TRUE, &inputs(), START, false);
    let error = |samples: &Samples| of_sleigh(samples).inputs(inputs()).solve().expect_err("a mistake");
    assert_eq!(
        of_sleigh(&good).parameters(&["mass"]).expect_err("unknown").to_string(),
        "there is no parameter and no entry of the start `mass`"
    );
    assert_eq!(error(&Samples::default()), IdentifyError::TooFew { numbers: 0, unknowns: 3 });
    let mut late = good.clone();
    late.times[5] = 0.1;
    assert_eq!(error(&late), IdentifyError::Sample { index: 5 });
    let mut short = good.clone();
    short.values[2].pop();
    assert_eq!(error(&short).to_string(), "numbers of sample 2: expected 3, found 2");
    let mut exact = good.clone();
    exact.deviations = vec![1.0, 0.0, 1.0];
    assert_eq!(error(&exact), IdentifyError::Deviation { index: 1 });
    let outside = of_sleigh(&good).start_entries(&[7]).solve().expect_err("no such entry");
    assert_eq!(outside, IdentifyError::Unknown { name: "x[7]".into() });
    let narrow = of_sleigh(&good).inputs(vec![vec![1.0]]).solve().expect_err("too few inputs");
    assert_eq!(narrow.to_string(), "inputs of step 0: expected 2, found 1");
    let lost = Identification::new(&GUESS, (Dla2, H), ([f64::NAN; 3], [0.0; 3]), Entries(vec![0]), &good);
    assert!(matches!(lost.solve().expect_err("not finite"), IdentifyError::Begin { .. }));
}

/// A guess of which no step can be taken is refused for the true reason.
#[test]
fn a_negative_inertia_is_told_by_its_name() {
    let samples = samples(&TRUE, &inputs(), START, false);
    let found = |guess: &Sleigh| {
        let problem = Identification::new(guess, (Dla2, H), START, Entries(vec![0, 1, 2]), &samples);
        problem.inputs(inputs()).parameters(&["j"]).expect("names").solve()
    };
    let name = "with `j` < 0 a combination of the velocities of `theta` has negative kinetic energy";
    let refused = found(&Sleigh { j: -0.1, ..TRUE }).expect_err("no steps").to_string();
    assert!(refused.starts_with("no steps can be taken: ") && refused.contains(name), "{refused}");
    assert!(found(&Sleigh { j: 0.5, ..TRUE }).expect("an inertia").doubts.is_empty());
}
