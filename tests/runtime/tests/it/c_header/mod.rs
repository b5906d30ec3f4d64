//! The header of generated C, `nhi.h`, against this runtime, bit for bit.
//!
//! A driver in C is compiled with the compiler `cc` (or `$CC`) and is given the same arguments as the functions here,
//! a thousand for each by default, and four thousand with `NHI_TESTS=all`.

mod cases;
mod driver;

use crate::random::Random;
use cases::{Case, cases, own_math};
use driver::{Driver, Real};
use nhi_tiers::amount;

impl Random {
    /// A number as steps meet them, or of any size, or at an edge.
    fn number(&mut self) -> f64 {
        const EDGES: [f64; 14] = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.1875,
            core::f64::consts::FRAC_PI_4,
            core::f64::consts::PI,
            1_048_575.9,
            1_048_576.0,
            -3.0e7,
            f64::MIN_POSITIVE / 8.0,
            1.0e300,
            f64::INFINITY,
            f64::NAN,
        ];
        match self.next() % 16 {
            0 => EDGES[(self.next() % EDGES.len() as u64) as usize],
            1..=5 => self.unit(),
            6..=8 => 4.0 * self.unit(),
            9..=11 => self.unit() * 10f64.powi(-((self.next() % 10) as i32)),
            12..=14 => self.unit() * 10f64.powi((self.next() % 7) as i32),
            _ => self.unit() * 10f64.powi((self.next() % 600) as i32 - 300),
        }
    }
}

fn arguments<T: Real>(case: &Case<T>, seed: u64) -> Vec<T> {
    let mut random = Random(seed);
    let count = amount(1000, 4000);
    let mut all = Vec::with_capacity(count * case.inputs);
    for i in 0..count {
        // Half of them without an edge in a long list of arguments.
        let ordinary = i % 2 == 0 && case.inputs > 2;
        for _ in 0..case.inputs {
            let x = if ordinary { 2.0 * random.unit() } else { random.number() };
            all.push(T::from_f64((case.shape)(x)));
        }
    }
    all
}

fn is_same_bit_for_bit<T: Real>(flags: &[&str]) {
    let cases = cases::<T>();
    let driver = Driver::build(&cases, flags);
    for (i, case) in cases.iter().enumerate() {
        let arguments = arguments(case, i as u64);
        let there = driver.call(i, case, &arguments);
        let chunks = arguments.chunks(case.inputs).zip(there.chunks(case.outputs));
        for (arguments, there) in chunks {
            let here = (case.here)(arguments);
            assert_eq!(here.len(), case.outputs, "{}", case.name);
            let equal = here.iter().zip(there).all(|(&x, &y)| x.is_same(y));
            assert!(equal, "{} of {arguments:?}: {here:?} here, {there:?} in C", case.name);
        }
    }
}

#[test]
fn numbers_are_the_same_bit_for_bit() {
    is_same_bit_for_bit::<f64>(&[]);
}

#[test]
fn single_precision_numbers_are_the_same_bit_for_bit() {
    is_same_bit_for_bit::<f32>(&["-DNHI_REAL_FLOAT"]);
}

/// Without math.h sines, cosines and square roots are the same, other functions as good as those of the platform.
#[test]
fn own_functions_are_good_to_two_units_in_the_last_place() {
    let cases = own_math();
    let driver = Driver::build(&cases, &["-DNHI_OWN_MATH"]);
    for (i, case) in cases.iter().enumerate() {
        let arguments = arguments(case, i as u64);
        let there = driver.call(i, case, &arguments);
        let chunks = arguments.chunks(case.inputs).zip(there.chunks(case.outputs));
        for (arguments, there) in chunks {
            let here = (case.here)(arguments);
            for (&x, &y) in here.iter().zip(there) {
                let off = x.ulps_to(y);
                assert!(
                    off <= case.ulps,
                    "{} of {arguments:?}: {x:e} here, {y:e} in C, {off} units apart",
                    case.name
                );
            }
        }
    }
}
