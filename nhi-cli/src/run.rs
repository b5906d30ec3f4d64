//! Integration of a problem.

use crate::forms::OneForms;
use crate::problem::{Problem, Scheme};
use crate::progress::Progress;
use nhi_run::Sample;
use nhi_run::model::Family;
use std::fmt;

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

impl Problem<'_> {
    /// Integrates and passes on the sample at the start and after every `every` steps.
    ///
    /// # Errors
    /// The reason, if a step fails; the samples before it have been passed on.
    pub fn run(&self, take: impl FnMut(Sample)) -> Result<(), Stopped> {
        match &self.scheme {
            Scheme::ExactTimes(nodes) => self.exact(nodes, take),
            Scheme::Steps { steps, .. } | Scheme::ExactSteps { steps, .. } => {
                self.nodes(*steps, |k| k % self.every == 0, take)
            }
        }
    }

    /// Integrates `steps` steps and passes on the samples at the nodes that are `wanted`.
    pub(crate) fn nodes(
        &self,
        steps: u64,
        wanted: impl Fn(u64) -> bool,
        mut take: impl FnMut(Sample),
    ) -> Result<(), Stopped> {
        let (mut q, mut v) = (self.q0.clone(), self.v0.clone());
        let mut progress = Progress::new(steps);
        match &self.scheme {
            Scheme::ExactTimes(nodes) => self.exact(nodes, take)?,
            Scheme::ExactSteps { h, .. } => {
                for k in 0..=steps {
                    let t = k as f64 * h;
                    if wanted(k) {
                        // With the inputs of the step that ends here, like the multipliers of methods.
                        take(self.exact_sample(k, t, &q, &v, self.inputs.at(k.saturating_sub(1)))?);
                    }
                    if k < steps {
                        let flow = self.instance.flow(t, &q, &v, self.inputs.at(k), (k + 1) as f64 * h);
                        (q, v) = flow.map_err(|cause| Stopped::new(format_args!("from t = {t}: {cause}")))?;
                        progress.at(k + 1);
                    }
                }
            }
            Scheme::Steps { method, h, .. } => {
                let trajectory = self.instance.start(method, &q, &v, self.inputs.at(0), *h);
                let mut trajectory = trajectory.map_err(Stopped::new)?;
                for k in 0..=steps {
                    if wanted(k) {
                        let jump = (method.family == Family::Gni).then(|| trajectory.jump().into());
                        let (q, v, lambda) = (trajectory.q(), trajectory.v(), trajectory.multipliers());
                        take(self.sample(k, trajectory.time(), q, v, lambda, jump));
                    }
                    if k < steps {
                        let step = trajectory.step_with(self.inputs.at(k));
                        step.map_err(Stopped::new)?;
                        progress.at(k + 1);
                    }
                }
            }
        }
        Ok(())
    }

    /// The exact flow at given times.
    fn exact(&self, nodes: &[(u64, f64)], mut take: impl FnMut(Sample)) -> Result<(), Stopped> {
        let (mut t0, mut q, mut v) = (0.0, self.q0.clone(), self.v0.clone());
        for &(k, t) in nodes {
            let flow = self.instance.flow(t0, &q, &v, self.inputs.at(0), t);
            (q, v) = flow.map_err(|cause| Stopped::new(format_args!("from t = {t0}: {cause}")))?;
            t0 = t;
            take(self.exact_sample(k, t, &q, &v, self.inputs.at(0))?);
        }
        Ok(())
    }

    /// A sample of the exact flow, with the multipliers of the continuous equations.
    fn exact_sample(&self, k: u64, t: f64, q: &[f64], v: &[f64], inputs: &[f64]) -> Result<Sample, Stopped> {
        let acceleration = self.instance.acceleration(q, v, t, inputs);
        let (_, lambda) = acceleration.map_err(|cause| Stopped::new(format_args!("at t = {t}: {cause}")))?;
        Ok(self.sample(k, t, q.to_vec(), v.to_vec(), lambda, None))
    }

    fn sample(
        &self,
        k: u64,
        t: f64,
        q: Vec<f64>,
        v: Vec<f64>,
        lambda: Vec<f64>,
        jump: Option<[Vec<f64>; 2]>,
    ) -> Sample {
        Sample {
            k,
            t,
            p: self.instance.momentum(&q, &v),
            reaction: OneForms::at(&*self.instance, &q, v.len()).reaction(&lambda),
            lambda,
            energy: self.instance.energy(&q, &v),
            z: Vec::new(),
            inputs: self.inputs.at(k.saturating_sub(1)).to_vec(),
            residual: self.instance.residual(&q, &v),
            position_residual: Vec::new(),
            outputs: self.instance.invariants(&q, &v),
            q,
            v,
            jump,
        }
    }
}
