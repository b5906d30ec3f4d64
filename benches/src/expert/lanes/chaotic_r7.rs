//! W2 by `dla2`.

use super::{Kernel, Rows, fma, multiplications, starts};
use crate::expert::chaotic_r7::along;
use crate::many::{Case, Code, TRAJECTORIES};
use crate::{H, Phase};
use nhi_models::chaotic_r7::MODEL;
use nhi_runtime::{Dla2, Fused, Scalar, Separate};

/// The closed form.
#[derive(Clone, Copy)]
struct Plain;

/// q, v.
impl Kernel<14> for Plain {
    #[inline(always)]
    fn step<T: Scalar>(
        &self,
        _: u64,
        [x, y0, y1, y2, z0, z1, z2, vx, vy0, vy1, vy2, vz0, vz1, vz2]: [T; 14],
    ) -> [T; 14] {
        let (one, h, half) = (T::from_f64(1.0), T::from_f64(H), T::from_f64(H / 2.0));
        let (x, y0, y1, y2) = (fma(half, vx, x), fma(half, vy0, y0), fma(half, vy1, y1), fma(half, vy2, y2));
        let (z0, z1, z2) = (fma(half, vz0, z0), fma(half, vz1, z1), fma(half, vz2, z2));
        let (a, b, c) = (fma(z0, z0, one), fma(z1, z1, one), fma(z2, z2, one));
        let wx = fma(-h, x, vx);
        let (w0, w1, w2) = (fma(-h, y0 * a, vy0), fma(-h, y1 * b, vy1), fma(-h, y2 * c, vy2));
        let u0 = fma(-h, z0 * fma(y0, y0, b), vz0);
        let u1 = fma(-h, z1 * fma(y1, y1, a), vz1);
        let u2 = fma(-h, z2 * fma(y2, y2, one), vz2);
        let (n0, n1, n2) = (fma(half, w0, y0), fma(half, w1, y1), fma(half, w2, y2));
        let ell = -fma(n2, u2, fma(n1, u1, fma(n0, u0, wx))) / fma(n2, y2, fma(n1, y1, fma(n0, y0, one)));
        let vx = wx + ell;
        let (vz0, vz1, vz2) = (fma(ell, y0, u0), fma(ell, y1, u1), fma(ell, y2, u2));
        let (z0, z1, z2) = (fma(half, vz0, z0), fma(half, vz1, z1), fma(half, vz2, z2));
        [fma(half, vx, x), n0, n1, n2, z0, z1, z2, vx, w0, w1, w2, vz0, vz1, vz2]
    }

    fn phase(&self, state: [f64; 14]) -> Phase {
        (state[..7].to_vec(), state[7..].to_vec())
    }
}

/// In scaled increments. With the state in the middle of the step, X = 2h²x, Y = hy, Z = hz and their increments,
///
/// ```text
/// Yᵢ' = Yᵢ + Wᵢ,  Wᵢ = Dᵢ − Yᵢ (h² + Zᵢ²),  Nᵢ = Yᵢ + Yᵢ',
/// ℓ = −(W + Σ Nᵢ Uᵢ)/(2h² + Σ Nᵢ Yᵢ),
/// ```
///
/// with W and Uᵢ what forces leave of the increments of X and Zᵢ: no factor h remains but in what is multiplied
/// and added anyway, and y at the node, where the constraint holds, is a sum.
#[derive(Clone, Copy)]
struct Best;

impl Kernel<14> for Best {
    #[inline(always)]
    fn step<T: Scalar>(
        &self,
        _: u64,
        [x, y0, y1, y2, z0, z1, z2, dx, d0, d1, d2, e0, e1, e2]: [T; 14],
    ) -> [T; 14] {
        let (hh, twice) = (T::from_f64(H * H), T::from_f64(2.0 * H * H));
        let (a, b, c) = (fma(z0, z0, hh), fma(z1, z1, hh), fma(z2, z2, hh));
        let (w0, w1, w2) = (fma(-y0, a, d0), fma(-y1, b, d1), fma(-y2, c, d2));
        let (m0, m1, m2) = (y0 + w0, y1 + w1, y2 + w2);
        let (n0, n1, n2) = (y0 + m0, y1 + m1, y2 + m2);
        let wx = fma(-hh, x, dx);
        let u0 = fma(-z0, fma(y0, y0, b), e0);
        let u1 = fma(-z1, fma(y1, y1, a), e1);
        let u2 = fma(-z2, fma(y2, y2, hh), e2);
        let ell = fma(n2, u2, fma(n1, u1, fma(n0, u0, wx))) / -fma(n2, y2, fma(n1, y1, fma(n0, y0, twice)));
        let dx = fma(twice, ell, wx);
        let (e0, e1, e2) = (fma(ell, y0, u0), fma(ell, y1, u1), fma(ell, y2, u2));
        [x + dx, m0, m1, m2, z0 + e0, z1 + e1, z2 + e2, dx, w0, w1, w2, e0, e1, e2]
    }

    fn phase(&self, state: [f64; 14]) -> Phase {
        let v: [f64; 7] = std::array::from_fn(|i| state[7 + i] / SCALE[i] / H);
        let qh: [f64; 7] = std::array::from_fn(|i| state[i] / SCALE[i]);
        (along(&qh, -H / 2.0, &v).to_vec(), v.to_vec())
    }
}

/// Of X, Y and Z.
const SCALE: [f64; 7] = [2.0 * H * H, H, H, H, H, H, H];

fn plain() -> [[f64; 14]; TRAJECTORIES] {
    starts(&MODEL, &Dla2).map(|s| std::array::from_fn(|i| if i < 7 { s.q[i] } else { s.after[i - 7] }))
}

fn best() -> [[f64; 14]; TRAJECTORIES] {
    starts(&MODEL, &Dla2).map(|s| {
        let qh = along(&s.q, H / 2.0, &s.after);
        std::array::from_fn(|i| if i < 7 { SCALE[i] * qh[i] } else { SCALE[i - 7] * H * s.after[i - 7] })
    })
}

pub(super) fn cases() -> Vec<Case> {
    let case = |code, start, multiplications| Case {
        workload: "W2",
        model: MODEL.name,
        method: "dla2",
        code,
        start,
        multiplications,
    };
    let of_plain = || multiplications(&Plain, plain()[0]);
    let of_best = || multiplications(&Best, best()[0]);
    vec![
        case(Code::Plain, || Rows::<_, 14, 1, Fused>::boxed(Plain, plain()), of_plain),
        case(Code::PlainSeparate, || Rows::<_, 14, 1, Separate>::boxed(Plain, plain()), of_plain),
        case(Code::Best, || Rows::<_, 14, 2, Fused>::boxed(Best, best()), of_best),
        case(Code::BestSeparate, || Rows::<_, 14, 1, Separate>::boxed(Best, best()), of_best),
    ]
}
