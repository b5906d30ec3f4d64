//! Simulations with a tolerance.
#![allow(non_snake_case, reason = "inertias are called what the books call them")]

use nhi_runtime::group::SO3;
use nhi_runtime::prelude::*;
use nhi_runtime::{AnyStepSize, Error, Method, System};

/// A sleigh on a slope.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(theta, x, y),
    lagrangian = J/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2) - g*x,
    constraints(blade: a*dtheta + sin(theta)*dx - cos(theta)*dy),
    methods(Frame, Dla2, Dla1, Rk4)
)]
struct Sleigh {
    J: f64,
    m: f64,
    a: f64,
    g: f64,
}

const SLEIGH: Sleigh = Sleigh { J: 1.0, m: 1.5, a: 0.3, g: 2.0 };
const AT: ([f64; 3], [f64; 3]) = ([0.4, 0.0, 0.0], [1.0, 0.0, 0.3257038]);

/// A particle in a plane whose distance from a wall is `x`, and that rolls beside it: nearly free motion, and short contacts.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = (dot(x)^2 + dot(y)^2 + dot(z)^2)/2 - g*x - exp(-k*x),
    constraints(dz - y*dx = 0),
    methods(Frame, Rk4)
)]
struct Bouncing {
    g: f64,
    k: f64,
}

/// A body with drag and an input, whose motor lags behind it.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    group = SO3(R; w1, w2, w3),
    states(i),
    inputs(u),
    lagrangian = (A*w1^2 + B*w2^2 + C*w3^2)/2,
    constraints(w3),
    force = (i - c*w1)*w1*dt,
    dynamics(dot(i) = u*sin(t) - i + w2),
    methods(Rdp)
)]
struct Body {
    A: f64,
    B: f64,
    C: f64,
    c: f64,
}

fn adaptive<S: System, M: Method<S>>(
    system: S,
    method: M,
    (q0, v0): (S::Configuration<f64>, S::Velocity<f64>),
    tolerance: f64,
) -> nhi_runtime::AdaptiveSimulation<S, M>
where
    M::State<f64>: AnyStepSize,
{
    let parameters = system.parameters();
    let inputs = <S::Inputs<f64> as nhi_runtime::Vector<f64>>::splat(1.5);
    let v0 = S::project(&parameters, &q0, &v0, 0.0, &inputs).unwrap();
    Simulation::builder(system, method).start(q0, v0).inputs(&inputs).tolerance(tolerance).build().unwrap()
}

/// The numbers of the state at the time `t`.
fn end<S: System, M: Method<S>>(
    system: S,
    method: M,
    start: (S::Configuration<f64>, S::Velocity<f64>),
    tolerance: f64,
    t: f64,
) -> Vec<f64>
where
    M::State<f64>: AnyStepSize,
{
    let mut sim = adaptive(system, method, start, tolerance);
    sim.run_until(t).unwrap();
    assert_eq!(sim.time(), t);
    [sim.q().as_ref(), sim.v().as_ref(), sim.z().as_ref()].concat()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs() / (1.0 + b.abs())).fold(0.0, f64::max)
}

/// The slope of log(error) over log(tolerance), from 10^-`from` to 10^-`to`.
fn slope(exact: &[f64], [from, to]: [i32; 2], end: impl Fn(f64) -> Vec<f64>) -> f64 {
    let error = |digits: i32| distance(&end(10_f64.powi(-digits)), exact);
    let [first, last] = [error(from), error(to)];
    (first / last).log10() / f64::from(to - from)
}

/// The error is proportional to tol^(p/(p + 1)), and of the size of the tolerance.
#[test]
fn errors_scale_with_the_tolerance() {
    let near = |slope: f64, order: i32, what: &str| {
        let expected = f64::from(order) / f64::from(order + 1);
        assert!((slope - expected).abs() < 0.06, "{what}: {slope} instead of {expected}");
    };
    let exact = end(SLEIGH, Compose::kahanli8(Frame), AT, 1e-13, 3.0);
    near(slope(&exact, [4, 8], |tol| end(SLEIGH, Frame, AT, tol, 3.0)), 2, "frame on a sleigh");
    near(slope(&exact, [4, 8], |tol| end(SLEIGH, Dla2, AT, tol, 3.0)), 2, "dla2 on a sleigh");
    near(slope(&exact, [3, 6], |tol| end(SLEIGH, Dla1, AT, tol, 3.0)), 1, "dla1 on a sleigh");
    near(slope(&exact, [5, 10], |tol| end(SLEIGH, Rk4, AT, tol, 3.0)), 4, "rk4 on a sleigh");
    let composed = Compose::suzuki4(Frame);
    near(slope(&exact, [5, 10], |tol| end(SLEIGH, composed, AT, tol, 3.0)), 4, "frame_suzuki4 on a sleigh");
    assert!(distance(&end(SLEIGH, Rk4, AT, 1e-8, 3.0), &exact) < 1e-7);

    let bouncing = Bouncing { g: 1.0, k: 20.0 };
    let start = ([1.0, 0.2, 0.0], [0.3, 0.5, 0.06]);
    let exact = end(bouncing.clone(), Compose::kahanli8(Frame), start, 1e-13, 3.0);
    near(slope(&exact, [5, 9], |tol| end(bouncing.clone(), Frame, start, tol, 3.0)), 2, "frame at a wall");

    let body = Body { A: 1.0, B: 2.0, C: 2.5, c: 0.3 };
    let one = SO3::from([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    let start = (<Body as System>::Configuration::<f64>::from(one), [0.7, -0.4, 0.0]);
    let exact = end(body.clone(), Compose::kahanli8(Rdp), start, 1e-13, 3.0);
    near(slope(&exact, [4, 8], |tol| end(body.clone(), Rdp, start, tol, 3.0)), 2, "rdp on SO(3)");
}

/// `Frame` keeps the energy with any sequence of step sizes: sizes change by a factor of 10 from the free motion to a contact.
#[test]
fn the_frame_method_keeps_the_energy() {
    let start = ([1.0, 0.2, 0.0], [0.3, 0.5, 0.06]);
    let mut sim = adaptive(Bouncing { g: 1.0, k: 40.0 }, Frame, start, 1e-6);
    let (energy, mut sizes) = (sim.energy(), [f64::INFINITY, 0.0_f64]);
    while sim.time() < 100.0 {
        sim.step().unwrap();
        sizes = [sizes[0].min(sim.h()), sizes[1].max(sim.h())];
        assert!((sim.energy() - energy).abs() < 1e-12 * energy, "{} at t = {}", sim.energy(), sim.time());
        assert!(sim.residual()[0].abs() < 1e-13);
    }
    // The first steps are small, too.
    assert!(sizes[1] > 10.0 * sizes[0], "{sizes:?}");
    assert!(sim.rejections() > 10, "{}", sim.rejections());
    // An explicit method of order 4 drifts with the same tolerance.
    let mut drifting = adaptive(Bouncing { g: 1.0, k: 40.0 }, Rk4, start, 1e-6);
    drifting.run_until(100.0).unwrap();
    assert!((drifting.energy() - energy).abs() > 1e-7 * energy, "{}", drifting.energy() - energy);
}

/// A pair of steps is two steps of a simulation with this step size.
#[test]
fn steps_are_those_of_the_method() {
    let mut sim = adaptive(SLEIGH, Frame, AT, 1e-5);
    for _ in 0..20 {
        let (q, v, t, steps) = (sim.q(), sim.v(), sim.time(), sim.steps());
        sim.step().unwrap();
        assert_eq!(sim.steps(), steps + 2);
        let fixed = Simulation::builder(SLEIGH, Frame).at(t).start(q, v).step_size(sim.h());
        let mut fixed = fixed.build().unwrap();
        fixed.advance(2).unwrap();
        assert!(distance(&fixed.q(), &sim.q()) < 1e-14 && distance(&fixed.v(), &sim.v()) < 1e-14);
        assert_eq!(fixed.time(), sim.time());
    }
}

/// Times of samples shorten steps before them, and no others.
#[test]
fn samples_are_at_requested_times() {
    let (mut sim, mut plain) = (adaptive(SLEIGH, Frame, AT, 1e-7), adaptive(SLEIGH, Frame, AT, 1e-7));
    plain.run_until(2.0).unwrap();
    for k in 1..=20 {
        let t = 0.1 * f64::from(k);
        sim.run_until(t).unwrap();
        assert_eq!(sim.time(), t);
    }
    assert!(distance(&sim.q(), &plain.q()) < 1e-5);
    assert!(sim.steps() < plain.steps() + 20 * 4, "{} {}", sim.steps(), plain.steps());
    let samples = (0..2000).map(|k| 2.0 + 1e-3 * f64::from(k));
    let before = sim.steps();
    samples.for_each(|t| sim.run_until(t).unwrap());
    assert!(sim.steps() - before < 2 * 2000 + 100, "{}", sim.steps() - before);
    // And back.
    sim.run_until(0.0).unwrap();
    assert!(distance(&sim.q(), &AT.0) < 1e-4 && sim.h() < 0.0);
    let (time, q) = (sim.time(), sim.q());
    assert!(matches!(sim.run_until(f64::NAN), Err(Error::NonFinite { name: "t", .. })));
    assert_eq!((sim.time(), sim.q()), (time, q));
}

#[test]
fn events_are_located() {
    // Uphill, and down again.
    let start = ([0.4, 0.0, 0.0], [1.0, 0.5, 0.5]);
    let mut sim = adaptive(SLEIGH, Rk4, start, 1e-11);
    let t = sim.advance_until(|sample| sample.v[1] < 0.0).unwrap();
    assert!(t > 0.1 && sim.time() == t);
    assert!(sim.v()[1].abs() < 1e-14 && sim.v()[1] <= 0.0, "{}", sim.v()[1]);
    let mut plain = adaptive(SLEIGH, Rk4, start, 1e-11);
    plain.run_until(t).unwrap();
    assert!(plain.v()[1].abs() < 1e-9);
    // It goes on from there.
    sim.run_until(t + 0.5).unwrap();
    plain.run_until(t + 0.5).unwrap();
    assert!(distance(&sim.q(), &plain.q()) < 1e-9);
    assert_eq!(sim.advance_until(|_| true).unwrap(), t + 0.5);
}

/// A fall into the centre ends at a singularity.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(coordinates(x), lagrangian = dot(x)^2/2 + k/x, constraints(), methods(Rk4))]
struct Fall {
    k: f64,
}

#[test]
fn steps_that_are_refused_leave_the_state() {
    let mut sim = adaptive(Fall { k: 1.0 }, Rk4, ([1.0], [0.0]), 1e-8);
    let error = loop {
        let before = (sim.time(), sim.q(), sim.v(), sim.steps(), sim.h());
        match sim.step() {
            Ok(()) => assert!(sim.steps() < 100_000 && sim.q()[0] > 0.0),
            Err(error) => {
                assert_eq!(before, (sim.time(), sim.q(), sim.v(), sim.steps(), sim.h()));
                break error;
            }
        }
    };
    // From rest at x = 1 it takes π/√8 to the centre.
    let Error::Stalled { time, h, .. } = error else { panic!("{error}") };
    assert!((time - 1.1107207345395915).abs() < 1e-5 && h < 1e-14, "{error}");
    assert!(error.to_string().starts_with("from t = 1.1107"), "{error}");
    assert!(sim.rejections() > 10);
}

#[test]
fn tolerances_are_refused() {
    for tolerance in [0.0, -1e-6, 1e-15, f64::NAN, f64::INFINITY] {
        let builder = Simulation::builder(SLEIGH, Frame).start([0.0; 3], [0.0; 3]);
        let error = builder.tolerance(tolerance).build().unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "the tolerance must be a finite number that is not below 1e-14, the rounding of steps, not {tolerance}"
            )
        );
    }
    let builder = Simulation::builder(SLEIGH, Frame).start([0.0; 3], [f64::NAN, 0.0, 0.0]);
    assert!(matches!(builder.tolerance(1e-6).build(), Err(Error::NonFinite { name: "theta", .. })));
    let builder = Simulation::builder(SLEIGH, Frame).start([0.0; 3], [0.0, 0.0, 1.0]);
    assert!(matches!(builder.tolerance(1e-6).build(), Err(Error::Constraint { name: "blade", .. })));
}

/// Inputs, parameters, states and times of the start.
#[test]
fn a_simulation_can_be_changed() {
    let body = Body { A: 1.0, B: 2.0, C: 2.5, c: 0.3 };
    let one = SO3::from([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    let builder = Simulation::builder(body, Rdp).at(2.0).start(one, [0.7, -0.4, 0.0]).states([0.5]);
    let mut sim = builder.tolerance(1e-9).build().unwrap();
    assert_eq!((sim.time(), sim.z()), (2.0, [0.5]));
    sim.run_until(2.5).unwrap();
    let without = sim.z()[0];
    assert!(matches!(sim.set_inputs(&[f64::NAN]), Err(Error::NonFinite { name: "u", .. })));
    sim.run_until(2.0).unwrap();
    assert!((sim.z()[0] - 0.5).abs() < 1e-7);
    sim.set_inputs(&[2.0]).unwrap();
    sim.run_until(2.5).unwrap();
    // di/dt has the further term 2 sin t, and w2 is constant: ∫ 2 sin(t) exp(t − 2.5) dt.
    let further = |t: f64| (t - 2.5).exp() * (t.sin() - t.cos());
    assert!((sim.z()[0] - without - (further(2.5) - further(2.0))).abs() < 1e-6, "{}", sim.z()[0] - without);
    let v = sim.v();
    sim.set_parameters(|body| body.A = 3.0).unwrap();
    assert_eq!((sim.v(), sim.system().A), (v, 3.0));
    sim.set_states([0.0]).unwrap();
    sim.set_state(one, [0.0, 1.0, 0.0]).unwrap();
    assert!(matches!(sim.set_state(one, [0.0, 0.0, 1.0]), Err(Error::Constraint { .. })));
    assert_eq!((sim.v(), sim.z(), sim.tolerance()), ([0.0, 1.0, 0.0], [0.0], 1e-9));
    sim.run_until(3.0).unwrap();
}
