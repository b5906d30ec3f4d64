//! Generated steps cannot panic: in an optimised build this test links only if the optimiser has shown
//! that no step of any method of any model unwinds.
//!
//! Around each step stands a guard whose destructor calls a function that exists nowhere. It is
//! reached only by unwinding, so that the call is dropped exactly where nothing can unwind. Linking
//! fails with the name of the function otherwise:
//!
//! ```text
//! cargo test --release -p nhi-models --test no_panic
//! ```
//!
//! Without optimisation there is nothing to link against, and the steps are only taken. The test stands
//! here, and not with the others, because what they need takes minutes to optimise.
#![allow(unsafe_code, reason = "the guard calls a function that is declared and never defined")]

use nhi_models::{self as models, lie};
use nhi_runtime::prelude::*;
use nhi_runtime::{Emits, Failure, Retracted, Start, Vector};
use std::hint::black_box;

struct Guard;

impl Drop for Guard {
    fn drop(&mut self) {
        #[cfg(not(debug_assertions))]
        {
            unsafe extern "C" {
                fn a_generated_step_may_panic();
            }
            // SAFETY: never called, or the program would not have been linked.
            unsafe { a_generated_step_may_panic() }
        }
    }
}

/// One step. Not inlined: every system and method has a copy of its own, in which the guard stays or
/// goes.
#[inline(never)]
fn step<S: Emits<K>, K>(
    prepared: &S::Prepared<f64>,
    state: &S::State<f64>,
    inputs: &S::Inputs<f64>,
) -> Result<S::State<f64>, Failure> {
    let guard = Guard;
    let next = S::step(prepared, state, 0.0, inputs);
    std::mem::forget(guard);
    next
}

fn run<S: Emits<K>, K>(q: f64, v: f64) {
    let parameters = S::Parameters::<f64>::splat(1.0);
    let (q, v) = (S::Configuration::<f64>::splat(q), S::Velocity::<f64>::splat(v));
    let (h, inputs) = (0.01, S::Inputs::<f64>::splat(0.0));
    let stepped = S::prepare(&parameters, h).and_then(|prepared| {
        let state = S::start::<{ Start::CONSISTENT }, f64>(&parameters, h, &q, &v, 0.0, &inputs)?;
        step::<S, K>(&prepared, &state, black_box(&inputs))
    });
    // These data may be singular for a model, and are never a reason to panic.
    let _ = black_box(stepped.is_ok());
}

macro_rules! every_step {
    ($($system:ty),*; $methods:tt) => {
        $(every_step!(@methods $system, $methods);)*
    };
    (@methods $system:ty, [$($method:ty),* $(,)?]) => {
        $(
            run::<$system, $method>(0.1, 0.2);
            run::<$system, $method>(f64::NAN, f64::INFINITY);
            run::<$system, $method>(1e300, -1e300);
        )*
    };
}

#[test]
fn steps_do_not_panic() {
    every_step!(
        models::chaotic_r7::ChaoticR7,
        models::contact_oscillator::ContactOscillator,
        models::euler_disk::EulerDisk,
        models::knife_incline::KnifeIncline,
        models::magnetic_particle::MagneticParticle,
        models::mobile_robot::MobileRobot,
        models::nh_particle::NhParticle,
        models::perturbed_oscillator::PerturbedOscillator,
        models::rotating_table_skate::RotatingTableSkate,
        models::sleigh_com::SleighCom,
        models::sleigh_contact::SleighContact,
        models::sleigh_moving_mass::SleighMovingMass,
        models::snakeboard::Snakeboard,
        models::snakeboard_free::SnakeboardFree,
        models::vertical_disk::VerticalDisk;
        [
            Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Rattle, RattleRestarted,
            GniMidpoint, GniEulerA, GniEulerB, Rk2Midpoint, Rk2Heun, Rk4,
        ]
    );
}

/// With every retraction, on every group, with and without coordinates beside it and dependence on the
/// pose.
#[test]
fn steps_on_groups_do_not_panic() {
    every_step!(
        lie::ball_as_printed::BallAsPrinted,
        lie::chaplygin_ball::ChaplyginBall,
        lie::chaplygin_sleigh::ChaplyginSleigh,
        lie::rattleback::Rattleback,
        lie::roller_racer::RollerRacer,
        lie::se3_body::Se3Body,
        lie::snakeboard::Snakeboard,
        lie::suslov::Suslov,
        lie::two_wheeled_robot::TwoWheeledRobot,
        lie::vertical_disk::VerticalDisk;
        [
            Rdp, RdpLeft, RdpRight, Rattle, RattleRestarted, GniEulerA, GniEulerB, Rkmk2, Rkmk4,
            Retracted<Rdp, Cayley>, Retracted<Rdp, Ccsk>, Retracted<Rdp, Exp1>, Retracted<Rdp, Exp2>,
            Retracted<Rdp, Exp4>, Retracted<Rattle, Cayley>,
        ]
    );
    every_step!(
        lie::ball_as_printed::BallAsPrinted,
        lie::roller_racer::RollerRacer,
        lie::se3_body::Se3Body;
        [RdpMidpoint, GniMidpoint]
    );
    every_step!(lie::suslov::Suslov; [MvMp, SuslovMv, SuslovCay]);
}
