//! W1: M = 1, V = |q|²/2, μ = (1, 0, y) in q = (x, y, z).

use super::general::{self, Mechanical};
use super::rk4::{Field, Rk4};
use super::{fma, fma_last, start};
use crate::{Case, H, Kernel, Kind, Loop, Phase, Run};
use nalgebra::{SMatrix, SVector};
use nhi_models::contact_oscillator::MODEL;
use nhi_runtime::{Dla2, Rattle};

/// `dla2`: y is decoupled, and μ(q') = (1, 0, y') does not depend on the reaction, so that
/// μ(q')v' = 0 is affine in ℓ.
struct Dla2Plain;

impl Kernel for Dla2Plain {
    type State = ([f64; 3], [f64; 3]);

    #[inline]
    fn step(&self, _: u64, ([x, y, z], [vx, vy, vz]): Self::State) -> Self::State {
        let half = H / 2.0;
        let (xh, yh, zh) = (x + half * vx, y + half * vy, z + half * vz);
        let (wx, wy, wz) = (vx - H * xh, vy - H * yh, vz - H * zh);
        let y1 = yh + half * wy;
        let ell = -(wx + y1 * wz) / (1.0 + y1 * yh);
        let (vx, vz) = (wx + ell, wz + ell * yh);
        ([xh + half * vx, y1, zh + half * vz], [vx, wy, vz])
    }

    fn phase(&self, _: u64, (q, v): Self::State) -> Phase {
        (q.to_vec(), v.to_vec())
    }
}

/// `dla2` in (q_h, h w), the mid-point of the step and the velocity before the reaction: the reaction enters
/// the next step as `w' = (w − h(q_h + h w)) + (1 − h²) B ℓ`, one multiplication after its numerator. The division
/// depends only on y, which is a decoupled oscillator and available early.
struct Dla2Best<const FUSED: bool>;

impl<const FUSED: bool> Kernel for Dla2Best<FUSED> {
    const FUSED: bool = FUSED;
    /// x_h, y_h, z_h; h w.
    type State = ([f64; 3], [f64; 3]);

    #[inline(always)]
    fn step(&self, _: u64, ([xh, yh, zh], [wx, wy, wz]): Self::State) -> Self::State {
        let fma = fma::<FUSED>;
        let k = H * H;
        let y1 = fma(0.5, wy, yh);
        let inverse = -1.0 / fma(y1, yh, 1.0);
        let (xf, y2, zf) = (xh + wx, yh + wy, zh + wz);
        let (fx, fy, fz) = (fma(-k, xf, wx), fma(-k, y2, wy), fma(-k, zf, wz));
        let numerator = fma(y1, wz, wx);
        let kicks = inverse * (1.0 - k);
        (
            [fma(numerator, inverse, xf), y2, fma_last::<FUSED>(numerator, inverse, yh, zf)],
            [fma(numerator, kicks, fx), fy, fma(numerator, kicks * yh, fz)],
        )
    }

    fn phase(&self, _: u64, (qh, w): Self::State) -> Phase {
        // From (q_h, w) of the coming step back to its beginning: w = v − h q_h, q = q_h − h/2 v.
        let v: [f64; 3] = core::array::from_fn(|i| w[i] / H + H * qh[i]);
        ((0..3).map(|i| qh[i] - H / 2.0 * v[i]).collect(), v.to_vec())
    }
}

impl<const FUSED: bool> Dla2Best<FUSED> {
    fn state(q: [f64; 3], v: [f64; 3]) -> ([f64; 3], [f64; 3]) {
        let qh: [f64; 3] = core::array::from_fn(|i| q[i] + H / 2.0 * v[i]);
        (qh, core::array::from_fn(|i| H * (v[i] - H * qh[i])))
    }
}

/// RATTLE in (q_k, v_{k+1/2}): one force and one reflection per step.
struct RattlePlain;

impl Kernel for RattlePlain {
    /// q and the velocity d of the coming step.
    type State = ([f64; 3], [f64; 3]);

    #[inline]
    fn step(&self, _: u64, ([x, y, z], [dx, dy, dz]): Self::State) -> Self::State {
        let (x, y, z) = (x + H * dx, y + H * dy, z + H * dz);
        // Before the reflection d + h/2 F, after it once more h/2 F.
        let half = H / 2.0;
        let (ux, uz) = (dx - half * x, dz - half * z);
        let sigma = 2.0 * (ux + y * uz) / (1.0 + y * y);
        ([x, y, z], [ux - sigma - half * x, dy - H * y, uz - sigma * y - half * z])
    }

    fn phase(&self, _: u64, state: Self::State) -> Phase {
        half_step_back(state)
    }
}

/// RATTLE in (q_k, h v_{k+1/2}), with the denominator computed early: y is a decoupled oscillator.
struct RattleBest<const FUSED: bool>;

impl<const FUSED: bool> Kernel for RattleBest<FUSED> {
    const FUSED: bool = FUSED;
    type State = ([f64; 3], [f64; 3]);

    #[inline(always)]
    fn step(&self, _: u64, ([x, y, z], [dx, dy, dz]): Self::State) -> Self::State {
        let fma = fma::<FUSED>;
        let k = H * H;
        let (x, y, z) = (x + dx, y + dy, z + dz);
        let inverse = -2.0 / fma(y, y, 1.0);
        let (kx, kz) = (k * x, k * z);
        // If fused, the half kick does not depend on the full kick.
        let (ux, uz) = if FUSED {
            (fma(-0.5 * k, x, dx), fma(-0.5 * k, z, dz))
        } else {
            (fma(-0.5, kx, dx), fma(-0.5, kz, dz))
        };
        let numerator = fma(y, uz, ux);
        let (dx, dy, dz) = (dx - kx, fma(-k, y, dy), dz - kz);
        ([x, y, z], [fma(numerator, inverse, dx), dy, fma_last::<FUSED>(numerator, inverse, y, dz)])
    }

    fn phase(&self, _: u64, (q, d): Self::State) -> Phase {
        half_step_back((q, d.map(|d| d / H)))
    }
}

/// The node of (q, d): there v = P(d − h/2 F), the mean of the velocities before and after it.
fn half_step_back(([x, y, z], d): ([f64; 3], [f64; 3])) -> Phase {
    let post = [d[0] + H / 2.0 * x, d[1] + H / 2.0 * y, d[2] + H / 2.0 * z];
    let sigma = (post[0] + y * post[2]) / (1.0 + y * y);
    (vec![x, y, z], vec![post[0] - sigma, post[1], post[2] - sigma * y])
}

impl Field<3> for System {
    #[inline]
    fn acceleration(&self, _: f64, &[x, y, z]: &[f64; 3], &[_, vy, vz]: &[f64; 3]) -> [f64; 3] {
        let lambda = (x + y * z - vy * vz) / (1.0 + y * y);
        [lambda - x, -y, lambda * y - z]
    }
}

struct System;

impl Mechanical<3, 1> for System {
    fn mass_inv(&self) -> SMatrix<f64, 3, 3> {
        SMatrix::identity()
    }

    fn force(&self, q: &SVector<f64, 3>, _: f64) -> SVector<f64, 3> {
        -q
    }

    fn mu(&self, q: &SVector<f64, 3>) -> SMatrix<f64, 1, 3> {
        SMatrix::from([[1.0], [0.0], [q[1]]])
    }

    fn mu_v_dq(&self, _: &SVector<f64, 3>, v: &SVector<f64, 3>) -> SMatrix<f64, 1, 3> {
        SMatrix::from([[0.0], [v[2]], [0.0]])
    }
}

/// (q, d) at the start.
fn half_step() -> ([f64; 3], [f64; 3]) {
    let (_, s) = start(&MODEL, &Rattle);
    (s.q, core::array::from_fn(|i| s.after[i] - H / 2.0 * s.q[i]))
}

fn dla2_best<const FUSED: bool>() -> Box<dyn Run> {
    let (_, s) = start(&MODEL, &Dla2);
    Loop::boxed(Dla2Best::<FUSED>, Dla2Best::<FUSED>::state(s.q, s.after))
}

fn rattle_best<const FUSED: bool>() -> Box<dyn Run> {
    let (q, d) = half_step();
    Loop::boxed(RattleBest::<FUSED>, (q, d.map(|d| H * d)))
}

pub(super) fn cases() -> Vec<Case> {
    let case = |method, kind, start| Case { workload: "W1", model: MODEL.name, method, kind, start };
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
