//! W3: M = diag(I, m, m), V = 0, μ = (a, sin θ, −cos θ) in q = (θ, x, y); C = a²/I + 1/m is constant.

use super::general::{self, Mechanical};
use super::rk4::{Field, Rk4};
use super::{Reflected, fma};
use crate::generated::start;
use crate::{Case, H, Kernel, Kind, Loop, Phase};
use nalgebra::{SMatrix, SVector};
use nhi_models::sleigh_com::{MODEL, SleighCom};
use nhi_runtime::{Dla2, Rattle};

/// Constants of the reflection v − 2Bσ with σ = κ m μ·v.
struct Constants {
    a: f64,
    /// 2/(m C) and 2 a/(I C).
    blade: f64,
    turn: f64,
}

impl Constants {
    fn new(s: &SleighCom) -> Self {
        let c = s.a * s.a / s.I + 1.0 / s.m;
        Constants { a: s.a, blade: 2.0 / (s.m * c), turn: 2.0 * s.a / (s.I * c) }
    }
}

/// RATTLE without forces: the velocity of the step is reflected.
struct RattlePlain(Constants);

impl Kernel for RattlePlain {
    type State = Reflected<3>;

    #[inline]
    fn step(
        &self,
        _: u64,
        Reflected { q: [theta, x, y], v_post: [w, vx, vy] }: Reflected<3>,
    ) -> Reflected<3> {
        let q = [theta + H * w, x + H * vx, y + H * vy];
        let (s, c) = q[0].sin_cos();
        let defect = self.0.a * w + s * vx - c * vy;
        let side = self.0.blade * defect;
        Reflected { q, v_post: [w - self.0.turn * defect, vx - s * side, vy + c * side] }
    }

    fn phase(&self, _: u64, Reflected { q, v_post: [w, vx, vy] }: Reflected<3>) -> Phase {
        let (s, c) = q[0].sin_cos();
        let defect = (self.0.a * w + s * vx - c * vy) / 2.0;
        let side = self.0.blade * defect;
        (q.to_vec(), vec![w - self.0.turn * defect, vx - s * side, vy + c * side])
    }
}

/// RATTLE in the frame of the body: forward and sideways velocity (u, r), which turn by −hω from node to
/// node, while the heading's (cos, sin) turn by hω. Both rotations are of a small angle, for which short
/// series do; position and heading are found beside the chain of (ω, u, r), which needs no heading.
struct RattleBest(Constants);

/// State of [`RattleBest`].
#[derive(Clone, Copy)]
struct InBody {
    theta: f64,
    heading: (f64, f64),
    x: f64,
    y: f64,
    /// ω, u, r after the reflection.
    v: [f64; 3],
}

/// (sin x, cos x) for |x| ≤ 1/8: the next terms of the series are below 2⁻⁵⁴ of the result.
#[inline(always)]
fn small_sin_cos(x: f64) -> (f64, f64) {
    let z = x * x;
    let s = fma(
        z,
        fma(
            z,
            fma(z, fma(z, fma(z, -1.0 / 39916800.0, 1.0 / 362880.0), -1.0 / 5040.0), 1.0 / 120.0),
            -1.0 / 6.0,
        ),
        1.0,
    );
    let c = fma(
        z,
        fma(z, fma(z, fma(z, fma(z, -1.0 / 3628800.0, 1.0 / 40320.0), -1.0 / 720.0), 1.0 / 24.0), -0.5),
        1.0,
    );
    (x * s, c)
}

impl Kernel for RattleBest {
    type State = InBody;

    #[inline]
    fn step(&self, _: u64, state: InBody) -> InBody {
        let InBody { theta, heading: (c, s), x, y, v: [w, u, r] } = state;
        let turn = H * w;
        let (ds, dc) = small_sin_cos(turn);
        let (c1, s1) = (fma(c, dc, -(s * ds)), fma(s, dc, c * ds));
        // Rounding makes (c, s) longer or shorter; one Newton step for the inverse root corrects it.
        let longer = fma(c1, c1, fma(s1, s1, -1.0));
        let (c1, s1) = (fma(-0.5 * longer, c1, c1), fma(-0.5 * longer, s1, s1));
        let (vx, vy) = (fma(c, u, -(s * r)), fma(s, u, c * r));
        // The same velocity seen from the body at the next node, and its reflection.
        let (u, r) = (fma(u, dc, r * ds), fma(r, dc, -(u * ds)));
        let defect = fma(self.0.a, w, -r);
        InBody {
            theta: theta + turn,
            heading: (c1, s1),
            x: fma(H, vx, x),
            y: fma(H, vy, y),
            v: [fma(-self.0.turn, defect, w), u, fma(self.0.blade, defect, r)],
        }
    }

    fn phase(&self, _: u64, InBody { theta, heading: (c, s), x, y, v: [w, u, r] }: InBody) -> Phase {
        let defect = (self.0.a * w - r) / 2.0;
        let (w, r) = (w - self.0.turn * defect, r + self.0.blade * defect);
        (vec![theta, x, y], vec![w, c * u - s * r, s * u + c * r])
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
        let (s, c) = theta.sin_cos();
        let (bx, by) = (self.side * s, -self.side * c);
        loop {
            let (w1, vx1, vy1) = (w + self.turn * ell, vx + bx * ell, vy + by * ell);
            let (s1, c1) = (theta + half * w1).sin_cos();
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
        let (s, c) = theta.sin_cos();
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
        let (s, c) = q[0].sin_cos();
        SMatrix::from([[self.0.a], [s], [-c]])
    }

    fn mu_v_dq(&self, q: &SVector<f64, 3>, v: &SVector<f64, 3>) -> SMatrix<f64, 1, 3> {
        let (s, c) = q[0].sin_cos();
        SMatrix::from([[c * v[1] + s * v[2]], [0.0], [0.0]])
    }
}

fn reflected() -> (SleighCom, Reflected<3>) {
    let (system, state) = start(&MODEL, &Rattle);
    (system, Reflected { q: state.q, v_post: state.v_post })
}

pub(super) fn cases() -> Vec<Case> {
    let case = |method, kind, start| Case { workload: "W3", model: MODEL.name, method, kind, start };
    vec![
        case("rattle", Kind::Plain, || {
            let (system, state) = reflected();
            Loop::boxed(RattlePlain(Constants::new(&system)), state)
        }),
        case("rattle", Kind::Best, || {
            let (system, Reflected { q: [theta, x, y], v_post: [w, vx, vy] }) = reflected();
            let (s, c) = theta.sin_cos();
            let v = [w, c * vx + s * vy, c * vy - s * vx];
            Loop::boxed(RattleBest(Constants::new(&system)), InBody { theta, heading: (c, s), x, y, v })
        }),
        case("rattle", Kind::Nalgebra, || {
            let (system, s) = start(&MODEL, &Rattle);
            let start = [s.q.into(), s.v_pre.into(), s.v_post.into()];
            Loop::boxed(general::Rattle::new(System(system)), start)
        }),
        case("dla2", Kind::Plain, || {
            let (SleighCom { m, I, a }, s) = start(&MODEL, &Dla2);
            Loop::boxed(Dla2Plain { a, turn: a / I, side: 1.0 / m }, (s.q, s.v, 0.0))
        }),
        case("dla2", Kind::Nalgebra, || {
            let (system, s) = start(&MODEL, &Dla2);
            Loop::boxed(general::Dla2::new(System(system)), (s.q.into(), s.v.into(), SVector::zeros()))
        }),
        case("rk4", Kind::Plain, || {
            let start = (MODEL.initial)(&MODEL.defaults);
            Loop::boxed(Rk4(System(MODEL.defaults.clone())), start)
        }),
    ]
}
