//! Solutions.

use crate::error;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use nalgebra::DMatrix;
use nhi_runtime::Failure;

/// A motion that solves a [`Problem`](crate::Problem), or the last one that was tried; [`Plan::status`] says which.
#[derive(Clone, Debug)]
pub struct Plan<X> {
    /// The states x₀ … x_N. They follow from the inputs by steps, but for the residual that the status states.
    pub states: Vec<X>,
    /// The inputs of the N steps.
    pub inputs: Vec<Vec<f64>>,
    /// The sum of all costs.
    pub cost: f64,
    /// λ₁ … λ_N: the derivative of the remaining cost by the state after each step, a covector of tangent vectors.
    pub costates: Vec<Vec<f64>>,
    /// The multipliers of conditions, and of inequalities at their stages, by name: derivatives of the cost by their right-hand
    /// sides, with the opposite sign.
    pub multipliers: Vec<(String, f64)>,
    /// Gains Kₖ, K × NX, of the last linear system: uₖ + Kₖ (x ⊖ xₖ) is optimal to first order for the problem in which the
    /// end conditions are replaced by costs with their multipliers. Empty if the motion is no minimum.
    pub gains: Vec<DMatrix<f64>>,
    /// How the solution ended.
    pub status: Status,
}

/// How a solution ended.
#[derive(Clone, PartialEq, Debug)]
pub struct Status {
    /// Whether it is one.
    pub outcome: Outcome,
    /// Newton steps, with those of a problem of fewer steps from which this one began, without the corrections of a start guess.
    pub iterations: usize,
    /// The largest residual of the first-order optimality conditions, scaled as by Wächter and Biegler (5).
    pub kkt: f64,
    /// The largest residual of steps, conditions and inequalities.
    pub infeasibility: f64,
    /// The largest residual of steps alone. Where it is large, the states of the plan are no motion, and a simulation with the inputs
    /// leads to others.
    pub defect: f64,
    /// Whether the motion is a minimum to second order, with conditions and active bounds.
    pub is_minimum: bool,
    /// Conditions and inequalities that the last states miss, unless they are a solution, by the value that is too much (or, if
    /// negative, is missing).
    pub missed: Vec<(String, f64)>,
    /// Of a solution that did not converge: a step that a simulation refuses, from 0, and why, in the motions to which longer Newton steps
    /// from the last motion would lead. There the steps do not resolve the motion, or constraints become dependent.
    pub refusal: Option<(usize, Failure)>,
    /// What no inputs change at the last motion, to first order, of the conditions: each by the names in it and their factors, the
    /// largest 1. A [momentum](crate::Dynamics::momenta) has its own name alone; other combinations are of names of conditions. One
    /// that is satisfied is redundant.
    pub dependent: Vec<Vec<(String, f64)>>,
    /// The pair of inputs along whose Lie bracket the start guess was moved, because no inputs changed a combination of
    /// conditions to first order.
    pub bracket: Option<(usize, usize)>,
    /// Corrections of such a start guess by least changes of the inputs, each of which costs less than a Newton step.
    pub corrections: usize,
    /// Residuals of the first-order conditions before each Newton step, and at the end.
    pub history: Vec<f64>,
}

/// Whether a solution was found.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// The first-order conditions hold to the tolerance.
    Converged,
    /// They did not within the number of iterations.
    IterationLimit,
    /// The sum of violations cannot be made smaller near the last motion. These conditions and inequalities are violated, by
    /// the value that is too much (or, if negative, is missing).
    CannotMeet(Vec<(String, f64)>),
    /// No shorter step made progress.
    Stalled,
    /// A simulation refuses a step: of all start guesses with a part of the given inputs, or of the motion that solves the problem,
    /// because small deviations grow along it.
    Refused {
        /// The step, from 0.
        step: usize,
        /// Why.
        cause: Failure,
    },
}

impl Outcome {
    /// Whether the motion is a solution.
    pub fn is_converged(&self) -> bool {
        *self == Outcome::Converged
    }
}

impl Status {
    /// Whether the motion is a solution.
    pub fn is_converged(&self) -> bool {
        self.outcome.is_converged()
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.outcome {
            Outcome::Converged => write!(f, "converged")?,
            Outcome::IterationLimit => write!(f, "not converged")?,
            Outcome::Stalled => write!(f, "stalled")?,
            Outcome::Refused { step, cause } => write!(f, "a simulation refuses step {step}: {cause};")?,
            Outcome::CannotMeet(violated) => {
                write!(f, "cannot meet ")?;
                amounts(f, violated.iter().map(|(name, by)| (name, *by)))?;
            }
        }
        write!(f, " after {} iterations; residual of optimality {:.1e}", self.iterations, self.kkt)?;
        if self.is_converged() {
            write!(f, ", of constraints {:.1e}", self.infeasibility)?;
        } else {
            write!(f, ", of steps {:.1e}", self.defect)?;
        }
        if !(self.missed.is_empty() || matches!(self.outcome, Outcome::CannotMeet(_))) {
            write!(f, "; the last states miss ")?;
            amounts(f, self.missed.iter().map(|(name, by)| (name, *by)))?;
        }
        if let Some((step, cause)) = &self.refusal {
            write!(f, "; of motions that would cost less, a simulation refuses step {step}: {cause}")?;
        }
        if let Some((i, j)) = self.bracket {
            let n = self.corrections;
            write!(f, "; start guess moved along the bracket of inputs {i} and {j}, with {n} corrections")?;
        }
        for combination in &self.dependent {
            write!(f, "; no inputs change ")?;
            error::combination(f, combination)?;
        }
        Ok(())
    }
}

/// `x by 1.000e-1, y by -2.000e0`.
pub(crate) fn amounts(
    f: &mut fmt::Formatter<'_>,
    missed: impl Iterator<Item = (impl fmt::Display, f64)>,
) -> fmt::Result {
    for (i, (name, by)) in missed.enumerate() {
        write!(f, "{}{name} by {by:.3e}", if i > 0 { ", " } else { "" })?;
    }
    Ok(())
}
