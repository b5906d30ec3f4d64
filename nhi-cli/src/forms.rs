//! The constraint one-forms of a model, from its constraints μ(q)v + μ₀(q), which are affine in v.

use nhi_run::model::Instance;

/// The one-forms at a configuration.
pub(crate) struct OneForms {
    /// μ(q), by rows: m × n.
    pub(crate) mu: Vec<Vec<f64>>,
    /// μ₀(q), length m.
    pub(crate) mu_t: Vec<f64>,
    n: usize,
}

impl OneForms {
    /// Of a model with velocities of length `n`.
    pub(crate) fn at(instance: &dyn Instance, q: &[f64], n: usize) -> Self {
        let mut e = vec![0.0; n];
        let mu_t = instance.residual(q, &e);
        let mut mu = vec![vec![0.0; n]; mu_t.len()];
        for i in 0..n {
            e[i] = 1.0;
            for (row, (at, zero)) in mu.iter_mut().zip(instance.residual(q, &e).iter().zip(&mu_t)) {
                row[i] = at - zero;
            }
            e[i] = 0.0;
        }
        OneForms { mu, mu_t, n }
    }

    /// μᵀλ, length n.
    pub(crate) fn reaction(&self, lambda: &[f64]) -> Vec<f64> {
        let force = |i| self.mu.iter().zip(lambda).map(|(mu, lambda)| mu[i] * lambda).sum();
        (0..self.n).map(force).collect()
    }
}
