//! G4 by `rdp`, with two updates of Newton's method in every step.

use super::{Kernel, Rows, extrapolated, history, multiplications};
use crate::Phase;
use crate::expert::reduced::ball::Ball;
use crate::many::{Case, Code, TRAJECTORIES, initial};
use nhi_models::lie::ball_as_printed::MODEL;
use nhi_runtime::{Fused, Scalar, Separate};

const UPDATES: usize = 2;

/// Position, rotation, momentum, and ω of the last three steps.
type State<T> = [T; 23];

/// Takes the step with `updates` updates.
#[inline(always)]
fn step<T: Scalar>(ball: &Ball, state: State<T>, updates: usize) -> State<T> {
    let of = |from: usize| [state[from], state[from + 1], state[from + 2]];
    let (position, momentum) = ([state[0], state[1]], of(11));
    let last = [of(14), of(17), of(20)];
    let mut omega = extrapolated(last);
    for _ in 0..updates {
        let update = ball.update(position, momentum, omega);
        omega = [0, 1, 2].map(|i| omega[i] + update[i]);
    }
    let rotation = [of(2), of(5), of(8)];
    let ([x, y], [a, b, c], momentum) = ball.arrived(position, rotation, omega);
    flat([x, y], [a, b, c, momentum, omega, last[0], last[1]])
}

#[inline(always)]
fn flat<T: Copy>([x, y]: [T; 2], rest: [[T; 3]; 7]) -> State<T> {
    let rest = rest.as_flattened();
    std::array::from_fn(|i| match i {
        0 => x,
        1 => y,
        i => rest[i - 2],
    })
}

impl Kernel<23> for Ball {
    #[inline(always)]
    fn step<T: Scalar>(&self, _: u64, state: State<T>) -> State<T> {
        step(self, state, UPDATES)
    }

    fn phase(&self, state: State<f64>) -> Phase {
        let v = self.velocity([state[0], state[1]], [state[11], state[12], state[13]]);
        (state[..11].to_vec(), v.to_vec())
    }
}

fn ball() -> Ball {
    Ball::new(MODEL.example())
}

fn starts() -> [State<f64>; TRAJECTORIES] {
    let ball = ball();
    initial(&MODEL).map(|(q, v)| {
        let q = q.entries();
        let row = |i: usize| [q[i], q[i + 1], q[i + 2]];
        let omega = [v[2], v[3], v[4]];
        let place = [row(2), row(5), row(8), ball.momentum(&v)];
        let with = |[a, b, c]: [[f64; 3]; 3]| {
            let [x, y, z, momentum] = place;
            flat([q[0], q[1]], [x, y, z, momentum, a, b, c])
        };
        let mut state = with([omega; 3]);
        let first = [(); 3].map(|()| {
            state = step(&ball, state, 10);
            [state[14], state[15], state[16]]
        });
        with(history(first))
    })
}

pub(super) fn cases() -> Vec<Case> {
    let case = |code, start| {
        let multiplications = || multiplications(&ball(), starts()[0]);
        Case { workload: "G4", model: MODEL.name, method: "rdp", code, start, multiplications }
    };
    vec![
        case(Code::Plain, || Rows::<_, 23, 1, Fused>::boxed(ball(), starts())),
        case(Code::PlainSeparate, || Rows::<_, 23, 1, Separate>::boxed(ball(), starts())),
    ]
}
