//! Methods as programs.
//!
//! Every structure-preserving method is one scheme: a discrete Lagrangian by quadrature, its two
//! Legendre transforms, and a node rule that says what happens where two steps meet. A named method
//! is a row of the table of `nhi-methods` and has its scheme here; what a system makes simple (constant
//! mass, constraints that are affine in the impulse) is found while the program is written.

mod builder;
mod careful;
mod derivative;
mod discrete;
mod dla;
mod equations;
mod frame;
mod gni;
mod impulse;
mod moser_veselov;
mod nodes;
mod pivots;
mod runge_kutta;
mod space;
mod states;
mod system_programs;

pub use crate::program::StateKind;
pub use derivative::{
    BasisDerivativeProgram, BasisProgram, CurvatureProgram, DerivativeForm, DerivativeForms,
    DerivativePrograms, FormulaPrograms, TangentBasis, basis_derivative_program, basis_program,
    formula_programs, tangent_basis,
};
use discrete::{Place, Quadrature};
#[cfg(feature = "report")]
pub(crate) use frame::keeps_momenta as frame_keeps_momenta;
pub use nhi_methods::{Method, StartKind};
pub use system_programs::system_programs;

use crate::expr::{Expr, Pool};
use crate::functions::OfSystem;
use crate::mechanics::Mechanics;
use crate::program::{Binding, Input, Output, Program, Role, Statement};
use builder::{Builder, Made};
use equations::Equations;
use moser_veselov::Kinetic;
use nhi_methods::{Applies, Facts};

/// How the steps of a method are computed.
enum Scheme {
    /// From node to node on the constraint manifold.
    Node(&'static dyn NodeScheme),
    /// By a reflection of the momentum at every node, with that quadrature.
    Reflecting(Quadrature),
}

/// The new values of a state, by their roles.
type Results = Vec<(Role, Vec<Expr>)>;

/// A family of methods with the state (q, v, λ, z) at the nodes.
trait NodeScheme {
    /// Equations of one step, from the state symbols to the new (q, v, λ, z).
    fn step(&self, b: &mut Builder<'_>, state: &NodeSymbols) -> Results;

    /// The equations that a step implements, with that group factor; comments in it refer to their numbers.
    fn equations(&self, group: Option<&str>) -> Equations;

    /// How a step advances auxiliary states z with rates F.
    fn states(&self) -> &'static str {
        states::BY_QUADRATURE
    }

    /// Whether a step has the constraint at one place only, where it may be multiplied by a function of q.
    fn constrains_once(&self) -> bool {
        true
    }

    /// The method to use instead for systems with position constraints, if it cannot keep them.
    fn instead_for_positions(&self) -> Option<Method> {
        None
    }

    /// The method to use instead for systems whose admissible velocities have an affine part or depend on time, if it cannot take them.
    fn instead_for_moving(&self) -> Option<Method> {
        None
    }

    /// Whether a step needs M⁻¹, for all velocities.
    fn inverts_mass(&self) -> bool {
        false
    }

    /// Whether a step uses the time derivative of the constraints. It needs the rates of inputs, which are unknown.
    fn differentiates_constraints(&self) -> bool {
        false
    }
}

/// The scheme of each method.
fn scheme(method: Method) -> Scheme {
    use Quadrature::{Left, Midpoint, Right, Trapezoid};
    use Scheme::{Node, Reflecting};
    use dla::{Nodal, Reduced, Staggered};
    use frame::{DiscreteGradient, Frame, Potential};
    match method {
        Method::Dla1 => Node(&Staggered(Left, Place::Left)),
        Method::Dla1Adjoint => Node(&Staggered(Right, Place::Right)),
        Method::Dla2 => Node(&Staggered(Trapezoid, Place::Middle)),
        Method::Dla2Midpoint => Node(&Staggered(Midpoint, Place::Middle)),
        Method::DlaRattle => Node(&Nodal(Trapezoid)),
        Method::DlaRattleMidpoint => Node(&Nodal(Midpoint)),
        Method::Frame => Node(&Frame(Potential::Averaged)),
        Method::FrameMidpoint => Node(&Frame(Potential::AtMiddle)),
        Method::DiscreteGradient => Node(&DiscreteGradient),
        Method::Rdp => Node(&Reduced(Trapezoid)),
        Method::RdpMidpoint => Node(&Reduced(Midpoint)),
        Method::RdpLeft => Node(&Reduced(Left)),
        Method::RdpRight => Node(&Reduced(Right)),
        Method::Rattle => Reflecting(Trapezoid),
        Method::GniMidpoint => Reflecting(Midpoint),
        Method::GniEulerA => Reflecting(Left),
        Method::GniEulerB => Reflecting(Right),
        Method::RattleRestarted => Node(&gni::Restarted(Trapezoid)),
        Method::MvMp => Node(&moser_veselov::Projected),
        Method::SuslovMv => Node(&moser_veselov::Suslov(Kinetic::MoserVeselov)),
        Method::SuslovCay => Node(&moser_veselov::Suslov(Kinetic::Cayley)),
        Method::Rk2Midpoint | Method::Rkmk2 => Node(&runge_kutta::MIDPOINT),
        Method::Rk2Heun => Node(&runge_kutta::HEUN),
        Method::Rk4 | Method::Rkmk4 => Node(&runge_kutta::CLASSICAL),
    }
}

/// Why a method cannot be used with a system, if it cannot.
pub fn refusal(method: Method, x: &Mechanics) -> Option<String> {
    let applies = method.facts().applies;
    if let Scheme::Node(family) = scheme(method)
        && let Some(instead) = family.instead_for_positions()
        && x.has_positions()
    {
        let instead = instead.facts().marker;
        return Some(format!("it does not keep position constraints; use `{instead}`"));
    }
    if let Scheme::Node(family) = scheme(method)
        && let Some(instead) = family.instead_for_moving()
        && frame::is_moving(x)
    {
        let instead = instead.facts().marker;
        return Some(format!(
            "it is for constraints without an affine part and for masses and constraints that do not depend on time; use `{instead}`"
        ));
    }
    if let Scheme::Node(family) = scheme(method)
        && family.differentiates_constraints()
        && let Some(input) = x.driving_input()
    {
        let instead = if !x.system.group.is_trivial() { Method::Rdp } else { Method::Dla2 }.facts().marker;
        return Some(format!(
            "a constraint depends on the input `{input}`, whose rate it does not know; use `{instead}`"
        ));
    }
    let is_for_bodies = applies == Applies::FreeBodies;
    if x.stiffness.is_some() && (is_for_bodies || scheme(method).inverts_mass()) {
        let instead = match (x.system.group.is_trivial(), x.has_positions()) {
            (false, _) => Method::Rdp,
            (true, true) => Method::DlaRattle,
            (true, false) => Method::Dla2,
        };
        let instead = instead.facts().marker;
        return Some(format!("it needs the inverse of the mass matrix, which is singular; use `{instead}`"));
    }
    if is_for_bodies {
        return moser_veselov::refusal(x);
    }
    let group = x.system.group.name()?;
    let pose = &x.q[x.system.shape()..];
    let on_pose = |e: &[Expr]| e.iter().any(|&e| x.system.pool.depends_on(e, pose));
    let (what, instead) = match applies {
        Applies::Everywhere | Applies::FreeBodies => return None,
        Applies::Coordinates(instead) => {
            let instead = instead.facts().marker;
            return Some(format!("it is for coordinates alone; on {group} use `{instead}`"));
        }
        Applies::InvariantLagrangians(instead) | Applies::InvariantSystems(instead)
            if on_pose(&x.momentum) || on_pose(&x.dl_dq) =>
        {
            ("the Lagrangian", instead)
        }
        Applies::InvariantSystems(instead) if on_pose(&x.residual) => ("a constraint", instead),
        Applies::InvariantLagrangians(_) | Applies::InvariantSystems(_) => return None,
    };
    Some(format!(
        "{what} depends on the pose, and a step on {group} has no mid-point pose; use `{}`",
        instead.facts().marker
    ))
}

/// What a start of a method without a choice computes.
const CONSISTENT: [&str; 2] = [
    "The state at (q, v), with the multipliers of the continuous equations:",
    "λ = −C⁻¹(μ M⁻¹ b + γ), b = L_q + f − dL_v/dt and γ = d(μ v + μ₀)/dt at constant v.",
];

/// The programs of one method for one system. Outputs are named after the fields of `state`.
#[derive(Clone, Debug)]
pub struct MethodPrograms {
    /// The method.
    pub method: Method,
    /// What is carried.
    pub state: StateKind,
    /// The expressions of its programs: those of the mechanics, and no other method's. So the order in which sums and
    /// products are written depends on the declaration and the method alone.
    pub pool: Pool,
    /// Inputs: parameters, h (both `Binding::Prepared`), the state's fields, t, inputs.
    pub step: Program,
    /// What the step reads of a state and begins with, and the same of the next one.
    components: [Vec<Expr>; 2],
    /// Inputs: parameters, h, q, v, z, t, inputs (all `Binding::Step`). A method without a choice has
    /// one start, `Consistent`. Starts that coincide for the system are the same program, with the name of the first.
    pub starts: Vec<(StartKind, Program)>,
    /// First and second derivatives of the step, if they are asked for and known.
    pub derivatives: Option<(DerivativePrograms, CurvatureProgram)>,
}

impl MethodPrograms {
    /// Id in the literature tables and reference data, such as `dla2`.
    pub fn id(&self) -> &'static str {
        self.method.facts().id
    }

    /// The step that returns what it reads of a state, and the same of the next one, too ([`StepProgram::new`]).
    ///
    /// [`StepProgram::new`]: crate::program::StepProgram::new
    pub fn step_with_components(&self) -> Program {
        let roles = [Role::PreviousCarried, Role::Carried].into_iter();
        let mut step = self.step.clone();
        step.outputs.extend(outputs(roles.zip(self.components.clone()).collect()));
        step
    }

    /// The different starts.
    pub fn distinct_starts(&self) -> impl Iterator<Item = &Program> {
        let is_first = |&i: &usize| (0..i).all(|j| self.starts[j].1.name != self.starts[i].1.name);
        (0..self.starts.len()).filter(is_first).map(|i| &self.starts[i].1)
    }
}

/// Why there are no derivatives of the steps of a method, if there are none.
pub fn derivatives_refusal(method: Method) -> &'static str {
    match scheme(method) {
        Scheme::Reflecting(_) => "its state has two velocities",
        Scheme::Node(_) => "they need the derivative of a map of the group that is not known",
    }
}

/// The programs of the system itself.
pub type SystemPrograms = OfSystem<Program>;

/// Symbols of a `NodeState`.
struct NodeSymbols {
    q: Vec<Expr>,
    v: Vec<Expr>,
    lambda: Vec<Expr>,
    z: Vec<Expr>,
}

/// Symbols of a `JumpState` as far as a step reads them.
struct JumpSymbols {
    q: Vec<Expr>,
    v_pre: Vec<Expr>,
    v_post: Vec<Expr>,
    lambda: Vec<Expr>,
}

/// A step of one method for one system, which can be written in several forms. Which of them takes the fewest operations is known
/// after the passes only.
pub struct StepForms {
    x: Mechanics,
    method: Method,
    scheme: Scheme,
}

/// A step in one form.
pub struct StepForm {
    form: Form,
    /// The step, in the pool of its [`StepForms`].
    pub step: Program,
    /// As in [`MethodPrograms`].
    components: [Vec<Expr>; 2],
}

/// How a step is written, where there is a choice.
#[derive(Clone, Copy, Default)]
struct Form {
    /// With the other rows of the constraints, [`Mechanics::combined`].
    exchanged: bool,
    /// With constraints eliminated from the equations of Newton's method ([`pivots`]).
    reduced: bool,
    /// With names for what the terms of a residual share, so that its derivatives share theirs.
    parted: bool,
    /// With linear equations to be differentiated instead of their solution.
    implicit: bool,
    /// For readers.
    readable: bool,
}

impl StepForms {
    /// The step of a method for a system.
    pub fn of(x: &Mechanics, method: Method) -> StepForms {
        StepForms { x: x.clone(), method, scheme: scheme(method) }
    }

    /// Owner of the expressions.
    pub fn pool(&self) -> &Pool {
        &self.x.system.pool
    }

    /// The step with each choice of rows of the constraints, and with constraints eliminated where they can be.
    pub fn written(&mut self) -> Vec<StepForm> {
        let mut all = Vec::new();
        for &exchanged in self.scheme.exchanges(&self.x) {
            let form = Form { exchanged, ..Form::default() };
            all.push(self.write(form).0);
            if let (step, Made { reduced: true, .. }) = self.write(Form { reduced: true, ..form }) {
                all.push(step);
            }
        }
        all
    }

    /// The same step with names for the parts that residuals of Newton's method share, if there are any. What they share cannot be
    /// seen as it is written.
    pub fn parted(&mut self, like: &StepForm) -> Option<StepForm> {
        if !like.step.has_loop() {
            return None;
        }
        let (step, Made { parted, .. }) = self.write(Form { parted: true, ..like.form });
        parted.then_some(step)
    }

    /// The same step for readers: residuals and Jacobian of Newton's method have names.
    pub fn readable(&mut self, like: &StepForm) -> StepForm {
        self.write(Form { readable: true, ..like.form }).0
    }

    /// The programs of the method with this step.
    pub fn with(
        mut self,
        StepForm { step, components, .. }: StepForm,
        derivatives: Option<(DerivativePrograms, CurvatureProgram)>,
    ) -> MethodPrograms {
        let starts = self.scheme.starts(&mut self.x);
        MethodPrograms {
            method: self.method,
            state: self.scheme.state(),
            pool: self.x.system.pool,
            step,
            components,
            starts,
            derivatives,
        }
    }

    fn write(&mut self, form: Form) -> (StepForm, Made) {
        let (mut step, made) = step(&mut self.x, self.method.facts(), &self.scheme, form);
        let components = [Role::PreviousCarried, Role::Carried].map(|role| {
            let place = step.outputs.iter().position(|output| output.role == role);
            place.map_or_else(Vec::new, |i| step.outputs.remove(i).values)
        });
        (StepForm { form, step, components }, made)
    }
}

impl Scheme {
    fn state(&self) -> StateKind {
        match self {
            Scheme::Node(_) => StateKind::Node,
            Scheme::Reflecting(_) => StateKind::Jump,
        }
    }

    /// The rows of the constraints that steps may be written with: [`Form::exchanged`].
    fn exchanges(&self, x: &Mechanics) -> &'static [bool] {
        let constrains_once = match self {
            Scheme::Node(family) => family.constrains_once(),
            Scheme::Reflecting(_) => true,
        };
        if x.combined.is_some() && constrains_once { &[false, true] } else { &[false] }
    }

    fn inverts_mass(&self) -> bool {
        match self {
            Scheme::Node(family) => family.inverts_mass(),
            Scheme::Reflecting(_) => true,
        }
    }

    fn starts(&self, x: &mut Mechanics) -> Vec<(StartKind, Program)> {
        match *self {
            Scheme::Node(_) => {
                vec![(StartKind::Consistent, start(x, StartKind::Consistent, &CONSISTENT, node_start))]
            }
            Scheme::Reflecting(quadrature) => {
                let mut starts: Vec<(StartKind, Program)> = Vec::new();
                for kind in StartKind::ALL {
                    let doc = gni::start_equations(kind, !x.system.group.is_trivial());
                    let start = start(x, kind, &doc, |b, at| gni::start(b, at, kind, quadrature));
                    let same = starts.iter_mut().find(|(_, other)| computes_the_same(other, &start));
                    let start = match same {
                        Some((_, same)) => {
                            same.doc.push(format!("For this system it is also `{}`.", start.name));
                            same.clone()
                        }
                        None => start,
                    };
                    starts.push((kind, start));
                }
                starts
            }
        }
    }
}

/// A step in a form, and what it has of the form.
fn step(x: &mut Mechanics, facts: &Facts, scheme: &Scheme, form: Form) -> (Program, Made) {
    if form.exchanged {
        x.exchange_rows();
    }
    let step = match *scheme {
        Scheme::Node(family) => node_step(x, facts, family, form),
        Scheme::Reflecting(quadrature) => gni_step(x, facts, quadrature, form),
    };
    if form.exchanged {
        x.exchange_rows();
    }
    step
}

fn node_step(x: &mut Mechanics, facts: &Facts, family: &dyn NodeScheme, form: Form) -> (Program, Made) {
    let mut inputs = prepared_inputs(x);
    let mut b = Builder::in_form(x, form);
    let m = b.x.m();
    let (q, v, z) = (b.x.q.clone(), b.x.v.clone(), b.x.z.clone());
    let state = NodeSymbols { q, v, lambda: b.locals("lambda", m), z };
    inputs.push(scalar(Role::StepSize, b.h, Binding::Prepared));
    inputs.push(array(Role::Configuration, state.q.clone(), Binding::Step));
    inputs.push(array(Role::Velocity, state.v.clone(), Binding::Step));
    inputs.push(array(Role::Multipliers, state.lambda.clone(), Binding::Step));
    inputs.push(array(Role::States, state.z.clone(), Binding::Step));
    let results = family.step(&mut b, &state);
    let mut equations = family.equations(b.x.system.group.name().as_deref());
    if !state.z.is_empty() {
        equations = equations.and(family.states());
    }
    let made = b.made;
    (finish_step(b, facts, inputs, results, equations), made)
}

fn gni_step(x: &mut Mechanics, facts: &Facts, quadrature: Quadrature, form: Form) -> (Program, Made) {
    let mut inputs = prepared_inputs(x);
    let mut b = Builder::in_form(x, form);
    let v_post = b.velocity_symbols("dot_", "_post");
    let v_pre = b.velocity_symbols("dot_", "_pre");
    let m = b.x.m();
    let lambda = b.locals("lambda", m);
    let state = JumpSymbols { q: b.x.q.clone(), v_pre: v_pre.clone(), v_post, lambda: lambda.clone() };
    inputs.push(scalar(Role::StepSize, b.h, Binding::Prepared));
    inputs.push(array(Role::Configuration, state.q.clone(), Binding::Step));
    inputs.push(array(Role::VelocityBefore, v_pre, Binding::Step));
    inputs.push(array(Role::VelocityAfter, state.v_post.clone(), Binding::Step));
    inputs.push(array(Role::Multipliers, lambda, Binding::Step));
    inputs.push(array(Role::States, b.x.z.clone(), Binding::Step));
    let results = gni::step(&mut b, &state, quadrature);
    let mut equations = gni::equations(quadrature, b.x.system.group.name().as_deref());
    if !b.x.z.is_empty() {
        equations = equations.and(states::BY_QUADRATURE);
    }
    let made = b.made;
    (finish_step(b, facts, inputs, results, equations), made)
}

fn finish_step(
    b: Builder<'_>,
    facts: &Facts,
    mut inputs: Vec<Input>,
    results: Results,
    equations: Equations,
) -> Program {
    inputs.push(system_programs::named_input(b.x, Role::Time));
    inputs.push(system_programs::named_input(b.x, Role::Inputs));
    let mut doc = vec![format!("One step of `{}`: {}.", facts.id, facts.source)];
    doc.extend(equations.doc());
    Program { name: "step".into(), doc, inputs, body: b.finish(), outputs: outputs(results) }
}

fn start(
    x: &mut Mechanics,
    kind: StartKind,
    doc: &[&str],
    body: impl FnOnce(&mut Builder<'_>, &NodeSymbols) -> Results,
) -> Program {
    let mut inputs = vec![array(Role::Parameters, x.parameters(), Binding::Step)];
    let mut b = Builder::new(x);
    inputs.push(scalar(Role::StepSize, b.h, Binding::Step));
    for role in [Role::Configuration, Role::Velocity, Role::States, Role::Time, Role::Inputs] {
        inputs.push(system_programs::named_input(b.x, role));
    }
    let (q, v, z) = (b.x.q.clone(), b.x.v.clone(), b.x.z.clone());
    let at = NodeSymbols { q, v, lambda: Vec::new(), z };
    let results = body(&mut b, &at);
    let name = match kind {
        StartKind::Consistent => "start_consistent",
        StartKind::Projected => "start_projected",
        StartKind::Plain => "start_plain",
        StartKind::Stepped => "start_stepped",
    };
    let doc = doc.iter().map(|&line| line.into()).collect();
    Program { name: name.into(), doc, inputs, body: b.finish(), outputs: outputs(results) }
}

/// Whether two programs of one pool have the same statements and results, whatever they are called.
fn computes_the_same(x: &Program, y: &Program) -> bool {
    let statements = |program: &Program| -> Vec<Statement> {
        program.body.iter().filter(|s| !matches!(s, Statement::Equation(_))).cloned().collect()
    };
    x.inputs == y.inputs && x.outputs == y.outputs && statements(x) == statements(y)
}

/// (q, v) as they are, and the continuous multiplier.
fn node_start(b: &mut Builder<'_>, at: &NodeSymbols) -> Results {
    let t = b.x.system.t;
    b.equation("multipliers Λ of the continuous equations");
    let lambda = b.acceleration((&at.q, &at.v, &at.z), t).lambda;
    vec![
        (Role::Configuration, at.q.clone()),
        (Role::Velocity, at.v.clone()),
        (Role::Multipliers, lambda),
        (Role::States, at.z.clone()),
    ]
}

fn prepared_inputs(x: &Mechanics) -> Vec<Input> {
    vec![array(Role::Parameters, x.parameters(), Binding::Prepared)]
}

fn outputs(results: Results) -> Vec<Output> {
    results.into_iter().map(|(role, values)| Output { role, values, scalar: false }).collect()
}

fn array(role: Role, symbols: Vec<Expr>, binding: Binding) -> Input {
    Input { role, symbols, binding, scalar: false }
}

fn scalar(role: Role, symbol: Expr, binding: Binding) -> Input {
    Input { role, symbols: vec![symbol], binding, scalar: true }
}
