//! The snakeboard in the frame of the board: forward and sideways velocity (u, r). The wheels' angle φ does
//! not depend on the reactions, so all values that depend on it, including the denominators, are available before
//! the step. Headings and wheels are updated by rotations by small angles. Torques follow the recurrence
//! cos (k+1)Δ = 2 cos Δ cos kΔ − cos (k−1)Δ. All recurrences are re-synchronised periodically.

use super::{Constants, Q};
use crate::expert::rotation::{RENEWED, Rotation};
use crate::expert::{fma, sin_cos};
use crate::{H, Kernel, Phase};

/// Torques from step to step, as increments of the velocities.
#[derive(Clone, Copy)]
struct Torque {
    now: f64,
    before: f64,
}

/// The recurrence of a torque of a given frequency.
#[derive(Clone, Copy)]
struct Oscillation<const FUSED: bool> {
    amplitude: f64,
    rate: f64,
    /// 0 for a sine, π/2 for a cosine.
    phase: f64,
    /// 2 cos Δ.
    twice_cos: f64,
}

impl<const FUSED: bool> Oscillation<FUSED> {
    fn new(amplitude: f64, rate: f64, phase: f64) -> Self {
        Oscillation { amplitude, rate, phase, twice_cos: 2.0 * sin_cos(rate * H).1 }
    }

    #[inline(always)]
    fn value(&self, t: f64) -> f64 {
        self.amplitude * sin_cos(fma::<FUSED>(self.rate, t, self.phase)).0
    }

    /// At time `t`.
    #[inline(always)]
    fn at(&self, t: f64) -> Torque {
        Torque { now: self.value(t), before: self.value(t - H) }
    }

    /// At the next step.
    #[inline(always)]
    fn after(&self, Torque { now, before }: Torque) -> Torque {
        Torque { now: fma::<FUSED>(self.twice_cos, now, -before), before: now }
    }
}

/// Both torques on θ and φ, and the constants of the reaction.
struct Common<const FUSED: bool> {
    c: Constants,
    rotor: Oscillation<FUSED>,
    steering: Oscillation<FUSED>,
    /// The ratio of the effects of the rotor's torque on ψ and on θ.
    to_psi: f64,
}

impl<const FUSED: bool> Common<FUSED> {
    /// `scale` times h/2 M⁻¹f.
    fn new(c: Constants, scale: f64) -> Self {
        let right_angle = 0.5 * core::f64::consts::PI;
        Common {
            rotor: Oscillation::new(scale * c.rotor[1], c.rotor_rate, right_angle),
            steering: Oscillation::new(scale * c.steering, c.steering_rate, 0.0),
            to_psi: c.rotor[0] / c.rotor[1],
            c,
        }
    }
}

/// RATTLE in increments d = h v of the coming step, with the half kick before the node in the state instead
/// of that after it.
pub(super) struct Rattle<const FUSED: bool>(Common<FUSED>);

/// State of [`Rattle`].
#[derive(Clone, Copy)]
pub(super) struct AtNode<const FUSED: bool> {
    q: Q,
    heading: Rotation<FUSED>,
    wheels: Rotation<FUSED>,
    /// h (ψ, φ, θ)˙, h u, h r.
    d: Q,
    rotor: Torque,
    steering: Torque,
}

impl<const FUSED: bool> Rattle<FUSED> {
    pub(super) fn new(c: Constants) -> Self {
        Rattle(Common::new(c, H))
    }

    /// At a node, with the velocity of the coming step.
    pub(super) fn state(&self, q: Q, v: Q) -> AtNode<FUSED> {
        let (heading, wheels) = (Rotation::of(q[2]), Rotation::of(q[1]));
        let (u, r) = heading.seen((v[3], v[4]));
        let d = [v[0], v[1], v[2], u, r].map(|v| H * v);
        AtNode { q, heading, wheels, d, rotor: self.0.rotor.at(0.0), steering: self.0.steering.at(0.0) }
    }
}

impl<const FUSED: bool> Kernel for Rattle<FUSED> {
    const FUSED: bool = FUSED;
    type State = AtNode<FUSED>;

    #[inline(always)]
    fn step(&self, k: u64, AtNode { q, heading, wheels, d, rotor, steering }: Self::State) -> Self::State {
        let fma = fma::<FUSED>;
        let Rattle(Common { c, .. }) = self;
        let (dx, dy) = heading.of_vector((d[3], d[4]));
        let q = [q[0] + d[0], q[1] + d[1], q[2] + d[2], q[3] + dx, q[4] + dy];
        let turn = Rotation::small(d[2]);
        let (mut heading, mut wheels) = (heading.then(turn), wheels.then(Rotation::small(d[1])));
        let (mut rotor, mut steering) = (self.0.rotor.after(rotor), self.0.steering.after(steering));
        if k % RENEWED == RENEWED - 1 {
            let t = (k + 1) as f64 * H;
            (heading, wheels) = (Rotation::of(q[2]), Rotation::of(q[1]));
            (rotor, steering) = (self.0.rotor.at(t), self.0.steering.at(t));
        }
        let (lever, slow) = (c.l * wheels.c, c.inv_m * wheels.s);
        let twist = c.turn * wheels.c;
        let inverse = 2.0 / fma(lever, twist, wheels.s * slow);
        // The velocity in the board's frame at the node, before the reflection.
        let (ahead, side) = turn.seen((d[3], d[4]));
        let (kick, bend) = (rotor.now, steering.now);
        let sigma = fma(lever, d[2] + kick, wheels.s * ahead) * inverse;
        let d = [
            fma(twist, sigma, fma(2.0 * self.0.to_psi, kick, d[0])),
            fma(2.0, bend, d[1]),
            fma(-twist, sigma, fma(2.0, kick, d[2])),
            fma(-slow, sigma, ahead),
            -side,
        ];
        AtNode { q, heading, wheels, d, rotor, steering }
    }

    fn phase(&self, k: u64, AtNode { q, heading, d, .. }: Self::State) -> Phase {
        let [psi, phi, theta, u, r] = d.map(|d| d / H);
        let (x, y) = heading.of_vector((u, r));
        (q.to_vec(), self.0.c.node(k, &q, [psi, phi, theta, x, y]).to_vec())
    }
}

/// `dla2` in the middle of the step, velocities times h/2: y = hω/2 and u. There the reaction of (1) acts
/// sideways and that of (2) along b = (l/(ml² − I)) cos φ on ω and d = sin φ/m on u, and at the next node, whose
/// heading is y further, (1) says that the board goes straight ahead:
///
/// ```text
/// r' = u' tan y,   L y cos y + S u' = 0,   L = l cos φ', S = sin φ',
/// y = y₁ + ε y (1 − cos y),   ε = L b/D,   D = L b + S d,
/// ```
///
/// where y₁ is the solution for cos y = 1. By Lagrange's inversion y = y₁ (1 + Σ cⱼ(ε) y₁²ʲ), whose
/// coefficients are ready before the step; in the next middle, y further, the forward velocity is u' again.
pub(super) struct Dla2<const FUSED: bool>(Common<FUSED>);

/// State of [`Dla2`]: the middle of the coming step, with the velocity of the last one.
#[derive(Clone, Copy)]
pub(super) struct Middle<const FUSED: bool> {
    q: Q,
    heading: Rotation<FUSED>,
    wheels: Rotation<FUSED>,
    /// h/2 times the rates of ψ, φ, θ, and u.
    d: [f64; 4],
    rotor: Torque,
    steering: Torque,
}

/// cⱼ(ε), j = 1 to 5: the remainder is below 2⁻⁵⁴ for |y| ≤ 1/25.
#[inline(always)]
fn series<const FUSED: bool>(e: f64) -> [f64; 5] {
    [
        0.5 * e,
        e * polynomial::<FUSED, 2>(e, [-1.0 / 24.0, 3.0 / 4.0]),
        e * polynomial::<FUSED, 3>(e, [1.0 / 720.0, -1.0 / 6.0, 3.0 / 2.0]),
        e * polynomial::<FUSED, 4>(e, [-1.0 / 40320.0, 1.0 / 64.0, -55.0 / 96.0, 55.0 / 16.0]),
        e * polynomial::<FUSED, 5>(
            e,
            [1.0 / 3628800.0, -17.0 / 20160.0, 91.0 / 960.0, -91.0 / 48.0, 273.0 / 32.0],
        ),
    ]
}

/// A polynomial with coefficients in rising order, by Horner's rule.
#[inline(always)]
fn polynomial<const FUSED: bool, const N: usize>(e: f64, c: [f64; N]) -> f64 {
    let mut sum = c[N - 1];
    for i in (0..N - 1).rev() {
        sum = fma::<FUSED>(e, sum, c[i]);
    }
    sum
}

impl<const FUSED: bool> Dla2<FUSED> {
    pub(super) fn new(c: Constants) -> Self {
        // h/2 times h M⁻¹f.
        Dla2(Common::new(c, H))
    }

    /// From a node.
    pub(super) fn state(&self, q: Q, v: Q) -> Middle<FUSED> {
        let half = v.map(|v| 0.5 * H * v);
        let q: Q = core::array::from_fn(|i| q[i] + half[i]);
        let (heading, wheels) = (Rotation::of(q[2]), Rotation::of(q[1]));
        let (u, _) = heading.seen((half[3], half[4]));
        let d = [half[0], half[1], half[2], u];
        let t = 0.5 * H;
        Middle { q, heading, wheels, d, rotor: self.0.rotor.at(t), steering: self.0.steering.at(t) }
    }
}

impl<const FUSED: bool> Kernel for Dla2<FUSED> {
    const FUSED: bool = FUSED;
    type State = Middle<FUSED>;

    #[inline(always)]
    fn step(&self, k: u64, Middle { q, heading, wheels, d, rotor, steering }: Self::State) -> Self::State {
        let fma = fma::<FUSED>;
        let Dla2(Common { c, .. }) = self;
        // The wheels, and all values that depend only on them.
        let bend = d[1] + steering.now;
        let dphi = Rotation::small(bend);
        let node = wheels.then(dphi);
        let (lever, sp) = (c.l * node.c, node.s);
        let (b, slow) = (c.turn * wheels.c, c.inv_m * wheels.s);
        let lever_b = lever * b;
        let determinant = fma(sp, slow, lever_b);
        let inverse = 1.0 / (determinant * b);
        let (of_y, of_u) = (-lever * b * inverse, -sp * b * inverse);
        let [c1, c2, c3, c4, c5] = series::<FUSED>(lever_b * b * inverse);
        let slow_b = slow * determinant * inverse;
        // y₁ and y.
        let yw = d[2] + rotor.now;
        let ell = fma(of_y, yw, of_u * d[3]);
        let y1 = fma(b, ell, yw);
        let z = y1 * y1;
        let zz = z * z;
        let (yz, rest) = (y1 * z, fma(zz, fma(zz, c5, fma(z, c4, c3)), fma(z, c2, c1)));
        let dy = yz * rest;
        let y = fma(yz, rest, y1);
        let u = fma(slow_b, dy, fma(slow, ell, d[3]));
        let psi = fma(self.0.to_psi, rotor.now, d[0]) + (yw - y);
        // To the next middle.
        let turn = Rotation::small(y + y);
        let tan = turn.s / (1.0 + turn.c);
        let uu = u + u;
        let (x, side) = heading.of_vector((uu, uu * tan));
        let q = [fma(2.0, psi, q[0]), fma(2.0, bend, q[1]), fma(2.0, y, q[2]), q[3] + x, q[4] + side];
        let (mut heading, mut wheels) = (heading.then(turn), node.then(dphi));
        let (mut rotor, mut steering) = (self.0.rotor.after(rotor), self.0.steering.after(steering));
        if k % RENEWED == RENEWED - 1 {
            let t = (k as f64 + 1.5) * H;
            (heading, wheels) = (Rotation::of(q[2]), Rotation::of(q[1]));
            (rotor, steering) = (self.0.rotor.at(t), self.0.steering.at(t));
        }
        Middle { q, heading, wheels, d: [psi, bend, y, u], rotor, steering }
    }

    fn phase(&self, _: u64, Middle { q, d: [psi, phi, y, u], .. }: Self::State) -> Phase {
        // Back to the node, where the board goes straight ahead.
        let theta = q[2] - y;
        let ahead = u / sin_cos(y).1;
        let half = [psi, phi, y, ahead * sin_cos(theta).1, ahead * sin_cos(theta).0];
        ((0..5).map(|i| q[i] - half[i]).collect(), half.map(|d| d / (0.5 * H)).to_vec())
    }
}
