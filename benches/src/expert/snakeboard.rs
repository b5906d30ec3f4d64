//! W4, q = (ψ, φ, θ, x, y). Half the sum and half the difference of the two constraints are
//!
//! ```text
//! (1)  −sin θ dx + cos θ dy = 0,   (2)  l cos φ dθ + sin φ (cos θ dx + sin θ dy) = 0
//! ```
//!
//! (the first divided by cos φ), orthogonal with respect to M⁻¹: C = diag(1/m, l²cos²φ/(ml² − I) + sin²φ/m).

use super::general::{self, Mechanical};
use super::rk4::{Field, Rk4};
use super::{Reflected, fma};
use crate::generated::start;
use crate::{Case, H, Kernel, Kind, Loop, Phase};
use nalgebra::{SMatrix, SVector};
use nhi_models::snakeboard::{MODEL, Snakeboard};
use nhi_runtime::{Dla2, Rattle};
use std::f64::consts::PI;

type Q = [f64; 5];

/// Torques and constants of the reaction.
#[derive(Clone, Copy)]
struct Constants {
    l: f64,
    /// l/(ml² − I), what a reaction (2) does to θ.
    turn: f64,
    inv_m: f64,
    /// What the torques of (1) rotor and steering do: h/2 times their accelerations.
    rotor: [f64; 2],
    steering: f64,
    rotor_rate: f64,
    steering_rate: f64,
}

impl Constants {
    fn new(s: &Snakeboard) -> Self {
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
    fn kick(&self, t: f64) -> [f64; 3] {
        let cos = (self.rotor_rate * t).cos();
        [self.rotor[0] * cos, self.steering * (self.steering_rate * t).sin(), self.rotor[1] * cos]
    }

    /// v − `times` B σ at a node.
    #[inline(always)]
    fn without_normal(&self, times: f64, q: &Q, [psi, phi, theta, x, y]: Q) -> Q {
        let (st, ct) = q[2].sin_cos();
        let (sp, cp) = q[1].sin_cos();
        let (side, ahead) = (times * (ct * y - st * x), ct * x + st * y);
        let (lever, bend) = (self.l * cp, sp * self.inv_m);
        let sigma = times * (lever * theta + sp * ahead) / (lever * self.turn * cp + sp * bend);
        let twist = self.turn * cp * sigma;
        let slow = bend * sigma;
        [psi + twist, phi, theta - twist, x + st * side - ct * slow, y - ct * side - st * slow]
    }

    /// The velocity at the node k h, between those before and after it, from that of the coming step.
    fn node(&self, k: u64, q: &Q, d: Q) -> Q {
        let [psi, phi, theta] = self.kick(k as f64 * H);
        self.without_normal(1.0, q, [d[0] - psi, d[1] - phi, d[2] - theta, d[3], d[4]])
    }
}

/// RATTLE in (q_k, v_{k+1/2}).
struct RattlePlain(Constants);

impl Kernel for RattlePlain {
    /// Time is that of the node.
    type State = (Q, Q);

    #[inline]
    fn step(&self, k: u64, (q, d): (Q, Q)) -> (Q, Q) {
        let q: Q = core::array::from_fn(|i| q[i] + H * d[i]);
        let [psi, phi, theta] = self.0.kick((k + 1) as f64 * H);
        let pre = [d[0] + psi, d[1] + phi, d[2] + theta, d[3], d[4]];
        let post = self.0.without_normal(2.0, &q, pre);
        (q, [post[0] + psi, post[1] + phi, post[2] + theta, post[3], post[4]])
    }

    fn phase(&self, k: u64, (q, d): (Q, Q)) -> Phase {
        (q.to_vec(), self.0.node(k, &q, d).to_vec())
    }
}

/// RATTLE with the half kick before the node in the state instead of that after it, in the frame of the
/// board, whose heading turns by rotations of a small angle; the torques' cosine and sine turn by constant
/// angles and are set anew every 64 steps.
struct RattleBest {
    c: Constants,
    /// cos and sin of the torques' angles per step.
    rotor_turn: (f64, f64),
    steering_turn: (f64, f64),
}

/// State of [`RattleBest`].
#[derive(Clone, Copy)]
struct InBody {
    q: Q,
    /// (cos θ, sin θ).
    heading: (f64, f64),
    /// (cos φ, sin φ).
    wheels: (f64, f64),
    /// ψ, φ, θ, forward and sideways velocity of the coming step.
    d: Q,
    /// (cos, sin) of the rotor's and the steering's angle at the node.
    rotor: (f64, f64),
    steering: (f64, f64),
}

/// (cos x, sin x) for |x| ≤ 1/4 up to rounding.
#[inline(always)]
fn small_rotation(x: f64) -> (f64, f64) {
    let z = x * x;
    let mut s = 1.0 / 6227020800.0;
    for c in [-1.0 / 39916800.0, 1.0 / 362880.0, -1.0 / 5040.0, 1.0 / 120.0, -1.0 / 6.0, 1.0] {
        s = fma(z, s, c);
    }
    let mut c = 1.0 / 479001600.0;
    for d in [-1.0 / 3628800.0, 1.0 / 40320.0, -1.0 / 720.0, 1.0 / 24.0, -0.5, 1.0] {
        c = fma(z, c, d);
    }
    (c, x * s)
}

/// The product of two rotations.
#[inline(always)]
fn turned((c, s): (f64, f64), (dc, ds): (f64, f64)) -> (f64, f64) {
    (fma(c, dc, -(s * ds)), fma(s, dc, c * ds))
}

/// A rotation that rounding has made longer or shorter: one Newton step for the inverse root.
#[inline(always)]
fn unit((c, s): (f64, f64)) -> (f64, f64) {
    let half = -0.5 * fma(c, c, fma(s, s, -1.0));
    (fma(half, c, c), fma(half, s, s))
}

impl RattleBest {
    fn new(s: &Snakeboard) -> Self {
        let c = Constants::new(s);
        let turn = |rate: f64| ((rate * H).cos(), (rate * H).sin());
        RattleBest { c, rotor_turn: turn(c.rotor_rate), steering_turn: turn(c.steering_rate) }
    }
}

impl Kernel for RattleBest {
    type State = InBody;

    #[inline]
    fn step(&self, k: u64, state: InBody) -> InBody {
        let InBody { q, heading, wheels, d, rotor, steering } = state;
        let c = &self.c;
        let (turn, bend) = (H * d[2], H * d[1]);
        let dh = small_rotation(turn);
        let heading1 = unit(turned(heading, dh));
        let wheels1 = unit(turned(wheels, small_rotation(bend)));
        let (x, y) = turned((d[3], d[4]), heading);
        let (mut rotor, mut steering) =
            (turned(rotor, self.rotor_turn), turned(steering, self.steering_turn));
        if k % 64 == 63 {
            let t = (k + 1) as f64 * H;
            let (s, cos) = (c.rotor_rate * t).sin_cos();
            rotor = (cos, s);
            let (s, cos) = (c.steering_rate * t).sin_cos();
            steering = (cos, s);
        }
        let kick = [c.rotor[0] * rotor.0, c.steering * steering.1, c.rotor[1] * rotor.0];
        // The velocity seen from the board at the new node.
        let (ahead, side) = turned((d[3], d[4]), (dh.0, -dh.1));
        let (psi, phi, theta) = (d[0] + kick[0], d[1] + kick[1], d[2] + kick[2]);
        let (cp, sp) = wheels1;
        let (lever, twist, slow) = (c.l * cp, c.turn * cp, c.inv_m * sp);
        let sigma = 2.0 * fma(lever, theta, sp * ahead) / fma(lever, twist, sp * slow);
        InBody {
            q: [fma(H, d[0], q[0]), q[1] + bend, q[2] + turn, fma(H, x, q[3]), fma(H, y, q[4])],
            heading: heading1,
            wheels: wheels1,
            d: [
                fma(twist, sigma, psi + kick[0]),
                phi + kick[1],
                fma(-twist, sigma, theta + kick[2]),
                fma(-slow, sigma, ahead),
                -side,
            ],
            rotor,
            steering,
        }
    }

    fn phase(&self, k: u64, InBody { q, heading, d, .. }: InBody) -> Phase {
        let (x, y) = turned((d[3], d[4]), heading);
        (q.to_vec(), self.c.node(k, &q, [d[0], d[1], d[2], x, y]).to_vec())
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
        let [psi, phi, theta] = self.0.kick((k as f64 + 0.5) * H);
        let (w_psi, w_phi, w_theta) = (v[0] + 2.0 * psi, v[1] + 2.0 * phi, v[2] + 2.0 * theta);
        let phi1 = q[1] + half * w_phi;
        let (st, ct) = q[2].sin_cos();
        let (sp, cp) = q[1].sin_cos();
        let (sp1, cp1) = phi1.sin_cos();
        let inv_m = self.0.inv_m;
        let (twist, lever) = (self.0.turn * cp, self.0.l * cp1);
        let (bx1, by1, bx2, by2) = (-st * inv_m, ct * inv_m, sp * ct * inv_m, sp * st * inv_m);
        let energy = w_theta * w_theta + v[3] * v[3] + v[4] * v[4];
        loop {
            let omega = w_theta + twist * l2;
            let (x, y) = (v[3] + bx1 * l1 + bx2 * l2, v[4] + by1 * l1 + by2 * l2);
            let (s, c) = (q[2] + half * omega).sin_cos();
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
        let (torque, steer) = (s.Apsi * (s.wpsi * PI * t).cos(), s.Aphi * (s.wphi * PI * t).sin());
        let free_psi = torque * yaw / (s.I * (yaw - s.I));
        let free_theta = -torque / (yaw - s.I);
        let [_, phi, theta, _, _] = *q;
        let [_, w_phi, w, vx, vy] = *v;
        let (sp, cp) = phi.sin_cos();
        let (st, ct) = theta.sin_cos();
        let (sb, cb) = (theta + phi).sin_cos();
        let (sf, cf) = (theta - phi).sin_cos();
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
        let (torque, steer) = (s.Apsi * (s.wpsi * PI * t).cos(), s.Aphi * (s.wphi * PI * t).sin());
        [torque, steer, 0.0, 0.0, 0.0].into()
    }

    fn mu(&self, q: &SVector<f64, 5>) -> SMatrix<f64, 2, 5> {
        let lever = self.0.l * q[1].cos();
        let (sb, cb) = (q[2] + q[1]).sin_cos();
        let (sf, cf) = (q[2] - q[1]).sin_cos();
        SMatrix::from([[0.0, 0.0], [0.0, 0.0], [-lever, lever], [-sb, -sf], [cb, cf]])
    }

    fn mu_v_dq(&self, q: &SVector<f64, 5>, v: &SVector<f64, 5>) -> SMatrix<f64, 2, 5> {
        let bend = self.0.l * q[1].sin() * v[2];
        let (sb, cb) = (q[2] + q[1]).sin_cos();
        let (sf, cf) = (q[2] - q[1]).sin_cos();
        let (back, front) = (-cb * v[3] - sb * v[4], -cf * v[3] - sf * v[4]);
        SMatrix::from([[0.0, 0.0], [back + bend, -front - bend], [back, front], [0.0, 0.0], [0.0, 0.0]])
    }
}

fn reflected() -> (Snakeboard, Reflected<5>) {
    let (system, state) = start(&MODEL, &Rattle);
    (system, Reflected { q: state.q, v_post: state.v_post })
}

/// (q, d) of RATTLE at the start.
fn half_step() -> (Snakeboard, Q, Q) {
    let (system, Reflected { q, v_post: v }) = reflected();
    let [psi, phi, theta] = Constants::new(&system).kick(0.0);
    (system, q, [v[0] + psi, v[1] + phi, v[2] + theta, v[3], v[4]])
}

pub(super) fn cases() -> Vec<Case> {
    let case = |method, kind, start| Case { workload: "W4", model: MODEL.name, method, kind, start };
    vec![
        case("rattle", Kind::Plain, || {
            let (system, q, d) = half_step();
            Loop::boxed(RattlePlain(Constants::new(&system)), (q, d))
        }),
        case("rattle", Kind::Best, || {
            let (system, q, d) = half_step();
            let (st, ct) = q[2].sin_cos();
            let (sp, cp) = q[1].sin_cos();
            let (ahead, side) = (ct * d[3] + st * d[4], ct * d[4] - st * d[3]);
            let state = InBody {
                q,
                heading: (ct, st),
                wheels: (cp, sp),
                d: [d[0], d[1], d[2], ahead, side],
                rotor: (1.0, 0.0),
                steering: (1.0, 0.0),
            };
            Loop::boxed(RattleBest::new(&system), state)
        }),
        case("rattle", Kind::Nalgebra, || {
            let (system, s) = start(&MODEL, &Rattle);
            let start = [s.q.into(), s.v_pre.into(), s.v_post.into()];
            Loop::boxed(general::Rattle::new(System(system)), start)
        }),
        case("dla2", Kind::Plain, || {
            let (system, s) = start(&MODEL, &Dla2);
            Loop::boxed(Dla2Plain(Constants::new(&system)), (s.q, s.v, [0.0; 2]))
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
