//! A mechanical system as mathematics: what a declaration means, without tokens or spans.

use crate::expr::group::{Block, Product};
use crate::expr::{Expr, Pool};
use nhi_methods::Method;
use std::ops::Range;

/// Lagrangian L(q, v), constraint one-forms μ(q)·v + μ₀(q) = 0 and a work one-form on a configuration
/// space Q = R^k × G, where G is a product of groups and may be missing.
///
/// A configuration q has N entries: k coordinates and the entries of a pose g, of each factor in turn. A velocity v has n:
/// dq/dt of the coordinates and ξ = g⁻¹ dg/dt. Without a group factor N = n = k.
///
/// All expressions live in `pool`. The symbols of the user's names were made first, in the order
/// parameters, coordinates, velocities, auxiliary states, inputs, time.
#[derive(Clone, Debug)]
pub struct System {
    /// Owner of every expression below.
    pub pool: Pool,
    /// Name of the declared struct.
    pub name: String,
    /// Entries of q, N of them: `x`, `y[0]` of an array, `R[0][2]` of a pose.
    pub coordinates: Vec<Quantity>,
    /// Entries of v, n of them: `dot(x)` of a coordinate, ξ under the names of the declaration.
    pub velocities: Vec<Quantity>,
    /// The group factors, whose poses and velocities come last.
    pub group: Product,
    /// The fields that parameters are declared as, with the lengths of arrays.
    pub fields: Vec<(String, Option<usize>)>,
    /// Parameters, flattened.
    pub parameters: Vec<Quantity>,
    /// Control inputs, in order.
    pub inputs: Vec<Quantity>,
    /// Auxiliary states z, in order.
    pub states: Vec<Quantity>,
    /// Time.
    pub t: Expr,
    /// The names of `let` with their values, entry by entry: `x`, `y[0]` of an array or a vector.
    pub definitions: Vec<Definition>,
    /// L(q, v; parameters), a polynomial of degree at most two in the velocities.
    pub lagrangian: Expr,
    /// Whether the mass matrix of L is singular everywhere. It is not so on the velocities that the constraints admit.
    pub has_singular_mass: bool,
    /// At most n one-forms, independent almost everywhere; those of position constraints come last.
    pub constraints: Vec<Constraint>,
    /// Components of the work one-form along the velocities, n of them, in q, v, z, t, parameters and inputs.
    pub force: Vec<Expr>,
    /// Multipliers that occur in the force, in rates or in definitions: the place of the constraint among the constraints, and the
    /// symbol of the multiplier.
    pub multipliers: Vec<(usize, Expr)>,
    /// The nodes of tables, as ranges of the parameters: they have to increase.
    pub tables: Vec<Range<usize>>,
    /// Rates dz/dt of the auxiliary states, in q, v, z, t, parameters and inputs.
    pub dynamics: Vec<Expr>,
    /// Bodies that pictures show.
    pub bodies: Vec<Body>,
    /// The methods to emit, in order.
    pub methods: Vec<Method>,
    /// Those of them whose steps are differentiated.
    pub differentiated: Vec<Method>,
    /// The declaration in its author's words.
    pub source: Source,
}

impl System {
    /// Symbols of the control inputs.
    pub fn input_symbols(&self) -> Vec<Expr> {
        self.inputs.iter().map(|input| input.symbol).collect()
    }

    /// Symbols of the auxiliary states.
    pub fn state_symbols(&self) -> Vec<Expr> {
        self.states.iter().map(|state| state.symbol).collect()
    }

    /// Symbols of what acts on the system from outside: the control inputs and the time.
    pub fn outside(&self) -> Vec<Expr> {
        [self.input_symbols(), vec![self.t]].concat()
    }

    /// Names of the entries of v. The velocity of a coordinate has the name of the coordinate.
    pub fn velocity_names(&self) -> impl Iterator<Item = &String> {
        let of_coordinates = self.coordinates[..self.shape()].iter();
        of_coordinates.chain(&self.velocities[self.shape()..]).map(|quantity| &quantity.name)
    }

    /// The group factors with their places in q and v.
    pub fn blocks(&self) -> Vec<Block> {
        self.group.blocks(self.shape())
    }

    /// Number k of coordinates that are no entries of a pose.
    pub fn shape(&self) -> usize {
        self.coordinates.len() - self.group.pose_len()
    }
}

/// A coordinate, velocity, parameter, control input or auxiliary state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Quantity {
    /// Name as written, `c[0]` for an entry of an array.
    pub name: String,
    /// The symbol of that name.
    pub symbol: Expr,
}

/// A named expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// Its value in q, v, t, parameters and inputs.
    pub value: Expr,
}

/// What a body in pictures looks like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BodyShape {
    /// A body in the plane that has a front. Its place is x, y and its heading.
    Pose,
    /// A ball in space. Its place is x, y and z of the centre.
    Ball,
}

impl BodyShape {
    /// All shapes.
    pub const ALL: [BodyShape; 2] = [BodyShape::Pose, BodyShape::Ball];

    /// Its name in declarations.
    pub fn name(self) -> &'static str {
        match self {
            BodyShape::Pose => "pose",
            BodyShape::Ball => "ball",
        }
    }

    /// What its three expressions are.
    pub fn entries(self) -> [&'static str; 3] {
        match self {
            BodyShape::Pose => ["x", "y", "theta"],
            BodyShape::Ball => ["x", "y", "z"],
        }
    }
}

/// A body that pictures show. No step depends on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Body {
    /// Its name, `link[0]` in a family.
    pub name: String,
    /// What it looks like.
    pub shape: BodyShape,
    /// Where it is: texts in the grammar of the declaration.
    pub place: [String; 3],
}

/// One constraint μ v + μ₀ = 0, alone or as the derivative of a position constraint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constraint {
    /// The name its author gave it, or the text of the form.
    pub label: String,
    /// Coefficients μ(q) of the velocities, n of them.
    pub form: Vec<Expr>,
    /// Affine part μ₀(q), the coefficient of `dt`.
    pub dt: Expr,
    /// g of a position constraint g(q) = 0, whose derivative μ v + μ₀ is.
    pub position: Option<Expr>,
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
    /// The rates of the auxiliary states.
    pub dynamics: Vec<String>,
}
