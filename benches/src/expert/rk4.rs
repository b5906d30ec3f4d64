//! The classical Runge–Kutta method on index-reduced equations.

use crate::{H, Kernel, Phase};

/// dv/dt of a system.
pub(super) trait Field<const N: usize> {
    fn acceleration(&self, t: f64, q: &[f64; N], v: &[f64; N]) -> [f64; N];
}

/// The method for a field.
pub(super) struct Rk4<F, const N: usize>(pub(super) F);

impl<F: Field<N>, const N: usize> Kernel for Rk4<F, N> {
    type State = ([f64; N], [f64; N]);

    #[inline]
    fn step(&self, k: u64, (q, v): Self::State) -> Self::State {
        let t = k as f64 * H;
        let along = |x: &[f64; N], c: f64, d: &[f64; N]| core::array::from_fn(|i| x[i] + c * d[i]);
        let a1 = self.0.acceleration(t, &q, &v);
        let (q2, v2) = (along(&q, H / 2.0, &v), along(&v, H / 2.0, &a1));
        let a2 = self.0.acceleration(t + H / 2.0, &q2, &v2);
        let (q3, v3) = (along(&q, H / 2.0, &v2), along(&v, H / 2.0, &a2));
        let a3 = self.0.acceleration(t + H / 2.0, &q3, &v3);
        let (q4, v4) = (along(&q, H, &v3), along(&v, H, &a3));
        let a4 = self.0.acceleration(t + H, &q4, &v4);
        let sum = |x: &[f64; N], a: &[f64; N], b: &[f64; N], c: &[f64; N], d: &[f64; N]| {
            core::array::from_fn(|i| x[i] + H / 6.0 * (a[i] + 2.0 * (b[i] + c[i]) + d[i]))
        };
        (sum(&q, &v, &v2, &v3, &v4), sum(&v, &a1, &a2, &a3, &a4))
    }

    fn phase(&self, _: u64, (q, v): Self::State) -> Phase {
        (q.to_vec(), v.to_vec())
    }
}
