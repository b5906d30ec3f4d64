//! Position constraints in short steps and far from the origin: their residuals and the updates of Newton's method contain the
//! rounding of the configuration, divided by the step size.

use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::method::refusal;
use nhi_codegen::pipeline::Derived;
use nhi_codegen::source::structs;
use nhi_jit::{Compiled, Simulation as Fast};
use nhi_methods::{Method, Variant};
use nhi_runtime::prelude::*;

/// A pendulum in the coordinates of its mass, about a pivot (a, b).
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, th),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + J/2*dot(th)^2 - m*g*y,
    holonomic(a: x - x0 - l*cos(th) = 0, b: y - y0 - l*sin(th) = 0),
    constraints(),
    methods(DlaRattle, Rattle)
)]
#[expect(non_snake_case, reason = "J is a moment of inertia")]
struct Pendulum {
    m: f64,
    J: f64,
    l: f64,
    g: f64,
    x0: f64,
    y0: f64,
}

impl Pendulum {
    fn about(x0: f64, y0: f64) -> Pendulum {
        Pendulum { m: 1.3, J: 0.4, l: 0.7, g: 9.81, x0, y0 }
    }

    fn at(&self, th: f64) -> [f64; 3] {
        [self.x0 + self.l * th.cos(), self.y0 + self.l * th.sin(), th]
    }

    fn numbers(&self) -> [f64; 6] {
        [self.m, self.J, self.l, self.g, self.x0, self.y0]
    }

    /// θ and dθ/dt after the time t, by many steps of the method of Runge and Kutta for θ̈ = −m g l cos θ/(J + m l²).
    fn exact(&self, th: f64, t: f64) -> [f64; 2] {
        let Pendulum { m, J, l, g, .. } = *self;
        let f = |[th, w]: [f64; 2]| [w, -m * g * l * th.cos() / (J + m * l * l)];
        let along = |x: [f64; 2], s: f64, k: [f64; 2]| [x[0] + s * k[0], x[1] + s * k[1]];
        let (steps, mut x) = (10_000, [th, 0.0]);
        let h = t / f64::from(steps);
        for _ in 0..steps {
            let a = f(x);
            let b = f(along(x, h / 2.0, a));
            let c = f(along(x, h / 2.0, b));
            let d = f(along(x, h, c));
            x = [0, 1].map(|i| x[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
        }
        x
    }
}

fn compiled(text: &str, methods: &[Method]) -> Compiled {
    let declaration = Declaration::parse(&structs(text).expect("Rust")[0]).expect("no mistakes");
    let derived = Derived::new(declaration, &mut BuiltIn).expect("derivable");
    let optimised = derived.optimised().expect("finite constants");
    let variants: Vec<Variant> = methods.iter().map(|&method| method.into()).collect();
    Compiled::new(&optimised, &variants).expect("Cranelift runs here")
}

fn pendulum() -> Compiled {
    let all = structs(include_str!("resolution.rs")).expect("Rust");
    let item = all.iter().find(|item| item.ident == "Pendulum").expect("it is there");
    let derived =
        Derived::new(Declaration::parse(item).expect("no mistakes"), &mut BuiltIn).expect("derivable");
    let optimised = derived.optimised().expect("finite constants");
    Compiled::new(&optimised, &[Method::DlaRattle.into()]).expect("Cranelift runs here")
}

#[test]
fn a_pendulum_takes_short_steps() {
    let compiled = pendulum();
    for h in [1e-3, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9] {
        for (x0, y0) in [(0.0, 0.0), (3.0, -20.0), (5e5, 5e5)] {
            let pendulum = Pendulum::about(x0, y0);
            let begin = pendulum.at(0.3);
            let steps = 300;
            let mut sim = Simulation::new(pendulum.clone(), DlaRattle, begin, [0.0; 3], h).expect("at rest");
            sim.advance(steps).unwrap_or_else(|error| panic!("h = {h}, pivot ({x0}, {y0}): {error}"));
            let [th, w] = pendulum.exact(0.3, h * steps as f64);
            // Each step adds a rounding of the configuration, at most.
            let size = 1.0 + x0.abs().max(y0.abs());
            let position = f64::EPSILON * size * 64.0 * (steps as f64).sqrt();
            assert!(
                (sim.q()[2] - th).abs() <= 1e-6 * (th - 0.3).abs() + position,
                "h = {h}: {} {th}",
                sim.q()[2]
            );
            let velocity = 1e-6 * w.abs() + position / h;
            assert!((sim.v()[2] - w).abs() <= velocity, "h = {h}, ({x0}, {y0}): {} {w}", sim.v()[2]);
            let mut fast =
                Fast::new(&compiled, Method::DlaRattle.into(), &pendulum.numbers(), &begin, &[0.0; 3], h)
                    .expect("at rest");
            fast.advance(steps).expect("as above");
            assert_eq!((fast.q(), fast.v()), (&sim.q()[..], sim.v().to_vec()));
        }
    }
}

#[test]
fn the_last_step_to_a_time_may_be_short() {
    for t in [0.500_000_000_1, 0.5 + 1e-7, 0.5 + 1e-12] {
        let pendulum = Pendulum::about(0.0, 0.0);
        let mut sim =
            Simulation::new(pendulum.clone(), DlaRattle, pendulum.at(0.0), [0.0; 3], 0.01).expect("at rest");
        sim.run_until(t).unwrap_or_else(|error| panic!("{t}: {error}"));
        let [th, w] = pendulum.exact(0.0, t);
        assert!((sim.q()[2] - th).abs() < 1e-3 && (sim.v()[2] - w).abs() < 1e-2, "{:?} {th} {w}", sim.q());
    }
}

#[test]
fn a_pendulum_far_from_the_origin_moves_as_at_the_origin() {
    let run = |x0: f64, y0: f64| {
        let pendulum = Pendulum::about(x0, y0);
        let begin = pendulum.at(0.3);
        let mut sim = Simulation::new(pendulum, DlaRattle, begin, [0.0; 3], 0.01).expect("at rest");
        sim.advance(100).expect("regular steps");
        (sim.q()[2], sim.v()[2])
    };
    let (th, w) = run(0.0, 0.0);
    for (x0, y0) in [(5e5, 5e5), (-5e6, 1e3)] {
        let (far, fast) = run(x0, y0);
        assert!((far - th).abs() < 1e-5 && (fast - w).abs() < 1e-4, "({x0}, {y0}): {far} {th}, {fast} {w}");
    }
}

/// A truck with a trailer, and three cars of a train: bodies on axles, joined by position constraints.
fn vehicle(bodies: usize) -> String {
    let mut coordinates = Vec::new();
    let (mut lagrangian, mut forms, mut joints) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..bodies {
        coordinates.push(format!("x{i}, y{i}, a{i}"));
        lagrangian.push(format!("m/2*(dot(x{i})^2 + dot(y{i})^2) + j/2*dot(a{i})^2"));
        forms.push(format!("sin(a{i})*dx{i} - cos(a{i})*dy{i}"));
        if i > 0 {
            let k = i - 1;
            joints.push(format!("along{i}: x{k} - c*cos(a{k}) - x{i} - l*cos(a{i}) = 0"));
            joints.push(format!("across{i}: y{k} - c*sin(a{k}) - y{i} - l*sin(a{i}) = 0"));
        }
    }
    format!(
        "coordinates({}), inputs(u), lagrangian = {}, constraints({}), holonomic({}),
         force = u*(cos(a0)*dx0 + sin(a0)*dy0) - dot(a0)*da0/10",
        coordinates.join(", "),
        lagrangian.join(" + "),
        forms.join(", "),
        joints.join(", ")
    )
}

#[test]
fn vehicles_drive_far_from_the_origin() {
    for bodies in [2, 3] {
        let text = |methods: &str| {
            format!(
                "#[derive(Nonholonomic)] #[nonholonomic({}, methods({methods}))] struct Vehicle {{ m: f64, j: f64, c: f64, l: f64 }}",
                vehicle(bodies)
            )
        };
        let declaration =
            Declaration::parse(&structs(&text("DlaRattle")).expect("Rust")[0]).expect("no mistakes");
        let derived = Derived::new(declaration, &mut BuiltIn).expect("derivable");
        let keeping = |method: &&Method| {
            refusal(**method, &derived.mechanics).is_none()
                && matches!(
                    **method,
                    Method::DlaRattle | Method::Rdp | Method::Rattle | Method::RattleRestarted
                )
        };
        let methods: Vec<Method> = Method::ALL.iter().filter(keeping).copied().collect();
        let names: Vec<&str> = methods.iter().map(|method| method.facts().marker).collect();
        let compiled = compiled(&text(&names.join(", ")), &methods);
        for &method in &methods {
            for h in [0.01, 1e-4, 1e-9] {
                let run = |x: f64, y: f64| {
                    let (mut q, mut v) = (Vec::new(), Vec::new());
                    let (mut hitch, mut angle) = ([x, y], 0.4);
                    for _ in 0..bodies {
                        let (sin, cos) = f64::sin_cos(angle);
                        let at = [hitch[0] - 1.5 * cos, hitch[1] - 1.5 * sin];
                        q.extend([at[0], at[1], angle]);
                        v.extend([2.0 * cos, 2.0 * sin, 0.0]);
                        hitch = [at[0] - 0.3 * cos, at[1] - 0.3 * sin];
                        angle -= 0.2;
                    }
                    let parameters = [1.2, 0.5, 0.3, 1.5];
                    let mut sim = Fast::project(&compiled, method.into(), &parameters, &q, &v, &[0.7], h)
                        .expect("a start");
                    let begin = sim.q().to_vec();
                    let moved = sim.advance(100);
                    moved
                        .unwrap_or_else(|error| panic!("{bodies}, {method:?}, h = {h}, ({x}, {y}): {error}"));
                    sim.q().iter().zip(&begin).map(|(q, begin)| q - begin).collect::<Vec<f64>>()
                };
                let (near, far) = (run(0.0, 0.0), run(5e6, -4e6));
                for (near, far) in near.iter().zip(&far) {
                    assert!((near - far).abs() < 1e-6, "{bodies}, {method:?}, h = {h}: {near} {far}");
                }
            }
        }
    }
}

/// A system that moves alike wherever its pivot (a, b) is.
struct Moved {
    /// Coordinates x… along a and y… along b alternate.
    attribute: &'static str,
    /// At the origin, in this order.
    q: &'static [f64],
    v: &'static [f64],
}

const MOVED: [Moved; 6] = [
    Moved {
        attribute: "coordinates(x, y), lagrangian = m/2*(dot(x)^2 + dot(y)^2) - m*g*y,
            holonomic(rod: (x - a)^2 + (y - b)^2 - l^2)",
        q: &[0.6, -0.8],
        v: &[0.4, 0.3],
    },
    Moved {
        attribute: "coordinates(x, y, s, w), lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(s)^2 + dot(w)^2) - m*g*(y + w),
            holonomic(upper: (x - a)^2 + (y - b)^2 - l^2, lower: (s - x)^2 + (w - y)^2 - l^2)",
        q: &[0.6, -0.8, 1.4, -1.4],
        v: &[0.4, 0.3, 0.7, 0.7],
    },
    // A mass matrix of two coordinates.
    Moved {
        attribute: "coordinates(x, y), lagrangian = m/2*(dot(x)^2 + dot(y)^2) + m/8*dot((x - a)^2 + (y - b))^2 - m*g*y,
            constraints(along: (y - b)*dx - (x - a)*dy)",
        q: &[0.6, -0.8],
        v: &[0.3, -0.4],
    },
    // Springs.
    Moved {
        attribute: "coordinates(x, y, s),
            lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(s)^2) - g/4*((x - a)^2 + (y - b)^2)^2 - g*(s - a)^4,
            constraints(contact: ds - (y - b)*dx)",
        q: &[0.6, -0.8, 0.2],
        v: &[0.5, 0.3, -0.4],
    },
    Moved {
        attribute: "coordinates(x, y, s),
            lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(s)^2) - g/2*(sqrt((x - a)^2 + (y - b)^2) - l)^2
                - g/3*(x - a)*(y - b)*(s - a),
            constraints(contact: ds - (y - b)^2*dx, other: (y - b)*dy - (x - a)*ds)",
        q: &[0.5, -0.25, 0.3],
        v: &[0.5, 0.0625, 0.03125],
    },
    // Forces.
    Moved {
        attribute: "coordinates(x, y), lagrangian = m/2*(dot(x)^2 + dot(y)^2), constraints(skate: (1 + (x - a)^2)*dy - (y - b)^3*dx),
            force = -g*(x - a)*(1 + (y - b)^2)*dx - g*(y - b)^3*dy",
        q: &[0.5, -0.5],
        v: &[0.625, -0.0625],
    },
];

/// Whatever is subtracted in a declaration is subtracted in its steps before it is multiplied. Far from the origin motions change by
/// multiples of the rounding of the configuration, but not of its square.
#[test]
fn differences_of_coordinates_keep_their_digits() {
    for Moved { attribute, q, v } in &MOVED {
        let text = |methods: &str| {
            format!(
                "#[derive(Nonholonomic)] #[nonholonomic({attribute}, methods({methods}))]
                 struct Moved {{ m: f64, g: f64, l: f64, a: f64, b: f64 }}"
            )
        };
        let declaration = Declaration::parse(&structs(&text("Rk4")).expect("Rust")[0]).expect("no mistakes");
        let derived = Derived::new(declaration, &mut BuiltIn).expect("derivable");
        let applies = |method: &Method| refusal(*method, &derived.mechanics).is_none();
        let methods: Vec<Method> = Method::ALL.iter().copied().filter(applies).collect();
        let names: Vec<&str> = methods.iter().map(|method| method.facts().marker).collect();
        let compiled = compiled(&text(&names.join(", ")), &methods);
        for &method in &methods {
            let run = |far: [f64; 2]| {
                let q: Vec<f64> = q.iter().enumerate().map(|(i, x)| x + far[i % 2]).collect();
                let parameters = [1.3, 2.0, 1.0, far[0], far[1]];
                let mut sim = Fast::project(&compiled, method.into(), &parameters, &q, v, &[], 0.01)
                    .unwrap_or_else(|error| panic!("{attribute}, {method:?}, {far:?}: {error}"));
                sim.advance(50).unwrap_or_else(|error| panic!("{attribute}, {method:?}, {far:?}: {error}"));
                let q: Vec<f64> = sim.q().iter().enumerate().map(|(i, x)| x - far[i % 2]).collect();
                [q, sim.v(), sim.residual()]
            };
            let ([q, v, residual], [far_q, far_v, far_residual]) = (run([0.0; 2]), run([4_194_304.0; 2]));
            let differs =
                |x: &[f64], y: &[f64]| x.iter().zip(y).fold(0.0, |most: f64, (x, y)| most.max((x - y).abs()));
            let found = [differs(&q, &far_q), differs(&v, &far_v), differs(&residual, &far_residual)];
            assert!(found.iter().all(|&x| x < 1e-7), "{attribute}, {method:?}: {found:?}");
        }
    }
}
