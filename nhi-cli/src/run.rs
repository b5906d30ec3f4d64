//! Integration of a problem.

use crate::failed::Failed;
use crate::problem::{Problem, Scheme};
use nhi_run::{Ended, Error, Exact, Recording, Run, Sample, Stop};
use nhi_runtime::Failure;
use std::fmt;
use std::ops::ControlFlow;

/// The reason for the early end of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Stopped(String);

impl Stopped {
    pub(crate) fn new(reason: impl fmt::Display) -> Self {
        Stopped(reason.to_string())
    }
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Stopped {}

impl From<Stopped> for Failed {
    fn from(stopped: Stopped) -> Self {
        Failed::Stopped(stopped.to_string())
    }
}

/// Whether a run goes on after a number of steps.
type Progress<'a> = &'a mut dyn FnMut(u64) -> ControlFlow<()>;

impl Problem<'_> {
    /// Integrates and passes on the sample at the start and after every `every` steps.
    ///
    /// # Errors
    /// The reason, if a step fails; the samples before it have been passed on.
    pub fn run(&self, mut take: impl FnMut(Sample)) -> Result<(), Stopped> {
        let go_on = &mut |_| ControlFlow::Continue(());
        let ended = self.samples(|k| k.is_multiple_of(self.every), &mut take, go_on).map_err(Stopped::new)?;
        ended.stop.map_or(Ok(()), |stop| Err(Stopped::new(stop)))
    }

    /// The same as a recording.
    pub(crate) fn record(&self, progress: Progress<'_>) -> Result<Recording, Error> {
        let mut samples = Vec::new();
        let wanted = |k: u64| k.is_multiple_of(self.every);
        let ended = self.samples(wanted, &mut |sample| samples.push(sample), progress)?;
        Ok(self.to_run()?.recording(&samples, ended))
    }

    /// Integrates, passes on the samples at the nodes that are `wanted`, those of the exact flow at given times all, and
    /// returns how the run ended.
    pub(crate) fn samples(
        &self,
        wanted: impl Fn(u64) -> bool,
        take: &mut dyn FnMut(Sample),
        progress: Progress<'_>,
    ) -> Result<Ended, Error> {
        let run = self.to_run()?;
        match &self.scheme {
            Scheme::ExactTimes(nodes) => at_times(&run, nodes, take),
            _ => run.samples(wanted, take, progress),
        }
    }

    /// What is run; for the exact flow at given times without steps.
    ///
    /// # Errors
    /// A method that does not apply.
    pub fn to_run(&self) -> Result<Run, Error> {
        let system = self.model.system().clone();
        let (scheme, h, steps) = match &self.scheme {
            Scheme::Steps { method, h, steps } => {
                (nhi_run::Scheme::Steps(system.variant(method.id)?), *h, *steps)
            }
            Scheme::Adaptive { method, tolerance, end, h, steps } => {
                let variant = system.variant(method.id)?;
                (nhi_run::Scheme::Adaptive { variant, tolerance: *tolerance, end: *end }, *h, *steps)
            }
            Scheme::ExactSteps { h, steps } => (nhi_run::Scheme::Exact, *h, *steps),
            // Each has a time of its own.
            Scheme::ExactTimes(_) => (nhi_run::Scheme::Exact, 1.0, 0),
        };
        Ok(Run {
            system,
            scheme,
            parameters: self.instance.parameters(),
            q0: self.q0.clone(),
            v0: self.v0.clone(),
            z0: self.z0.clone(),
            inputs: self.inputs.clone(),
            h,
            steps,
            every: self.every,
            project: false,
            pose: self.pose.clone(),
        })
    }
}

/// The exact flow at given times.
fn at_times(run: &Run, nodes: &[(u64, f64)], take: &mut dyn FnMut(Sample)) -> Result<Ended, Error> {
    let exact = Exact::new(&run.system, &run.parameters)?;
    let (mut t0, mut q, mut v, inputs) = (0.0, run.q0.clone(), run.v0.clone(), run.inputs.at(0));
    for &(k, t) in nodes {
        match exact.flow(t0, &q, &v, inputs, t) {
            Ok(next) => (q, v) = next,
            Err(Failure::NotConverged) => return Ok(Stop::Stiff { time: t0 }.into()),
            Err(cause) => return Ok(Stop::Flow { place: "from", time: t0, cause }.into()),
        }
        match exact.sample_at(k, t, &q, &v, inputs) {
            Ok(sample) => take(sample),
            Err(cause) => return Ok(Stop::Flow { place: "at", time: t, cause }.into()),
        }
        t0 = t;
    }
    Ok(Ended::default())
}
