//! The methods for bodies that turn about a point, `mv_mp`, `suslov_mv` and `suslov_cay`: reference
//! trajectories, what they keep and lose, and that they mean the same in every frame of the body.
#![allow(non_snake_case, reason = "inertias are called I")]

use nhi_runtime::group::{Group, Retraction, SO3};
use nhi_runtime::prelude::*;
use nhi_runtime::{Error, Failure, Method, System};
use serde_json::Value;
use std::{fs, path::Path};

/// Suslov's problem in axes with I₁₂ = 0, ker μ = {ω₃ = 0}.
#[derive(Nonholonomic, Clone, Copy, Debug)]
#[nonholonomic(
    group = SO3(R; w1, w2, w3),
    lagrangian = (I11*w1^2 + I22*w2^2 + I33*w3^2)/2 + (I13*w1 + I23*w2)*w3,
    constraints(w3 = 0),
    methods(Rdp, MvMp, SuslovMv, SuslovCay),
)]
struct Suslov {
    I11: f64,
    I22: f64,
    I33: f64,
    I13: f64,
    I23: f64,
}

const GENERIC: Suslov = Suslov { I11: 2.0, I22: 3.0, I33: 4.0, I13: 0.5, I23: 0.7 };
const SPECIAL: Suslov = Suslov { I22: 2.0, ..GENERIC };
const OMEGA: [f64; 3] = [0.9, -0.4, 0.0];
const START: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// The same in any axes: inertia xx, yy, zz, yz, zx, xy, and b·ω = 0.
#[derive(Nonholonomic, Clone, Copy, Debug)]
#[nonholonomic(
    group = SO3(R; w1, w2, w3),
    lagrangian = (I[0]*w1^2 + I[1]*w2^2 + I[2]*w3^2)/2 + I[3]*w2*w3 + I[4]*w3*w1 + I[5]*w1*w2,
    constraints(b[0]*w1 + b[1]*w2 + b[2]*w3 = 0),
    methods(MvMp, SuslovMv, SuslovCay),
)]
struct Turned {
    I: [f64; 6],
    b: [f64; 3],
}

/// A free body.
#[derive(Nonholonomic, Clone, Copy, Debug)]
#[nonholonomic(
    group = SO3(R; w1, w2, w3),
    lagrangian = (2*w1^2 + 3*w2^2 + 4*w3^2)/2 + (w1/2 + 7/10*w2)*w3,
    constraints(),
    methods(MvMp, SuslovMv),
)]
struct Free;

/// A body on an axis.
#[derive(Nonholonomic, Clone, Copy, Debug)]
#[nonholonomic(
    group = SO3(R; w1, w2, w3),
    lagrangian = (2*w1^2 + 3*w2^2 + 4*w3^2)/2 + (w1/2 + 7/10*w2)*w3,
    constraints(w1 - w3/2 = 0, w2 + w3/4 = 0),
    methods(MvMp, SuslovMv, SuslovCay),
)]
struct Axle;

fn golden(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/lie").join(name).with_extension("json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// A simulation of a body that starts unturned.
fn body<S, M>(system: S, method: M, omega: [f64; 3], h: f64) -> Simulation<S, M>
where
    S: System<Velocity<f64> = [f64; 3]>,
    S::Configuration<f64>: From<[[f64; 3]; 3]>,
    M: Method<S>,
{
    Simulation::new(system, method, START, omega, h).expect("a start")
}

fn pose<S: System, M: Method<S>>(simulation: &Simulation<S, M>) -> SO3<f64> {
    let q = simulation.q();
    SO3(std::array::from_fn(|i| std::array::from_fn(|j| q[3 * i + j])))
}

fn difference(a: SO3<f64>, b: SO3<f64>) -> f64 {
    let pairs = a.0.as_flattened().iter().zip(b.0.as_flattened());
    pairs.fold(0.0, |most, (x, y)| most.max((x - y).abs()))
}

/// ω with τ(hω) = a⁻¹b.
fn cayley_vector(a: SO3<f64>, b: SO3<f64>, h: f64) -> [f64; 3] {
    <Cayley as Retraction<SO3<f64>>>::tau_inv(a.inverse().product(b)).map(|x| x / h)
}

/// Reference data, README: 1e-11 relative.
const TOLERANCE: f64 = 1e-11;

/// What M₃ of the data is: a function of the body, ω of the next step and h.
type Third = fn(&Suslov, [f64; 3], f64) -> f64;

#[track_caller]
fn check<M: Method<Suslov>>(body_: Suslov, method: M, case: &str, third: Option<Third>) {
    let data = golden(case);
    assert_eq!(data["method"], method.id());
    let h: f64 = data["h"].as_str().unwrap().parse().unwrap();
    for (name, value) in Suslov::PARAMETERS.iter().zip(body_.parameters()) {
        let parts: Vec<f64> =
            data["params"][name].as_str().unwrap().split('/').map(|x| x.parse().unwrap()).collect();
        assert_eq!(value, parts.iter().copied().reduce(|a, b| a / b).unwrap());
    }
    let mut simulation = body(body_, method, OMEGA, h);
    let mut before = pose(&simulation);
    let near = |got: &[f64], expected: &[f64], k: u64, what: &str| {
        assert_eq!(got.len(), expected.len());
        for (x, y) in got.iter().zip(expected) {
            let error = (x - y).abs() / (1.0 + y.abs());
            assert!(error <= TOLERANCE, "{case}, step {k}: {what} off by {error:e}");
        }
    };
    for sample in data["samples"].as_array().unwrap() {
        let k = sample["k"].as_u64().unwrap();
        while simulation.steps() < k {
            before = pose(&simulation);
            simulation.step().expect("a step");
        }
        let here = pose(&simulation);
        near(here.0.as_flattened(), &numbers(&sample["g"]), k, "g");
        near(&[simulation.energy()], &[sample["Ec"].as_f64().unwrap()], k, "energy");
        let mut m = simulation.p();
        let omega = match third {
            // `mv_mp`: the step that arrived.
            None if k == 0 => simulation.v(),
            None => cayley_vector(before, here, h),
            // The step that leaves, and its p⁻.
            Some(third) => {
                simulation.step().expect("a step");
                before = here;
                let omega = cayley_vector(here, pose(&simulation), h);
                m[2] = third(&body_, omega, h);
                omega
            }
        };
        near(&omega, &numbers(&sample["om"]), k, "omega");
        near(&m, &numbers(&sample["M"]), k, "M");
    }
    assert!(simulation.steps() >= 200);
}

#[test]
fn reference_trajectories() {
    let mv: Third = |i, [x, y, _], h| {
        let c = 4.0 / (4.0 + h * h * (x * x + y * y));
        c * (i.I13 * x + i.I23 * y + h / 2.0 * (i.I22 - i.I11) * x * y)
    };
    let cay: Third = |i, [x, y, _], h| i.I13 * x + i.I23 * y + h / 2.0 * (i.I22 - i.I11) * x * y;
    check(GENERIC, MvMp, "suslov__mv_mp", None);
    check(SPECIAL, MvMp, "suslov_special__mv_mp", None);
    check(GENERIC, SuslovMv, "suslov__suslov_mv", Some(mv));
    check(SPECIAL, SuslovMv, "suslov_special__suslov_mv", Some(mv));
    check(GENERIC, SuslovCay, "suslov__suslov_cay", Some(cay));
    check(SPECIAL, SuslovCay, "suslov_special__suslov_cay", Some(cay));
}

/// Largest relative deviation of the energy over `steps` steps.
fn energy_deviation<S, M>(mut simulation: Simulation<S, M>, steps: usize) -> f64
where
    S: System,
    M: Method<S>,
{
    let start = simulation.energy();
    (0..steps).fold(0.0, |most, _| {
        simulation.step().expect("a step");
        f64::max(most, (simulation.energy() / start - 1.0).abs())
    })
}

#[test]
fn energy() {
    // Exact; exact for I₁₁ = I₂₂ alone, else O(h²). After the pass from one end
    // of the orbit to the other the body turns steadily, and rounds in the same direction in every step.
    for (steps, rounding) in [(200, 1e-13), (4000, 1e-12)] {
        for h in [0.05, 0.19] {
            let exact = [
                energy_deviation(body(GENERIC, SuslovMv, OMEGA, h), steps),
                energy_deviation(body(SPECIAL, SuslovMv, OMEGA, h), steps),
                energy_deviation(body(SPECIAL, SuslovCay, OMEGA, h), steps),
                energy_deviation(body(Axle, SuslovMv, [0.5, -0.25, 1.0], h), steps),
            ];
            assert!(exact.iter().all(|&e| e < rounding), "{steps} steps of {h}: {exact:?}");
        }
    }
    let off = [0.1, 0.05].map(|h| energy_deviation(body(GENERIC, SuslovCay, OMEGA, h), (2.5 / h) as usize));
    assert!(off[1] > 1e-5 && (1.9..2.1).contains(&(off[0] / off[1]).log2()), "{off:?}");

    // In one step by −h³/(4 I₁₁I₂₂) ω₁ω₂ (I₁₁ − I₂₂) e 𝗆, from p⁺ to p⁻.
    let (i, h) = (GENERIC, 0.1);
    let mut simulation = body(i, SuslovCay, OMEGA, h);
    let (before, from) = (simulation.energy(), pose(&simulation));
    simulation.step().unwrap();
    let [x, y, _] = cayley_vector(from, pose(&simulation), h);
    let (e, m) = (i.I11 * x * x + i.I22 * y * y, i.I13 * x + i.I23 * y);
    let gain = h.powi(3) / (4.0 * i.I11 * i.I22) * x * y * (i.I11 - i.I22) * e * m;
    assert!((simulation.energy() - before - gain).abs() < 1e-14, "{gain}");
}

#[test]
fn projection_loses_energy_in_every_step() {
    // Over the pass of the closed form from one end of its heteroclinic orbit to the
    // other: first order.
    let lost = [0.1, 0.05].map(|h| {
        let mut simulation = body(GENERIC, MvMp, OMEGA, h);
        let start = simulation.energy();
        let mut last = start;
        for _ in 0..(20.0 / h) as usize {
            simulation.step().unwrap();
            let energy = simulation.energy();
            assert!(energy < last, "{energy} after {last}");
            last = energy;
        }
        (start - last) / start
    });
    assert!(lost[1] > 1e-3 && (0.9..1.1).contains(&(lost[0] / lost[1]).log2()), "{lost:?}");
}

#[test]
fn the_consistent_one_is_rdp() {
    let mut one = body(GENERIC, SuslovCay, OMEGA, 0.1);
    let mut other = body(GENERIC, Rdp::new(Cayley), OMEGA, 0.1);
    for _ in 0..100 {
        one.step().unwrap();
        other.step().unwrap();
        let apart = difference(pose(&one), pose(&other));
        let (v, w) = (one.v(), other.v());
        let faster = (0..3).fold(0.0, |most, i| f64::max(most, (v[i] - w[i]).abs()));
        assert!(apart <= 4e-15 && faster <= 4e-15, "{apart:e} {faster:e}");
    }
}

/// Error of attitude and angular velocity at t = 2.5.
fn error<M: Method<Suslov>>(method: M, steps: u32) -> f64 {
    let data = golden("suslov__exact");
    let sample = &data["samples"][2];
    assert_eq!(sample["t"], 2.5);
    let mut simulation = body(GENERIC, method, OMEGA, 2.5 / f64::from(steps));
    for _ in 0..steps {
        simulation.step().unwrap();
    }
    let (g, v) = (pose(&simulation), simulation.v());
    let got = g.0.as_flattened().iter().chain(&v);
    let expected = [numbers(&sample["g"]), numbers(&sample["v"])].concat();
    got.zip(&expected).fold(0.0, |most, (x, y)| f64::max(most, (x - y).abs()))
}

#[test]
fn orders() {
    let order = |coarse: f64, fine: f64| (coarse / fine).log2();
    let mp = order(error(MvMp, 200), error(MvMp, 400));
    let mv = order(error(SuslovMv, 100), error(SuslovMv, 200));
    let cay = order(error(SuslovCay, 100), error(SuslovCay, 200));
    let composed = order(error(Compose::suzuki4(SuslovMv), 20), error(Compose::suzuki4(SuslovMv), 40));
    for (measured, order) in [(mp, 1.0), (mv, 2.0), (cay, 2.0), (composed, 4.0)] {
        assert!((measured - order).abs() < 0.1, "{measured} instead of {order}");
    }
    // That of Moser and Veselov is the more accurate one (4.7).
    assert!(error(SuslovMv, 100) < error(SuslovCay, 100));
}

#[test]
fn symmetric_ones_go_back() {
    fn back<M: Method<Suslov> + Copy>(method: M) -> f64 {
        let mut there = body(GENERIC, method, OMEGA, 0.1);
        for _ in 0..100 {
            there.step().unwrap();
        }
        let mut back = Simulation::new(GENERIC, method, there.q(), there.v(), -0.1).unwrap();
        for _ in 0..100 {
            back.step().unwrap();
        }
        let v = back.v();
        let v = (0..3).fold(0.0, |most, i| f64::max(most, (v[i] - OMEGA[i]).abs()));
        v.max(difference(pose(&back), SO3(START)))
    }
    assert!(back(SuslovMv) < 1e-13 && back(SuslovCay) < 1e-13);
    assert!(back(MvMp) > 1e-3);
}

/// Rotation about all three axes.
fn frame() -> SO3<f64> {
    <Exp as Retraction<SO3<f64>>>::tau([0.7, -0.4, 1.1])
}

/// `GENERIC` in turned axes: 𝕀' = A𝕀Aᵀ, b' = A e₃.
fn turned() -> Turned {
    let i = GENERIC;
    let inertia = SO3([[i.I11, 0.0, i.I13], [0.0, i.I22, i.I23], [i.I13, i.I23, i.I33]]);
    let SO3(t) = frame().product(inertia).product(frame().inverse());
    // Any length will do.
    let b = frame().apply([0.0, 0.0, 3.0]);
    Turned { I: [t[0][0], t[1][1], t[2][2], t[1][2], t[2][0], t[0][1]], b }
}

#[test]
fn any_frame_of_the_body() {
    fn compare<M: Method<Suslov> + Method<Turned> + Copy>(method: M) {
        let mut one = body(GENERIC, method, OMEGA, 0.1);
        let mut other = body(turned(), method, frame().apply(OMEGA), 0.1);
        for _ in 0..100 {
            one.step().unwrap();
            other.step().unwrap();
        }
        let same = frame().product(pose(&one)).product(frame().inverse());
        assert!(difference(same, pose(&other)) < 1e-12);
        let (v, w) = (frame().apply(one.v()), other.v());
        assert!((0..3).all(|i| (v[i] - w[i]).abs() < 1e-12), "{v:?} {w:?}");
        assert!((one.energy() - other.energy()).abs() < 1e-12);
    }
    compare(MvMp);
    compare(SuslovMv);
    compare(SuslovCay);
}

/// Without constraints both are the discrete body of Moser and Veselov, which keeps its spatial momentum
/// and its energy.
#[test]
fn free_bodies() {
    fn run<M: Method<Free>>(method: M) -> SO3<f64> {
        let mut simulation = body(Free, method, [0.3, 1.0, -0.2], 0.1);
        let (momentum, energy) = (simulation.p(), simulation.energy());
        for _ in 0..1000 {
            simulation.step().unwrap();
        }
        let now = pose(&simulation).apply(simulation.p());
        assert!((0..3).all(|i| (now[i] - momentum[i]).abs() < 1e-12), "{now:?} {momentum:?}");
        assert!((simulation.energy() - energy).abs() < 1e-12 * energy);
        pose(&simulation)
    }
    assert!(difference(run(MvMp), run(SuslovMv)) < 1e-11);
}

/// Steps that are too long have no solution: they fail, and the simulation stays where it is.
#[test]
fn long_steps() {
    fn fails<M: Method<Suslov>>(method: M) {
        let mut simulation = body(GENERIC, method, OMEGA, 1.6);
        let failure = (0..50).find_map(|_| {
            let (state, k) = (format!("{:?}", simulation.state()), simulation.steps());
            let error = simulation.step().err()?;
            assert_eq!(format!("{:?}", simulation.state()), state);
            assert_eq!(simulation.steps(), k);
            Some(error)
        });
        let Some(Error::Step { cause, .. }) = failure else { panic!("{failure:?}") };
        assert!(matches!(cause, Failure::NotConverged | Failure::Unsolved { .. } | Failure::NonFinite));
    }
    fails(MvMp);
    fails(SuslovMv);
    // The cubics always have a solution.
    for h in [1.6, 4.0, 12.0] {
        let mut simulation = body(GENERIC, SuslovCay, OMEGA, h);
        for k in 0..100 {
            simulation.step().unwrap_or_else(|e| panic!("h = {h}, step {k}: {e}"));
        }
    }
}
