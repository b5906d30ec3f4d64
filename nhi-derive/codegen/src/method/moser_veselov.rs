//! Bodies that rotate about a point, G = SO(3), with the discrete Lagrangian of Moser and Veselov.
//!
//! Where a body turns by W = cay(hω) in a step and 𝕀 is its inertia, J = ½ tr(𝕀) − 𝕀,
//!
//! ```text
//! L_d = −tr(JW)/h = h c ½ω·𝕀ω + const,   c = 4/(4 + h²|ω|²),
//! p⁻ = c (𝕀ω + h/2 ω × 𝕀ω),              h p̂⁻ = WJ − JWᵀ,
//! p⁺ = c (𝕀ω − h/2 ω × 𝕀ω) = Wᵀp⁻.
//! ```
//!
//! (p⁻ is (dτ⁻¹_{hω})* ∂/∂ω of c ½ω·𝕀ω for Cayley's τ: what ∂c/∂ω adds cancels h²/4 ω(ω·) of the
//! tangent.) It gives two methods, with state v at the nodes, μv = 0:
//!
//! *Suslov's problem* (García-Naranjo and Jiménez), for any constant μ: discrete Lagrange–d'Alembert with
//! discrete constraint W ∈ cay(ker μ), the nodal form of `dla` with these momenta,
//!
//! ```text
//! (1)  p⁻(ω) = 𝕀v + μᵀℓ,
//! (2)  μω = 0,
//! (3)  v' = u − B σ,   u = 𝕀⁻¹p⁺,   σ = C⁻¹ μ u.
//! ```
//!
//! Order 2, symmetric. With one constraint, in axes with ker μ = {ω₃ = 0} and 𝕀₁₂ = 0, these are the
//! paper's equations for M₁ and M₂; in such axes ½v·𝕀v = c²e(4𝕀₁₁𝕀₂₂ + h²𝗆²)/(8𝕀₁₁𝕀₂₂) for p⁻ and
//! p⁺ alike, with e = 𝕀₁₁ω₁² + 𝕀₂₂ω₂², 𝗆 = 𝕀₁₃ω₁ + 𝕀₂₃ω₂: the energy is conserved exactly. Their other
//! method takes L_d = h ℓ(ω), which is `rdp` with Cayley's map.
//!
//! *Projection* (McLachlan and Perlmutter 2006, (6.7)–(6.8)):
//!
//! ```text
//! (1)  p⁻(ω) = 𝕀v,
//! (2)  v' = u − B σ,   u = 𝕀⁻¹p⁺,   σ = C⁻¹ μ u.
//! ```
//!
//! Order 1, and energy is lost in every step. Without constraints both are Moser and Veselov's discrete
//! rigid body. (1) has no solution where h|𝕀v| is too large.

use super::builder::Builder;
use super::discrete::{Discretisation, Quadrature};
use super::equations::{AT_NODE, Equations};
use super::nodes::{Arrival, Before, Departure, Normal};
use super::space::{End, Space};
use super::states::{Beginning, States};
use super::{NodeScheme, NodeSymbols, Results, dla};
use crate::expr::Expr;
use crate::mechanics::Mechanics;
use crate::program::Role;

/// Discrete Lagrangian of a body that turns by W = cay(hω) in a step.
#[derive(Clone, Copy)]
pub(super) enum Kinetic {
    /// h ℓ(ω).
    Cayley,
    /// −tr(JW)/h.
    MoserVeselov,
}

impl Kinetic {
    /// The discrete Lagrangian as a rule for momenta.
    fn rule(self) -> Discretisation {
        match self {
            Kinetic::Cayley => Discretisation::nodal(Quadrature::Left),
            Kinetic::MoserVeselov => Discretisation::moser_veselov(),
        }
    }
}

/// Discrete Lagrange–d'Alembert with discrete constraint cay(ker μ), state at the nodes.
pub(super) struct Suslov(pub(super) Kinetic);

impl NodeScheme for Suslov {
    fn step(&self, b: &mut Builder<'_>, state: &NodeSymbols) -> Results {
        dla::nodal(b, state, self.0.rule(), Quadrature::Left)
    }

    fn equations(&self, group: Option<&str>) -> Equations {
        match self.0 {
            Kinetic::Cayley => dla::nodal_equations(self.0.rule(), Quadrature::Left, group),
            Kinetic::MoserVeselov => body([
                "p⁻(ω) = 𝕀v + μᵀ ℓ,  q' = q cay(h ω)",
                "μ ω = 0",
                "v' = u − B σ,  u = 𝕀⁻¹ p⁺(ω),  σ = C⁻¹ μ u",
            ])
            .and("ℓ: impulse at q, guessed by h/2 λ"),
        }
    }

    fn constrains_once(&self) -> bool {
        false
    }
}

/// Projection of the momentum at the nodes, with the discrete Lagrangian of Moser and Veselov.
pub(super) struct Projected;

impl NodeScheme for Projected {
    fn step(&self, b: &mut Builder<'_>, state: &NodeSymbols) -> Results {
        projected(b, state)
    }

    fn equations(&self, _: Option<&str>) -> Equations {
        body(["p⁻(ω) = 𝕀v,  q' = q cay(h ω)", "v' = u − B σ,  u = 𝕀⁻¹ p⁺(ω),  σ = C⁻¹ μ u"])
    }

    fn constrains_once(&self) -> bool {
        false
    }
}

/// Equations of a method with the momenta of Moser and Veselov.
fn body<const N: usize>(numbered: [&str; N]) -> Equations {
    let equations = Equations::new(numbered).with(Discretisation::moser_veselov().momenta(true));
    equations.and("ω: velocity of the step").and("λ' = −2σ/h").and(AT_NODE).and("M = 𝕀: inertia")
}

/// Why these methods cannot be used with a system, if they cannot.
pub(super) fn refusal(x: &Mechanics) -> Option<String> {
    let pool = &x.system.pool;
    let on_pose = |e: &[Expr]| e.iter().any(|&e| pool.depends_on(e, &x.q));
    let rdp = "use `Rdp::new(Cayley)`";
    let reason = match x.system.group.name() {
        None => return Some("it is for the rotations of a body; with coordinates alone use `Dla2`".into()),
        Some(name) if name != "SO3" => {
            return Some(format!("it is for the rotations of a body; on {name} use `Rdp`"));
        }
        Some(_) if x.system.shape() > 0 => "it is for a body without other coordinates",
        Some(_) if on_pose(&x.momentum) || on_pose(&x.dl_dq) => {
            "the Lagrangian depends on the pose, and it is for the kinetic energy of a free body"
        }
        Some(_) if x.structure.gyroscopic => {
            "the Lagrangian has terms of first degree in the velocities, and it is for the kinetic energy alone"
        }
        Some(_) if on_pose(&x.residual) => "a constraint depends on the pose",
        Some(_) if x.structure.affine => "a constraint is affine in the velocities",
        Some(_) if x.structure.forced => "there is a force",
        Some(_) => return None,
    };
    Some(format!("{reason}; {rdp}"))
}

/// p⁻ or p⁺ at an end of the step with velocity `omega`, for ν = 𝕀ω.
pub(super) fn momentum_at(b: &mut Builder<'_>, end: End, omega: &[Expr], nu: &[Expr]) -> Vec<Expr> {
    let h = b.h;
    let mut terms = vec![b.pool().int(4)];
    for &w in omega {
        let motion = b.mul(h, w);
        terms.push(b.pool().powi(motion, 2));
    }
    let four = terms[0];
    let length = b.pool().sum(&terms);
    let c = b.pool().div(four, length);
    let c = b.bind("c", c);
    let half = b.halves_of_h(match end {
        End::First => 1,
        End::Last => -1,
    });
    (0..3)
        .map(|i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            let (forth, back) = (b.mul(omega[j], nu[k]), b.mul(omega[k], nu[j]));
            let turn = b.sub(forth, back);
            let turn = b.mul(half, turn);
            let sum = b.add(nu[i], turn);
            b.mul(c, sum)
        })
        .collect()
}

/// Equations of one step of the projected form, from the state symbols to the new (q, v, λ, z).
fn projected(b: &mut Builder<'_>, state: &NodeSymbols) -> Results {
    let (space, rule) = (Space::of(b), Discretisation::moser_veselov());
    let (q, v, t) = (state.q.clone(), state.v.clone(), b.x.system.t);
    let l_v = b.x.momentum.clone();
    let momentum = b.at(&l_v, &q, &v, t);
    let states = States::of(b);
    let step = Departure {
        space: &space,
        rule,
        from: &q,
        start: Beginning::at_state(t, &states),
        before: Before::State(&momentum),
        near: &v,
        constraint: None,
        named: ("d_", ""),
    }
    .solve(b);
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
