//! Random start guesses.

use alloc::vec::Vec;
use core::f64::consts::PI;
#[cfg(not(feature = "std"))]
use num_traits::Float;

/// Waves of a random start guess.
const WAVES: u32 = 3;

/// Random numbers from −1 to 1.
pub(crate) fn numbers_from(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        // SplitMix64.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = state;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (x ^ (x >> 31)) as f64 / 2.0_f64.powi(63) - 1.0
    }
}

/// Inputs of `steps` steps, sums of waves of random sizes below those of `sizes`, the slower ones the larger.
pub(crate) fn waves(seed: u64, sizes: &[f64], steps: usize) -> Vec<Vec<f64>> {
    let mut random = numbers_from(seed);
    let mut inputs = vec![vec![0.0; sizes.len()]; steps];
    for (j, size) in sizes.iter().enumerate() {
        for wave in 1..=WAVES {
            let rate = PI * f64::from(wave) / steps.max(1) as f64;
            let (cos, sin) = (size / f64::from(wave) * random(), size / f64::from(wave) * random());
            for (k, u) in inputs.iter_mut().enumerate() {
                let angle = rate * (k as f64 + 0.5);
                u[j] += cos * angle.cos() + sin * angle.sin();
            }
        }
    }
    inputs
}
