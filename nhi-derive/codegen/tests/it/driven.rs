//! Systems that depend on time, and constraints that inputs drive: orders of the methods, in the interpreter.

use crate::support::{derived, distance};
use nhi_codegen::lower::Function;
use nhi_codegen::method::{StateKind, refusal};
use nhi_codegen::optimised::{MethodFunctions, Optimised};
use nhi_interpreter::{Options, Simulation, run};
use nhi_methods::{Method, Variant};

fn derive(attribute: &str) -> Optimised {
    derived(attribute).optimised().expect("finite constants")
}

fn call(function: &Function, arguments: &[Vec<f64>]) -> Vec<f64> {
    run(function, arguments, Options::default()).expect("a result").concat()
}

/// (q, v) after `steps` steps of size `h`, where `inputs` are functions of the time of the beginning of a step.
fn end(
    method: &MethodFunctions,
    variant: Variant,
    (q, v): (&[f64], &[f64]),
    h: f64,
    steps: usize,
    inputs: impl Fn(f64) -> Vec<f64>,
    at_start: &[f64],
) -> [Vec<f64>; 2] {
    let mut simulation = Simulation::start(method, variant, &[], [q, v, &[], at_start], h).expect("a start");
    for k in 0..steps {
        let inputs = inputs(k as f64 * h);
        simulation.step(&inputs).unwrap_or_else(|failure| panic!("{variant}, step {k}: {failure:?}"));
    }
    let numbers = simulation.numbers();
    let (q, rest) = numbers.split_at(q.len());
    let v = match method.state {
        StateKind::Node => rest[..v.len()].to_vec(),
        StateKind::Jump => rest.iter().zip(&rest[v.len()..2 * v.len()]).map(|(a, b)| 0.5 * (a + b)).collect(),
    };
    [q.to_vec(), v]
}

/// The slope of the errors of (q, v) between two numbers of steps.
fn slopes(coarse: &[Vec<f64>; 2], fine: &[Vec<f64>; 2], reference: &[Vec<f64>; 2], ratio: f64) -> [f64; 2] {
    [0, 1].map(|i| {
        let errors = [coarse, fine].map(|at| distance(&at[i], &reference[i]));
        (errors[0] / errors[1]).ln() / ratio.ln()
    })
}

struct Case {
    attribute: &'static str,
    methods: &'static str,
    /// A method of order four, which differentiates the constraints instead of discretising them.
    reference: &'static str,
    /// Admissible up to a projection of the velocity.
    q: &'static [f64],
    v: &'static [f64],
}

/// Time in the mass matrix, in the gyroscopic part, in the potential and in the constraint.
const BELT: Case = Case {
    attribute: "coordinates(theta, x, y), \
        lagrangian = dot(theta)^2/4 + (1 + sin(t)/4)*(dot(x)^2 + dot(y)^2)/2 + sin(t)*dot(x)*y/3 - cos(2*t)*x, \
        constraints(blade: dtheta/5 + sin(theta)*(dx - sin(3*t)*dt) - cos(theta)*dy)",
    methods: "Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Rdp, RdpMidpoint, RdpLeft, \
        RdpRight, Rattle, GniMidpoint, GniEulerA, GniEulerB, RattleRestarted, Rk2Midpoint, Rk2Heun",
    reference: "rk4",
    q: &[0.3, 0.1, -0.2],
    v: &[0.7, 0.5, 0.3],
};

/// Time in the coefficients of one-forms: a blade that is turned in its frame.
const TURNED: Case = Case {
    attribute: "coordinates(theta, x, y), \
        lagrangian = dot(theta)^2/4 + (dot(x)^2 + dot(y)^2)/2 + theta*x*y/3 - cos(2*t)*x, \
        let(heading = theta + sin(2*t)/2), \
        constraints(blade: (1 + t/3)*dtheta/5 + sin(heading)*dx - cos(heading)*dy)",
    methods: BELT.methods,
    reference: "rk4",
    q: &[0.3, 0.1, -0.2],
    v: &[0.7, 0.5, 0.3],
};

/// A mass matrix that couples coordinates by a function of the time and a coordinate.
const COUPLED: Case = Case {
    attribute: "coordinates(x, y, z), \
        lagrangian = (1 + y^2/2 + sin(t)/3)*dot(x)^2/2 + cos(x + t)/4*dot(x)*dot(y) + dot(y)^2 \
            + (2 + cos(t))/2*dot(z)^2 - x*y*cos(t), \
        constraints(dot(z) - y*dot(x) - sin(2*t)*x)",
    methods: BELT.methods,
    reference: "rk4",
    q: &[0.3, 0.6, -0.2],
    v: &[0.7, 0.5, 0.3],
};

/// A spherical pendulum on a support that moves.
const SUPPORT: Case = Case {
    attribute: "coordinates(x, y, z), \
        lagrangian = (dot(x)^2 + dot(y)^2 + dot(z)^2)/2 - 981/100*z, \
        holonomic(rod: (x - sin(2*t)/4)^2 + y^2 + (z - t^2/8)^2 - 1)",
    methods: "DlaRattle, DlaRattleMidpoint, Rattle, GniMidpoint, RattleRestarted",
    reference: "rk4",
    q: &[0.6, 0.0, -0.8],
    v: &[0.3, 1.2, 0.1],
};

/// A body in the plane with an appendage.
const BODY: Case = Case {
    attribute: "coordinates(s), group = SE2(th, x, y; w, u, v), \
        lagrangian = (1 + sin(t)/4)*(u^2 + v^2 + w^2/2)/2 + dot(s)^2/4 + cos(t)*s*w/3 - s^2*cos(t), \
        constraints(dot(s) - s*w - sin(t), v - (1 + t^2)*w/5 + cos(3*t)/9)",
    methods: "Rdp, RdpMidpoint, RdpLeft, RdpRight, Rattle, GniMidpoint, RattleRestarted, Rkmk2",
    reference: "rkmk4",
    q: &[0.7, 0.4, 0.5, -0.2],
    v: &[0.2, 0.8, 0.1, 0.4],
};

/// A car whose speed and yaw rate are given, with a trailer: constraints determine all velocities.
const CAR: Case = Case {
    attribute: "coordinates(x, y, theta, psi), \
        let(speed = 1 + sin(2*t)/2, rate = cos(3*t), u = x - cos(psi)*2/3, v = y - sin(psi)*2/3), \
        lagrangian = (dot(x)^2 + dot(y)^2)/2 + dot(theta)^2/4 + (dot(u)^2 + dot(v)^2)/6 + dot(psi)^2/8 - x*y^2/3, \
        constraints(side: sin(theta)*dx - cos(theta)*dy, ahead: cos(theta)*dx + sin(theta)*dy - speed*dt, \
            turn: dtheta - rate*dt, trailer: sin(psi)*d(u) - cos(psi)*d(v))",
    methods: BELT.methods,
    reference: "rk4",
    q: &[0.3, 0.1, -0.2, 0.6],
    v: &[0.7, 0.5, 0.3, 0.0],
};

/// The same without inertia: methods that invert the mass matrix do not apply.
const WEIGHTLESS: Case = Case {
    attribute: "coordinates(x, y, theta, psi), \
        let(speed = 1 + sin(2*t)/2, rate = cos(3*t), u = x - cos(psi)*2/3, v = y - sin(psi)*2/3), \
        lagrangian = 0, \
        constraints(side: sin(theta)*dx - cos(theta)*dy, ahead: cos(theta)*dx + sin(theta)*dy - speed*dt, \
            turn: dtheta - rate*dt, trailer: sin(psi)*d(u) - cos(psi)*d(v))",
    methods: "Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Rdp, RdpMidpoint, RdpLeft, \
        RdpRight, Rk2Midpoint, Rk2Heun",
    ..CAR
};

/// A car on SE(2) with a trailer, without and with inertia.
const POSED: Case = Case {
    attribute: "coordinates(psi), group = SE2(th, x, y; w, u, v), lagrangian = 0, \
        constraints(u - 1 - sin(2*t)/2, v, w - cos(3*t), dot(psi)*2/3 - u*sin(th - psi))",
    methods: "Rdp, RdpLeft, RdpRight, Rkmk2",
    reference: "rkmk4",
    q: &[0.7, 0.4, 0.5, -0.2],
    v: &[0.2, 0.8, 0.1, 0.4],
};
const HEAVY: Case = Case {
    attribute: "coordinates(psi), group = SE2(th, x, y; w, u, v), \
        lagrangian = (u^2 + v^2 + w^2/2)/2 + dot(psi)^2*(1 + x^2)/4 + sin(th)*dot(psi)*u/5 - x*cos(psi), \
        constraints(u - 1 - sin(2*t)/2, v - w/5, w - cos(3*t), dot(psi)*2/3 - u*sin(th - psi))",
    methods: "Rdp, RdpLeft, RdpRight, Rattle, RattleRestarted, Rkmk2",
    ..POSED
};

const TIME: f64 = 0.48;

#[test]
fn methods_have_their_order_on_systems_that_depend_on_time() {
    let still = |_: f64| Vec::new();
    for Case { attribute, methods, reference, q, v } in
        [BELT, TURNED, COUPLED, SUPPORT, BODY, CAR, WEIGHTLESS, POSED, HEAVY]
    {
        let exact = if reference == "rk4" { "Rk4" } else { "Rkmk4" };
        let optimised = derive(&format!("{attribute}, methods({methods}, {exact})"));
        let v = call(&optimised.system.project, &[vec![], q.to_vec(), v.to_vec(), vec![0.0], vec![]]);
        let at = |method: &MethodFunctions, variant: Variant, steps: usize| {
            end(method, variant, (q, &v), TIME / steps as f64, steps, still, &[])
        };
        let exact = optimised.methods.iter().find(|method| method.id() == reference).expect("the reference");
        let reference = at(exact, exact.method.into(), 1024);
        for method in &optimised.methods {
            let facts = method.method.facts();
            let (order, steps) =
                (f64::from(facts.order), if facts.order < 4 { [192, 384] } else { [24, 48] });
            let [coarse, fine] = steps.map(|steps| at(method, method.method.into(), steps));
            let slopes = slopes(&coarse, &fine, &reference, 2.0);
            let allowed = if order < 2.0 { 0.15 } else { 0.1 };
            assert!(
                slopes.iter().all(|slope| (slope - order).abs() < allowed),
                "{attribute}, {}: {slopes:?}",
                method.id()
            );
        }
    }
}

#[test]
fn compositions_keep_their_order_on_systems_that_depend_on_time() {
    for (Case { attribute, q, v, .. }, base, exact) in [
        (BELT, "Dla2", "Rk4"),
        (SUPPORT, "DlaRattle", "Rk4"),
        (WEIGHTLESS, "Dla2", "Rk4"),
        (CAR, "DlaRattle", "Rk4"),
    ] {
        let optimised = derive(&format!("{attribute}, methods({base}, {exact})"));
        let v = call(&optimised.system.project, &[vec![], q.to_vec(), v.to_vec(), vec![0.0], vec![]]);
        let id = format!("{}_suzuki4", optimised.methods[0].id());
        let composed = Variant::with_id(&id).expect("a composition");
        let at = |method: usize, variant: Variant, steps: usize| {
            end(&optimised.methods[method], variant, (q, &v), TIME / steps as f64, steps, |_| Vec::new(), &[])
        };
        let reference = at(1, optimised.methods[1].method.into(), 2048);
        let slopes = slopes(&at(0, composed, 12), &at(0, composed, 24), &reference, 2.0);
        assert!(slopes.iter().all(|slope| (slope - 4.0).abs() < 0.3), "{id}: {slopes:?}");
    }
}

/// A skate that is pulled by a cart whose velocity is the input, on a sled that a force pushes.
const PULLED: &str = "coordinates(theta, x, y, s), inputs(u, f), \
    lagrangian = dot(theta)^2/4 + (dot(x)^2 + dot(y)^2)/2 + dot(s)^2*(1 + x^2)/2 + dot(s)*dot(x)/3, \
    constraints(blade: dtheta/5 + sin(theta)*dx - cos(theta)*dy, cart: dot(s) - (1 + y/3)*u), \
    force = f*dx";
const DRIVEN: &str = "coordinates(theta, x, y, s), \
    let(u = cos(3*t), f = sin(2*t)), \
    lagrangian = dot(theta)^2/4 + (dot(x)^2 + dot(y)^2)/2 + dot(s)^2*(1 + x^2)/2 + dot(s)*dot(x)/3, \
    constraints(blade: dtheta/5 + sin(theta)*dx - cos(theta)*dy, cart: dot(s) - (1 + y/3)*u), \
    force = f*dx";

/// Inputs that are samples of a signal: those of constraints at the end of a step, where the constraint holds, for
/// methods whose steps end on it; at the middle for methods whose discrete constraint is there.
#[test]
fn sampled_inputs_give_the_order_of_the_method() {
    let optimised = derive(&format!("{PULLED}, methods(Dla2, DlaRattle, Rattle)"));
    let exact = derive(&format!("{DRIVEN}, methods(Rk4)"));
    let (q, v) = ([0.3, 0.1, -0.2, 0.0], [0.7, 0.5, 0.3, 0.9]);
    let v = call(&exact.system.project, &[vec![], q.to_vec(), v.to_vec(), vec![0.0], vec![]]);
    let rk4 = &exact.methods[0];
    let reference = end(rk4, rk4.method.into(), (&q, &v), TIME / 1024.0, 1024, |_| Vec::new(), &[]);
    for method in &optimised.methods {
        let (of_constraint, expected) = match method.id() {
            // The velocity of the cart is that of the middle of the step.
            "dla_rattle" => (0.5, [2.0, 1.0]),
            _ => (1.0, [2.0, 2.0]),
        };
        let at = |steps: usize| {
            let h = TIME / steps as f64;
            let inputs = |t: f64| vec![(3.0 * (t + of_constraint * h)).cos(), (2.0 * (t + 0.5 * h)).sin()];
            end(method, method.method.into(), (&q, &v), h, steps, inputs, &[1.0, 0.0])
        };
        let slopes = slopes(&at(192), &at(384), &reference, 2.0);
        for (slope, expected) in slopes.iter().zip(expected) {
            assert!((slope - expected).abs() < 0.1, "{}: {slopes:?}", method.id());
        }
    }
}

/// The same of a car that inputs alone move.
const STEERED: &str = "coordinates(x, y, theta), inputs(u, f), \
    constraints(dx - u*cos(theta)*dt, dy - u*sin(theta)*dt, dtheta - (f + x/3)*dt)";
const TIMED: &str = "coordinates(x, y, theta), let(u = cos(3*t), f = sin(2*t)), lagrangian = 0, \
    constraints(dx - u*cos(theta)*dt, dy - u*sin(theta)*dt, dtheta - (f + x/3)*dt)";

#[test]
fn sampled_inputs_of_a_kinematic_system_give_the_order_of_the_method() {
    let massless = derive(&format!("{STEERED}, lagrangian = 0, methods(Dla2, DlaRattle, Rdp)"));
    let kinetic = "lagrangian = (dot(x)^2 + dot(y)^2)/2 + dot(theta)^2/4";
    let massive = derive(&format!("{STEERED}, {kinetic}, methods(Dla2, DlaRattle, Rdp, Rattle)"));
    let exact = derive(&format!("{TIMED}, methods(Rk4)"));
    let q = [0.1, -0.2, 0.3];
    let v = call(&exact.system.project, &[vec![], q.to_vec(), vec![0.0; 3], vec![0.0], vec![]]);
    let rk4 = &exact.methods[0];
    let reference = end(rk4, rk4.method.into(), (&q, &v), TIME / 1024.0, 1024, |_| Vec::new(), &[]);
    for method in massless.methods.iter().chain(&massive.methods) {
        let (sampled, expected) = match method.id() {
            "dla_rattle" | "rdp" => (0.5, [2.0, 1.0]),
            _ => (1.0, [2.0, 2.0]),
        };
        let at = |steps: usize| {
            let h = TIME / steps as f64;
            let inputs = |t: f64| vec![(3.0 * (t + sampled * h)).cos(), (2.0 * (t + sampled * h)).sin()];
            end(method, method.method.into(), (&q, &v), h, steps, inputs, &[1.0, 0.0])
        };
        let slopes = slopes(&at(192), &at(384), &reference, 2.0);
        for (slope, expected) in slopes.iter().zip(expected) {
            assert!((slope - expected).abs() < 0.1, "{}: {slopes:?}", method.id());
        }
    }
}

#[test]
fn constraints_hold_with_the_inputs_of_the_step_that_ends() {
    let optimised = derive(&format!("{PULLED}, methods(Dla2, DlaRattle, Rdp, Rattle)"));
    let (q, v) = (vec![0.3, 0.1, -0.2, 0.0], vec![0.7, 0.5, 0.3, 0.9]);
    let v = call(&optimised.system.project, &[vec![], q.clone(), v, vec![0.0], vec![1.0, 0.0]]);
    for method in &optimised.methods {
        for steps in 1..40 {
            // A signal without any smoothness.
            let input = |k: f64| vec![(k * 12.9898).sin() * 0.9, (k * 78.233).cos()];
            let h = 0.01;
            let start: (&[f64], &[f64]) = (&q, &v);
            let inputs = |t: f64| input((t / h).round());
            let [q, v] = end(method, method.method.into(), start, h, steps, inputs, &[1.0, 0.0]);
            let last = input((steps - 1) as f64);
            let residual = call(&optimised.system.residual, &[vec![], q, v, vec![0.0], last]);
            assert!(distance(&residual, &[0.0, 0.0]) < 1e-13, "{}, {steps}: {residual:?}", method.id());
        }
    }
}

#[test]
fn methods_that_differentiate_constraints_are_refused_where_inputs_drive_them() {
    let mechanics = derived(&format!("{PULLED}, methods(Dla2)")).mechanics;
    for method in [Method::Rk4, Method::Rk2Midpoint, Method::RattleRestarted] {
        let reason = refusal(method, &mechanics).expect("a reason");
        let expected = "a constraint depends on the input `u`, whose rate it does not know; use `Dla2`";
        assert_eq!(reason, expected);
    }
    for method in [Method::Dla1, Method::Dla2, Method::DlaRattle, Method::Rdp, Method::Rattle] {
        assert_eq!(refusal(method, &mechanics), None);
    }
    // Inputs of forces alone, and the time, are no obstacle.
    let mechanics = derived(&format!("{DRIVEN}, methods(Dla2)")).mechanics;
    assert_eq!(refusal(Method::Rk4, &mechanics), None);
}
