//! One-forms whose coefficients depend on time.

use nhi_jit::{Point, Simulation};
use nhi_run::System;

/// The state at a time after so many steps.
fn end(system: &System, id: &str, [parameters, q, v]: [&[f64]; 3], (time, steps): (f64, u64)) -> Simulation {
    let variant = system.variant(id).unwrap();
    let compiled = system.compiled(variant).unwrap();
    let at = Point { parameters, q, v, ..Point::default() };
    let mut simulation = Simulation::at_point(&compiled, variant, &at, time / steps as f64).unwrap();
    simulation.advance(steps).unwrap_or_else(|error| panic!("{id}: {error}"));
    simulation
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |most, (a, b)| f64::max(most, (a - b).abs()))
}

/// Checks the order of each method by the errors of two numbers of steps.
fn has_order(methods: &[(&str, f64)], counts: [u64; 2], error: impl Fn(&str, u64) -> f64) {
    for &(id, order) in methods {
        let errors = counts.map(|steps| error(id, steps));
        let slope = (errors[0] / errors[1]).ln() / (counts[1] as f64 / counts[0] as f64).ln();
        assert!((slope - order).abs() < 0.15 * order, "{id}: order {slope}, {errors:?}");
    }
}

/// A dog that runs at a man, who walks along the y axis: Bouguer's curve of pursuit. The reaction is normal to the velocity, so that the
/// speed is constant.
const DOG: &str = "#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y), lagrangian = m/2*(dot(x)^2 + dot(y)^2),
    constraints(pursuit: (walk*t - y)*dx + x*dy), methods(all)
)]
struct Dog { m: f64, walk: f64 }";

/// Where a dog with the speed 2 is that starts at (1, 0) at a man with the speed `walk`. With k = walk/2 and the path x(s) = s, the length
/// of the path is ½ ∫ (uᵏ + u⁻ᵏ) du, and its slope ½ (sᵏ − s⁻ᵏ).
fn dog(walk: f64, t: f64) -> [f64; 2] {
    let k = walk / 2.0;
    let length = |s: f64| ((1.0 - s.powf(1.0 + k)) / (1.0 + k) + (1.0 - s.powf(1.0 - k)) / (1.0 - k)) / 2.0;
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if length(middle) > 2.0 * t { low = middle } else { high = middle }
    }
    [low, walk * t + low * (low.powf(k) - low.powf(-k)) / 2.0]
}

#[test]
fn a_dog_runs_at_a_man() {
    let system = System::parse(DOG, "dog.rs", None).unwrap_or_else(|error| panic!("{error}"));
    let (walk, time) = (1.2, 0.6);
    let start: [&[f64]; 3] = [&[30.0, walk], &[1.0, 0.0], &[-2.0, 0.0]];
    let expected = dog(walk, time);
    // It catches him at t = 2/(2² − 1.2²) = 0.78.
    assert!(expected[0] < 0.1, "{expected:?}");
    let methods = [
        ("dla1", 1.0),
        ("dla1_adjoint", 1.0),
        ("dla2", 2.0),
        ("dla2_midpoint", 2.0),
        ("dla_rattle", 2.0),
        ("gni_midpoint", 2.0),
        ("rattle", 2.0),
        ("rdp", 2.0),
        ("frame", 2.0),
        ("rk4", 4.0),
        ("dla2_suzuki4", 4.0),
    ];
    has_order(&methods, [300, 600], |id, steps| {
        distance(end(&system, id, start, (time, steps)).q(), &expected)
    });
    for (id, _) in methods {
        let [vx, vy] = *end(&system, id, start, (time, 600)).v() else { panic!("two velocities") };
        let behind = (walk * time - expected[1]) * vx + expected[0] * vy;
        assert!(behind.abs() < 0.05, "{id}: it runs at the man, {behind}");
    }
}

/// A ball on a plate that rocks about the y axis: s and y are the coordinates of the point of contact on the plate.
const PLATE: &str = "#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(s, y), group = SO3(R; w1, w2, w3),
    let(
        angle = tilt*sin(f*t),
        rate = tilt*f*cos(f*t),
        spin = R*[w1, w2, w3],
    ),
    lagrangian = m/2*((dot(s) + r*rate)^2 + dot(y)^2 + (rate*s)^2) + m*r^2/5*(w1^2 + w2^2 + w3^2)
        - m*g*(r*cos(angle) - s*sin(angle)),
    constraints(
        along: ds + r*rate*dt - r*spin[1]*dt,
        across: dy + r*(cos(angle)*spin[0] - sin(angle)*spin[2])*dt,
    ),
    methods(all)
)]
struct Plate { m: f64, r: f64, g: f64, tilt: f64, f: f64 }";

const MASS: f64 = 0.7;
const RADIUS: f64 = 0.3;
const GRAVITY: f64 = 9.81;
const TILT: f64 = 0.2;
const RATE: f64 = 2.5;

type Vector = [f64; 3];

fn cross([a, b, c]: Vector, [x, y, z]: Vector) -> Vector {
    [b * z - c * y, c * x - a * z, a * y - b * x]
}

fn sum<const N: usize>(terms: [(f64, Vector); N]) -> Vector {
    let entry = |i: usize| terms.iter().map(|(factor, x)| factor * x[i]).sum();
    [entry(0), entry(1), entry(2)]
}

/// The normal of the plate, its angular velocity and its angular acceleration.
fn plate(t: f64) -> [Vector; 3] {
    let (sin, cos) = (RATE * t).sin_cos();
    let angle = TILT * sin;
    [[angle.sin(), 0.0, angle.cos()], [0.0, TILT * RATE * cos, 0.0], [0.0, -TILT * RATE * RATE * sin, 0.0]]
}

/// The velocity of the centre x of the ball, with the angular velocity w: r w × n + Ω × (x − r n).
fn velocity(t: f64, x: Vector, w: Vector) -> Vector {
    let [n, turn, _] = plate(t);
    sum([(RADIUS, cross(w, n)), (1.0, cross(turn, sum([(1.0, x), (-RADIUS, n)])))])
}

/// Newton's and Euler's equations of the ball: the rate of (x, w), where the reaction m (ẍ − g) turns the ball about its centre.
fn rates(t: f64, [x, w]: [Vector; 2]) -> [Vector; 2] {
    let [n, turn, turn_rate] = plate(t);
    let (v, n_rate) = (velocity(t, x, w), cross(turn, n));
    // ẍ = r ẇ × n + rest
    let rest = sum([
        (RADIUS, cross(w, n_rate)),
        (1.0, cross(turn_rate, sum([(1.0, x), (-RADIUS, n)]))),
        (1.0, cross(turn, sum([(1.0, v), (-RADIUS, n_rate)]))),
        (GRAVITY, [0.0, 0.0, 1.0]),
    ]);
    // (2/5 m r² + m r²) ẇ = −m r n × rest; there is no torque about the normal.
    [v, sum([(-1.0 / (1.4 * RADIUS), cross(n, rest))])]
}

fn integrated(mut state: [Vector; 2], time: f64, steps: u32) -> [Vector; 2] {
    let h = time / f64::from(steps);
    let moved = |[x, w]: [Vector; 2], by: f64, [dx, dw]: [Vector; 2]| {
        [sum([(1.0, x), (by, dx)]), sum([(1.0, w), (by, dw)])]
    };
    for k in 0..steps {
        let t = h * f64::from(k);
        let k1 = rates(t, state);
        let k2 = rates(t + h / 2.0, moved(state, h / 2.0, k1));
        let k3 = rates(t + h / 2.0, moved(state, h / 2.0, k2));
        let k4 = rates(t + h, moved(state, h, k3));
        for (rate, weight) in [(k1, 1.0), (k2, 2.0), (k3, 2.0), (k4, 1.0)] {
            state = moved(state, weight * h / 6.0, rate);
        }
    }
    state
}

#[test]
fn a_ball_rolls_on_a_plate_that_rocks() {
    let system = System::parse(PLATE, "plate.rs", None).unwrap_or_else(|error| panic!("{error}"));
    let parameters = [MASS, RADIUS, GRAVITY, TILT, RATE];
    let (time, rate) = (1.5, TILT * RATE);
    // At t = 0 the plate is level: x = (s, y, r), and v = r w × (0, 0, 1) + (r Ω, 0, −s Ω).
    let (s, y, w): (f64, f64, Vector) = (0.2, -0.1, [0.4, rate + 0.8, 1.1]);
    let q = [s, y, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let v = [RADIUS * (w[1] - rate), -RADIUS * w[0], w[0], w[1], w[2]];
    let [x, w] = integrated([[s, y, RADIUS], w], time, 20_000);
    let [n, ..] = plate(time);
    let along = [n[2], 0.0, -n[0]];
    let expected = [x.iter().zip(along).map(|(x, e)| x * e).sum(), x[1], w[0], w[1], w[2]];
    let motion = |id: &str, steps| {
        let simulation = end(&system, id, [&parameters, &q, &v], (time, steps));
        let (q, v) = (simulation.q().to_vec(), simulation.v());
        let spin = |i: usize| (0..3).map(|j| q[2 + 3 * i + j] * v[2 + j]).sum();
        [q[0], q[1], spin(0), spin(1), spin(2)]
    };
    let methods = [
        ("rdp", 2.0),
        ("rdp_right", 1.0),
        ("rdp_left", 1.0),
        ("rattle", 2.0),
        ("frame", 2.0),
        ("rkmk4", 4.0),
        ("rdp_suzuki4", 4.0),
    ];
    has_order(&methods, [60, 120], |id, steps| distance(&motion(id, steps), &expected));
}
