//! Discrete Lagrange–d'Alembert methods: one-step maps on the constraint manifold.
//!
//! Discrete equations (McLachlan and Perlmutter 2006, (3.9)–(3.10)), with discrete forces:
//!
//! ```text
//! p⁻(q_i, q_{i+1}) − p⁺(q_{i−1}, q_i) = μ(q_i)ᵀ ℓ,
//! μ(q̄) d + μ₀(q̄) = 0 at q̄ = q_i + c h d,   d = (q_{i+1} − q_i)/h.
//! ```
//!
//! Unknowns: d and the impulses ℓ = hλ. Two packagings of the same trajectory, with numbers of their own:
//!
//! *staggered*: the state is (q̄, d), which the second equation puts on the constraint manifold
//! (`dla1`: c = 0, (4.12); `dla2`: c = ½, (4.18); `dla1_adjoint`: c = 1, (4.17) with ∇V at the old
//! point),
//!
//! ```text
//! (1)  p⁻(q_h, q_h + h v') = p⁺(q_h − h v, q_h) + μ(q_h)ᵀ ℓ,   q_h = q + (1 − c) h v,
//! (2)  μ(q') v' + μ₀(q') = 0,   q' = q_h + c h v'.
//! ```
//!
//! In `dla1` forces use the velocity with which the node is reached, f(q', v, t + h), so that damping leaves it
//! explicit, and in its adjoint the one with which it is left, f(q, v', t);
//!
//! *nodal*, the analogue of holonomic RATTLE: the state is (q_i, v_i) with the momentum at the node
//! projected onto the constraint,
//!
//! ```text
//! (1)  p⁻(q, q + h d) = L_v(q, v) + μ(q)ᵀ ℓ,
//! (2)  μ(b) d + μ₀(b) = 0 at b = q + h/2 d,
//! (3)  v' = u − B σ,   u = M⁻¹(p⁺ − a),   σ = C⁻¹ (μ u + μ₀)   at q' = q + h d.
//! ```
//!
//! *reduced* d'Alembert–Pontryagin (Kobilarov, Martín de Diego and Ferraro, (27)–(28), corrected) is the
//! nodal form on Q = R^k × G: q' = (r + hu, g τ(hξ)) for d = (u, ξ), p∓ with the tangents of τ, forces at
//! the nodes, and (2) by the quadrature of the Lagrangian,
//!
//! ```text
//! (2)  Σ wᵢ (μ(bᵢ) d + μ₀(bᵢ)) = 0   at the base points bᵢ of the step.
//! ```
//!
//! Order 2 and symmetric where the quadrature is and c = ½, else 1. All keep μ(q)v + μ₀ = 0 exactly.

use super::builder::Builder;
use super::discrete::{Discretisation, Place, Quadrature, Step};
use super::equations::{AT_NODE, Equations, motion};
use super::nodes::{Arrival, Before, Begin, Departed, Departure, Normal, StepConstraint, forces_of};
use super::space::Space;
use super::states::{Beginning, States};
use super::{Method, NodeScheme, NodeSymbols, Results};
use crate::expr::Expr;
use crate::program::Role;

/// Discrete Lagrange–d'Alembert, state at the place of the discrete constraint.
pub(super) struct Staggered(pub(super) Quadrature, pub(super) Place);

impl NodeScheme for Staggered {
    fn step(&self, b: &mut Builder<'_>, state: &NodeSymbols) -> Results {
        staggered(b, state, self.0, self.1)
    }

    fn equations(&self, group: Option<&str>) -> Equations {
        let (node, end) = match self.1 {
            Place::Left => ("q_h = q + h v", "q' = q_h"),
            Place::Middle => ("q_h = q + h/2 v", "q' = q_h + h/2 v'"),
            Place::Right => ("q_h = q", "q' = q_h + h v'"),
        };
        let equations = Equations::new([
            "p⁻(q_h, q_h + h v') = p⁺(q_h − h v, q_h) + μ(q_h)ᵀ ℓ".to_owned(),
            format!("μ(q') v' + μ₀(q') = 0,  {end}"),
        ]);
        equations
            .with(Discretisation::crossed(self.0).momenta(group.is_some()))
            .and(format!("{node}: node between two steps"))
            .and("ℓ = h λ': its impulse")
    }

    /// With g(q') = 0 and a reaction from the middle of the step the map is not symmetric.
    fn instead_for_positions(&self) -> Option<Method> {
        Some(Method::DlaRattle)
    }
}

/// Discrete Lagrange–d'Alembert with mid-point constraint, state at the nodes.
pub(super) struct Nodal(pub(super) Quadrature);

impl NodeScheme for Nodal {
    fn step(&self, b: &mut Builder<'_>, state: &NodeSymbols) -> Results {
        nodal(b, state, Discretisation::plain(self.0), Quadrature::Midpoint)
    }

    fn equations(&self, group: Option<&str>) -> Equations {
        nodal_equations(Discretisation::plain(self.0), Quadrature::Midpoint, group)
    }
}

/// Reduced d'Alembert–Pontryagin: as [`Nodal`] with the constraint by the same quadrature and forces at the
/// nodes, on R^k × G too.
pub(super) struct Reduced(pub(super) Quadrature);

impl NodeScheme for Reduced {
    fn step(&self, b: &mut Builder<'_>, state: &NodeSymbols) -> Results {
        nodal(b, state, Discretisation::nodal(self.0), self.0)
    }

    fn equations(&self, group: Option<&str>) -> Equations {
        nodal_equations(Discretisation::nodal(self.0), self.0, group)
    }

    fn constrains_once(&self) -> bool {
        self.0.places().len() == 1
    }
}

/// Equations of one step of the staggered form, from the state symbols to the new (q, v, λ, z).
fn staggered(b: &mut Builder<'_>, state: &NodeSymbols, quadrature: Quadrature, place: Place) -> Results {
    let (space, rule) = (Space::of(b), Discretisation::crossed(quadrature));
    let (q, v, t) = (state.q.clone(), state.v.clone(), b.x.system.t);
    if place != Place::Right {
        b.equation(match place {
            Place::Middle => "node: q_h = q + h/2 v",
            _ => "node: q_h = q + h v",
        });
    }
    let ahead = b.halves_of_h(2 - place.halves());
    let node = space.advance(b, &q, ahead, &v);
    let node = b.bind_configuration("_h", &node);
    let node_time = b.add(t, ahead);

    let h = b.h;
    let before = b.sub(node_time, h);
    let states = States::of(b);
    let halves = 2 - place.halves();
    let start = Beginning { t: node_time, halves, states: &states };
    let before = Beginning { t: before, halves: halves - 2, states: &states };
    let before = Step::arriving(&node, &v, before, "_before");
    b.equation("(1) momentum p⁺(q_h − h v, q_h)");
    let constraint = step_constraint(b, state, (&node, node_time), Quadrature::at(place), 1);
    let new = Departure {
        space: &space,
        rule,
        from: &node,
        start,
        before: Before::Step(before),
        near: &v,
        constraint,
        named: ("dot_", "_1"),
    }
    .solve(b);

    if place != Place::Left {
        b.equation(match place {
            Place::Middle => "(2) q' = q_h + h/2 v'",
            _ => "(2) q' = q_h + h v'",
        });
    }
    let distance = b.halves_of_h(place.halves());
    let q1 = space.advance(b, &node, distance, &new.velocity);
    let q1 = b.bind_configuration("_1", &q1);
    let lambda = forces_of(b, (&node, node_time), (&new.impulse, new.is_solution), 1);
    vec![
        (Role::Configuration, q1),
        (Role::Velocity, new.velocity),
        (Role::Multipliers, lambda),
        (Role::States, new.states.new),
    ]
}

/// What a step of the nodal form implements.
pub(super) fn nodal_equations(
    rule: Discretisation,
    constraint: Quadrature,
    group: Option<&str>,
) -> Equations {
    let constraint_at = |point: &str| {
        let point = match point {
            "x" => "q",
            "y" => "q'",
            middle => middle,
        };
        format!("(μ({point}) d + μ₀({point}))")
    };
    let middle = if constraint == Quadrature::Midpoint { ",  b = q + h/2 d" } else { "" };
    let equations = Equations::new([
        "p⁻(q, q') = L_v(q, v) + μ(q)ᵀ ℓ,  q' = q + h d".to_owned(),
        format!("{} = 0{middle}", constraint.mean(constraint_at)),
        "v' = u − B σ,  u = M⁻¹(p⁺(q, q') − a),  σ = C⁻¹(μ u + μ₀) at q'".to_owned(),
    ]);
    let equations = equations.with(rule.momenta(group.is_some())).and("ℓ: impulse at q, guessed by h/2 λ");
    let equations = equations.and("λ' = −2σ/h").and(AT_NODE);
    motion(group).into_iter().fold(equations, Equations::and)
}

/// Equations of one step of the nodal form.
pub(super) fn nodal(
    b: &mut Builder<'_>,
    state: &NodeSymbols,
    rule: Discretisation,
    constraint: Quadrature,
) -> Results {
    let space = Space::of(b);
    let (q, t) = (&state.q, b.x.system.t);
    let constraint = step_constraint(b, state, (q, t), constraint, 2);
    let step = Departed::from_node(b, &space, rule, (q, &state.v), Begin::AtVelocity, constraint);

    let mut arrival = Arrival::of(b, &space, rule, (q, &step, t), Normal::Removed(3), ("u_", ""));
    let v1 = arrival.remove(b, ("dot_", "_1"));
    let lambda = arrival.lambda(b);
    vec![
        (Role::Configuration, arrival.q),
        (Role::Velocity, v1),
        (Role::Multipliers, lambda),
        (Role::States, step.states.new),
    ]
}

/// The constraint on the next step, with the impulses of the last one as first guess.
fn step_constraint(
    b: &mut Builder<'_>,
    state: &NodeSymbols,
    node: (&[Expr], Expr),
    quadrature: Quadrature,
    steps_per_impulse: i64,
) -> Option<StepConstraint> {
    let duration = b.pool().ratio(1, steps_per_impulse);
    let h = b.h;
    let duration = b.mul(duration, h);
    let lambda = b.used_multipliers(node, &state.lambda);
    let guess = lambda.iter().map(|&l| b.mul(duration, l)).collect();
    StepConstraint::of(b, 0..b.x.m(), node, quadrature, guess)
}
