//! A declared system to be measured.

use super::Course;
use crate::failed::Failed;
use crate::simulate::Start;
use clap::Args;
use std::path::PathBuf;

/// A declaration with its data.
#[derive(Args, Debug)]
pub struct Measured {
    /// A Rust file with a declaration; the models if left out.
    #[arg(conflicts_with = "model")]
    file: Option<PathBuf>,
    #[command(flatten)]
    start: Start,
    /// The time span over which constraints, energy and parasitic modes are measured.
    #[arg(long, value_name = "T", default_value_t = 60.0, requires = "file")]
    span: f64,
    /// A force or a moving constraint does work: the energy is not measured.
    #[arg(long, requires = "file")]
    driven: bool,
}

impl Measured {
    /// The course of the system, if there is one.
    pub(crate) fn course(&self) -> Result<Option<Course>, Failed> {
        let Some(file) = &self.file else {
            return match self.start.given().iter().find(|(_, given)| *given) {
                Some((name, _)) => Err(Failed::Wrong(format!("--{name}: goes with a declaration"))),
                None => Ok(None),
            };
        };
        if !(self.span > 0.0 && self.span.is_finite()) {
            return Err(Failed::Wrong(format!(
                "--span: expected a time after the start, found {}",
                self.span
            )));
        }
        let (model, h) = self.start.model(file, !self.driven)?;
        Ok(Some(Course { model: Box::leak(Box::new(model)), h, span: self.span, held: None }))
    }
}
