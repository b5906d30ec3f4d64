//! Methods as programs.
//!
//! Every structure-preserving method is one scheme: a discrete Lagrangian by quadrature, its two
//! Legendre transforms, and a node rule that says what happens where two steps meet. A named method
//! is a [`Row`] of the table [`METHODS`]; what a system makes simple (constant mass, constraints
//! that are affine in the impulse) is found while the program is written.

mod builder;
mod discrete;
mod dla;
mod gni;
mod impulse;
mod moser_veselov;
mod nodes;
mod runge_kutta;
mod space;
mod system_programs;

use discrete::Discretisation;
pub use discrete::{Place, Quadrature};
pub use runge_kutta::Tableau;
pub use system_programs::system_programs;

use crate::expr::Expr;
use crate::mechanics::Mechanics;
use crate::pass::estimate;
use crate::program::{Binding, Constants, Input, Output, Program, Role};
use builder::Builder;

/// One method: where its equations come from and what it is known to keep.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Id in cases and reference data.
    pub id: &'static str,
    /// Marker type of the runtime.
    pub marker: &'static str,
    /// The scheme.
    pub family: Family,
    /// Order of convergence.
    pub order: u32,
    /// Whether a step of −h undoes a step of h.
    pub symmetric: bool,
    /// The equations, for the documentation of the emitted step.
    pub source: &'static str,
}

/// Scheme of a method.
#[derive(Clone, Copy, Debug)]
pub enum Family {
    /// Discrete Lagrange–d'Alembert, state at the place of the discrete constraint.
    Staggered(Quadrature, Place),
    /// Discrete Lagrange–d'Alembert with mid-point constraint, state at the nodes.
    Nodal(Quadrature),
    /// Reduced d'Alembert–Pontryagin: as `Nodal` with the constraint by the same quadrature and forces
    /// at the nodes, on R^k × G too.
    Reduced(Quadrature),
    /// Reflection of the momentum at the nodes, with the start of plain use.
    Gni(Quadrature, StartKind),
    /// As `Gni`, started anew at every node.
    Restarted(Quadrature),
    /// Discrete Lagrange–d'Alembert on SO(3) with discrete constraint cay(ker μ), state at the nodes.
    Suslov(Kinetic),
    /// Projection of the momentum at the nodes on SO(3), with the discrete Lagrangian of Moser and
    /// Veselov.
    MoserVeselov,
    /// Runge–Kutta on the index-reduced equations.
    RungeKutta(Tableau),
    /// The same on R^k × G, in the logarithm of the motion (Munthe-Kaas).
    MuntheKaas(Tableau),
}

/// Discrete Lagrangian of a body that turns by W = cay(hω) in a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kinetic {
    /// h ℓ(ω).
    Cayley,
    /// −tr(JW)/h.
    MoserVeselov,
}

/// All methods.
pub const METHODS: &[Row] = &[
    Row {
        id: "dla1",
        marker: "Dla1",
        family: Family::Staggered(Quadrature::Left, Place::Left),
        order: 1,
        symmetric: false,
        source: "McLachlan and Perlmutter 2006, (4.12)",
    },
    Row {
        id: "dla1_adjoint",
        marker: "Dla1Adjoint",
        family: Family::Staggered(Quadrature::Right, Place::Right),
        order: 1,
        symmetric: false,
        source: "McLachlan and Perlmutter 2006, (4.17), with the force at the old point",
    },
    Row {
        id: "dla2",
        marker: "Dla2",
        family: Family::Staggered(Quadrature::Trapezoid, Place::Middle),
        order: 2,
        symmetric: true,
        source: "McLachlan and Perlmutter 2006, (4.18), for any quadratic Lagrangian",
    },
    Row {
        id: "dla2_midpoint",
        marker: "Dla2Midpoint",
        family: Family::Staggered(Quadrature::Midpoint, Place::Middle),
        order: 2,
        symmetric: true,
        source: "McLachlan and Perlmutter 2006, (4.16), sign of the potential corrected",
    },
    Row {
        id: "dla_rattle",
        marker: "DlaRattle",
        family: Family::Nodal(Quadrature::Trapezoid),
        order: 2,
        symmetric: true,
        source: "the trapezoidal DLA scheme of McLachlan and Perlmutter 2006, (3.9), between nodes",
    },
    Row {
        id: "dla_rattle_midpoint",
        marker: "DlaRattleMidpoint",
        family: Family::Nodal(Quadrature::Midpoint),
        order: 2,
        symmetric: true,
        source: "the mid-point DLA scheme of McLachlan and Perlmutter 2006, (3.9), between nodes",
    },
    Row {
        id: "rdp",
        marker: "Rdp",
        family: Family::Reduced(Quadrature::Trapezoid),
        order: 2,
        symmetric: true,
        source: "Kobilarov, Martín de Diego and Ferraro, (27)–(28) corrected, trapezoidal rule",
    },
    Row {
        id: "rdp_midpoint",
        marker: "RdpMidpoint",
        family: Family::Reduced(Quadrature::Midpoint),
        order: 2,
        symmetric: true,
        source: "Kobilarov, Martín de Diego and Ferraro, (27)–(28) corrected, alpha = 1/2",
    },
    Row {
        id: "rdp_left",
        marker: "RdpLeft",
        family: Family::Reduced(Quadrature::Left),
        order: 1,
        symmetric: false,
        source: "Kobilarov, Martín de Diego and Ferraro, (27)–(28) corrected, alpha = 0",
    },
    Row {
        id: "rdp_right",
        marker: "RdpRight",
        family: Family::Reduced(Quadrature::Right),
        order: 1,
        symmetric: false,
        source: "Kobilarov, Martín de Diego and Ferraro, (27)–(28) corrected, alpha = 1",
    },
    Row {
        id: "rattle",
        marker: "Rattle",
        family: Family::Gni(Quadrature::Trapezoid, StartKind::Consistent),
        order: 2,
        symmetric: true,
        source: "nonholonomic RATTLE: Kobilarov, Martín de Diego and Ferraro, (10)",
    },
    Row {
        id: "gni_midpoint",
        marker: "GniMidpoint",
        family: Family::Gni(Quadrature::Midpoint, StartKind::Consistent),
        order: 2,
        symmetric: true,
        source: "Ferraro, Jiménez and Martín de Diego, Definition 4.1, mid-point rule",
    },
    Row {
        id: "gni_euler_a",
        marker: "GniEulerA",
        family: Family::Gni(Quadrature::Left, StartKind::Plain),
        order: 1,
        symmetric: false,
        source: "Ferraro, Jiménez and Martín de Diego, (13)",
    },
    Row {
        id: "gni_euler_b",
        marker: "GniEulerB",
        family: Family::Gni(Quadrature::Right, StartKind::Plain),
        order: 1,
        symmetric: false,
        source: "Ferraro, Jiménez and Martín de Diego, (14)",
    },
    Row {
        id: "rattle_restarted",
        marker: "RattleRestarted",
        family: Family::Restarted(Quadrature::Trapezoid),
        order: 2,
        symmetric: false,
        source: "nonholonomic RATTLE, started at every node with the continuous multiplier",
    },
    Row {
        id: "mv_mp",
        marker: "MvMp",
        family: Family::MoserVeselov,
        order: 1,
        symmetric: false,
        source: "McLachlan and Perlmutter 2006, (6.7)–(6.8), with Cayley's map",
    },
    Row {
        id: "suslov_mv",
        marker: "SuslovMv",
        family: Family::Suslov(Kinetic::MoserVeselov),
        order: 2,
        symmetric: true,
        source: "García-Naranjo and Jiménez, discrete Lagrangian of Moser and Veselov, with Cayley's map",
    },
    Row {
        id: "suslov_cay",
        marker: "SuslovCay",
        family: Family::Suslov(Kinetic::Cayley),
        order: 2,
        symmetric: true,
        source: "García-Naranjo and Jiménez, consistent discrete Lagrangian, with Cayley's map",
    },
    Row {
        id: "rk2_midpoint",
        marker: "Rk2Midpoint",
        family: Family::RungeKutta(runge_kutta::MIDPOINT),
        order: 2,
        symmetric: false,
        source: "explicit mid-point rule on the index-reduced equations",
    },
    Row {
        id: "rk2_heun",
        marker: "Rk2Heun",
        family: Family::RungeKutta(runge_kutta::HEUN),
        order: 2,
        symmetric: false,
        source: "Heun's rule on the index-reduced equations",
    },
    Row {
        id: "rk4",
        marker: "Rk4",
        family: Family::RungeKutta(runge_kutta::CLASSICAL),
        order: 4,
        symmetric: false,
        source: "the classical Runge–Kutta method on the index-reduced equations",
    },
    Row {
        id: "rkmk2",
        marker: "Rkmk2",
        family: Family::MuntheKaas(runge_kutta::MIDPOINT),
        order: 2,
        symmetric: false,
        source: "Munthe-Kaas' form of the explicit mid-point rule",
    },
    Row {
        id: "rkmk4",
        marker: "Rkmk4",
        family: Family::MuntheKaas(runge_kutta::CLASSICAL),
        order: 4,
        symmetric: false,
        source: "Munthe-Kaas' form of the classical Runge–Kutta method",
    },
];

/// The methods emitted where a declaration does not say.
pub const DEFAULT_METHODS: &[&str] = &["Dla2", "Rattle"];

/// The row of a marker type.
pub fn method(marker: &str) -> Option<&'static Row> {
    METHODS.iter().find(|row| row.marker == marker)
}

impl Row {
    /// Why the method cannot be used with a system, if it cannot.
    pub fn refusal(&self, x: &Mechanics) -> Option<String> {
        if matches!(self.family, Family::Suslov(_) | Family::MoserVeselov) {
            return moser_veselov::refusal(x);
        }
        let group = x.system.group?;
        let pose = &x.q[x.system.shape()..];
        let pool = &x.system.pool;
        let on_pose = |e: &[Expr]| e.iter().any(|&e| pool.depends_on(e, pose));
        let midpoint = |what: &str, instead: &str| {
            Some(format!(
                "{what} depends on the pose, and there is no pose half-way of a step on {}; use `{instead}`",
                group.name
            ))
        };
        let quadrature = match self.family {
            Family::Staggered(..) | Family::Nodal(_) => {
                return Some(format!("it is for coordinates alone; on {} use `Rdp`", group.name));
            }
            Family::RungeKutta(_) => {
                return Some(format!("it is for coordinates alone; on {} use `Rkmk4`", group.name));
            }
            Family::MuntheKaas(_) | Family::Suslov(_) | Family::MoserVeselov => return None,
            Family::Reduced(q) | Family::Gni(q, _) | Family::Restarted(q) => q,
        };
        let instead = if matches!(self.family, Family::Reduced(_)) { "Rdp" } else { "Rattle" };
        match quadrature {
            Quadrature::Midpoint if on_pose(&x.momentum) || on_pose(&x.dl_dq) => {
                midpoint("the Lagrangian", instead)
            }
            Quadrature::Midpoint if instead == "Rdp" && on_pose(&x.residual) => {
                midpoint("a constraint", instead)
            }
            _ => None,
        }
    }
}

/// What a method carries from step to step; a struct of the runtime.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StateKind {
    /// `NodeState { q, v, lambda }`.
    Node,
    /// `JumpState { q, v_pre, v_post, lambda }`.
    Jump,
}

impl StateKind {
    /// Name of the runtime's struct.
    pub fn type_name(self) -> &'static str {
        match self {
            StateKind::Node => "NodeState",
            StateKind::Jump => "JumpState",
        }
    }

    /// Whether a state belongs to one step size. States (q, v) serve steps of any size, one after the other;
    /// a momentum that is reflected does not, and methods with one are not composed.
    pub fn belongs_to_step_size(self) -> bool {
        self == StateKind::Jump
    }

    /// Its fields in order.
    pub fn fields(self) -> &'static [Role] {
        match self {
            StateKind::Node => &[Role::Configuration, Role::Velocity, Role::Multipliers],
            StateKind::Jump => {
                &[Role::Configuration, Role::VelocityBefore, Role::VelocityAfter, Role::Multipliers]
            }
        }
    }
}

/// Choice of a start; a variant of the runtime's `Start`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StartKind {
    /// With the continuous multiplier.
    Consistent,
    /// With the projected force.
    Projected,
    /// Without any reaction.
    Plain,
    /// With the velocity as that of the first step.
    Stepped,
}

/// The programs of one method for one system. Outputs are named after the fields of `state`.
#[derive(Clone, Debug)]
pub struct MethodPrograms {
    /// Id in the literature tables and reference data, such as `dla2`.
    pub id: &'static str,
    /// Name of the runtime's marker type, such as `Dla2`.
    pub marker: &'static str,
    /// What is carried.
    pub state: StateKind,
    /// The retraction that its equations are for, a type of the runtime; none where any serves.
    pub retraction: Option<&'static str>,
    /// Inputs: parameters, h (both `Binding::Prepared`), the state's fields, t, inputs.
    pub step: Program,
    /// Inputs: parameters, h, q, v, t, inputs (all `Binding::Step`). A method without a choice has
    /// one start, `Consistent`.
    pub starts: Vec<(StartKind, Program)>,
}

/// The programs of the system itself, all with parameters first.
#[derive(Clone, Debug)]
pub struct SystemPrograms {
    /// (parameters, q, v) → energy.
    pub energy: Program,
    /// (parameters, q, v) → p.
    pub momentum: Program,
    /// (parameters, q, v) → residual μv + μ₀.
    pub residual: Program,
    /// (parameters, q, v) → sums of absolute values of its terms; `abs` is sqrt of the square.
    pub residual_scale: Program,
    /// (parameters, q, v) → admissible velocity v.
    pub project: Program,
    /// (parameters, q, v, t, inputs) → dv/dt (`a`) and multipliers (`lambda`).
    pub acceleration: Program,
    /// (parameters, q) → the vectors (0, e_b) of the nonholonomic momentum, `e_1`, `e_2`, …; with a
    /// group factor along which something is admissible.
    pub momentum_basis: Option<Program>,
}

/// Symbols of a `NodeState`.
struct NodeSymbols {
    q: Vec<Expr>,
    v: Vec<Expr>,
    lambda: Vec<Expr>,
}

/// Symbols of a `JumpState` as far as a step reads them.
struct JumpSymbols {
    q: Vec<Expr>,
    v_post: Vec<Expr>,
}

/// The programs of a method for a system.
pub fn method_programs(x: &mut Mechanics, row: &Row) -> MethodPrograms {
    let state = match row.family {
        Family::Gni(..) => StateKind::Jump,
        _ => StateKind::Node,
    };
    let mut step = step(x, row);
    if x.combined.is_some() && constrains_once(row.family) {
        x.exchange_rows();
        let other = self::step(x, row);
        x.exchange_rows();
        if weight(x, &other) < weight(x, &step) {
            step = other;
        }
    }
    let starts = match row.family {
        Family::Gni(quadrature, _) => {
            [StartKind::Consistent, StartKind::Projected, StartKind::Plain, StartKind::Stepped]
                .into_iter()
                .map(|kind| (kind, start(x, kind, |b, at| gni::start(b, at, kind, quadrature))))
                .collect()
        }
        _ => vec![(StartKind::Consistent, start(x, StartKind::Consistent, node_start))],
    };
    let retraction = match row.family {
        Family::Suslov(_) | Family::MoserVeselov => Some("Cayley"),
        _ => None,
    };
    MethodPrograms { id: row.id, marker: row.marker, state, retraction, step, starts }
}

fn step(x: &mut Mechanics, row: &Row) -> Program {
    match row.family {
        Family::Gni(quadrature, _) => gni_step(x, row, quadrature),
        _ => node_step(x, row),
    }
}

/// Whether a step has the constraint at one place only, where it may be multiplied by a function of q.
fn constrains_once(family: Family) -> bool {
    match family {
        Family::Reduced(quadrature) => quadrature.places().len() == 1,
        Family::Suslov(_) | Family::MoserVeselov => false,
        _ => true,
    }
}

/// Operations of a program when it is nearly done, to compare it with others of the same function.
fn weight(x: &Mechanics, program: &Program) -> (usize, usize) {
    let (mut pool, program) = program.isolated(&x.system.pool);
    let mut constants = Constants::default();
    estimate(&mut pool, &mut constants, &program)
}

fn node_step(x: &mut Mechanics, row: &Row) -> Program {
    let mut inputs = prepared_inputs(x);
    let mut b = Builder::new(x);
    let m = b.x.m();
    let state = NodeSymbols { q: b.x.q.clone(), v: b.x.v.clone(), lambda: b.locals("lambda", m) };
    inputs.push(scalar(Role::StepSize, b.h, Binding::Prepared));
    inputs.push(array(Role::Configuration, state.q.clone(), Binding::Step));
    inputs.push(array(Role::Velocity, state.v.clone(), Binding::Step));
    inputs.push(array(Role::Multipliers, state.lambda.clone(), Binding::Step));
    let results = match row.family {
        Family::Staggered(quadrature, place) => dla::staggered(&mut b, &state, quadrature, place),
        Family::Nodal(quadrature) => {
            dla::nodal(&mut b, &state, Discretisation::plain(quadrature), Quadrature::Midpoint)
        }
        Family::Reduced(quadrature) => {
            dla::nodal(&mut b, &state, Discretisation::nodal(quadrature), quadrature)
        }
        Family::Suslov(kinetic) => dla::nodal(&mut b, &state, moser_veselov::rule(kinetic), Quadrature::Left),
        Family::MoserVeselov => moser_veselov::step(&mut b, &state),
        Family::MuntheKaas(tableau) => runge_kutta::step(&mut b, &state, tableau),
        Family::Restarted(quadrature) => gni::restarted(&mut b, &state, quadrature),
        Family::RungeKutta(tableau) => runge_kutta::step(&mut b, &state, tableau),
        Family::Gni(..) => unreachable!("reflecting methods carry another state"),
    };
    finish_step(b, row, inputs, results)
}

fn gni_step(x: &mut Mechanics, row: &Row, quadrature: Quadrature) -> Program {
    let mut inputs = prepared_inputs(x);
    let mut b = Builder::new(x);
    let v_post = b.velocity_symbols("dot_", "_post");
    let v_pre = b.velocity_symbols("dot_", "_pre");
    let m = b.x.m();
    let lambda = b.locals("lambda", m);
    let state = JumpSymbols { q: b.x.q.clone(), v_post };
    inputs.push(scalar(Role::StepSize, b.h, Binding::Prepared));
    inputs.push(array(Role::Configuration, state.q.clone(), Binding::Step));
    inputs.push(array(Role::VelocityBefore, v_pre, Binding::Step));
    inputs.push(array(Role::VelocityAfter, state.v_post.clone(), Binding::Step));
    inputs.push(array(Role::Multipliers, lambda, Binding::Step));
    let results = gni::step(&mut b, &state, quadrature);
    finish_step(b, row, inputs, results)
}

fn finish_step(
    b: Builder<'_>,
    row: &Row,
    mut inputs: Vec<Input>,
    results: Vec<(Role, Vec<Expr>)>,
) -> Program {
    inputs.push(system_programs::named_input(b.x, Role::Time));
    inputs.push(system_programs::named_input(b.x, Role::Inputs));
    let doc = vec![format!("One step of `{}`: {}.", row.id, row.source)];
    Program { name: "step".into(), doc, inputs, body: b.finish(), outputs: outputs(results) }
}

fn start(
    x: &mut Mechanics,
    kind: StartKind,
    body: impl FnOnce(&mut Builder<'_>, &NodeSymbols) -> Vec<(Role, Vec<Expr>)>,
) -> Program {
    let mut inputs = vec![array(Role::Parameters, x.parameters(), Binding::Step)];
    let mut b = Builder::new(x);
    inputs.push(scalar(Role::StepSize, b.h, Binding::Step));
    for role in [Role::Configuration, Role::Velocity, Role::Time, Role::Inputs] {
        inputs.push(system_programs::named_input(b.x, role));
    }
    let at = NodeSymbols { q: b.x.q.clone(), v: b.x.v.clone(), lambda: Vec::new() };
    let results = body(&mut b, &at);
    let (name, doc) = match kind {
        StartKind::Consistent => ("start_consistent", "The state at (q, v), with the continuous multiplier."),
        StartKind::Projected => ("start_projected", "The state at (q, v), with the projected force."),
        StartKind::Plain => ("start_plain", "The state at (q, v), without any reaction."),
        StartKind::Stepped => {
            ("start_stepped", "The state at (q, v) from which the first step has the velocity v.")
        }
    };
    Program { name: name.into(), doc: vec![doc.into()], inputs, body: b.finish(), outputs: outputs(results) }
}

/// (q, v) as they are, and the continuous multiplier.
fn node_start(b: &mut Builder<'_>, at: &NodeSymbols) -> Vec<(Role, Vec<Expr>)> {
    let t = b.x.system.t;
    let lambda = b.acceleration(&at.q, &at.v, t).lambda;
    vec![(Role::Configuration, at.q.clone()), (Role::Velocity, at.v.clone()), (Role::Multipliers, lambda)]
}

fn prepared_inputs(x: &Mechanics) -> Vec<Input> {
    vec![array(Role::Parameters, x.parameters(), Binding::Prepared)]
}

fn outputs(results: Vec<(Role, Vec<Expr>)>) -> Vec<Output> {
    results.into_iter().map(|(role, values)| Output { role, values, scalar: false }).collect()
}

fn array(role: Role, symbols: Vec<Expr>, binding: Binding) -> Input {
    Input { role, symbols, binding, scalar: false }
}

fn scalar(role: Role, symbol: Expr, binding: Binding) -> Input {
    Input { role, symbols: vec![symbol], binding, scalar: true }
}
