//! G2: d = (φ', ω, Rφ', 0).

use super::{Turn, initial, is_last, moved};
use crate::{H, Kernel, Loop, Phase, Run};
use nhi_models::lie::vertical_disk::{MODEL, VerticalDisk};

struct Disk {
    system: VerticalDisk,
    /// I + m R².
    axle: f64,
}

#[derive(Clone, Copy)]
struct State {
    phi: f64,
    pose: [f64; 3],
    momentum: [f64; 2],
    /// (φ', ω) of the last two steps.
    last: [[f64; 2]; 2],
}

impl Kernel for Disk {
    type State = State;

    #[inline]
    fn step(&self, _: u64, State { phi, pose, momentum: [p1, p2], last: [last, before] }: State) -> State {
        let VerticalDisk { m, I: axle, J: heading, R: radius } = self.system;
        let [mut roll, mut omega] = [0, 1].map(|i| 2.0 * last[i] - before[i]);
        let size = p1 * p1 / self.axle + p2 * p2 / heading;
        let mass = m * radius * radius;
        loop {
            let Turn { w, q, dw, dq } = Turn::of(omega);
            let f1 = (axle + mass * q) * roll - p1;
            let f2 = heading * omega + mass * H * w * roll * roll - p2;
            let (j11, j12) = (axle + mass * q, mass * dq * roll);
            let (j21, j22) = (2.0 * mass * H * w * roll, heading + mass * H * dw * roll * roll);
            let det = 1.0 / (j11 * j22 - j12 * j21);
            let (d1, d2) = (det * (j12 * f2 - j22 * f1), det * (j21 * f1 - j11 * f2));
            (roll, omega) = (roll + d1, omega + d2);
            if is_last(self.axle * d1 * d1 + heading * d2 * d2, size) {
                break;
            }
        }
        let Turn { w, q, .. } = Turn::of(omega);
        let momentum = [(axle + mass * q) * roll, heading * omega + mass * H * w * roll * roll];
        let pose = moved(pose, [omega, radius * roll, 0.0]);
        State { phi: phi + H * roll, pose, momentum, last: [[roll, omega], last] }
    }

    fn phase(&self, _: u64, State { phi, pose, momentum: [p1, p2], .. }: State) -> Phase {
        let roll = p1 / self.axle;
        let v = vec![roll, p2 / self.system.J, self.system.R * roll, 0.0];
        ([&[phi], &pose[..]].concat(), v)
    }
}

pub(super) fn start() -> Box<dyn Run> {
    let (system, q, v) = initial(&MODEL);
    let axle = system.I + system.m * system.R * system.R;
    let momentum = [axle * v[0], system.J * v[1]];
    let state = State { phi: q[0], pose: [q[1], q[2], q[3]], momentum, last: [[v[0], v[1]]; 2] };
    Loop::boxed(Disk { system, axle }, state)
}
