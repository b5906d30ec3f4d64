//! G1 to G4 by `rdp`: models on groups, with the maps of the runtime.
//!
//! Momenta are matched on a basis of the admissible velocities, P' = Dᵀp⁺, Dᵀp⁻(d) = P, and the mean velocity d of a step is
//! admissible itself, so that n − m numbers of it or fewer are unknown. Newton's method starts from d of the steps before,
//! extrapolated.

pub(crate) mod ball;
mod disk;
mod sleigh;
mod snakeboard;

use crate::{Case, H, Kind};
use nhi_models::Row;
use nhi_runtime::System;
use nhi_runtime::group::coefficients::{d, d_prime};
use nhi_runtime::group::{Exp, Group, Retraction, SE2};

pub(crate) fn cases() -> Vec<Case> {
    let case = |workload, model, start| Case { workload, model, method: "rdp", kind: Kind::Plain, start };
    vec![
        case("G1", nhi_models::lie::chaplygin_sleigh::MODEL.name, sleigh::start),
        case("G2", nhi_models::lie::vertical_disk::MODEL.name, disk::start),
        case("G3", nhi_models::lie::snakeboard::MODEL.name, snakeboard::start),
        case("G4", nhi_models::lie::ball_as_printed::MODEL.name, ball::start),
    ]
}

/// The system with its default parameters, and configuration and velocity of the model's start.
fn initial<S: System + Clone>(row: &Row<S>) -> (S, Vec<f64>, Vec<f64>) {
    let system = row.example();
    let (q, v) = row.start(&system);
    (system, q.as_ref().to_vec(), v.as_ref().to_vec())
}

/// Whether an update of Newton's method with this square leaves an error of the order of rounding: the iteration converges
/// quadratically.
fn is_last(update: f64, size: f64) -> bool {
    update <= 1e-16 * size
}

/// What a motion (ω, v₁, v₂) of SE(2) in a step h makes of (dexp⁻¹)*μ: with D of the exponential map
///
/// ```text
/// w = hω D,   q = 1 − (hω)² D,
/// (dexp⁻¹_{±hξ})*μ = (μ₁ ± h (v₁μ₃ − v₂μ₂)/2 + h w (v₁μ₂ + v₂μ₃), q μ₂ ∓ hω μ₃/2, q μ₃ ± hω μ₂/2).
/// ```
struct Turn {
    w: f64,
    q: f64,
    /// Derivatives by ω.
    dw: f64,
    dq: f64,
}

impl Turn {
    #[inline(always)]
    fn of(omega: f64) -> Turn {
        let x = H * omega;
        let s = x * x;
        let (d, slope) = (d(s), s * d_prime(s));
        Turn { w: x * d, q: 1.0 - s * d, dw: H * (d + 2.0 * slope), dq: -2.0 * H * x * (d + slope) }
    }
}

/// The pose after a motion with this velocity in a step.
#[inline(always)]
fn moved(pose: [f64; 3], velocity: [f64; 3]) -> [f64; 3] {
    let motion = <Exp as Retraction<SE2<f64>>>::tau(velocity.map(|x| H * x));
    SE2::from(pose).product(motion).into()
}
