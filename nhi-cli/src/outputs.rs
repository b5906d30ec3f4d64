//! Where samples and pictures of a motion go.

use crate::failed::Failed;
use crate::files::{extension, print, save, warn};
use clap::Args;
use nhi_run::{Format, Recording, page, plot};
use std::io;
use std::path::{Path, PathBuf};

/// Files to write.
#[derive(Args, Debug)]
pub(crate) struct Outputs {
    /// Where to write the samples: `.csv`, `.json`, or `.npz` for numpy; if left out, JSON on standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) pictures: Pictures,
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
        self.out.as_deref().map_or(Ok(Format::Json), format_of)
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
        warn(recording.about.warning.clone());
        match &recording.about.stopped {
            Some(reason) => Err(Failed::Stopped(format!("{}: {reason}", what.display()))),
            None => Ok(()),
        }
    }
}

impl Pictures {
    pub(crate) fn are_wanted(&self) -> bool {
        self.plot.is_some() || self.view.is_some()
    }

    pub(crate) fn check(&self) -> Result<(), Failed> {
        for (name, path, expected) in [("plot", &self.plot, "svg"), ("view", &self.view, "html")] {
            if let Some(path) = path
                && extension(path) != expected
            {
                return Err(Failed::Wrong(format!("--{name} {}: expected .{expected}", path.display())));
            }
        }
        Ok(())
    }

    pub(crate) fn write(&self, recording: &Recording) -> Result<(), Failed> {
        if let Some(path) = &self.plot {
            save(path, plot(recording).as_bytes())?;
        }
        if let Some(path) = &self.view {
            save(path, page(recording).as_bytes())?;
        }
        Ok(())
    }
}
