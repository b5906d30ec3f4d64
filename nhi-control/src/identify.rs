//! Parameters and starts of systems from samples of their motion.
//!
//! Least squares by Levenberg and Marquardt's method (Moré 1978), with the derivatives of the discrete motion: for the unknowns
//! ϑ, parameters and entries of the start,
//!
//! ```text
//! S' = A S + C,   S₀ = ∂x₀/∂ϑ,   ∂y/∂ϑ = ∂y/∂x S + ∂y/∂p,
//! ```
//!
//! with A and C of each step. A sample between two nodes is that of a shorter step from the node before it.

use crate::best::{Best, distinct};
use crate::dense::{add_multiple, add_product, are_finite, dot, norm2, subtract_projections};
use crate::waves::numbers_from;
use crate::{Declared, Measurement, Observed, PlanError, Sizes};
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;
use core::fmt;
use levenberg_marquardt::{LeastSquaresProblem, LevenbergMarquardt, TerminationReason};
use nalgebra::{DMatrix, DVector, Dyn, Owned};
use nhi_runtime::{Differentiable, Failure, Fits, Tangential};
#[cfg(not(feature = "std"))]
use num_traits::Float;

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
pub struct Identification<'a, X> {
    observed: X,
    h: f64,
    parameters: Vec<f64>,
    samples: &'a Samples,
    inputs: Vec<Vec<f64>>,
    unknown_parameters: Vec<usize>,
    unknown_entries: Vec<usize>,
}

/// What is known after an identification of a system with the states `X`.
#[derive(Clone, Debug)]
pub struct Identified<X> {
    /// All parameters, the known ones as they were.
    pub parameters: Vec<f64>,
    /// The state x = (q, ν, z) at the start.
    pub start: X,
    /// Names of the unknowns: parameters, then entries of the start such as `x(0)`.
    pub unknowns: Vec<String>,
    /// Values of the unknowns; those of a pose at the start are displacements from the guess.
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
    /// What speaks against the model or the deviations.
    pub doubts: Vec<Doubt>,
    /// What the motion has in place of each sample.
    pub fitted: Vec<Vec<f64>>,
    /// How often a motion was computed.
    pub evaluations: usize,
}

/// What speaks against a fit: residuals that are not noise of the given size.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Doubt {
    /// χ² is far from its mean.
    ChiSquared {
        /// χ².
        chi_squared: f64,
        /// Its mean, if model and deviations are right; its variance is twice that.
        degrees_of_freedom: usize,
    },
    /// Neighbouring residuals of a measured number are not independent.
    Correlated {
        /// What is measured.
        label: String,
        /// Their correlation.
        correlation: f64,
    },
    /// Some velocities have a negative kinetic energy.
    NegativeInertia {
        /// The [`Failure::NegativeInertia`], with these velocities and the parameters that are negative.
        cause: Failure,
        /// With which parameters.
        by: Passed,
    },
}

/// Parameters that give velocities a negative kinetic energy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Passed {
    /// Those that were found.
    Found,
    /// Others on the way to them.
    OnTheWay,
    /// Those to which the sum of squares still decreases, and with which no steps can be taken.
    Beyond,
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doubt::ChiSquared { chi_squared, degrees_of_freedom: degrees } => {
                let deviation = (2.0 * *degrees as f64).sqrt();
                write!(f, "χ² is {chi_squared:.4}, where right deviations and a right model give ")?;
                write!(f, "{degrees} ± {deviation:.0}: ")?;
                if *chi_squared > *degrees as f64 {
                    write!(f, "the motion does not fit, or the deviations are too small")
                } else {
                    write!(f, "the deviations are too large")
                }
            }
            Doubt::Correlated { label, correlation } => write!(
                f,
                "the residuals of `{label}` are no noise: the correlation of neighbours is {correlation:.2}; another start guess \
                 or another model may fit better"
            ),
            Doubt::NegativeInertia { cause, by: Passed::Found } => {
                write!(
                    f,
                    "what fits is no mechanical system: {cause}; another start guess or another model may fit better"
                )
            }
            Doubt::NegativeInertia { cause, by: Passed::OnTheWay } => {
                write!(
                    f,
                    "the iteration passed by parameters of no mechanical system: {cause}; another start guess may fit better"
                )
            }
            Doubt::NegativeInertia { cause, by: Passed::Beyond } => write!(
                f,
                "what would fit better is no mechanical system: {cause}; another start guess or another model may fit better"
            ),
        }
    }
}

/// Doubts begin where independent residuals would be this many standard deviations from what is expected.
const DOUBTFUL: f64 = 5.0;

/// Where changes of the unknowns reduce more than this part of the residuals, to first order, a fit has been stopped.
const STATIONARY: f64 = 1e-2;

/// Residuals below this multiple of the roundings of the steps are no evidence.
const EVIDENT: f64 = 1e3;

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

impl core::error::Error for IdentifyError {}

/// Singular values below this fraction of the largest one count as zero: derivatives are exact up to rounding.
const NEGLIGIBLE: f64 = 1e-8;

/// An unknown whose change by its own size moves the samples by less than this, relative to others, moves them by rounding errors.
const ROUNDING: f64 = 1e-12;

/// Where a motion fails, residuals are as large as this: the iteration refuses such a trial.
const REFUSED: f64 = 1e100;

/// The roundings of a step, in units of ε times what is measured after it.
const ROUNDINGS: f64 = 10.0;

/// How far, relative to deviations and values, results of different start guesses may be apart that are the same.
const SAME: f64 = 1e-3;

/// A sample this near to a node, in steps, is one at the node.
const AT_NODE: f64 = 1e-9;

impl<'a, S: Tangential, M: Differentiable<S> + Copy, F: Measurement<S>>
    Identification<'a, Declared<S, M, F>>
{
    /// All parameters of `guess` are unknown, and the start is known: at time 0, the configuration `q` and the velocity `v`. If the
    /// constraints depend on unknown parameters, the motion begins with the admissible velocity that is nearest to `v` in the metric
    /// of the kinetic energy. It is that of a method with steps of size `h`.
    pub fn new(
        guess: &S,
        (method, h): (M, f64),
        start: (impl Fits<S::Configuration<f64>>, impl Fits<S::Velocity<f64>>),
        measurement: F,
        samples: &'a Samples,
    ) -> Self {
        let parameters = guess.parameters().as_ref().to_vec();
        Identification::of(Declared::new(method, start, measurement), parameters, h, samples)
    }
}

impl<'a, X: Observed> Identification<'a, X> {
    /// All parameters are unknown, with a guess of them, and the start is known. The motion has steps of size `h` from time 0.
    pub fn of(observed: X, parameters: Vec<f64>, h: f64, samples: &'a Samples) -> Self {
        let unknown_parameters = (0..parameters.len()).collect();
        let (inputs, unknown_entries) = (Vec::new(), Vec::new());
        Identification { observed, h, parameters, samples, inputs, unknown_parameters, unknown_entries }
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
        let known = self.observed.parameters();
        let place = |name: &&str| {
            let found = known.iter().position(|parameter| parameter == name);
            found.ok_or_else(|| IdentifyError::Unknown { name: (*name).to_owned() })
        };
        self.unknown_parameters = names.iter().map(place).collect::<Result<_, _>>()?;
        Ok(self)
    }

    /// The same with unknown entries of the start, by their numbers in [`Observed::entries`]; what is given is a guess of them. As the
    /// motion begins on the constraints, the samples do not determine all velocities where there are constraints.
    #[must_use]
    pub fn start_entries(mut self, entries: &[usize]) -> Self {
        self.unknown_entries = entries.to_vec();
        self
    }

    /// The unknowns with the least sum of squares near the guess.
    ///
    /// # Errors
    /// What is wrong with the problem, and [`IdentifyError::NotConverged`].
    pub fn solve(&self) -> Result<Identified<X::State>, IdentifyError> {
        self.solve_near(0)
    }

    /// The same from so many start guesses: the given one, and random variations of it, in which each unknown parameter is multiplied
    /// by a factor from 1/e to e, a parameter that is zero and an entry of the start changed by up to its own size, at least 1. The
    /// guesses are the same in every call. Returns what has the least sum of squares, and what else was found, each once, in this
    /// order.
    ///
    /// # Errors
    /// As [`Identification::solve`], where all start guesses fail: for the given one, if there is one.
    pub fn solve_from(&self, starts: usize) -> Result<Best<Identified<X::State>>, IdentifyError> {
        let (mut found, mut first_error) = (Vec::new(), None);
        for start in 0..starts.max(1) {
            match self.solve_near(start as u64) {
                Ok(identified) => found.push(identified),
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        found.sort_by(|a, b| a.chi_squared.total_cmp(&b.chi_squared));
        let mut all = distinct(found, is_same).into_iter();
        match (all.next(), first_error) {
            (Some(best), _) => Ok((best, all.collect())),
            (None, error) => Err(error.unwrap_or(IdentifyError::Nothing)),
        }
    }

    /// From the variation of the guess with that number.
    fn solve_near(&self, variation: u64) -> Result<Identified<X::State>, IdentifyError> {
        let observed = &self.observed;
        let begin = |cause| IdentifyError::Begin { cause };
        let entries = observed.entries();
        observed.start(&self.parameters, self.h, &vec![0.0; entries.len()]).map_err(|cause| {
            let cause = match (cause, observed.negative_inertia(&self.parameters, None)) {
                (PlanError::Prepare { .. }, Some(cause)) => PlanError::Prepare { cause },
                (cause, _) => cause,
            };
            begin(cause)
        })?;
        self.check(observed.sizes(), entries.len())?;
        let unknowns = self.unknown_parameters.len() + self.unknown_entries.len();
        let numbers = self.samples.times.len() * observed.count();
        if unknowns == 0 {
            return Err(IdentifyError::Nothing);
        }
        if numbers < unknowns {
            return Err(IdentifyError::TooFew { numbers, unknowns });
        }
        let mut values = DVector::zeros(unknowns);
        for (value, &i) in values.iter_mut().zip(&self.unknown_parameters) {
            *value = self.parameters[i];
        }
        if variation > 0 {
            let mut random = numbers_from(variation);
            let (of_parameters, of_start) = values.as_mut_slice().split_at_mut(self.unknown_parameters.len());
            for value in of_parameters {
                *value = if *value == 0.0 { random() } else { *value * random().exp() };
            }
            for (value, &i) in of_start.iter_mut().zip(&self.unknown_entries) {
                *value = random() * entries[i].1.abs().max(1.0);
            }
        }
        let names = observed.parameters();
        let failed = |&(step, cause): &(usize, Failure)| IdentifyError::Step { step, cause };
        let problem = Residuals::new(self, entries.len(), numbers, values);
        if let Err((step, cause)) = &problem.here {
            let cause = problem.negative_here().unwrap_or(*cause);
            return Err(IdentifyError::Step { step: *step, cause });
        }
        let (problem, report) = LevenbergMarquardt::new().minimize(problem);
        if !(problem.is_solved() || report.termination.was_successful()) {
            let reason = match report.termination {
                TerminationReason::LostPatience => {
                    let chi_squared =
                        problem.here.as_ref().map_or(f64::NAN, |fit| fit.residuals.norm_squared());
                    let count = report.number_of_evaluations;
                    let doubt = problem
                        .negative
                        .get()
                        .map(|cause| format!("; {}", Doubt::NegativeInertia { cause, by: Passed::OnTheWay }));
                    format!(
                        "χ² is {chi_squared:.3e} after {count} motions; a nearer guess or several starts may help{}",
                        doubt.unwrap_or_default()
                    )
                }
                other => format!("{other:?}"),
            };
            return Err(IdentifyError::NotConverged { reason });
        }
        let fit = problem.here.as_ref().map_err(failed)?;
        let Fit { residuals, jacobian, .. } = fit;
        let chi_squared = residuals.norm_squared();
        let (covariance, undetermined) = precision(jacobian, &problem.sizes());
        let degrees_of_freedom = numbers - (unknowns - undetermined.len());
        let variance = chi_squared / degrees_of_freedom.max(1) as f64;
        let is_estimated = self.samples.deviations.is_empty();
        let covariance = if is_estimated { covariance * variance } else { covariance };
        let entry = |&i: &usize| format!("{}(0)", entries[i].0);
        let names = self.unknown_parameters.iter().map(|&i| names[i].clone());
        let deviation = |j: usize| self.samples.deviations.get(j).copied().unwrap_or(1.0);
        let left = residuals.as_slice().chunks(observed.count().max(1));
        let fitted = left.zip(&self.samples.values).map(|(left, sample)| {
            left.iter().zip(sample).enumerate().map(|(j, (left, y))| y + left * deviation(j)).collect()
        });
        let mut doubts = self.doubts(fit, degrees_of_freedom);
        let is_stopped = fit.is_evident() && removable(residuals, jacobian) > STATIONARY * fit.norm;
        let passed = [
            (problem.negative_here(), Passed::Found),
            (problem.negative.get(), Passed::OnTheWay),
            (problem.beyond.get().filter(|_| is_stopped), Passed::Beyond),
        ];
        let passed = passed.into_iter().find_map(|(cause, by)| Some((cause?, by)));
        doubts.extend(passed.map(|(cause, by)| Doubt::NegativeInertia { cause, by }));
        let guesses = self.unknown_parameters.iter().map(|_| 0.0);
        let guesses = guesses.chain(self.unknown_entries.iter().map(|&i| entries[i].1));
        Ok(Identified {
            parameters: problem.parameters(),
            start: problem.start().map_err(begin)?,
            unknowns: names.chain(self.unknown_entries.iter().map(entry)).collect(),
            values: problem.values.iter().zip(guesses).map(|(value, guess)| value + guess).collect(),
            covariance,
            chi_squared,
            degrees_of_freedom,
            noise: variance.sqrt(),
            undetermined,
            doubts,
            fitted: fitted.collect(),
            evaluations: report.number_of_evaluations,
        })
    }

    /// What a χ² test and the correlations of neighbouring residuals say.
    fn doubts(&self, fit: &Fit, degrees_of_freedom: usize) -> Vec<Doubt> {
        let mut doubts = Vec::new();
        if !fit.is_evident() {
            return doubts;
        }
        let chi_squared = fit.norm * fit.norm;
        let off = (chi_squared - degrees_of_freedom as f64).abs();
        let is_known = !self.samples.deviations.is_empty() && degrees_of_freedom > 0;
        if is_known && off > DOUBTFUL * (2.0 * degrees_of_freedom as f64).sqrt() {
            doubts.push(Doubt::ChiSquared { chi_squared, degrees_of_freedom });
        }
        let count = self.observed.count();
        for j in 0..count {
            let residuals: Vec<f64> = fit.residuals.iter().skip(j).step_by(count).copied().collect();
            let products = residuals.iter().zip(residuals.iter().skip(1)).map(|(a, b)| a * b).sum::<f64>();
            let correlation = products / dot(&residuals, &residuals);
            // The correlation of independent residuals has the deviation 1/√n; unknowns, which the samples determine, make it
            // negative.
            if correlation * (residuals.len() as f64).sqrt() > DOUBTFUL {
                doubts.push(Doubt::Correlated { label: self.observed.label(j), correlation });
            }
        }
        doubts
    }

    fn check(&self, sizes: Sizes, entries: usize) -> Result<(), IdentifyError> {
        let Samples { times, values, deviations } = self.samples;
        let count = self.observed.count();
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
        match self.unknown_entries.iter().find(|&&i| i >= entries) {
            Some(i) => Err(IdentifyError::Unknown { name: format!("x[{i}]") }),
            None => Ok(()),
        }
    }
}

/// Whether two results are one minimum: their values differ by less than [`SAME`] deviations, and their sums of squares by little.
fn is_same<X>(a: &Identified<X>, b: &Identified<X>) -> bool {
    let near = |(i, (x, y)): (usize, (&f64, &f64))| {
        let deviation = a.covariance[(i, i)].max(b.covariance[(i, i)]).max(0.0).sqrt();
        (x - y).abs() <= SAME * (deviation + x.abs().max(y.abs()))
    };
    let (least, most) = (a.chi_squared.min(b.chi_squared), a.chi_squared.max(b.chi_squared));
    // Along what is not determined, values differ.
    let is_determined = a.undetermined.is_empty() && b.undetermined.is_empty();
    let values = a.values.iter().zip(&b.values).enumerate().all(near);
    (values || !is_determined) && most - least <= SAME * (most + a.degrees_of_freedom as f64 * f64::EPSILON)
}

/// (JᵀJ)⁻¹ on the unknowns that J determines, and unit vectors along which it vanishes; the unknowns have these sizes.
fn precision(jacobian: &DMatrix<f64>, sizes: &[f64]) -> (DMatrix<f64>, Vec<Vec<f64>>) {
    // In units in which each unknown alone moves the samples by 1; what moves them by rounding errors does not.
    let effects: Vec<f64> =
        jacobian.column_iter().zip(sizes).map(|(column, size)| column.norm() * size).collect();
    let negligible = ROUNDING * effects.iter().fold(0.0, |largest: f64, &effect| largest.max(effect));
    let unit = |(&effect, size): (&f64, &f64)| if effect > negligible { size / effect } else { *size };
    let units: Vec<f64> = effects.iter().zip(sizes).map(unit).collect();
    let mut scaled = jacobian.clone();
    for ((mut column, &unit), &effect) in scaled.column_iter_mut().zip(&units).zip(&effects) {
        column *= if effect > negligible { unit } else { 0.0 };
    }
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

/// The norm of the part of the residuals in the range of the Jacobian, which is what the next step of Gauss and Newton removes: by
/// Gram and Schmidt's method, without columns that follow from those before.
fn removable(residuals: &DVector<f64>, jacobian: &DMatrix<f64>) -> f64 {
    let mut columns = jacobian.clone();
    let (rows, n) = columns.shape();
    let (mut left, mut square) = (residuals.clone(), 0.0);
    for j in 0..n {
        let (before, after) = columns.as_mut_slice().split_at_mut(j * rows);
        let column = &mut after[..rows];
        let size = norm2(column);
        subtract_projections(column, before.chunks_exact(rows.max(1)));
        let length = norm2(column);
        if length > NEGLIGIBLE * size {
            column.iter_mut().for_each(|x| *x /= length);
            let by = dot(column, left.as_slice());
            add_multiple(left.as_mut_slice(), -by, column);
            square += by * by;
        } else {
            column.fill(0.0);
        }
    }
    square.sqrt()
}

/// The residuals (y − ŷ)/σ as functions of the unknowns. Most values that the method tries are accepted, and derivatives are wanted
/// there: they are computed with the residuals.
struct Residuals<'p, 'a, X: Observed> {
    problem: &'p Identification<'a, X>,
    /// How many entries a start has.
    entries: usize,
    numbers: usize,
    values: DVector<f64>,
    /// At these values.
    here: Evaluation,
    /// At others, in case that the method returns to them.
    there: (DVector<f64>, Evaluation),
    /// The least norm of residuals before these values were tried.
    least: f64,
    /// That accepted values on the way gave velocities a negative kinetic energy.
    negative: Cell<Option<Failure>>,
    /// That the last values with which no motion could be computed did.
    beyond: Cell<Option<Failure>>,
}

/// What there is at some values of the unknowns.
struct Fit {
    residuals: DVector<f64>,
    /// Their derivatives by the unknowns.
    jacobian: DMatrix<f64>,
    norm: f64,
    /// The norm of the errors that rounding leaves in the residuals.
    rounding: f64,
    /// Whether changes of the unknowns reduce them, to first order, by no more than these errors.
    is_stationary: bool,
}

impl Fit {
    /// Whether the residuals are more than rounding.
    fn is_evident(&self) -> bool {
        self.norm > EVIDENT * self.rounding
    }
}

/// That, or which step fails.
type Evaluation = Result<Fit, (usize, Failure)>;

impl<'p, 'a, X: Observed> Residuals<'p, 'a, X> {
    /// Those at some values of the unknowns.
    fn new(problem: &'p Identification<'a, X>, entries: usize, numbers: usize, values: DVector<f64>) -> Self {
        let none = || Err((0, Failure::NonFinite));
        let there = (values.clone(), none());
        let least = f64::INFINITY;
        let [negative, beyond] = [(); 2].map(|()| Cell::new(None));
        let mut residuals =
            Residuals { problem, entries, numbers, values, here: none(), there, least, negative, beyond };
        residuals.here = residuals.computed();
        residuals
    }

    /// Whether the residuals are the least ones as far as their roundings tell. The method, which does not know them, would go on
    /// until sums of squares happen to agree.
    fn is_solved(&self) -> bool {
        let is_solved = |fit: &Fit| fit.is_stationary && fit.norm <= self.least + fit.rounding;
        self.here.as_ref().is_ok_and(is_solved)
    }

    fn parameters(&self) -> Vec<f64> {
        let mut parameters = self.problem.parameters.clone();
        for (&value, &i) in self.values.iter().zip(&self.problem.unknown_parameters) {
            parameters[i] = value;
        }
        parameters
    }

    /// Sizes of the unknowns: those of parameters that are not zero, and 1.
    fn sizes(&self) -> Vec<f64> {
        let known = self.problem.unknown_parameters.len();
        let size = |(i, x): (usize, &f64)| if i < known && *x != 0.0 { x.abs() } else { 1.0 };
        self.values.iter().enumerate().map(size).collect()
    }

    /// By what the entries of the start differ from the guess.
    fn displacement(&self) -> Vec<f64> {
        let mut delta = vec![0.0; self.entries];
        let values = self.values.iter().skip(self.problem.unknown_parameters.len());
        for (&value, &i) in values.zip(&self.problem.unknown_entries) {
            delta[i] = value;
        }
        delta
    }

    fn start(&self) -> Result<X::State, PlanError> {
        let Identification { observed, h, .. } = self.problem;
        observed.start(&self.parameters(), *h, &self.displacement())
    }

    /// That these values give velocities a negative kinetic energy.
    fn negative_here(&self) -> Option<Failure> {
        // These values may have no start.
        self.problem.observed.negative_inertia(&self.parameters(), self.start().ok().as_ref())
    }

    fn computed(&self) -> Evaluation {
        let Identification { observed, h, samples, inputs, .. } = self.problem;
        let (parameters, n) = (self.parameters(), self.values.len());
        let Sizes { states, inputs: controls } = observed.sizes();
        let (none, count) = (vec![0.0; controls], observed.count());
        let mut residuals = DVector::zeros(self.numbers);
        let mut jacobian = DMatrix::zeros(self.numbers, n);
        let no_start = |error| match error {
            PlanError::Prepare { cause } => (0, cause),
            _ => (0, Failure::NonFinite),
        };
        let (mut k, mut x) = (0, self.start().map_err(no_start)?);
        // The roundings of the steps before a sample add up as independent errors do.
        let mut rounding = 0.0;
        // S, by rows, and the products of derivatives with it.
        let (mut sensitivity, mut moved) =
            (self.first_sensitivity().map_err(|cause| (0, cause))?, vec![0.0; states * n]);
        let (mut y, mut by_unknowns) = (vec![0.0; count], vec![0.0; count * n]);
        let known = if self.problem.unknown_parameters.is_empty() { 0 } else { parameters.len() };
        let (mut a, mut c) = (vec![0.0; states * states], vec![0.0; states * known]);
        let (mut by_state, mut by_parameters) =
            (vec![0.0; count * states], vec![0.0; count * parameters.len()]);
        for (i, (&t, sample)) in samples.times.iter().zip(&samples.values).enumerate() {
            let input = |k: usize| inputs.get(k).unwrap_or(&none);
            let mut carry = |k: usize, step, x: &X::State, (from, to): (&[f64], &mut [f64])| {
                let after = observed.differentiate(&parameters, step, x, input(k), (&mut a, &mut c));
                let after = after.map_err(|cause| (k, cause))?;
                self.total(to, (&a, &c), from);
                Ok(after)
            };
            while t - (k + 1) as f64 * h >= -AT_NODE * h {
                x = carry(k, (k as f64 * h, *h), &x, (&sensitivity, &mut moved))?;
                core::mem::swap(&mut sensitivity, &mut moved);
                k += 1;
            }
            let begin = k as f64 * h;
            let between = if t - begin > AT_NODE * h {
                Some(carry(k, (begin, t - begin), &x, (&sensitivity, &mut moved))?)
            } else {
                None
            };
            let (here, sensitivity) = between.as_ref().map_or((&x, &sensitivity), |here| (here, &moved));
            observed.measure(&parameters, t, here, input(k), &mut y);
            let by = (&mut by_state[..], &mut by_parameters[..]);
            observed.linearize_measured(&parameters, t, here, input(k), by);
            self.total(&mut by_unknowns, (&by_state, &by_parameters), sensitivity);
            for (j, (row, y)) in by_unknowns.chunks_exact(n).zip(&y).enumerate() {
                let deviation = samples.deviations.get(j).copied().unwrap_or(1.0);
                let at = i * count + j;
                residuals[at] = (y - sample[j]) / deviation;
                rounding += (k + 1) as f64 * (y / deviation).powi(2);
                row.iter().enumerate().for_each(|(column, by)| jacobian[(at, column)] = by / deviation);
            }
        }
        if !(are_finite(residuals.as_slice()) && are_finite(jacobian.as_slice())) {
            return Err((k, Failure::NonFinite));
        }
        let (norm, rounding) = (residuals.norm(), ROUNDINGS * f64::EPSILON * rounding.sqrt());
        let is_stationary = removable(&residuals, &jacobian) <= rounding;
        Ok(Fit { residuals, jacobian, norm, rounding, is_stationary })
    }

    /// ∂x₀/∂ϑ by rows. The projection of the start onto the constraints depends on the parameters.
    fn first_sensitivity(&self) -> Result<Vec<f64>, Failure> {
        let Identification { observed, unknown_parameters, unknown_entries, .. } = self.problem;
        let (parameters, delta, n) = (self.parameters(), self.displacement(), self.values.len());
        let states = observed.sizes().states;
        let mut by_delta = vec![0.0; states * delta.len()];
        let mut by_parameters = vec![0.0; states * parameters.len()];
        observed.linearize_start(&parameters, &delta, (&mut by_delta, &mut by_parameters))?;
        let mut sensitivity = vec![0.0; states * n];
        for (i, row) in sensitivity.chunks_exact_mut(n.max(1)).enumerate() {
            let of_parameters = unknown_parameters.iter().map(|&p| by_parameters[i * parameters.len() + p]);
            let of_entries = unknown_entries.iter().map(|&entry| by_delta[i * delta.len() + entry]);
            row.iter_mut().zip(of_parameters.chain(of_entries)).for_each(|(to, by)| *to = by);
        }
        Ok(sensitivity)
    }

    /// Sets `total` to the derivatives by the unknowns of what has these derivatives by x and by the parameters.
    fn total(&self, total: &mut [f64], (by_state, by_parameters): (&[f64], &[f64]), sensitivity: &[f64]) {
        let n = self.values.len();
        total.fill(0.0);
        add_product(total, by_state, sensitivity, sensitivity.len() / n, n);
        let rows = by_parameters.chunks_exact(self.problem.parameters.len().max(1));
        for (total, row) in total.chunks_exact_mut(n).zip(rows) {
            total.iter_mut().zip(&self.problem.unknown_parameters).for_each(|(total, &p)| *total += row[p]);
        }
    }
}

impl<X: Observed> LeastSquaresProblem<f64, Dyn, Dyn> for Residuals<'_, '_, X> {
    type ParameterStorage = Owned<f64, Dyn>;
    type ResidualStorage = Owned<f64, Dyn>;
    type JacobianStorage = Owned<f64, Dyn, Dyn>;

    fn set_params(&mut self, values: &DVector<f64>) {
        if let Ok(fit) = &self.here {
            self.least = self.least.min(fit.norm);
        }
        core::mem::swap(&mut self.here, &mut self.there.1);
        core::mem::swap(&mut self.values, &mut self.there.0);
        if self.values != *values {
            self.values.copy_from(values);
            self.here = self.computed();
            if self.here.is_err() {
                self.beyond.set(self.negative_here());
            }
        }
    }

    fn params(&self) -> DVector<f64> {
        self.values.clone()
    }

    /// None ends the iteration.
    fn residuals(&self) -> Option<DVector<f64>> {
        if self.is_solved() {
            return None;
        }
        let refused = |_: &(usize, Failure)| DVector::repeat(self.numbers, REFUSED);
        Some(self.here.as_ref().map_or_else(refused, |fit| fit.residuals.clone()))
    }

    fn jacobian(&self) -> Option<DMatrix<f64>> {
        // Wanted of values that are accepted.
        if self.negative.get().is_none() {
            self.negative.set(self.negative_here());
        }
        self.here.as_ref().ok().map(|fit| fit.jacobian.clone())
    }
}
