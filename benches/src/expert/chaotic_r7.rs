//! W2: M = 1, V = (x² + Σ (yᵢ² + zᵢ² + yᵢ²zᵢ²) + z₀²z₁²)/2, μ = (1, 0, 0, 0, y₀, y₁, y₂).

use super::general::{self, Mechanical};
use super::rk4::{Field, Rk4};
use super::{fma, fma_last, start};
use crate::{Case, H, Kernel, Kind, Loop, Phase, Run};
use nalgebra::{SMatrix, SVector};
use nhi_models::chaotic_r7::MODEL;
use nhi_runtime::{Dla2, Rattle};

type Q = [f64; 7];

/// ∂V/∂q.
#[inline(always)]
fn slope(&[x, y0, y1, y2, z0, z1, z2]: &Q) -> Q {
    let (a, b, c) = (z0 * z0, z1 * z1, z2 * z2);
    [
        x,
        y0 * (1.0 + a),
        y1 * (1.0 + b),
        y2 * (1.0 + c),
        z0 * (1.0 + y0 * y0 + b),
        z1 * (1.0 + y1 * y1 + a),
        z2 * (1.0 + y2 * y2),
    ]
}

/// x + c d.
#[inline(always)]
pub(super) fn along(x: &Q, c: f64, d: &Q) -> Q {
    core::array::from_fn(|i| x[i] + c * d[i])
}

/// `dla2`: the yᵢ move without the reaction, so that μ(q')v' = 0 is affine in ℓ.
struct Dla2Plain;

impl Kernel for Dla2Plain {
    type State = (Q, Q);

    #[inline]
    fn step(&self, _: u64, (q, v): (Q, Q)) -> (Q, Q) {
        let qh = along(&q, H / 2.0, &v);
        let w = along(&v, -H, &slope(&qh));
        let [_, y0, y1, y2, ..] = along(&qh, H / 2.0, &w);
        let [wx, _, _, _, wz0, wz1, wz2] = w;
        let ell = -(wx + y0 * wz0 + y1 * wz1 + y2 * wz2) / (1.0 + y0 * qh[1] + y1 * qh[2] + y2 * qh[3]);
        let v = [wx + ell, w[1], w[2], w[3], wz0 + ell * qh[1], wz1 + ell * qh[2], wz2 + ell * qh[3]];
        let half = H / 2.0;
        let (x, z0, z1, z2) =
            (qh[0] + half * v[0], qh[4] + half * v[4], qh[5] + half * v[5], qh[6] + half * v[6]);
        ([x, y0, y1, y2, z0, z1, z2], v)
    }

    fn phase(&self, _: u64, (q, v): (Q, Q)) -> Phase {
        (q.to_vec(), v.to_vec())
    }
}

/// `dla2` in (q_h, d = h v): half the multiplications by h are gone, and the sums of the numerator and the
/// denominator are in pairs, the division beside the numerator.
struct Dla2Best<const FUSED: bool>;

impl<const FUSED: bool> Kernel for Dla2Best<FUSED> {
    const FUSED: bool = FUSED;
    /// q_h and h v.
    type State = (Q, Q);

    #[inline(always)]
    fn step(&self, _: u64, (q, d): (Q, Q)) -> (Q, Q) {
        let fma = fma::<FUSED>;
        let [x, y0, y1, y2, z0, z1, z2] = q;
        let k = -H * H;
        let (a, b, c) = (fma(z0, z0, 1.0), fma(z1, z1, 1.0), fma(z2, z2, 1.0));
        let (ky0, ky1, ky2) = (k * y0, k * y1, k * y2);
        let (w0, w1, w2) = (fma(ky0, a, d[1]), fma(ky1, b, d[2]), fma(ky2, c, d[3]));
        let (n0, n1, n2) = (fma(0.5, w0, y0), fma(0.5, w1, y1), fma(0.5, w2, y2));
        let wx = fma(k, x, d[0]);
        let u0 = fma(k * z0, fma(y0, y0, b), d[4]);
        let u1 = fma(k * z1, fma(y1, y1, a), d[5]);
        let u2 = fma(k * z2, fma(y2, y2, 1.0), d[6]);
        let inverse = -1.0 / (fma(n0, y0, 1.0) + fma(n1, y1, n2 * y2));
        let numerator = fma(n0, u0, wx) + fma(n1, u1, n2 * u2);
        let ell = numerator * inverse;
        // What is added without ℓ is ready when ℓ is.
        let (x1, z01, z11, z21) = (x + wx, z0 + u0, z1 + u1, z2 + u2);
        (
            [
                fma(numerator, inverse, x1),
                y0 + w0,
                y1 + w1,
                y2 + w2,
                fma(ell, y0, z01),
                fma(ell, y1, z11),
                fma(ell, y2, z21),
            ],
            [fma(numerator, inverse, wx), w0, w1, w2, fma(ell, y0, u0), fma(ell, y1, u1), fma(ell, y2, u2)],
        )
    }

    fn phase(&self, _: u64, (qh, d): (Q, Q)) -> Phase {
        let q = along(&qh, -0.5, &d);
        (q.to_vec(), d.map(|d| d / H).to_vec())
    }
}

/// RATTLE in (q_k, v_{k+1/2}): one force and one reflection per step.
struct RattlePlain;

impl Kernel for RattlePlain {
    /// q and the velocity d of the coming step.
    type State = (Q, Q);

    #[inline]
    fn step(&self, _: u64, (q, d): (Q, Q)) -> (Q, Q) {
        let q = along(&q, H, &d);
        let slope = slope(&q);
        let half = H / 2.0;
        let u = along(&d, -half, &slope);
        let [_, y0, y1, y2, ..] = q;
        let sigma = 2.0 * (u[0] + y0 * u[4] + y1 * u[5] + y2 * u[6]) / (1.0 + y0 * y0 + y1 * y1 + y2 * y2);
        let post = [u[0] - sigma, u[1], u[2], u[3], u[4] - sigma * y0, u[5] - sigma * y1, u[6] - sigma * y2];
        (q, along(&post, -half, &slope))
    }

    fn phase(&self, _: u64, state: (Q, Q)) -> Phase {
        half_step_back(state)
    }
}

/// RATTLE in (q_{k+1}, d = h v_{k+1/2}), the node ahead: σ enters position and increment of the next step by one
/// addition each. Sums in pairs, and the division and what needs no σ beside it.
struct RattleBest<const FUSED: bool>;

impl<const FUSED: bool> Kernel for RattleBest<FUSED> {
    const FUSED: bool = FUSED;
    type State = (Q, Q);

    #[inline(always)]
    fn step(&self, _: u64, (q, d): (Q, Q)) -> (Q, Q) {
        let fma = fma::<FUSED>;
        let [x, y0, y1, y2, z0, z1, z2] = q;
        let k = -0.5 * H * H;
        let (a, b, c) = (fma(z0, z0, 1.0), fma(z1, z1, 1.0), fma(z2, z2, 1.0));
        let (s0, s1, s2) = (fma(y0, y0, b), fma(y1, y1, a), fma(y2, y2, 1.0));
        let inverse = -2.0 / (fma(y0, y0, y1 * y1) + s2);
        let (kz0, kz1, kz2) = (k * z0, k * z1, k * z2);
        let (ux, u0, u1, u2) = (fma(k, x, d[0]), fma(kz0, s0, d[4]), fma(kz1, s1, d[5]), fma(kz2, s2, d[6]));
        let numerator = fma(y2, u2, ux) + fma(y0, u0, y1 * u1);
        let (ux, u0, u1, u2) = (fma(k, x, ux), fma(kz0, s0, u0), fma(kz1, s1, u1), fma(kz2, s2, u2));
        let kk = 2.0 * k;
        let (d0, d1, d2) = (fma(kk * y0, a, d[1]), fma(kk * y1, b, d[2]), fma(kk * y2, c, d[3]));
        let (x1, z01, z11, z21) = (x + ux, z0 + u0, z1 + u1, z2 + u2);
        (
            [
                fma(numerator, inverse, x1),
                y0 + d0,
                y1 + d1,
                y2 + d2,
                fma_last::<FUSED>(numerator, inverse, y0, z01),
                fma_last::<FUSED>(numerator, inverse, y1, z11),
                fma_last::<FUSED>(numerator, inverse, y2, z21),
            ],
            [
                fma(numerator, inverse, ux),
                d0,
                d1,
                d2,
                fma_last::<FUSED>(numerator, inverse, y0, u0),
                fma_last::<FUSED>(numerator, inverse, y1, u1),
                fma_last::<FUSED>(numerator, inverse, y2, u2),
            ],
        )
    }

    fn phase(&self, _: u64, (q, d): (Q, Q)) -> Phase {
        half_step_back((along(&q, -1.0, &d), d.map(|d| d / H)))
    }
}

/// The node of (q, d): there v = P(d − h/2 F), the mean of the velocities before and after it.
fn half_step_back((q, d): (Q, Q)) -> Phase {
    let post = along(&d, H / 2.0, &slope(&q));
    let [_, y0, y1, y2, ..] = q;
    let sigma = (post[0] + y0 * post[4] + y1 * post[5] + y2 * post[6]) / (1.0 + y0 * y0 + y1 * y1 + y2 * y2);
    (q.to_vec(), along(&post, -sigma, &[1.0, 0.0, 0.0, 0.0, y0, y1, y2]).to_vec())
}

struct System;

impl Field<7> for System {
    #[inline]
    fn acceleration(&self, _: f64, q: &Q, v: &Q) -> Q {
        let f = slope(q);
        let [_, y0, y1, y2, ..] = *q;
        let drift = v[1] * v[4] + v[2] * v[5] + v[3] * v[6];
        let lambda = (f[0] + y0 * f[4] + y1 * f[5] + y2 * f[6] - drift) / (1.0 + y0 * y0 + y1 * y1 + y2 * y2);
        [lambda - f[0], -f[1], -f[2], -f[3], lambda * y0 - f[4], lambda * y1 - f[5], lambda * y2 - f[6]]
    }
}

impl Mechanical<7, 1> for System {
    fn mass_inv(&self) -> SMatrix<f64, 7, 7> {
        SMatrix::identity()
    }

    fn force(&self, q: &SVector<f64, 7>, _: f64) -> SVector<f64, 7> {
        -SVector::from(slope(q.as_ref()))
    }

    fn mu(&self, q: &SVector<f64, 7>) -> SMatrix<f64, 1, 7> {
        SMatrix::from([[1.0], [0.0], [0.0], [0.0], [q[1]], [q[2]], [q[3]]])
    }

    fn mu_v_dq(&self, _: &SVector<f64, 7>, v: &SVector<f64, 7>) -> SMatrix<f64, 1, 7> {
        SMatrix::from([[0.0], [v[4]], [v[5]], [v[6]], [0.0], [0.0], [0.0]])
    }
}

/// (q, d) of RATTLE at the start.
fn half_step() -> (Q, Q) {
    let (_, s) = start(&MODEL, &Rattle);
    (s.q, along(&s.after, -H / 2.0, &slope(&s.q)))
}

fn dla2_best<const FUSED: bool>() -> Box<dyn Run> {
    let (_, s) = start(&MODEL, &Dla2);
    Loop::boxed(Dla2Best::<FUSED>, (along(&s.q, H / 2.0, &s.after), s.after.map(|v| H * v)))
}

fn rattle_best<const FUSED: bool>() -> Box<dyn Run> {
    let (q, d) = half_step();
    Loop::boxed(RattleBest::<FUSED>, (along(&q, H, &d), d.map(|d| H * d)))
}

pub(super) fn cases() -> Vec<Case> {
    let case = |method, kind, start| Case { workload: "W2", model: MODEL.name, method, kind, start };
    vec![
        case("dla2", Kind::Plain, || {
            let (_, s) = start(&MODEL, &Dla2);
            Loop::boxed(Dla2Plain, (s.q, s.after))
        }),
        case("dla2", Kind::Best, dla2_best::<false>),
        case("dla2", Kind::BestFused, dla2_best::<true>),
        case("dla2", Kind::Nalgebra, || {
            let (_, s) = start(&MODEL, &Dla2);
            Loop::boxed(general::Dla2::new(System), (s.q.into(), s.after.into(), SVector::zeros()))
        }),
        case("rattle", Kind::Plain, || Loop::boxed(RattlePlain, half_step())),
        case("rattle", Kind::Best, rattle_best::<false>),
        case("rattle", Kind::BestFused, rattle_best::<true>),
        case("rattle", Kind::Nalgebra, || {
            let (_, s) = start(&MODEL, &Rattle);
            Loop::boxed(general::Rattle::new(System), [s.q.into(), s.before.into(), s.after.into()])
        }),
        case("rk4", Kind::Plain, || Loop::boxed(Rk4(System), MODEL.start(&MODEL.example()))),
    ]
}
