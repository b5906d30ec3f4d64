//! Identification.

use super::steps::{DIFFERENCES, DISPLACED, State, Steps};
use super::{MOST, forwards, guesses, wrong};
use crate::error::sized;
use crate::{Error, System};
use nhi_control::{Identification, Identified, IdentifyError, Observed, PlanError, Samples, Sizes};
use nhi_jit::{Formulas, Point};
use nhi_methods::Variant;
use nhi_runtime::Failure;

/// The problem of parameters and a start from samples of a motion.
#[derive(Clone, Debug)]
pub struct Fitting {
    /// A system whose constraints inputs do not drive.
    pub system: System,
    /// A method whose steps are differentiated.
    pub variant: Variant,
    /// Values of the parameters, flattened; of the unknown ones a guess.
    pub parameters: Vec<f64>,
    /// Configuration at t = 0, known or a guess.
    pub q0: Vec<f64>,
    /// Velocity at t = 0, likewise. The motion begins with the admissible velocity that is nearest to it in the metric of the kinetic
    /// energy, with the parameters of the motion.
    pub v0: Vec<f64>,
    /// Step size, positive.
    pub h: f64,
    /// Inputs of each step; zero after the last one.
    pub inputs: Vec<Vec<f64>>,
    /// What a sample consists of: functions of the state, texts in the grammar of `let`.
    pub measured: Vec<String>,
    /// The samples.
    pub samples: Samples,
    /// Names of the unknowns: parameters, and entries of the start such as `theta(0)` and `dot_theta(0)`. None for all parameters.
    pub unknowns: Option<Vec<String>>,
    /// The number of start guesses, at least 1: the given one, and random variations of it.
    pub starts: usize,
}

/// What was identified.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// Parameters, covariance and what else is known of the unknowns.
    pub identified: Identified<State>,
    /// Configuration at the start of the motion that fits.
    pub q0: Vec<f64>,
    /// Its velocity.
    pub v0: Vec<f64>,
    /// What other start guesses led to, each once, by their sums of squares.
    pub others: Vec<Identified<State>>,
}

/// A system with a method, a guess of its start, and what is measured of it.
struct Measurement {
    steps: Steps,
    formulas: Formulas,
    names: Vec<String>,
    /// The texts of the formulas.
    measured: Vec<String>,
    q0: Vec<f64>,
    v0: Vec<f64>,
}

impl Observed for Measurement {
    type State = State;

    fn sizes(&self) -> Sizes {
        self.steps.sizes
    }

    fn entries(&self) -> Vec<(String, f64)> {
        self.steps.start_entries(&self.q0, &self.v0)
    }

    fn label(&self, i: usize) -> String {
        self.measured[i].clone()
    }

    fn parameters(&self) -> Vec<String> {
        self.names.clone()
    }

    fn count(&self) -> usize {
        self.formulas.count()
    }

    fn start(&self, parameters: &[f64], _: f64, delta: &[f64]) -> Result<State, PlanError> {
        let given = [parameters, &self.q0, &self.v0, delta];
        if given.into_iter().flatten().any(|x| !x.is_finite()) {
            return Err(PlanError::Prepare { cause: Failure::NonFinite });
        }
        self.steps.start(parameters, (&self.q0, &self.v0), delta)
    }

    fn linearize_start(
        &self,
        parameters: &[f64],
        delta: &[f64],
        (by_delta, by_parameters): (&mut [f64], &mut [f64]),
    ) -> Result<(), Failure> {
        let given = (&self.q0[..], &self.v0[..]);
        let start = |parameters: &[f64], delta: &[f64]| {
            self.steps.start(parameters, given, delta).map_err(|error| match error {
                PlanError::Prepare { cause } => cause,
                _ => Failure::NonFinite,
            })
        };
        let origin = start(parameters, delta)?;
        let size = |i: usize| self.v0.get(i.wrapping_sub(self.v0.len())).map_or(1.0, |v| v.abs().max(1.0));
        self.differences(&origin, delta.len(), by_delta, |i, by| {
            let mut delta = delta.to_vec();
            delta[i] += by * size(i);
            Ok((start(parameters, &delta)?, size(i)))
        })?;
        self.differences(&origin, parameters.len(), by_parameters, |i, by| {
            let mut parameters = parameters.to_vec();
            let size = if parameters[i] == 0.0 { 1.0 } else { parameters[i].abs() };
            parameters[i] += by * size;
            Ok((start(&parameters, delta)?, size))
        })
    }

    fn negative_inertia(&self, parameters: &[f64], x: Option<&State>) -> Option<Failure> {
        self.steps.negative_inertia(parameters, x.map_or(&self.q0, |x| &x.q))
    }

    fn step(&self, parameters: &[f64], (t, h): (f64, f64), x: &State, u: &[f64]) -> Result<State, Failure> {
        self.steps.step((parameters, t), h, x, u)
    }

    fn linearize(
        &self,
        parameters: &[f64],
        (t, h): (f64, f64),
        x: &State,
        u: &[f64],
        (a, c): (&mut [f64], &mut [f64]),
    ) -> Result<(), Failure> {
        let Steps { derivatives, lambda, .. } = &self.steps;
        self.steps.at((parameters, t), x, u, |at| {
            a.copy_from_slice(&derivatives.linearize(at, lambda, h)?.a);
            if !c.is_empty() {
                c.copy_from_slice(&derivatives.linearize_parameters(at, lambda, h)?.c);
            }
            Ok(())
        })
    }

    fn measure(&self, parameters: &[f64], t: f64, x: &State, u: &[f64], out: &mut [f64]) {
        let at = Point { parameters, q: &x.q, v: &[], z: &x.z, t, inputs: u };
        match self.formulas.value(&at, &x.nu) {
            Ok(values) => out.copy_from_slice(&values),
            Err(_) => out.fill(f64::NAN),
        }
    }

    fn linearize_measured(
        &self,
        parameters: &[f64],
        t: f64,
        x: &State,
        u: &[f64],
        (by_state, by_parameters): (&mut [f64], &mut [f64]),
    ) {
        let at = Point { parameters, q: &x.q, v: &[], z: &x.z, t, inputs: u };
        match self.formulas.linearize(&at, &x.nu) {
            Ok(slopes) => {
                by_state.copy_from_slice(&slopes.x);
                by_parameters.copy_from_slice(&slopes.p);
            }
            Err(_) => by_state.fill(f64::NAN),
        }
    }
}

impl Measurement {
    /// Sets the columns of `matrix` to the derivatives of starts by differences of order 4: no function with the derivatives of the
    /// projection is compiled. `moved` has the start that is displaced along a direction, and the unit of the displacement.
    fn differences(
        &self,
        origin: &State,
        columns: usize,
        matrix: &mut [f64],
        moved: impl Fn(usize, f64) -> Result<(State, f64), Failure>,
    ) -> Result<(), Failure> {
        let mut delta = vec![0.0; self.steps.sizes.states];
        matrix.fill(0.0);
        for i in 0..columns {
            for (multiple, weight) in DIFFERENCES {
                let (start, unit) = moved(i, multiple * DISPLACED)?;
                self.steps.difference(origin, &start, &mut delta);
                let weight = weight / (12.0 * DISPLACED * unit);
                let column = matrix.iter_mut().skip(i).step_by(columns);
                column.zip(&delta).for_each(|(to, by)| *to += weight * by);
            }
        }
        Ok(())
    }
}

impl Fitting {
    /// The number of steps of size `h` up to the last one of some times.
    ///
    /// # Errors
    /// A step size that is not positive, or too small.
    pub fn steps(times: &[f64], h: f64) -> Result<usize, Error> {
        forwards(h)?;
        let steps = (times.last().copied().unwrap_or(0.0) / h - 1e-9).ceil();
        if steps <= MOST[0] as f64 {
            return Ok(steps.max(0.0) as usize);
        }
        Err(wrong(
            "h",
            format!("{steps} steps to the last sample are too many, at most {} are taken", MOST[0]),
        ))
    }

    /// The unknowns with the least sum of squares near the guess.
    ///
    /// # Errors
    /// [`Error::Argument`] with the field that is impossible, [`Error::Declaration`] for mistakes in texts,
    /// [`Error::Unsolved`] if the motion of the guess fails or the iteration does not converge, and those of
    /// [`System::derivatives`].
    pub fn solve(&self) -> Result<Fitted, Error> {
        let Fitting { system, parameters, .. } = self;
        self.check()?;
        let steps = Steps::new(system, self.variant)?;
        let names: Vec<String> = (0..self.measured.len()).map(|i| format!("measured[{i}]")).collect();
        let texts: Vec<(&str, &str)> =
            names.iter().zip(&self.measured).map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let measured = Measurement {
            formulas: system.formulas(&texts)?,
            names: system.parameters().to_vec(),
            measured: self.measured.clone(),
            q0: self.q0.clone(),
            v0: self.v0.clone(),
            steps: steps.clone(),
        };
        let mut problem = Identification::of(measured, parameters.clone(), self.h, &self.samples);
        problem = problem.inputs(self.inputs.clone());
        if let Some(unknowns) = &self.unknowns {
            let entries = steps.start_entries(&self.q0, &self.v0);
            let entries: Vec<String> = entries.iter().map(|(name, _)| format!("{name}(0)")).collect();
            let place = |name: &String| entries.iter().position(|entry| entry == name);
            let repeated = unknowns.iter().enumerate().find(|(i, name)| unknowns[..*i].contains(name));
            if let Some((_, name)) = repeated {
                return Err(wrong("unknowns", format!("`{name}` stands there twice")));
            }
            let parameters: Vec<&str> =
                unknowns.iter().filter(|name| place(name).is_none()).map(String::as_str).collect();
            let of_start: Vec<usize> = unknowns.iter().filter_map(place).collect();
            problem = problem.parameters(&parameters).map_err(|error| {
                let all: Vec<&str> = system.parameters().iter().chain(&entries).map(String::as_str).collect();
                wrong("unknowns", format!("{error}, expected one of {}", all.join(", ")))
            })?;
            problem = problem.start_entries(&of_start);
        }
        let solved = problem.solve_from(self.starts);
        let (identified, others) = solved.map_err(|error| match &error {
            IdentifyError::Nothing | IdentifyError::Unknown { .. } => wrong("unknowns", error),
            IdentifyError::Length { what, .. } if what.starts_with("inputs") => wrong("inputs", error),
            IdentifyError::Length { what, .. } if what.starts_with("deviations") => {
                wrong("deviations", error)
            }
            IdentifyError::Deviation { .. } => wrong("deviations", error),
            IdentifyError::Length { .. } | IdentifyError::Sample { .. } | IdentifyError::TooFew { .. } => {
                wrong("samples", error)
            }
            IdentifyError::Begin { cause } => wrong("q0", cause),
            _ => Error::Unsolved(error.to_string()),
        })?;
        let none = vec![0.0; system.inputs().len()];
        let u = self.inputs.first().unwrap_or(&none);
        let v0 = steps.velocity((&identified.parameters, 0.0), &identified.start, u);
        let v0 = v0.map_err(|cause| Error::Unsolved(cause.to_string()))?;
        Ok(Fitted { q0: identified.start.q.clone(), v0, identified, others })
    }

    fn check(&self) -> Result<(), Error> {
        let system = &self.system;
        forwards(self.h)?;
        sized("parameters", &self.parameters, system.parameters().len())?;
        sized("q0", &self.q0, system.coordinates().len())?;
        sized("v0", &self.v0, system.velocities().len())?;
        guesses(self.starts)?;
        if self.measured.is_empty() {
            return Err(wrong("measured", "expected at least one expression"));
        }
        Ok(())
    }
}
