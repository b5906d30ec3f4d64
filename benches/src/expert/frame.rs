//! The frame method by hand. The state is q with the components ν of the velocity in the frame; the velocity itself is computed
//! where it is asked for.

use super::{sin_cos, start};
use crate::{Case, H, Kernel, Kind, Loop, Phase};
use nhi_models::sleigh_com::SleighCom;
use nhi_models::snakeboard::Snakeboard;
use nhi_models::{contact_oscillator, sleigh_com, snakeboard};
use nhi_runtime::Frame;
use std::f64::consts::PI;

const HALF: f64 = H / 2.0;

/// W1 with the frame (0, 1, 0), n (−y, 0, 1), n = (1 + y²)^(−1/2), whose structure functions vanish: each component is an
/// oscillator whose equation is linear.
struct ContactOscillator;

/// The factor 1/(1 + h²/4) of the linear equations.
const IMPLICIT: f64 = 1.0 / (1.0 + HALF * HALF);

impl Kernel for ContactOscillator {
    type State = ([f64; 3], [f64; 2]);

    #[inline]
    fn step(&self, _: u64, ([x, y, z], [rate, along]): Self::State) -> Self::State {
        let rate_mid = IMPLICIT * (rate - HALF * y);
        let y_mid = y + HALF * rate_mid;
        let n = 1.0 / (1.0 + y_mid * y_mid).sqrt();
        let along_mid = IMPLICIT * (along - HALF * n * (z - y_mid * x));
        let vz = n * along_mid;
        ([x - H * y_mid * vz, y + H * rate_mid, z + H * vz], [2.0 * rate_mid - rate, 2.0 * along_mid - along])
    }

    fn phase(&self, _: u64, (q, [rate, along]): Self::State) -> Phase {
        let n = 1.0 / (1.0 + q[1] * q[1]).sqrt();
        (q.to_vec(), vec![-q[1] * n * along, rate, n * along])
    }
}

/// W3 with the angular velocity ω and the velocity u along the blade: dω/dt = −κ u ω, du/dt = a ω² for κ = m a/(I + m a²). Newton's
/// method for the mean of ω.
struct Sleigh {
    a: f64,
    kappa: f64,
    m: f64,
    inertia: f64,
}

impl Kernel for Sleigh {
    type State = ([f64; 3], [f64; 2]);

    #[inline]
    fn step(&self, _: u64, ([theta, x, y], [w, u]): Self::State) -> Self::State {
        let (k, cubic) = (HALF * self.kappa, HALF * self.kappa * HALF * self.a);
        let scale = self.inertia * w * w + self.m * u * u;
        let linear = 1.0 + k * u;
        let mut w_mid = w;
        loop {
            let square = cubic * w_mid * w_mid;
            let delta = (w - w_mid * (linear + square)) / (linear + 3.0 * square);
            w_mid += delta;
            // The iteration converges quadratically: the next update would be rounding.
            if self.inertia * delta * delta <= 1e-16 * scale {
                break;
            }
        }
        let u_mid = u + HALF * self.a * w_mid * w_mid;
        let (s, c) = sin_cos(theta + HALF * w_mid);
        let side = self.a * w_mid;
        let q = [theta + H * w_mid, x + H * (u_mid * c - side * s), y + H * (u_mid * s + side * c)];
        (q, [2.0 * w_mid - w, 2.0 * u_mid - u])
    }

    fn phase(&self, _: u64, (q, [w, u]): Self::State) -> Phase {
        let (s, c) = q[0].sin_cos();
        let side = self.a * w;
        (q.to_vec(), vec![w, u * c - side * s, u * s + side * c])
    }
}

/// W4 with the rates of the steering angle φ and of the rotor in space, and the motion of the board along
/// (0, 0, −sin φ, l cos φ cos θ, l cos φ sin θ), all of which change by torques alone.
struct Board {
    l: f64,
    yaw: f64,
    rotor: f64,
    rotor_kick: f64,
    steering_kick: f64,
    torque: f64,
    rates: [f64; 2],
}

impl Board {
    fn new(s: &Snakeboard) -> Board {
        Board {
            l: s.l,
            yaw: s.m * s.l * s.l,
            rotor: s.I,
            rotor_kick: HALF * s.Apsi / s.I,
            steering_kick: HALF * s.Aphi / (2.0 * s.J),
            torque: HALF * s.Apsi,
            rates: [s.wpsi * PI, s.wphi * PI],
        }
    }

    /// 1 over the root of the inertia of the motion of the board, from sin φ.
    fn norm(&self, s: f64) -> f64 {
        1.0 / (self.yaw - self.rotor * s * s).sqrt()
    }
}

impl Kernel for Board {
    type State = ([f64; 5], [f64; 3]);

    #[inline]
    fn step(&self, k: u64, ([psi, phi, theta, x, y], [spin, rate, along]): Self::State) -> Self::State {
        let t = k as f64 * H + HALF;
        let (_, rotor) = sin_cos(self.rates[0] * t);
        let (steering, _) = sin_cos(self.rates[1] * t);
        let spin_mid = spin + self.rotor_kick * rotor;
        let rate_mid = rate + self.steering_kick * steering;
        let (s, c) = sin_cos(phi + HALF * rate_mid);
        let n = self.norm(s);
        let along_mid = along + self.torque * rotor * s * n;
        let eta = n * along_mid;
        let turn = -s * eta;
        let (sin, cos) = sin_cos(theta + HALF * turn);
        let ahead = self.l * c * eta;
        let q = [
            psi + H * (spin_mid - turn),
            phi + H * rate_mid,
            theta + H * turn,
            x + H * ahead * cos,
            y + H * ahead * sin,
        ];
        (q, [2.0 * spin_mid - spin, 2.0 * rate_mid - rate, 2.0 * along_mid - along])
    }

    fn phase(&self, _: u64, (q, [spin, rate, along]): Self::State) -> Phase {
        let ((s, c), (sin, cos)) = (q[1].sin_cos(), q[2].sin_cos());
        let eta = self.norm(s) * along;
        let ahead = self.l * c * eta;
        (q.to_vec(), vec![spin + s * eta, rate, -s * eta, ahead * cos, ahead * sin])
    }
}

pub(super) fn cases() -> Vec<Case> {
    let case = |workload, model, start| Case { workload, model, method: "frame", kind: Kind::Plain, start };
    vec![
        case("W1", contact_oscillator::MODEL.name, || {
            let (_, s) = start(&contact_oscillator::MODEL, &Frame);
            let [vx, vy, vz] = s.after;
            let n = 1.0 / (1.0 + s.q[1] * s.q[1]).sqrt();
            Loop::boxed(ContactOscillator, (s.q, [vy, n * (vz - s.q[1] * vx)]))
        }),
        case("W3", sleigh_com::MODEL.name, || {
            let (SleighCom { m, I, a }, s) = start(&sleigh_com::MODEL, &Frame);
            let ((sin, cos), [w, vx, vy]) = (s.q[0].sin_cos(), s.after);
            let inertia = I + m * a * a;
            Loop::boxed(Sleigh { a, kappa: m * a / inertia, m, inertia }, (s.q, [w, vx * cos + vy * sin]))
        }),
        case("W4", snakeboard::MODEL.name, || {
            let (system, s) = start(&snakeboard::MODEL, &Frame);
            let board = Board::new(&system);
            let ((sin, cos), [psi, phi, theta, vx, vy]) = (s.q[2].sin_cos(), s.after);
            let eta = (vx * cos + vy * sin) / (board.l * s.q[1].cos());
            let along = eta / board.norm(s.q[1].sin());
            Loop::boxed(board, (s.q, [psi + theta, phi, along]))
        }),
    ]
}
