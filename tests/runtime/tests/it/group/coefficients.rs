//! The coefficient functions against values computed with 60 digits.

use super::dual::Dual;
use nhi_runtime::group::coefficients::{a, b, b_prime, c, c_prime, d, d_prime, d_second};

/// s and A, B, C, B′, C′, D, D′, D″ there.
#[rustfmt::skip]
const VALUES: [(f64, [f64; 8]); 9] = [
    (1e-12, [0.999_999_999_999_833_4, 0.499_999_999_999_958_3, 0.166_666_666_666_658_33, -0.041_666_666_666_663_89, -0.008_333_333_333_332_936, 0.083_333_333_333_334_72, 0.001_388_888_888_888_955, 6.613_756_613_757_11e-5]),
    (0.01, [0.998_334_166_468_281_5, 0.499_583_472_197_423_4, 0.166_583_353_171_847_7, -0.041_638_896_328_262_89, -0.008_329_365_905_984_456, 0.083_347_225_529_927_46, 0.001_389_550_512_649_671, 6.618_719_437_485_01e-5]),
    (0.25, [0.958_851_077_208_406, 0.489_669_752_438_509_13, 0.164_595_691_166_375_98, -0.040_976_855_337_224_54, -0.008_234_642_121_237_716, 0.083_682_635_354_059_9, 0.001_405_579_605_540_907_7, 6.739_346_978_361_557e-5]),
    (1.0, [0.841_470_984_807_896_5, 0.459_697_694_131_860_3, 0.158_529_015_192_103_5, -0.038_962_201_727_912_03, -0.007_944_675_722_225_1, 0.084_756_139_143_774_04, 0.001_457_592_845_618_332_5, 7.135_938_927_175_873e-5]),
    (3.75, [0.482_251_147_760_485_3, 0.362_026_332_704_059, 0.138_066_360_597_203_92, -0.032_240_202_353_017_694, -0.006_956_366_545_007_034, 0.089_054_854_414_064_62, 0.001_676_775_115_062_607_4, 8.891_049_967_665_474e-5]),
    (4.25, [0.427_821_484_269_143_1, 0.346_186_641_391_030_5, 0.134_630_238_995_495_73, -0.031_123_741_001_519_756, -0.006_788_714_775_936_08, 0.089_904_511_844_997_36, 0.001_722_171_150_338_684_8, 9.270_925_051_342_477e-5]),
    (10.0, [-0.006_540_706_968_938_640_6, 0.199_978_607_287_932_6, 0.100_654_070_696_893_86, -0.020_324_896_077_240_192, -0.005_099_180_240_137_45, 0.101_635_351_665_271_18, 0.002_419_569_604_270_993_4, 1.575_086_419_471_021_4e-4]),
    (30.0, [-0.131_726_455_695_091_23, 0.010_252_696_280_208_405, 0.037_724_215_189_836_374, -0.002_537_197_470_925_134, -0.001_715_332_488_155_012, 0.247_466_364_123_444_08, 0.022_413_149_146_732_97, 0.004_699_398_121_878_684]),
    (39.0, [-0.006_113_377_174_773_817, 1.869_350_445_914_755e-5, 0.025_797_778_901_917_277, -7.885_595_107_297_579e-5, -9.919_826_051_447_78e-4, 4.218_361_048_636_235, 8.738_245_440_814_05, 36.529_065_774_447_79]),
];

fn all(s: f64) -> [f64; 8] {
    [a(s), b(s), c(s), b_prime(s), c_prime(s), d(s), d_prime(s), d_second(s)]
}

/// Units in the last place. Where A and B have zeros, beside the 1/θ and 1/θ² that sine and 1 − cosine
/// are divided by.
fn error(i: usize, got: f64, expected: f64, s: f64) -> f64 {
    let size = match i {
        0 => 1.0 / (1.0 + s.sqrt()),
        1 => 1.0 / (1.0 + s),
        _ => 0.0,
    };
    (got - expected).abs() / (f64::EPSILON * expected.abs().max(size))
}

#[test]
fn agree_with_the_table() {
    for (s, expected) in VALUES {
        // At 39 the pole of D at 4π² and the double zero of B there magnify the rounding of s.
        let units = if s < 39.0 { 5.0 } else { 50.0 };
        for (i, (got, expected)) in all(s).into_iter().zip(expected).enumerate() {
            let error = error(i, got, expected, s);
            assert!(error <= units, "function {i} at s = {s}: {got}, off by {error} units");
        }
    }
}

/// Nor is there a jump where series and closed forms meet: for D at 0.25, for the others at 4.
#[test]
fn are_continuous() {
    for s in [0.25, 4.0] {
        let (below, above) = (all(s * (1.0 - 2.0 * f64::EPSILON)), all(s));
        for (i, (x, y)) in below.into_iter().zip(above).enumerate() {
            assert!((x - y).abs() <= 8.0 * f64::EPSILON * y.abs(), "function {i} jumps at {s}: {x}, {y}");
        }
    }
}

#[test]
fn have_their_limits_at_zero() {
    let expected =
        [1.0, 1.0 / 2.0, 1.0 / 6.0, -1.0 / 24.0, -1.0 / 120.0, 1.0 / 12.0, 1.0 / 720.0, 1.0 / 15120.0];
    for (got, expected) in all(0.0).into_iter().zip(expected) {
        assert!((got - expected).abs() <= f64::EPSILON * expected.abs(), "{got} instead of {expected}");
    }
}

/// The closed forms, where they have digits left.
#[test]
fn agree_with_the_closed_forms() {
    for i in 10..38 {
        let s = f64::from(i);
        let theta = s.sqrt();
        let cot = 1.0 / (theta / 2.0).tan();
        let q = theta / 2.0 * cot;
        let dq = cot / 2.0 - theta / 4.0 * (1.0 + cot * cot);
        let closed_d = (1.0 - q) / s;
        let closed_d_prime = (-dq / s - 2.0 * (1.0 - q) / (s * theta)) / (2.0 * theta);
        for (got, expected) in [
            (a(s), theta.sin() / theta),
            (b(s), (1.0 - theta.cos()) / s),
            (c(s), (theta - theta.sin()) / (s * theta)),
            (d(s), closed_d),
            (d_prime(s), closed_d_prime),
        ] {
            assert!((got - expected).abs() <= 1e-13 * (expected.abs() + 1.0), "{got} instead of {expected}");
        }
    }
}

#[test]
fn derivatives_are_derivatives() {
    for (s, _) in VALUES {
        let at = Dual::new(s, 1.0);
        // One rounding error in a difference of the values of a function of slope one.
        for (got, expected) in [
            (a(at), (c(s) - b(s)) / 2.0),
            (b(at), b_prime(s)),
            (c(at), c_prime(s)),
            (d(at), d_prime(s)),
            (d_prime(at), d_second(s)),
        ] {
            let (got, size) = (got.slope(), expected.abs().max(0.01));
            assert!((got - expected).abs() <= 1e-14 * size, "{got} instead of {expected} at s = {s}");
        }
    }
}

#[test]
fn d_ends_at_a_full_turn() {
    let turn = std::f64::consts::TAU.powi(2);
    assert!(d(turn * (1.0 - 1e-12)).is_finite());
    for s in [turn, 40.0, 200.0] {
        assert!(d(s).is_nan() && d_prime(s).is_nan() && d_second(s).is_nan());
    }
}
