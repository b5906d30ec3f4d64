//! Generated steps cannot panic: in an optimised build this test links only if the optimiser has shown
//! that no step of any method of any model unwinds, and no derivatives of steps in coordinates and on a group.
//!
//! Around each step stands a guard whose destructor calls a function that exists nowhere. It is
//! reached only by unwinding, so that the call is dropped exactly where nothing can unwind. Linking
//! fails with the name of the function otherwise:
//!
//! ```text
//! cargo rustc --release -p nhi-models --test no_panic -- -C codegen-units=1
//! ```
//!
//! A call is seen not to panic only where it is inlined, and the release profile does not inline across the units of a crate.
//!
//! Without optimisation there is nothing to link against, and the steps are only taken. The test stands
//! here, and not with the others, because what they need takes minutes to optimise.
#![allow(unsafe_code, reason = "the guard calls a function that is declared and never defined")]

use nhi_models::{self as models, lie};
use nhi_runtime::prelude::*;
use nhi_runtime::{
    CurvatureOf, Departure, DepartureOf, Differentiable, Failure, LinearizationOf, Method,
    ParameterLinearizationOf, PulledBackOf, Retracted, System, Tangential, Vector,
};
use std::hint::black_box;
use std::marker::PhantomData;

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
fn step<S: System, M: Method<S>>(
    method: &M,
    prepared: &M::Prepared<f64>,
    state: &M::State<f64>,
    inputs: &S::Inputs<f64>,
) -> Result<M::State<f64>, Failure> {
    let guard = Guard;
    let next = method.step(prepared, state, 0.0, inputs);
    std::mem::forget(guard);
    next
}

fn run<S: System, M: Method<S>>(method: &M, q: f64, v: f64) {
    let parameters = S::Parameters::<f64>::splat(1.0);
    let (q, v) = (S::Configuration::<f64>::splat(q), S::Velocity::<f64>::splat(v));
    let (h, z, inputs) = (0.01, S::States::<f64>::splat(0.0), S::Inputs::<f64>::splat(0.0));
    let stepped = method.prepare(&parameters, h).and_then(|prepared| {
        let state = method.start(&parameters, h, &q, &v, &z, 0.0, &inputs)?;
        step(method, &prepared, &state, black_box(&inputs))
    });
    // These data may be singular for a model, and are never a reason to panic.
    let _ = black_box(stepped.is_ok());
}

/// A method that a system may have emitted. Its own `run` is there if it has; else the one of [`NotEmitted`] is
/// found.
struct Candidate<S, M>(PhantomData<(S, M)>);

impl<S: System, M: Method<S> + Default> Candidate<S, M> {
    /// Takes steps, and counts the method.
    fn run() -> usize {
        let method = M::default();
        run(&method, 0.1, 0.2);
        run(&method, f64::NAN, f64::INFINITY);
        run(&method, 1e300, -1e300);
        1
    }
}

trait NotEmitted {
    fn run() -> usize {
        0
    }
}

impl<S, M> NotEmitted for Candidate<S, M> {}

/// Steps by every method of the table that a system has emitted, with every retraction; their number.
macro_rules! every_step {
    ($system:ty) => {
        nhi_methods::for_each_method!(every_step_of, $system)
    };
}

macro_rules! every_step_of {
    ([$system:ty] $( $(#[$doc:meta])* $method:ident $id:literal { $($facts:tt)* } )*) => {
        0 $(
            + Candidate::<$system, $method>::run()
            + every_step_of!(@retracted $system, $method: Cayley Ccsk Exp1 Exp2 Exp4)
        )*
    };
    (@retracted $system:ty, $method:ident: $($retraction:ident)*) => {
        0 $(+ Candidate::<$system, Retracted<$method, $retraction>>::run())*
    };
}

macro_rules! systems {
    ($($name:ident $system:ty, $least:literal;)*) => {$(
        #[test]
        fn $name() {
            let methods = every_step!($system);
            assert!(methods >= $least, "{methods}");
        }
    )*};
}

/// All derivatives of one step.
type Derivatives<S> = (LinearizationOf<S>, ParameterLinearizationOf<S>, PulledBackOf<S>, CurvatureOf<S>);

#[inline(never)]
fn derivatives<S: Tangential, M: Differentiable<S>>(
    method: &M,
    parameters: &S::Parameters<f64>,
    from: &DepartureOf<S, M>,
    w: &S::Tangent<f64>,
) -> Result<Derivatives<S>, Failure> {
    let guard = Guard;
    let all = method.linearize(parameters, from).and_then(|linear| {
        let by_parameters = method.linearize_parameters(parameters, from)?;
        let pulled = method.pull_back(parameters, from, w)?;
        Ok((linear, by_parameters, pulled, method.curvature(parameters, from, w)?))
    });
    std::mem::forget(guard);
    all
}

fn differentiate<S: Tangential, M: Differentiable<S>>(method: M, q: f64, v: f64) {
    let parameters = S::Parameters::<f64>::splat(1.0);
    let (q, v) = (S::Configuration::<f64>::splat(q), S::Velocity::<f64>::splat(v));
    let (h, z, inputs) = (0.01, S::States::<f64>::splat(0.0), S::Inputs::<f64>::splat(0.1));
    let w = S::Tangent::<f64>::splat(1.0);
    let found = method.start(&parameters, h, &q, &v, &z, 0.0, &inputs).and_then(|state| {
        let from = Departure { state, inputs: black_box(inputs), t: 0.0, h };
        derivatives(&method, &parameters, &from, &w)
    });
    let _ = black_box(found.is_ok());
}

/// A sleigh with a motor.
#[derive(Nonholonomic, Clone)]
#[nonholonomic(
    coordinates(theta, x, y),
    states(i),
    inputs(u),
    lagrangian = j/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
    constraints(a*dtheta + sin(theta)*dx - cos(theta)*dy = 0),
    force = i*(cos(theta)*dx + sin(theta)*dy),
    dynamics(dot(i) = u - tanh(i)),
    methods(Dla2 + derivatives, DlaRattle + derivatives, Rk4 + derivatives),
)]
struct Sleigh {
    j: f64,
    m: f64,
    a: f64,
}

/// Oscillators with one constraint, whose second derivatives are completed by products.
#[derive(Nonholonomic, Clone)]
#[nonholonomic(
    coordinates(x, y[3], z[3]),
    inputs(u),
    lagrangian = (dot(x)^2 + sum(i in 0..3, dot(y[i])^2 + m*dot(z[i])^2))/2
               - (x^2 + sum(i in 0..3, y[i]^2 + z[i]^2 + y[i]^2*z[i]^2) + z[0]^2*z[1]^2)/2,
    constraints(dx + sum(i in 0..3, y[i]*dz[i]) = 0),
    force = u*y[0]*dx,
    methods(Rk4 + derivatives),
)]
struct Oscillators {
    m: f64,
}

/// Suslov's body with gravity.
#[derive(Nonholonomic, Clone)]
#[nonholonomic(
    group = SO3(R; w1, w2, w3),
    lagrangian = (a*w1^2 + b*w2^2 + c*w3^2)/2 - a*R[2][2],
    constraints(w1 + w2 = 0),
    methods(Rdp + derivatives),
)]
struct Body {
    a: f64,
    b: f64,
    c: f64,
}

#[test]
fn derivatives_of_steps() {
    for (q, v) in [(0.1, 0.2), (f64::NAN, f64::INFINITY), (1e300, -1e300)] {
        differentiate::<Sleigh, _>(Dla2, q, v);
        differentiate::<Sleigh, _>(DlaRattle, q, v);
        differentiate::<Sleigh, _>(Rk4, q, v);
        differentiate::<Oscillators, _>(Rk4, q, v);
        differentiate::<Body, _>(Rdp, q, v);
        differentiate::<Body, _>(Rdp::new(Cayley), q, v);
    }
}

systems! {
    chaotic_r7 models::chaotic_r7::ChaoticR7, 14;
    contact_oscillator models::contact_oscillator::ContactOscillator, 14;
    euler_disk models::euler_disk::EulerDisk, 14;
    knife_incline models::knife_incline::KnifeIncline, 14;
    gearbox models::gearbox::Gearbox, 14;
    magnetic_particle models::magnetic_particle::MagneticParticle, 14;
    mobile_robot models::mobile_robot::MobileRobot, 14;
    nh_particle models::nh_particle::NhParticle, 14;
    perturbed_oscillator models::perturbed_oscillator::PerturbedOscillator, 14;
    rotating_table_skate models::rotating_table_skate::RotatingTableSkate, 14;
    sleigh_com models::sleigh_com::SleighCom, 14;
    sleigh_contact models::sleigh_contact::SleighContact, 14;
    sleigh_moving_mass models::sleigh_moving_mass::SleighMovingMass, 14;
    snakeboard models::snakeboard::Snakeboard, 14;
    snakeboard_free models::snakeboard_free::SnakeboardFree, 14;
    tractor models::tractor::Tractor, 14;
    vertical_disk models::vertical_disk::VerticalDisk, 14;

    // On every group, with and without coordinates beside it and dependence on the pose.
    ball_as_printed lie::ball_as_printed::BallAsPrinted, 15;
    chaplygin_ball lie::chaplygin_ball::ChaplyginBall, 15;
    se2_sleigh lie::chaplygin_sleigh::ChaplyginSleigh, 15;
    rattleback lie::rattleback::Rattleback, 15;
    roller_racer lie::roller_racer::RollerRacer, 15;
    se3_body lie::se3_body::Se3Body, 15;
    se2_snakeboard lie::snakeboard::Snakeboard, 15;
    suslov lie::suslov::Suslov, 18;
    two_wheeled_robot lie::two_wheeled_robot::TwoWheeledRobot, 15;
    se2_disk lie::vertical_disk::VerticalDisk, 15;
}
