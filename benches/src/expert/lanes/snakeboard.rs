//! W4 by `dla2`, with two updates of Newton's method in every step.

use super::{Kernel, Rows, extrapolated, fma, history, multiplications, starts};
use crate::expert::snakeboard::Constants;
use crate::many::{Case, Code, TRAJECTORIES};
use crate::{H, Phase};
use nhi_models::snakeboard::MODEL;
use nhi_runtime::{Dla2, Fused, Scalar, Separate};

const UPDATES: usize = 2;

/// q, v, and the impulses of the last three steps.
type State<T> = [T; 16];

#[derive(Clone, Copy)]
struct Plain(Constants);

impl Plain {
    /// Takes the step with `updates` updates.
    #[inline(always)]
    fn step_with<T: Scalar>(&self, k: u64, state: State<T>, updates: usize) -> State<T> {
        let half = T::from_f64(H / 2.0);
        let [psi, phi, theta, x, y, v_psi, v_phi, v_theta, vx, vy, ..] = state;
        let [psi, phi, theta] = [(psi, v_psi), (phi, v_phi), (theta, v_theta)].map(|(q, v)| fma(half, v, q));
        let (x, y) = (fma(half, vx, x), fma(half, vy, y));
        // The same of all trajectories.
        let kick = self.0.kick(Scalar::sin_cos, (k as f64 + 0.5) * H).map(|kick| T::from_f64(2.0 * kick));
        let (w_psi, w_phi, w_theta) = (v_psi + kick[0], v_phi + kick[1], v_theta + kick[2]);
        let phi1 = fma(half, w_phi, phi);
        let (st, ct) = theta.sin_cos();
        let (sp, cp) = phi.sin_cos();
        let (sp1, cp1) = phi1.sin_cos();
        let inv_m = T::from_f64(self.0.inv_m);
        let (twist, lever) = (T::from_f64(self.0.turn) * cp, T::from_f64(self.0.l) * cp1);
        let (bx1, by1, along) = (-st * inv_m, ct * inv_m, sp * inv_m);
        let (bx2, by2) = (along * ct, along * st);
        let last = [[state[10], state[11]], [state[12], state[13]], [state[14], state[15]]];
        let [mut l1, mut l2] = extrapolated(last);
        let velocities = |l1: T, l2: T| {
            let omega = fma(twist, l2, w_theta);
            (omega, fma(bx1, l1, fma(bx2, l2, vx)), fma(by1, l1, fma(by2, l2, vy)))
        };
        for _ in 0..updates {
            let (omega, x, y) = velocities(l1, l2);
            let (s, c) = fma(half, omega, theta).sin_cos();
            let (side, ahead) = (fma(c, y, -(s * x)), fma(c, x, s * y));
            let (r1, r2) = (side, fma(lever, omega, sp1 * ahead));
            let j11 = fma(c, by1, -(s * bx1));
            let turned = half * twist;
            let j12 = fma(c, by2, -fma(s, bx2, turned * ahead));
            let j21 = sp1 * fma(c, bx1, s * by1);
            let j22 = fma(lever, twist, sp1 * fma(c, bx2, fma(s, by2, turned * side)));
            let det = T::from_f64(1.0) / fma(j11, j22, -(j12 * j21));
            l1 = fma(det, fma(j12, r2, -(j22 * r1)), l1);
            l2 = fma(det, fma(j21, r1, -(j11 * r2)), l2);
        }
        let (omega, vx, vy) = velocities(l1, l2);
        let v_psi = w_psi - twist * l2;
        let [before, earlier, _] = last;
        [
            fma(half, v_psi, psi),
            phi1,
            fma(half, omega, theta),
            fma(half, vx, x),
            fma(half, vy, y),
            v_psi,
            w_phi,
            omega,
            vx,
            vy,
            l1,
            l2,
            before[0],
            before[1],
            earlier[0],
            earlier[1],
        ]
    }
}

impl Kernel<16> for Plain {
    #[inline(always)]
    fn step<T: Scalar>(&self, k: u64, state: State<T>) -> State<T> {
        self.step_with(k, state, UPDATES)
    }

    fn phase(&self, state: State<f64>) -> Phase {
        (state[..5].to_vec(), state[5..10].to_vec())
    }
}

fn plain() -> Plain {
    Plain(Constants::new(&MODEL.example()))
}

fn states() -> [State<f64>; TRAJECTORIES] {
    let plain = plain();
    starts(&MODEL, &Dla2).map(|start| {
        let with = |last: [[f64; 2]; 3]| {
            let numbers = [&start.q[..], &start.after, last.as_flattened()].concat();
            std::array::from_fn(|i| numbers[i])
        };
        let mut state = with([[0.0; 2]; 3]);
        let first = [0, 1, 2].map(|k| {
            state = plain.step_with(k, state, 10);
            [state[10], state[11]]
        });
        with(history(first))
    })
}

pub(super) fn cases() -> Vec<Case> {
    let case = |code, start| {
        let multiplications = || multiplications(&plain(), states()[0]);
        Case { workload: "W4", model: MODEL.name, method: "dla2", code, start, multiplications }
    };
    vec![
        case(Code::Plain, || Rows::<_, 16, 1, Fused>::boxed(plain(), states())),
        case(Code::PlainSeparate, || Rows::<_, 16, 1, Separate>::boxed(plain(), states())),
    ]
}
