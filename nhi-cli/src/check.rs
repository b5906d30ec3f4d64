//! Comparison of a run with the samples of its case.

use crate::case::{GivenSample, Malformed, unknown, vector};
use crate::group::{FIELDS_OF_SAMPLES, GroupSample, Layout};
use crate::number::Number;
use crate::problem::{Problem, Scheme, count};
use crate::progress::Progress;
use crate::run::Stopped;
use nhi_run::Sample;
use nhi_run::model::{Family, Model};
use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::fmt;
use std::ops::ControlFlow;

/// Largest accepted |x − y| / (1 + |y|) for a computed x and a given y.
///
/// `f64` reproduces data computed with 40 digits to 1e-12 after a few hundred steps (the worst case is Euler's
/// disk), and to 6e-12 with compositions, whose substeps are longer than their steps.
const TOLERANCE: f64 = 1e-11;
const TOLERANCE_OF_COMPOSITIONS: f64 = 1e-10;

/// The deviation of a run from the samples of its case.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// The largest accepted deviation.
    pub tolerance: f64,
    /// Largest deviation |x − y| / (1 + |y|).
    pub deviation: f64,
    /// Path of the entry that deviates most.
    pub entry: String,
    /// Numbers compared.
    pub compared: usize,
}

impl Report {
    /// Whether the run agrees with the samples.
    pub fn agrees(&self) -> bool {
        self.deviation <= self.tolerance
    }

    fn compare(&mut self, computed: f64, given: f64, entry: impl FnOnce() -> String) {
        let deviation = (computed - given).abs() / (1.0 + given.abs());
        self.compared += 1;
        if deviation > self.deviation || deviation.is_nan() || self.entry.is_empty() {
            self.deviation = deviation;
            self.entry = entry();
        }
    }

    fn compare_all(&mut self, computed: &[f64], given: &[f64], entry: &str) {
        for (i, (x, y)) in computed.iter().zip(given).enumerate() {
            self.compare(*x, *y, || format!("{entry}[{i}]"));
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { tolerance, deviation, entry, compared } = self;
        if *compared == 0 {
            return f.write_str(
                "it runs to its end; the case has no samples, so that there was nothing to compare",
            );
        }
        let verb = if self.agrees() { "agree" } else { "disagree: only" };
        write!(
            f,
            "{compared} numbers {verb} to {deviation:.1e}, the worst is {entry}; the tolerance is {tolerance:e}"
        )
    }
}

/// The reason for a missing report.
#[derive(Clone, PartialEq, Debug)]
pub enum CheckError {
    /// The samples of the case are malformed.
    Malformed(Malformed),
    /// The run ended early.
    Stopped(Stopped),
}

/// A sample of the case, of the right sizes.
struct ExpectedSample {
    t: Option<f64>,
    q: Option<Vec<f64>>,
    v: Option<Vec<f64>>,
    z: Option<Vec<f64>>,
    inputs: Option<Vec<f64>>,
    p: Option<Vec<f64>>,
    lambda: Option<Vec<f64>>,
    reaction: Option<Vec<f64>>,
    energy: Option<f64>,
    p_pre: Option<Vec<f64>>,
    p_post: Option<Vec<f64>>,
    /// Index of an entry of q that is compared modulo full turns.
    angle: Option<usize>,
    /// Index among the model's invariants, name and value.
    invariants: Vec<(usize, String, f64)>,
    /// Path of the sample.
    path: String,
}

impl Problem<'_> {
    /// Runs the case and compares with its samples, if it has any.
    ///
    /// # Errors
    /// If the samples are malformed, or if the run ends early.
    pub fn check(&self) -> Result<Report, CheckError> {
        let expected = self.expected().map_err(CheckError::Malformed)?;
        let composed =
            matches!(&self.scheme, Scheme::Steps { method, .. } if method.family == Family::Composed);
        let tolerance = if composed { TOLERANCE_OF_COMPOSITIONS } else { TOLERANCE };
        let mut report = Report { tolerance, deviation: 0.0, entry: String::new(), compared: 0 };
        let mut bar = Progress::new(expected.keys().copied().max().unwrap_or(self.steps()));
        let ended = self.samples(
            |k| expected.contains_key(&k) || (expected.is_empty() && k == self.steps()),
            &mut |sample| {
                if let Some(expected) = expected.get(&sample.k) {
                    report.add(&sample, expected);
                }
            },
            &mut |k| {
                bar.at(k);
                ControlFlow::Continue(())
            },
        );
        match ended.map(|ended| ended.stop) {
            Ok(None) => Ok(report),
            Ok(Some(stop)) => Err(CheckError::Stopped(Stopped::new(stop))),
            Err(error) => Err(CheckError::Stopped(Stopped::new(error))),
        }
    }

    /// The samples of the case by number of steps.
    fn expected(&self) -> Result<BTreeMap<u64, ExpectedSample>, Malformed> {
        let mut samples = BTreeMap::new();
        if self.samples.is_none() {
            return Ok(samples);
        }
        for (i, sample) in self.given_samples()?.into_iter().enumerate() {
            let path = format!("samples[{i}]");
            let k = sample.k.ok_or_else(|| Malformed::new(format!("{path}.k"), "missing"))?;
            let k = count(k, &format!("{path}.k"))?;
            if !matches!(self.scheme, Scheme::ExactTimes(_)) && k > self.steps() {
                let steps = self.steps();
                return Err(Malformed::new(format!("{path}.k"), format!("there are only {steps} steps")));
            }
            if samples.insert(k, self.expect(sample, path.clone())?).is_some() {
                return Err(Malformed::new(format!("{path}.k"), format!("a second sample of step {k}")));
            }
        }
        if samples.is_empty() {
            return Err(Malformed::new("samples", "empty: a comparison needs samples"));
        }
        Ok(samples)
    }

    fn expect(&self, mut sample: GivenSample, path: String) -> Result<ExpectedSample, Malformed> {
        let n = self.v0.len();
        let sized = |numbers: &Option<Vec<Number>>, n: usize, name: &str| {
            numbers.as_deref().map(|numbers| vector(numbers, n, &format!("{path}.{name}"))).transpose()
        };
        let velocity = |v: &Vec<Number>| match self.layout {
            Some(layout) => layout.velocity(v, n, &format!("{path}.v")),
            None => vector(v, n, &format!("{path}.v")),
        };
        let of_group = match self.layout {
            Some(layout) => GroupSample::take(&mut sample.invariants, layout, &path)?,
            None => GroupSample { q: None, energy: None, momentum: None },
        };
        let names = self.model.invariants();
        let invariant = |(name, value): (&String, &serde_json::Value)| {
            let Some(index) = names.iter().position(|known| known == name) else {
                let fields = [
                    "k", "t", "q", "v", "z", "inputs", "p", "lambda", "reaction", "energy", "p_pre", "p_post",
                ];
                let known: Vec<_> = fields
                    .into_iter()
                    .chain(FIELDS_OF_SAMPLES.into_iter().filter(|_| self.layout.is_some()))
                    .chain(names.iter().copied())
                    .collect();
                return Err(unknown(name, "field", &known, &path));
            };
            let Number(value) = crate::case::deserialize(value, &format!("{path}.{name}"))?;
            Ok((index, name.clone(), value))
        };
        Ok(ExpectedSample {
            t: sample.t.map(|t| t.0),
            q: of_group.q.or(sized(&sample.q, self.q0.len(), "q")?),
            v: sample.v.as_ref().map(velocity).transpose()?,
            z: match self.z0.len() {
                // Without `z0` their number is not known here.
                0 => sample.z.as_ref().map(|z| z.iter().map(|number| number.0).collect()),
                length => sized(&sample.z, length, "z")?,
            },
            inputs: sized(&sample.inputs, self.model.inputs().len(), "inputs")?,
            p: of_group.momentum.or(sized(&sample.p, n, "p")?),
            lambda: sized(&sample.lambda, self.model.constraints().len(), "lambda")?,
            reaction: sized(&sample.reaction, n, "reaction")?,
            energy: of_group.energy.or(sample.energy.map(|energy| energy.0)),
            p_pre: sized(&sample.p_pre, n, "p_pre")?,
            p_post: sized(&sample.p_post, n, "p_post")?,
            angle: self.layout.and_then(Layout::angle),
            invariants: sample.invariants.iter().map(invariant).collect::<Result<_, _>>()?,
            path,
        })
    }
}

impl Report {
    fn add(&mut self, sample: &Sample, expected: &ExpectedSample) {
        let path = &expected.path;
        let mut q = sample.q.clone();
        if let (Some(angle), Some(given)) = (expected.angle, &expected.q) {
            q[angle] -= TAU * ((q[angle] - given[angle]) / TAU).round();
        }
        let (p_pre, p_post) = sample.jump.as_ref().map_or((&sample.p, &sample.p), |[pre, post]| (pre, post));
        for (name, computed, given) in [
            ("q", &q, &expected.q),
            ("v", &sample.v, &expected.v),
            ("z", &sample.z, &expected.z),
            ("inputs", &sample.inputs, &expected.inputs),
            ("p", &sample.p, &expected.p),
            ("lambda", &sample.lambda, &expected.lambda),
            ("reaction", &sample.reaction, &expected.reaction),
            ("p_pre", p_pre, &expected.p_pre),
            ("p_post", p_post, &expected.p_post),
        ] {
            if let Some(given) = given {
                self.compare_all(computed, given, &format!("{path}.{name}"));
            }
        }
        for (name, computed, given) in
            [("t", sample.t, expected.t), ("energy", sample.energy, expected.energy)]
        {
            if let Some(given) = given {
                self.compare(computed, given, || format!("{path}.{name}"));
            }
        }
        for (index, name, given) in &expected.invariants {
            self.compare(sample.outputs[*index], *given, || format!("{path}.{name}"));
        }
    }
}
