//! Parameters and starts of declared systems from samples of their motion.
//!
//! Least squares by Levenberg and Marquardt's method (Moré 1978), with the derivatives of the discrete motion: for the unknowns
//! ϑ, parameters and entries of the start,
//!
//! ```text
//! S' = A S + C,   S₀ = ∂x₀/∂ϑ,   ∂y/∂ϑ = ∂y/∂x S + ∂y/∂p,
//! ```
//!
//! with A and C of each step. A sample between two nodes is that of a shorter step from the node before it.

use crate::discrete::{lifted, vector};
use crate::{Discrete, Dynamics, PlanError, Sizes};
use levenberg_marquardt::{LeastSquaresProblem, LevenbergMarquardt};
use nalgebra::{DMatrix, DVector, Dyn, Owned};
use nhi_runtime::{Differentiable, Dual, Failure, Fits, ReducedOf, Scalar, System, Tangential, Vector};
use std::fmt;

/// What is measured of a declared system, written for any number type so that it can be differentiated.
pub trait Measurement<S: Tangential> {
    /// How many numbers a sample has.
    fn count(&self) -> usize;

    /// Sets `out` to the measured numbers of a motion at time `t`.
    fn value<T: Scalar>(
        &self,
        parameters: &S::Parameters<T>,
        q: &S::Configuration<T>,
        v: &S::Velocity<T>,
        z: &S::States<T>,
        t: T,
        out: &mut [T],
    );
}

/// The entries of the configuration with these indices, as measured numbers.
#[derive(Clone, Debug)]
pub struct Entries(pub Vec<usize>);

impl<S: Tangential> Measurement<S> for Entries {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn value<T: Scalar>(
        &self,
        _: &S::Parameters<T>,
        q: &S::Configuration<T>,
        _: &S::Velocity<T>,
        _: &S::States<T>,
        _: T,
        out: &mut [T],
    ) {
        // An index that does not exist measures zero; `Identification::solve` refuses it.
        let entries = self.0.iter().map(|&i| q.as_ref().get(i).copied().unwrap_or(T::from_f64(0.0)));
        out.iter_mut().zip(entries).for_each(|(out, entry)| *out = entry);
    }
}

/// Samples of a motion.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Samples {
    /// Times, not before the start, in ascending order.
    pub times: Vec<f64>,
    /// The measured numbers at each time.
    pub values: Vec<Vec<f64>>,
    /// Standard deviation of each of the numbers, the same at all times. If there are none, all are equal, and estimated.
    pub deviations: Vec<f64>,
}

/// A problem of identification: which parameters and which entries of the start are unknown, and what is measured.
#[derive(Clone, Debug)]
pub struct Identification<'a, S: Tangential, M, F> {
    method: M,
    h: f64,
    parameters: S::Parameters<f64>,
    start: Start<S>,
    measurement: F,
    samples: &'a Samples,
    inputs: Vec<Vec<f64>>,
    unknown_parameters: Vec<usize>,
    unknown_entries: Vec<usize>,
}

#[derive(Clone, Debug)]
struct Start<S: System> {
    q: S::Configuration<f64>,
    v: S::Velocity<f64>,
}

/// What is known after an identification.
#[derive(Clone, Debug)]
pub struct Identified<S: Tangential> {
    /// All parameters, the known ones as they were.
    pub parameters: S::Parameters<f64>,
    /// The state x = (q, ν, z) at the start.
    pub start: ReducedOf<S>,
    /// Names of the unknowns: parameters, then entries of the start such as `x(0)`.
    pub unknowns: Vec<String>,
    /// Values of the unknowns; those of the start are displacements from the guess.
    pub values: Vec<f64>,
    /// Their covariance, that of the linearised problem: the Cramér–Rao bound for normally distributed noise. Directions that are
    /// not determined have none, and do not count.
    pub covariance: DMatrix<f64>,
    /// χ², the sum of the squares of what is left, each divided by its variance if that is given.
    pub chi_squared: f64,
    /// Numbers that were measured, less those that they determine: the mean of χ² if all deviations are right.
    pub degrees_of_freedom: usize,
    /// Standard deviation of the noise: √(χ²/degrees of freedom), in units of the given deviations if there are any.
    pub noise: f64,
    /// Unit vectors along which the unknowns can change without a change of the samples, to first order.
    pub undetermined: Vec<Vec<f64>>,
    /// How often a motion was computed.
    pub evaluations: usize,
}

/// Why unknowns were not identified.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum IdentifyError {
    /// There is no such parameter or entry of the start.
    Unknown {
        /// Its name.
        name: String,
    },
    /// There is nothing unknown.
    Nothing,
    /// A list has the wrong length.
    Length {
        /// Which one.
        what: String,
        /// What its length has to be.
        expected: usize,
        /// What it is.
        found: usize,
    },
    /// A time is before the start or before an earlier one, or a number of a sample is not finite.
    Sample {
        /// Its place.
        index: usize,
    },
    /// A deviation is not positive.
    Deviation {
        /// Its place.
        index: usize,
    },
    /// There are fewer numbers than unknowns.
    TooFew {
        /// Numbers that are measured.
        numbers: usize,
        /// Unknowns.
        unknowns: usize,
    },
    /// The start, the parameters or the step size are none to begin with.
    Begin {
        /// The reason.
        cause: PlanError,
    },
    /// A step of the motion from the guess fails.
    Step {
        /// Its number, from 0.
        step: usize,
        /// The reason.
        cause: Failure,
    },
    /// The iteration has not converged.
    NotConverged {
        /// What it says.
        reason: String,
    },
}

impl fmt::Display for IdentifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IdentifyError::Unknown { name } => {
                write!(f, "there is no parameter and no entry of the start `{name}`")
            }
            IdentifyError::Nothing => write!(f, "no parameter and no entry of the start is unknown"),
            IdentifyError::Length { what, expected, found } => {
                write!(f, "{what}: expected {expected}, found {found}")
            }
            IdentifyError::Sample { index } => write!(
                f,
                "sample {index}: its time must be finite, not before the start and the samples before it, and its numbers finite"
            ),
            IdentifyError::Deviation { index } => {
                write!(f, "deviation {index}: must be positive and finite")
            }
            IdentifyError::TooFew { numbers, unknowns } => {
                write!(f, "{numbers} measured numbers do not determine {unknowns} unknowns")
            }
            IdentifyError::Begin { cause } => write!(f, "{cause}"),
            IdentifyError::Step { step, cause } => write!(f, "step {step} from the guess fails: {cause}"),
            IdentifyError::NotConverged { reason } => write!(f, "the iteration has not converged: {reason}"),
        }
    }
}

impl std::error::Error for IdentifyError {}

/// Singular values below this fraction of the largest one count as zero: derivatives are exact up to rounding.
const NEGLIGIBLE: f64 = 1e-8;

/// Where a motion fails, residuals are as large as this: the iteration refuses such a trial.
const REFUSED: f64 = 1e100;

/// A sample this near to a node, in steps, is one at the node.
const AT_NODE: f64 = 1e-9;

impl<'a, S: Tangential, M: Differentiable<S> + Copy, F: Measurement<S>> Identification<'a, S, M, F> {
    /// All parameters of `guess` are unknown, and the start is known: at time 0, the configuration `q` and the quasi-velocities
    /// ν = Y(q) `v`. With these, the velocity is admissible whatever the parameters of the constraints are. The motion is that of
    /// a method with steps of size `h`.
    pub fn new(
        guess: &S,
        (method, h): (M, f64),
        (q, v): (impl Fits<S::Configuration<f64>>, impl Fits<S::Velocity<f64>>),
        measurement: F,
        samples: &'a Samples,
    ) -> Self {
        Identification {
            method,
            h,
            parameters: guess.parameters(),
            start: Start { q: q.fit(), v: v.fit() },
            measurement,
            samples,
            inputs: Vec::new(),
            unknown_parameters: (0..S::PARAMETERS.len()).collect(),
            unknown_entries: Vec::new(),
        }
    }

    /// The same with inputs that are held over the steps, one vector for each; after the last one they are zero.
    #[must_use]
    pub fn inputs(mut self, inputs: Vec<Vec<f64>>) -> Self {
        self.inputs = inputs;
        self
    }

    /// The same with these unknown parameters.
    ///
    /// # Errors
    /// [`IdentifyError::Unknown`].
    pub fn parameters(mut self, names: &[&str]) -> Result<Self, IdentifyError> {
        let place = |name: &&str| {
            let found = S::PARAMETERS.iter().position(|parameter| parameter == name);
            found.ok_or_else(|| IdentifyError::Unknown { name: (*name).to_owned() })
        };
        self.unknown_parameters = names.iter().map(place).collect::<Result<_, _>>()?;
        Ok(self)
    }

    /// The same with unknown entries of the state at the start, by their numbers in tangent vectors of x = (q, ν, z); the velocity
    /// remains admissible. What is given is a guess of them.
    #[must_use]
    pub fn start_entries(mut self, entries: &[usize]) -> Self {
        self.unknown_entries = entries.to_vec();
        self
    }

    /// The unknowns with the least sum of squares near the guess.
    ///
    /// # Errors
    /// What is wrong with the problem, and [`IdentifyError::NotConverged`].
    pub fn solve(&self) -> Result<Identified<S>, IdentifyError> {
        let begin = |cause| IdentifyError::Begin { cause };
        let discrete = Discrete::<S, M>::of(self.method, self.parameters, self.h).map_err(begin)?;
        let origin = discrete.with_components(0, self.start.q, self.start.v).map_err(begin)?;
        self.check(discrete.sizes())?;
        let unknowns = self.unknown_parameters.len() + self.unknown_entries.len();
        let numbers = self.samples.times.len() * self.measurement.count();
        if unknowns == 0 {
            return Err(IdentifyError::Nothing);
        }
        if numbers < unknowns {
            return Err(IdentifyError::TooFew { numbers, unknowns });
        }
        let mut values = DVector::zeros(unknowns);
        for (value, &i) in values.iter_mut().zip(&self.unknown_parameters) {
            *value = self.parameters.as_ref()[i];
        }
        let problem = Residuals { problem: self, origin, numbers, values };
        problem.computed(false).map_err(|(step, cause)| IdentifyError::Step { step, cause })?;
        let (problem, report) = LevenbergMarquardt::new().minimize(problem);
        if !report.termination.was_successful() {
            return Err(IdentifyError::NotConverged { reason: format!("{:?}", report.termination) });
        }
        let (residuals, jacobian) =
            problem.computed(true).map_err(|(step, cause)| IdentifyError::Step { step, cause })?;
        let chi_squared = residuals.norm_squared();
        let (covariance, undetermined) = precision(&jacobian);
        let degrees_of_freedom = numbers - (unknowns - undetermined.len());
        let variance = chi_squared / degrees_of_freedom.max(1) as f64;
        let is_estimated = self.samples.deviations.is_empty();
        let covariance = if is_estimated { covariance * variance } else { covariance };
        let entry = |&i: &usize| format!("{}(0)", discrete.entry(i));
        let names = self.unknown_parameters.iter().map(|&i| S::PARAMETERS[i].to_owned());
        Ok(Identified {
            parameters: problem.parameters(),
            start: problem.start(),
            unknowns: names.chain(self.unknown_entries.iter().map(entry)).collect(),
            values: problem.values.iter().copied().collect(),
            covariance,
            chi_squared,
            degrees_of_freedom,
            noise: variance.sqrt(),
            undetermined,
            evaluations: report.number_of_evaluations,
        })
    }

    fn check(&self, sizes: Sizes) -> Result<(), IdentifyError> {
        let Samples { times, values, deviations } = self.samples;
        let count = self.measurement.count();
        let length = |what: String, expected: usize, found: usize| {
            if expected == found { Ok(()) } else { Err(IdentifyError::Length { what, expected, found }) }
        };
        length("samples".to_owned(), times.len(), values.len())?;
        let mut last = 0.0;
        for (index, (&t, sample)) in times.iter().zip(values).enumerate() {
            length(format!("numbers of sample {index}"), count, sample.len())?;
            let is_after = t.is_finite() && t >= last;
            if !is_after || sample.iter().any(|x| !x.is_finite()) {
                return Err(IdentifyError::Sample { index });
            }
            last = t;
        }
        if !deviations.is_empty() {
            length("deviations".to_owned(), count, deviations.len())?;
        }
        let is_wrong = |deviation: &f64| !(deviation.is_finite() && *deviation > 0.0);
        if let Some(index) = deviations.iter().position(is_wrong) {
            return Err(IdentifyError::Deviation { index });
        }
        for (k, inputs) in self.inputs.iter().enumerate() {
            length(format!("inputs of step {k}"), sizes.inputs, inputs.len())?;
        }
        match self.unknown_entries.iter().find(|&&i| i >= sizes.states) {
            Some(i) => Err(IdentifyError::Unknown { name: format!("x[{i}]") }),
            None => Ok(()),
        }
    }
}

/// (JᵀJ)⁻¹ on the unknowns that J determines, and unit vectors along which it vanishes.
fn precision(jacobian: &DMatrix<f64>) -> (DMatrix<f64>, Vec<Vec<f64>>) {
    // In units in which each unknown alone moves the samples by 1.
    let units: Vec<f64> = jacobian.column_iter().map(|column| column.norm()).collect();
    let units: Vec<f64> = units.into_iter().map(|unit| if unit > 0.0 { 1.0 / unit } else { 1.0 }).collect();
    let mut scaled = jacobian.clone();
    scaled.column_iter_mut().zip(&units).for_each(|(mut column, unit)| column *= *unit);
    let gram = scaled.transpose() * &scaled;
    let svd = scaled.svd(false, true);
    let n = gram.nrows();
    let (mut covariance, mut undetermined) = (DMatrix::zeros(n, n), Vec::new());
    let Some(rows) = svd.v_t else { return (covariance, undetermined) };
    let largest = svd.singular_values.max();
    for (&s, row) in svd.singular_values.iter().zip(rows.row_iter()) {
        let direction = DVector::from_iterator(n, row.iter().zip(&units).map(|(x, unit)| x * unit));
        if s > NEGLIGIBLE * largest {
            covariance += &direction * direction.transpose() / (s * s);
        } else {
            undetermined.push((&direction / direction.norm()).iter().copied().collect());
        }
    }
    (covariance, undetermined)
}

/// The residuals (y − ŷ)/σ as functions of the unknowns.
struct Residuals<'p, 'a, S: Tangential, M, F> {
    problem: &'p Identification<'a, S, M, F>,
    /// The guess of the start.
    origin: ReducedOf<S>,
    numbers: usize,
    values: DVector<f64>,
}

/// Residuals and their derivatives by the unknowns.
type Computed = (DVector<f64>, DMatrix<f64>);

impl<S: Tangential, M: Differentiable<S> + Copy, F: Measurement<S>> Residuals<'_, '_, S, M, F> {
    fn parameters(&self) -> S::Parameters<f64> {
        let mut parameters = self.problem.parameters;
        for (&value, &i) in self.values.iter().zip(&self.problem.unknown_parameters) {
            parameters.as_mut()[i] = value;
        }
        parameters
    }

    /// The tangent vector by which the start is displaced from the guess.
    fn displacement<T: Scalar>(&self) -> S::Tangent<T> {
        let mut delta: S::Tangent<T> = vector(&[]);
        let values = self.values.iter().skip(self.problem.unknown_parameters.len());
        for (&value, &i) in values.zip(&self.problem.unknown_entries) {
            delta.as_mut()[i] = T::from_f64(value);
        }
        delta
    }

    fn start(&self) -> ReducedOf<S> {
        S::retract(&self.origin, &self.displacement())
    }

    /// Residuals, and derivatives if they are wanted, or which step fails.
    fn computed(&self, differentiated: bool) -> Result<Computed, (usize, Failure)> {
        let Identification { method, h, samples, inputs, measurement, .. } = self.problem;
        let (parameters, n) = (self.parameters(), self.values.len());
        let failed = |step: usize| move |cause: Failure| (step, cause);
        let of = |h: f64, t: f64| Discrete::<S, M>::of(*method, parameters, h).map(|d| d.from_time(t));
        let steps = of(*h, 0.0).map_err(|_| (0, Failure::NonFinite))?;
        let none = vec![0.0; S::INPUTS.len()];
        let mut residuals = DVector::zeros(self.numbers);
        let mut jacobian = DMatrix::zeros(self.numbers, if differentiated { n } else { 0 });
        let (mut k, mut x, mut sensitivity) = (0, self.start(), self.first_sensitivity(&steps));
        for (i, (&t, sample)) in samples.times.iter().zip(&samples.values).enumerate() {
            let input = |k: usize| inputs.get(k).unwrap_or(&none);
            while t - (k + 1) as f64 * h >= -AT_NODE * h {
                if differentiated {
                    sensitivity = self.carried(&steps, k, &x, input(k), &sensitivity).map_err(failed(k))?;
                }
                x = steps.step(k, &x, input(k)).map_err(failed(k))?;
                k += 1;
            }
            let begin = k as f64 * h;
            let (mut here, mut moved) = (x, None);
            if t - begin > AT_NODE * h {
                let part = of(t - begin, begin).map_err(|_| (k, Failure::NonFinite))?;
                if differentiated {
                    moved = Some(self.carried(&part, 0, &x, input(k), &sensitivity).map_err(failed(k))?);
                }
                here = part.step(0, &x, input(k)).map_err(failed(k))?;
            }
            let count = measurement.count();
            let (y, by_state, by_parameters) = self.measured(&parameters, &here, t, input(k), differentiated);
            let deviation = |j: usize| samples.deviations.get(j).copied().unwrap_or(1.0);
            for j in 0..count {
                residuals[i * count + j] = (y[j] - sample[j]) / deviation(j);
            }
            if differentiated {
                let mut rows = by_state * moved.as_ref().unwrap_or(&sensitivity) + by_parameters;
                rows.row_iter_mut().enumerate().for_each(|(j, mut row)| row /= deviation(j));
                jacobian.rows_mut(i * count, count).copy_from(&rows);
            }
        }
        let is_finite = residuals.iter().chain(&jacobian).all(|x| x.is_finite());
        if is_finite { Ok((residuals, jacobian)) } else { Err((k, Failure::NonFinite)) }
    }

    /// ∂x₀/∂ϑ. A guess that is displaced far on a group is not differentiated at the identity: the tangent vectors at the start
    /// are those of ⊕ there.
    fn first_sensitivity(&self, steps: &Discrete<S, M>) -> DMatrix<f64> {
        let (size, known) = (steps.sizes().states, self.problem.unknown_parameters.len());
        let mut sensitivity = DMatrix::zeros(size, self.values.len());
        let start = self.start();
        for (column, &entry) in self.problem.unknown_entries.iter().enumerate() {
            let mut delta = self.displacement::<Dual<f64>>();
            delta.as_mut()[entry].eps = [1.0];
            let moved = S::retract(&lifted::<S, Dual<f64>>(&self.origin), &delta);
            let along = S::difference(&lifted::<S, Dual<f64>>(&start), &moved);
            for (i, x) in along.as_ref().iter().enumerate() {
                sensitivity[(i, known + column)] = x.eps[0];
            }
        }
        sensitivity
    }

    /// A S + C of a step.
    fn carried(
        &self,
        steps: &Discrete<S, M>,
        k: usize,
        x: &ReducedOf<S>,
        u: &[f64],
        sensitivity: &DMatrix<f64>,
    ) -> Result<DMatrix<f64>, Failure> {
        let Sizes { states, inputs } = steps.sizes();
        let mut ab = vec![0.0; states * (states + inputs)];
        steps.linearize(k, x, u, &mut ab)?;
        let a = DMatrix::from_fn(states, states, |i, j| ab[i * (states + inputs) + j]);
        let mut next = a * sensitivity;
        if !self.problem.unknown_parameters.is_empty() {
            let c = steps.by_parameters(k, x, u)?;
            for (column, &p) in self.problem.unknown_parameters.iter().enumerate() {
                c.as_ref().iter().enumerate().for_each(|(i, row)| next[(i, column)] += row.as_ref()[p]);
            }
        }
        Ok(next)
    }

    /// The measured numbers, and their derivatives by x, as rows, and by the unknowns at a fixed x.
    fn measured(
        &self,
        parameters: &S::Parameters<f64>,
        x: &ReducedOf<S>,
        t: f64,
        u: &[f64],
        differentiated: bool,
    ) -> (Vec<f64>, DMatrix<f64>, DMatrix<f64>) {
        let measurement = &self.problem.measurement;
        let count = measurement.count();
        let known = &self.problem.unknown_parameters;
        let size = S::Tangent::<f64>::splat(0.0).as_ref().len();
        let directions = if differentiated { size + known.len() } else { 0 };
        let mut by_state = DMatrix::zeros(count, size);
        let mut by_unknowns = DMatrix::zeros(count, self.values.len());
        let mut out = vec![Dual::<f64>::constant(0.0); count];
        // The values are the same in all directions.
        for direction in 0..directions.max(1) {
            let mut delta: S::Tangent<Dual<f64>> = vector(&[]);
            let mut parameters: S::Parameters<Dual<f64>> = vector(parameters.as_ref());
            if let Some(entry) = delta.as_mut().get_mut(direction).filter(|_| differentiated) {
                entry.eps = [1.0];
            }
            let parameter = direction.checked_sub(size).and_then(|i| known.get(i));
            if let Some(&i) = parameter {
                parameters.as_mut()[i].eps = [1.0];
            }
            let ReducedOf::<S, Dual<f64>> { q, nu, z } = S::retract(&lifted::<S, Dual<f64>>(x), &delta);
            let time = Dual::constant(t);
            let v = S::velocity(&parameters, &q, &nu, time, &vector(u));
            measurement.value(&parameters, &q, &v, &z, time, &mut out);
            for (j, out) in out.iter().enumerate().filter(|_| differentiated) {
                match direction.checked_sub(size) {
                    None => by_state[(j, direction)] = out.eps[0],
                    Some(i) => by_unknowns[(j, i)] = out.eps[0],
                }
            }
        }
        (out.iter().map(|y| y.re).collect(), by_state, by_unknowns)
    }
}

impl<S: Tangential, M: Differentiable<S> + Copy, F: Measurement<S>> LeastSquaresProblem<f64, Dyn, Dyn>
    for Residuals<'_, '_, S, M, F>
{
    type ParameterStorage = Owned<f64, Dyn>;
    type ResidualStorage = Owned<f64, Dyn>;
    type JacobianStorage = Owned<f64, Dyn, Dyn>;

    fn set_params(&mut self, values: &DVector<f64>) {
        self.values.copy_from(values);
    }

    fn params(&self) -> DVector<f64> {
        self.values.clone()
    }

    fn residuals(&self) -> Option<DVector<f64>> {
        Some(
            self.computed(false)
                .map_or_else(|_| DVector::repeat(self.numbers, REFUSED), |(residuals, _)| residuals),
        )
    }

    fn jacobian(&self) -> Option<DMatrix<f64>> {
        self.computed(true).ok().map(|(_, jacobian)| jacobian)
    }
}
