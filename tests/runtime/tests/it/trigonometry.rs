//! Sine and cosine against 200 bits.
//!
//! By default of a thousand angles of each kind; with `NHI_TESTS=all`, of four thousand.

use astro_float::{BigFloat, Consts, RoundingMode, Sign};
use nhi_runtime::Scalar;
use nhi_runtime::emitted::{corrected_sin_cos, rotated_sin_cos, small_sin_cos};
use nhi_tiers::amount;
use std::f64::consts::{FRAC_PI_2, PI};

/// Bits of the reference, enough for what cancels in the reduction of 2²⁰ and still 60 bits.
const BITS: usize = 256;
const ROUNDING: RoundingMode = RoundingMode::ToEven;

/// Units in the last place that the documentation promises; measured are 0.75.
const ULPS: f64 = 1.0;

/// `x` as f64; its relative error is 2⁻⁵³.
fn to_f64(x: &BigFloat) -> f64 {
    let Some((words, _, sign, exponent, _)) = x.as_raw_parts() else { panic!("{x:?} is no number") };
    // The most significant word is the last; the value is 0.words · 2^exponent.
    let top = words.iter().rev().zip([-64, -128]).map(|(&w, e)| w as f64 * 2f64.powi(e + exponent));
    let value: f64 = top.sum();
    if sign == Sign::Neg { -value } else { value }
}

/// Errors of sin x and cos x by `T` in units in the last place of the true values.
fn errors<T: Scalar>(x: f64, constants: &mut Consts) -> [f64; 2] {
    let angle = T::from_f64(x);
    let pair = angle.sin_cos();
    assert_eq!((angle.sin(), angle.cos()), pair);
    errors_of(pair, x, constants)
}

/// Those of `pair`.
fn errors_of<T: Scalar>((sin, cos): (T, T), x: f64, constants: &mut Consts) -> [f64; 2] {
    let exact = BigFloat::from_f64(x, BITS);
    let truth = [exact.sin(BITS, ROUNDING, constants), exact.cos(BITS, ROUNDING, constants)];
    [(sin, &truth[0]), (cos, &truth[1])].map(|(value, truth)| {
        let error = BigFloat::from_f64(value.to_f64(), BITS).sub(truth, BITS, ROUNDING);
        let error = if error.is_zero() { 0.0 } else { to_f64(&error).abs() };
        let size = if truth.is_zero() { 0.0 } else { to_f64(truth).abs() };
        // 2^(e − 52) for a truth in [2^e, 2^(e + 1)).
        let ulp = f64::from_bits(size.max(f64::MIN_POSITIVE).to_bits() & (0x7ff << 52)) * f64::EPSILON;
        error / ulp
    })
}

/// How many angles of each kind are compared.
fn angles() -> u32 {
    amount(1_000, 4_000)
}

fn check(what: &str, angles: impl Iterator<Item = f64>) {
    let mut constants = Consts::new().expect("memory");
    let mut worst = (0.0, 0.0);
    for x in angles {
        let plain = errors::<f64>(x, &mut constants);
        #[cfg(feature = "std")]
        // It leaves large angles to others.
        let fused = (x.abs() < 1_048_576.0).then(|| errors::<nhi_runtime::Fused>(x, &mut constants));
        #[cfg(not(feature = "std"))]
        let fused: Option<[f64; 2]> = None;
        for error in plain.into_iter().chain(fused.into_iter().flatten()) {
            assert!(error <= ULPS, "{what}: {error} ulp at {x:e}");
            if error > worst.0 {
                worst = (error, x);
            }
        }
    }
    println!("{what}: at most {:.3} ulp, at {:e}", worst.0, worst.1);
    assert!(worst.0 > 0.0, "{what}: nothing was compared");
}

/// Numbers in [0, 1), the same in every run (Weyl's sequence of the golden ratio).
fn unit(i: u32) -> f64 {
    (f64::from(i) * 0.618_033_988_749_894_9).fract()
}

#[test]
fn angles_of_one_turn() {
    check("one turn", (0..angles()).map(|i| PI * (2.0 * unit(i) - 1.0)));
}

#[test]
fn angles_of_many_turns() {
    // Every power of two up to 2²⁰ alike, and negative ones.
    check("many turns", (0..angles()).map(|i| 2f64.powf(20.0 * unit(i)) * f64::from(1 - 2 * (i as i32 % 2))));
}

#[test]
fn small_angles() {
    check("small angles", (1..500).map(|i| 2f64.powf(-60.0 * unit(i)) * FRAC_PI_2));
}

#[test]
fn angles_that_are_expected_to_be_small() {
    // They are up to 3/16; others are no worse.
    let mut constants = Consts::new().expect("memory");
    let limit = 0.1875_f64;
    let small = (0..angles()).map(|i| 0.25 * (2.0 * unit(i) - 1.0));
    let smaller = (1..200).map(|i| 2f64.powf(-60.0 * unit(i)));
    let mut compared = 0;
    for x in small.chain(smaller).chain([limit.next_down(), limit, limit.next_up(), 0.0]) {
        let pair = small_sin_cos(x);
        for error in errors_of(pair, x, &mut constants) {
            assert!(error <= ULPS, "{error} ulp at {x:e}");
        }
        #[cfg(feature = "std")]
        {
            for error in errors_of(small_sin_cos(nhi_runtime::Fused::from_f64(x)), x, &mut constants) {
                assert!(error <= ULPS, "fused: {error} ulp at {x:e}");
            }
            let (sin, cos) = small_sin_cos(nhi_runtime::Separate::from_f64(x));
            assert_eq!(
                (sin.to_f64().to_bits(), cos.to_f64().to_bits()),
                (pair.0.to_bits(), pair.1.to_bits())
            );
        }
        compared += 1;
    }
    assert!(compared > angles());
    for x in [1.0, -100.0, 1e5, 1e9] {
        assert_eq!(small_sin_cos(x), Scalar::sin_cos(x));
    }
    let (sin, cos) = small_sin_cos(f64::NAN);
    assert!(sin.is_nan() && cos.is_nan());
}

/// The larger error of sin x and cos x, in units of numbers below one: a sum is as accurate as its largest term.
fn units((sin, cos): (f64, f64), x: f64, constants: &mut Consts) -> f64 {
    let exact = BigFloat::from_f64(x, BITS);
    let truth = [exact.sin(BITS, ROUNDING, constants), exact.cos(BITS, ROUNDING, constants)];
    let errors = [sin, cos].into_iter().zip(truth).map(|(value, truth)| (value - to_f64(&truth)).abs());
    errors.fold(0.0, f64::max) / (f64::EPSILON / 2.0)
}

/// [`rotated_sin_cos`] in another number type.
#[cfg(feature = "std")]
fn rotated<T: Scalar>(x: f64, from: f64, (sin, cos): (f64, f64)) -> (f64, f64) {
    let [x, from, sin, cos] = [x, from, sin, cos].map(T::from_f64);
    let (sin, cos) = rotated_sin_cos(x, from, (sin, cos));
    (sin.to_f64(), cos.to_f64())
}

#[test]
fn angles_close_to_a_known_one() {
    let bits = |pair: (f64, f64)| (pair.0.to_bits(), pair.1.to_bits());
    let mut constants = Consts::new().expect("memory");
    let mut worst = 0.0_f64;
    for i in 0..angles() {
        let from = 2f64.powf(30.0 * unit(i) - 10.0) * f64::from(1 - 2 * (i as i32 % 2));
        let x = from + 0.3 * (2.0 * unit(7 * i) - 1.0);
        let pair = rotated_sin_cos(x, from, Scalar::sin_cos(from));
        if (x - from).abs() > 0.1875 {
            assert_eq!(bits(pair), bits(Scalar::sin_cos(x)), "{x:e} from {from:e}");
        }
        worst = worst.max(units(pair, x, &mut constants));
        #[cfg(feature = "std")]
        if x.abs() < 1_048_576.0 {
            let [sin, cos] = [Scalar::sin_cos(from).0, Scalar::sin_cos(from).1];
            assert_eq!(bits(rotated::<nhi_runtime::Separate>(x, from, (sin, cos))), bits(pair));
            let fused = rotated::<nhi_runtime::Fused>(x, from, (sin, cos));
            worst = worst.max(units(fused, x, &mut constants));
        }
    }
    println!("rotated: at most {worst:.3} units");
    let most = if cfg!(feature = "platform-trigonometry") { 1.0 } else { 2.0 };
    assert!(worst > 0.5 && worst <= most, "{worst}");
}

#[test]
fn predicted_angles() {
    let bits = |pair: (f64, f64)| (pair.0.to_bits(), pair.1.to_bits());
    let mut constants = Consts::new().expect("memory");
    let mut worst = 0.0_f64;
    for i in 0..angles() {
        let from = 2f64.powf(20.0 * unit(i) - 10.0) * f64::from(1 - 2 * (i as i32 % 2));
        // As tiny as roundings, as updates, and not tiny.
        let x = from + 2f64.powf(50.0 * unit(7 * i) - 52.0) * f64::from(1 - 2 * (i as i32 / 2 % 2));
        let by = (unit(3 * i) - 0.5) * f64::from(i as i32 % 3);
        // So that the sum is exact.
        let by = (from + by) - from;
        let sines = Scalar::sin_cos(from + by);
        let x = x + by;
        let pair = corrected_sin_cos(x, from, by, sines);
        if ((x - from) - by).abs() > 0.1875 {
            assert_eq!(bits(pair), bits(Scalar::sin_cos(x)), "{x:e} near {from:e}");
        }
        worst = worst.max(units(pair, x, &mut constants));
        #[cfg(feature = "std")]
        {
            let [x, from, by, sin, cos] =
                [x, from, by, sines.0, sines.1].map(nhi_runtime::Separate::from_f64);
            let (sin, cos) = corrected_sin_cos(x, from, by, (sin, cos));
            assert_eq!(bits((sin.to_f64(), cos.to_f64())), bits(pair));
        }
    }
    println!("corrected: at most {worst:.3} units");
    let most = if cfg!(feature = "platform-trigonometry") { 1.0 } else { 2.0 };
    assert!(worst > 0.5 && worst <= most, "{worst}");
}

#[test]
fn next_to_zeros() {
    // The numbers nearest to multiples of π/2 and their neighbours, where the reduction cancels.
    let count = angles() / 5;
    let multiples = (1..count).chain((0..count).map(|i| 1 + (667_000.0 * unit(i)) as u32));
    let nearest = multiples.map(|n| f64::from(n) * FRAC_PI_2);
    check("next to zeros", nearest.flat_map(|x| [x.next_down(), x, x.next_up()]));
}

#[test]
fn quarters_of_quadrants() {
    // Where the nearest multiple of π/2 changes.
    let borders = (1..500u32).map(|n| (f64::from(n) - 0.5) * FRAC_PI_2);
    check("quarters", borders.flat_map(|x| [x.next_down(), x, x.next_up()]));
}

#[test]
fn angles_that_nobody_measures() {
    check("large angles", (0..200).map(|i| 2f64.powf(20.0 + 200.0 * unit(i))));
    for x in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
        let (sin, cos) = Scalar::sin_cos(x);
        assert!(sin.is_nan() && cos.is_nan());
    }
    assert_eq!(Scalar::sin_cos(0.0), (0.0, 1.0));
}
