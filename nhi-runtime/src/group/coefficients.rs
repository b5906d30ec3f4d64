//! The functions of s = θ² in the exponential maps of rotations, after Rodrigues.
//!
//! ```text
//! A = sin θ/θ    B = (1 − cos θ)/θ²    C = (θ − sin θ)/θ³    D = (1 − (θ/2) cot(θ/2))/θ²
//! ```
//!
//! As functions of s they are analytic, at s = 0 too. The implementations are accurate to a few units in the last
//! place of `f64`: near zero, where the closed forms lose digits, they sum the series.
//! Derivatives are with respect to s; [`b_prime`] is dB/ds, and 2 dA/ds = C − B needs no separate
//! function.

mod far;

use crate::Scalar;
use crate::scalar::Smooth;
use core::f64::consts::PI;

/// Below this s the series of A, B and C is summed, above it the closed form is evaluated. The series is summed in either
/// case: the compiler then shares the sum between the maps of the same motion.
///
/// At 4, which no useful step reaches (h|ω| = 2), the closed forms do not lose digits: 1 − A is not
/// small. Twelve terms are accurate up to there.
const SERIES: f64 = 4.0;

/// Rows of four terms of the series.
const ROWS: usize = 3;

/// A = sin θ/θ = Σ (−s)ʲ/(2j+1)!.
#[inline(always)]
pub fn a<T: Scalar>(s: T) -> T {
    s.near_or_far(SERIES, T::from_f64(1.0) - s * const { alternating(3) }.at(s), far::a)
}

/// B = (1 − cos θ)/θ² = Σ (−s)ʲ/(2j+2)!.
#[inline(always)]
pub fn b<T: Scalar>(s: T) -> T {
    s.near_or_far(SERIES, const { alternating(2) }.at(s), far::b)
}

/// C = (θ − sin θ)/θ³ = Σ (−s)ʲ/(2j+3)!.
#[inline(always)]
pub fn c<T: Scalar>(s: T) -> T {
    s.near_or_far(SERIES, const { alternating(3) }.at(s), far::c)
}

/// dB/ds = (A/2 − B)/s.
#[inline(always)]
pub fn b_prime<T: Scalar>(s: T) -> T {
    s.near_or_far(SERIES, const { alternating(2).derivative() }.at(s), far::b_prime)
}

/// dC/ds = (B − 3C)/(2s).
#[inline(always)]
pub fn c_prime<T: Scalar>(s: T) -> T {
    s.near_or_far(SERIES, const { alternating(3).derivative() }.at(s), far::c_prime)
}

/// s for a full turn, the pole of D and its derivatives.
pub(super) const FULL_TURN: f64 = 4.0 * PI * PI;

/// Below this s, half a radian, the series of D is summed; the number of terms is also sufficient for D″.
const NEAR: f64 = 0.25;

/// |B₂ⱼ₊₂|/(2j+2)! with the Bernoulli numbers B.
const BERNOULLI: Polynomial<3> = Polynomial([
    [1.0 / 12.0, 1.0 / 720.0, 1.0 / 30_240.0, 1.0 / 1_209_600.0],
    [
        1.0 / 47_900_160.0,
        691.0 / 1_307_674_368_000.0,
        1.0 / 74_724_249_600.0,
        3617.0 / 10_670_622_842_880_000.0,
    ],
    [
        43_867.0 / 5_109_094_217_170_944_000.0,
        174_611.0 / 802_857_662_698_291_200_000.0,
        854_513.0 / 155_112_100_433_309_859_840_000.0,
        236_364_091.0 / 1_693_824_136_731_743_669_452_800_000.0,
    ],
]);

/// D = (1 − (θ/2) cot(θ/2))/θ² = Σ |B₂ⱼ₊₂|/(2j+2)! sʲ; NaN from a full turn on, s ≥ 4π².
///
/// Beyond the range of the series it is computed from the partial fractions of the cotangent, D = Σ 2/(4π²k² − s) over
/// k ≥ 1: all terms are positive, so there is no cancellation, neither here nor in the derivatives. With
/// z = s/4π²
///
/// ```text
/// 2π² D = 1/(1 − z) + 1/(4 − z) + Σⱼ ρⱼ zʲ,    ρⱼ = Σ 1/k²ʲ⁺² over k ≥ 3.
/// ```
#[inline(always)]
pub fn d<T: Scalar>(s: T) -> T {
    struct D;
    impl Smooth for D {
        #[inline(always)]
        fn of<T: Scalar>(s: T) -> T {
            s.near_or_far(NEAR, BERNOULLI.at(s), far::d)
        }
        #[inline(always)]
        fn slope<T: Scalar>(s: T) -> T {
            d_prime(s)
        }
    }
    s.chained::<D>()
}

/// dD/ds, in the terms of [`d`].
#[inline(always)]
pub fn d_prime<T: Scalar>(s: T) -> T {
    struct DPrime;
    impl Smooth for DPrime {
        #[inline(always)]
        fn of<T: Scalar>(s: T) -> T {
            s.near_or_far(NEAR, const { BERNOULLI.derivative() }.at(s), far::d_prime)
        }
        #[inline(always)]
        fn slope<T: Scalar>(s: T) -> T {
            d_second(s)
        }
    }
    s.chained::<DPrime>()
}

/// d²D/ds², in the terms of [`d`].
#[inline(always)]
pub fn d_second<T: Scalar>(s: T) -> T {
    struct DSecond;
    impl Smooth for DSecond {
        #[inline(always)]
        fn of<T: Scalar>(s: T) -> T {
            s.near_or_far(NEAR, const { BERNOULLI.derivative().derivative() }.at(s), far::d_second)
        }
        #[inline(always)]
        fn slope<T: Scalar>(s: T) -> T {
            d_third(s)
        }
    }
    s.chained::<DSecond>()
}

/// d³D/ds³, in the terms of [`d`]. Its derivative is that of its formulas.
#[inline(always)]
pub fn d_third<T: Scalar>(s: T) -> T {
    s.near_or_far(NEAR, const { BERNOULLI.derivative().derivative().derivative() }.at(s), far::d_third)
}

/// x/sin x = Σ cⱼ zʲ as a function of z = sin² x, for z < 0.01, where eight terms are sufficient.
#[inline(always)]
pub(super) fn angle_over_sine<T: Scalar>(z: T) -> T {
    const { arcsine() }.at(z)
}

/// A polynomial by its coefficients, lowest first, in rows of four.
#[derive(Clone, Copy)]
struct Polynomial<const ROWS: usize>([[f64; 4]; ROWS]);

impl<const ROWS: usize> Polynomial<ROWS> {
    /// Four independent sums, one per column, because the products of a single sum form one dependency chain. The constant
    /// added to x is too small to change the sums; it prevents subnormal powers, whose operations take a hundred cycles.
    #[inline(always)]
    fn at<T: Scalar>(self, x: T) -> T {
        let x = x + T::from_f64(1e-20);
        let x2 = x * x;
        let x4 = x2 * x2;
        let mut sums = self.row::<T>(0);
        macro_rules! further_rows {
            ($($i:literal)*) => {$(
                if const { ROWS > $i } {
                    let [c0, c1, c2, c3] = self.row::<T>($i);
                    let [s0, s1, s2, s3] = sums;
                    sums = [s0 * x4 + c0, s1 * x4 + c1, s2 * x4 + c2, s3 * x4 + c3];
                }
            )*};
        }
        const { assert!(ROWS <= 5, "all rows are summed") };
        further_rows!(1 2 3 4);
        (sums[0] + sums[1] * x) + (sums[2] + sums[3] * x) * x2
    }

    /// The `i`-th row from the last one on.
    #[inline(always)]
    fn row<T: Scalar>(self, i: usize) -> [T; 4] {
        let [c0, c1, c2, c3] = self.0[ROWS - 1 - i];
        [T::from_f64(c0), T::from_f64(c1), T::from_f64(c2), T::from_f64(c3)]
    }

    /// The leading coefficient is zero, because differentiation lowers the degree.
    const fn derivative(self) -> Self {
        let mut coefficients = [[0.0; 4]; ROWS];
        let mut j = 1;
        while j < 4 * ROWS {
            coefficients[(j - 1) / 4][(j - 1) % 4] = j as f64 * self.0[j / 4][j % 4];
            j += 1;
        }
        Polynomial(coefficients)
    }
}

/// Σ (−s)ʲ/(2j+k)!.
const fn alternating(k: usize) -> Polynomial<ROWS> {
    let mut coefficients = [[0.0; 4]; ROWS];
    let mut factorial = 1.0;
    let mut n = 1;
    let mut j = 0;
    while j < 4 * ROWS {
        while n < 2 * j + k {
            n += 1;
            factorial *= n as f64;
        }
        coefficients[j / 4][j % 4] = if j % 2 == 0 { 1.0 / factorial } else { -1.0 / factorial };
        j += 1;
    }
    Polynomial(coefficients)
}

/// arcsin(√z)/√z = 1 + z/6 + 3z²/40 + ….
const fn arcsine() -> Polynomial<2> {
    let mut coefficients = [[1.0; 4]; 2];
    let mut j = 1;
    while j < 8 {
        let odd = (2 * j - 1) as f64;
        let last = coefficients[(j - 1) / 4][(j - 1) % 4];
        coefficients[j / 4][j % 4] = last * odd * odd / ((2 * j) as f64 * (odd + 2.0));
        j += 1;
    }
    Polynomial(coefficients)
}
