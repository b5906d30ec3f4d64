//! Tangent coordinates: velocities by their components ν along a basis of the admissible ones.
//!
//! ```text
//! v = X(q) ν + v₀(q, t, u),   μ X = 0,   μ v₀ + μ₀ = 0,   ν = Y(q) v,   Y X = 1,   Y v₀ = 0.
//! ```
//!
//! ν are velocities that the constraints leave free, or combinations β vᵢ − α vⱼ of two of them, divided by α² + β²
//! ([`super::super::pivots`]).

use crate::expr::Expr;
use crate::mechanics::Matrix;
use crate::method::builder::Builder;
use crate::method::pivots::Plan;

/// The choice of a basis, for all configurations.
pub(super) struct Coordinates {
    plan: Plan,
}

/// The basis at a configuration.
pub(super) struct Frame {
    /// The columns of X.
    pub(super) basis: Matrix,
    /// v₀.
    pub(super) drift: Vec<Expr>,
    /// The rows of Y.
    pub(super) dual: Matrix,
}

impl Coordinates {
    /// Those of a system.
    pub(super) fn of(b: &mut Builder<'_>) -> Coordinates {
        let (mu, n) = (b.x.mu.clone(), b.x.n());
        let scratch = b.scratch();
        let (plan, _) = Plan::of_all(b, &mu, n);
        b.discard(scratch);
        Coordinates { plan }
    }

    /// The basis at (q, t).
    pub(super) fn at(&self, b: &mut Builder<'_>, q: &[Expr], t: Expr) -> Frame {
        let (mu, mu_t, v, n) = (b.x.mu.clone(), b.x.mu_t.clone(), b.x.v.clone(), b.x.n());
        let mu = b.matrix_at(&mu, q, t);
        let mu_t = b.at(&mu_t, q, &v, t);
        let elimination = self.plan.applied(b, n, |i| (&mu[i], mu_t[i]));
        let dual = elimination.dual(b);
        Frame { basis: elimination.basis().cloned().collect(), drift: elimination.particular.clone(), dual }
    }
}

impl Frame {
    /// Y v.
    pub(super) fn components(&self, b: &mut Builder<'_>, v: &[Expr]) -> Vec<Expr> {
        b.apply(&self.dual, v)
    }

    /// X ν + v₀.
    pub(super) fn velocity(&self, b: &mut Builder<'_>, nu: &[Expr]) -> Vec<Expr> {
        self.basis.iter().zip(nu).fold(self.drift.clone(), |v, (column, &nu)| b.axpy(&v, nu, column))
    }
}
