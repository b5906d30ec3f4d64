//! Programs of the system itself, which simulations need with every method.

use super::builder::Builder;
use super::careful::{Known, LinearEquations};
use super::space::Space;
use super::{NodeSymbols, SystemPrograms, array, scalar};
use crate::expr::Expr;
use crate::expr::linear::{Matrix, dot};
use crate::mechanics::Mechanics;
use crate::program::{Binding, Input, Output, Program, Role};

/// Arguments of functions of the motion.
const MOTION: [Role; 3] = [Role::Configuration, Role::Velocity, Role::Time];
/// Arguments of functions that inputs act on.
const DRIVEN: [Role; 4] = [Role::Configuration, Role::Velocity, Role::Time, Role::Inputs];
/// Arguments of functions that forces act on.
const FORCED: [Role; 5] = [Role::Configuration, Role::Velocity, Role::States, Role::Time, Role::Inputs];
/// Arguments of functions of the configuration.
const PLACE: [Role; 2] = [Role::Configuration, Role::Time];

const ENERGY: [&str; 2] = [
    "Energy E = L_v·v − L, a number.",
    "Without forces it is constant in time if L does not depend on t and the constraints are linear in v.",
];
const MOMENTUM: [&str; 1] = ["Momentum p = L_v = M v + a, one component per velocity."];
const RESIDUAL: [&str; 2] =
    ["Constraint residual μ v + μ₀, one component per constraint.", "It is zero for admissible velocities."];
const RESIDUAL_SCALE: [&str; 2] = [
    "Scale of the constraint residual, Σᵢ |μᵢ vᵢ| + |μ₀|, one component per constraint.",
    "A residual that is small compared with it is rounding.",
];
const PROJECT: [&str; 3] = [
    "Nearest admissible velocity in the kinetic-energy metric, v − B σ, one component per velocity.",
    "σ = C⁻¹(μ v + μ₀); B = M⁻¹ μᵀ; C = μ B. Where a pivot of M or C is small: M v' = M v + μᵀλ, μ v' + μ₀ = 0.",
    "Fails where the one-forms are dependent, or M is not positive definite on what they admit.",
];
const ACCELERATION: [&str; 4] = [
    "Accelerations dv/dt = M⁻¹(b + μᵀ λ), one per velocity, and multipliers λ = −C⁻¹(μ M⁻¹ b + γ), one per constraint.",
    "b = L_q + f − dL_v/dt at constant v; γ = d(μ v + μ₀)/dt at constant v; C = μ M⁻¹ μᵀ; μᵀ λ is the reaction.",
    "Where a pivot of M or C is small: M dv/dt = b + μᵀλ and μ dv/dt + γ = 0 without M⁻¹ and C.",
    "Fails where the one-forms are dependent, or M is not positive definite on what they admit.",
];
const POSITION: [&str; 1] = ["Residual g of the position constraints, one component per constraint."];
const POSITION_SCALE: [&str; 2] = [
    "Scale of that residual, the sum of the absolute values of its terms, one component per constraint.",
    "A residual that is small compared with it is rounding.",
];
const CORRECT: [&str; 2] = [
    "Configuration after a Gauss–Newton step towards g(q) = 0 in the kinetic-energy metric, q − B_g C_gg⁻¹ g(q).",
    "Fails where M or C_gg is singular.",
];
const MOMENTUM_BASIS: [&str; 2] = [
    "Basis (0, e_b) of the admissible motions along the group factor, each with one component per velocity.",
    "J_b = ⟨p, (0, e_b)⟩ are the components of the nonholonomic momentum.",
];

const MOMENTUM_DRIFT: [&str; 1] =
    ["Rates ∂J_b/∂q · dq/dt + ∂J_b/∂t of the nonholonomic momentum at constant velocity."];

/// Builds the programs of `SystemPrograms`.
pub fn system_programs(x: &mut Mechanics) -> SystemPrograms {
    SystemPrograms {
        energy: function(x, "energy", &ENERGY, &MOTION, |b, _| {
            vec![Output { role: Role::Named("energy".into()), values: vec![b.x.energy], scalar: true }]
        }),
        momentum: function(x, "momentum", &MOMENTUM, &MOTION, |b, _| vec![named("p", b.x.momentum.clone())]),
        residual: function(x, "residual", &RESIDUAL, &DRIVEN, |b, _| {
            let residual: Vec<Expr> = residual_terms(b).iter().map(|terms| b.pool().sum(terms)).collect();
            vec![named("residual", residual)]
        }),
        residual_scale: function(x, "residual_scale", &RESIDUAL_SCALE, &DRIVEN, |b, _| {
            let terms = residual_terms(b);
            vec![named("scale", terms.iter().map(|terms| sum_of_sizes(b, terms)).collect())]
        }),
        project: function(x, "project", &PROJECT, &DRIVEN, |b, s| {
            b.watch();
            let node = b.reaction(&s.q, b.x.system.t);
            let sigma = b.normal_part(&node, &s.v);
            let sigma = b.bind_forms("sigma", &sigma);
            let v = b.remove(&node, &s.v, &sigma);
            // M v' = M v + μᵀλ and μ v' = −μ₀.
            let mass = b.x.mass.clone();
            let momentum = b.apply(&mass, &s.v);
            let minus = b.negated(&[sigma, node.mu_t.clone()]);
            let equations =
                LinearEquations { mass: &mass, mu: &node.mu, nu: None, f: &momentum, r: &minus[1] };
            let [v, _] =
                b.solution(&equations, &Known { x: &v, lambda: &minus[0], free: None, has_inertia: false });
            vec![output(Role::Velocity, v)]
        }),
        acceleration: function(x, "acceleration", &ACCELERATION, &FORCED, |b, s| {
            let t = b.x.system.t;
            b.compares_sizes = true;
            let a = b.acceleration((&s.q, &s.v, &s.z), t);
            let lambda = b.declared_of_solution((&s.q, t), &a.lambda);
            vec![output(Role::Acceleration, a.a), output(Role::Multipliers, lambda)]
        }),
        position: position(x, "position", &POSITION, |_, g| g.to_vec()),
        position_scale: position(x, "position_scale", &POSITION_SCALE, position_scale),
        correct: x.has_positions().then(|| {
            function(x, "correct", &CORRECT, &PLACE, |b, s| {
                b.watch();
                let (node, g) = (b.reaction(&s.q, b.x.system.t), b.x.positions());
                let (sigma, kick) = b.normal_of_positions(&node, &g);
                let minus = b.negated(&[kick, sigma, g]);
                // M w = μᵀλ with μ w = −g for position constraints. Other constraints are kept where M needs them to be regular.
                let zero = b.pool().zero();
                let zeros = vec![zero; b.x.one_forms()];
                let [lambda, r] = [1, 2].map(|i| [zeros.as_slice(), &minus[i]].concat());
                let (mass, at_rest) = (b.x.mass.clone(), vec![zero; b.x.n()]);
                let equations = LinearEquations { mass: &mass, mu: &node.mu, nu: None, f: &at_rest, r: &r };
                let known = Known { x: &minus[0], lambda: &lambda, free: None, has_inertia: false };
                let [kick, _] = b.solution(&equations, &known);
                let (space, one) = (Space::of(b), b.pool().one());
                let q = space.advance(b, &s.q, one, &kick);
                vec![output(Role::Configuration, q)]
            })
        }),
        momentum_basis: momentum_basis(x),
        momentum_drift: momentum_drift(x),
    }
}

/// A function of g with one component per position constraint.
fn position(
    x: &mut Mechanics,
    name: &str,
    doc: &[&str],
    of: impl FnOnce(&mut Builder<'_>, &[Expr]) -> Vec<Expr>,
) -> Option<Program> {
    x.has_positions().then(|| {
        function(x, name, doc, &PLACE, |b, _| {
            let g = b.x.positions();
            vec![named(name, of(b, &g))]
        })
    })
}

fn position_scale(b: &mut Builder<'_>, g: &[Expr]) -> Vec<Expr> {
    g.iter()
        .map(|&g| {
            let terms = b.pool().terms(g);
            sum_of_sizes(b, &terms)
        })
        .collect()
}

/// The columns (0, e_b), if there are any.
fn momentum_basis(x: &mut Mechanics) -> Option<Program> {
    let e = x.vertical.as_ref()?.e.clone();
    let (k, f) = (x.system.shape(), e.first().map_or(0, Vec::len));
    (f > 0).then(|| {
        function(x, "momentum_basis", &MOMENTUM_BASIS, &PLACE, |b, _| {
            let zero = b.pool().zero();
            let column = |j: usize| -> Vec<Expr> {
                std::iter::repeat_n(zero, k).chain(e.iter().map(|row| row[j])).collect()
            };
            (0..f).map(|j| named(&format!("e_{}", j + 1), column(j))).collect()
        })
    })
}

/// (∂/∂q · dq/dt + ∂/∂t) ⟨p, (0, e_b)⟩, if there are any.
fn momentum_drift(x: &mut Mechanics) -> Option<Program> {
    let e = x.vertical.as_ref()?.e.clone();
    let (k, f) = (x.system.shape(), e.first().map_or(0, Vec::len));
    (f > 0).then(|| {
        function(x, "momentum_drift", &MOMENTUM_DRIFT, &MOTION, |b, s| {
            let rates: Vec<Expr> = b.x.anchor.clone().iter().map(|row| dot(b.pool(), row, &s.v)).collect();
            let (body, t) = (b.x.momentum[k..].to_vec(), b.x.system.t);
            let drift = (0..f).map(|j| {
                let column: Vec<Expr> = e.iter().map(|row| row[j]).collect();
                let momentum = dot(b.pool(), &body, &column);
                let gradient = b.pool().gradient(momentum, &[&s.q[..], &[t]].concat());
                let (along, by_time) = gradient.split_at(rates.len());
                let moved = dot(b.pool(), along, &rates);
                b.pool().add(moved, by_time[0])
            });
            vec![named("drift", drift.collect())]
        })
    })
}

fn output(role: Role, values: Vec<Expr>) -> Output {
    Output { role, values, scalar: false }
}

fn named(name: &str, values: Vec<Expr>) -> Output {
    output(Role::Named(name.to_owned()), values)
}

fn function(
    x: &mut Mechanics,
    name: &str,
    doc: &[&str],
    arguments: &[Role],
    body: impl FnOnce(&mut Builder<'_>, &NodeSymbols) -> Vec<Output>,
) -> Program {
    let symbols = NodeSymbols { q: x.q.clone(), v: x.v.clone(), lambda: Vec::new(), z: x.z.clone() };
    let mut inputs = vec![array(Role::Parameters, x.parameters(), Binding::Step)];
    for argument in arguments {
        inputs.push(named_input(x, argument.clone()));
    }
    let mut b = Builder::new(x);
    let outputs = body(&mut b, &symbols);
    Program {
        name: name.into(),
        doc: doc.iter().map(|&line| line.into()).collect(),
        inputs,
        body: b.finish(),
        outputs,
    }
}

/// One of the arguments q, v, z, t, inputs.
pub(super) fn named_input(x: &Mechanics, role: Role) -> Input {
    match role {
        Role::Configuration => array(role, x.q.clone(), Binding::Step),
        Role::Velocity => array(role, x.v.clone(), Binding::Step),
        Role::States => array(role, x.z.clone(), Binding::Step),
        Role::Time => scalar(role, x.system.t, Binding::Step),
        _ => array(Role::Inputs, x.system.input_symbols(), Binding::Step),
    }
}

/// The terms of μ v + μ₀, of the declared constraints.
fn residual_terms(b: &mut Builder<'_>) -> Matrix {
    let v = b.x.v.clone();
    let rows: Vec<(Vec<Expr>, Expr)> =
        b.x.system.constraints.iter().map(|constraint| (constraint.form.clone(), constraint.dt)).collect();
    let terms = rows.into_iter().map(|(form, dt)| {
        let along = form.iter().zip(&v).map(|(&c, &v)| b.mul(c, v));
        along.chain([dt]).collect()
    });
    terms.collect()
}

/// Σ |x|
fn sum_of_sizes(b: &mut Builder<'_>, terms: &[Expr]) -> Expr {
    let size = |&x: &Expr| {
        let square = b.pool().powi(x, 2);
        b.pool().sqrt(square)
    };
    let sizes: Vec<Expr> = terms.iter().map(size).collect();
    b.pool().sum(&sizes)
}
