//! G3. The constraints are v⊥ = 0 and l cos φ ω + sin φ v = 0; over a step
//!
//! ```text
//! ω = S u,   v = −l C u,   S = sin φ + sin φ',   C = cos φ + cos φ'.
//! ```
//!
//! φ' and ψ' follow from the momenta of steering and rotor, and u alone is unknown. The basis of the admissible velocities
//! at a node is (1, 0, 0, 0, 0), (0, 1, 0, 0, 0), (0, 0, sin φ, −l cos φ, 0).

use super::{Turn, initial, is_last, moved};
use crate::expert::sin_cos;
use crate::{H, Kernel, Loop, Phase, Run};
use nhi_models::lie::snakeboard::{MODEL, Snakeboard};

struct Board(Snakeboard);

#[derive(Clone, Copy)]
struct State {
    psi: f64,
    phi: f64,
    /// Sine and cosine of φ.
    sines: (f64, f64),
    pose: [f64; 3],
    momentum: [f64; 3],
    /// Torques of the rotor and the steering times h/2.
    kick: [f64; 2],
    /// u of the last two steps.
    last: [f64; 2],
}

impl Board {
    #[inline(always)]
    fn kick(&self, k: u64) -> [f64; 2] {
        let (Snakeboard { c1, w1, c2, w2, .. }, t) = (&self.0, k as f64 * H);
        let (_, cos) = sin_cos(w1 * t);
        let (sin, _) = sin_cos(w2 * t);
        [0.5 * H * c1 * cos, 0.5 * H * c2 * sin]
    }

    /// Factor of the third vector of the basis in a velocity with momentum P₃ along it, and P₁ of the rotor.
    #[inline(always)]
    fn along(&self, (sin, cos): (f64, f64), [p1, _, p3]: [f64; 3]) -> f64 {
        let Snakeboard { m, l, I: rotor, .. } = self.0;
        (p3 - p1 * sin) / ((m * l * l - rotor) * sin * sin + m * l * l * cos * cos)
    }
}

impl Kernel for Board {
    type State = State;

    #[inline]
    fn step(&self, k: u64, state: State) -> State {
        let State { psi, phi, sines: (sin, cos), pose, momentum, kick, last: [last, before] } = state;
        let Snakeboard { m, l, I: rotor, J: wheels, .. } = self.0;
        let spin = momentum[0] + kick[0];
        let steer = momentum[1] + kick[1];
        let phi = phi + H / (2.0 * wheels) * steer;
        let sines = sin_cos(phi);
        let (turn, ahead) = (sin + sines.0, -l * (cos + sines.1));
        let (yaw, lever) = (m * l * l - rotor, l * cos);
        let mut u = 2.0 * last - before;
        loop {
            let (omega, v) = (turn * u, ahead * u);
            let Turn { w, q, dw, dq } = Turn::of(omega);
            let first = yaw * omega + spin + m * H * w * v * v;
            let f = sin * first - lever * m * q * v - momentum[2];
            let slope = yaw * turn + m * H * (dw * turn * v + 2.0 * w * ahead) * v;
            let slope = sin * slope - lever * m * (dq * turn * v + q * ahead);
            let update = -f / slope;
            u += update;
            if is_last(update * update, u * u) {
                break;
            }
        }
        let (omega, v) = (turn * u, ahead * u);
        let Turn { w, q, .. } = Turn::of(omega);
        let first = yaw * omega + spin + m * H * w * v * v;
        let next = self.kick(k + 1);
        State {
            psi: psi + H * (spin / rotor - omega),
            phi,
            sines,
            pose: moved(pose, [omega, v, 0.0]),
            momentum: [spin + next[0], steer + next[1], sines.0 * first - l * sines.1 * m * q * v],
            kick: next,
            last: [u, last],
        }
    }

    fn phase(&self, _: u64, State { psi, phi, sines, pose, momentum, .. }: State) -> Phase {
        let Snakeboard { l, I: rotor, J: wheels, .. } = self.0;
        let u = self.along(sines, momentum);
        let (omega, v) = (sines.0 * u, -l * sines.1 * u);
        let rates = vec![momentum[0] / rotor - omega, momentum[1] / (2.0 * wheels), omega, v, 0.0];
        ([&[psi, phi], &pose[..]].concat(), rates)
    }
}

pub(super) fn start() -> Box<dyn Run> {
    let (system, q, v) = initial(&MODEL);
    let Snakeboard { m, l, I: rotor, J: wheels, .. } = system;
    let sines @ (sin, cos) = sin_cos(q[1]);
    let spin = rotor * (v[0] + v[2]);
    let yaw = m * l * l * v[2] + rotor * v[0];
    let momentum = [spin, 2.0 * wheels * v[1], sin * yaw - l * cos * m * v[3]];
    let board = Board(system);
    // ω = 2 sin φ u.
    let u = 0.5 * board.along(sines, momentum);
    let (kick, pose) = (board.kick(0), [q[2], q[3], q[4]]);
    Loop::boxed(board, State { psi: q[0], phi: q[1], sines, pose, momentum, kick, last: [u; 2] })
}
