//! Where samples and pictures of a motion go.

use crate::case::unknown;
use crate::failed::Failed;
use crate::files::{extension, print, save, warn};
use clap::Args;
use nhi_run::{About, Adaptive, Bodies, Column, Ended, Format, Quantity, Recording, Run, page, plot};
use std::io;
use std::path::{Path, PathBuf};

/// Files to write.
#[derive(Args, Debug)]
pub(crate) struct Outputs {
    /// Where to write the samples: `.csv`, `.json`, or `.npz` for NumPy. Without it, JSON to standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) pictures: Pictures,
    /// Begin a CSV file with lines `# name: value` that say what was run.
    #[arg(long)]
    comments: bool,
    /// Do not print a summary.
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// Pictures to write.
#[derive(Args, Debug)]
pub(crate) struct Pictures {
    /// Where to draw the motion, `.svg`.
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Where to write a page that plays the motion, `.html`.
    #[arg(long, value_name = "FILE")]
    view: Option<PathBuf>,
    /// The two columns of the phase plane, such as `phi,dot_phi`. Without it, the first coordinate and its velocity,
    /// or with a pose the first two velocities of the body.
    #[arg(long, value_name = "COLUMN,COLUMN", value_delimiter = ',')]
    phase: Vec<String>,
}

/// The format of samples in a file.
pub(crate) fn format_of(path: &Path) -> Result<Format, Failed> {
    Format::of(extension(path))
        .map_err(|expected| Failed::Wrong(format!("--out {}: {expected}", path.display())))
}

impl Outputs {
    /// The format of the samples.
    ///
    /// # Errors
    /// A name with another extension than its file needs.
    pub(crate) fn format(&self) -> Result<Format, Failed> {
        self.pictures.check()?;
        let format = self.out.as_deref().map_or(Ok(Format::Json), format_of)?;
        match (self.comments, format) {
            (false, format) => Ok(format),
            (true, Format::Csv) => Ok(format.with_comments()),
            (true, _) => Err(Failed::Wrong("--comments: goes with --out FILE.csv".to_owned())),
        }
    }

    /// Writes what there is of a run of `what`, and then says why it ended early.
    pub(crate) fn write(
        &self,
        what: &Path,
        recording: &Recording,
        samples: impl FnOnce(&mut dyn io::Write, &Recording) -> io::Result<()>,
    ) -> Result<(), Failed> {
        let mut bytes = Vec::new();
        samples(&mut bytes, recording)?;
        match &self.out {
            Some(path) => save(path, &bytes)?,
            // Whoever wants a picture only need not read the numbers.
            None if self.pictures.are_wanted() => {}
            None => print(&bytes)?,
        }
        self.pictures.write(recording)?;
        if !self.quiet {
            eprint!("{}", self.summary(recording));
        }
        recording.about.warnings.iter().cloned().for_each(|warning| warn(Some(warning)));
        match &recording.about.stopped {
            Some(reason) => Err(Failed::Stopped(format!("{}: {reason}", what.display()))),
            None => Ok(()),
        }
    }
}

impl Outputs {
    /// The samples and the files that they are in; of a single run also how well constraints and energy are kept.
    fn summary(&self, recording: &Recording) -> String {
        let last = |name: &str| recording.column(name).and_then(|column| column.values.last().copied());
        let files = [&self.out, &self.pictures.plot, &self.pictures.view].into_iter().flatten();
        let files: Vec<String> = files.map(|file| file.display().to_string()).collect();
        let mut samples = format!("{} samples", recording.samples());
        if !files.is_empty() {
            samples += &format!(": {}", files.join(", "));
        }
        if recording.all(Quantity::Swept).next().is_some() {
            return format!("{samples}\n");
        }
        let (steps, t) = (last("k").unwrap_or(0.0), last("t").unwrap_or(0.0));
        let mut kept = Vec::new();
        let residuals = [Quantity::Residual, Quantity::PositionResidual];
        let residuals: Vec<f64> =
            residuals.into_iter().flat_map(|of| recording.all(of)).map(largest).collect();
        if let Some(residual) = residuals.into_iter().reduce(f64::max) {
            kept.push(format!("constraints hold to {residual:.1e}"));
        }
        if let Some(energy) = recording.all(Quantity::Energy).next()
            && let Some(&first) = energy.values.first()
        {
            let change = energy.values.iter().map(|e| (e - first).abs()).fold(0.0, f64::max);
            kept.push(format!("the energy {first:.6} changes by at most {change:.1e}"));
        }
        let kept = if kept.is_empty() { String::new() } else { format!("{}\n", kept.join(", ")) };
        let events: String = recording.about.events.iter().map(happened).collect();
        let About { h, method, adaptive, .. } = &recording.about;
        let steps = match adaptive {
            None => format!("{steps} steps of {h} by {method} to t = {t}"),
            Some(Adaptive { tolerance, steps, rejections }) => format!(
                "{steps} steps by {method} with the tolerance {tolerance:e} to t = {t}, {rejections} pairs of steps repeated"
            ),
        };
        format!("{steps}, {samples}\n{kept}{events}")
    }
}

/// What there is to say of an event.
fn happened((name, times): &(String, Vec<f64>)) -> String {
    match times.as_slice() {
        [] => format!("{name}: never became true\n"),
        [t] => format!("{name}: at t = {t}\n"),
        [first, .., last] => {
            format!("{name}: {} times, first at t = {first}, last at t = {last}\n", times.len())
        }
    }
}

/// The largest magnitude in a column.
fn largest(column: &Column) -> f64 {
    column.values.iter().map(|x| x.abs()).fold(0.0, f64::max)
}

impl Pictures {
    pub(crate) fn are_wanted(&self) -> bool {
        self.plot.is_some() || self.view.is_some()
    }

    /// Adds the bodies to the recording, if somebody is to see them.
    pub(crate) fn place(&self, bodies: &Bodies, recording: &mut Recording) {
        if self.are_wanted() {
            bodies.place(recording);
        }
    }

    pub(crate) fn check(&self) -> Result<(), Failed> {
        for (name, path, expected) in [("plot", &self.plot, "svg"), ("view", &self.view, "html")] {
            if let Some(path) = path
                && extension(path) != expected
            {
                return Err(Failed::Wrong(format!("--{name} {}: expected .{expected}", path.display())));
            }
        }
        match self.phase.len() {
            0 => Ok(()),
            2 if self.are_wanted() => Ok(()),
            2 => Err(Failed::Wrong("--phase: goes with --plot or --view".to_owned())),
            found => Err(Failed::Wrong(format!("--phase: expected two columns, found {found}"))),
        }
    }

    /// Whether the columns that are wanted are those of a run, entries of places of bodies, or among these other ones.
    pub(crate) fn check_columns(&self, run: &Run, bodies: &Bodies, others: &[&str]) -> Result<(), Failed> {
        let recording = run.recording(&[], Ended::default());
        let entries: Vec<String> = bodies.columns().collect();
        let columns = recording.columns.iter().map(|column| &column.name).chain(&entries).map(String::as_str);
        let known: Vec<&str> = columns.chain(others.iter().copied()).collect();
        match self.phase.iter().map(|name| name.trim()).find(|name| !known.contains(name)) {
            Some(name) => Err(Failed::Wrong(format!("--phase: {}", unknown(name, "column", &known, "")))),
            None => Ok(()),
        }
    }

    fn phase(&self) -> Option<[&str; 2]> {
        match self.phase.as_slice() {
            [x, y] => Some([x.trim(), y.trim()]),
            _ => None,
        }
    }

    pub(crate) fn write(&self, recording: &Recording) -> Result<(), Failed> {
        if let Some(path) = &self.plot {
            save(path, plot(recording, self.phase()).as_bytes())?;
        }
        if let Some(path) = &self.view {
            save(path, page(recording, self.phase()).as_bytes())?;
        }
        Ok(())
    }
}
