//! The experiment of Figure 6 of McLachlan and Perlmutter, *Integrators for Nonholonomic Mechanical Systems*
//! (2006), at full size: 10 000 trajectories of the chaotic system (5.5) on the level H = 3.06 by `Dla2`, up to
//! T = 50 000, with h = 0.05 and 0.1: 1.5 · 10¹⁰ steps.
//!
//! The energy error of a reversible method on a chaotic orbit walks at random: its variance over the
//! trajectories is σ² = b + d t with √d = 0.01 h². The example `random_walk` shows it at a smaller size.
//!
//! A run that is interrupted, by Ctrl-C or otherwise, goes on from its last checkpoint when it is started again,
//! with results that are the same bit for bit. When it is complete, its checkpoint is what the figure is drawn from
//! again.

mod checkpoint;
mod law;
mod run;

use clap::Parser;
use law::{Errors, Estimate};
use nhi_examples::{COLOURS, Mark, Panel, Series, SeriesLabelPosition, save_in};
use run::Run;
use std::error::Error;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

/// Variance of the energy errors of many chaotic trajectories.
#[derive(Parser, Debug)]
struct Options {
    /// Directory of the figure and of the checkpoints.
    #[arg(default_value = "out")]
    directory: PathBuf,
    /// Number of trajectories.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(2..))]
    trajectories: u32,
    /// How long every trajectory lasts.
    #[arg(long, default_value_t = 50_000.0)]
    time: f64,
    /// Seconds from one checkpoint to the next.
    #[arg(long, default_value_t = 1.0)]
    interval: f64,
}

/// Samples of every trajectory.
const SAMPLES: u64 = 200;

/// √d in units of h², to ±0.0002: the mean of eight runs of full size from other random data, four with each step
/// size, which gave 0.00973 to 0.00989 (`random_start` with 10⁶ to 4 · 10⁶ added to the seeds). The shorter runs of
/// the example `random_walk` give 0.0101.
const WALK: f64 = 0.0098;

/// Asserts that `estimate` is `expected`, up to four standard errors and what is known of its deviation.
fn assert_near(what: &str, estimate: Estimate, expected: f64, deviation: f64) {
    let Estimate { value, error } = estimate;
    let bound = 4.0 * error + deviation;
    assert!((value - expected).abs() <= bound, "{what}: {expected} ± {bound} expected, {value} found");
}

/// Prints the law σ² = b + d t and asserts it; returns d.
fn check(errors: &Errors) -> Estimate {
    let (h, (b, d), drift, bend) = (errors.h, errors.law(), errors.drift(), errors.bend());
    let root = d.value.max(0.0).sqrt();
    let of_root = d.error / (2.0 * root);
    println!("h = {h}: σ² = ({:.3} + {:.4e} t) h⁴", b.value, d.value);
    println!("  √d = {root:.5}, 95 % between {:.5} and {:.5}", root - 1.96 * of_root, root + 1.96 * of_root);
    println!(
        "  later d is larger than before by {:.1} ± {:.1} %",
        100.0 * bend.value / d.value,
        100.0 * bend.error / d.value
    );
    println!("  meanwhile the mean error grows by ({:.4} ± {:.4}) h²", drift.value, drift.error);
    assert_near("√d", Estimate { value: root, error: of_root }, WALK, 0.0002);
    // On the long run the level H = 3.06 widens, and d with it.
    assert_near("growth of d", bend, 0.0, 0.1 * d.value);
    // Diffusion leads, O(h⁴), to where there is more of it: a tenth of σ in `random_walk` with h = 0.2.
    let end = errors.times[errors.times.len() - 1];
    let diffusion = 0.1 * (h / 0.2).powi(2) * (end / 40_000.0).sqrt();
    let bound = diffusion * (b.value + d.value * end).max(0.0).sqrt();
    assert_near("growth of the mean error", drift, 0.0, bound);
    d
}

/// Energy errors, variances, and what is left of these without the line.
fn panels(runs: &[Errors]) -> Vec<Panel> {
    let fine = &runs[0];
    let end = fine.times[fine.times.len() - 1];
    let series = |name: String, colour, mark, points: Vec<(f64, f64)>| Series { name, colour, mark, points };
    let path = |i: usize| fine.times.iter().zip(&fine.samples).map(|(&t, errors)| (t, errors[i])).collect();
    let shown = fine.samples[0].len().min(100);
    let mut walks: Vec<Series> =
        (1..shown).map(|i| series(String::new(), COLOURS[6], Mark::Faint, path(i))).collect();
    walks.push(series("one of them".to_owned(), COLOURS[0], Mark::Line(3), path(0)));
    let (mut variances, mut residuals) = (Vec::new(), Vec::new());
    for (run, colour) in runs.iter().zip([COLOURS[0], COLOURS[1]]) {
        let (b, d) = run.law();
        let law = |t: f64| b.value + d.value * t;
        let points: Vec<(f64, f64)> = run.times.iter().copied().zip(run.variances()).collect();
        let rest = points.iter().map(|&(t, variance)| (t, variance - law(t))).collect();
        let name = format!("h = {}", run.h);
        variances.push(series(name.clone(), colour, Mark::Line(2), points));
        residuals.push(series(name, colour, Mark::Line(2), rest));
    }
    let most = |all: &[Series]| {
        all.iter().flat_map(|s| &s.points).fold(0.0, |most: f64, point| most.max(point.1.abs()))
    };
    let panel = |title: String, y, range: std::ops::Range<f64>, series| Panel {
        title,
        labels: ("t", y),
        ranges: (0.0..end, range),
        logarithmic: (false, false),
        legend: SeriesLabelPosition::UpperLeft,
        series,
    };
    let (walk, variance, residual) = (1.1 * most(&walks), 1.1 * most(&variances), 1.5 * most(&residuals));
    let title = format!("(b) variance of {} trajectories", fine.samples[0].len());
    vec![
        panel(format!("(a) {shown} trajectories, h = {}", fine.h), "(H(t) − H(0)) / h²", -walk..walk, walks),
        panel(title, "σ² / h⁴", 0.0..variance, variances),
        panel(
            "(c) variance without its line".to_owned(),
            "σ² / h⁴ − b − d t",
            -residual..residual,
            residuals,
        ),
    ]
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    std::fs::create_dir_all(&options.directory)?;
    let interval = Duration::try_from_secs_f64(options.interval)?;
    let mut runs = Vec::new();
    for h in [0.05, 0.1] {
        let run =
            Run { h, trajectories: options.trajectories as usize, time: options.time, samples: SAMPLES };
        let file = options.directory.join(format!("figure6-{h}.checkpoint"));
        runs.extend(run.go(&file, interval, |_| ControlFlow::Continue(()))?);
    }
    let figure = save_in(&options.directory, "figure6.svg", &panels(&runs), 3, (560, 480))?;
    println!("figure: {}", figure.display());
    let slopes: Vec<Estimate> = runs.iter().map(check).collect();
    let [fine, coarse] = slopes[..] else { unreachable!("two runs") };
    let value = fine.value / coarse.value;
    let error = value * (fine.error / fine.value).hypot(coarse.error / coarse.value);
    println!("d with h = 0.05 is {value:.3} ± {error:.3} of d with h = 0.1");
    assert_near("ratio of d", Estimate { value, error }, 1.0, 0.02);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::Progress;

    const SMALL: Run = Run { h: 0.1, trajectories: 70, time: 200.0, samples: 20 };

    /// A directory of this test's own.
    fn directory(name: &str) -> PathBuf {
        let directory = std::env::temp_dir().join(format!("nhi-figure6-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        directory
    }

    #[test]
    fn an_interrupted_run_ends_as_one_that_is_not() {
        let directory = directory("interrupted");
        let [whole, parts] = ["whole", "parts"].map(|name| directory.join(name));
        let all = |_| ControlFlow::Continue(());
        let expected = SMALL.go(&whole, Duration::ZERO, all).unwrap().expect("all samples");
        // It ends five samples behind the only checkpoint, then one behind the next.
        for (after, interval) in [(7, Duration::ZERO), (12, Duration::MAX), (9, Duration::ZERO)] {
            let stop =
                |taken| if taken == after { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
            assert!(SMALL.go(&parts, interval, stop).unwrap().is_none());
        }
        // What an interrupted write leaves behind does no harm.
        std::fs::write(parts.with_extension("unfinished"), "half a file").unwrap();
        let resumed = SMALL.go(&parts, Duration::MAX, all).unwrap().expect("all samples");
        assert_eq!(std::fs::read(&whole).unwrap(), std::fs::read(&parts).unwrap());
        assert_eq!(resumed.samples, expected.samples);
        assert_eq!(resumed.times, expected.times);
        std::fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn only_checkpoints_of_the_same_run_are_gone_on_from() {
        let directory = directory("others");
        let file = directory.join("file");
        let first = |_| ControlFlow::Break(());
        assert!(SMALL.go(&file, Duration::ZERO, first).unwrap().is_none());
        let progress = Progress::read(&file).unwrap().expect("a checkpoint");
        assert_eq!(progress.taken, 1);
        let other = Run { h: 0.2, ..SMALL };
        let message = other.go(&file, Duration::ZERO, first).err().expect("an error").to_string();
        assert!(message.ends_with("is of a run of another size"), "{message}");
        // Neither are files with a wrong byte, nor cut off.
        let bytes = std::fs::read(&file).unwrap();
        for (at, length) in
            [(bytes.len() / 2, bytes.len()), (0, bytes.len() - 8), (0, bytes.len() - 1), (0, 0)]
        {
            let mut damaged = bytes[..length].to_vec();
            if let (true, Some(byte)) = (at > 0, damaged.get_mut(at)) {
                *byte ^= 1;
            }
            std::fs::write(&file, damaged).unwrap();
            let message = Progress::read(&file).expect_err("an error").to_string();
            assert!(message.ends_with("is not a checkpoint of this example"), "{message}");
        }
        std::fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn variance_grows_linearly() {
        let directory = directory("law");
        let run = Run { h: 0.2, trajectories: 150, time: 10_000.0, samples: 50 };
        let all = |_| ControlFlow::Continue(());
        let errors = run.go(&directory.join("file"), Duration::MAX, all).unwrap();
        check(&errors.expect("all samples"));
        std::fs::remove_dir_all(directory).unwrap();
    }
}
