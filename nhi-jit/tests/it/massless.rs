//! Parts without mass, whose motion the constraints give: systems with a singular mass matrix move as those in which these
//! parts have been eliminated.

use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::default_engine;
use nhi_codegen::optimised::Optimised;
use nhi_codegen::pipeline::Derived;
use nhi_codegen::source::structs;
use nhi_jit::{Compiled, Point, Simulation};
use nhi_methods::{Method, Variant};

/// A car with a trailer. The hitch (a, b) is a pin without mass that both hold.
const HITCH: &str = "
#[nonholonomic(
    coordinates(x, y, theta, a, b, u, v, psi),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + dot(theta)^2/4 + (dot(u)^2 + dot(v)^2)/4 + dot(psi)^2/8 - x^2/2 + u*y/3,
    constraints(
        axle: sin(theta)*dx - cos(theta)*dy,
        behind_x: da - dx - c*sin(theta)*dtheta,
        behind_y: db - dy + c*cos(theta)*dtheta,
        ahead_x: da - du + l*sin(psi)*dpsi,
        ahead_y: db - dv - l*cos(psi)*dpsi,
        trailer: sin(psi)*du - cos(psi)*dv,
    ),
    force = dtheta*sin(t) - dot(psi)*dpsi,
    methods(Dla2, DlaRattle, Rk4),
)]
struct Hitch { m: f64, c: f64, l: f64 }";

/// The same in four coordinates: (u, v) = (x − c cos θ − l cos ψ, y − c sin θ − l sin ψ) up to constants.
const HITCHED: &str = "
#[nonholonomic(
    coordinates(x, y, theta, psi),
    let(u = x - c*cos(theta) - l*cos(psi), v = y - c*sin(theta) - l*sin(psi)),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + dot(theta)^2/4 + (dot(u)^2 + dot(v)^2)/4 + dot(psi)^2/8 - x^2/2 + u*y/3,
    constraints(
        axle: sin(theta)*dx - cos(theta)*dy,
        trailer: sin(psi)*d(u) - cos(psi)*d(v),
    ),
    force = dtheta*sin(t) - dot(psi)*dpsi,
    methods(Dla2, DlaRattle, Rk4),
)]
struct Hitched { m: f64, c: f64, l: f64 }";

/// A car on a fixed axle and two casters: steering forks without mass, whose wheels trail by e. One of
/// them stands on a belt that moves.
const FORKS: &str = "
#[nonholonomic(
    coordinates(x, y, theta, left, right),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + dot(theta)^2/4 - x^2/2 + sin(y)/3,
    constraints(
        axle: sin(theta)*dx - cos(theta)*dy,
        one: -sin(theta + left)*d(x + c*cos(theta) - c*sin(theta)) + cos(theta + left)*d(y + c*sin(theta) + c*cos(theta))
            - e*(dtheta + dleft) = 0,
        other: -sin(theta + right)*d(x + c*cos(theta) + c*sin(theta)) + cos(theta + right)*d(y + c*sin(theta) - c*cos(theta))
            - e*(dtheta + dright) - cos(t)/5*dt = 0,
    ),
    force = -dot(theta)*dtheta,
    methods(Dla2, DlaRattle, Rk4),
)]
struct Forks { m: f64, c: f64, e: f64 }";

/// The same with the angles of the forks as auxiliary states: they do not act on the car.
const CAR: &str = "
#[nonholonomic(
    coordinates(x, y, theta),
    states(left, right),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + dot(theta)^2/4 - x^2/2 + sin(y)/3,
    constraints(axle: sin(theta)*dx - cos(theta)*dy),
    force = -dot(theta)*dtheta,
    dynamics(
        dot(left) = -dot(theta) + (-sin(theta + left)*dot(x + c*cos(theta) - c*sin(theta))
            + cos(theta + left)*dot(y + c*sin(theta) + c*cos(theta)))/e,
        dot(right) = -dot(theta) + (-sin(theta + right)*dot(x + c*cos(theta) + c*sin(theta))
            + cos(theta + right)*dot(y + c*sin(theta) - c*cos(theta)) - cos(t)/5)/e,
    ),
    methods(Dla2, DlaRattle, Rk4),
)]
struct Car { m: f64, c: f64, e: f64 }";

/// A sleigh on SE(2) that tows a pin without mass: the velocity of the pin in space is that of a point of the body.
const TOWED: &str = "
#[nonholonomic(
    coordinates(a, b),
    group = SE2(theta, x, y; omega, v, w),
    lagrangian = m/2*(v^2 + w^2) + omega^2/4 - a^2/2,
    constraints(
        blade: c*omega - w,
        pin_x: dot(a) - cos(theta)*v + sin(theta)*(w + e*omega),
        pin_y: dot(b) - sin(theta)*v - cos(theta)*(w + e*omega),
    ),
    methods(Rdp, Rkmk4),
)]
struct Towed { m: f64, c: f64, e: f64 }";

/// The same with the pin as a point of the body.
const SLEIGH: &str = "
#[nonholonomic(
    group = SE2(theta, x, y; omega, v, w),
    lagrangian = m/2*(v^2 + w^2) + omega^2/4 - (x + e*cos(theta))^2/2,
    constraints(blade: c*omega - w),
    methods(Rdp, Rkmk4),
)]
struct Sleigh { m: f64, c: f64, e: f64 }";

const PARAMETERS: [f64; 3] = [1.3, 0.4, 0.7];

/// A system of this file, with its functions.
struct Bed {
    optimised: Optimised,
    compiled: Compiled,
}

impl Bed {
    fn new(text: &str) -> Bed {
        let found = structs(&format!("#[derive(Nonholonomic)]{text}")).expect("Rust");
        let declaration = Declaration::parse(&found[0]).expect("no mistakes");
        let derived = Derived::new(declaration, default_engine().as_mut()).expect("derivable");
        let optimised = derived.optimised().expect("finite constants");
        let variants: Vec<Variant> = optimised.methods.iter().map(|method| method.method.into()).collect();
        let compiled = Compiled::new(&optimised, &variants).expect("Cranelift runs here");
        Bed { optimised, compiled }
    }

    /// The admissible velocity next to `v` at q.
    fn admissible(&self, at: &Point<'_>) -> Vec<f64> {
        self.compiled.project(at).expect("regular")
    }

    /// The state (q, v, z) after the time 1.
    fn after(&self, method: Method, at: &Point<'_>, steps: u32) -> Simulation {
        let h = 1.0 / f64::from(steps);
        let mut simulation = Simulation::at_point(&self.compiled, method.into(), at, h).expect("a start");
        simulation.advance(u64::from(steps)).expect("regular steps");
        simulation
    }
}

/// A state, with forks as coordinates or as auxiliary states.
fn point<'a>(q: &'a [f64], v: &'a [f64], z: &'a [f64]) -> Point<'a> {
    Point { parameters: &PARAMETERS, q, v, z, t: 0.0, inputs: &[] }
}

/// Largest difference.
fn distance(x: &[f64], y: &[f64]) -> f64 {
    assert_eq!(x.len(), y.len());
    x.iter().zip(y).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

/// A system with parts without mass beside the one without these parts.
struct Pair<'a> {
    with: Bed,
    without: Bed,
    /// States of both.
    starts: [Point<'a>; 2],
    /// Where the velocities of the system without those parts are in the other.
    shared: &'a [usize],
    /// Where its configuration and auxiliary states are.
    configuration: &'a [usize],
    /// Where its multipliers are.
    rows: &'a [usize],
}

impl Pair<'_> {
    /// Accelerations and multipliers at the start are the same.
    fn same_accelerations(&self) {
        let [with, without] = &self.starts;
        let with = self.with.compiled.acceleration(with).expect("regular");
        let without = self.without.compiled.acceleration(without).expect("regular");
        let a: Vec<f64> = self.shared.iter().map(|&i| with.a[i]).collect();
        assert!(distance(&a, &without.a) < 1e-12, "{a:?} {:?}", without.a);
        let lambda: Vec<f64> = self.rows.iter().map(|&i| with.lambda[i]).collect();
        assert!(distance(&lambda, &without.lambda) < 1e-12, "{lambda:?} {:?}", without.lambda);
    }

    /// The order in which a method converges to the motion of the system without those parts.
    fn order(&self, method: Method, reference: &[f64]) -> f64 {
        let error = |steps| {
            let end = self.with.after(method, &self.starts[0], steps);
            let q: Vec<f64> = self.configuration.iter().map(|&i| end.q()[i]).collect();
            let v: Vec<f64> = self.shared.iter().map(|&i| end.v()[i]).collect();
            distance(&[q, v].concat(), reference)
        };
        (error(40) / error(80)).log2()
    }

    /// Methods with their orders.
    fn converges(&self, fine: Method, methods: &[(Method, f64)]) {
        let end = self.without.after(fine, &self.starts[1], 2000);
        let reference = [end.q(), end.z(), &end.v()].concat();
        for &(method, order) in methods {
            let measured = self.order(method, &reference);
            assert!((measured - order).abs() < 0.15, "{method:?}: order {measured}");
        }
    }

    /// The constraints hold after every step, and the interpreter's states have the same bits.
    fn same_bits(&self) {
        for functions in &self.with.optimised.methods {
            let (method, at) = (functions.method, &self.starts[0]);
            let parts = [at.q, at.v, at.z, at.inputs];
            let variant: Variant = method.into();
            let mut compiled = Simulation::at_point(&self.with.compiled, variant, at, 0.02).expect("a start");
            let mut interpreted =
                nhi_interpreter::Simulation::start(functions, variant, at.parameters, parts, 0.02)
                    .expect("a start");
            for k in 0..50 {
                compiled.step().expect("a regular step");
                interpreted.step(&[]).expect("a regular step");
                let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
                assert_eq!(bits(compiled.numbers()), bits(&interpreted.numbers()), "{method:?}: step {k}");
                let drifts = matches!(method, Method::Rk4 | Method::Rkmk4);
                let residual = compiled.residual().iter().fold(0f64, |most, x| most.max(x.abs()));
                assert!(residual < if drifts { 1e-6 } else { 1e-13 }, "{method:?}: {residual} in step {k}");
            }
        }
    }
}

const IN_COORDINATES: [(Method, f64); 3] =
    [(Method::Dla2, 2.0), (Method::DlaRattle, 2.0), (Method::Rk4, 4.0)];

#[test]
fn a_hitch() {
    let (with, without) = (Bed::new(HITCH), Bed::new(HITCHED));
    let [_, c, l] = PARAMETERS;
    let (x, y, theta, psi): (f64, f64, f64, f64) = (0.3, -0.2, 0.4, 0.9);
    let (a, b) = (x - c * theta.cos(), y - c * theta.sin());
    let (u, v) = (a - l * psi.cos(), b - l * psi.sin());
    let (q, short) = ([x, y, theta, a, b, u, v, psi], [x, y, theta, psi]);
    let v0 = without.admissible(&point(&short, &[0.8, 0.3, 0.5, -0.2], &[]));
    let [dx, dy, turn, swing] = [v0[0], v0[1], v0[2], v0[3]];
    let (da, db) = (dx + c * theta.sin() * turn, dy - c * theta.cos() * turn);
    let full = [dx, dy, turn, da, db, da + l * psi.sin() * swing, db - l * psi.cos() * swing, swing];
    let projected = with.admissible(&point(&q, &full, &[]));
    assert!(distance(&projected, &full) < 1e-14, "{projected:?}");
    let shared = [0, 1, 2, 7];
    let starts = [point(&q, &full, &[]), point(&short, &v0, &[])];
    let pair = Pair { with, without, starts, shared: &shared, configuration: &shared, rows: &[0, 5] };
    pair.same_accelerations();
    pair.converges(Method::Rk4, &IN_COORDINATES);
    pair.same_bits();
}

#[test]
fn steering_forks() {
    let (with, without) = (Bed::new(FORKS), Bed::new(CAR));
    let (q, z) = ([0.3, -0.2, 0.4, 0.2, -0.3], [0.2, -0.3]);
    let v0 = without.admissible(&point(&q[..3], &[0.8, 0.3, 0.5], &z));
    // The forks have no share in the kinetic energy that makes a velocity the nearest.
    let full = with.admissible(&point(&q, &[v0[0], v0[1], v0[2], 0.0, 0.0], &[]));
    assert!(distance(&full[..3], &v0) < 1e-14, "{full:?}");
    let starts = [point(&q, &full, &[]), point(&q[..3], &v0, &z)];
    let (shared, configuration) = ([0, 1, 2], [0, 1, 2, 3, 4]);
    let pair = Pair { with, without, starts, shared: &shared, configuration: &configuration, rows: &[0] };
    pair.same_accelerations();
    // A wheel of a fork without inertia takes no force.
    let lambda = pair.with.compiled.acceleration(&pair.starts[0]).expect("regular").lambda;
    assert!(lambda[1].abs().max(lambda[2].abs()) < 1e-12, "{lambda:?}");
    pair.converges(Method::Rk4, &IN_COORDINATES);
    pair.same_bits();
}

#[test]
fn a_pin_on_a_group() {
    let (with, without) = (Bed::new(TOWED), Bed::new(SLEIGH));
    let [_, c, e] = PARAMETERS;
    let (theta, x, y): (f64, f64, f64) = (0.4, 0.3, -0.2);
    let (omega, v) = (0.6, 0.9);
    let w = c * omega;
    let (q, short) = ([x + e * theta.cos(), y + e * theta.sin(), theta, x, y], [theta, x, y]);
    let across = w + e * omega;
    let towed = [theta.cos() * v - theta.sin() * across, theta.sin() * v + theta.cos() * across];
    let full = [towed[0], towed[1], omega, v, w];
    let starts = [point(&q, &full, &[]), point(&short, &full[2..], &[])];
    let (shared, configuration) = ([2, 3, 4], [2, 3, 4]);
    let pair = Pair { with, without, starts, shared: &shared, configuration: &configuration, rows: &[0] };
    pair.same_accelerations();
    pair.converges(Method::Rkmk4, &[(Method::Rdp, 2.0), (Method::Rkmk4, 4.0)]);
    pair.same_bits();
}
