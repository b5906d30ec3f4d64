//! The run of one step size, which goes on where its file stands.

use crate::checkpoint::Progress;
use crate::law::Errors;
use indicatif::{ProgressBar, ProgressStyle};
use nhi_runtime::Checkpoint;
use nhi_runtime::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rayon::prelude::*;
use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

/// Seven coupled oscillators, constrained to dx + Σ yᵢ dzᵢ = 0; (5.5) with n = 3.
#[derive(Nonholonomic, Clone, Copy, Debug)]
#[nonholonomic(
    coordinates(x, y[3], z[3]),
    lagrangian = (dot(x)^2 + sum(i in 0..3, dot(y[i])^2 + dot(z[i])^2))/2
               - (x^2 + sum(i in 0..3, y[i]^2 + z[i]^2 + y[i]^2*z[i]^2) + z[0]^2*z[1]^2)/2,
    constraints(dx + sum(i in 0..3, y[i]*dz[i]) = 0),
    methods(Dla2),
)]
pub(crate) struct ChaoticR7;

/// H of all trajectories.
const ENERGY: f64 = 3.06;

/// What is run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) h: f64,
    pub(crate) trajectories: usize,
    /// How long every trajectory lasts.
    pub(crate) time: f64,
    /// How often its energy is looked at.
    pub(crate) samples: u64,
}

/// A random point of the energy level and of the constraint manifold: random coordinates and velocities,
/// the latter projected, all scaled to the energy.
fn random_start(seed: u64) -> Result<([f64; 7], [f64; 7]), nhi_runtime::Error> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut symmetric = || random.next_u64() as f64 / u64::MAX as f64 * 2.0 - 1.0;
    let direction: [(f64, f64); 7] = std::array::from_fn(|_| (symmetric(), symmetric()));
    let scaled = |scale: f64| {
        let (q, v) = (direction.map(|(q, _)| scale * q), direction.map(|(_, v)| scale * v));
        let simulation = Simulation::project(ChaoticR7, Dla2, q, v, 1.0)?;
        Ok::<_, nhi_runtime::Error>((q, simulation.v(), simulation.energy()))
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

impl Run {
    /// Steps from one sample to the next.
    pub(crate) fn every(&self) -> u64 {
        (self.time / (self.h * self.samples as f64)).round().max(1.0) as u64
    }

    /// Goes on where `file` stands until all samples are taken, and writes the file after each `interval`, or
    /// until `watch`, which sees the number of samples taken, ends the run. Returns the energy errors, if they
    /// are all there.
    pub(crate) fn go(
        &self,
        file: &Path,
        interval: Duration,
        mut watch: impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Option<Errors>, Box<dyn Error>> {
        let seeds = (0..self.trajectories as u64).into_par_iter();
        let starts: Vec<_> = seeds.map(random_start).collect::<Result<_, _>>()?;
        let mut ensemble = Ensemble::new(ChaoticR7, Dla2, starts, self.h)?.fused();
        let start = ensemble.energies();
        let run = [self.h.to_bits(), self.trajectories as u64, self.every(), self.samples];
        let (mut taken, mut errors) = (0, Vec::new());
        if let Some(progress) = Progress::read(file)? {
            if progress.run != run {
                return Err(format!("{} is of a run of another size", file.display()).into());
            }
            let steps = progress.taken * self.every();
            ensemble.restore(&Checkpoint { steps, numbers: progress.numbers, stopped: Vec::new() })?;
            (taken, errors) = (progress.taken, progress.errors);
        }
        let style = "{msg} {wide_bar} {percent} % {elapsed}, {eta} to go";
        let bar = ProgressBar::new(self.samples)
            .with_style(ProgressStyle::with_template(style)?)
            .with_message(format!("h = {}", self.h))
            .with_position(taken);
        // Of what an earlier run did nothing is known but that it is done.
        bar.reset_eta();
        let (begin, before) = (Instant::now(), taken);
        let mut written = begin;
        while taken < self.samples {
            ensemble.advance(self.every());
            if let Some(failure) = ensemble.failures().next() {
                return Err(failure.into());
            }
            errors.extend(ensemble.energies().iter().zip(&start).map(|(e, e0)| e - e0));
            taken += 1;
            bar.inc(1);
            if written.elapsed() >= interval || taken == self.samples {
                let numbers = ensemble.checkpoint().numbers;
                let progress = Progress { run, taken, numbers, errors };
                progress.write(file)?;
                errors = progress.errors;
                written = Instant::now();
            }
            if watch(taken).is_break() {
                return Ok(None);
            }
        }
        bar.finish_and_clear();
        let steps = (taken - before) * self.every() * self.trajectories as u64;
        if steps > 0 {
            let seconds = begin.elapsed().as_secs_f64();
            let each = 1e9 * seconds / steps as f64;
            println!("h = {}: {:.1e} steps in {seconds:.2} s, {each:.3} ns each", self.h, steps as f64);
        }
        let unit = self.h * self.h;
        Ok(Some(Errors {
            h: self.h,
            times: (1..=self.samples).map(|k| (k * self.every()) as f64 * self.h).collect(),
            samples: errors
                .chunks(self.trajectories)
                .map(|errors| errors.iter().map(|e| e / unit).collect())
                .collect(),
        }))
    }
}
