//! Derivatives of runs against differences of runs.

use super::run::{Data, Run};
use nhi_runtime::{Dual, Method, Simulation, System};
use nhi_tests::random::Random;

/// Largest deviation from the differences, relative to 1, the value and its derivative: the error of the
/// differences, which are good to about 1e-10.
const TOLERANCE: f64 = 1e-8;
/// Difference of two differences, likewise, from which on they say nothing.
const UNCLEAR: f64 = 2e-9;

/// Derivatives of the runs of one method.
///
/// With respect to every parameter and input and h each by itself, in a direction of q₀ and one of v₀, which
/// leave the constraint manifold, and in one of all numbers on it.
#[track_caller]
pub(crate) fn check<S: System + Clone, M: Method<S> + Copy>(run: &Run<S, M>) {
    let free = |x: &[f64]| run.end(x).expect("a run");
    let free_dual = |x: &[Dual<f64>]| run.end(x).expect("a run");
    let mut random = Random(1);
    let [parameters, q, v, inputs] = run.places();
    for place in parameters.chain(inputs).chain([run.x.len() - 1]) {
        let mut direction = vec![0.0; run.x.len()];
        direction[place] = if run.x[place] == 0.0 { 1.0 } else { run.x[place] };
        compare(&format!("{}, x[{place}]", run.name), &run.x, &direction, free, free_dual);
    }
    for (kind, places) in [("q", q), ("v", v)] {
        let mut direction = vec![0.0; run.x.len()];
        places.for_each(|place| direction[place] = random.next());
        compare(&format!("{}, {kind}", run.name), &run.x, &direction, free, free_dual);
    }
    let direction: Vec<f64> = run.x.iter().map(|x| random.next() * x).collect();
    compare(
        &format!("{}, on the constraint manifold", run.name),
        &run.x,
        &direction,
        |x| free(&run.admissible(x).expect("an admissible velocity")),
        |x| free_dual(&run.admissible(x).expect("an admissible velocity")),
    );
    simulated(run, &direction);
}

/// f at x and its derivative against f without derivatives and its differences.
fn compare(
    what: &str,
    x: &[f64],
    direction: &[f64],
    f: impl Fn(&[f64]) -> Vec<f64>,
    f_dual: impl Fn(&[Dual<f64>]) -> Vec<Dual<f64>>,
) {
    let dual: Vec<Dual<f64>> = f_dual(&duals(x, direction));
    let value = f(x);
    let bits = |x: f64| x.to_bits();
    assert!(
        dual.iter().map(|x| bits(x.re)).eq(value.iter().map(|&x| bits(x))),
        "{what}: values are not those without derivatives"
    );
    // Wide ones are exact to order 8, narrow ones to rounding; the two that agree best are good.
    let moved = |s: f64| f(&x.iter().zip(direction).map(|(x, d)| x + s * d).collect::<Vec<_>>());
    let differences = [7, 9, 11].map(|n| difference(moved, 0.5f64.powi(n)));
    for (i, (dual, value)) in dual.iter().zip(value).enumerate() {
        let (slope, d) = (dual.eps[0], [0, 1, 2].map(|n| differences[n][i]));
        let better = if (d[0] - d[1]).abs() < (d[1] - d[2]).abs() { 0 } else { 1 };
        let scale = 1.0 + value.abs() + d[1].abs();
        let unclear = (d[better] - d[better + 1]).abs() / scale;
        assert!(unclear < UNCLEAR, "{what}, result {i}: differences are {d:?}");
        let error = (slope - d[better + 1]).abs() / scale;
        assert!(error < TOLERANCE, "{what}, result {i}: {slope} and differences {d:?}");
    }
}

/// The central difference quotient of order 8 with points `width` apart.
fn difference(f: impl Fn(f64) -> Vec<f64>, width: f64) -> Vec<f64> {
    const WEIGHTS: [f64; 4] = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
    let mut sum = Vec::new();
    for (j, weight) in (1..).zip(WEIGHTS) {
        let s = f64::from(j) * width;
        let terms = f(s).into_iter().zip(f(-s)).map(|(plus, minus)| weight * (plus - minus) / width);
        sum.resize(terms.len(), 0.0);
        sum.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
    }
    sum
}

/// What a simulation computes is what the functions of the method do, derivatives included.
fn simulated<S: System + Clone, M: Method<S> + Copy>(run: &Run<S, M>, direction: &[f64]) {
    let x = run.admissible(&duals(&run.x, direction)).expect("an admissible velocity");
    let Data { parameters, q, v, inputs, h } = run.data(&x);
    let mut simulation =
        Simulation::with_parameters(run.system.clone(), run.method, parameters, q, v, &inputs, h)
            .expect("a start");
    let last = simulation.samples(super::run::STEPS as usize).nth(1).expect("a sample").expect("steps");
    let end = run.end(&x).expect("a run");
    let bits = |x: &Dual<f64>| (x.re.to_bits(), x.eps[0].to_bits());
    assert_eq!(bits(&last.energy), bits(&end[end.len() - 1]), "{}", run.name);
    let half = end.len() / 2;
    assert!(last.q.as_ref().iter().map(bits).eq(end[half..].iter().take(q.as_ref().len()).map(bits)));
    let t = h * Dual::constant(super::run::STEPS as f64);
    assert_eq!(bits(&last.t), bits(&t));
}

/// x + ε direction.
pub(crate) fn duals(x: &[f64], direction: &[f64]) -> Vec<Dual<f64>> {
    x.iter().zip(direction).map(|(&re, &d)| Dual { re, eps: [d] }).collect()
}
