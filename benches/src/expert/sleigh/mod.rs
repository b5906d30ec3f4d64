//! W3: M = diag(I, m, m), V = 0, μ = (a, sin θ, −cos θ) in q = (θ, x, y); C = a²/I + 1/m is constant.

mod best;

use super::general::{self, Mechanical};
use super::rk4::{Field, Rk4};
use super::{sin_cos, start};
use crate::{Case, H, Kernel, Kind, Loop, Phase, Run};
use nalgebra::{SMatrix, SVector};
use nhi_models::sleigh_com::{MODEL, SleighCom};
use nhi_runtime::{Dla2, Rattle};

/// Constants of the reflection v − 2Bσ with σ = κ m μ·v.
#[derive(Clone, Copy)]
pub(super) struct Constants {
    pub(super) a: f64,
    /// 2/(m C) and 2 a/(I C).
    pub(super) blade: f64,
    pub(super) turn: f64,
}

impl Constants {
    pub(super) fn new(s: &SleighCom) -> Self {
        let c = s.a * s.a / s.I + 1.0 / s.m;
        Constants { a: s.a, blade: 2.0 / (s.m * c), turn: 2.0 * s.a / (s.I * c) }
    }

    /// The velocity at a node, after whose reflection there is the given one.
    pub(super) fn node(&self, theta: f64, [w, vx, vy]: [f64; 3]) -> [f64; 3] {
        let (s, c) = theta.sin_cos();
        let defect = (self.a * w + s * vx - c * vy) / 2.0;
        let side = self.blade * defect;
        [w - self.turn * defect, vx - s * side, vy + c * side]
    }
}

/// RATTLE without forces: the velocity of the step is reflected.
struct RattlePlain<F>(Constants, F);

/// q and the velocity of the coming step.
type Ahead = ([f64; 3], [f64; 3]);

impl<F: Fn(f64) -> (f64, f64)> Kernel for RattlePlain<F> {
    type State = Ahead;

    #[inline]
    fn step(&self, _: u64, ([theta, x, y], [w, vx, vy]): Ahead) -> Ahead {
        let q = [theta + H * w, x + H * vx, y + H * vy];
        let (s, c) = self.1(q[0]);
        let defect = self.0.a * w + s * vx - c * vy;
        let side = self.0.blade * defect;
        (q, [w - self.0.turn * defect, vx - s * side, vy + c * side])
    }

    fn phase(&self, _: u64, (q, v): Ahead) -> Phase {
        (q.to_vec(), self.0.node(q[0], v).to_vec())
    }
}

/// `dla2` with Newton's method for the angular velocity ω' = ω + (a/I)ℓ: the heading of the new node, and
/// with it μ(q'), depends on the reaction.
struct Dla2Plain {
    a: f64,
    /// Of ℓ on ω and on the velocity to the side of the blade.
    turn: f64,
    side: f64,
}

impl Kernel for Dla2Plain {
    /// q, v and the last ℓ, where the iteration starts.
    type State = ([f64; 3], [f64; 3], f64);

    #[inline]
    fn step(&self, _: u64, ([theta, x, y], [w, vx, vy], mut ell): Self::State) -> Self::State {
        let half = H / 2.0;
        let (theta, x, y) = (theta + half * w, x + half * vx, y + half * vy);
        let (s, c) = sin_cos(theta);
        let (bx, by) = (self.side * s, -self.side * c);
        loop {
            let (w1, vx1, vy1) = (w + self.turn * ell, vx + bx * ell, vy + by * ell);
            let (s1, c1) = sin_cos(theta + half * w1);
            let residual = self.a * w1 + s1 * vx1 - c1 * vy1;
            let slope = self.a * self.turn + half * self.turn * (c1 * vx1 + s1 * vy1) + s1 * bx - c1 * by;
            let delta = -residual / slope;
            ell += delta;
            // The iteration converges quadratically: the next update would be rounding.
            if delta * delta <= 1e-16 * (w * w + vx * vx + vy * vy + ell * ell) {
                break;
            }
        }
        let (w, vx, vy) = (w + self.turn * ell, vx + bx * ell, vy + by * ell);
        ([theta + half * w, x + half * vx, y + half * vy], [w, vx, vy], ell)
    }

    fn phase(&self, _: u64, (q, v, _): Self::State) -> Phase {
        (q.to_vec(), v.to_vec())
    }
}

struct System(SleighCom);

impl Field<3> for System {
    #[inline]
    fn acceleration(&self, _: f64, &[theta, _, _]: &[f64; 3], &[w, vx, vy]: &[f64; 3]) -> [f64; 3] {
        let SleighCom { m, I, a } = self.0;
        let (s, c) = sin_cos(theta);
        let lambda = -w * (c * vx + s * vy) / (a * a / I + 1.0 / m);
        [a / I * lambda, s / m * lambda, -c / m * lambda]
    }
}

impl Mechanical<3, 1> for System {
    fn mass_inv(&self) -> SMatrix<f64, 3, 3> {
        SMatrix::from_diagonal(&[1.0 / self.0.I, 1.0 / self.0.m, 1.0 / self.0.m].into())
    }

    fn force(&self, _: &SVector<f64, 3>, _: f64) -> SVector<f64, 3> {
        SVector::zeros()
    }

    fn mu(&self, q: &SVector<f64, 3>) -> SMatrix<f64, 1, 3> {
        let (s, c) = sin_cos(q[0]);
        SMatrix::from([[self.0.a], [s], [-c]])
    }

    fn mu_v_dq(&self, q: &SVector<f64, 3>, v: &SVector<f64, 3>) -> SMatrix<f64, 1, 3> {
        let (s, c) = sin_cos(q[0]);
        SMatrix::from([[c * v[1] + s * v[2]], [0.0], [0.0]])
    }
}

fn rattle_best<const FUSED: bool>() -> Box<dyn Run> {
    let (system, s) = start(&MODEL, &Rattle);
    Loop::boxed(best::Rattle::<FUSED>::new(&system), best::Rattle::state(&s))
}

fn dla2_best<const FUSED: bool>() -> Box<dyn Run> {
    let (system, s) = start(&MODEL, &Dla2);
    let kernel = best::Dla2::<FUSED>::new(&system);
    let state = kernel.state(&s);
    Loop::boxed(kernel, state)
}

pub(super) fn cases() -> Vec<Case> {
    let case = |method, kind, start| Case { workload: "W3", model: MODEL.name, method, kind, start };
    vec![
        case("rattle", Kind::Plain, || {
            let (system, s) = start(&MODEL, &Rattle);
            Loop::boxed(RattlePlain(Constants::new(&system), sin_cos), (s.q, s.after))
        }),
        case("rattle", Kind::Platform, || {
            let (system, s) = start(&MODEL, &Rattle);
            Loop::boxed(RattlePlain(Constants::new(&system), f64::sin_cos), (s.q, s.after))
        }),
        case("rattle", Kind::Best, rattle_best::<false>),
        case("rattle", Kind::BestFused, rattle_best::<true>),
        case("rattle", Kind::Nalgebra, || {
            let (system, s) = start(&MODEL, &Rattle);
            let start = [s.q.into(), s.before.into(), s.after.into()];
            Loop::boxed(general::Rattle::new(System(system)), start)
        }),
        case("dla2", Kind::Plain, || {
            let (SleighCom { m, I, a }, s) = start(&MODEL, &Dla2);
            Loop::boxed(Dla2Plain { a, turn: a / I, side: 1.0 / m }, (s.q, s.after, 0.0))
        }),
        case("dla2", Kind::Best, dla2_best::<false>),
        case("dla2", Kind::BestFused, dla2_best::<true>),
        case("dla2", Kind::Nalgebra, || {
            let (system, s) = start(&MODEL, &Dla2);
            Loop::boxed(general::Dla2::new(System(system)), (s.q.into(), s.after.into(), SVector::zeros()))
        }),
        case("rk4", Kind::Plain, || {
            let start = MODEL.start(&MODEL.example());
            Loop::boxed(Rk4(System(MODEL.example())), start)
        }),
    ]
}
