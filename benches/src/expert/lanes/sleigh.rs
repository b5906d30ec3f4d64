//! W3 by RATTLE.

use super::{Kernel, Rows, fma, multiplications, starts};
use crate::expert::Jumped;
use crate::expert::sleigh::Constants;
use crate::many::{Case, Code, TRAJECTORIES};
use crate::{H, Phase};
use nhi_models::sleigh_com::MODEL;
use nhi_runtime::{Fused, Rattle, Scalar, Separate};

/// The closed form.
#[derive(Clone, Copy)]
struct Plain(Constants);

/// q and the velocity of the coming step.
impl Kernel<6> for Plain {
    #[inline(always)]
    fn step<T: Scalar>(&self, _: u64, [theta, x, y, w, vx, vy]: [T; 6]) -> [T; 6] {
        let Constants { a, blade, turn } = self.0;
        let h = T::from_f64(H);
        let (theta, x, y) = (fma(h, w, theta), fma(h, vx, x), fma(h, vy, y));
        let (s, c) = theta.sin_cos();
        let defect = fma(T::from_f64(a), w, fma(s, vx, -(c * vy)));
        let side = T::from_f64(blade) * defect;
        [theta, x, y, fma(T::from_f64(-turn), defect, w), fma(-s, side, vx), fma(c, side, vy)]
    }

    fn phase(&self, [theta, x, y, w, vx, vy]: [f64; 6]) -> Phase {
        (vec![theta, x, y], self.0.node(theta, [w, vx, vy]).to_vec())
    }
}

/// In increments hv, with a heading that turns by hθ' < 1/8. The heading L (cos θ, sin θ) is as long as makes the
/// reflection of the velocity free of factors, and angles are scaled as the constraint has them, σ = L a hθ':
///
/// ```text
/// δ = σ + S Vx − C Vy,   σ' = σ − κ δ,   Vx' = Vx − S δ,   Vy' = Vy + C δ.
/// ```
#[derive(Clone, Copy)]
struct Best {
    constants: Constants,
    /// L.
    length: f64,
    /// σ of hθ' = 1.
    scale: f64,
    kappa: f64,
    /// sin(hθ')/σ and cos(hθ') as polynomials of σ².
    sin: [f64; 5],
    cos: [f64; 5],
}

impl Best {
    fn new(constants: Constants) -> Self {
        let length = constants.blade.sqrt();
        let scale = length * constants.a;
        // Taylor's polynomials; the next term of the cosine is put into the others as Chebyshev's polynomial of degree 5
        // has it, which leaves 1/512 of it.
        let last: f64 = -1.0 / 3628800.0;
        let square = 1.0 / 64.0;
        let chebyshev = [1.0, -50.0, 400.0, -1120.0, 1280.0];
        let cos = [1.0, -1.0 / 2.0, 1.0 / 24.0, -1.0 / 720.0, 1.0 / 40320.0];
        let cos: [f64; 5] =
            std::array::from_fn(|k| cos[k] + last * f64::powi(square, 5 - k as i32) * chebyshev[k] / 512.0);
        let sin = [1.0, -1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362880.0];
        let power = |k: usize| scale.powi(-2 * k as i32);
        Best {
            constants,
            length,
            scale,
            kappa: constants.a * constants.turn,
            sin: std::array::from_fn(|k| sin[k] * power(k) / scale),
            cos: std::array::from_fn(|k| cos[k] * power(k)),
        }
    }

    fn state(&self, Jumped { q: [theta, x, y], after: [w, vx, vy], .. }: &Jumped<3>) -> [f64; 8] {
        let (s, c) = theta.sin_cos();
        let (sigma, turned) = (self.scale * H * w, self.scale * theta);
        [turned, *x, *y, self.length * c, self.length * s, sigma, H * vx, H * vy]
    }
}

#[inline(always)]
fn polynomial<T: Scalar>(c: &[f64; 5], z: T) -> T {
    let [c0, c1, c2, c3, c4] = c.map(T::from_f64);
    fma(z, fma(z, fma(z, fma(z, c4, c3), c2), c1), c0)
}

/// Scaled θ, x, y, heading, σ and V.
impl Kernel<8> for Best {
    #[inline(always)]
    fn step<T: Scalar>(&self, _: u64, [turned, x, y, c, s, sigma, vx, vy]: [T; 8]) -> [T; 8] {
        let z = sigma * sigma;
        let (sin, cos) = (sigma * polynomial(&self.sin, z), polynomial(&self.cos, z));
        let (turned, x, y) = (turned + sigma, x + vx, y + vy);
        let (c, s) = (fma(c, cos, -(s * sin)), fma(s, cos, c * sin));
        let delta = fma(-c, vy, fma(s, vx, sigma));
        let sigma = fma(T::from_f64(-self.kappa), delta, sigma);
        [turned, x, y, c, s, sigma, fma(-s, delta, vx), fma(c, delta, vy)]
    }

    #[inline(always)]
    fn resync<T: Scalar>(&self, [turned, x, y, _, _, sigma, vx, vy]: [T; 8]) -> [T; 8] {
        let (s, c) = (turned / T::from_f64(self.scale)).sin_cos();
        let length = T::from_f64(self.length);
        [turned, x, y, length * c, length * s, sigma, vx, vy]
    }

    fn phase(&self, [turned, x, y, _, _, sigma, vx, vy]: [f64; 8]) -> Phase {
        let theta = turned / self.scale;
        let v = [sigma / self.scale, vx, vy].map(|v| v / H);
        (vec![theta, x, y], self.constants.node(theta, v).to_vec())
    }
}

fn constants() -> Constants {
    Constants::new(&MODEL.example())
}

fn plain() -> [[f64; 6]; TRAJECTORIES] {
    starts(&MODEL, &Rattle)
        .map(|Jumped { q: [theta, x, y], after: [w, vx, vy], .. }| [theta, x, y, w, vx, vy])
}

fn best() -> [[f64; 8]; TRAJECTORIES] {
    starts(&MODEL, &Rattle).map(|start| Best::new(constants()).state(&start))
}

pub(super) fn cases() -> Vec<Case> {
    let case = |code, start, multiplications| Case {
        workload: "W3",
        model: MODEL.name,
        method: "rattle",
        code,
        start,
        multiplications,
    };
    let of_plain = || multiplications(&Plain(constants()), plain()[0]);
    let of_best = || multiplications(&Best::new(constants()), best()[0]);
    vec![
        case(Code::Plain, || Rows::<_, 6, 1, Fused>::boxed(Plain(constants()), plain()), of_plain),
        case(Code::PlainSeparate, || Rows::<_, 6, 1, Separate>::boxed(Plain(constants()), plain()), of_plain),
        case(Code::Best, || Rows::<_, 8, 2, Fused>::boxed(Best::new(constants()), best()), of_best),
        case(
            Code::BestSeparate,
            || Rows::<_, 8, 2, Separate>::boxed(Best::new(constants()), best()),
            of_best,
        ),
    ]
}
