//! Errors.

use crate::Status;
use crate::plan::amounts;
use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use nalgebra::Complex;
use nhi_runtime::Failure;

/// Why there is no optimal feedback.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum LqrError {
    /// A matrix has the wrong shape.
    Shape {
        /// Its name.
        matrix: &'static str,
        /// Rows and columns that it has to have.
        expected: (usize, usize),
        /// Those that it has.
        found: (usize, usize),
    },
    /// A matrix has an entry that is infinite or not a number.
    NonFinite {
        /// Its name.
        matrix: &'static str,
    },
    /// A matrix of weights is not symmetric, or Q has a negative eigenvalue, or R one that is not positive.
    Weights {
        /// Its name.
        matrix: &'static str,
    },
    /// A mode of A that does not decay is not moved by any input.
    Uncontrollable {
        /// Its eigenvalue.
        eigenvalue: Complex<f64>,
        /// What moves in it: a left eigenvector w with wᵀB = 0, its real part, of length one, with the names of its entries.
        direction: Vec<(String, f64)>,
    },
    /// A mode of A that does not decay has no weight in Q.
    Unweighted {
        /// Its eigenvalue.
        eigenvalue: Complex<f64>,
        /// The right eigenvector w with Q w = 0, its real part, of length one, with the names of its entries.
        direction: Vec<(String, f64)>,
    },
    /// The iteration has not converged.
    NoConvergence,
    /// No entry has this name.
    NoEntry {
        /// The name.
        name: String,
        /// Those that there are.
        names: Vec<String>,
    },
    /// The others determine an entry, by the constraints or because it stands there twice.
    Dependent {
        /// Its name.
        name: String,
    },
    /// Inputs drive constraints, so that velocities are no states.
    Driven,
    /// There are no derivatives of the last step.
    Derivatives {
        /// Why.
        cause: nhi_runtime::Error,
    },
    /// An entry cannot be left out: the others change it, and one of them depends on it.
    Coupled {
        /// Its name.
        name: String,
        /// The name of the one that depends on it.
        dependent: String,
    },
}

impl fmt::Display for LqrError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LqrError::Shape { matrix, expected, found } => write!(
                f,
                "{matrix}: expected shape ({}, {}), found ({}, {})",
                expected.0, expected.1, found.0, found.1
            ),
            LqrError::NonFinite { matrix } => write!(f, "{matrix}: its entries must be finite"),
            LqrError::Weights { matrix: "r" } => write!(f, "r: must be symmetric and positive definite"),
            LqrError::Weights { matrix } => {
                write!(f, "{matrix}: must be symmetric and positive semidefinite")
            }
            LqrError::Uncontrollable { eigenvalue, direction } => {
                write!(f, "no input moves the mode with the eigenvalue {eigenvalue:.6}, ")?;
                combination(f, direction)
            }
            LqrError::Unweighted { eigenvalue, direction } => {
                write!(f, "the weights q ignore the mode with the eigenvalue {eigenvalue:.6}, ")?;
                combination(f, direction)
            }
            LqrError::NoConvergence => write!(f, "the iteration for the Riccati equation has not converged"),
            LqrError::NoEntry { name, names } => {
                write!(f, "no entry has the name {name}: there are {}", names.join(", "))
            }
            LqrError::Dependent { name } => {
                write!(f, "the constraints and the entries before it determine {name}; leave it out")
            }
            LqrError::Driven => {
                write!(f, "inputs drive the constraints of the system; without them velocities are states")
            }
            LqrError::Derivatives { cause } => write!(f, "{cause}"),
            LqrError::Coupled { name, dependent } => {
                write!(
                    f,
                    "{name} cannot be left out: {dependent} depends on it, and it changes with the others"
                )
            }
        }
    }
}

/// `0.800 x - 0.600 nu[0]`, without what is small; one entry has its name alone.
pub(crate) fn combination(f: &mut fmt::Formatter<'_>, direction: &[(String, f64)]) -> fmt::Result {
    if let [(name, 1.0)] = direction {
        return write!(f, "{name}");
    }
    for (i, (name, factor)) in direction.iter().filter(|(_, factor)| factor.abs() > 1e-3).enumerate() {
        let sign = match (i, *factor < 0.0) {
            (0, false) => "",
            (0, true) => "-",
            (_, false) => " + ",
            (_, true) => " - ",
        };
        write!(f, "{sign}{:.3} {name}", factor.abs())?;
    }
    Ok(())
}

impl core::error::Error for LqrError {}

/// Why a problem cannot be posed, or not be evaluated where its solution would begin. What the solution finds out is its
/// [`Status`](crate::Status).
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum PlanError {
    /// Steps cannot be prepared with the parameters and the step size.
    Prepare {
        /// Why.
        cause: Failure,
    },
    /// The velocity of a state violates constraints.
    Constraints {
        /// Their labels, with μ v + μ₀.
        violated: Vec<(String, f64)>,
    },
    /// The velocity of a state has no finite components, or is no part of a state.
    Velocity {
        /// Whether inputs drive constraints, and steps depend on the inputs of the step before them.
        is_driven: bool,
    },
    /// A list has the wrong length.
    Length {
        /// What it is of.
        what: String,
        /// The length that it has to have.
        expected: usize,
        /// That it has.
        found: usize,
    },
    /// A stage that the problem does not have.
    Stage {
        /// What is at this stage.
        what: String,
        /// The stage.
        stage: usize,
        /// The last one that it may be.
        last: usize,
    },
    /// An entry that tangent vectors do not have.
    Entry {
        /// The entry.
        entry: usize,
        /// How many they have.
        count: usize,
    },
    /// An option that is not positive and finite.
    Option {
        /// Its name.
        what: &'static str,
    },
    /// There is no number between two bounds.
    Bounds {
        /// What is bounded.
        what: String,
        /// The lower bound.
        lower: f64,
        /// The upper bound.
        upper: f64,
    },
    /// A step of the start guess cannot be taken, or one on the way to the solution not be differentiated.
    Step {
        /// The step.
        step: usize,
        /// Why.
        cause: Failure,
    },
    /// Poses have no coordinates to be variables of a nonlinear programme.
    Group,
    /// The first plan of a controller is no solution.
    Unsolved {
        /// What it is.
        status: Box<Status>,
    },
    /// No inputs within the bounds meet the conditions to first order from a measured state, or there is no best one of them.
    NoFeedback,
    /// A function has a value or derivative that is infinite or not a number.
    NonFinite {
        /// The function.
        what: String,
        /// At this stage.
        stage: usize,
    },
}

/// Residuals of constraints below this part of the largest one are no reason for an error.
const MINOR: f64 = 1e-3;

impl PlanError {
    /// That a velocity violates these of the constraints with the labels `names`, by their residuals.
    pub fn constraints<'n>(names: impl IntoIterator<Item = &'n str>, residuals: &[f64]) -> PlanError {
        let largest = residuals.iter().fold(0.0, |largest: f64, by| largest.max(by.abs()));
        let violated = names.into_iter().zip(residuals).filter(|(_, by)| by.abs() > MINOR * largest);
        PlanError::Constraints { violated: violated.map(|(name, by)| (name.to_owned(), *by)).collect() }
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::Prepare { cause } => write!(f, "no steps can be taken: {cause}"),
            PlanError::Velocity { is_driven: true } => {
                write!(
                    f,
                    "inputs drive the constraints of the system, and a step of this method depends on the inputs before it; use \
                     `DlaRattle` (`dla_rattle`) or `Rdp` (`rdp`)"
                )
            }
            PlanError::Velocity { is_driven: false } => {
                write!(f, "the constraints do not admit the velocity")
            }
            PlanError::Constraints { violated } => {
                let name = if violated.len() == 1 { "constraint" } else { "constraints" };
                write!(f, "the velocity violates the {name} ")?;
                amounts(f, violated.iter().map(|(label, by)| (format!("`{label}`"), *by)))
            }
            PlanError::Length { what, expected, found } => {
                write!(f, "{what}: expected {expected} entries, found {found}")
            }
            PlanError::Stage { what, stage, last } => {
                write!(f, "{what}: stage {stage}, but the last one is {last}")
            }
            PlanError::Entry { entry, count } => {
                write!(f, "entry {entry}, but tangent vectors have {count} entries, from 0")
            }
            PlanError::Option { what } => write!(f, "{what}: must be positive and finite"),
            PlanError::Bounds { what, lower, upper } => {
                write!(f, "{what}: no number is between the bounds {lower} and {upper}")
            }
            PlanError::Step { step, cause } => {
                write!(f, "step {step} cannot be taken or differentiated: {cause}")
            }
            PlanError::Group => write!(f, "poses are no variables of a nonlinear programme"),
            PlanError::Unsolved { status } => write!(f, "there is no plan to begin with: {status}"),
            PlanError::NoFeedback => {
                write!(f, "no best inputs within the bounds meet the conditions from the measured state")
            }
            PlanError::NonFinite { what, stage } => {
                write!(f, "{what}: a value or a derivative at stage {stage} is infinite or not a number")
            }
        }
    }
}

impl core::error::Error for PlanError {}
