//! Sine and cosine of one angle, without tables or calls: twice as fast as a platform's library, with the same results
//! on every platform, and vectorised in a loop over many angles.
//!
//! ```text
//! (1)  x = n π/2 + (r + e),  |r| ≤ π/4, by Cody and Waite's method: π/2 = P₁ + P₂ + P₃ + P₄, where
//!      P₁, P₂ and P₃ have 33 bits, so that n Pᵢ is exact for |n| < 2²⁰,
//! (2)  sin r = r + r³ S(r²),   cos r = 1 − r²/2 + r⁴ C(r²),
//! (3)  sin (r + e) = sin r + e cos r,   cos (r + e) = cos r − e sin r.
//! ```
//!
//! For an angle of at most 3/16, such as the rotation of one step, (2) with shorter S and C is enough. So it is for a
//! rotation by such an angle δ of a known sine–cosine pair:
//!
//! ```text
//! (4)  sin (x + δ) = sin x + (cos x sin δ − sin x vers δ),   cos (x + δ) = cos x − (sin x sin δ + cos x vers δ),
//!      vers δ = 1 − cos δ.
//! ```
//!
//! With fused multiply–add, two operations are enough for each:
//!
//! ```text
//! (5)  sin (x + δ) = (sin x − sin x vers δ) + cos x sin δ,   cos (x + δ) = (cos x − cos x vers δ) − sin x sin δ.
//! ```
//!
//! Every rotation adds a rounding error, so pairs that are rotated in every step have to be re-synchronised. For a tiny δ,
//! such as the error of a predicted angle, two or three terms are enough:
//!
//! ```text
//! (6)  sin (x + δ) = sin x + δ cos x,   cos (x + δ) = cos x − δ sin x,
//! (7)  sin (x + δ) = sin x + δ (cos x − δ/2 sin x),   cos (x + δ) = cos x − δ (sin x + δ/2 cos x).
//! ```
//!
//! S and C are minimax polynomials for the relative error of (2), which is 2⁻⁵⁷ and 2⁻⁶³, and 2⁻⁵⁸ and 2⁻⁶⁸
//! for the shorter ones. Their coefficients were found by Lawson's algorithm in 36 digits. They were rounded one at a
//! time, and the remaining ones fitted again after each. The operations after (1) together round by less than one unit in
//! the last place; `tests/it/trigonometry.rs` compares with 200 bits.

use crate::Scalar;
use crate::drive::SinCosUpdate;
use crate::unchecked::zero_if_finite;
use num_traits::Float;

/// For larger |x|, n may have more than 20 bits.
pub const LARGEST: f64 = 1_048_576.0;

/// Factor with which angles from [`LARGEST`] on overflow: 2¹⁰²⁴ / 2²⁰.
pub const OVERFLOWING: f64 = 4.0 / LARGEST / f64::MIN_POSITIVE;

/// P₁, P₂, P₃, P₄.
pub const PI_HALVES: [f64; 4] =
    [1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21, 8.4784276603689e-32];

/// Adding it rounds to a whole number: 1.5 · 2⁵².
pub const WHOLE: f64 = 6_755_399_441_055_744.0;

/// S, from the constant term on.
pub const S: [f64; 6] = [
    -0.1666666666666663,
    0.008333333333321891,
    -0.0001984126982942827,
    2.7557313570650295e-06,
    -2.505074043151949e-08,
    1.5895832772601328e-10,
];

/// C, from the constant term on.
pub const C: [f64; 6] = [
    0.041666666666666595,
    -0.0013888888888873333,
    2.4801587288992918e-05,
    -2.755731421358857e-07,
    2.0875704841166667e-09,
    -1.1358716859076373e-11,
];

/// Largest |x| for which the shorter polynomials are accurate.
pub const SMALL: f64 = 3.0 / 16.0;

/// S for angles up to [`SMALL`].
pub const SHORT_S: [f64; 4] =
    [-0.166666666666664, 0.008333333332594832, -0.0001984126349982494, 2.753585510907706e-06];

/// C for angles up to [`SMALL`].
pub const SHORT_C: [f64; 4] =
    [0.0416666666666662, -0.001388888888792925, 2.4801580531812247e-05, -2.75374203132241e-07];

/// Up to this |δ|, the error of (6) is less than 2⁻⁵⁶.
pub const TINY: f64 = 3.0e-9;

/// Up to this |δ|, the error of (7) is less than 2⁻⁵⁶.
pub const CLOSE: f64 = 4.0e-6;

/// (sin x, cos x).
#[inline]
pub(crate) fn sin_cos(x: f64) -> (f64, f64) {
    if cfg!(not(feature = "platform-trigonometry")) && x.abs() < LARGEST {
        near::<_, false>(x)
    } else {
        far(x)
    }
}

/// (sin x, cos x), or NaN for angles that would need a call: a loop of it can be vectorised.
#[inline(always)]
pub(crate) fn sin_cos_or_nan<T: Scalar>(x: T) -> (T, T) {
    if cfg!(feature = "platform-trigonometry") {
        let (sin, cos) = far(x.to_f64());
        return (T::from_f64(sin), T::from_f64(cos));
    }
    near::<_, true>(x)
}

/// (sin x, cos x) by the formula that `update` allows, if x is as expected; else by [`sin_cos`].
#[inline(always)]
pub(crate) fn update_sin_cos(
    x: f64,
    update: SinCosUpdate,
    from: f64,
    by: f64,
    sines: (f64, f64),
) -> (f64, f64) {
    match update {
        SinCosUpdate::Small => small_sin_cos(x),
        SinCosUpdate::Rotated => rotated_sin_cos(x, from, sines),
        SinCosUpdate::Corrected => corrected_sin_cos(x, from, by, sines),
    }
}

/// The same, or NaN where [`sin_cos_or_nan`] is.
#[inline(always)]
pub(crate) fn update_sin_cos_or_nan<T: Scalar>(
    x: T,
    update: SinCosUpdate,
    from: T,
    by: T,
    sines: (T, T),
) -> (T, T) {
    let any = || opaque(sin_cos_or_nan(x));
    match update {
        SinCosUpdate::Small if is_small(x) => opaque(small(x)),
        SinCosUpdate::Small => any(),
        SinCosUpdate::Rotated => rotate_if_small(x - from, sines).unwrap_or_else(any),
        SinCosUpdate::Corrected => correct((x - from) - by, sines).unwrap_or_else(any),
    }
}

/// The same without branches, by one of the first `WAYS` of the formulas (6), (7), (4) and [`sin_cos`], or NaN. Small
/// angles are computed by (2) only.
#[cfg(feature = "std")]
#[inline(always)]
pub(crate) fn update_sin_cos_select<T: Scalar, const WAYS: u32>(
    x: T,
    update: SinCosUpdate,
    from: T,
    by: T,
    sines: (T, T),
) -> (T, T) {
    if cfg!(feature = "platform-trigonometry") {
        return x.sin_cos();
    }
    match update {
        SinCosUpdate::Small => small_select(x),
        SinCosUpdate::Rotated => rotate_select::<_, WAYS>(x, x - from, sines),
        SinCosUpdate::Corrected => correct_select::<_, WAYS>(x, (x - from) - by, sines),
    }
}

/// (sin x, cos x), faster if |x| is small.
#[inline]
fn small_sin_cos(x: f64) -> (f64, f64) {
    if is_small(x) { opaque(small(x)) } else { opaque(sin_cos(x)) }
}

/// (sin x, cos x) by (4) from the pair `sines` of the angle `from`, if x is close to it.
#[inline]
fn rotated_sin_cos(x: f64, from: f64, sines: (f64, f64)) -> (f64, f64) {
    rotate_if_small(x - from, sines).unwrap_or_else(|| opaque(sin_cos(x)))
}

/// (sin x, cos x) from the pair `sines` of the predicted angle `from` + `by`: by (6), (7) or (4), the first that is
/// accurate for the distance.
#[inline]
fn corrected_sin_cos(x: f64, from: f64, by: f64, sines: (f64, f64)) -> (f64, f64) {
    correct((x - from) - by, sines).unwrap_or_else(|| opaque(sin_cos(x)))
}

/// (2) if |x| is small, else NaN.
#[cfg(feature = "std")]
#[inline(always)]
fn small_select<T: Scalar>(x: T) -> (T, T) {
    let z = x * x;
    let (is_small, cos) = (is_small_square(z), T::from_f64(1.0) - versine(z));
    (sine(x, z, is_small), if is_small { cos } else { T::from_f64(f64::NAN) })
}

/// (4) if δ = `by` is small; else [`sin_cos`] if `WAYS` is 4, or NaN.
#[cfg(feature = "std")]
#[inline(always)]
fn rotate_select<T: Scalar, const WAYS: u32>(x: T, by: T, sines: (T, T)) -> (T, T) {
    let is_small = is_small_square(by * by);
    if WAYS < 4 {
        return rotate(by, sines, is_small);
    }
    let (rotated, called) = (rotate(by, sines, true), x.sin_cos());
    (if is_small { rotated.0 } else { called.0 }, if is_small { rotated.1 } else { called.1 })
}

/// (6), (7), (4) or [`sin_cos`], the first of the first `WAYS` that is accurate for δ = `by`, or NaN.
#[cfg(feature = "std")]
#[inline(always)]
fn correct_select<T: Scalar, const WAYS: u32>(x: T, by: T, sines: (T, T)) -> (T, T) {
    let size = by.to_f64().abs();
    let or_nan = |is_right| by + T::from_f64(if is_right { -0.0 } else { f64::NAN });
    if WAYS == 1 {
        return rotate_first_order(or_nan(size <= TINY), sines);
    }
    // With 0 for δ/2, (7) is (6).
    let half = T::from_f64(if size <= TINY { 0.0 } else { 0.5 }) * by;
    if WAYS == 2 {
        return rotate_second_order(or_nan(size <= CLOSE), half, sines);
    }
    let (corrected, other) = (rotate_second_order(by, half, sines), rotate_select::<_, WAYS>(x, by, sines));
    (if size <= CLOSE { corrected.0 } else { other.0 }, if size <= CLOSE { corrected.1 } else { other.1 })
}

/// (6), (7) or (4), the first that is accurate for δ = `by`, if any.
#[inline(always)]
fn correct<T: Scalar>(by: T, sines: (T, T)) -> Option<(T, T)> {
    let size = by.to_f64().abs();
    if cfg!(feature = "platform-trigonometry") {
        None
    } else if size <= TINY {
        Some(opaque(rotate_first_order(by, sines)))
    } else if size <= CLOSE {
        Some(opaque(rotate_second_order(by, T::from_f64(0.5) * by, sines)))
    } else {
        rotate_if_small(by, sines).map(opaque)
    }
}

/// (6)
#[inline(always)]
fn rotate_first_order<T: Scalar>(by: T, (sin, cos): (T, T)) -> (T, T) {
    (sin + cos * by, cos - sin * by)
}

/// (7)
#[inline(always)]
fn rotate_second_order<T: Scalar>(by: T, half: T, (sin, cos): (T, T)) -> (T, T) {
    (sin + (cos - sin * half) * by, cos - (sin + cos * half) * by)
}

/// (4) or (5), if they are accurate for δ = `by`.
#[inline(always)]
fn rotate_if_small<T: Scalar>(by: T, sines: (T, T)) -> Option<(T, T)> {
    is_small(by).then(|| rotate(by, sines, true))
}

/// Hides the pair from the vectoriser at the end of a branch ([`Scalar::opaque`]): if the compiler packs the pair where
/// branches meet, it also packs the operations of every branch.
#[inline(always)]
fn opaque<T: Scalar>((sin, cos): (T, T)) -> (T, T) {
    (sin.opaque(), cos.opaque())
}

/// (4) or (5) if δ = `by` `is_small`, else NaN.
#[inline(always)]
fn rotate<T: Scalar>(by: T, (sin, cos): (T, T), is_small: bool) -> (T, T) {
    let z = by * by;
    let (sine, versine) = (sine(by, z, is_small), versine(z));
    if const { T::DRIVE.fused } {
        return ((sin - sin * versine) + cos * sine, (cos - cos * versine) - sin * sine);
    }
    (sin + (cos * sine - sin * versine), cos - (sin * sine + cos * versine))
}

/// sin x, as [`sin_cos`].
#[inline]
pub(crate) fn sin(x: f64) -> f64 {
    sin_cos(x).0
}

/// cos x, as [`sin_cos`].
#[inline]
pub(crate) fn cos(x: f64) -> f64 {
    sin_cos(x).1
}

/// (sin x, cos x) for |x| < 2²⁰; otherwise NaN, if `OR_NAN`.
#[inline(always)]
fn near<T: Scalar, const OR_NAN: bool>(x: T) -> (T, T) {
    // Scalars instead of arrays: LLVM does not vectorise arrays of `Fused` numbers.
    let number = T::from_f64;
    let [p1, p2, p3, p4] = PI_HALVES;
    let (p1, p2, p3, p4) = (number(p1), number(p2), number(p3), number(p4));
    let (one, whole) = (number(1.0), number(WHOLE));
    let shifted = x * number(core::f64::consts::FRAC_2_PI) + whole;
    let quadrant = shifted.to_f64().to_bits();
    let n = shifted - whole;
    // (1): every difference plus its compensation is exact.
    let a = x - n * p1;
    let (b, c) = (n * p2, n * p3);
    let ab = a - b;
    let r = ab - c;
    let e = (((a - ab) - b) + ((ab - r) - c)) - n * p4;
    // NaN for large angles, without a comparison.
    let e = if OR_NAN { e + number(zero_if_finite(x.to_f64() * OVERFLOWING)) } else { e };
    // (2) and (3).
    let z = r * r;
    let half = number(0.5) * z;
    let w = one - half;
    let sin = r + (r * z * polynomial(&S, z) + e * w);
    let cos = w + ((((one - w) - half) - r * e) + z * z * polynomial(&C, z));
    // sin (r + n π/2) and cos (r + n π/2).
    let (sin, cos) = if quadrant & 1 == 0 { (sin, cos) } else { (cos, sin) };
    let negated =
        |x: T, quadrant: u64| T::from_f64(f64::from_bits(x.to_f64().to_bits() ^ ((quadrant & 2) << 62)));
    (negated(sin, quadrant), negated(cos, quadrant.wrapping_add(1)))
}

/// Whether |x| is at most [`SMALL`], so that the shorter polynomials are accurate. Branches use this function instead of
/// `is_small_square`, because the compiler would pack the squares of several angles.
#[inline(always)]
fn is_small<T: Scalar>(x: T) -> bool {
    cfg!(not(feature = "platform-trigonometry")) && x.to_f64().abs() <= SMALL
}

/// The same for z = x², for selects without branches. The two agree: z rounds to at most the square of [`SMALL`] for
/// exactly these |x|.
#[cfg(feature = "std")]
#[inline(always)]
fn is_small_square<T: Scalar>(z: T) -> bool {
    z.to_f64() <= SMALL * SMALL
}

/// (sin x, cos x) for |x| ≤ [`SMALL`]: (2) with n = 0.
#[inline(always)]
fn small<T: Scalar>(x: T) -> (T, T) {
    let z = x * x;
    (sine(x, z, true), T::from_f64(1.0) - versine(z))
}

/// sin x for z = x² if |x| `is_small`, else NaN.
#[inline(always)]
fn sine<T: Scalar>(x: T, z: T, is_small: bool) -> T {
    let [c0, c1, c2, c3] = SHORT_S;
    // NaN enters through a coefficient, which is off the critical path.
    let c3 = if is_small { c3 } else { f64::NAN };
    x + x * z * (pair(c0, c1, z) + z * z * pair(c2, c3, z))
}

/// 1 − cos x for z = x², |x| ≤ [`SMALL`].
#[inline(always)]
fn versine<T: Scalar>(z: T) -> T {
    let ([c0, c1, c2, c3], z2) = (SHORT_C, z * z);
    T::from_f64(0.5) * z - z2 * (pair(c0, c1, z) + z2 * pair(c2, c3, z))
}

/// Angles beyond 2²⁰ and NaN.
#[cold]
fn far(x: f64) -> (f64, f64) {
    Float::sin_cos(x)
}

/// c₀ + c₁ z + … by Estrin's scheme, whose dependency chain is shorter than that of Horner's form.
#[inline(always)]
fn polynomial<T: Scalar>(c: &[f64; 6], z: T) -> T {
    let z2 = z * z;
    (pair(c[0], c[1], z) + z2 * pair(c[2], c[3], z)) + z2 * z2 * pair(c[4], c[5], z)
}

/// a + b z.
#[inline(always)]
fn pair<T: Scalar>(a: f64, b: f64, z: T) -> T {
    T::from_f64(a) + T::from_f64(b) * z
}
