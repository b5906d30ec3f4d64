//! A mechanical system on R^n as mathematics: what a declaration means, without tokens or spans.

use crate::expr::{Expr, Pool};

/// Coordinates q, Lagrangian L(q, v), constraint one-forms μ(q)·dq + μ₀(q) dt and a work one-form.
///
/// All expressions live in `pool`. The symbols of the user's names were made first, in the order
/// parameters, coordinates, velocities, inputs, time.
#[derive(Clone, Debug)]
pub struct System {
    /// Owner of every expression below.
    pub pool: Pool,
    /// Name of the declared struct.
    pub name: String,
    /// Configuration coordinates, flattened; n of them.
    pub coordinates: Vec<Coordinate>,
    /// Parameters, flattened.
    pub parameters: Vec<Quantity>,
    /// Control inputs, in order.
    pub inputs: Vec<Quantity>,
    /// Time.
    pub t: Expr,
    /// L(q, v; parameters), a polynomial of degree at most two in the velocities.
    pub lagrangian: Expr,
    /// At most n − 1 one-forms, independent almost everywhere.
    pub constraints: Vec<Constraint>,
    /// Components of the work one-form, n of them, in q, v, t, parameters and inputs.
    pub force: Vec<Expr>,
    /// Marker types of the methods to emit, such as `Dla2`, in order.
    pub methods: Vec<&'static str>,
    /// The declaration in its author's words.
    pub source: Source,
}

/// One configuration coordinate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Coordinate {
    /// Name as written, `y[0]` for an entry of an array.
    pub name: String,
    /// The coordinate, the symbol of that name.
    pub q: Expr,
    /// Its velocity, the symbol `dot(name)`.
    pub v: Expr,
}

/// A parameter or a control input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Quantity {
    /// Name as written, `c[0]` for an entry of an array.
    pub name: String,
    /// The symbol of that name.
    pub symbol: Expr,
}

/// One constraint one-form `form · dq + dt_part dt = 0`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constraint {
    /// The name its author gave it, or the text of the form.
    pub label: String,
    /// Coefficients μ(q) of the differentials, n of them.
    pub form: Vec<Expr>,
    /// Affine part μ₀(q), the coefficient of `dt`.
    pub dt: Expr,
}

/// Texts of a declaration, for documentation and reports.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Source {
    /// The Lagrangian.
    pub lagrangian: String,
    /// The constraints, without labels and `= 0`.
    pub constraints: Vec<String>,
    /// The force, where one is declared.
    pub force: Option<String>,
}
