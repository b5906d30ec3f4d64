//! Kernels by hand. *Plain* ones are the closed form of the scheme in plain operators; what stands
//! around them in a driver (checks of results, errors) they do without. *Best* ones are arranged for
//! speed; what was gained by what is said there.

mod chaotic_r7;
mod contact_oscillator;
mod general;
mod rk4;
mod sleigh;
mod snakeboard;

use crate::Case;

pub(crate) fn cases() -> Vec<Case> {
    [contact_oscillator::cases(), chaotic_r7::cases(), sleigh::cases(), snakeboard::cases()].concat()
}

/// a b + c, in one instruction where the target has it.
#[inline(always)]
fn fma(a: f64, b: f64, c: f64) -> f64 {
    if cfg!(target_feature = "fma") { a.mul_add(b, c) } else { a * b + c }
}

/// (q, v_post) of a method that reflects: the state of every RATTLE kernel in one form or another.
#[derive(Clone, Copy, Debug)]
struct Reflected<const N: usize> {
    q: [f64; N],
    v_post: [f64; N],
}
