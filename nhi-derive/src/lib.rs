//! `#[derive(Nonholonomic)]`: structure-preserving integrators for mechanical systems with rolling,
//! skating and wheel constraints, generated from a Lagrangian and one-forms.
//!
//! This crate holds the entry point and the reference of its attribute. Use it through
//! `nhi-runtime`, which re-exports the derive.

use proc_macro::TokenStream;

/// Turns a struct into a mechanical system with step functions.
///
/// The fields are the parameters; everything else is declared in `#[nonholonomic(...)]`:
///
/// ```ignore
/// use nhi_runtime::prelude::*;
///
/// /// Planar rigid body on a skate blade mounted a distance `a` behind its centre of mass.
/// #[derive(Nonholonomic, Clone, Debug)]
/// #[nonholonomic(
///     coordinates(theta, x, y),
///     lagrangian  = J/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
///     constraints(a*dtheta + sin(theta)*dx - cos(theta)*dy = 0),
/// )]
/// pub struct ChaplyginSleigh { pub J: f64, pub m: f64, pub a: f64 }
/// ```
///
/// # The attribute
///
/// It may be repeated, its keys may come in any order, and trailing commas are accepted. Only `let` may
/// appear several times.
///
/// | key | meaning |
/// |---|---|
/// | `coordinates(theta, x, y[3])` | configuration coordinates q; `y[3]` declares `y[0]`, `y[1]`, `y[2]` |
/// | `group = SE2(theta, x, y; omega, v, w)` | optional, in addition to coordinates or alone: a Lie-group factor, see [Poses](#poses) |
/// | `lagrangian = expr` | L(q, v), a polynomial of degree two in the velocities; it may be `0` where constraints determine all velocities |
/// | `constraints(form = 0, ...)` | velocity constraints, at most n, linear in the velocities; `constraints()` for none |
/// | `holonomic(label: expr = 0, ...)` | optional: position constraints g(q) = 0, see [Forms](#forms); `constraints(...)` may then be left out |
/// | `force = form` | optional: the work one-form of all non-conservative forces |
/// | `inputs(u1, u2)` | optional: control inputs, given at every step and held over it |
/// | `states(i1, z[2])` | optional: auxiliary states, such as currents, see [Auxiliary states](#auxiliary-states) |
/// | `dynamics(dot(i1) = expr, ...)` | the rates of the auxiliary states, one for each |
/// | `let(name = expr, ...)` | optional: names for subexpressions, and arrays of them, see [Families](#families) |
/// | `bodies(truck: pose(x, y, theta), ...)` | optional: bodies that pictures show, see [Bodies](#bodies) |
/// | `methods(Dla2, Rattle, ...)` | optional: the methods to emit step functions for; left out, `Dla2` alone, with a group `Rdp`, with `holonomic` and no group `DlaRattle`; `methods(all)` emits every method that applies, `methods(Dla2 + derivatives)` also emits derivatives of the steps of `Dla2` |
/// | `crate = path` | optional: the path of the runtime from the struct's module, if it is not `::nhi_runtime` |
///
/// # Poses
///
/// `group` names the entries of a pose and, after the semicolon, the velocities of the body in the body
/// frame (left-trivialised, ξ = g⁻¹ dg/dt). Expressions use a body velocity by its name, `omega`, without
/// `dot`. Its one-form is `omega*dt`: `force = torque*omega*dt`. Entries of a pose have velocities and
/// differentials as coordinates do, `dot(x)` and `dx`, which are linear in the body velocities.
///
/// | group | pose | velocities |
/// |---|---|---|
/// | `SE2(theta, x, y; omega, v, w)` | heading and position in the plane | angular velocity, velocity forwards and to the left |
/// | `SO3(R; w1, w2, w3)` | `R[i][j]`, a rotation; columns are the axes of the body in space | angular velocity |
/// | `SE3(R, p; w1, w2, w3, v1, v2, v3)` | `R[i][j]` and the position `p[i]` in space | angular velocity, and the velocity of `p` |
///
/// Several groups are written in parentheses, `group = (SO3(R; w1, w2, w3), SE2(theta, x, y; omega, v, w))`; poses and velocities
/// stand in this order. `nhi run` and `nhi-jit` compile such systems at run time. Rust and C code is
/// generated for systems with one group factor at most.
///
/// # The struct
///
/// Fields of type `f64` are parameters, fields of type `[f64; 3]` arrays of them, `c[0]` to `c[2]`.
/// A field of any other type is marked `#[nonholonomic(skip)]`. Unit structs have no parameters.
/// Generic parameters are accepted as long as no parameter field depends on them.
/// [Families](#families) explains the use of const parameters.
///
/// # Expressions
///
/// - `+ - * / ^` and parentheses. `^` binds tightest and to the right: `-x^2` is −(x²), and `2^-1` is
///   one half.
/// - Numbers are exact: `0.1` is 1/10. A constant that overflows `f64` is an error, and so is a
///   division by an expression that is zero everywhere.
/// - `pi`, and the functions `sin cos tan asin acos atan atan2 sinh cosh tanh exp ln sqrt`.
/// - Piecewise functions: `abs(x)`, `sign(x)`, `min(a, b)`, `max(a, b)`, `clamp(x, low, high)`, `step(x)` (0 below 0, 1 from 0
///   on), `if(x < y && y <= 1, a, b)` with the comparisons `< <= > >= == !=` and `&& || !`, and `table(x, xs, ys)` with
///   parameter arrays, which is linear between its nodes and constant outside of them. Forces, rates and outputs may contain
///   them, and so may the potential energy where it is continuous. In the kinetic energy and in coefficients of constraints
///   they are errors. Their derivatives are those of the active branch.
/// - `lambda(label)` is the multiplier of a constraint, in forces, rates and `let` names that only these use. A force is affine in
///   it, but for piecewise functions. `energy` is ∂L/∂v · v − L there. A parameter may be called `lambda` or `energy` all the same.
/// - `dot(x)` is the velocity of `x`. `dot(e)` of any expression in the coordinates is its time
///   derivative.
/// - `sum(i in 0..3, c[i]*x^i)` is a sum. Indices and bounds are integer expressions in constants and
///   loop variables, `y[i+1]`.
/// - `[a, b, c]` is a vector, see [Vectors](#vectors).
///
/// # Families
///
/// ```text
/// item  = definition | constraint | body | "for" name "in" expr ".." expr "{" item { "," item } "}"
/// ```
///
/// In `let(...)`, `constraints(...)`, `holonomic(...)`, `dynamics(...)` and `bodies(...)`, `for i in 0..3 { ... }` stands for its items with
/// `i` = 0, 1, 2, in this order:
///
/// ```text
/// let(x[0] = l, for i in 1..4 { x[i] = x[i-1] - l*cos(th[i]) })
/// constraints(for i in 0..3 { wheel[i]: sin(th[i])*d(x[i]) - cos(th[i])*d(y[i]) })
/// holonomic(for i in 0..2 { rod[i]: (x[i+1] - x[i])^2 + (y[i+1] - y[i])^2 - l^2 = 0 })
/// ```
///
/// - A block holds several items, separated by commas, and other families. Bounds may contain the variables of
///   the families around them. A range may be empty, `2..2`, but does not count down.
/// - `x[0] = ...` in `let` defines an entry of an array, which may have more indices. An entry is visible
///   after its definition and is defined once. If one entry contains `t`, inputs or velocities, the whole array counts
///   as containing them.
/// - The labels of the constraints are `wheel[0]`, `wheel[1]`, `wheel[2]`.
/// - Bounds, indices and the lengths of `coordinates(y[N])`, `inputs(u[N])` and `states(z[N])` may contain const parameters of the
///   struct. A macro does not see their values, only their defaults. Each needs a default that is an integer literal,
///   `struct Train<const N: usize = 3>`, and the struct is a system for the default values alone. Other values need
///   further declarations.
///
/// # Vectors
///
/// Vectors have three components. `[a, b, c]` is a vector, and so is the name of an array of three numbers:
/// coordinates, parameters, inputs, auxiliary states, entries of a `let` array, or the position `p` of a pose.
///
/// | expression | meaning |
/// |---|---|
/// | `a + b`, `a - b`, `-a`, `s*a`, `a/s` | by components; `s` is a number |
/// | `dot(a, b)`, `cross(a, b)` | products of vectors |
/// | `norm2(a)` | `dot(a, a)`, the square of the length |
/// | `a[0]`, `a[i]` | a component of a vector that has a name |
/// | `dot(a)`, `d(a)`, `dp` | time derivative and differential by components |
/// | `R*a`, `transpose(R)*a` | products with the rotation matrix of a pose: from the body frame to the space frame, and back |
/// | `sum(i in 0..3, m[i]*a[i])` | a sum of vectors |
///
/// `let` names and entries of `let` arrays can be vectors. A constraint or position constraint that is a vector is three
/// constraints, `contact[0]`, `contact[1]` and `contact[2]` if its label is `contact`. Lagrangians and forces are scalars.
///
/// # Forms
///
/// In constraints and forces `dx` is the differential of the coordinate `x`, `dy[0]` that of `y[0]`,
/// and `d(e)` that of any expression in the coordinates and `t`. After expansion, every term must have exactly
/// one differential as a factor.
///
/// In constraints, `dt` is the differential of time: `dx - r*w*dt + Omega*y*dt = 0` is affine in the velocities.
/// A coefficient of `dt` may be linear in velocities. A constraint without differentials is an equation in
/// velocities: `dot(x) - r*w + Omega*y = 0` is the same. `= 0` may be left out. A label,
/// `rolling: dx - r*dphi = 0`, names the constraint in errors and reports.
///
/// A position constraint, `holonomic(rod: x^2 + y^2 - l^2 = 0)`, is an expression in coordinates, entries of the
/// pose and parameters that vanishes on the admissible configurations. It must not be repeated as a one-form. Together
/// with the one-forms there may be at most n − 1, and its multiplier comes after theirs. Methods that satisfy position
/// constraints up to rounding are `DlaRattle`, `DlaRattleMidpoint`, `Rdp` and its relatives on groups, `Rattle` and the other
/// reflecting methods, and compositions of the symmetric ones; with Runge–Kutta methods positions drift.
///
/// A force may depend on coordinates, velocities, inputs and the time `t`:
/// `force = u1*dpsi - c*dot(x)*dx + sin(t)*dy`. In a force `d(e)` is the differential at one time.
///
/// # Auxiliary states
///
/// `states(current, filter[2])` declares further state variables z, such as the current of a motor, a filter, or the slip of a
/// tyre. The methods integrate them together with the motion. `dynamics(...)` contains one rate for each:
///
/// ```text
/// states(current, filter[2]),
/// force = k*current*dphi,
/// dynamics(
///     dot(current) = (u - resistance*current - k*dot(phi))/inductance,
///     for i in 0..2 { dot(filter[i]) = (c[i]*current - filter[i])/lag },
/// ),
/// ```
///
/// A rate is an expression in positions, velocities, all states, `t`, inputs and parameters. States may stand in the force,
/// in rates, and in `let` names that only these use.
///
/// # Bodies
///
/// `bodies(...)` names what pictures show of a machine. No step depends on it. A body in the plane is a `pose` of x, y and its
/// heading, a ball in space its centre:
///
/// ```text
/// bodies(
///     truck: pose(x, y, th[0]),
///     for i in 1..3 { trailer[i]: pose(px[i], py[i], th[i]) },
///     marble: ball(x, y, height + r),
/// )
/// ```
///
/// The expressions may contain whatever rates of auxiliary states may.
///
/// # Time and inputs
///
/// The time `t` may stand in the Lagrangian, in the force and in constraints, also in their coefficients, as of a blade that is turned,
/// `sin(w*t)*dx - cos(w*t)*dy`; inputs may stand in the force and in the affine part of constraints. Both may stand in the rates of auxiliary states. A driven
/// wheel or a moving belt is such a constraint:
///
/// ```text
/// inputs(speed),
/// constraints(
///     motor: dot(phi) - speed = 0,
///     rolling: dx - r*dphi - belt*cos(w*t)*dt = 0,
/// )
/// ```
///
/// - Coefficients of velocities and differentials in one-forms do not depend on inputs: an angle that is steered is a coordinate that an
///   input drives, `dot(delta) - rate`.
/// - `dot(e)` and `d(e)` of an expression with `t` contain its derivative by `t`: `dot(x - s*sin(t))` is
///   `dot(x) - s*cos(t)`.
/// - Inputs are held over a step. At its end the constraint holds with the inputs of the step.
/// - Positions and velocities are of order 2 with samples of a signal at the end of each step for `Dla2` and the
///   reflecting methods. The nodal methods, `DlaRattle` and `Rdp`, have the discrete constraint within the step. Give them samples
///   at its middle; only the driven velocities at the nodes are then of order 1.
/// - Runge–Kutta methods and `RattleRestarted` differentiate the constraints, and the rates of inputs are unknown: they are
///   refused if a constraint depends on an input.
/// - `Simulation::new` starts with inputs that are zero; `Simulation::with_inputs` starts with the given inputs, with which the
///   initial velocity must satisfy the constraints.
/// - The energy is not conserved. `Simulation::constraint_power` is the power of the drives.
///
/// # Names
///
/// `dot`, `sum`, `pi`, `t`, `dt` and the functions are reserved; every other Rust identifier may be
/// used, in any script. Names are never shadowed, and none may read like the differential of a
/// coordinate.
///
/// `let` names see the ones before them; everything else sees all of them, wherever it stands. They
/// may contain velocities, so that constraints can use them, but never differentials. Names that contain
/// inputs may stand in the force, in the affine part of constraints and in rates of auxiliary states.
///
/// # Reading by name
///
/// Every coordinate, part of a pose and body velocity is a constant of the system, its index in `q()` and `v()`, or an array
/// of indices: `Sleigh::THETA`, `Snake::Y[1]`, `Ball::R[0][2]`. `sim.named()` returns the numbers of the state under their
/// names: `theta`, `dot_theta` of a coordinate, `omega` of a body velocity, and `lambda_blade` for the multiplier of the
/// constraint with the label `blade`, `lambda_0` for that of the first constraint if it has no label.
///
/// A constant has its name in upper case, with three exceptions: if two names are the same in upper case, if a name is then a
/// constant of the trait `System` (`name`, `parameters`), or if it is not in ASCII, the constant has the name as it is declared. An
/// associated constant of the struct's own must not have such a name.
///
/// # Large systems
///
/// If more than 25,000 statements are generated, the derive emits a warning at the struct. It is a warning of a deprecated
/// item, because a macro has no other means; `#![allow(deprecated)]` in the module silences it. To reduce compile time, request
/// fewer methods, or choose coordinates in which the mass matrix and the constraints have more zeros. `nhi run` and `nhi-jit`
/// compile the declaration at run time instead, in seconds.
///
/// With many coordinates, release builds spend up to two fifths of their time in LLVM's vectorisation of straight-line code, which
/// gains little there. The option `-C no-vectorize-slp` of rustc switches it off.
#[proc_macro_derive(Nonholonomic, attributes(nonholonomic))]
pub fn nonholonomic(input: TokenStream) -> TokenStream {
    nhi_codegen::derive(input.into()).into()
}
