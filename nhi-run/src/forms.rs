//! The constraint one-forms of a system, from its constraints μ(q)v + μ₀(q), which are affine in v.

/// The one-forms at a configuration.
#[derive(Clone, PartialEq, Debug)]
pub struct OneForms {
    /// μ(q), by rows: m × n.
    pub mu: Vec<Vec<f64>>,
    /// μ₀(q), length m.
    pub mu_t: Vec<f64>,
    n: usize,
}

impl OneForms {
    /// Those of constraints with this residual, a function of a velocity of length `n`.
    pub fn of(n: usize, residual: impl Fn(&[f64]) -> Vec<f64>) -> OneForms {
        let mut along = vec![0.0; n];
        let mu_t = residual(&along);
        let mut mu = vec![vec![0.0; n]; mu_t.len()];
        for i in 0..n {
            along[i] = 1.0;
            for (row, (at, at_rest)) in mu.iter_mut().zip(residual(&along).iter().zip(&mu_t)) {
                row[i] = at - at_rest;
            }
            along[i] = 0.0;
        }
        OneForms { mu, mu_t, n }
    }

    /// μᵀλ, length n.
    pub fn reaction(&self, lambda: &[f64]) -> Vec<f64> {
        let force = |i| self.mu.iter().zip(lambda).map(|(mu, lambda)| mu[i] * lambda).sum();
        (0..self.n).map(force).collect()
    }
}
