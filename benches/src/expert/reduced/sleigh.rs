//! G1: d = (ω, v, aω).

use super::{Turn, initial, is_last, moved};
use crate::{H, Kernel, Loop, Phase, Run};
use nhi_models::lie::chaplygin_sleigh::{ChaplyginSleigh, MODEL};

/// With M restricted to the admissible velocities.
struct Sleigh {
    system: ChaplyginSleigh,
    inertia: f64,
}

#[derive(Clone, Copy)]
struct State {
    pose: [f64; 3],
    momentum: [f64; 2],
    /// (ω, v) of the last two steps.
    last: [[f64; 2]; 2],
}

impl Kernel for Sleigh {
    type State = State;

    #[inline]
    fn step(&self, _: u64, State { pose, momentum: [p1, p2], last: [last, before] }: State) -> State {
        let ChaplyginSleigh { m, I: inertia, a } = self.system;
        let [mut omega, mut v] = [0, 1].map(|i| 2.0 * last[i] - before[i]);
        let size = p1 * p1 / self.inertia + p2 * p2 / m;
        loop {
            let Turn { w, q, dw, dq } = Turn::of(omega);
            let (x, side) = (H * omega, a * omega);
            let (along, square) = (q * side + 0.5 * x * v, v * v + side * side);
            let f1 = inertia * omega + m * (H * w * square + a * along) - p1;
            let f2 = m * (q * v - 0.5 * x * side) - p2;
            let j11 = inertia
                + m * (H * (dw * square + 2.0 * w * a * side) + a * (dq * side + q * a + 0.5 * H * v));
            let j12 = m * (2.0 * H * w * v + 0.5 * a * x);
            let (j21, j22) = (m * (dq * v - a * x), m * q);
            let det = 1.0 / (j11 * j22 - j12 * j21);
            let (d1, d2) = (det * (j12 * f2 - j22 * f1), det * (j21 * f1 - j11 * f2));
            (omega, v) = (omega + d1, v + d2);
            if is_last(self.inertia * d1 * d1 + m * d2 * d2, size) {
                break;
            }
        }
        let Turn { w, q, .. } = Turn::of(omega);
        let (x, side) = (H * omega, a * omega);
        let first = inertia * omega + m * H * w * (v * v + side * side);
        let momentum = [first + a * m * (q * side - 0.5 * x * v), m * (q * v + 0.5 * x * side)];
        State { pose: moved(pose, [omega, v, side]), momentum, last: [[omega, v], last] }
    }

    fn phase(&self, _: u64, State { pose, momentum: [p1, p2], .. }: State) -> Phase {
        let omega = p1 / self.inertia;
        (pose.to_vec(), vec![omega, p2 / self.system.m, self.system.a * omega])
    }
}

pub(super) fn start() -> Box<dyn Run> {
    let (system, q, v) = initial(&MODEL);
    let inertia = system.I + system.m * system.a * system.a;
    let momentum = [inertia * v[0], system.m * v[1]];
    let last = [[v[0], v[1]]; 2];
    Loop::boxed(Sleigh { system, inertia }, State { pose: [q[0], q[1], q[2]], momentum, last })
}
