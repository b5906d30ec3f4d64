//! Hand-written kernels. *Plain* kernels are the closed form of the scheme in plain operators, without the
//! checks of results and errors of a driver. *Best* kernels are optimised for speed, as described at
//! each. They are generic over the use of fused multiply–add. Sines and cosines are the same as in
//! generated code.

mod chaotic_r7;
mod contact_oscillator;
mod frame;
mod general;
pub(crate) mod lanes;
mod reduced;
mod rk4;
mod rotation;
mod sleigh;
mod snakeboard;

use crate::{Case, Kind, generated, has_fused};
use nhi_models::Row;
use nhi_runtime::{Method, Scalar, State, System};

pub(crate) fn cases() -> Vec<Case> {
    let mut all = [
        contact_oscillator::cases(),
        chaotic_r7::cases(),
        sleigh::cases(),
        snakeboard::cases(),
        reduced::cases(),
        frame::cases(),
    ]
    .concat();
    all.retain(|case| case.kind != Kind::BestFused || has_fused());
    all
}

/// a b + c, in one operation if `FUSED` or if the target has it.
#[inline(always)]
fn fma<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED || cfg!(target_feature = "fma") { a.mul_add(b, c) } else { a * b + c }
}

/// a b c + d if `a` arrives last: one operation after it if `FUSED`.
#[inline(always)]
fn fma_last<const FUSED: bool>(a: f64, b: f64, c: f64, d: f64) -> f64 {
    if FUSED { fma::<FUSED>(a, b * c, d) } else { fma::<FUSED>(a * b, c, d) }
}

/// The initial state of the kernels: the start of the generated method.
#[derive(Clone, Copy, Debug)]
struct Jumped<const N: usize> {
    q: [f64; N],
    /// Velocities before and after the reflection at the node; equal for `dla2`.
    before: [f64; N],
    after: [f64; N],
}

/// The system with its default parameters, and the start of `method` at its initial data.
fn start<S, M, const N: usize>(row: &Row<S>, method: &M) -> (S, Jumped<N>)
where
    S: System<Configuration<f64> = [f64; N], Velocity<f64> = [f64; N]> + Clone,
    M: Method<S>,
{
    let (system, state) = generated::start(row, method);
    (system, jumped::<S, N>(&state))
}

/// `state` in arrays.
fn jumped<S, const N: usize>(state: &impl State<S, f64>) -> Jumped<N>
where
    S: System<Configuration<f64> = [f64; N], Velocity<f64> = [f64; N]>,
{
    let (before, after) = state.jump();
    Jumped { q: state.q(), before, after }
}

/// The inline sine and cosine of generated code.
#[inline(always)]
fn sin_cos(angle: f64) -> (f64, f64) {
    Scalar::sin_cos(angle)
}
