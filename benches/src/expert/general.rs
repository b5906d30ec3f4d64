//! Integrators for any system of constant mass without affine constraints, with nalgebra's matrices:
//! one implementation for all systems, without a code generator.

use crate::{H, Kernel, Phase};
use nalgebra::{SMatrix, SVector};

/// A system of `N` coordinates and `M` constraints μ(q)v = 0.
pub(super) trait Mechanical<const N: usize, const M: usize> {
    fn mass_inv(&self) -> SMatrix<f64, N, N>;
    /// L_q + f.
    fn force(&self, q: &SVector<f64, N>, t: f64) -> SVector<f64, N>;
    fn mu(&self, q: &SVector<f64, N>) -> SMatrix<f64, M, N>;
    /// ∂(μ(q)v)/∂q.
    fn mu_v_dq(&self, q: &SVector<f64, N>, v: &SVector<f64, N>) -> SMatrix<f64, M, N>;
}

/// Nonholonomic RATTLE: reflects with P − Q = 1 − 2 M⁻¹μᵀC⁻¹μ.
pub(super) struct Rattle<S, const N: usize, const M: usize> {
    system: S,
    mass_inv: SMatrix<f64, N, N>,
}

/// q, v before and after the reflection.
pub(super) type Jump<const N: usize> = [SVector<f64, N>; 3];

impl<S: Mechanical<N, M>, const N: usize, const M: usize> Rattle<S, N, M> {
    pub(super) fn new(system: S) -> Self {
        Rattle { mass_inv: system.mass_inv(), system }
    }
}

impl<S: Mechanical<N, M>, const N: usize, const M: usize> Kernel for Rattle<S, N, M> {
    type State = Jump<N>;

    #[inline]
    fn step(&self, k: u64, [q, _, v_post]: Jump<N>) -> Jump<N> {
        let (t, t1) = (k as f64 * H, (k + 1) as f64 * H);
        let d = v_post + self.mass_inv * self.system.force(&q, t) * (H / 2.0);
        let q = q + d * H;
        let v_pre = d + self.mass_inv * self.system.force(&q, t1) * (H / 2.0);
        let mu = self.system.mu(&q);
        let b = self.mass_inv * mu.transpose();
        let c = mu * b;
        let sigma = match c.cholesky() {
            Some(factor) => factor.solve(&(mu * v_pre)),
            None => panic!("dependent constraints"),
        };
        [q, v_pre, v_pre - b * sigma * 2.0]
    }

    fn phase(&self, _: u64, [q, v_pre, v_post]: Jump<N>) -> Phase {
        (q.as_slice().to_vec(), ((v_pre + v_post) / 2.0).as_slice().to_vec())
    }
}

/// `dla2` with Newton's method for the impulses ℓ = hλ.
pub(super) struct Dla2<S, const N: usize, const M: usize> {
    system: S,
    mass_inv: SMatrix<f64, N, N>,
}

impl<S: Mechanical<N, M>, const N: usize, const M: usize> Dla2<S, N, M> {
    pub(super) fn new(system: S) -> Self {
        Dla2 { mass_inv: system.mass_inv(), system }
    }
}

/// Newton updates of one step at most.
const MOST_UPDATES: usize = 20;

impl<S: Mechanical<N, M>, const N: usize, const M: usize> Kernel for Dla2<S, N, M> {
    type State = (SVector<f64, N>, SVector<f64, N>, SVector<f64, M>);

    #[inline]
    fn step(&self, k: u64, (q, v, mut ell): Self::State) -> Self::State {
        let half = H / 2.0;
        let q_h = q + v * half;
        let w = v + self.mass_inv * self.system.force(&q_h, (k as f64 + 0.5) * H) * H;
        let b = self.mass_inv * self.system.mu(&q_h).transpose();
        for _ in 0..MOST_UPDATES {
            let v = w + b * ell;
            let q = q_h + v * half;
            let mu = self.system.mu(&q);
            let jacobian = (mu + self.system.mu_v_dq(&q, &v) * half) * b;
            let delta = match jacobian.try_inverse() {
                Some(inverse) => inverse * (mu * v),
                None => panic!("singular Jacobian"),
            };
            ell -= delta;
            // The iteration converges quadratically: the next update would be rounding.
            if delta.norm_squared() <= 1e-16 * (w.norm_squared() + ell.norm_squared()) {
                break;
            }
        }
        let v = w + b * ell;
        (q_h + v * half, v, ell)
    }

    fn phase(&self, _: u64, (q, v, _): Self::State) -> Phase {
        (q.as_slice().to_vec(), v.as_slice().to_vec())
    }
}
