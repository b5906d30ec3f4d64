//! G4: ω is unknown. Over a step, with κ = hΩ/2,
//!
//! ```text
//! dx + κ dy = r ω₂ − Ω y,   dy − κ dx = −r ω₁ + Ω x.
//! ```
//!
//! The basis of the admissible velocities is (0, −r, 1, 0, 0), (r, 0, 0, 1, 0), (0, 0, 0, 0, 1).

use super::{initial, is_last};
use crate::{H, Kernel, Loop, Phase, Run};
use nhi_models::lie::ball_as_printed::{BallAsPrinted, MODEL};
use nhi_runtime::Scalar;
use nhi_runtime::group::{Exp, Group, Retraction, SO3};

type Vec3<T> = [T; 3];

/// A ball, as numbers of a type.
#[derive(Clone)]
pub(crate) struct Ball {
    system: BallAsPrinted,
}

/// Dᵀ of a covector whose last components are `spin`, for `push` on (x, y).
#[inline(always)]
fn restricted<T: Scalar>(r: T, [x, y]: [T; 2], [a, b, c]: Vec3<T>) -> Vec3<T> {
    [a - r * y, b + r * x, c]
}

impl Ball {
    pub(crate) fn new(system: BallAsPrinted) -> Ball {
        Ball { system }
    }

    fn inertia<T: Scalar>(&self) -> Vec3<T> {
        [self.system.I1, self.system.I2, self.system.I3].map(T::from_f64)
    }

    /// (dx, dy) of a step.
    #[inline(always)]
    fn rolling<T: Scalar>(&self, [x, y]: [T; 2], omega: Vec3<T>) -> [T; 2] {
        let (r, table) = (T::from_f64(self.system.r), T::from_f64(self.system.Om));
        let kappa = T::from_f64(0.5 * H * self.system.Om);
        let scale = T::from_f64(1.0 / (1.0 + (0.5 * H * self.system.Om).powi(2)));
        let (a, b) = (r * omega[1] - table * y, table * x - r * omega[0]);
        [scale * (a - kappa * b), scale * (b + kappa * a)]
    }

    /// The update of ω by Newton's method.
    #[inline(always)]
    pub(crate) fn update<T: Scalar>(&self, position: [T; 2], momentum: Vec3<T>, omega: Vec3<T>) -> Vec3<T> {
        let (m, r) = (T::from_f64(self.system.m), T::from_f64(self.system.r));
        let (h, inertia) = (T::from_f64(H), self.inertia::<T>());
        let (motion, spin) = (omega.map(|x| h * x), [0, 1, 2].map(|i| inertia[i] * omega[i]));
        let push = self.rolling(position, omega).map(|d| m * d);
        let before = restricted(r, push, <Exp as Retraction<SO3<T>>>::dtau_inv_star(motion, spin));
        let f = [0, 1, 2].map(|i| momentum[i] - before[i]);
        let by_spin = <Exp as Retraction<SO3<T>>>::dtau_inv(motion);
        let by_motion = <Exp as Retraction<SO3<T>>>::k(motion, spin);
        let mut j: [[T; 3]; 3] =
            [0, 1, 2].map(|i| [0, 1, 2].map(|k| by_spin[k][i] * inertia[k] + h * by_motion[i][k]));
        let kappa = 0.5 * H * self.system.Om;
        let rolling = self.system.m * self.system.r.powi(2) / (1.0 + kappa * kappa);
        let (straight, across) = (T::from_f64(rolling), T::from_f64(rolling * kappa));
        j[0][0] = j[0][0] + straight;
        j[0][1] = j[0][1] - across;
        j[1][0] = j[1][0] + across;
        j[1][1] = j[1][1] + straight;
        solved(j, f)
    }

    /// Position, rotation and momentum after a step with this ω.
    #[inline(always)]
    pub(crate) fn arrived<T: Scalar>(
        &self,
        [x, y]: [T; 2],
        rotation: [[T; 3]; 3],
        omega: Vec3<T>,
    ) -> ([T; 2], [[T; 3]; 3], Vec3<T>) {
        let (m, r, h) = (T::from_f64(self.system.m), T::from_f64(self.system.r), T::from_f64(H));
        let inertia = self.inertia::<T>();
        let (motion, spin) = (omega.map(|x| h * x), [0, 1, 2].map(|i| inertia[i] * omega[i]));
        let [dx, dy] = self.rolling([x, y], omega);
        let after = <Exp as Retraction<SO3<T>>>::dtau_left_inv_star(motion, spin);
        let rotation = SO3(rotation).product(<Exp as Retraction<SO3<T>>>::tau(motion)).0;
        ([x + h * dx, y + h * dy], rotation, restricted(r, [m * dx, m * dy], after))
    }

    /// Momentum of an admissible velocity.
    pub(crate) fn momentum(&self, v: &[f64]) -> Vec3<f64> {
        let BallAsPrinted { m, I1, I2, I3, r, .. } = self.system;
        restricted(r, [m * v[0], m * v[1]], [I1 * v[2], I2 * v[3], I3 * v[4]])
    }

    /// The velocity with this momentum.
    pub(crate) fn velocity(&self, [x, y]: [f64; 2], [p1, p2, p3]: Vec3<f64>) -> [f64; 5] {
        let BallAsPrinted { m, I1, I2, I3, r, Om } = self.system;
        let w1 = (p1 + m * r * Om * x) / (I1 + m * r * r);
        let w2 = (p2 + m * r * Om * y) / (I2 + m * r * r);
        [r * w2 - Om * y, Om * x - r * w1, w1, w2, p3 / I3]
    }
}

/// x with J x = f, by elimination.
#[inline(always)]
fn solved<T: Scalar>([a, mut b, mut c]: [[T; 3]; 3], f: Vec3<T>) -> Vec3<T> {
    let inverse = T::from_f64(1.0) / a[0];
    let (lb, lc) = (b[0] * inverse, c[0] * inverse);
    for k in [1, 2] {
        b[k] = b[k] - lb * a[k];
        c[k] = c[k] - lc * a[k];
    }
    let (g1, g2) = (f[1] - lb * f[0], f[2] - lc * f[0]);
    let det = T::from_f64(1.0) / (b[1] * c[2] - b[2] * c[1]);
    let (y, z) = (det * (g1 * c[2] - g2 * b[2]), det * (b[1] * g2 - c[1] * g1));
    [inverse * (f[0] - a[1] * y - a[2] * z), y, z]
}

#[derive(Clone, Copy)]
pub(crate) struct State {
    position: [f64; 2],
    rotation: [[f64; 3]; 3],
    momentum: Vec3<f64>,
    /// ω of the last two steps.
    last: [Vec3<f64>; 2],
}

impl Kernel for Ball {
    type State = State;

    #[inline]
    fn step(&self, _: u64, State { position, rotation, momentum, last: [last, before] }: State) -> State {
        let mut omega: Vec3<f64> = [0, 1, 2].map(|i| 2.0 * last[i] - before[i]);
        let square = |x: Vec3<f64>| x.iter().map(|x| x * x).sum::<f64>();
        let size = square(momentum);
        loop {
            let update = self.update(position, momentum, omega);
            omega = [0, 1, 2].map(|i| omega[i] + update[i]);
            if is_last(square(update), size) {
                break;
            }
        }
        let (position, rotation, momentum) = self.arrived(position, rotation, omega);
        State { position, rotation, momentum, last: [omega, last] }
    }

    fn phase(&self, _: u64, State { position, rotation, momentum, .. }: State) -> Phase {
        let v = self.velocity(position, momentum).to_vec();
        ([&position[..], rotation.as_flattened()].concat(), v)
    }
}

pub(super) fn start() -> Box<dyn Run> {
    let (system, q, v) = initial(&MODEL);
    let ball = Ball::new(system);
    let rotation = std::array::from_fn(|i| std::array::from_fn(|j| q[2 + 3 * i + j]));
    let momentum = ball.momentum(&v);
    let state = State { position: [q[0], q[1]], rotation, momentum, last: [[v[2], v[3], v[4]]; 2] };
    Loop::boxed(ball, state)
}
