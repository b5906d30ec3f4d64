//! Auxiliary states z with dz/dt = F(q, v, z, t) beside the motion.
//!
//! They advance by the quadrature of the forces. Where the forces of a step act at base points bᵢ with the shares sᵢ, at
//! the times tᵢ = t + τᵢ h,
//!
//! ```text
//! (z)  z' = z + h Σ sᵢ F(bᵢ, d, zᵢ, tᵢ),   zᵢ = (1 − τᵢ) z + τᵢ z',
//! ```
//!
//! and the forces are f(bᵢ, d, zᵢ, tᵢ). So z has the trapezoidal rule with forces at both ends of the step, the mid-point rule
//! with forces in its middle, and an Euler rule with forces at one end: symmetric rules where the quadrature is symmetric,
//! and adjoint ones for adjoint methods. The symmetric rules are A-stable.
//!
//! Where F is affine in z, z' is eliminated from the equations of the step. Otherwise it is an unknown of Newton's method:
//! of the one for the motion, if its equations depend on z'.

use super::builder::{Builder, Nonlinear, Norm};
use super::discrete::{Discretisation, Step};
use super::space::{End, Space};
use crate::expr::linear::Matrix;
use crate::expr::{Expr, identifier};
use std::collections::HashMap;

/// (z) in the documentation of a step.
pub(super) const BY_QUADRATURE: &str = "z: auxiliary states; z' = z + h Σ sᵢ F(bᵢ, d, zᵢ, tᵢ), where the forces of the step act \
     at bᵢ with the shares sᵢ and zᵢ = (1 − τᵢ) z + τᵢ z' at tᵢ = t + τᵢ h";

/// The auxiliary states at both ends of a step of the method.
#[derive(Clone)]
pub(super) struct States {
    /// z.
    pub(super) now: Vec<Expr>,
    /// z', as symbols where it is not known.
    pub(super) new: Vec<Expr>,
}

/// The beginning of a step of the discrete trajectory. It lies in a step of the method, or before it.
#[derive(Clone, Copy)]
pub(super) struct Beginning<'a> {
    /// Its time.
    pub(super) t: Expr,
    /// Twice the time from the state to it, in units of h.
    pub(super) halves: i64,
    /// The auxiliary states at the ends of the step of the method.
    pub(super) states: &'a States,
}

impl<'a> Beginning<'a> {
    /// That of a step which is one of the method.
    pub(super) fn at_state(t: Expr, states: &'a States) -> Beginning<'a> {
        Beginning { t, halves: 0, states }
    }
}

impl States {
    /// Those of the system, with unknown z'.
    pub(super) fn of(b: &mut Builder<'_>) -> States {
        let now = b.x.z.clone();
        let new = names(b, "_1").iter().map(|name| b.local(name)).collect();
        States { now, new }
    }

    /// z at the time t + τ h for τ = `halves`/2.
    pub(super) fn at(&self, b: &mut Builder<'_>, halves: i64) -> Vec<Expr> {
        match halves {
            0 => self.now.clone(),
            1 => {
                let half = b.pool().ratio(1, 2);
                let sums: Vec<Expr> = self.now.iter().zip(&self.new).map(|(&x, &y)| b.add(x, y)).collect();
                let means: Vec<Expr> = sums.into_iter().map(|sum| b.mul(half, sum)).collect();
                bind(b, "_mid", &means)
            }
            _ => self.new.clone(),
        }
    }

    /// Whether expressions depend on z'.
    pub(super) fn occur_in(&self, b: &mut Builder<'_>, exprs: &[Expr]) -> bool {
        exprs.iter().any(|&e| b.pool().depends_on(e, &self.new))
    }

    /// z' − z − h Σ sᵢ F of the step of the method in which one step of the trajectory ends and one begins; both may be
    /// the same.
    pub(super) fn residual(
        &self,
        b: &mut Builder<'_>,
        space: &Space,
        rule: Discretisation,
        [ending, beginning]: [Step<'_>; 2],
    ) -> Vec<Expr> {
        let rates = b.x.system.dynamics.clone();
        let last = ending.pushes(b, space, rule, End::Last, &rates);
        let first = beginning.pushes(b, space, rule, End::First, &rates);
        let mut residual = Vec::with_capacity(rates.len());
        for (i, (last, first)) in last.into_iter().zip(first).enumerate() {
            let minus_change = b.sub(first, last);
            let change = b.sub(self.new[i], self.now[i]);
            residual.push(b.add(change, minus_change));
        }
        residual
    }

    /// z' in closed form, if F is affine in z.
    pub(super) fn solved(
        &self,
        b: &mut Builder<'_>,
        space: &Space,
        rule: Discretisation,
        steps: [Step<'_>; 2],
        suffix: &str,
    ) -> Option<States> {
        let scratch = b.scratch();
        let residual = self.residual(b, space, rule, steps);
        let closed = b.close(&residual, &scratch);
        b.discard(scratch);
        let jacobian: Matrix = closed.iter().map(|&r| b.pool().gradient(r, &self.new)).collect();
        if !b.pool().are_affine(&closed, &jacobian.concat(), &self.new) {
            return None;
        }
        // One Newton step from z is exact.
        let map: HashMap<Expr, Expr> = self.new.iter().copied().zip(self.now.iter().copied()).collect();
        let at_now = b.pool().substitute(&closed, &map);
        let minus: Matrix = at_now.iter().map(|&r| vec![b.pool().neg(r)]).collect();
        let named = names(b, "").into_iter().map(|name| vec![format!("change_{name}")]);
        let named: Vec<Vec<String>> = named.collect();
        let change = b.solve_ordered(&jacobian, &minus, &named);
        let new: Vec<Expr> = self.now.iter().zip(change).map(|(&z, change)| b.add(z, change[0])).collect();
        Some(States { now: self.now.clone(), new: bind(b, suffix, &new) })
    }

    /// z' after steps that are known.
    pub(super) fn after(
        &self,
        b: &mut Builder<'_>,
        space: &Space,
        rule: Discretisation,
        steps: [Step<'_>; 2],
    ) -> States {
        if self.new.is_empty() {
            return self.clone();
        }
        b.equation("(z) auxiliary states z'");
        if let Some(solved) = self.solved(b, space, rule, steps, "_1") {
            return solved;
        }
        let one = b.pool().one();
        let sizes: Vec<Expr> = self.now.iter().map(|&z| size(b, z)).collect();
        let weights: Vec<Expr> = sizes.into_iter().map(|size| b.pool().recip(size)).collect();
        let norm = Norm { weights: bind(b, "_weight", &weights), scale2: one };
        let names = b.x.system.states.iter().map(|state| state.name.clone()).collect();
        let residuals = self.residual_names(b);
        let [unknowns, guess] = [&self.new[..], &self.now];
        let equations =
            Nonlinear { stated: "(z)", unknowns, guess, names, residuals, reduction: None, linear: None };
        b.newton(equations, norm, |b| self.residual(b, space, rule, steps));
        self.clone()
    }

    /// Names of the residuals of (z).
    pub(super) fn residual_names(&self, b: &Builder<'_>) -> Vec<String> {
        names(b, "").into_iter().map(|name| format!("residual_{name}")).collect()
    }
}

/// 1 + z², to which squares of errors of z are relative.
pub(super) fn size(b: &mut Builder<'_>, z: Expr) -> Expr {
    let (one, square) = (b.pool().one(), b.pool().powi(z, 2));
    b.add(one, square)
}

/// `i_mid`, of every auxiliary state.
fn names(b: &Builder<'_>, suffix: &str) -> Vec<String> {
    let states = b.x.system.states.iter();
    states.map(|state| format!("{}{suffix}", identifier(&state.name))).collect()
}

/// Binds one value for each auxiliary state: name + `suffix`.
pub(super) fn bind(b: &mut Builder<'_>, suffix: &str, values: &[Expr]) -> Vec<Expr> {
    names(b, suffix).iter().zip(values).map(|(name, &value)| b.bind(name, value)).collect()
}
