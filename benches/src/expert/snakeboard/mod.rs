//! W4, q = (ψ, φ, θ, x, y). Half the sum and half the difference of the two constraints are
//!
//! ```text
//! (1)  −sin θ dx + cos θ dy = 0,   (2)  l cos φ dθ + sin φ (cos θ dx + sin θ dy) = 0
//! ```
//!
//! (the first divided by cos φ), orthogonal with respect to M⁻¹: C = diag(1/m, l²cos²φ/(ml² − I) + sin²φ/m).

mod best;

use super::general::{self, Mechanical};
use super::rk4::{Field, Rk4};
use super::{sin_cos, start};
use crate::{Case, H, Kernel, Kind, Loop, Phase, Run};
use nalgebra::{SMatrix, SVector};
use nhi_models::snakeboard::{MODEL, Snakeboard};
use nhi_runtime::{Dla2, Rattle};
use std::f64::consts::PI;

type Q = [f64; 5];

/// Torques and constants of the reaction.
#[derive(Clone, Copy)]
pub(crate) struct Constants {
    pub(crate) l: f64,
    /// l/(ml² − I), what a reaction (2) does to θ.
    pub(crate) turn: f64,
    pub(crate) inv_m: f64,
    /// What the torques of (1) rotor and steering do: h/2 times their accelerations.
    rotor: [f64; 2],
    steering: f64,
    rotor_rate: f64,
    steering_rate: f64,
}

impl Constants {
    pub(crate) fn new(s: &Snakeboard) -> Self {
        let yaw = s.m * s.l * s.l;
        let half = H / 2.0;
        Constants {
            l: s.l,
            turn: s.l / (yaw - s.I),
            inv_m: 1.0 / s.m,
            rotor: [half * s.Apsi * yaw / (s.I * (yaw - s.I)), -half * s.Apsi / (yaw - s.I)],
            steering: half * s.Aphi / (2.0 * s.J),
            rotor_rate: s.wpsi * PI,
            steering_rate: s.wphi * PI,
        }
    }

    /// h/2 M⁻¹f on (ψ, φ, θ).
    #[inline(always)]
    pub(crate) fn kick(&self, sin_cos: impl Fn(f64) -> (f64, f64), t: f64) -> [f64; 3] {
        let (_, cos) = sin_cos(self.rotor_rate * t);
        let (sin, _) = sin_cos(self.steering_rate * t);
        [self.rotor[0] * cos, self.steering * sin, self.rotor[1] * cos]
    }

    /// v − `times` B σ at a node.
    #[inline(always)]
    fn without_normal(
        &self,
        sin_cos: impl Fn(f64) -> (f64, f64),
        times: f64,
        q: &Q,
        [psi, phi, theta, x, y]: Q,
    ) -> Q {
        let (st, ct) = sin_cos(q[2]);
        let (sp, cp) = sin_cos(q[1]);
        let (side, ahead) = (times * (ct * y - st * x), ct * x + st * y);
        let (lever, bend) = (self.l * cp, sp * self.inv_m);
        let sigma = times * (lever * theta + sp * ahead) / (lever * self.turn * cp + sp * bend);
        let twist = self.turn * cp * sigma;
        let slow = bend * sigma;
        [psi + twist, phi, theta - twist, x + st * side - ct * slow, y - ct * side - st * slow]
    }

    /// The velocity at the node k h, between those before and after it, from that of the coming step.
    fn node(&self, k: u64, q: &Q, d: Q) -> Q {
        let [psi, phi, theta] = self.kick(sin_cos, k as f64 * H);
        self.without_normal(sin_cos, 1.0, q, [d[0] - psi, d[1] - phi, d[2] - theta, d[3], d[4]])
    }
}

/// RATTLE in (q_k, v_{k+1/2}).
struct RattlePlain<F>(Constants, F);

impl<F: Fn(f64) -> (f64, f64)> Kernel for RattlePlain<F> {
    /// Time is that of the node.
    type State = (Q, Q);

    #[inline]
    fn step(&self, k: u64, (q, d): (Q, Q)) -> (Q, Q) {
        let q: Q = core::array::from_fn(|i| q[i] + H * d[i]);
        let [psi, phi, theta] = self.0.kick(&self.1, (k + 1) as f64 * H);
        let pre = [d[0] + psi, d[1] + phi, d[2] + theta, d[3], d[4]];
        let post = self.0.without_normal(&self.1, 2.0, &q, pre);
        (q, [post[0] + psi, post[1] + phi, post[2] + theta, post[3], post[4]])
    }

    fn phase(&self, k: u64, (q, d): (Q, Q)) -> Phase {
        (q.to_vec(), self.0.node(k, &q, d).to_vec())
    }
}

/// `dla2` with the constraints (1) and (2) and Newton's method for their impulses.
struct Dla2Plain(Constants);

impl Kernel for Dla2Plain {
    /// q, v and the last impulses, where the iteration starts.
    type State = (Q, Q, [f64; 2]);

    #[inline]
    fn step(&self, k: u64, (q, v, [mut l1, mut l2]): Self::State) -> Self::State {
        let half = H / 2.0;
        let q: Q = core::array::from_fn(|i| q[i] + half * v[i]);
        let [psi, phi, theta] = self.0.kick(sin_cos, (k as f64 + 0.5) * H);
        let (w_psi, w_phi, w_theta) = (v[0] + 2.0 * psi, v[1] + 2.0 * phi, v[2] + 2.0 * theta);
        let phi1 = q[1] + half * w_phi;
        let (st, ct) = sin_cos(q[2]);
        let (sp, cp) = sin_cos(q[1]);
        let (sp1, cp1) = sin_cos(phi1);
        let inv_m = self.0.inv_m;
        let (twist, lever) = (self.0.turn * cp, self.0.l * cp1);
        let (bx1, by1, bx2, by2) = (-st * inv_m, ct * inv_m, sp * ct * inv_m, sp * st * inv_m);
        let energy = w_theta * w_theta + v[3] * v[3] + v[4] * v[4];
        loop {
            let omega = w_theta + twist * l2;
            let (x, y) = (v[3] + bx1 * l1 + bx2 * l2, v[4] + by1 * l1 + by2 * l2);
            let (s, c) = sin_cos(q[2] + half * omega);
            let (side, ahead) = (c * y - s * x, c * x + s * y);
            let (r1, r2) = (side, lever * omega + sp1 * ahead);
            let j11 = c * by1 - s * bx1;
            let j12 = c * by2 - s * bx2 - half * twist * ahead;
            let j21 = sp1 * (c * bx1 + s * by1);
            let j22 = lever * twist + sp1 * (c * bx2 + s * by2 + half * twist * side);
            let det = 1.0 / (j11 * j22 - j12 * j21);
            let (d1, d2) = (det * (j12 * r2 - j22 * r1), det * (j21 * r1 - j11 * r2));
            l1 += d1;
            l2 += d2;
            // The iteration converges quadratically: the next update would be rounding.
            if d1 * d1 + d2 * d2 <= 1e-16 * (energy + l1 * l1 + l2 * l2) {
                break;
            }
        }
        let v = [
            w_psi - twist * l2,
            w_phi,
            w_theta + twist * l2,
            v[3] + bx1 * l1 + bx2 * l2,
            v[4] + by1 * l1 + by2 * l2,
        ];
        let along = |i: usize| q[i] + half * v[i];
        ([along(0), phi1, along(2), along(3), along(4)], v, [l1, l2])
    }

    fn phase(&self, _: u64, (q, v, _): Self::State) -> Phase {
        (q.to_vec(), v.to_vec())
    }
}

struct System(Snakeboard);

impl Field<5> for System {
    #[inline]
    fn acceleration(&self, t: f64, q: &Q, v: &Q) -> Q {
        let s = &self.0;
        let yaw = s.m * s.l * s.l;
        let (torque, steer) = (s.Apsi * sin_cos(s.wpsi * PI * t).1, s.Aphi * sin_cos(s.wphi * PI * t).0);
        let free_psi = torque * yaw / (s.I * (yaw - s.I));
        let free_theta = -torque / (yaw - s.I);
        let [_, phi, theta, _, _] = *q;
        let [_, w_phi, w, vx, vy] = *v;
        let (sp, cp) = sin_cos(phi);
        let (st, ct) = sin_cos(theta);
        let (sb, cb) = sin_cos(theta + phi);
        let (sf, cf) = sin_cos(theta - phi);
        // ∂(μv)/∂q·v of the two constraints as they are declared.
        let bend = s.l * sp * w_phi * w;
        let back = bend - (w + w_phi) * (cb * vx + sb * vy);
        let front = -bend - (w - w_phi) * (cf * vx + sf * vy);
        let (r1, r2) = ((back + front) / (2.0 * cp), (front - back) / 2.0);
        let lambda1 = -s.m * r1;
        let c2 = s.l * s.l * cp * cp / (yaw - s.I) + sp * sp / s.m;
        let lambda2 = -(s.l * cp * free_theta + r2) / c2;
        let twist = s.l * cp / (yaw - s.I) * lambda2;
        let slow = sp / s.m * lambda2;
        let side = lambda1 / s.m;
        [
            free_psi - twist,
            steer / (2.0 * s.J),
            free_theta + twist,
            ct * slow - st * side,
            st * slow + ct * side,
        ]
    }
}

impl Mechanical<5, 2> for System {
    fn mass_inv(&self) -> SMatrix<f64, 5, 5> {
        let s = &self.0;
        let yaw = s.m * s.l * s.l;
        let det = s.I * (yaw - s.I);
        let mut inverse = SMatrix::<f64, 5, 5>::from_diagonal(
            &[yaw / det, 1.0 / (2.0 * s.J), s.I / det, 1.0 / s.m, 1.0 / s.m].into(),
        );
        (inverse[(0, 2)], inverse[(2, 0)]) = (-s.I / det, -s.I / det);
        inverse
    }

    fn force(&self, _: &SVector<f64, 5>, t: f64) -> SVector<f64, 5> {
        let s = &self.0;
        let (torque, steer) = (s.Apsi * sin_cos(s.wpsi * PI * t).1, s.Aphi * sin_cos(s.wphi * PI * t).0);
        [torque, steer, 0.0, 0.0, 0.0].into()
    }

    fn mu(&self, q: &SVector<f64, 5>) -> SMatrix<f64, 2, 5> {
        let lever = self.0.l * sin_cos(q[1]).1;
        let (sb, cb) = sin_cos(q[2] + q[1]);
        let (sf, cf) = sin_cos(q[2] - q[1]);
        SMatrix::from([[0.0, 0.0], [0.0, 0.0], [-lever, lever], [-sb, -sf], [cb, cf]])
    }

    fn mu_v_dq(&self, q: &SVector<f64, 5>, v: &SVector<f64, 5>) -> SMatrix<f64, 2, 5> {
        let bend = self.0.l * sin_cos(q[1]).0 * v[2];
        let (sb, cb) = sin_cos(q[2] + q[1]);
        let (sf, cf) = sin_cos(q[2] - q[1]);
        let (back, front) = (-cb * v[3] - sb * v[4], -cf * v[3] - sf * v[4]);
        SMatrix::from([[0.0, 0.0], [back + bend, -front - bend], [back, front], [0.0, 0.0], [0.0, 0.0]])
    }
}

/// RATTLE's velocity of the first step.
fn half_step() -> (Snakeboard, Q, Q) {
    let (system, s) = start(&MODEL, &Rattle);
    let ([psi, phi, theta], v) = (Constants::new(&system).kick(sin_cos, 0.0), s.after);
    (system, s.q, [v[0] + psi, v[1] + phi, v[2] + theta, v[3], v[4]])
}

fn rattle_best<const FUSED: bool>() -> Box<dyn Run> {
    let (system, q, d) = half_step();
    let kernel = best::Rattle::<FUSED>::new(Constants::new(&system));
    let state = kernel.state(q, d);
    Loop::boxed(kernel, state)
}

fn dla2_best<const FUSED: bool>() -> Box<dyn Run> {
    let (system, s) = start(&MODEL, &Dla2);
    let kernel = best::Dla2::<FUSED>::new(Constants::new(&system));
    let state = kernel.state(s.q, s.after);
    Loop::boxed(kernel, state)
}

pub(super) fn cases() -> Vec<Case> {
    let case = |method, kind, start| Case { workload: "W4", model: MODEL.name, method, kind, start };
    vec![
        case("rattle", Kind::Plain, || {
            let (system, q, d) = half_step();
            Loop::boxed(RattlePlain(Constants::new(&system), sin_cos), (q, d))
        }),
        case("rattle", Kind::Platform, || {
            let (system, q, d) = half_step();
            Loop::boxed(RattlePlain(Constants::new(&system), f64::sin_cos), (q, d))
        }),
        case("rattle", Kind::Best, rattle_best::<false>),
        case("rattle", Kind::BestFused, rattle_best::<true>),
        case("rattle", Kind::Nalgebra, || {
            let (system, s) = start(&MODEL, &Rattle);
            let start = [s.q.into(), s.before.into(), s.after.into()];
            Loop::boxed(general::Rattle::new(System(system)), start)
        }),
        case("dla2", Kind::Plain, || {
            let (system, s) = start(&MODEL, &Dla2);
            Loop::boxed(Dla2Plain(Constants::new(&system)), (s.q, s.after, [0.0; 2]))
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
