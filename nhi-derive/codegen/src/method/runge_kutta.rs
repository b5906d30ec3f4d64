//! Explicit Runge–Kutta methods on the index-reduced equations: the baselines.
//!
//! dq/dt = v, dv/dt = M⁻¹(b + μᵀΛ) with Λ = −C⁻¹(μ M⁻¹ b + γ). Nothing is projected: constraint and
//! energy drift, as with any such integration of these equations. A stage is an equation of the step,
//!
//! ```text
//! (i)  qᵢ = q + h Σ aᵢⱼ vⱼ,   vᵢ = v + h Σ aᵢⱼ Fⱼ,   Fᵢ = M⁻¹(b + μᵀΛᵢ) at (qᵢ, vᵢ, t + cᵢ h),
//! ```
//!
//! and the last one is q' = q + h Σ bⱼ vⱼ, v' = v + h Σ bⱼ Fⱼ.
//!
//! With a group factor the pose is g exp(σ), and the method integrates dσ/dt = (dexpᴸ_σ)⁻¹ ξ from σ = 0
//! (Munthe-Kaas).

use super::builder::Builder;
use super::careful::{Known, LinearEquations};
use super::equations::{Equations, times_h};
use super::{NodeScheme, NodeSymbols, Results, states};
use crate::expr::Expr;
use crate::expr::group::{Block, Map};
use crate::program::Role;

/// Butcher tableau of an explicit method, as exact fractions `(numerator, denominator)`.
#[derive(Clone, Copy)]
pub(super) struct Tableau {
    /// Strictly lower triangular part, row by row.
    a: &'static [&'static [(i64, i64)]],
    /// Weights.
    b: &'static [(i64, i64)],
}

impl NodeScheme for Tableau {
    fn step(&self, b: &mut Builder<'_>, state: &NodeSymbols) -> Results {
        step(b, state, *self)
    }

    fn differentiates_constraints(&self) -> bool {
        true
    }

    fn states(&self) -> &'static str {
        "z: auxiliary states; they have stages and a mean like v, with F(q, v, z, t) = dz/dt in place of a"
    }

    fn equations(&self, group: Option<&str>) -> Equations {
        // Rates of the pose's motion are no velocities.
        let rate = if group.is_some() { "r" } else { "v" };
        let sum = |row: &[(i64, i64)], what: &str| -> String {
            let terms = row.iter().enumerate();
            terms.filter_map(|(j, &c)| Some(format!(" + {}{what}{}", times_h(c)?, digit(j + 1)))).collect()
        };
        let mut numbered = Vec::new();
        for (i, row) in self.a.iter().enumerate() {
            let (k, after) = (digit(i + 1), times_h(abscissa(row)));
            let after = after.map_or_else(String::new, |after| format!(" + {}", after.trim_end()));
            let (q, v) = (sum(row, rate), sum(row, "a"));
            numbered.push(format!("q{k} = q{q},  v{k} = v{v},  a{k} = F(q{k}, v{k}, t{after})"));
        }
        numbered.push(format!("q' = q{},  v' = v{}", sum(self.b, rate), sum(self.b, "a")));
        let equations = Equations::new(numbered)
            .with(["F(q, v, t) = M⁻¹(b + μᵀ Λ),  Λ = −C⁻¹(μ M⁻¹ b + γ)".to_owned()])
            .and(format!(
                "b = L_q + f − dL_v/dt at constant v{}",
                if group.is_some() { " + (0, ad*_ξ L_ξ)" } else { "" }
            ))
            .and("γ = d(μ v + μ₀)/dt at constant v")
            .and("C = μ M⁻¹ μᵀ")
            .and("λ': mean of Λ with the weights of the last equation");
        match group {
            None => equations,
            Some(name) => equations.and(format!(
                "on R^k × {name} q + s is (r + ρ, g exp(σ)) for s = (ρ, σ), and r₁ = (u₁, (dexpᴸ_σ)⁻¹ ξ₁) for \
                 v₁ = (u₁, ξ₁)"
            )),
        }
    }
}

/// Σ of a row of a tableau, in lowest terms as far as these have them.
fn abscissa(row: &[(i64, i64)]) -> (i64, i64) {
    row.iter().fold((0, 1), |(n, d), &(x, y)| if x == 0 { (n, d) } else { (n * y + x * d, d * y) })
}

/// A number below ten as an index.
fn digit(i: usize) -> char {
    ['₀', '₁', '₂', '₃', '₄', '₅', '₆', '₇', '₈', '₉'][i]
}

/// Explicit mid-point rule.
pub(super) const MIDPOINT: Tableau = Tableau { a: &[&[], &[(1, 2)]], b: &[(0, 1), (1, 1)] };
/// Heun's trapezoidal rule.
pub(super) const HEUN: Tableau = Tableau { a: &[&[], &[(1, 1)]], b: &[(1, 2), (1, 2)] };
/// The classical method of order four.
pub(super) const CLASSICAL: Tableau = Tableau {
    a: &[&[], &[(1, 2)], &[(0, 1), (1, 2)], &[(0, 1), (0, 1), (1, 1)]],
    b: &[(1, 6), (1, 3), (1, 3), (1, 6)],
};

/// dv/dt and multipliers of the continuous equations.
pub(super) struct Acceleration {
    pub a: Vec<Expr>,
    pub lambda: Vec<Expr>,
}

impl Builder<'_> {
    /// Index-reduced acceleration and multipliers at a bound point.
    pub(super) fn acceleration(&mut self, (q, v, z): (&[Expr], &[Expr], &[Expr]), t: Expr) -> Acceleration {
        let (bias, gamma) = (self.x.bias.clone(), self.x.gamma.clone());
        let bias = self.at_states(&bias, (q, v, z), t);
        let gamma = self.at(&gamma, q, v, t);
        let start = self.statements().len();
        self.watch();
        let free = self.solve_mass(q, t, &bias);
        let free = self.bind_velocities("free_", "", &free);
        let node = self.reaction(q, t);
        let along = self.apply(&node.mu, &free);
        let rhs: Vec<Expr> = along
            .into_iter()
            .zip(&gamma)
            .map(|(x, &g)| {
                let sum = self.add(x, g);
                self.pool().neg(sum)
            })
            .collect();
        let lambda = self.solve_c(&node, &rhs);
        // A single multiplier has no name: a name would be computed for the velocities too, where M often cancels.
        let mut lambda = match &lambda[..] {
            [_] if self.watched.is_some() => lambda,
            several => self.bind_forms("lambda", several),
        };
        let pushed = self.apply(&node.reaction.b, &lambda);
        let mut a: Vec<Expr> = free.iter().zip(pushed).map(|(&x, y)| self.add(x, y)).collect();
        if self.is_implicit() {
            let mass = self.x.inertia.clone();
            let mass = self.matrix_at(&mass, q, t);
            let momentum = |b: &mut Self, a: &[Expr]| {
                let inertia = b.apply(&mass, a);
                inertia.iter().zip(&bias).map(|(&x, &force)| b.sub(x, force)).collect()
            };
            [a, lambda] = self.state_saddle_point(start, (&mass, &node), [&a, &lambda], momentum, &gamma);
        }
        // (M + s μᵀμ) a = b + μᵀλ is M a = b + μᵀ(λ + s γ), because μ a = −γ.
        if let Some(stiffness) = self.x.stiffness {
            let stiffness = self.at(&[stiffness], q, v, t)[0];
            lambda = self.axpy(&lambda, stiffness, &gamma);
        }
        let mass = self.x.mass.clone();
        let mass = self.matrix_at(&mass, q, t);
        let r: Vec<Expr> = gamma.iter().map(|&g| self.pool().neg(g)).collect();
        let equations = LinearEquations { mass: &mass, mu: &node.mu, nu: None, f: &bias, r: &r };
        let free = self.compares_sizes.then_some(&free[..]);
        let [a, lambda] =
            self.solution(&equations, &Known { x: &a, lambda: &lambda, free, has_inertia: false });
        Acceleration { a, lambda }
    }
}

/// Equations of one step, from the state symbols to the new (q, v) and the weighted mean of Λ.
fn step(b: &mut Builder<'_>, state: &NodeSymbols, tableau: Tableau) -> Results {
    let (q, v, t) = (state.q.clone(), state.v.clone(), b.x.system.t);
    let dynamics = b.x.system.dynamics.clone();
    let mut stages: Vec<(Vec<Expr>, Acceleration)> = Vec::new();
    let mut dz: Vec<Vec<Expr>> = Vec::new();
    for (i, row) in tableau.a.iter().enumerate() {
        let stage = i + 1;
        b.equation(format!("({stage}) stage {stage}"));
        let dq: Vec<&[Expr]> = stages.iter().map(|(v, _)| v.as_slice()).collect();
        let dv: Vec<&[Expr]> = stages.iter().map(|(_, a)| a.a.as_slice()).collect();
        let motion = b.combine(row, &dq);
        let qi = b.displaced(&q, &motion);
        let change = b.combine(row, &dv);
        let vi = b.sums(&v, &change);
        let qi = b.bind_configuration(&format!("_s{stage}"), &qi);
        let vi = b.bind_velocities("dot_", &format!("_s{stage}"), &vi);
        let (n, d) = abscissa(row);
        let c = b.pool().ratio(n, d);
        let h = b.h;
        let after = b.mul(c, h);
        let ti = b.add(t, after);
        let zi = b.advanced_states(&state.z, row, &dz);
        let zi = states::bind(b, &format!("_s{stage}"), &zi);
        let mut acceleration = b.acceleration((&qi, &vi, &zi), ti);
        acceleration.lambda = b.declared_of_solution((&qi, ti), &acceleration.lambda);
        acceleration.a = b.bind_velocities("a_", &format!("_s{stage}"), &acceleration.a);
        let slope = b.slope(&motion, &vi);
        stages.push((slope, acceleration));
        let rates = b.at_states(&dynamics, (&qi, &vi, &zi), ti);
        dz.push(rates);
    }
    b.equation(format!("({}) weighted mean of the stages", tableau.a.len() + 1));
    let dq: Vec<&[Expr]> = stages.iter().map(|(v, _)| v.as_slice()).collect();
    let dv: Vec<&[Expr]> = stages.iter().map(|(_, a)| a.a.as_slice()).collect();
    let mut motion = b.combine(tableau.b, &dq);
    if b.differentiates() {
        let coordinates = b.x.system.shape();
        let displacement = b.displacement(tableau, &v[..coordinates], &dv);
        motion[..coordinates].copy_from_slice(&displacement);
    }
    let q1 = b.displaced(&q, &motion);
    let change = b.combine(tableau.b, &dv);
    let v1 = b.sums(&v, &change);
    let q1 = b.bind_configuration("_1", &q1);
    let v1 = b.bind_velocities("dot_", "_1", &v1);
    let z1 = b.advanced_states(&state.z, tableau.b, &dz);
    let z1 = states::bind(b, "_1", &z1);
    let mut lambda = Vec::new();
    for a in 0..b.x.m() {
        let mut terms = Vec::new();
        for (&(w, d), (_, stage)) in tableau.b.iter().zip(&stages) {
            let weight = b.pool().ratio(w, d);
            terms.push(b.mul(weight, stage.lambda[a]));
        }
        lambda.push(b.pool().sum(&terms));
    }
    vec![(Role::Configuration, q1), (Role::Velocity, v1), (Role::Multipliers, lambda), (Role::States, z1)]
}

impl Builder<'_> {
    /// z + h Σ wᵢ rateᵢ.
    fn advanced_states(&mut self, z: &[Expr], weights: &[(i64, i64)], rates: &[Vec<Expr>]) -> Vec<Expr> {
        let rates: Vec<&[Expr]> = rates.iter().map(Vec::as_slice).collect();
        let change = self.combine_of(z.len(), weights, &rates);
        self.sums(z, &change)
    }

    /// h Σ wᵢ slopeᵢ.
    fn combine(&mut self, weights: &[(i64, i64)], slopes: &[&[Expr]]) -> Vec<Expr> {
        self.combine_of(self.x.n(), weights, slopes)
    }

    fn combine_of(&mut self, length: usize, weights: &[(i64, i64)], slopes: &[&[Expr]]) -> Vec<Expr> {
        (0..length)
            .map(|k| {
                let mut terms = Vec::new();
                for (&(w, d), slope) in weights.iter().zip(slopes) {
                    let weight = self.pool().ratio(w, d);
                    terms.push(self.mul(weight, slope[k]));
                }
                let slope = self.pool().sum(&terms);
                let h = self.h;
                self.mul(h, slope)
            })
            .collect()
    }

    /// h Σ bᵢ vᵢ as h Σ bᵢ v + h² Σ bᵢ aᵢⱼ Fⱼ: to differentiate that takes fewer operations.
    fn displacement(&mut self, tableau: Tableau, v: &[Expr], accelerations: &[&[Expr]]) -> Vec<Expr> {
        let of_stage = |j: usize| {
            let terms = tableau.b.iter().zip(tableau.a).filter_map(|(b, row)| {
                let a = row.get(j)?;
                Some((b.0 * a.0, b.1 * a.1))
            });
            abscissa(&terms.collect::<Vec<_>>())
        };
        let weights: Vec<(i64, i64)> = (0..tableau.b.len()).map(of_stage).collect();
        let steady = self.combine_of(v.len(), &[abscissa(tableau.b)], &[v]);
        let change = self.combine_of(v.len(), &weights, accelerations);
        let h = self.h;
        let change: Vec<Expr> = change.into_iter().map(|e| self.mul(h, e)).collect();
        self.sums(&steady, &change)
    }

    /// x + y, entry by entry.
    fn sums(&mut self, x: &[Expr], y: &[Expr]) -> Vec<Expr> {
        x.iter().zip(y).map(|(&x, &y)| self.add(x, y)).collect()
    }

    /// (r + ρ, g exp σ) for a motion (ρ, σ).
    fn displaced(&mut self, q: &[Expr], motion: &[Expr]) -> Vec<Expr> {
        let k = self.x.system.shape();
        let mut out = self.sums(&q[..k], &motion[..k]);
        for Block { group, pose, velocity } in self.x.system.blocks() {
            let (pose, motion) = (&q[pose], &motion[velocity]);
            let still = motion.iter().all(|&s| self.pool().is_zero(s));
            out.extend(match still {
                true => pose.to_vec(),
                false => Map::Displaced.apply(self.pool(), group, &[pose, motion]),
            });
        }
        out
    }

    /// The rate of the motion that `v` at its end means: (u, (dexpᴸ_σ)⁻¹ ξ).
    fn slope(&mut self, motion: &[Expr], v: &[Expr]) -> Vec<Expr> {
        let k = self.x.system.shape();
        let mut out = v[..k].to_vec();
        for Block { group, velocity, .. } in self.x.system.blocks() {
            let (motion, xi) = (&motion[velocity.clone()], &v[velocity]);
            let still = motion.iter().all(|&s| self.pool().is_zero(s));
            out.extend(match still {
                true => xi.to_vec(),
                false => Map::Rate.apply(self.pool(), group, &[motion, xi]),
            });
        }
        out
    }
}
