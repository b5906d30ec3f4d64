//! The discrete gradient method in momentum coordinates (Celledoni, Farré, Høiseth and Martín de Diego, arXiv 1605.02845).
//!
//! For velocities v = X(q) η, where X is a basis of the admissible ones and G = XᵀM X, the coordinates of the constraint manifold are q
//! and p̃ = XᵀM v = G η. With H = ½ p̃ᵀG⁻¹p̃ + V the equations of motion are
//!
//! ```text
//! dq/dt = X ∂H/∂p̃,   dp̃/dt = −Xᵀ ∂H/∂q + B ∂H/∂p̃ + Xᵀf,   B_ab = −⟨M X G⁻¹p̃, [X_a, X_b]⟩,
//! ```
//!
//! and a step takes X and B in the middle and means of the derivatives of H along the line from (q, p̃) to (q', p̃'):
//!
//! ```text
//! (1)  (q' − q)/h = X(q̄) η̄,                                  η̄ = ∫₀¹ ∂H/∂p̃ ds,
//! (2)  (p̃' − p̃)/h = −X(q̄)ᵀ ∇̄H + B(q̄, p̃̄) η̄ + X(q̄)ᵀ f(q̄, v̄, t̄),   ∇̄H = ∫₀¹ ∂H/∂q ds,   v̄ = X(q̄) η̄,
//! (3)  v' = X(q') G(q')⁻¹ p̃'.
//! ```
//!
//! It keeps H, because B is skew. Order 2, symmetric, on the constraints at the nodes. Where G is constant it is the frame method.

use super::basis::Basis;
use super::blocks::{Assignment, Unknown, solve};
use super::mean::{self, Path};
use super::{Middle, assigned, auxiliary, gyroscopic, other_end, scale};
use crate::expr::Expr;
use crate::method::builder::{Builder, names_of_forms};
use crate::method::equations::Equations;
use crate::method::space::Space;
use crate::method::{Method, NodeScheme, NodeSymbols, Results, states};
use crate::program::Role;

/// The discrete gradient method.
pub(in crate::method) struct DiscreteGradient;

impl NodeScheme for DiscreteGradient {
    fn step(&self, b: &mut Builder<'_>, state: &NodeSymbols) -> Results {
        step(b, state)
    }

    fn equations(&self, _: Option<&str>) -> Equations {
        Equations::new([
            "q' = q + h v̄,  v̄ = X(q̄) η̄,  q̄ = (q + q')/2".to_owned(),
            "p̃' = p̃ + h (−X(q̄)ᵀ ∇̄H + B(q̄, p̃̄) η̄ + X(q̄)ᵀ f(q̄, v̄, t + h/2)),  p̃̄ = (p̃ + p̃')/2".to_owned(),
            "v' = X(q') G(q')⁻¹ p̃'".to_owned(),
        ])
        .with([
            "η̄ = ∫₀¹ ∂H/∂p̃ ds,  ∇̄H = ∫₀¹ ∂H/∂q ds at (q + s (q' − q), p̃ + s (p̃' − p̃)),  H = ½ p̃ᵀG⁻¹p̃ + V".to_owned(),
            "in closed form for polynomials, sines, cosines and exponentials of affine arguments and products of these, elsewhere with \
             five nodes"
                .to_owned(),
        ])
        .and("X: basis of the velocities with μ X ν = 0")
        .and("G = XᵀM X")
        .and("p̃ = X(q)ᵀM v: momentum coordinates")
        .and("B_ab = −⟨M X G⁻¹p̃, [X_a, X_b]⟩, skew")
        .and("λ': multipliers of the continuous equations at (q̄, v̄, t + h/2)")
    }

    fn states(&self) -> &'static str {
        "z: auxiliary states; z' = z + h F(q̄, v̄, z̄, t + h/2), z̄ = (z + z')/2"
    }

    /// Other rows may have another basis, and another basis has other means.
    fn constrains_once(&self) -> bool {
        false
    }

    /// q' would leave g = 0.
    fn instead_for_positions(&self) -> Option<Method> {
        Some(Method::DlaRattle)
    }

    /// H has no part of what moves with the constraints.
    fn instead_for_moving(&self) -> Option<Method> {
        Some(Method::Frame)
    }
}

/// Equations of one step, from the state symbols to the new (q, v, λ, z).
fn step(b: &mut Builder<'_>, state: &NodeSymbols) -> Results {
    let basis = Basis::of(b);
    let (q, v, t, h) = (state.q.clone(), state.v.clone(), b.x.system.t, b.h);
    b.equation("momentum coordinates p̃ = XᵀM v");
    let frame = basis.tested_at(b, &q, t, "");
    let nu = frame.components(b, &v);
    let nu = b.bind_forms("nu", &nu);
    let p = frame.momenta(b, &nu);
    let p = b.bind_forms("momentum", &p);

    let middle = Middle::of(b, &names_of_forms("momentum", basis.len()));
    let scale2 = scale(b, &frame, &nu);
    let mut all = Vec::new();
    let derivatives = Derivatives::of(b, &basis, (&q, &p), &middle, &mut all);
    let in_middle = basis.columns_at(b, &middle.q, middle.t);
    let velocity = b.apply_transposed(&in_middle, &derivatives.eta, q.len());
    moved(b, &mut all, &q, &v, &middle, velocity);
    all.extend(auxiliary(b, state, &middle, scale2));
    momenta(b, &mut all, (&basis, &in_middle), (&q, &p), &middle, &derivatives);
    let stated = if middle.z.is_empty() { "(1) and (2)" } else { "(1), (2) and (z)" };
    let solution = solve(b, &all, stated, scale2);
    let [q_mid, v_mid, p_mid, z_mid] = [&middle.q, &middle.v, &middle.nu, &middle.z].map(|e| solution.of(e));

    b.equation("(1) configuration q' = q + h v̄");
    let q1 = Space::of(b).advance(b, &q, h, &v_mid);
    let q1 = b.bind_configuration("_1", &q1);
    b.equation("(3) velocity v' = X(q') G(q')⁻¹ p̃'");
    let p1 = other_end(b, &p_mid, &p);
    let p1 = b.bind_forms("momentum_1", &p1);
    let end = b.add(t, h);
    let frame = basis.tested_at(b, &q1, end, "_1");
    let parts = frame.parts_of_momenta(b, &p1);
    let eta = frame.eta(b, &parts, &mut |b, name, value| b.bind(&format!("{name}_1"), value));
    let v1 = frame.velocity(b, &eta);
    let v1 = b.bind_velocities("dot_", "_1", &v1);
    let z1 = other_end(b, &z_mid, &state.z);
    let z1 = states::bind(b, "_1", &z1);
    b.equation("multipliers of the continuous equations in the middle of the step");
    let lambda = b.acceleration((&q_mid, &v_mid, &z_mid), middle.t).lambda;
    let lambda = b.declared_multipliers((&q_mid, middle.t), &lambda);
    vec![
        (Role::Configuration, q1),
        (Role::Velocity, v1),
        (Role::Multipliers, lambda),
        (Role::States, z1),
        (Role::PreviousCarried, p),
        (Role::Carried, p1),
    ]
}

/// Means of the derivatives of H along a step.
struct Derivatives {
    /// η̄, those by p̃.
    eta: Vec<Expr>,
    /// ∇̄H, those by q.
    slope: Vec<Expr>,
}

impl Derivatives {
    /// In terms of the middle of the step; parts of them are among `all`.
    fn of(
        b: &mut Builder<'_>,
        basis: &Basis,
        (q, p): (&[Expr], &[Expr]),
        middle: &Middle,
        all: &mut Vec<Assignment>,
    ) -> Derivatives {
        let (entries, v, l_q) = (b.x.q.clone(), b.x.v.clone(), b.x.dl_dq.clone());
        let kinetic = basis.kinetic(b, &middle.nu);
        let by_momenta = b.pool().gradient(kinetic, &middle.nu);
        let by_place = b.pool().gradient(kinetic, &entries);
        let at_rest = v.iter().map(|&v| (v, b.x.system.pool.zero())).collect();
        let descent = b.pool().substitute(&l_q, &at_rest);
        let slope: Vec<Expr> =
            by_place.into_iter().zip(descent).map(|(kinetic, descent)| b.sub(kinetic, descent)).collect();
        let halves: Vec<Expr> = middle.nu.iter().zip(p).map(|(&middle, &p)| b.sub(middle, p)).collect();
        let momenta: Vec<(Expr, Expr)> = middle.nu.iter().copied().zip(halves).collect();
        let path = Path { start: q, velocity: &middle.v, momenta: &momenta };
        let means = mean::means(b, &[by_momenta, slope].concat(), &path);
        for (symbol, value) in means.series {
            let value = b.at(&[value], &middle.q, &middle.v, middle.t)[0];
            all.push(Assignment::of(symbol, value));
        }
        let values = b.at(&means.values, &middle.q, &middle.v, middle.t);
        let (eta, slope) = values.split_at(p.len());
        let names = names_of_forms("eta", p.len());
        let eta =
            names.iter().zip(eta).map(|(name, &eta)| assigned(b, all, middle, &format!("{name}_mid"), eta));
        Derivatives { eta: eta.collect(), slope: slope.to_vec() }
    }
}

/// q̄ = q + h/2 v̄ and v̄.
fn moved(
    b: &mut Builder<'_>,
    all: &mut Vec<Assignment>,
    q: &[Expr],
    v: &[Expr],
    middle: &Middle,
    velocity: Vec<Expr>,
) {
    let half = b.halves_of_h(1);
    let advanced = Space::of(b).advance(b, q, half, &middle.v);
    all.extend(middle.q.iter().zip(advanced).map(|(&symbol, value)| Assignment::of(symbol, value)));
    for (i, value) in velocity.into_iter().enumerate() {
        let weight = b.x.inertia[i][i];
        let unknown = Unknown { guess: v[i], weight, name: b.direction(i).to_owned() };
        all.push(Assignment { unknown: Some(unknown), ..Assignment::of(middle.v[i], value) });
    }
}

/// p̃̄ = p̃ + h/2 (−Xᵀ∇̄H + B η̄ + Xᵀf), with the skew part of a among the forces.
fn momenta(
    b: &mut Builder<'_>,
    all: &mut Vec<Assignment>,
    (basis, columns): (&Basis, &[Vec<Expr>]),
    (q, p): (&[Expr], &[Expr]),
    middle: &Middle,
    derivatives: &Derivatives,
) {
    let (half, t) = (b.halves_of_h(1), b.x.system.t);
    let (f, g) = (b.x.force.clone(), gyroscopic(b));
    let forces: Vec<Expr> = f.iter().zip(g).map(|(&f, g)| b.add(f, g)).collect();
    let forces = b.at_states(&forces, (&middle.q, &middle.v, &middle.z), middle.t);
    let frame = basis.at(b, &middle.q, middle.t, &mut |b, name, value| {
        assigned(b, all, middle, &format!("{name}_mid"), value)
    });
    let parts = frame.parts_of_momenta(b, &middle.nu);
    let momentary = frame.eta(b, &parts, &mut |b, name, value| assigned(b, all, middle, name, value));
    let turns = basis.structure(b, &momentary, (&middle.q, middle.t));
    let diagonal = basis.diagonal(b, q, t);
    for (k, column) in columns.iter().enumerate() {
        let mut terms = Vec::new();
        for ((&along, &force), &slope) in column.iter().zip(&forces).zip(&derivatives.slope) {
            let force = b.sub(force, slope);
            terms.push(b.mul(along, force));
        }
        for (&turn, &eta) in turns[k].iter().zip(&derivatives.eta) {
            terms.push(b.mul(turn, eta));
        }
        let rate = b.pool().sum(&terms);
        let change = b.mul(half, rate);
        let value = b.add(p[k], change);
        let weight = b.pool().recip(diagonal[k]);
        let unknown = Unknown { guess: p[k], weight, name: format!("momentum coordinate {k}") };
        all.push(Assignment { unknown: Some(unknown), ..Assignment::of(middle.nu[k], value) });
    }
}

/// Whether the basis of a system moves with the time, or has an affine part, so that H is not all.
pub(in crate::method) fn is_moving(x: &crate::mechanics::Mechanics) -> bool {
    let pool = &x.system.pool;
    let of_time = |e: &Expr| pool.depends_on(*e, &[x.system.t]);
    x.structure.affine
        || x.mass.iter().flatten().any(of_time)
        || x.system.constraints.iter().flat_map(|constraint| &constraint.form).any(of_time)
}
