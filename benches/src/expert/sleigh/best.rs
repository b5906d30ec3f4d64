//! The sleigh in the body frame: forward and sideways velocity (u, r), which rotate by −hω from node
//! to node while the heading rotates by hω. No sine of the heading is needed, position and heading are off
//! the critical path of (ω, u, r), and the angle of a step is predicted two steps ahead: its sine and cosine
//! are available early, and only a tiny rotation remains on the critical path.

use crate::expert::rotation::{NUDGE, RENEWED, Rotation, two_ahead};
use crate::expert::{Jumped, fma};
use crate::{H, Kernel, Phase};
use nhi_models::sleigh_com::SleighCom;

/// An angle of the coming step, predicted, and the three last ones.
#[derive(Clone, Copy)]
struct Predicted<const FUSED: bool> {
    angle: f64,
    rotation: Rotation<FUSED>,
    last: [f64; 3],
}

impl<const FUSED: bool> Predicted<FUSED> {
    fn new(angle: f64) -> Self {
        Predicted { angle, rotation: Rotation::small(angle), last: [angle; 3] }
    }

    /// Predicts the angle of the step after the next, when `last` is known but the angle of the next step is not.
    #[inline(always)]
    fn next(last: [f64; 3]) -> (f64, Rotation<FUSED>) {
        let angle = two_ahead::<FUSED>(last);
        (angle, Rotation::small(angle))
    }
}

/// RATTLE, in increments h(ω, u, r).
pub(super) struct Rattle<const FUSED: bool> {
    /// (ω, r) after the reflection from (ω, r) before it.
    reflection: [[f64; 2]; 2],
    /// P, which is half of it and of the identity.
    projection: [[f64; 2]; 2],
}

/// State of [`Rattle`].
#[derive(Clone, Copy)]
pub(super) struct InBody<const FUSED: bool> {
    theta: f64,
    x: f64,
    y: f64,
    heading: Rotation<FUSED>,
    /// h(ω, u, r) after the reflection.
    d: [f64; 3],
    turn: Predicted<FUSED>,
}

impl<const FUSED: bool> Rattle<FUSED> {
    /// σ = (aω − r)/(a²/I + 1/m) acts with a/I on ω and with −1/m on r.
    pub(super) fn new(s: &SleighCom) -> Self {
        let c = s.a * s.a / s.I + 1.0 / s.m;
        let (turn, blade) = (s.a / (s.I * c), 1.0 / (s.m * c));
        let without = |times: f64| {
            let (turn, blade) = (times * turn, times * blade);
            [[1.0 - turn * s.a, turn], [blade * s.a, 1.0 - blade]]
        };
        Rattle { reflection: without(2.0), projection: without(1.0) }
    }

    pub(super) fn state(Jumped { q: [theta, x, y], after: [w, vx, vy], .. }: &Jumped<3>) -> InBody<FUSED> {
        let heading = Rotation::of(*theta);
        let (u, r) = heading.seen((*vx, *vy));
        let d = [H * w, H * u, H * r];
        InBody { theta: *theta, x: *x, y: *y, heading, d, turn: Predicted::new(d[0]) }
    }
}

#[inline(always)]
fn applied<const FUSED: bool>(&[[a, b], [c, d]]: &[[f64; 2]; 2], w: f64, r: f64) -> (f64, f64) {
    let fma = fma::<FUSED>;
    (fma(b, r, a * w), fma(d, r, c * w))
}

impl<const FUSED: bool> Kernel for Rattle<FUSED> {
    const FUSED: bool = FUSED;
    type State = InBody<FUSED>;

    #[inline(always)]
    fn step(&self, k: u64, state: Self::State) -> Self::State {
        let InBody { theta, x, y, heading, d: [w, u, r], turn: Predicted { angle, rotation, last } } = state;
        // The velocity in the body frame at the next node: rotated by the predicted angle and its correction.
        let lack = w - angle;
        let (predicted, tiny) = if lack.abs() <= NUDGE {
            (rotation, Rotation::tiny(lack))
        } else {
            (Rotation::small(w), Rotation::tiny(0.0))
        };
        let (u1, r1) = tiny.seen(predicted.seen((u, r)));
        let (w1, r1) = applied::<FUSED>(&self.reflection, w, r1);
        // In parallel: the position, the heading and the next prediction.
        let (dx, dy) = heading.of_vector((u, r));
        let theta1 = theta + w;
        let mut heading = heading.then(predicted).then(tiny);
        if k % RENEWED == RENEWED - 1 {
            heading = Rotation::of(theta1);
        }
        let (angle, rotation) = Predicted::next(last);
        let turn = Predicted { angle, rotation, last: [w, last[0], last[1]] };
        InBody { theta: theta1, x: x + dx, y: y + dy, heading, d: [w1, u1, r1], turn }
    }

    fn phase(&self, _: u64, InBody { theta, x, y, heading, d: [w, u, r], .. }: Self::State) -> Phase {
        let (w, r) = applied::<FUSED>(&self.projection, w, r);
        let (vx, vy) = heading.of_vector((u, r));
        (vec![theta, x, y], vec![w / H, vx / H, vy / H])
    }
}

/// `dla2` in the middle of the step, where (ω, u, r) is turned by half an angle to the node on either side.
/// With x = hω'/2 and (u, r) times h/2, P = r + κx with κ = I/(am), which ties the reactions on ω and r,
///
/// ```text
/// (1)  a x + u sin x − (P − κx) cos x = 0,
/// (2)  u' = u + 2 a x sin x,   P' = 2 x (a cos x + κ) − P:
/// ```
///
/// (1) is the constraint at the node, (2) is the turn to the next middle with (1) inserted. One unknown, x;
/// from its prediction to rounding the second-order step, Newton's and its correction, is enough.
pub(super) struct Dla2<const FUSED: bool> {
    a: f64,
    kappa: f64,
}

/// State of [`Dla2`]: the middle of the coming step.
#[derive(Clone, Copy)]
pub(super) struct Middle<const FUSED: bool> {
    theta: f64,
    x: f64,
    y: f64,
    heading: Rotation<FUSED>,
    u: f64,
    p: f64,
    /// Half the angle of the coming step.
    half: Predicted<FUSED>,
}

impl<const FUSED: bool> Dla2<FUSED> {
    pub(super) fn new(s: &SleighCom) -> Self {
        Dla2 { a: s.a, kappa: s.I / (s.a * s.m) }
    }

    pub(super) fn state(
        &self,
        Jumped { q: [theta, x, y], after: [w, vx, vy], .. }: &Jumped<3>,
    ) -> Middle<FUSED> {
        let half = 0.5 * H;
        let turned = half * w;
        let theta = theta + turned;
        let heading = Rotation::of(theta);
        let (u, r) = heading.seen((half * vx, half * vy));
        let (x, y) = (x + half * vx, y + half * vy);
        Middle { theta, x, y, heading, u, p: r + self.kappa * turned, half: Predicted::new(turned) }
    }

    /// The residual of (1) at `x`, its derivative and half its second derivative.
    #[inline(always)]
    fn defect(&self, x: f64, Rotation { c, s }: Rotation<FUSED>, u: f64, p: f64) -> [f64; 3] {
        let fma = fma::<FUSED>;
        let (kappa, kx) = (self.kappa, self.kappa * x);
        [
            fma(s, u, fma(-c, p, fma(c, kx, self.a * x))),
            fma(c, u, fma(s, p, fma(-s, kx, fma(c, kappa, self.a)))),
            0.5 * fma(c, p - kx, -(s * fma(2.0, kappa, u))),
        ]
    }

    /// Solves (1) from an inaccurate guess; rare, so it is not inlined for fused operations.
    #[cold]
    fn solve(&self, mut x: f64, u: f64, p: f64) -> (f64, Rotation<FUSED>) {
        loop {
            let [defect, slope, _] = self.defect(x, Rotation::small(x), u, p);
            let delta = defect / slope;
            x -= delta;
            // The iteration converges quadratically: the next update would be rounding.
            if delta.abs() <= 1e-8 {
                return (x, Rotation::small(x));
            }
        }
    }
}

impl<const FUSED: bool> Kernel for Dla2<FUSED> {
    const FUSED: bool = FUSED;
    type State = Middle<FUSED>;

    #[inline(always)]
    fn step(&self, k: u64, state: Self::State) -> Self::State {
        let fma = fma::<FUSED>;
        let Middle { theta, x, y, heading, u, p, half: Predicted { angle, rotation, last } } = state;
        let [defect, slope, curve] = self.defect(angle, rotation, u, p);
        let inverse = 1.0 / slope;
        let newton = defect * inverse;
        let delta = -fma(curve * inverse, newton * newton, newton);
        // The error of the second-order step is below 10⁻³ δ³.
        let (h, turn) = if delta.abs() <= 1e-5 {
            (angle + delta, rotation.then(Rotation::tiny(delta)))
        } else {
            self.solve(angle, u, p)
        };
        let twice = turn.twice();
        // The velocity in the frame of this middle.
        let (dx, dy) = heading.of_vector((u, fma(-self.kappa, h, p)));
        let theta1 = fma(2.0, h, theta);
        let mut heading = heading.then(twice);
        if k % RENEWED == RENEWED - 1 {
            heading = Rotation::of(theta1);
        }
        let (angle, rotation) = Predicted::next(last);
        let hh = h + h;
        Middle {
            theta: theta1,
            x: fma(2.0, dx, x),
            y: fma(2.0, dy, y),
            heading,
            u: fma(self.a * hh, turn.s, u),
            p: fma(hh, fma(self.a, turn.c, self.kappa), -p),
            half: Predicted { angle, rotation, last: [h, last[0], last[1]] },
        }
    }

    fn phase(&self, _: u64, Middle { theta, x, y, heading, u, p, half }: Self::State) -> Phase {
        let h = half.last[0];
        let (dx, dy) = heading.of_vector((u, p - self.kappa * h));
        (vec![theta - h, x - dx, y - dy], [h, dx, dy].map(|d| d / (0.5 * H)).to_vec())
    }
}
