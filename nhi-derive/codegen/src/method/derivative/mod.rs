//! Derivatives of a step.
//!
//! In tangent coordinates ([`coordinates`]) the state before a step is x = (q, ν, z), where a pose has the tangent vectors
//! g⁻¹ dg. The step is the map x' = F(x, u; p, h), with the velocity v = X(q) ν + v₀(q, t, u) at its beginning and ν' = Y(q') v'
//! at its end; v itself does not change with the inputs u, which act during the step. Its first derivatives are
//!
//! ```text
//! A = ∂x'/∂x,   B = ∂x'/∂u,   C = ∂x'/∂p,   ∂x'/∂h.
//! ```
//!
//! The statements of the step are differentiated one after the other, solutions of Newton's method and, where that takes fewer
//! operations, of linear equations by the implicit function theorem: forwards for all columns ([`tangent`]), or backwards for
//! the rows wᵀA, wᵀB, wᵀC and wᵀ∂x'/∂h ([`cotangent`]). Both together give the second derivatives of w·x' ([`curvature`]).
//! Functions of a state have derivatives in the same coordinates ([`formula`]).
//!
//! Where few reactions λ of linear equations act on many coordinates, they are variables of second derivatives with columns of their
//! own, and products of factors complete the matrices: A = D + G L with L = ∂λ/∂x ([`Program::products`]).

mod coordinates;
mod cotangent;
mod curvature;
mod formula;
mod tangent;

use super::builder::{Builder, Solved};
use super::{Form, NodeScheme, NodeSymbols, Results, Scheme, array, scalar, scheme, system_programs};
use crate::expr::group::Block;
use crate::expr::linear::Matrix;
use crate::expr::{Expr, Pool};
use crate::functions::FirstDerivatives;
use crate::mechanics::Mechanics;
use crate::program::liveness::drop_unused;
use crate::program::{Basis, Binding, Derivative, Input, Output, Program, Role, lets};
use coordinates::{Coordinates, Frame};
pub use coordinates::{TangentBasis, tangent_basis};
use cotangent::{Carried, Cotangent};
use curvature::curvature;
pub use formula::{FormulaPrograms, formula_programs};
use nhi_methods::Method;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use tangent::Tangent;

/// The derivatives of the step of a method, in a pool of their own.
#[derive(Clone, Debug)]
pub struct DerivativePrograms {
    /// Owner of the expressions.
    pub pool: Pool,
    /// The derivatives.
    pub programs: FirstDerivatives<Program>,
}

/// The second derivatives of the step of a method.
#[derive(Clone, Debug)]
pub struct CurvatureProgram {
    /// Owner of the expressions.
    pub pool: Pool,
    /// (parameters, h, state, t, inputs, w) → the second derivatives of w·x' by x (`xx`), by x and u (`xu`) and by u (`uu`), and
    /// the first derivatives A (`a`) and B (`b`) of x', by rows. Perhaps with factors, whose products are to be added
    /// ([`Program::products`]).
    pub curvature: Program,
}

/// The basis of the admissible velocities.
#[derive(Clone, Debug)]
pub struct BasisProgram {
    /// Owner of the expressions.
    pub pool: Pool,
    /// (parameters, q, t, inputs) → X by rows (`basis`), v₀ (`drift`), Y by rows (`dual`).
    pub basis: Program,
}

/// The derivatives of velocities by the configuration.
#[derive(Clone, Debug)]
pub struct BasisDerivativeProgram {
    /// Owner of the expressions.
    pub pool: Pool,
    /// (parameters, q, ν, t, inputs) → ∂(X ν + v₀)/∂q by rows (`derivative`).
    pub derivative: Program,
}

/// A step, written to be differentiated.
struct Step {
    symbols: NodeSymbols,
    /// The symbols of ν.
    nu: Vec<Expr>,
    /// X ν + v₀, as an expression of these.
    velocity: Vec<Expr>,
    /// The statements for the basis at the beginning, and those of the step.
    parts: [Range<usize>; 2],
    solved: Vec<Solved>,
    /// (q', ν', z') and λ'.
    results: [Vec<Expr>; 4],
    /// Whether derivatives are left as factors, with multipliers of linear equations as variables ([`Factor`]).
    factored: bool,
}

const LINEARIZE: [&str; 3] = [
    "Derivatives of the step from this state: A = ∂x'/∂x (NX × NX), B = ∂x'/∂u (NX × K), ∂λ'/∂x and ∂λ'/∂u, all by rows.",
    "x = (q, ν, z) with v = X(q) ν + v₀ and the basis X of `basis`; a pose has the tangent vectors g⁻¹ dg.",
    "By the implicit function theorem at the solution of the step.",
];
const PARAMETERS: [&str; 2] = [
    "Derivatives of the step from this state by the parameters, C = ∂x'/∂p (NX × parameters, by rows), and by its size, ∂x'/∂h.",
    "x = (q, ν, z) as for `linearize`; the step begins at the same x.",
];
const PULL_BACK: [&str; 2] = [
    "Products wᵀA, wᵀB, wᵀC and wᵀ∂x'/∂h of a covector w of the state after the step with the derivatives of `linearize` and",
    "`linearize_parameters`, by reverse accumulation and one transposed solution.",
];
const CURVATURE: [&str; 4] = [
    "Second derivatives ∂²/∂x² (NX × NX), ∂²/∂x∂u (NX × K) and ∂²/∂u² (K × K) of w·x' for a covector w of the state x' after the",
    "step, by rows: those of δ ↦ w·(x'(x ⊕ δ) ⊖ x'(x)), where poses are displaced by exponentials.",
    "By the first derivatives of everything in the step and the covectors of `pull_back`.",
    "Its first derivatives A and B come with them.",
];
const FACTORED: &str = "Multipliers of stages have columns of their own; products of these with their derivatives complete the matrices.";
const BASIS: [&str; 2] = [
    "Basis X(q) of the admissible velocities, n × d by rows, the velocity v₀ that affine constraints ask for, and the components",
    "Y(q), d × n by rows: v = X ν + v₀ and ν = Y v.",
];

const BASIS_DERIVATIVE: [&str; 2] = [
    "Derivatives ∂(X(q) ν + v₀)/∂q of the admissible velocities at fixed ν, n × n by rows. A pose is displaced by the velocities of its",
    "body.",
];

/// The basis X and v₀.
pub fn basis_program(x: &Mechanics) -> BasisProgram {
    let mut x = x.clone();
    let inputs =
        [Role::Configuration, Role::Time, Role::Inputs].map(|role| system_programs::named_input(&x, role));
    let inputs = [array(Role::Parameters, x.parameters(), Binding::Step)].into_iter().chain(inputs).collect();
    let (q, t) = (x.q.clone(), x.system.t);
    let mut b = Builder::new(&mut x);
    let coordinates = Coordinates::of(&mut b);
    let Frame { basis, drift, dual } = coordinates.at(&mut b, &q, t);
    let mut rows = Vec::with_capacity(basis.len() * drift.len());
    (0..drift.len()).for_each(|i| rows.extend(basis.iter().map(|column| column[i])));
    let parts = [(Basis::X, rows), (Basis::V0, drift), (Basis::Y, dual.concat())];
    let outputs =
        parts.map(|(part, values)| Output { role: Role::Basis(part), values, scalar: false }).to_vec();
    let doc = BASIS.map(String::from).to_vec();
    let basis = Program { name: "basis".into(), doc, inputs, body: b.finish(), outputs };
    BasisProgram { pool: x.system.pool, basis }
}

/// The derivatives of velocities by the configuration.
pub fn basis_derivative_program(x: &Mechanics) -> BasisDerivativeProgram {
    let mut x = x.clone();
    let inputs =
        [Role::Configuration, Role::Time, Role::Inputs].map(|role| system_programs::named_input(&x, role));
    let mut arguments = vec![array(Role::Parameters, x.parameters(), Binding::Step)];
    arguments.extend(inputs);
    let (q, t, n, k) = (x.q.clone(), x.system.t, x.n(), x.system.shape());
    let mut b = Builder::new(&mut x);
    let frame = Coordinates::of(&mut b).at(&mut b, &q, t);
    let nu = b.locals("nu", frame.basis.len());
    arguments.insert(2, array(Role::QuasiVelocity, nu.clone(), Binding::Step));
    let velocity = frame.velocity(&mut b, &nu);
    let basis = 0..b.statements().len();
    let blocks = b.x.system.blocks();
    let mut tangent = Tangent::new(&mut b, n);
    q[..k].iter().enumerate().for_each(|(i, &q)| tangent.seed(q, i));
    for block in blocks {
        tangent.seed_pose(block.group, &q[block.pose], block.velocity);
    }
    tangent.pass(basis, &[]);
    let rows: Vec<Expr> = velocity.iter().flat_map(|&v| tangent.of(v)).collect();
    let outputs = vec![output(Derivative::Velocity, rows)];
    let doc = BASIS_DERIVATIVE.map(String::from).to_vec();
    let name = "basis_derivative".into();
    let mut derivative = Program { name, doc, inputs: arguments, body: b.finish(), outputs };
    drop_unused(&x.system.pool, &mut derivative);
    BasisDerivativeProgram { pool: x.system.pool, derivative }
}

/// Derivatives of one step, which can be written in several forms. Which of them takes the fewest operations is known after the
/// passes only.
pub struct DerivativeForms {
    x: Mechanics,
    family: &'static dyn NodeScheme,
    exchanges: &'static [bool],
    coordinates: Coordinates,
    simplified: Option<Coordinates>,
    of: Derivatives,
}

/// Which derivatives are written.
#[derive(Clone, Copy)]
enum Derivatives {
    First,
    /// Perhaps with symbols replaced by what they are computed from.
    Second {
        pushes: bool,
    },
}

/// Derivatives in one form.
pub struct DerivativeForm {
    form: Form,
    is_simplified: bool,
    /// Owner of the expressions.
    pub pool: Pool,
    /// The programs. Forms are compared by the first one.
    pub programs: Vec<Program>,
}

impl DerivativeForms {
    /// Those of [`DerivativePrograms`]; none for methods that reflect, whose state has two velocities.
    pub fn first(x: &Mechanics, method: Method) -> Option<DerivativeForms> {
        DerivativeForms::of(x, method, Derivatives::First)
    }

    /// Those of [`CurvatureProgram`]. Whether fewer operations are left if symbols are replaced by what they are computed from
    /// differs from step to step.
    pub fn second(x: &Mechanics, method: Method, pushes: bool) -> Option<DerivativeForms> {
        DerivativeForms::of(x, method, Derivatives::Second { pushes })
    }

    fn of(x: &Mechanics, method: Method, of: Derivatives) -> Option<DerivativeForms> {
        let scheme = scheme(method);
        let Scheme::Node(family) = scheme else { return None };
        let mut x = x.clone();
        let exchanges = scheme.exchanges(&x);
        let (coordinates, simplified) = Coordinates::both(&mut Builder::new(&mut x));
        Some(DerivativeForms { x, family, exchanges, coordinates, simplified, of })
    }

    /// Those with each choice of rows of the constraints, with constraints eliminated, and with linear equations differentiated, where
    /// that can be; none where a map has no known derivative.
    pub fn written(&self) -> impl Iterator<Item = DerivativeForm> {
        let forms = [[false, false], [true, false], [false, true], [true, true]];
        let forms = self.exchanges.iter().flat_map(move |&exchanged| {
            forms.map(|[reduced, implicit]| Form { exchanged, reduced, implicit, ..Form::default() })
        });
        forms.filter_map(|form| self.write(form, false, false))
    }

    /// The same derivatives with a simplified basis, if there is one.
    pub fn simplified(&self, like: &DerivativeForm) -> Option<DerivativeForm> {
        self.write(like.form, true, false)
    }

    /// The same derivatives as factors, where that can be.
    pub fn factored(&self, like: &DerivativeForm) -> Option<DerivativeForm> {
        let has_factors = like.form.implicit && matches!(self.of, Derivatives::Second { .. });
        has_factors.then(|| self.write(like.form, like.is_simplified, true)).flatten()
    }

    fn write(&self, form: Form, is_simplified: bool, factored: bool) -> Option<DerivativeForm> {
        let coordinates = if is_simplified { self.simplified.as_ref()? } else { &self.coordinates };
        let mut x = self.x.clone();
        if form.exchanged {
            x.exchange_rows();
        }
        let b = &mut Builder::to_differentiate(&mut x, form);
        let step = Step { factored, ..Step::written(b, self.family, coordinates) };
        // Nothing can be eliminated, or there are no linear equations: this is one of the other forms again.
        if form.reduced && !b.made.reduced || form.implicit && !b.made.implicit {
            return None;
        }
        let programs = match self.of {
            Derivatives::First => vec![
                program(b, &step, ("linearize", &LINEARIZE), linearize),
                program(b, &step, ("linearize_parameters", &PARAMETERS), by_parameters),
                program(b, &step, ("pull_back", &PULL_BACK), pull_back),
            ],
            Derivatives::Second { pushes } => {
                let second = |b: &mut Builder<'_>, step: &Step, inputs: &mut Vec<Input>| {
                    curvature(b, step, inputs, pushes)
                };
                vec![program(b, &step, ("curvature", &CURVATURE), second)]
            }
        };
        let pool = x.system.pool;
        let are_defined = programs.iter().all(|program| is_defined(&pool, program));
        are_defined.then_some(DerivativeForm { form, is_simplified, pool, programs })
    }
}

/// Whether no result depends on a derivative that is not known.
fn is_defined(pool: &Pool, program: &Program) -> bool {
    let values: HashMap<Expr, Expr> = lets(&program.body).collect();
    let mut open: Vec<Expr> = program.outputs.iter().flat_map(|output| output.values.clone()).collect();
    let mut seen: HashSet<Expr> = HashSet::new();
    while !open.is_empty() {
        let reachable = pool.reachable(&open);
        if reachable.contains(&pool.undefined()) {
            return false;
        }
        open = reachable
            .into_iter()
            .filter(|&e| seen.insert(e))
            .filter_map(|e| values.get(&e).copied())
            .collect();
    }
    true
}

fn output(derivative: Derivative, values: Vec<Expr>) -> Output {
    Output { role: Role::Derivative(derivative), values, scalar: false }
}

/// One function, with its results from what `derive` writes after the step.
fn program(
    b: &mut Builder<'_>,
    step: &Step,
    (name, doc): (&str, &[&str]),
    derive: impl FnOnce(&mut Builder<'_>, &Step, &mut Vec<Input>) -> Vec<Output>,
) -> Program {
    let NodeSymbols { q, v, lambda, z } = &step.symbols;
    let state =
        [(Role::Configuration, q), (Role::Velocity, v), (Role::Multipliers, lambda), (Role::States, z)];
    let mut inputs = vec![
        array(Role::Parameters, b.x.parameters(), Binding::Step),
        scalar(Role::StepSize, b.h, Binding::Step),
    ];
    inputs.extend(state.map(|(role, symbols)| array(role, symbols.clone(), Binding::Step)));
    inputs.extend([Role::Time, Role::Inputs].map(|role| system_programs::named_input(b.x, role)));
    let scratch = b.scratch();
    let outputs = derive(b, step, &mut inputs);
    let body = b.statements().to_vec();
    b.discard(scratch);
    let doc = doc.iter().map(|&line| line.into()).collect();
    let mut program = Program { name: name.into(), doc, inputs, body, outputs };
    // Derivatives of what linear equations are solved by, if these are differentiated.
    drop_unused(&b.x.system.pool, &mut program);
    if !program.products().is_empty() {
        program.doc.push(FACTORED.into());
    }
    program
}

impl Step {
    fn written(b: &mut Builder<'_>, family: &dyn NodeScheme, coordinates: &Coordinates) -> Step {
        let m = b.x.m();
        let (q, v, z) = (b.x.q.clone(), b.x.v.clone(), b.x.z.clone());
        let symbols = NodeSymbols { q, v, lambda: b.locals("lambda", m), z };
        let (t, h) = (b.x.system.t, b.h);
        b.equation("basis X of the admissible velocities, v = X ν + v₀");
        let start = coordinates.at(b, &symbols.q, t);
        let components = start.components(b, &symbols.v);
        let basis = 0..b.statements().len();
        // Never equal to a value of the step: ν is a variable, although it is computed from v.
        let nu = b.variables("nu", &components);
        let velocity = start.velocity(b, &nu);
        let begin = b.statements().len();
        let results: Results = family.step(b, &symbols);
        let of = |role: Role| -> Vec<Expr> {
            results.iter().find(|(r, _)| *r == role).map_or_else(Vec::new, |(_, values)| values.clone())
        };
        let [q1, v1, z1, lambda1] =
            [Role::Configuration, Role::Velocity, Role::States, Role::Multipliers].map(of);
        b.equation("components ν' of v'");
        let end = b.add(t, h);
        let frame = coordinates.at(b, &q1, end);
        let nu1 = frame.components(b, &v1);
        let parts = [basis, begin..b.statements().len()];
        let solved = b.solved();
        let results = [q1, nu1, z1, lambda1];
        Step { symbols, nu, velocity, parts, solved, results, factored: false }
    }

    /// Number of tangent coordinates, of the configuration, ν and z.
    fn sizes(&self, b: &Builder<'_>) -> [usize; 3] {
        [b.x.n(), self.nu.len(), self.symbols.z.len()]
    }
}

/// Differentiates the step forwards, by x where `moves` says so and by further variables.
fn forwards<'b, 'a>(b: &'b mut Builder<'a>, step: &Step, moves: bool, variables: &[Expr]) -> Tangent<'b, 'a> {
    let [n, d, s] = step.sizes(b);
    let of_state = if moves { n + d + s } else { 0 };
    let (k, blocks) = (b.x.system.shape(), b.x.system.blocks());
    let NodeSymbols { q, v, z, .. } = &step.symbols;
    let mut tangent = Tangent::new(b, of_state + variables.len());
    for Block { group, pose, velocity } in blocks {
        // A pose that rests is moved by the step all the same.
        match moves {
            true => tangent.seed_pose(group, &q[pose], velocity),
            false => tangent.rest_pose(group, &q[pose]),
        }
    }
    if moves {
        q[..k].iter().enumerate().for_each(|(i, &q)| tangent.seed(q, i));
        step.nu.iter().enumerate().for_each(|(i, &nu)| tangent.seed(nu, n + i));
        z.iter().enumerate().for_each(|(i, &z)| tangent.seed(z, n + d + i));
    }
    let [basis, rest] = step.parts.clone();
    // v moves with the basis. What it depends on of the inputs is as it was before the step.
    let parameters = |symbol: &Expr| !tangent.b.x.system.input_symbols().contains(symbol);
    let columns: Vec<(usize, Expr)> =
        variables.iter().copied().enumerate().filter(|(_, e)| parameters(e)).collect();
    columns.iter().for_each(|&(i, symbol)| tangent.seed(symbol, of_state + i));
    tangent.pass(basis, &[]);
    for (&v, &value) in v.iter().zip(&step.velocity) {
        let row = tangent.of(value);
        tangent.set(v, row);
    }
    variables.iter().enumerate().for_each(|(i, &symbol)| tangent.seed(symbol, of_state + i));
    if step.factored {
        tangent.factor();
    }
    tangent.pass(rest, &step.solved);
    tangent
}

/// The rows of (q', ν', z').
fn rows_after(tangent: &mut Tangent<'_, '_>, step: &Step) -> Matrix {
    let k = tangent.b.x.system.shape();
    let [q1, nu1, z1, _] = &step.results;
    let mut rows: Matrix = q1[..k].iter().map(|&q| tangent.of(q)).collect();
    for Block { group, pose, .. } in tangent.b.x.system.blocks() {
        let undefined = vec![vec![tangent.b.pool().undefined(); tangent.columns]; group.dimension];
        rows.extend(tangent.of_pose(&q1[pose]).unwrap_or(undefined));
    }
    rows.extend(nu1.iter().chain(z1).map(|&e| tangent.of(e)));
    rows
}

/// A matrix with columns of x, of the inputs and of multipliers.
struct Blocks {
    /// The columns of x, by rows.
    x: Vec<Expr>,
    /// The columns of the inputs, by rows.
    u: Vec<Expr>,
    /// Those of multipliers, one after the other.
    reactions: Vec<Expr>,
}

impl Blocks {
    fn of(step: &Step, b: &Builder<'_>, rows: &[Vec<Expr>]) -> Blocks {
        let of_state: usize = step.sizes(b).iter().sum();
        let end = of_state + b.x.system.inputs.len();
        let part = |range: Range<usize>| rows.iter().flat_map(|row| row[range.clone()].to_vec()).collect();
        let columns = end..rows.iter().map(Vec::len).max().unwrap_or(end);
        let zero = b.x.system.pool.zero();
        let reactions =
            columns.flat_map(|j| rows.iter().map(move |row| row.get(j).copied().unwrap_or(zero))).collect();
        Blocks { x: part(0..of_state), u: part(of_state..end), reactions }
    }
}

fn linearize(b: &mut Builder<'_>, step: &Step, _: &mut Vec<Input>) -> Vec<Output> {
    let inputs = b.x.system.input_symbols();
    let mut tangent = forwards(b, step, true, &inputs);
    let after = rows_after(&mut tangent, step);
    let lambda: Matrix = step.results[3].iter().map(|&e| tangent.of(e)).collect();
    let [x, lambda] = [after, lambda].map(|rows| Blocks::of(step, b, &rows));
    vec![
        output(Derivative::A, x.x),
        output(Derivative::B, x.u),
        output(Derivative::LambdaX, lambda.x),
        output(Derivative::LambdaU, lambda.u),
    ]
}

fn by_parameters(b: &mut Builder<'_>, step: &Step, _: &mut Vec<Input>) -> Vec<Output> {
    let mut variables = b.x.parameters();
    variables.push(b.h);
    let mut tangent = forwards(b, step, false, &variables);
    let x = rows_after(&mut tangent, step);
    let h = x.iter().map(|row| row[variables.len() - 1]).collect();
    let c = x.iter().flat_map(|row| row[..variables.len() - 1].to_vec()).collect();
    vec![output(Derivative::C, c), output(Derivative::H, h)]
}

/// Covectors of the step, carried from w of the state after it to the state before.
struct Backwards {
    a: Vec<Expr>,
    of_inputs: Vec<Expr>,
    c: Vec<Expr>,
    h: Expr,
    /// What they were carried through: before the step, where inputs are as they were, and in it.
    carried: [Vec<Carried>; 2],
}

fn backwards(b: &mut Builder<'_>, step: &Step, inputs: &mut Vec<Input>) -> Backwards {
    let [n, d, s] = step.sizes(b);
    let w = b.locals("w", n + d + s);
    inputs.push(array(Role::Covector, w.clone(), Binding::Step));
    let (k, blocks) = (b.x.system.shape(), b.x.system.blocks());
    let (parameters, h, controls) = (b.x.parameters(), b.h, b.x.system.input_symbols());
    let mut cotangent = Cotangent::new(b);
    let [q1, nu1, z1, _] = &step.results;
    q1[..k].iter().zip(&w).for_each(|(&q, &w)| cotangent.add_value(q, w));
    for Block { pose, velocity, .. } in &blocks {
        cotangent.add_pose(&q1[pose.clone()], &w[velocity.clone()]);
    }
    nu1.iter().chain(z1).zip(&w[n..]).for_each(|(&e, &w)| cotangent.add_value(e, w));
    let [basis, rest] = step.parts.clone();
    cotangent.pass(rest, &step.solved);
    let of_inputs: Vec<Expr> = controls.iter().map(|&u| cotangent.of(u)).collect();
    let in_step = cotangent.carried();
    let NodeSymbols { q, v, z, .. } = &step.symbols;
    for (&v, &value) in v.iter().zip(&step.velocity) {
        let adjoint = cotangent.of(v);
        let name = format!("adjoint_{}", cotangent.b.name(v));
        let adjoint = cotangent.b.bind(&name, adjoint);
        cotangent.add_value(value, adjoint);
    }
    cotangent.pass(basis, &[]);
    let mut a: Vec<Expr> = q[..k].iter().map(|&q| cotangent.of(q)).collect();
    for Block { group, pose, .. } in blocks {
        a.extend(cotangent.of_pose(group, &q[pose]));
    }
    a.extend(step.nu.iter().chain(z).map(|&e| cotangent.of(e)));
    let c = parameters.iter().map(|&p| cotangent.of(p)).collect();
    let h = cotangent.of(h);
    let carried = [cotangent.carried(), in_step];
    Backwards { a, of_inputs, c, h, carried }
}

fn pull_back(b: &mut Builder<'_>, step: &Step, inputs: &mut Vec<Input>) -> Vec<Output> {
    let Backwards { a, of_inputs, c, h, .. } = backwards(b, step, inputs);
    vec![
        output(Derivative::A, a),
        output(Derivative::B, of_inputs),
        output(Derivative::C, c),
        Output { scalar: true, ..output(Derivative::H, vec![h]) },
    ]
}
