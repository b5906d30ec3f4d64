//! Declarations and the cases that name them.

use crate::case::{Case, Malformed, unknown};
use crate::check::{Report, Unchecked};
use crate::command::Failed;
use crate::files::read;
use crate::models;
use crate::problem::{Problem, Scheme};
use crate::progress::Progress;
use crate::run::Stopped;
use nhi_methods::Variant;
use nhi_run::model::{Declared, named};
use nhi_run::{Error, Exact, Recording, Run, Sample, System};
use std::io::{IsTerminal, stderr};
use std::ops::ControlFlow;
use std::path::Path;

/// The system that is declared in a file, with outputs: names, or names with expressions.
pub(crate) fn system(
    file: &Path,
    name: Option<&str>,
    outputs: &[(&str, Option<&str>)],
) -> Result<System, Failed> {
    let text = read(file)?;
    System::with_outputs(&text, &file.display().to_string(), name, outputs)
        .map_err(|error| failed(error.into()))
}

/// An error of a declaration as rustc prints it, any other in a line.
pub(crate) fn failed(error: Error) -> Failed {
    match error {
        Error::Declaration(error) => Failed::Rejected(error.render(stderr().is_terminal())),
        error => Failed::Wrong(error.to_string()),
    }
}

/// A case with the model that it names.
pub(crate) struct Stated {
    pub(crate) model: &'static Declared,
    pub(crate) problem: Problem<'static>,
}

/// Reads a case. Its declaration stands in a file relative to its own.
pub(crate) fn case(path: &Path) -> Result<Stated, Failed> {
    let text = read(path)?;
    let wrong = |malformed: Malformed| Failed::Wrong(format!("{}: {malformed}", path.display()));
    let case = Case::parse(&text).map_err(wrong)?;
    let outputs: Vec<_> = case.outputs.iter().flatten().collect();
    let outputs: Vec<(&str, Option<&str>)> = outputs
        .into_iter()
        .map(|(name, text)| (name.as_str(), Some(text.as_str()).filter(|text| text != name)))
        .collect();
    let model: &'static Declared = match (&case.model, &case.declaration) {
        (Some(_), Some(_)) => {
            return Err(wrong(Malformed::new("declaration", "a case has a model or a declaration")));
        }
        (None, None) => return Err(wrong(Malformed::new("model", "missing"))),
        (None, Some(file)) => {
            let file = path.parent().unwrap_or(Path::new("")).join(file);
            let system = system(&file, case.name.as_deref(), &outputs)?;
            Box::leak(Box::new(Declared::of(system).map_err(failed)?))
        }
        (Some(name), None) => {
            let on_group = case.group.as_ref().is_some_and(|group| group != "R^0");
            let bundled = named(name, on_group)
                .ok_or_else(|| wrong(unknown(name, "model", &models::names(), "model")))?;
            match outputs.is_empty() {
                true => models::model(name, on_group)?,
                false => Box::leak(Box::new(bundled.load_with(&outputs).map_err(failed)?)),
            }
        }
    };
    let problem = Problem::of(case, &text, model).map_err(wrong)?;
    Ok(Stated { model, problem })
}

impl Stated {
    /// Runs the case.
    pub(crate) fn record(
        &self,
        progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Recording, Error> {
        let run = self.run()?;
        match &self.problem.scheme {
            Scheme::ExactTimes(nodes) => self.at_times(&run, nodes),
            _ => run.record(progress),
        }
    }

    /// Runs the case and compares with its samples.
    pub(crate) fn check(&self) -> Result<Report, Unchecked> {
        let Scheme::Steps { .. } = self.problem.scheme else { return self.problem.check() };
        self.problem.compare(|last, wanted, take| {
            let mut bar = Progress::new(last);
            let run = self.run().map_err(Stopped::new)?;
            let stopped = run.samples(wanted, take, &mut |k| {
                bar.at(k);
                ControlFlow::Continue(())
            });
            stopped.map_err(Stopped::new)?.map_or(Ok(()), |reason| Err(Stopped::new(reason)))
        })
    }

    fn run(&self) -> Result<Run, Error> {
        let Problem { scheme, q0, v0, z0, inputs, every, pose, instance, .. } = &self.problem;
        let (scheme, h, steps) = match scheme {
            Scheme::Steps { method, h, steps } => {
                (nhi_run::Scheme::Steps(self.variant(method.id)?), *h, *steps)
            }
            Scheme::ExactSteps { h, steps } => (nhi_run::Scheme::Exact, *h, *steps),
            Scheme::ExactTimes(_) => (nhi_run::Scheme::Exact, 1.0, 0),
        };
        Ok(Run {
            system: self.model.system().clone(),
            scheme,
            parameters: instance.parameters(),
            q0: q0.clone(),
            v0: v0.clone(),
            z0: z0.clone(),
            inputs: inputs.clone(),
            h,
            steps,
            every: *every,
            project: false,
            pose: pose.clone(),
        })
    }

    fn variant(&self, id: &str) -> Result<Variant, Error> {
        self.model.system().variant(id)
    }

    /// The exact flow at given times.
    fn at_times(&self, run: &Run, nodes: &[(u64, f64)]) -> Result<Recording, Error> {
        let exact = Exact::new(&run.system, &run.parameters)?;
        let (mut t0, mut q, mut v, inputs) = (0.0, run.q0.clone(), run.v0.clone(), run.inputs.at(0));
        let mut samples: Vec<Sample> = Vec::new();
        for &(k, t) in nodes {
            let next = exact.flow(t0, &q, &v, inputs, t);
            let sample = next.and_then(|next| {
                (q, v) = next;
                exact.sample_at(k, t, &q, &v, inputs)
            });
            match sample {
                Ok(sample) => samples.push(sample),
                Err(cause) => return Ok(run.recording(&samples, Some(format!("from t = {t0}: {cause}")))),
            }
            t0 = t;
        }
        Ok(run.recording(&samples, None))
    }
}
