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

use super::JumpSymbols;
use super::builder::Builder;
use super::discrete::{Discretisation, Quadrature, Step};
use super::nodes::{Arrival, Departed, Node};
use super::space::{End, Space};
use super::{NodeScheme, NodeSymbols, Results, StartKind};
use crate::expr::Expr;
use crate::program::Role;

/// Equations of one step, from the state symbols to the new (q, v_pre, v_post, λ).
pub(super) fn step(b: &mut Builder<'_>, state: &JumpSymbols, quadrature: Quadrature) -> Results {
    let (space, rule) = (Space::of(b), discretisation(b, quadrature));
    let (q, t) = (&state.q, b.x.system.t);
    let equation = "(1) p⁻(q, q + h·d) = p_post";
    let step = Departed::from_node(b, &space, rule, (q, &state.v_post), None, equation);

    b.equation("(2) v_pre' = M⁻¹(p⁺ − a) at q'");
    let arrival = Arrival::of(b, &space, rule, (q, &step.velocity, t), 2, ("dot_", "_pre_1"));
    b.equation("(3) v_post' = v_pre' − 2·B·sigma");
    let v_post = arrival.remove(b, ("dot_", "_post_1"));
    let lambda = arrival.lambda(b);
    vec![
        (Role::Configuration, arrival.q),
        (Role::VelocityBefore, arrival.velocity),
        (Role::VelocityAfter, v_post),
        (Role::Multipliers, lambda),
    ]
}

/// A step from (q, v), restarted at every node.
pub(super) struct Restarted(pub(super) Quadrature);

impl NodeScheme for Restarted {
    fn step(&self, b: &mut Builder<'_>, state: &NodeSymbols) -> Results {
        restarted(b, state, self.0)
    }
}

/// Equations of one step that is restarted at every node: from (q, v) on the constraint manifold,
/// with the multiplier Λ of the continuous equations there,
///
/// ```text
/// (4)  p⁻(q, q + h d; t) = L_v(q, v) + h/2 μᵀΛ(q, v, t),
/// (5)  v' = M⁻¹(p⁺ − a) − B σ  at q' = q + h d.
/// ```
///
/// The momentum that the reflection would hand on is forgotten, and with it the parasitic mode: a
/// one-step map on the constraint manifold of order 2, which is not exactly reversible.
fn restarted(b: &mut Builder<'_>, state: &NodeSymbols, quadrature: Quadrature) -> Results {
    let (space, rule) = (Space::of(b), discretisation(b, quadrature));
    let (q, v, t) = (state.q.clone(), state.v.clone(), b.x.system.t);
    b.equation("the continuous multiplier at the node");
    let lambda = b.acceleration(&q, &v, t).lambda;
    let lambda = b.bind_forms("lambda_0", &lambda);
    let node = b.reaction(&q);
    let push = b.apply(&node.reaction.b, &lambda);
    let half = b.halves_of_h(1);
    let v_post = b.axpy(&v, half, &push);
    let v_post = b.bind_velocities("dot_", "_post", &v_post);
    let equation = "(4) p⁻(q, q + h·d) = L_v(q, v) + h/2·mu(q)ᵀ·Lambda";
    let step = Departed::from_node(b, &space, rule, (&q, &v_post), None, equation);
    b.equation("(5) p⁺ at q', without its normal part");
    let arrival = Arrival::of(b, &space, rule, (&q, &step.velocity, t), 1, ("u_", ""));
    let v1 = arrival.remove(b, ("dot_", "_1"));
    let lambda = arrival.lambda(b);
    vec![(Role::Configuration, arrival.q), (Role::Velocity, v1), (Role::Multipliers, lambda)]
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
    let node = b.reaction(&q);
    let lambda = match kind {
        StartKind::Consistent => {
            b.equation("the continuous multiplier");
            b.acceleration(&q, &v, t).lambda
        }
        StartKind::Projected => {
            b.equation("lambda = −C⁻¹·mu·M⁻¹(L_q + f)");
            let force = b.forces();
            normal_part_of(b, &node, &force, at)
        }
        // The papers' λ₀ = 0 on groups leaves the projected force there: p_post = p₀ − h/2 Qᵀf.
        StartKind::Plain if b.x.system.group.is_some() => {
            let force = b.x.force.clone();
            normal_part_of(b, &node, &force, at)
        }
        StartKind::Plain => vec![b.pool().zero(); b.x.m()],
        StartKind::Stepped => return stepped(b, at, quadrature),
    };
    let lambda = b.bind_forms("lambda", &lambda);
    b.equation("v∓ = v ∓ h/2·B·lambda");
    let half = b.halves_of_h(1);
    let minus_half = b.halves_of_h(-1);
    let jump = b.apply(&node.reaction.b, &lambda);
    let v_pre = b.axpy(&v, minus_half, &jump);
    let v_post = b.axpy(&v, half, &jump);
    vec![
        (Role::Configuration, q),
        (Role::VelocityBefore, v_pre),
        (Role::VelocityAfter, v_post),
        (Role::Multipliers, lambda),
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
    b.equation("v_post = M⁻¹(p⁻(q, q + h·v) − a)");
    let p = Step::leaving(&q, &v, t, "_1").momentum(b, &space, rule, End::First);
    let rest = vec![b.pool().zero(); v.len()];
    let near = if space.is_flat() { &v } else { &rest };
    let v_post = b.velocity_of(&q, &p, near, t);
    let v_post = b.bind_velocities("dot_", "_post", &v_post);
    b.equation("v_pre = 2·v − v_post");
    let two = b.pool().int(2);
    let v_pre = v.iter().zip(&v_post).map(|(&v, &post)| {
        let twice = b.mul(two, v);
        b.sub(twice, post)
    });
    let v_pre = v_pre.collect();
    let lambda = b.acceleration(&q, &v, t).lambda;
    vec![
        (Role::Configuration, q),
        (Role::VelocityBefore, v_pre),
        (Role::VelocityAfter, v_post),
        (Role::Multipliers, lambda),
    ]
}

/// −C⁻¹ μ M⁻¹ `force`: the multipliers that hold against a force at a node.
fn normal_part_of(b: &mut Builder<'_>, node: &Node, force: &[Expr], at: &NodeSymbols) -> Vec<Expr> {
    let t = b.x.system.t;
    let force = b.at(force, &at.q, &at.v, t);
    let free = b.solve_mass(&at.q, &force);
    let along = b.apply(&node.mu, &free);
    let minus: Vec<Expr> = along.iter().map(|&x| b.pool().neg(x)).collect();
    b.solve_c(node, &minus)
}

/// On groups forces act at the nodes, whatever the quadrature of the Lagrangian.
fn discretisation(b: &Builder<'_>, quadrature: Quadrature) -> Discretisation {
    match b.x.system.group {
        Some(_) => Discretisation::nodal(quadrature),
        None => Discretisation::plain(quadrature),
    }
}
