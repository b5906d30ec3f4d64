//! The intermediate representation of one emitted function.
//!
//! A [`Program`] is straight-line code over the expression pool with at most Newton loops in it.
//! Every symbol is bound once: by an input, a [`Statement::Let`] or as an unknown of a
//! [`Newton`] block. Small linear solves are unrolled into `Let`s by the scheme builder, so that
//! every pass sees their structural zeros.

mod arrival;
mod constant;
mod defer;
mod demand;
mod display;
mod isolate;
mod levels;
mod limits;
pub(crate) mod liveness;
mod operations;
mod products;
mod role;
mod shape;
mod sharp;
mod stage;
mod state;
mod step;
mod validate;

pub use arrival::recurrence;
pub(crate) use arrival::{Arrival, after};
pub use constant::Constants;
pub use display::Show;
pub(crate) use levels::{Level, Levels, Stage};
pub(crate) use limits::Limits;
pub use operations::Operations;
pub(crate) use operations::usual;
pub use products::{Factor, Product, complete, products};
pub use role::{Basis, Derivative, Role};
pub use shape::Shape;
pub(crate) use shape::signed;
pub(crate) use sharp::{is_sharp, jumps};
pub use stage::{Prepared, split};
pub use state::StateKind;
pub use step::{Carried, Rescale, Rotated, StateEntry, StepProgram};

use crate::expr::Expr;
use std::collections::BTreeSet;

/// Binding time of a value. A value that is known earlier is computed earlier, and only once.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Binding {
    /// At compile time.
    Constant,
    /// From the parameters and the step size: computed once per simulation, kept in `Prepared`.
    Prepared,
    /// From the state, time and inputs: computed at every step.
    Step,
}

/// A group of input symbols, one argument of the emitted function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// What it is; its name is that of the argument.
    pub role: Role,
    /// Its entries: symbols, in order.
    pub symbols: Vec<Expr>,
    /// When it is known.
    pub binding: Binding,
    /// One number instead of an array.
    pub scalar: bool,
}

/// A group of results, one field of what the emitted function returns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// What it is; its name is that of the field.
    pub role: Role,
    /// Its entries.
    pub values: Vec<Expr>,
    /// One number instead of an array.
    pub scalar: bool,
}

/// The failure that a pivot reports if it is not positive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Singular {
    /// The mass matrix is not positive definite here.
    Mass,
    /// The one-forms are dependent here.
    Constraints,
}

/// One statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Statement {
    /// The equation that the following statements implement, for people.
    Equation(String),
    /// Binds `symbol` to `value`.
    Let {
        /// A symbol bound nowhere else.
        symbol: Expr,
        /// May use everything bound before.
        value: Expr,
    },
    /// The function fails with `what` unless `pivot > eps * diagonal` (which NaN is not).
    Pivot {
        /// Pivot of a symmetric positive definite elimination.
        pivot: Expr,
        /// The diagonal entry before elimination, for scale.
        diagonal: Expr,
        /// The failure to report.
        what: Singular,
    },
    /// Solves nonlinear equations.
    Newton(Newton),
    /// Binds sine and cosine of an angle.
    Turn(Turn),
}

/// Sine and cosine of an angle, computed by rotating those of another angle close to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn {
    /// Symbols of the sine and the cosine.
    pub sines: [Expr; 2],
    /// The angle.
    pub angle: Expr,
    /// The angle that is rotated.
    pub from: Expr,
    /// Its predicted rotation.
    pub prediction: Prediction,
    /// Sine and cosine of `from` after the predicted rotation.
    pub known: [Expr; 2],
}

/// Predicted rotation of an angle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Prediction {
    /// No prediction.
    None,
    /// An approximate prediction, up to tiny differences.
    Corrected(Expr),
    /// A prediction that is exact up to rounding: sine and cosine are used without a correction.
    Exact(Expr),
}

impl Prediction {
    /// The predicted rotation, if there is a prediction.
    pub fn by(mut self) -> Option<Expr> {
        self.by_mut().copied()
    }

    fn by_mut(&mut self) -> Option<&mut Expr> {
        match self {
            Prediction::None => None,
            Prediction::Corrected(by) | Prediction::Exact(by) => Some(by),
        }
    }
}

/// Newton's method: evaluates `body` and adds `delta` to `unknowns`, until `delta` is of the order of rounding errors.
///
/// Unknowns have units, so that the program states the scale of the stopping test: ‖δ‖² is compared with `scale2` +
/// ‖x‖² in the norm ‖x‖² = Σ `weights`ᵢ xᵢ². With masses as weights of velocities and (μM⁻¹μᵀ)ₐₐ as weights of impulses
/// both are twice a kinetic energy.
///
/// Values that depend on the unknowns are bound inside of `body`. After the loop only those in `last_iterate` are visible.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Newton {
    /// Symbols of the unknowns; bound after the loop to the solution.
    pub unknowns: Vec<Expr>,
    /// Initial guess.
    pub guess: Vec<Expr>,
    /// Fallback guess, used if the iteration from `guess` diverges or starts farther from the solution. Empty: none.
    pub fallback: Vec<Expr>,
    /// Weight of each unknown, positive.
    pub weights: Vec<Expr>,
    /// Squared reference scale of the stopping test, in the norm of the weights.
    pub scale2: Expr,
    /// Whether the equations can change within a small part of an update and look linear elsewhere, so that derivatives
    /// and earlier updates do not tell the next update. See `sharp.rs`.
    pub is_sharp: bool,
    /// Whether the equations jump, so that an unknown at which they change their sign is a solution.
    pub jumps: bool,
    /// What the equations are told by where they cannot be solved, in the order of the unknowns.
    pub equations: Vec<String>,
    /// `Equation` and `Let` statements.
    pub body: Vec<Statement>,
    /// Newton update of each unknown.
    pub delta: Vec<Expr>,
    /// F′, F″ and F‴ of one equation F(x) = 0 for one unknown, for an update of third order (Chebyshev's method); empty
    /// for several unknowns.
    pub derivatives: Vec<Expr>,
    /// Symbols of `body` whose values at the last iterate, one update before the solution, are visible after the loop.
    pub last_iterate: Vec<Expr>,
}

/// One function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// Name of the emitted function.
    pub name: String,
    /// Its documentation, one line each.
    pub doc: Vec<String>,
    /// Arguments.
    pub inputs: Vec<Input>,
    /// Statements in order.
    pub body: Vec<Statement>,
    /// Results.
    pub outputs: Vec<Output>,
}

/// Symbol and value of every `Let` among `statements`, in order; not of those in loops.
pub(crate) fn lets(statements: &[Statement]) -> impl Iterator<Item = (Expr, Expr)> {
    statements.iter().filter_map(|statement| match statement {
        Statement::Let { symbol, value } => Some((*symbol, *value)),
        _ => None,
    })
}

/// `statements` without headings over no statement.
pub(crate) fn without_idle_headings(statements: Vec<Statement>) -> Vec<Statement> {
    let mut all = Vec::with_capacity(statements.len());
    let mut heading = None;
    for statement in statements {
        match statement {
            Statement::Equation(_) => heading = Some(statement),
            _ => {
                all.extend(heading.take());
                all.push(statement);
            }
        }
    }
    all
}

impl Newton {
    /// All expressions evaluated before the first iteration.
    pub fn before(&self) -> Vec<Expr> {
        let Newton { guess, fallback, weights, scale2, .. } = self;
        guess.iter().chain(fallback).chain(weights).chain([scale2]).copied().collect()
    }

    /// All expressions evaluated at the end of an iteration.
    pub fn updates(&self) -> Vec<Expr> {
        self.delta.iter().chain(&self.derivatives).copied().collect()
    }
}

impl Statement {
    /// Every expression that the statement evaluates, in order of evaluation.
    pub(crate) fn values(&self) -> Vec<Expr> {
        let mut values = Vec::new();
        self.add_values(&mut values);
        values
    }

    fn add_values(&self, all: &mut Vec<Expr>) {
        match self {
            Statement::Equation(_) => {}
            Statement::Let { value, .. } => all.push(*value),
            Statement::Pivot { pivot, diagonal, .. } => all.extend([pivot, diagonal]),
            Statement::Turn(Turn { angle, from, prediction, known, .. }) => {
                all.extend([*angle, *from].into_iter().chain(prediction.by()).chain(*known));
            }
            Statement::Newton(newton) => {
                all.extend(newton.before());
                newton.body.iter().for_each(|statement| statement.add_values(all));
                all.extend(newton.updates());
            }
        }
    }

    /// The same, to be changed.
    pub(crate) fn values_mut(&mut self) -> Vec<&mut Expr> {
        let mut values = Vec::new();
        self.add_values_mut(&mut values);
        values
    }

    fn add_values_mut<'a>(&'a mut self, all: &mut Vec<&'a mut Expr>) {
        match self {
            Statement::Equation(_) => {}
            Statement::Let { value, .. } => all.push(value),
            Statement::Pivot { pivot, diagonal, .. } => all.extend([pivot, diagonal]),
            Statement::Turn(Turn { angle, from, prediction, known, .. }) => {
                all.extend([angle, from].into_iter().chain(prediction.by_mut()).chain(known));
            }
            Statement::Newton(Newton {
                guess, fallback, weights, scale2, body, delta, derivatives, ..
            }) => {
                all.extend(guess.iter_mut().chain(fallback).chain(weights).chain([scale2]));
                body.iter_mut().for_each(|statement| statement.add_values_mut(all));
                all.extend(delta.iter_mut().chain(derivatives));
            }
        }
    }
}

impl Program {
    /// Every expression that is evaluated, in order of evaluation.
    pub fn values_mut(&mut self) -> Vec<&mut Expr> {
        let mut values = Vec::with_capacity(2 * self.body.len());
        self.body.iter_mut().for_each(|statement| statement.add_values_mut(&mut values));
        self.outputs.iter_mut().for_each(|output| values.extend(&mut output.values));
        values
    }

    /// Copies of [`Program::values_mut`].
    pub fn values(&self) -> Vec<Expr> {
        let mut values = Vec::with_capacity(2 * self.body.len());
        self.body.iter().for_each(|statement| statement.add_values(&mut values));
        self.outputs.iter().for_each(|output| values.extend(&output.values));
        values
    }

    /// Symbol and value of every `Let` in order, of those in loops too.
    pub(crate) fn lets(&self) -> Vec<(Expr, Expr)> {
        let mut all = Vec::new();
        for statement in &self.body {
            match statement {
                Statement::Newton(newton) => all.extend(lets(&newton.body)),
                other => all.extend(lets(std::slice::from_ref(other))),
            }
        }
        all
    }

    /// Every number of the state, with its value for the next step.
    pub fn state(&self) -> impl Iterator<Item = (Expr, Expr)> {
        self.outputs
            .iter()
            .flat_map(|output| self.symbols(&output.role).iter().copied().zip(output.values.iter().copied()))
    }

    /// The symbols of the input with this role; none if there is no such input.
    pub fn symbols(&self, role: &Role) -> &[Expr] {
        self.inputs.iter().find(|i| i.role == *role).map_or(&[], |i| &i.symbols)
    }

    /// The input for the step size; none of functions without one.
    pub(crate) fn step_size(&self) -> Option<&Input> {
        self.inputs.iter().find(|i| i.role == Role::StepSize)
    }

    /// Whether it computes derivatives of a step: from the step size, which was not known before, and no numbers of a state.
    pub(crate) fn is_derivative(&self) -> bool {
        let is_other =
            |output: &Output| matches!(output.role, Role::Derivative(_) | Role::Named(_) | Role::Factor(_));
        self.step_size().is_some_and(|h| h.binding == Binding::Step) && self.outputs.iter().all(is_other)
    }

    /// The products that complete its results.
    pub fn products(&self) -> Vec<Product> {
        products(self.outputs.iter().map(|output| (&output.role, output.values.len())))
    }

    /// The inputs that are known before a step.
    pub(crate) fn early(&self) -> BTreeSet<Expr> {
        let early = self.inputs.iter().filter(|i| i.binding != Binding::Step);
        early.flat_map(|i| i.symbols.iter().copied()).collect()
    }

    /// The Newton loops.
    pub(crate) fn newtons(&self) -> impl Iterator<Item = &Newton> {
        self.body.iter().filter_map(|statement| match statement {
            Statement::Newton(newton) => Some(newton),
            _ => None,
        })
    }

    /// The same, to be changed.
    pub(crate) fn newtons_mut(&mut self) -> impl Iterator<Item = &mut Newton> {
        self.body.iter_mut().filter_map(|statement| match statement {
            Statement::Newton(newton) => Some(newton),
            _ => None,
        })
    }

    /// Whether it has a Newton loop.
    pub fn has_loop(&self) -> bool {
        self.newtons().next().is_some()
    }

    /// Whether anything is with updates of second order.
    pub(crate) fn bends(&self) -> bool {
        self.newtons().any(|newton| !newton.derivatives.is_empty())
    }
}
