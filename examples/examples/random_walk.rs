//! Random walk of the energy of a chaotic system (McLachlan & Perlmutter 2006, section 5.3).
//!
//! The energy error of a reversible method on a chaotic orbit is a sum of increments that soon forget
//! one another: it diffuses. Over an ensemble of trajectories on the level H = 3.06 its variance is
//! σ²(t) = b + d t with √d ≈ 0.01 h². The bounded part, √b ≈ 0.36 h², is the larger one until t ~ 1000,
//! so that short runs do not show the walk. The mean moves by O(h⁴ t) only, which is what diffusion
//! alone does where there is more room, and more diffusion, at higher energies.

use indicatif::{ParallelProgressIterator, ProgressBar};
use nhi_examples::{COLOURS, Mark, Panel, Series, SeriesLabelPosition, save};
use nhi_runtime::Error;
use nhi_runtime::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rayon::prelude::*;

/// Seven coupled oscillators, constrained to dx + Σ yᵢ dzᵢ = 0.
#[derive(Nonholonomic, Clone, Copy, Debug)]
#[nonholonomic(
    coordinates(x, y[3], z[3]),
    lagrangian = (dot(x)^2 + sum(i in 0..3, dot(y[i])^2 + dot(z[i])^2))/2
               - (x^2 + sum(i in 0..3, y[i]^2 + z[i]^2 + y[i]^2*z[i]^2) + z[0]^2*z[1]^2)/2,
    constraints(dx + sum(i in 0..3, y[i]*dz[i]) = 0),
    methods(Dla2),
)]
pub struct ChaoticR7;

const TRAJECTORIES: u64 = 150;
/// Trajectories in the figure, and samples from one of their points to the next.
const SHOWN: usize = 15;
const THINNED: usize = 5;
const ENERGY: f64 = 3.06;

/// A random point of the energy level and of the constraint manifold: random coordinates and
/// velocities, the latter projected, all scaled to the energy.
fn random_start(seed: u64) -> Result<([f64; 7], [f64; 7]), Error> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut symmetric = || random.next_u64() as f64 / u64::MAX as f64 * 2.0 - 1.0;
    let direction: [(f64, f64); 7] = std::array::from_fn(|_| (symmetric(), symmetric()));
    let scaled = |scale: f64| {
        let (q, v) = (direction.map(|(q, _)| scale * q), direction.map(|(_, v)| scale * v));
        let simulation = Simulation::project(ChaoticR7, Dla2, q, v, 1.0)?;
        Ok::<_, Error>((q, simulation.v(), simulation.energy()))
    };
    // The energy grows with the scale.
    let (mut low, mut high) = (0.0, 10.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        let (_, _, energy) = scaled(middle)?;
        if energy < ENERGY { low = middle } else { high = middle }
    }
    let (q, v, _) = scaled(low)?;
    Ok((q, v))
}

/// Energy errors of an ensemble.
struct Ensemble {
    h: f64,
    /// Sampling times.
    times: Vec<f64>,
    /// Of every trajectory, the errors at these times.
    errors: Vec<Vec<f64>>,
}

impl Ensemble {
    /// `trajectories` runs of `steps` steps, each sampled `samples` times.
    fn new(h: f64, trajectories: u64, steps: usize, samples: usize) -> Result<Self, Error> {
        let every = steps / samples;
        let errors = (0..trajectories)
            .into_par_iter()
            .progress_with(ProgressBar::new(trajectories).with_message(format!("h = {h}")))
            .map(|seed| {
                let (q, v) = random_start(seed)?;
                let mut simulation = Simulation::new(ChaoticR7, Dla2, q, v, h)?;
                let start = simulation.energy();
                simulation.samples(every).skip(1).take(samples).map(|s| Ok(s?.energy - start)).collect()
            })
            .collect::<Result<_, Error>>()?;
        let times = (1..=samples).map(|k| (k * every) as f64 * h).collect();
        Ok(Ensemble { h, times, errors })
    }

    /// At each time, mean and variance of the errors, in units of h² and h⁴, over all trajectories but
    /// one.
    fn moments(&self, left_out: Option<usize>) -> Vec<(f64, f64)> {
        let kept = self.errors.iter().enumerate().filter(|(i, _)| Some(*i) != left_out);
        let kept: Vec<&Vec<f64>> = kept.map(|(_, errors)| errors).collect();
        let n = kept.len() as f64;
        let unit = self.h * self.h;
        (0..self.times.len())
            .map(|k| {
                let mean = kept.iter().map(|errors| errors[k] / unit).sum::<f64>() / n;
                let squares = kept.iter().map(|errors| (errors[k] / unit - mean).powi(2));
                (mean, squares.sum::<f64>() / (n - 1.0))
            })
            .collect()
    }

    /// The line b + d t nearest to the variances: (b, d) in units of h⁴.
    fn line(&self, left_out: Option<usize>) -> (f64, f64) {
        let variances: Vec<f64> = self.moments(left_out).into_iter().map(|(_, variance)| variance).collect();
        let n = self.times.len() as f64;
        let (t, y) = (self.times.iter().sum::<f64>() / n, variances.iter().sum::<f64>() / n);
        let covariance: f64 = self.times.iter().zip(&variances).map(|(s, x)| (s - t) * (x - y)).sum();
        let slope = covariance / self.times.iter().map(|s| (s - t).powi(2)).sum::<f64>();
        (y - slope * t, slope)
    }

    /// √d and its standard error by the jackknife: from what it changes to leave a trajectory out.
    fn walk(&self) -> (f64, f64) {
        let root = |left_out| self.line(left_out).1.max(0.0).sqrt();
        let n = self.errors.len();
        let without: Vec<f64> = (0..n).map(|i| root(Some(i))).collect();
        let mean = without.iter().sum::<f64>() / n as f64;
        let squares: f64 = without.iter().map(|x| (x - mean).powi(2)).sum();
        (root(None), ((n as f64 - 1.0) / n as f64 * squares).sqrt())
    }
}

/// Asserts the bounded part √b on short runs.
fn check_bounded(h: f64) -> Result<(), Error> {
    let ensemble = Ensemble::new(h, TRAJECTORIES, (100.0 / h) as usize, 20)?;
    let variances: Vec<f64> = ensemble.moments(None).into_iter().map(|(_, variance)| variance).collect();
    let bounded = (variances.iter().sum::<f64>() / variances.len() as f64).sqrt();
    println!("h = {h}: σ = {bounded:.3} h² up to t = 100");
    assert!(
        (0.31..0.42).contains(&bounded),
        "h = {h}: bounded part of 0.31 … 0.42 h² expected, {bounded} found"
    );
    Ok(())
}

/// √d in units of h², to ±0.0002: from 24 ensembles like the ones here, with other seeds. McLachlan and
/// Perlmutter give 0.01.
const WALK: f64 = 0.0101;

/// Asserts the slope of the variance within three standard errors, and that the mean stays.
fn check_walk(ensemble: &Ensemble) {
    let h = ensemble.h;
    let (walk, error) = ensemble.walk();
    println!("h = {h}: σ² grows by ({walk:.4} ± {error:.4})² h⁴ t");
    assert!(error < 0.15 * WALK, "h = {h}: a standard error of {error} measures nothing");
    assert!((walk - WALK).abs() < 3.0 * error, "h = {h}: √d = {WALK} expected, {walk} ± {error} found");
    // The first samples already have a mean: the starts are not distributed as the orbits are later.
    let moments = ensemble.moments(None);
    let (first, last) = (moments[0], moments[moments.len() - 1]);
    let drift = (last.0 - first.0) / last.1.sqrt();
    println!("  meanwhile the mean moves by {drift:.2} of σ");
    // What diffusion itself does is 0.1 σ here; the rest is the standard error of a mean.
    let bound = 0.1 + 3.0 / (ensemble.errors.len() as f64).sqrt();
    assert!(drift.abs() < bound, "h = {h}: a mean within {bound:.2} σ expected, {drift} σ found");
}

/// Energy errors with two standard deviations, and the variances with their lines.
fn panels(ensembles: &[Ensemble]) -> Vec<Panel> {
    let Ensemble { h, times, errors } = &ensembles[0];
    let end = times[times.len() - 1];
    let (b, d) = ensembles[0].line(None);
    let series = |name: String, colour, mark, points: Vec<(f64, f64)>| Series { name, colour, mark, points };
    let unit = h * h;
    let trajectory = |errors: &[f64]| {
        let points = times.iter().zip(errors).step_by(THINNED);
        points.map(|(&t, e)| (t, e / unit)).collect()
    };
    // Some of them: more would be one grey surface.
    let shown = errors.iter().step_by(errors.len().div_ceil(SHOWN));
    let mut walks: Vec<Series> =
        shown.map(|e| series(String::new(), COLOURS[6], Mark::Faint, trajectory(e))).collect();
    walks.push(series("one of them".to_owned(), COLOURS[0], Mark::Line(2), trajectory(&errors[0])));
    for sign in [1.0, -1.0] {
        let name = if sign > 0.0 { "±2σ by the law" } else { "" };
        let points = times.iter().map(|&t| (t, sign * 2.0 * (b + d * t).sqrt())).collect();
        walks.push(series(name.to_owned(), COLOURS[1], Mark::Line(2), points));
    }
    let mut variances = Vec::new();
    for (ensemble, colour) in ensembles.iter().zip([COLOURS[0], COLOURS[2]]) {
        let points =
            ensemble.times.iter().zip(ensemble.moments(None)).map(|(&t, (_, variance))| (t, variance));
        variances.push(series(format!("h = {}", ensemble.h), colour, Mark::Line(2), points.collect()));
    }
    let law = |t: f64| (t, 0.36 * 0.36 + WALK * WALK * t);
    variances.push(series(
        "0.36² + 0.0101² t".to_owned(),
        COLOURS[1],
        Mark::Line(1),
        vec![law(0.0), law(end)],
    ));
    vec![
        Panel {
            title: format!("{SHOWN} of {} trajectories, h = {h}", errors.len()),
            labels: ("t", "(H(t) − H(0)) / h²"),
            ranges: (0.0..end, -9.0..9.0),
            logarithmic: (false, false),
            legend: SeriesLabelPosition::UpperLeft,
            series: walks,
        },
        Panel {
            title: "variance".to_owned(),
            labels: ("t", "σ² / h⁴"),
            ranges: (0.0..end, 0.0..6.0),
            logarithmic: (false, false),
            legend: SeriesLabelPosition::UpperLeft,
            series: variances,
        },
    ]
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut ensembles = Vec::new();
    for h in [0.2, 0.1] {
        check_bounded(h)?;
        let ensemble = Ensemble::new(h, TRAJECTORIES, 200_000, 200)?;
        check_walk(&ensemble);
        ensembles.push(ensemble);
    }
    println!("figure: {}", save("random_walk.svg", &panels(&ensembles), 2, (640, 480))?.display());
    Ok(())
}

#[test]
fn the_bounded_part_dominates_short_runs() {
    check_bounded(0.2).unwrap();
}

#[test]
fn variance_grows_linearly() {
    check_walk(&Ensemble::new(0.2, TRAJECTORIES, 50_000, 100).unwrap());
}
