//! The coefficient functions for arguments that steps rarely reach. They are cold, so that the series stay short enough
//! to be inlined, and each step gets its own copy, so that the optimiser sees that no call unwinds.

use super::{FULL_TURN, Polynomial};
use crate::Scalar;

#[cold]
#[inline]
pub(super) fn a<T: Scalar>(s: T) -> T {
    let (sine, cosine) = half_angle(s);
    sine * cosine
}

#[cold]
#[inline]
pub(super) fn b<T: Scalar>(s: T) -> T {
    let (sine, _) = half_angle(s);
    T::from_f64(0.5) * sine * sine
}

#[cold]
#[inline]
pub(super) fn c<T: Scalar>(s: T) -> T {
    (T::from_f64(1.0) - a(s)) / s
}

#[cold]
#[inline]
pub(super) fn b_prime<T: Scalar>(s: T) -> T {
    (T::from_f64(0.5) * a(s) - b(s)) / s
}

#[cold]
#[inline]
pub(super) fn c_prime<T: Scalar>(s: T) -> T {
    (b(s) - T::from_f64(3.0) * c(s)) / (s + s)
}

/// (sin(θ/2)/(θ/2), cos(θ/2)): formulas in half the angle have no cancellation.
#[inline]
fn half_angle<T: Scalar>(s: T) -> (T, T) {
    let half = T::from_f64(0.5) * s.sqrt();
    let (sine, cosine) = half.sin_cos();
    (sine / half, cosine)
}

#[cold]
#[inline]
pub(super) fn d<T: Scalar>(s: T) -> T {
    let (z, first, second) = poles(s);
    T::from_f64(2.0 / FULL_TURN) * (first + second + TAIL.at(z))
}

#[cold]
#[inline]
pub(super) fn d_prime<T: Scalar>(s: T) -> T {
    let (z, first, second) = poles(s);
    let sum = first * first + second * second + const { TAIL.derivative() }.at(z);
    T::from_f64(2.0 / (FULL_TURN * FULL_TURN)) * sum
}

#[cold]
#[inline]
pub(super) fn d_second<T: Scalar>(s: T) -> T {
    let (z, first, second) = poles(s);
    let cubes = first * first * first + second * second * second;
    let sum = cubes + cubes + const { TAIL.derivative().derivative() }.at(z);
    T::from_f64(2.0 / (FULL_TURN * FULL_TURN * FULL_TURN)) * sum
}

#[cold]
#[inline]
pub(super) fn d_third<T: Scalar>(s: T) -> T {
    let (z, first, second) = poles(s);
    let (first, second) = (first * first, second * second);
    let powers = first * first + second * second;
    let sum = T::from_f64(6.0) * powers + const { TAIL.derivative().derivative().derivative() }.at(z);
    T::from_f64(2.0 / (FULL_TURN * FULL_TURN * FULL_TURN * FULL_TURN)) * sum
}

/// z = s/4π², 1/(1 − z), 1/(4 − z).
#[inline]
fn poles<T: Scalar>(s: T) -> (T, T, T) {
    let z = s * s.near_or_far(FULL_TURN, T::from_f64(1.0 / FULL_TURN), |_| T::from_f64(f64::NAN));
    let one = T::from_f64(1.0);
    (z, one / (one - z), one / (T::from_f64(4.0) - z))
}

/// ρⱼ = ζ(2j+2) − 1 − 4⁻ʲ⁻¹.
const TAIL: Polynomial<5> = Polynomial([
    [
        0.394_934_066_848_226_44,
        1.982_323_371_113_819e-2,
        1.718_061_984_449_139_7e-3,
        1.711_061_979_443_393_4e-4,
    ],
    [
        1.801_262_781_808_053_7e-5,
        1.945_928_308_048_298_6e-6,
        2.129_788_087_048_292_6e-7,
        2.347_034_615_187_173_3e-8,
    ],
    [
        2.595_999_374_839_856_5e-9,
        2.877_174_665_461_131_5e-10,
        3.192_362_617_049_000_4e-11,
        3.544_275_868_854_612_4e-12,
    ],
    [
        3.936_345_173_849_846_6e-13,
        4.372_632_654_299_232e-14,
        4.857_804_189_667_247e-15,
        5.397_137_809_202_94e-16,
    ],
    [
        5.996_555_960_166_587e-17,
        6.662_675_132_429_289e-18,
        7.402_869_382_385_77e-19,
        8.225_346_069_033_828e-20,
    ],
]);
