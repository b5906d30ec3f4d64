//! The same system in words of the space and in words of the body: the same steps, at the same cost.

use crate::support::{derived, distance};
use nhi_codegen::method::StateKind;
use nhi_codegen::optimised::Optimised;
use nhi_interpreter::Simulation;
use nhi_methods::Variant;

const STEPS: usize = 40;

/// A disk that rolls on its edge; `rho` leads from its centre to the contact. Its slip, and the kinetic energy of its centre,
/// in words of the body, or of the space.
fn disk(velocity: &str, slip: &str) -> Optimised {
    let attribute = format!(
        "group = SE3(R, p; w1, w2, w3, v1, v2, v3),
         let(s = sqrt(R[2][0]^2 + R[2][1]^2), rho = [-0.4*R[2][0]/s, -0.4*R[2][1]/s, 0],
             w = [w1, w2, w3], v = [v1, v2, v3], velocity = {velocity}),
         lagrangian = dot(velocity, velocity)/2 + (w1^2 + w2^2 + 2*w3^2)/25 - 9.81*p[2],
         constraints(slip: {slip}),
         methods(all)"
    );
    derived(&attribute).optimised().expect("finite constants")
}

/// The disk at an angle, with the velocity that its spin has when it rolls.
fn start() -> [Vec<f64>; 2] {
    let ((sin, cos), r) = (0.8_f64.sin_cos(), 0.4);
    let rotation = [1.0, 0.0, 0.0, 0.0, cos, -sin, 0.0, sin, cos];
    let ([w1, w2, w3], down) = ([0.3, -0.2, 2.0], [rotation[6], rotation[7]]);
    let s = (down[0] * down[0] + down[1] * down[1]).sqrt();
    let rho = [-r * down[0] / s, -r * down[1] / s];
    let v = [w3 * rho[1], -w3 * rho[0], w2 * rho[0] - w1 * rho[1]];
    let q = rotation.into_iter().chain([0.0, 0.0, r * s]).collect();
    [q, vec![w1, w2, w3, v[0], v[1], v[2]]]
}

#[test]
fn space_and_body() {
    let body = disk("v", "v + cross(w, rho)");
    let others = [disk("v", "R*(v + cross(w, rho))"), disk("R*v", "velocity + cross(R*w, R*rho)")];
    let [q, v] = start();
    for in_body in &body.methods {
        let variant = Variant::with_id(in_body.method.facts().id).expect("a variant");
        let run = |optimised: &Optimised| {
            let method = optimised.methods.iter().find(|other| other.method == in_body.method);
            let method = method.expect("the same methods");
            let mut simulation =
                Simulation::start(method, variant, &[], [&q, &v, &[], &[]], 0.01).expect("a start");
            for _ in 0..STEPS {
                simulation.step(&[]).expect("a step");
            }
            (simulation.numbers(), simulation.executed())
        };
        let (expected, cost) = run(&body);
        let lambda = match in_body.state {
            StateKind::Node => q.len() + v.len(),
            StateKind::Jump => q.len() + 2 * v.len(),
        };
        for (words, other) in others.iter().enumerate() {
            let (numbers, executed) = run(other);
            let difference = distance(&numbers[..lambda], &expected[..lambda]);
            assert!(difference < 1e-12, "{variant}, {words}: {difference:e}");
            // The multipliers are the components of one vector in two frames; those of Runge–Kutta methods are means of such
            // components over stages.
            let [a, b] = [&numbers, &expected]
                .map(|numbers| numbers[lambda..lambda + 3].iter().map(|x| x * x).sum::<f64>().sqrt());
            let mean = in_body.method.facts().id.starts_with("rk");
            assert!(mean || (a - b).abs() < 1e-9 * b, "{variant}, {words}: {a} against {b}");
            assert!(executed as f64 <= 1.1 * cost as f64, "{variant}, {words}: {executed} against {cost}");
        }
    }
}
