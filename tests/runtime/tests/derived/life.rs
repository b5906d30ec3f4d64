//! The life of a simulation: starts at any time, changes between steps, runs to a time and to events, snapshots.

use nhi_runtime::group::{Cayley, Ccsk, Exp, Exp1, Exp2, Exp4};
use nhi_runtime::prelude::*;
use nhi_runtime::{AnyStepSize, Error, Method, Quantity, Snapshot, SnapshotFault, System};
use std::f64::consts::{FRAC_PI_2, TAU};

/// A sleigh with drag and a torque that is driven periodically.
#[derive(Nonholonomic, Clone, Debug, PartialEq)]
#[nonholonomic(
    coordinates(theta, x, y),
    inputs(torque),
    lagrangian = inertia/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2) - g*x*y,
    constraints(blade: a*dtheta + sin(theta)*dx - cos(theta)*dy = 0),
    force = (torque + push*cos(w*t))*dtheta - drag*(dot(x)*dx + dot(y)*dy),
    methods(all),
)]
struct Sleigh {
    inertia: f64,
    m: f64,
    a: f64,
    g: f64,
    push: f64,
    w: f64,
    drag: f64,
    #[nonholonomic(skip)]
    name: &'static str,
}

fn sleigh() -> Sleigh {
    Sleigh { inertia: 0.5, m: 1.0, a: 0.2, g: 0.3, push: 0.4, w: 3.0, drag: 0.1, name: "sleigh" }
}

const Q0: [f64; 3] = [0.3, 0.1, -0.2];
/// Blade speed 0.7 and angular velocity 1.2.
const V0: [f64; 3] = [1.2, 0.5978106927892027, 0.43614490205308315];
const TORQUE: [f64; 1] = [0.25];

fn start<M: Method<Sleigh>>(method: M, h: f64) -> Simulation<Sleigh, M> {
    Simulation::builder(sleigh(), method).at(0.5).start(Q0, V0).inputs(&TORQUE).step_size(h).build().unwrap()
}

/// A ball whose centre of mass is off its centre rolls on a table.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y),
    group = SO3(R; w1, w2, w3),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + (i1*w1^2 + i2*w2^2 + i3*w3^2)/2 - g*R[2][0],
    constraints(
        dot(x) - r*(R[1][0]*w1 + R[1][1]*w2 + R[1][2]*w3) = 0,
        dot(y) + r*(R[0][0]*w1 + R[0][1]*w2 + R[0][2]*w3) = 0,
    ),
    methods(all),
)]
struct Ball {
    m: f64,
    i1: f64,
    i2: f64,
    i3: f64,
    r: f64,
    g: f64,
}

fn ball<M: Method<Ball>>(method: M, h: f64) -> Simulation<Ball, M> {
    let ball = Ball { m: 2.0, i1: 1.0, i2: 1.1, i3: 1.2, r: 1.0, g: 0.3 };
    let q0 = ([0.4, -0.3], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    Simulation::project(ball, method, q0, [0.0, 0.0, 0.6, -0.7, 0.9], h).unwrap()
}

/// Calls `$run!(method order any|one ..)` with every method that applies in coordinates, or on the group.
macro_rules! each_method {
    ([$run:ident $where:ident] $(
        $(#[$doc:meta])*
        $name:ident $id:literal {
            kind: $kind:ident,
            order: $order:literal,
            adjoint: $adjoint:ident,
            start: $start:ident,
            applies: $applies:ident $(else $other:ident)?,
            source: $source:literal,
        }
    )*) => {
        $(each_method!(@$where $applies $kind $run $name $order);)*
    };
    (@coordinates FreeBodies $($row:tt)*) => {};
    (@coordinates $applies:ident $($row:tt)*) => { each_method!(@$($row)*) };
    (@group Everywhere $($row:tt)*) => { each_method!(@$($row)*) };
    (@group $applies:ident $($row:tt)*) => {};
    (@Reflecting $run:ident $name:ident $order:literal) => { $run!(one $name, $order) };
    (@$kind:ident $run:ident $name:ident $order:literal) => { $run!(any $name, $order) };
}

fn numbers<S: System, M: Method<S>>(sim: &Simulation<S, M>) -> Vec<f64> {
    sim.to_snapshot().state
}

#[track_caller]
fn assert_near(got: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(got.len(), expected.len());
    for (x, y) in got.iter().zip(expected) {
        assert!((x - y).abs() <= tolerance * (1.0 + y.abs()), "{got:?} instead of {expected:?}");
    }
}

/// (q, v)
fn phase<S: System, M: Method<S>>(sim: &Simulation<S, M>) -> Vec<f64> {
    [sim.q().as_ref(), sim.v().as_ref()].concat()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// The error halves `order` times when the step size is halved, up to a fifth of an order.
#[track_caller]
fn assert_order(what: &str, order: u32, error: impl Fn(f64) -> f64) {
    let (h, order) = (if order > 2 { 0.05 } else { 0.01 }, f64::from(order));
    let measured = (error(h) / error(h / 2.0)).log2();
    // Cancellation can make the first terms of the error small: then it decreases faster.
    assert!(measured > order - 0.2, "{what}: order {measured} instead of {order}");
}

/// A run with a change of the step size and jumps of parameters and velocity at fixed times.
fn eventful<M: Method<Sleigh>>(
    method: M,
    h: f64,
    until: impl Fn(&mut Simulation<Sleigh, M>, f64),
) -> Vec<f64> {
    let mut sim = start(method, h);
    until(&mut sim, 0.9);
    sim.set_step_size(0.8 * h).unwrap();
    until(&mut sim, 1.3);
    sim.set_parameters(|p| (p.a, p.m) = (0.35, 1.4)).unwrap();
    until(&mut sim, 1.7);
    // The sleigh is turned around. Runge–Kutta methods have left the constraint by then.
    let (q, v) = (sim.q(), sim.v());
    let v = Sleigh::project(&sim.system().parameters(), &q, &v.map(|v| -v), 0.0, &[0.0]).unwrap();
    sim.set_state(q, v).unwrap();
    until(&mut sim, 2.1);
    phase(&sim)
}

fn whole_steps<M: Method<Sleigh>>(sim: &mut Simulation<Sleigh, M>, t: f64) {
    sim.advance(((t - sim.time()) / sim.h()).round() as u64).unwrap();
    assert_near(&[sim.time()], &[t], 1e-14);
}

#[test]
fn changes_between_steps_keep_the_order() {
    let reference = eventful(Rk4, 0.002, whole_steps);
    macro_rules! run {
        ($kind:ident $method:ident, $order:literal) => {
            assert_order(stringify!($method), $order, |h| {
                distance(&eventful($method, h, whole_steps), &reference)
            });
        };
    }
    nhi_methods::for_each_method!(each_method, run coordinates);
    assert_order("composition", 4, |h| {
        distance(&eventful(Compose::suzuki4(Dla2), h, whole_steps), &reference)
    });
}

/// As [`whole_steps`], with shortened steps to times between nodes on the way.
fn shortened<M: Method<Sleigh>>(sim: &mut Simulation<Sleigh, M>, t: f64)
where
    M::State<f64>: AnyStepSize,
{
    let from = sim.time();
    for part in [0.137, 0.139, 0.71] {
        let t = from + part * (t - from);
        sim.run_until(t).unwrap();
        assert_eq!(sim.time(), t);
    }
    sim.run_until(t).unwrap();
    assert_near(&[sim.time()], &[t], 1e-15);
}

#[test]
fn shortened_steps_keep_the_order() {
    let reference = eventful(Rk4, 0.002, whole_steps);
    macro_rules! run {
        (one $method:ident, $order:literal) => {};
        (any $method:ident, $order:literal) => {
            assert_order(stringify!($method), $order, |h| {
                distance(&eventful($method, h, shortened), &reference)
            });
        };
    }
    nhi_methods::for_each_method!(each_method, run coordinates);
    assert_order("composition", 4, |h| distance(&eventful(Compose::suzuki4(Dla2), h, shortened), &reference));
}

#[test]
fn shortened_steps_on_a_group_keep_the_order() {
    let run = |sim: &mut Simulation<Ball, _>| -> Vec<f64> {
        sim.run_until(1.0).unwrap();
        phase(sim)
    };
    let reference = run(&mut ball(Rkmk4, 0.002));
    macro_rules! run {
        (one $method:ident, $order:literal) => {};
        (any $method:ident, $order:literal) => {
            assert_order(stringify!($method), $order, |h| {
                let mut sim = ball($method, h);
                for t in [0.1003, 0.5678, 0.56781, 1.0] {
                    sim.run_until(t).unwrap();
                }
                distance(&phase(&sim), &reference)
            });
        };
    }
    nhi_methods::for_each_method!(each_method, run group);
}

/// A step of any size, however small, leads from the state before it to one nearby, and steps after it are not worse.
#[test]
fn tiny_steps_are_accurate() {
    macro_rules! run {
        (one $method:ident, $order:literal) => {};
        (any $method:ident, $order:literal) => {
            for tiny in [1e-3, 1e-6, 1e-9, 1e-12, 2e-15] {
                let mut plain = start($method, 0.01);
                plain.advance(20).unwrap();
                let before = phase(&plain);
                let mut sim = plain.clone();
                sim.run_until(plain.time() + tiny).unwrap();
                assert_eq!(sim.time(), plain.time() + tiny);
                let moved = distance(&phase(&sim), &before);
                assert!(moved <= 3.0 * tiny + 1e-15, "{} {tiny}: {moved}", stringify!($method));
                plain.advance(50).unwrap();
                sim.run_until(plain.time()).unwrap();
                let error = distance(&phase(&sim), &phase(&plain));
                assert!(error < 0.02 * tiny + 1e-12, "{} {tiny}: {error}", stringify!($method));
            }
        };
    }
    nhi_methods::for_each_method!(each_method, run coordinates);
}

#[test]
fn runs_to_nodes_are_the_same_steps() {
    let (mut steps, mut run) = (start(Dla2, 0.1), start(Dla2, 0.1));
    for k in 1..=100u32 {
        steps.step().unwrap();
        // Neither 0.1 nor its multiples are numbers.
        run.run_until(0.5 + 0.1 * f64::from(k)).unwrap();
        assert_eq!((run.state(), run.steps(), run.time()), (steps.state(), steps.steps(), steps.time()));
    }
    // A run to the present time takes no step.
    run.run_until(run.time()).unwrap();
    assert_eq!(run.steps(), 100);
    // A step of the full size begins where a shortened one ends.
    run.run_until(10.53).unwrap();
    assert_eq!((run.steps(), run.time(), run.h()), (101, 10.53, 0.1));
    run.step().unwrap();
    assert_eq!(run.time(), 10.53 + 0.1);
}

#[test]
fn many_steps_at_once_are_the_same_steps_after_a_change() {
    let mut sim = start(Dla2, 0.01);
    sim.run_until(1.2345).unwrap();
    sim.set_step_size(0.007).unwrap();
    let (mut one_by_one, mut at_once) = (sim.clone(), sim);
    for steps in [1, 30, 100, 5000] {
        at_once.advance(steps).unwrap();
        for _ in 0..steps {
            one_by_one.step().unwrap();
        }
        assert_eq!(at_once.to_snapshot(), one_by_one.to_snapshot());
        assert_eq!(at_once.time(), one_by_one.time());
    }
}

#[test]
fn runs_lead_back() {
    let mut sim = start(Dla2, 0.01);
    let at_start = phase(&sim);
    sim.run_until(1.2345).unwrap();
    sim.set_step_size(-0.01).unwrap();
    // The last step of the way there was shortened: so is the first one back.
    sim.run_until(1.23).unwrap();
    sim.run_until(0.5).unwrap();
    assert_eq!(sim.time(), 0.5);
    assert_near(&phase(&sim), &at_start, 1e-12);
}

#[test]
fn runs_that_lead_away_are_refused() {
    let mut sim = start(Dla2, 0.01);
    sim.step().unwrap();
    let before = sim.to_snapshot();
    assert_eq!(sim.run_until(0.5), Err(Error::Unreachable { t: 0.5, now: 0.51, h: 0.01 }));
    let message = sim.run_until(0.5).unwrap_err().to_string();
    assert_eq!(message, "steps of 0.01 from t = 0.51 do not lead to t = 0.5");
    // Steps that do not change the time.
    assert!(matches!(sim.run_until(1e300), Err(Error::Unreachable { t: 1e300, .. })));
    for t in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let error = sim.run_until(t).unwrap_err();
        assert!(matches!(error, Error::NonFinite { quantity: Quantity::Time, name: "t", .. }), "{error}");
    }
    assert_eq!(sim.to_snapshot(), before);
}

/// y is a harmonic oscillator, and ends the run at any of its phases.
#[derive(Nonholonomic, Clone)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = (dot(x)^2 + dot(y)^2 + dot(z)^2)/2 - (x^2 + y^2 + z^2)/2,
    constraints(dx + y*dz = 0),
    methods(all),
)]
struct ContactOscillator;

fn oscillator<M: Method<ContactOscillator>>(method: M, h: f64) -> Simulation<ContactOscillator, M> {
    Simulation::new(ContactOscillator, method, [0.5, 0.0, 0.4], [0.0, 1.0, 0.6], h).unwrap()
}

#[test]
fn events_are_located_with_the_order_of_the_method() {
    macro_rules! run {
        (one $method:ident, $order:literal) => {};
        (any $method:ident, $order:literal) => {
            assert_order(stringify!($method), $order, |h| {
                let mut sim = oscillator($method, h);
                // y = sin t rises above 1/2 for the second time.
                sim.advance_until(|s| s.q[1] > 0.9).unwrap();
                sim.advance_until(|s| s.q[1] < 0.0).unwrap();
                let t = sim.advance_until(|s| s.q[1] > 0.5).unwrap();
                assert_eq!(t, sim.time());
                assert!((sim.q()[1] - 0.5).abs() < 2.0 * t * f64::EPSILON && sim.q()[1] > 0.5);
                (t - (TAU + 0.5_f64.asin())).abs()
            });
        };
    }
    nhi_methods::for_each_method!(each_method, run coordinates);
    // Half a period after an event the sign is the other one, whatever the step size.
    let mut sim = oscillator(Compose::kahanli8(Dla2), 0.1);
    let quarter = sim.advance_until(|s| s.v[1] <= 0.0).unwrap();
    let next = sim.advance_until(|s| s.v[1] > 0.0).unwrap();
    assert!((quarter - FRAC_PI_2).abs() < 1e-10 && (next - quarter - TAU / 2.0).abs() < 1e-10);
}

/// A particle that falls, along which every step is exact.
#[derive(Nonholonomic, Clone)]
#[nonholonomic(coordinates(y), lagrangian = dot(y)^2/2 - g*y, constraints(), methods(Dla2, Rk4))]
struct Particle {
    g: f64,
}

#[test]
fn bounces_are_those_of_the_closed_form() {
    let bounces = |h: f64| {
        let mut sim = Simulation::new(Particle { g: 10.0 }, Dla2, [1.0], [0.0], h).unwrap();
        let mut times = Vec::new();
        for _ in 0..10 {
            times.push(sim.advance_until(|s| s.q[0] <= 0.0).unwrap());
            let [v] = sim.v();
            sim.set_state([0.0], [-0.8 * v]).unwrap();
            // Above the ground again, which the next event has to find.
            sim.step().unwrap();
        }
        times
    };
    // The first fall takes √(2 y/g), the n-th flight 2 · 0.8ⁿ of this.
    let (mut t, fall) = (0.0, 0.2_f64.sqrt());
    let expected: Vec<f64> = (0..10)
        .map(|n| {
            t += if n == 0 { fall } else { 2.0 * 0.8_f64.powi(n) * fall };
            t
        })
        .collect();
    for h in [0.01, 0.003, 0.02] {
        assert_near(&bounces(h), &expected, 1e-13);
    }
}

#[test]
fn events_end_runs_where_they_are_true() {
    // True at the start: no step is taken.
    let mut sim = oscillator(Dla2, 0.1);
    assert_eq!(sim.advance_until(|s| s.q[1] >= 0.0), Ok(0.0));
    assert_eq!(sim.steps(), 0);
    // True directly after the start, which is the shortest step.
    let t = sim.advance_until(|s| s.t > 0.0).unwrap();
    assert!(t > 0.0 && t <= 0.1 * f64::EPSILON && sim.steps() == 1, "{t:e}");
    // A time between two nodes, and that of a node.
    let mut sim = oscillator(Dla2, 0.125);
    assert_eq!(sim.advance_until(|s| s.t >= 0.3), Ok(0.3));
    let (mut sim, mut steps) = (oscillator(Dla2, 0.125), oscillator(Dla2, 0.125));
    assert_eq!(sim.advance_until(|s| s.t >= 0.375), Ok(0.375));
    steps.advance(3).unwrap();
    assert_eq!(numbers(&sim), numbers(&steps));
    assert_eq!(sim.to_snapshot(), steps.to_snapshot());
    // Backwards in time.
    let mut sim = oscillator(Dla2, -0.1);
    let t = sim.advance_until(|s| s.q[1] < -0.5).unwrap();
    assert!((t + 0.5_f64.asin()).abs() < 1e-3 && sim.q()[1] < -0.5, "{t}");
}

/// A particle that a force proportional to y³ takes to infinity in finite time.
#[derive(Nonholonomic, Clone)]
#[nonholonomic(coordinates(y), lagrangian = dot(y)^2/2 + y^4/2, constraints())]
struct Escape;

#[test]
fn a_failed_step_on_the_way_is_the_last() {
    let mut sim = Simulation::new(Escape, Dla2, [1.0], [1.0], 0.1).unwrap();
    let mut other = sim.clone();
    let error = sim.run_until(10.05).unwrap_err();
    let Error::Step { step, .. } = error else { panic!("{error}") };
    assert_eq!(sim.steps(), step - 1);
    assert!((5..90).contains(&step), "{error}");
    assert_eq!(other.advance_until(|s| s.t >= 10.0).unwrap_err(), error);
    assert_eq!(other.to_snapshot(), sim.to_snapshot());
}

#[test]
fn a_start_at_another_time_is_a_shift_of_time() {
    // cos(w (t + t₀)) from t = 0, with w t₀ a multiple of 2π, and from t = t₀.
    let t0 = 2.0 * TAU / sleigh().w;
    let build = |t0: f64| Simulation::builder(sleigh(), Rattle).at(t0).start(Q0, V0).step_size(0.01).build();
    let (mut shifted, mut plain, mut other) = (build(t0).unwrap(), build(0.0).unwrap(), build(0.5).unwrap());
    assert_eq!((shifted.time(), shifted.steps()), (t0, 0));
    for sim in [&mut shifted, &mut plain, &mut other] {
        sim.advance(100).unwrap();
    }
    assert_eq!(shifted.time(), t0 + 100.0 * 0.01);
    assert_near(&phase(&shifted), &phase(&plain), 1e-13);
    assert!(distance(&phase(&other), &phase(&plain)) > 0.01);
    for t in [f64::NAN, f64::INFINITY] {
        let error = build(t).unwrap_err();
        assert!(matches!(error, Error::NonFinite { quantity: Quantity::Time, name: "t", .. }), "{error}");
    }
    // Without a time and inputs it is `Simulation::new`.
    let new = Simulation::new(sleigh(), Rattle, Q0, V0, 0.01).unwrap();
    assert_eq!(build(0.0).unwrap().to_snapshot(), new.to_snapshot());
    let inputs = Simulation::with_inputs(sleigh(), Rattle, Q0, V0, &TORQUE, 0.01).unwrap();
    let built =
        Simulation::builder(sleigh(), Rattle).step_size(0.01).inputs(&TORQUE).start(Q0, V0).build().unwrap();
    assert_eq!(built.to_snapshot(), inputs.to_snapshot());
}

#[test]
fn a_jump_of_parameters_keeps_position_and_velocity() {
    let mut sim = start(Dla2, 0.01);
    sim.advance(10).unwrap();
    let (q, v, p, t) = (sim.q(), sim.v(), sim.p(), sim.time());
    sim.set_parameters(|sleigh| sleigh.m = 2.0).unwrap();
    assert_eq!((sim.q(), sim.v(), sim.time(), sim.steps(), sim.inputs()), (q, v, t, 10, TORQUE));
    assert_eq!((sim.system().m, sim.p()[1]), (2.0, 2.0 * p[1]));
    // The blade moves, and with it the constraint: the velocity jumps along μᵀ by M⁻¹.
    sim.set_parameters(|sleigh| sleigh.a = 0.5).unwrap();
    assert!(sim.residual()[0].abs() < 1e-15);
    let jump: Vec<f64> = sim.v().iter().zip(v).map(|(new, old)| new - old).collect();
    let along = [0.5 / 0.5, q[0].sin() / 2.0, -q[0].cos() / 2.0];
    assert!(jump[0].abs() > 1e-3);
    for i in 0..3 {
        assert!((jump[i] * along[0] - jump[0] * along[i]).abs() < 1e-15);
    }
    // Fields that are no parameters change as well.
    sim.set_parameters(|sleigh| sleigh.name = "another").unwrap();
    assert_eq!(sim.system().name, "another");
}

#[test]
fn a_refused_change_changes_nothing() {
    let mut sim = start(Dla2, 0.01);
    sim.advance(10).unwrap();
    let before = (sim.to_snapshot(), sim.system().clone());
    let (q, v) = (sim.q(), sim.v());

    let error = sim.set_parameters(|sleigh| (sleigh.m, sleigh.name) = (f64::NAN, "broken")).unwrap_err();
    assert!(matches!(error, Error::NonFinite { quantity: Quantity::Parameter, name: "m", .. }), "{error}");
    let error = sim.set_parameters(|sleigh| sleigh.m = 0.0).unwrap_err();
    assert!(matches!(error, Error::Start { .. }), "{error}");
    let error = sim.set_parameters(|sleigh| (sleigh.m, sleigh.a) = (0.0, 0.3)).unwrap_err();
    assert!(matches!(error, Error::Projection { .. }), "{error}");
    for h in [0.0, f64::NAN, f64::INFINITY] {
        let error = sim.set_step_size(h).unwrap_err();
        assert!(matches!(error, Error::StepSize { .. }), "{error}");
    }
    let error = sim.set_state(q, [v[0], v[1], v[2] + 1e-3]).unwrap_err();
    assert!(matches!(error, Error::Constraint { name: "blade", .. }), "{error}");
    let error = sim.set_state([q[0], f64::NAN, q[2]], v).unwrap_err();
    assert!(matches!(error, Error::NonFinite { quantity: Quantity::Coordinate, name: "x", .. }), "{error}");

    assert_eq!((sim.to_snapshot(), sim.system().clone()), before);
}

/// A bead on a circle whose radius is a parameter.
#[derive(Nonholonomic, Clone)]
#[nonholonomic(
    coordinates(x, y),
    lagrangian = (dot(x)^2 + dot(y)^2)/2 - g*y,
    holonomic(circle: x^2 + y^2 - r^2 = 0),
)]
struct Bead {
    g: f64,
    r: f64,
}

#[test]
fn a_jump_of_parameters_cannot_move_the_configuration() {
    let mut sim = Simulation::new(Bead { g: 9.81, r: 1.0 }, DlaRattle, [1.0, 0.0], [0.0, 0.3], 0.01).unwrap();
    sim.advance(10).unwrap();
    let before = sim.to_snapshot();
    let error = sim.set_parameters(|bead| bead.r = 1.1).unwrap_err();
    assert!(matches!(error, Error::Position { name: "circle", .. }), "{error}");
    assert_eq!(sim.to_snapshot(), before);
    // One that does not change the circle keeps the velocity.
    let v = sim.v();
    sim.set_parameters(|bead| bead.g = 1.6).unwrap();
    assert_eq!(sim.v(), v);
}

/// What a snapshot continues is the same trajectory, at every position within the re-synchronisation of sines, and with
/// shortened steps and changed step sizes on the way.
#[test]
fn a_snapshot_continues_bit_for_bit() {
    macro_rules! run {
        ($kind:ident $method:ident, $order:literal) => {
            continued(stringify!($method), start($method, 0.01), |snapshot| {
                Simulation::from_snapshot(sleigh(), $method, snapshot)
            })
        };
    }
    nhi_methods::for_each_method!(each_method, run coordinates);
    continued("Rattle::plain", start(Rattle::plain(), 0.01), |snapshot| {
        Simulation::from_snapshot(sleigh(), Rattle::plain(), snapshot)
    });
    continued("composition", start(Compose::suzuki4(Dla2), 0.01), |snapshot| {
        Simulation::from_snapshot(sleigh(), Compose::suzuki4(Dla2), snapshot)
    });
    macro_rules! run_ball {
        ($kind:ident $method:ident, $order:literal) => {
            let sim = ball($method, 0.01);
            let system = sim.system().clone();
            continued(stringify!($method), sim, |snapshot| {
                Simulation::from_snapshot(system.clone(), $method, snapshot)
            })
        };
    }
    nhi_methods::for_each_method!(each_method, run_ball group);
    let mut sim = start(Dla2, 0.01);
    sim.run_until(1.2345).unwrap();
    sim.set_step_size(0.013).unwrap();
    continued("shortened", sim, |snapshot| Simulation::from_snapshot(sleigh(), Dla2, snapshot));
}

fn continued<S: System + Clone, M: Method<S> + Clone>(
    what: &str,
    mut sim: Simulation<S, M>,
    load: impl Fn(&Snapshot) -> Result<Simulation<S, M>, Error>,
) {
    for k in 0..70 {
        let (mut here, mut there) = (sim.clone(), load(&sim.to_snapshot()).unwrap());
        assert_eq!(there.to_snapshot(), sim.to_snapshot(), "{what}, {k} steps");
        for _ in 0..40 {
            here.step().unwrap();
            there.step().unwrap();
        }
        assert_eq!(numbers(&there), numbers(&here), "{what}, {k} steps");
        here.advance(33).unwrap();
        there.advance(33).unwrap();
        assert_eq!(there.to_snapshot(), here.to_snapshot(), "{what}, {k} steps");
        sim.step().unwrap();
    }
}

#[cfg(feature = "serde")]
#[test]
fn a_snapshot_survives_a_file() {
    let mut sim = start(Dla2, 0.01);
    sim.run_until(1.2345).unwrap();
    let text = serde_json::to_string(&sim.to_snapshot()).unwrap();
    let snapshot: Snapshot = serde_json::from_str(&text).unwrap();
    assert_eq!(snapshot, sim.to_snapshot());
}

/// Ids of methods with a retraction, and neither method continues a snapshot of the other one.
#[test]
fn a_snapshot_of_another_retraction_start_or_composition_is_refused() {
    fn refused<B: Method<Ball>>(snapshot: &Snapshot, method: B) {
        let id = method.id();
        let system = ball(Rdp, 0.01).system().clone();
        let loaded = Simulation::from_snapshot(system, method, snapshot).map(drop);
        let fault = SnapshotFault::OtherMethod { id };
        assert_eq!(loaded, Err(Error::Snapshot { fault }), "{} by {id}", snapshot.method);
    }
    macro_rules! pairs {
        ($($method:expr, $id:literal, $other:expr, $of_other:literal;)*) => {$({
            let (sim, other) = (ball($method, 0.01), ball($other, 0.01));
            let ids = (Method::<Ball>::id(sim.method()), Method::<Ball>::id(other.method()));
            assert_eq!(ids, ($id, $of_other));
            refused(&sim.to_snapshot(), $other);
            refused(&other.to_snapshot(), $method);
            let system = sim.system().clone();
            Simulation::from_snapshot(system, $method, &sim.to_snapshot()).expect("its own snapshot");
            for id in [$id, $of_other].into_iter().filter(|id| !id.ends_with("_symmetric")) {
                let variant = nhi_methods::Variant::with_id(id).expect("a method of the command");
                assert_eq!(variant.to_string(), id);
            }
        })*};
    }
    let own = |gamma| Compose::symmetric(Rdp::new(Exp2), gamma).expect("symmetric");
    pairs! {
        Rdp, "rdp", Rdp::new(Cayley), "rdp_cay";
        Rdp::new(Exp), "rdp", Rdp::new(Exp1), "rdp_exp1";
        RdpLeft::new(Ccsk), "rdp_left_ccsk", RdpLeft, "rdp_left";
        Compose::suzuki4(Rdp), "rdp_suzuki4", Compose::suzuki4(Rdp::new(Cayley)), "rdp_cay_suzuki4";
        Rattle::plain(), "rattle_plain", Rattle::plain().with(Cayley), "rattle_plain_cay";
        Rattle.with(Exp4), "rattle_exp4", Rattle::consistent().with(Cayley), "rattle_cay";
        Rattle::projected().with(Exp2), "rattle_projected_exp2", Rattle::stepped().with(Exp2), "rattle_stepped_exp2";
        RattleRestarted.with(Cayley), "rattle_restarted_cay", RattleRestarted, "rattle_restarted";
        own([0.3, 0.4, 0.3]), "rdp_exp2_symmetric", own([0.2, 0.6, 0.2]), "rdp_exp2_symmetric";
    }
}

#[test]
fn a_snapshot_of_something_else_is_refused() {
    let mut sim = start(Dla2, 0.01);
    sim.advance(10).unwrap();
    let snapshot = sim.to_snapshot();
    let load = |snapshot: &Snapshot| Simulation::from_snapshot(sleigh(), Dla2, snapshot).map(|_| ());
    let fault = |result: Result<(), Error>| match result {
        Err(Error::Snapshot { fault }) => fault,
        other => panic!("{other:?}"),
    };
    assert_eq!(load(&snapshot), Ok(()));
    let other = Simulation::from_snapshot(sleigh(), Rattle, &snapshot).map(|_| ());
    assert_eq!(fault(other), SnapshotFault::OtherMethod { id: "rattle" });
    let other = Simulation::from_snapshot(Particle { g: 9.81 }, Dla2, &snapshot).map(|_| ());
    assert_eq!(fault(other), SnapshotFault::OtherSystem { name: "Particle" });
    let heavy = Sleigh { m: 2.0, ..sleigh() };
    let other = Simulation::from_snapshot(heavy, Dla2, &snapshot).map(|_| ());
    assert_eq!(fault(other), SnapshotFault::OtherParameter { name: "m", value: 2.0, snapshot: 1.0 });

    let changed = |change: fn(&mut Snapshot)| {
        let mut snapshot = snapshot.clone();
        change(&mut snapshot);
        load(&snapshot)
    };
    let no_numbers: [fn(&mut Snapshot); 7] = [
        |s| s.state.truncate(5),
        |s| s.state.push(0.0),
        |s| s.state[2] = f64::NAN,
        |s| s.inputs.clear(),
        |s| s.parameters.truncate(3),
        |s| s.carried.push("last".into()),
        |s| s.taken = s.steps + 1,
    ];
    for change in no_numbers {
        assert_eq!(fault(changed(change)), SnapshotFault::Numbers);
    }
    assert!(matches!(changed(|s| s.h = 0.0), Err(Error::StepSize { .. })));
    assert!(matches!(changed(|s| s.origin = f64::NAN), Err(Error::NonFinite { .. })));
}
