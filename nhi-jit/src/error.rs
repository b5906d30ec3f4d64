//! Errors.

use nhi_methods::Variant;
use nhi_runtime::admissible::LARGEST_ERROR;
use nhi_runtime::{Failure, Quantity};
use std::fmt;

/// Why a system could not be compiled, or a simulation not be built or continued. The errors of simulations are those of
/// [`nhi_runtime::Error`], with names that are known at run time.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// Machine code cannot be generated or executed on this machine.
    Unavailable {
        /// The reason.
        reason: String,
    },
    /// The method is not among those that were compiled, or that the declaration has.
    NotCompiled {
        /// The method.
        variant: Variant,
    },
    /// An array has the wrong length.
    Length {
        /// What is in the array, in plural.
        what: &'static str,
        /// The length of such an array.
        expected: usize,
        /// The given length.
        found: usize,
    },
    /// The step size is zero, infinite or not a number.
    StepSize {
        /// The given step size.
        h: f64,
    },
    /// A given value is infinite or not a number.
    NonFinite {
        /// The kind of the value.
        quantity: Quantity,
        /// Name of the parameter, coordinate or input.
        name: String,
        /// The given value.
        value: f64,
    },
    /// The nodes of a table do not increase.
    Table {
        /// Name of the first node that is not above the one before it.
        name: String,
        /// Its value.
        value: f64,
    },
    /// The initial pose is invalid: its matrix is not a rotation.
    Pose {
        /// Name of the matrix.
        name: String,
        /// The largest entry of |RᵀR − 1|.
        defect: f64,
    },
    /// The initial configuration violates a position constraint by more than rounding.
    Position {
        /// Label of the constraint, or its text.
        name: String,
        /// g(q₀).
        residual: f64,
    },
    /// The initial velocity violates a constraint by more than rounding.
    Constraint {
        /// Label of the constraint, or its text.
        name: String,
        /// μ(q₀)v₀ + μ₀(q₀).
        residual: f64,
    },
    /// The method could not be started from the initial state.
    Start {
        /// The reason.
        cause: Failure,
    },
    /// A step could not be taken; the simulation stays in the state before the step.
    Step {
        /// Number of the step, the first being 1.
        step: u64,
        /// Time at which it begins.
        time: f64,
        /// The reason.
        cause: Failure,
    },
    /// The state of the method belongs to one step size, and steps of other sizes are needed.
    FixedStepSize {
        /// The method.
        variant: Variant,
    },
    /// The tolerance is no positive number, infinite, or below the rounding of steps.
    Tolerance {
        /// The given tolerance.
        tolerance: f64,
    },
    /// No step is accurate enough.
    Stalled {
        /// The tolerance.
        tolerance: f64,
        /// Time at which the step begins.
        time: f64,
        /// The size of the last steps that were tried.
        h: f64,
        /// Why one of them failed, if it did.
        cause: Option<Failure>,
    },
    /// There is no nearest admissible velocity at the initial configuration.
    Projection {
        /// The reason.
        cause: Failure,
    },
    /// Derivatives of the step of this method are not known.
    NoDerivatives {
        /// The method.
        variant: Variant,
        /// The reason.
        reason: &'static str,
    },
    /// No step has been taken whose derivatives could be computed.
    NoStep,
    /// The derivatives of the last step are not defined.
    Derivatives {
        /// The reason.
        cause: Failure,
    },
    /// The basis of the admissible velocities is not defined.
    Basis {
        /// The reason.
        cause: Failure,
    },
    /// The accelerations of the continuous equations are not defined.
    Acceleration {
        /// The reason.
        cause: Failure,
    },
}

impl Error {
    /// Whether a projection would find an admissible start near the one that was refused.
    pub fn is_near_admissible(&self) -> bool {
        match self {
            Error::Position { residual, .. } | Error::Constraint { residual, .. } => residual.is_finite(),
            Error::Pose { defect, .. } => *defect <= LARGEST_ERROR,
            _ => false,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use nhi_runtime::Error as Same;

        match self {
            Error::Unavailable { reason } => {
                write!(f, "no machine code can be generated and executed here: {reason}")
            }
            Error::NotCompiled { variant } => {
                write!(f, "the method `{variant}` is not among the compiled ones")
            }
            Error::NoDerivatives { variant, reason } => {
                write!(f, "the method `{variant}` has no derivatives: {reason}")
            }
            Error::NoStep => {
                write!(f, "no step has been taken, or the last one failed: there is none to differentiate")
            }
            Error::Derivatives { cause } => {
                write!(f, "the derivatives of the last step are not defined: {cause}")
            }
            Error::Basis { cause } => {
                write!(f, "the basis of the admissible velocities is not defined here: {cause}")
            }
            Error::Length { what, expected, found } => write!(f, "expected {expected} {what}, found {found}"),
            Error::NonFinite { quantity, name, value } => {
                write!(f, "{quantity} `{name}` must be finite, not {value}")
            }
            Error::Table { name, value } => {
                write!(
                    f,
                    "the nodes of a table must increase, but `{name}` = {value} is not above the one before it"
                )
            }
            Error::Pose { name, defect } => write!(
                f,
                "the matrix `{name}` of the initial pose is not a rotation: {name}ᵀ{name} = 1 with det {name} = 1 \
                 is violated by {defect:e}"
            ),
            Error::Position { name, residual } | Error::Constraint { name, residual }
                if !residual.is_finite() =>
            {
                write!(
                    f,
                    "the constraint `{name}` has no finite value at the initial configuration: a formula in it is singular or \
                     undefined there"
                )
            }
            Error::Position { name, residual } => {
                write!(
                    f,
                    "the initial configuration violates the position constraint `{name}` by {residual:e}"
                )
            }
            Error::Constraint { name, residual } => {
                write!(f, "the initial velocity violates the constraint `{name}` by {residual:e}")
            }
            Error::FixedStepSize { variant } => write!(
                f,
                "a tolerance needs steps of different sizes, and the state of `{variant}` belongs to one step size: its momentum is \
                 reflected at every node"
            ),
            Error::Tolerance { tolerance } => Same::Tolerance { tolerance: *tolerance }.fmt(f),
            Error::Stalled { tolerance, time, h, cause } => {
                Same::Stalled { tolerance: *tolerance, time: *time, h: *h, cause: *cause }.fmt(f)
            }
            Error::StepSize { h } => Same::StepSize { h: *h }.fmt(f),
            Error::Start { cause } => Same::Start { cause: *cause }.fmt(f),
            Error::Step { step, time, cause } => {
                Same::Step { step: *step, time: *time, cause: *cause }.fmt(f)
            }
            Error::Projection { cause } => Same::Projection { cause: *cause }.fmt(f),
            Error::Acceleration { cause } => Same::Acceleration { cause: *cause }.fmt(f),
        }
    }
}

// The cause is part of the message, so there is no `source` that would repeat it.
impl std::error::Error for Error {}
