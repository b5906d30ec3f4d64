//! Geometric nonholonomic integrators: the momentum is reflected at every node.
//!
//! ```text
//! (1)  p⁻(q, q + h d; t) = p_post                      for the velocity d of the step,
//! (2)  p_pre' = p⁺(q, q + h d; t)                      at q' = q + h d,
//! (3)  p_post' = p_pre' − 2 μᵀσ,  σ = C⁻¹(μ M⁻¹(p_pre' − a) + μ₀).
//! ```
//!
//! (Ferraro, Jiménez and Martín de Diego, Definitions 4.1 and 6.1; nonholonomic RATTLE is the
//! trapezoidal case.) The state carries velocities v∓ = M⁻¹(p∓ − a) instead of momenta, which is the
//! same and saves a multiplication by M: their mean is the velocity on the constraint manifold.
//! Order 2 and reversible for the trapezoidal and mid-point rules, 1 for the Euler rules. The
//! reflection has the eigenvalue −1 on the normal space: a parasitic mode that can grow.
//!
//! Position constraints g(q) = 0 are kept as by classical RATTLE: a reaction Gᵀℓ at the beginning of the step gives
//! g(q') = 0, another one at its end G v_pre' = 0, and the reflection acts within ker G. Only the one-forms have
//! parasitic modes.

use super::JumpSymbols;
use super::builder::Builder;
use super::discrete::{Discretisation, Quadrature, Step};
use super::equations::{AT_NODE, Equations, motion};
use super::nodes::{Arrival, Begin, Departed, Node, Normal, StepConstraint};
use super::space::{End, Space};
use super::states::{Beginning, States};
use super::{NodeScheme, NodeSymbols, Results, StartKind};
use crate::expr::Expr;
use crate::program::Role;

/// Equations of one step, from the state symbols to the new (q, v_pre, v_post, λ).
pub(super) fn step(b: &mut Builder<'_>, state: &JumpSymbols, quadrature: Quadrature) -> Results {
    let (space, rule) = (Space::of(b), discretisation(b, quadrature));
    let (q, t) = (&state.q, b.x.system.t);
    let (half, lambda) = (b.halves_of_h(1), &state.lambda[b.x.one_forms()..]);
    let guess = lambda.iter().map(|&kappa| b.mul(half, kappa)).collect();
    let constraint = StepConstraint::of(b, b.x.one_forms()..b.x.m(), (q, t), quadrature, guess);
    // Without one-forms both velocities are the same.
    let begin = if b.x.one_forms() == 0 { Begin::AtVelocity } else { Begin::AtMean(&state.v_pre) };
    let step = Departed::from_node(b, &space, rule, (q, &state.v_post), begin, constraint);

    let mut arrival = Arrival::of(b, &space, rule, (q, &step, t), Normal::Reflected(3), ("dot_", "_pre_1"));
    let v_post = arrival.remove(b, ("dot_", "_post_1"));
    let lambda = arrival.lambda(b);
    vec![
        (Role::Configuration, arrival.q),
        (Role::VelocityBefore, arrival.velocity),
        (Role::VelocityAfter, v_post),
        (Role::Multipliers, lambda),
        (Role::States, step.states.new),
    ]
}

/// What a step implements.
pub(super) fn equations(quadrature: Quadrature, group: Option<&str>) -> Equations {
    let equations = Equations::new([
        "p⁻(q, q') = L_v(q, v_post),  q' = q + h d",
        "v_pre' = M⁻¹(p⁺(q, q') − a) at q'",
        "v_post' = v_pre' − 2 B σ,  σ = C⁻¹(μ v_pre' + μ₀) at q'",
    ]);
    let equations = equations.with(rule(quadrature, group.is_some()).momenta(group.is_some()));
    let equations = equations.and("λ' = −2σ/h").and(AT_NODE);
    motion(group).into_iter().fold(equations, Equations::and)
}

/// A step from (q, v), restarted at every node.
pub(super) struct Restarted(pub(super) Quadrature);

impl NodeScheme for Restarted {
    fn step(&self, b: &mut Builder<'_>, state: &NodeSymbols) -> Results {
        restarted(b, state, self.0)
    }

    fn inverts_mass(&self) -> bool {
        true
    }

    fn differentiates_constraints(&self) -> bool {
        true
    }

    fn equations(&self, group: Option<&str>) -> Equations {
        let equations = Equations::new([
            "p⁻(q, q') = L_v(q, v) + h/2 μ(q)ᵀ Λ,  q' = q + h d",
            "v' = u − B σ,  u = M⁻¹(p⁺(q, q') − a),  σ = C⁻¹(μ u + μ₀) at q'",
        ]);
        let equations = equations
            .with(rule(self.0, group.is_some()).momenta(group.is_some()))
            .and("Λ: multipliers of the continuous equations at (q, v, t)")
            .and("λ' = −2σ/h")
            .and(AT_NODE);
        motion(group).into_iter().fold(equations, Equations::and)
    }
}

/// Equations of one step that is restarted at every node: from (q, v) on the constraint manifold,
/// with the multiplier Λ of the continuous equations there,
///
/// ```text
/// (1)  p⁻(q, q + h d; t) = L_v(q, v) + h/2 μᵀΛ(q, v, t),
/// (2)  v' = M⁻¹(p⁺ − a) − B σ  at q' = q + h d.
/// ```
///
/// The momentum that the reflection would hand on is forgotten, and with it the parasitic mode: a
/// one-step map on the constraint manifold of order 2, which is not exactly reversible.
fn restarted(b: &mut Builder<'_>, state: &NodeSymbols, quadrature: Quadrature) -> Results {
    let (space, rule) = (Space::of(b), discretisation(b, quadrature));
    let (q, v, t) = (state.q.clone(), state.v.clone(), b.x.system.t);
    b.equation("multipliers Λ of the continuous equations");
    let lambda = b.acceleration((&q, &v, &state.z), t).lambda;
    let lambda = b.bind_forms("lambda_0", &lambda);
    let node = b.reaction(&q, t);
    b.equation("(1) velocity after the impulse: v + h/2 B Λ");
    let push = b.apply(&node.reaction.b, &lambda);
    let half = b.halves_of_h(1);
    let v_post = b.axpy(&v, half, &push);
    let v_post = b.bind_velocities("dot_", "_post", &v_post);
    let impulse = b.apply_transposed(&node.mu, &lambda, v.len());
    let impulse: Vec<Expr> = impulse.iter().map(|&force| b.mul(half, force)).collect();
    let rows = b.x.one_forms()..b.x.m();
    let guess = vec![b.pool().zero(); rows.len()];
    let constraint = StepConstraint::of(b, rows, (&q, t), quadrature, guess);
    let step = Departed::from_node(b, &space, rule, (&q, &v_post), Begin::Pushed(&v, &impulse), constraint);
    let mut arrival = Arrival::of(b, &space, rule, (&q, &step, t), Normal::Removed(2), ("u_", ""));
    let v1 = arrival.remove(b, ("dot_", "_1"));
    let lambda = arrival.lambda(b);
    vec![
        (Role::Configuration, arrival.q),
        (Role::Velocity, v1),
        (Role::Multipliers, lambda),
        (Role::States, step.states.new),
    ]
}

/// What a start computes.
pub(super) fn start_equations(kind: StartKind, group: bool) -> [&'static str; 2] {
    match kind {
        StartKind::Consistent => [
            "The state at (q, v), with the multipliers λ = −C⁻¹(μ M⁻¹ b + γ) of the continuous equations:",
            "v_pre = v − h/2 B λ, v_post = v + h/2 B λ; b = L_q + f − dL_v/dt and γ = d(μ v + μ₀)/dt at constant v.",
        ],
        StartKind::Projected => [
            "The state at (q, v), with the reaction to the projected force, λ = −C⁻¹ μ M⁻¹(L_q + f):",
            "v_pre = v − h/2 B λ, v_post = v + h/2 B λ.",
        ],
        StartKind::Plain if group => [
            "The state at (q, v), with the reaction to the forces f alone, λ = −C⁻¹ μ M⁻¹ f:",
            "v_pre = v − h/2 B λ, v_post = v + h/2 B λ.",
        ],
        StartKind::Plain => ["The state at (q, v), without any reaction:", "v_pre = v_post = v, λ = 0."],
        StartKind::Stepped => [
            "The state at (q, v) from which the first step has the velocity v:",
            "v_post = M⁻¹(p⁻(q, q + h v) − a), v_pre = 2 v − v_post; λ of the continuous equations.",
        ],
    }
}

/// Starts: p_post from (q₀, v₀) on the constraint manifold.
///
/// ```text
/// consistent  p_post = p₀ + h/2 μᵀΛ(q₀, v₀, t₀), the continuous multiplier,
/// projected   p_post = p₀ − h/2 Qᵀ(L_q + f)      (Kobilarov, Martín de Diego, Ferraro (16)),
/// plain       p_post = p₀                         (the same paper, Remark 1).
/// ```
pub(super) fn start(
    b: &mut Builder<'_>,
    at: &NodeSymbols,
    kind: StartKind,
    quadrature: Quadrature,
) -> Results {
    let (q, v, t) = (at.q.clone(), at.v.clone(), b.x.system.t);
    let node = b.reaction(&q, t);
    let lambda = match kind {
        StartKind::Consistent => {
            b.equation("multipliers Λ of the continuous equations");
            b.acceleration((&q, &v, &at.z), t).lambda
        }
        StartKind::Projected => {
            b.equation("multipliers λ = −C⁻¹ μ M⁻¹ (L_q + f)");
            let force = b.forces();
            normal_part_of(b, &node, &force, at)
        }
        // The papers' λ₀ = 0 on groups leaves the projected force there: p_post = p₀ − h/2 Qᵀf.
        StartKind::Plain if !b.x.system.group.is_trivial() => {
            b.equation("multipliers λ = −C⁻¹ μ M⁻¹ f");
            let force = b.x.force.clone();
            normal_part_of(b, &node, &force, at)
        }
        StartKind::Plain => vec![b.pool().zero(); b.x.m()],
        StartKind::Stepped => return stepped(b, at, quadrature),
    };
    let lambda = b.bind_forms("lambda", &lambda);
    b.equation("velocities at the reflection: v∓ = v ∓ h/2 B λ");
    let half = b.halves_of_h(1);
    let minus_half = b.halves_of_h(-1);
    // The reflection is by the one-forms alone, and both velocities are tangent to the position constraints.
    let one_forms = b.x.one_forms();
    let columns = node.reaction.b.iter().map(|row| row[..one_forms].to_vec()).collect();
    let jump = b.apply(&columns, &lambda[..one_forms]);
    let jump = b.tangent(&node, &jump, false).0;
    let v_pre = b.axpy(&v, minus_half, &jump);
    let v_pre = b.bind_velocities("dot_", "_pre", &v_pre);
    let v_post = b.axpy(&v, half, &jump);
    let v_post = b.bind_velocities("dot_", "_post", &v_post);
    vec![
        (Role::Configuration, q),
        (Role::VelocityBefore, v_pre),
        (Role::VelocityAfter, v_post),
        (Role::Multipliers, lambda),
        (Role::States, at.z.clone()),
    ]
}

/// The start of integrators on Q × Q: the first step has the velocity v₀,
///
/// ```text
/// p_post = p⁻(q₀, q₀ + h v₀; t₀).
/// ```
///
/// With v₀ on the constraint manifold at q₀ positions and velocities are then of order 1 alone
/// (Ferraro, Jiménez and Martín de Diego start so in section 7.4).
fn stepped(b: &mut Builder<'_>, at: &NodeSymbols, quadrature: Quadrature) -> Results {
    let (space, rule) = (Space::of(b), discretisation(b, quadrature));
    let (q, v, t) = (at.q.clone(), at.v.clone(), b.x.system.t);
    let states = States::of(b);
    let step = Step::leaving(&q, &v, Beginning::at_state(t, &states), "_1");
    let scratch = b.scratch();
    let p = step.momentum(b, &space, rule, End::First);
    let p = b.close(&p, &scratch);
    b.discard(scratch);
    let states = match states.occur_in(b, &p) {
        true => states.after(b, &space, rule, [step, step]),
        false => states.clone(),
    };
    b.equation("velocity v_post = M⁻¹(p⁻(q, q + h v) − a)");
    let p = step.with_states(&states).momentum(b, &space, rule, End::First);
    let rest = vec![b.pool().zero(); v.len()];
    let near = if space.is_flat() { &v } else { &rest };
    let v_post = b.velocity_of(&q, &p, near, t);
    let node = b.reaction(&q, t);
    let v_post = b.tangent(&node, &v_post, true).0;
    let v_post = b.bind_velocities("dot_", "_post", &v_post);
    b.equation("velocity v_pre = 2 v − v_post");
    let two = b.pool().int(2);
    let v_pre = v.iter().zip(&v_post).map(|(&v, &post)| {
        let twice = b.mul(two, v);
        b.sub(twice, post)
    });
    let v_pre: Vec<Expr> = v_pre.collect();
    let v_pre = b.bind_velocities("dot_", "_pre", &v_pre);
    b.equation("multipliers Λ of the continuous equations");
    let lambda = b.acceleration((&q, &v, &at.z), t).lambda;
    vec![
        (Role::Configuration, q),
        (Role::VelocityBefore, v_pre),
        (Role::VelocityAfter, v_post),
        (Role::Multipliers, lambda),
        (Role::States, at.z.clone()),
    ]
}

/// −C⁻¹ μ M⁻¹ `force`: the multipliers that hold against a force at a node.
fn normal_part_of(b: &mut Builder<'_>, node: &Node, force: &[Expr], at: &NodeSymbols) -> Vec<Expr> {
    let t = b.x.system.t;
    let force = b.at(force, &at.q, &at.v, t);
    let free = b.solve_mass(&at.q, t, &force);
    let along = b.apply(&node.mu, &free);
    let minus: Vec<Expr> = along.iter().map(|&x| b.pool().neg(x)).collect();
    b.solve_c(node, &minus)
}

/// On groups forces act at the nodes, whatever the quadrature of the Lagrangian.
fn rule(quadrature: Quadrature, group: bool) -> Discretisation {
    if group { Discretisation::nodal(quadrature) } else { Discretisation::plain(quadrature) }
}

fn discretisation(b: &Builder<'_>, quadrature: Quadrature) -> Discretisation {
    rule(quadrature, !b.x.system.group.is_trivial())
}
