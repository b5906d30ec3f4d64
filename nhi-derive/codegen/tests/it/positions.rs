//! Position constraints: the discrete equations and their solution, in the interpreter.
//!
//! By default orders are those of two lengths of steps; with `NHI_TESTS=all`, of three.

use crate::support::{derived, distance};
use nhi_codegen::lower::Function;
use nhi_codegen::method::StateKind;
use nhi_codegen::optimised::{MethodFunctions, Optimised};
use nhi_interpreter::Simulation;
use nhi_methods::Variant;
use nhi_tiers::amount;

fn derive(attribute: &str) -> Optimised {
    derived(attribute).optimised().expect("finite constants")
}

fn plain(method: &MethodFunctions) -> Variant {
    method.method.into()
}

/// The numbers of the state after `steps` steps.
fn run(method: &MethodFunctions, q: &[f64], v: &[f64], h: f64, steps: usize) -> Vec<f64> {
    let mut simulation = Simulation::start(method, plain(method), &[], [q, v, &[], &[]], h).expect("a start");
    for k in 0..steps {
        simulation.step(&[]).unwrap_or_else(|failure| panic!("step {k}: {failure:?}"));
    }
    simulation.numbers()
}

const PENDULUM: &str = "coordinates(x, y, z), \
    lagrangian = (dot(x)^2 + dot(y)^2 + dot(z)^2)/2 - 981/100*z, \
    holonomic(rod: x^2 + y^2 + z^2 - 1 = 0)";

#[test]
fn spherical_pendulum_is_classical_rattle() {
    let optimised = derive(&format!("{PENDULUM}, methods(DlaRattle, Rattle)"));
    let (q, v, h) = ([0.6, 0.0, -0.8], [0.0, 1.2, 0.0], 0.01);
    for method in &optimised.methods {
        for steps in [1, 7, 300] {
            let numbers = run(method, &q, &v, h, steps);
            let (mut x, mut w) = (q, v);
            (0..steps).for_each(|_| rattle(&mut x, &mut w, h));
            for (i, (a, b)) in numbers.iter().zip(x.iter().chain(&w)).enumerate() {
                assert!((a - b).abs() < 1e-13 * steps as f64, "{}, {steps}, {i}: {a} {b}", method.id());
            }
        }
    }
}

/// Andersen 1983, for a unit mass on the unit sphere in a field of gravity.
fn rattle(x: &mut [f64; 3], v: &mut [f64; 3], h: f64) {
    let force = [0.0, 0.0, -9.81];
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    // x' = x + h (v + h/2 f) + s x with |x'| = 1.
    let free: [f64; 3] = std::array::from_fn(|i| x[i] + h * (v[i] + 0.5 * h * force[i]));
    let mut s = 0.0;
    for _ in 0..50 {
        let moved: [f64; 3] = std::array::from_fn(|i| free[i] + s * x[i]);
        s -= (dot(moved, moved) - 1.0) / (2.0 * dot(moved, *x));
    }
    let next: [f64; 3] = std::array::from_fn(|i| free[i] + s * x[i]);
    let half: [f64; 3] = std::array::from_fn(|i| (next[i] - x[i]) / h + 0.5 * h * force[i]);
    let normal = dot(half, next) / dot(next, next);
    *v = std::array::from_fn(|i| half[i] - normal * next[i]);
    *x = next;
}

/// A crank, a coupler and a rocker; the loop is closed by two position constraints.
const FOUR_BAR: &str = "coordinates(a, b, c), \
    let(kx = cos(a) + 5/4*cos(b), ky = sin(a) + 5/4*sin(b)), \
    lagrangian = dot(a)^2/6 + (dot(kx)^2 + dot(ky)^2)/2 + dot(b)^2/10 + dot(c)^2/2 - 2*ky - sin(c), \
    holonomic(along: cos(a) + 5/2*cos(b) - 2*cos(c) - 3/2, across: sin(a) + 5/2*sin(b) - 2*sin(c) = 0)";

/// The same on a sled with a skate, pushed sideways by the reactions of the mechanism.
const FOUR_BAR_ON_SKATES: &str = "coordinates(x, y, th, a, b, c), \
    let(ex = x + cos(th + a), ey = y + sin(th + a), kx = ex + 5/4*cos(th + b), ky = ey + 5/4*sin(th + b)), \
    lagrangian = 2*(dot(x)^2 + dot(y)^2) + dot(th)^2 + (dot(kx)^2 + dot(ky)^2)/2 \
        + (dot(th) + dot(a))^2/6 + (dot(th) + dot(b))^2/10 + (dot(th) + dot(c))^2/2 - sin(c)/2, \
    constraints(blade: sin(th)*dx - cos(th)*dy + dth/5 = 0), \
    holonomic(along: cos(a) + 5/2*cos(b) - 2*cos(c) - 3/2, across: sin(a) + 5/2*sin(b) - 2*sin(c))";

/// A body in the plane, pinned at a point that rests, with a skate elsewhere on a lever.
const PINNED: &str = "coordinates(s), group = SE2(th, x, y; w, u, v), \
    lagrangian = (u^2 + v^2 + w^2/2)/2 + dot(s)^2/4 + s*w/3 - 3*y - s^2*cos(th), \
    constraints(dot(s) - s*w = 0), \
    holonomic(pin: x + cos(th)/2, y + sin(th)/2)";

struct Case {
    attribute: &'static str,
    methods: &'static str,
    /// Approximate; a start on the constraints is near.
    q: &'static [f64],
    v: &'static [f64],
}

const CASES: [Case; 4] = [
    Case {
        attribute: PENDULUM,
        methods: "DlaRattle, DlaRattleMidpoint, Rattle, GniMidpoint",
        q: &[0.6, 0.0, -0.8],
        v: &[0.3, 1.2, 0.1],
    },
    Case {
        attribute: FOUR_BAR,
        methods: "DlaRattle, DlaRattleMidpoint, Rattle, GniMidpoint",
        q: &[1.2, 0.2, 0.9],
        v: &[0.9, 0.2, 0.4],
    },
    Case {
        attribute: FOUR_BAR_ON_SKATES,
        methods: "DlaRattle, DlaRattleMidpoint, Rattle, GniMidpoint, RattleRestarted",
        q: &[0.1, -0.2, 0.4, 1.2, 0.2, 0.9],
        v: &[0.6, 0.2, -0.3, 0.9, 0.2, 0.4],
    },
    Case {
        attribute: PINNED,
        methods: "Rdp, Rattle, RattleRestarted",
        q: &[0.7, 0.4, -0.46, -0.19],
        v: &[0.2, 0.8, 0.1, 0.4],
    },
];

impl Case {
    fn derive(&self) -> Optimised {
        derive(&format!("{}, methods({})", self.attribute, self.methods))
    }

    /// A start on the constraints: position by Gauss–Newton steps, then velocity.
    fn start(&self, optimised: &Optimised) -> (Vec<f64>, Vec<f64>) {
        let run = |function, arguments: &[Vec<f64>]| run_function(function, arguments).concat();
        let system = &optimised.system;
        let correct = system.correct.as_ref().expect("position constraints");
        let mut q = self.q.to_vec();
        (0..10).for_each(|_| q = run(correct, &[vec![], q.clone(), vec![0.0]]));
        let v = run(&system.project, &[vec![], q.clone(), self.v.to_vec(), vec![0.0], vec![]]);
        (q, v)
    }
}

fn run_function(function: &Function, arguments: &[Vec<f64>]) -> Vec<Vec<f64>> {
    nhi_interpreter::run(function, arguments, nhi_interpreter::Options::default()).expect("a result")
}

/// Largest |g|, and largest |μ v + μ₀| including G v relative to its terms above one, at a state.
fn residuals(optimised: &Optimised, q: &[f64], v: &[f64]) -> (f64, f64) {
    let largest = |numbers: Vec<f64>| numbers.into_iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    let system = &optimised.system;
    let position = system.position.as_ref().expect("position constraints");
    let g = run_function(position, &[vec![], q.to_vec(), vec![0.0]]);
    let state = [vec![], q.to_vec(), v.to_vec(), vec![0.0], vec![]];
    let [residual, scale] =
        [&system.residual, &system.residual_scale].map(|function| run_function(function, &state).concat());
    let relative = residual.iter().zip(&scale).map(|(residual, scale)| residual / scale.max(1.0));
    (largest(g.concat()), largest(relative.collect()))
}

/// (q, v, λ) of the numbers of a state.
fn parts(method: &MethodFunctions, numbers: &[f64], [entries, n, m]: [usize; 3]) -> [Vec<f64>; 3] {
    let (q, rest) = numbers.split_at(entries);
    match method.state {
        StateKind::Node => [q.to_vec(), rest[..n].to_vec(), rest[n..n + m].to_vec()],
        StateKind::Jump => {
            let mean = rest[..n].iter().zip(&rest[n..2 * n]).map(|(a, b)| 0.5 * (a + b));
            [q.to_vec(), mean.collect(), rest[2 * n..2 * n + m].to_vec()]
        }
    }
}

#[test]
fn constraints_hold_at_every_step() {
    for case in CASES {
        let optimised = case.derive();
        let (q, v) = case.start(&optimised);
        let (g, of_velocity) = residuals(&optimised, &q, &v);
        assert!(g < 1e-14 && of_velocity < 1e-14, "{}: start {g} {of_velocity}", case.attribute);
        for method in &optimised.methods {
            let lengths = [q.len(), v.len(), optimised.system.residual.outputs[0].values.len()];
            let mut simulation =
                Simulation::start(method, plain(method), &[], [&q, &v, &[], &[]], 0.01).unwrap();
            for k in 0..400 {
                simulation.step(&[]).unwrap_or_else(|failure| panic!("{}, {k}: {failure:?}", method.id()));
                let [q, v, _] = parts(method, &simulation.numbers(), lengths);
                let (g, of_velocity) = residuals(&optimised, &q, &v);
                assert!(g < 2e-14, "{}, {}, step {k}: |g| = {g}", case.attribute, method.id());
                assert!(of_velocity < 1e-14, "{}, {}, step {k}: {of_velocity}", case.attribute, method.id());
            }
        }
    }
}

#[test]
fn methods_are_of_order_two() {
    const TIME: f64 = 0.48;
    for case in CASES {
        let optimised = case.derive();
        let (q, v) = case.start(&optimised);
        let lengths = [q.len(), v.len(), optimised.system.residual.outputs[0].values.len()];
        for method in &optimised.methods {
            let at = |steps: usize| parts(method, &run(method, &q, &v, TIME / steps as f64, steps), lengths);
            let reference = at(amount(1536, 6144));
            let mut before: Option<[f64; 2]> = None;
            let mut orders = Vec::new();
            for steps in [96, 192, 384].into_iter().take(amount(2, 3)) {
                let [q, v, _] = at(steps);
                let errors = [distance(&q, &reference[0]), distance(&v, &reference[1])];
                if let Some(before) = before {
                    orders.extend([(before[0] / errors[0]).log2(), (before[1] / errors[1]).log2()]);
                }
                before = Some(errors);
            }
            assert!(
                orders.iter().all(|order| (order - 2.0).abs() < 0.1),
                "{}, {}: {orders:?}",
                case.attribute,
                method.id()
            );
        }
    }
}

/// Symmetric methods take the step −h back to where they came from.
#[test]
fn symmetric_methods_are_symmetric() {
    for case in CASES {
        let optimised = case.derive();
        let (q, v) = case.start(&optimised);
        let lengths = [q.len(), v.len(), optimised.system.residual.outputs[0].values.len()];
        for method in optimised.methods.iter().filter(|method| method.state == StateKind::Node) {
            if method.id() == "rattle_restarted" {
                continue;
            }
            let [q1, v1, _] = parts(method, &run(method, &q, &v, 0.01, 1), lengths);
            let [q2, v2, _] = parts(method, &run(method, &q1, &v1, -0.01, 1), lengths);
            let far = distance(&q1, &q);
            let off = distance(&q2, &q).max(distance(&v2, &v));
            assert!(far > 1e-3 && off < 1e-13, "{}, {}: {off}", case.attribute, method.id());
        }
    }
}
