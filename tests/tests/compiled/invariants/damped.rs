//! The first-order methods under forces that depend on velocities.

use super::distance;
use super::tolerance::ROUNDING;
use nhi_runtime::prelude::*;
use nhi_runtime::{Method, State, System};

/// A skate on a spring, with a drag that is cubic in the velocity and a torque that depends on time.
#[derive(Nonholonomic, Clone)]
#[nonholonomic(
    coordinates(x, y, phi),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + j/2*dot(phi)^2 - k/2*(x^2 + y^2),
    constraints(sin(phi)*dx - cos(phi)*dy = 0),
    force = -c*(1 + dot(x)^2 + dot(y)^2)*(dot(x)*dx + dot(y)*dy) + (sin(2*t) - c*dot(phi))*dphi,
    methods(Dla1, Dla1Adjoint, Rk4),
)]
struct Skate {
    m: f64,
    j: f64,
    k: f64,
    c: f64,
}

/// The same drag on a sleigh whose mass matrix varies.
#[derive(Nonholonomic, Clone)]
#[nonholonomic(
    coordinates(x, y, theta),
    lagrangian = j/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2)
        + m*a*dot(theta)*(dot(y)*cos(theta) - dot(x)*sin(theta)),
    constraints(sin(theta)*dx - cos(theta)*dy = 0),
    force = -c*(1 + dot(x)^2 + dot(y)^2)*(dot(x)*dx + dot(y)*dy) + (sin(2*t) - c*dot(theta))*dtheta,
    methods(Dla1, Dla1Adjoint, Rk4),
)]
struct Sleigh {
    m: f64,
    j: f64,
    a: f64,
    c: f64,
}

const SKATE: Skate = Skate { m: 1.3, j: 0.4, k: 0.8, c: 0.6 };
const SLEIGH: Sleigh = Sleigh { m: 1.3, j: 0.5, a: 0.2, c: 0.6 };

type V = [f64; 3];

/// A configuration and a velocity of both, at time `T`.
const Q: V = [0.3, -0.4, 0.0];
const VELOCITY: V = [0.9, 0.0, 1.1];
const T: f64 = 0.35;

impl Skate {
    /// −∂V/∂q + f.
    fn push(&self, q: V, v: V, t: f64) -> V {
        let drag = self.c * (1.0 + v[0] * v[0] + v[1] * v[1]);
        [-self.k * q[0] - drag * v[0], -self.k * q[1] - drag * v[1], (2.0 * t).sin() - self.c * v[2]]
    }

    /// M (v' − v) − h `push` − h μ(q)ᵀλ.
    fn defect(&self, (v, v1): (V, V), push: V, q: V, h: f64, lambda: f64) -> f64 {
        let mu = [q[2].sin(), -q[2].cos(), 0.0];
        let mass = [self.m, self.m, self.j];
        (0..3)
            .map(|i| mass[i] * (v1[i] - v[i]) - h * (push[i] + mu[i] * lambda))
            .fold(0.0, |m, x| x.abs().max(m))
    }
}

/// A system with three coordinates and one constraint.
trait Small:
    System<
        Configuration<f64> = V,
        Velocity<f64> = V,
        Multipliers<f64> = [f64; 1],
        Inputs<f64> = [f64; 0],
        States<f64> = [f64; 0],
    >
{
}
impl<S> Small for S where
    S: System<
            Configuration<f64> = V,
            Velocity<f64> = V,
            Multipliers<f64> = [f64; 1],
            Inputs<f64> = [f64; 0],
            States<f64> = [f64; 0],
        >
{
}

/// One step of `method` from (`q`, `v`) at time `t`: q', v' and the multiplier.
fn step<S: Small>(system: &S, method: impl Method<S>, (q, v): (V, V), t: f64, h: f64) -> (V, V, f64) {
    let parameters = system.parameters();
    let prepared = method.prepare(&parameters, h).unwrap();
    let start = method.start(&parameters, h, &q, &v, &[], t, &[]).unwrap();
    let state = method.step(&prepared, &start, t, &[]).unwrap();
    (state.q(), state.v(), state.lambda()[0])
}

/// `dla1`: q' = q + hv, M(v' − v) = h(f(q', v, t + h) − V_q(q') + μ(q')ᵀλ): explicit. `dla1_adjoint`:
/// q' = q + hv', M(v' − v) = h(f(q, v', t) − V_q(q) + μ(q)ᵀλ). Both end on the constraint.
#[test]
fn forces_use_the_velocity_across_the_node() {
    let h = 0.1;
    let v = VELOCITY;
    let (q1, v1, lambda) = step(&SKATE, Dla1, (Q, v), T, h);
    assert!(distance(&q1, &[0, 1, 2].map(|i| Q[i] + h * v[i])) < ROUNDING);
    assert!(SKATE.defect((v, v1), SKATE.push(q1, v, T + h), q1, h, lambda) < ROUNDING);
    assert!((q1[2].sin() * v1[0] - q1[2].cos() * v1[1]).abs() < ROUNDING);

    let (q1, v1, lambda) = step(&SKATE, Dla1Adjoint, (Q, v), T, h);
    assert!(distance(&q1, &[0, 1, 2].map(|i| Q[i] + h * v1[i])) < ROUNDING);
    assert!(SKATE.defect((v, v1), SKATE.push(Q, v1, T), Q, h, lambda) < ROUNDING);
    assert!((q1[2].sin() * v1[0] - q1[2].cos() * v1[1]).abs() < ROUNDING);
}

fn adjoint_and_of_order_1<S>(system: &S)
where
    S: Small + Clone,
    Dla1: Method<S>,
    Dla1Adjoint: Method<S>,
    Rk4: Method<S>,
{
    let h = 0.1;
    let back = |(q, v, _): (V, V, f64)| distance(&q, &Q).max(distance(&v, &VELOCITY));
    let (q, v, _) = step(system, Dla1, (Q, VELOCITY), T, h);
    let error = back(step(system, Dla1Adjoint, (q, v), T + h, -h));
    assert!(error < ROUNDING, "{}: {error:e}", S::NAME);
    let (q, v, _) = step(system, Dla1Adjoint, (Q, VELOCITY), T, h);
    let error = back(step(system, Dla1, (q, v), T + h, -h));
    assert!(error < ROUNDING, "{}: {error:e}", S::NAME);

    let exact = end(system, Rk4, 4000);
    let order = |errors: [f64; 2]| (errors[0] / errors[1]).log2();
    let dla1 = order([800, 1600].map(|steps| distance(&end(system, Dla1, steps), &exact)));
    let adjoint = order([800, 1600].map(|steps| distance(&end(system, Dla1Adjoint, steps), &exact)));
    assert!((dla1 - 1.0).abs() < 0.05 && (adjoint - 1.0).abs() < 0.05, "{}: {dla1}, {adjoint}", S::NAME);
}

/// (q, v) at t = 2.
fn end<S: Small + Clone, M: Method<S>>(system: &S, method: M, steps: u32) -> [f64; 6] {
    let h = 2.0 / f64::from(steps);
    let mut simulation = Simulation::new(system.clone(), method, Q, VELOCITY, h).unwrap();
    for _ in 0..steps {
        simulation.step().unwrap();
    }
    let ([x, y, z], [vx, vy, vz]) = (simulation.q(), simulation.v());
    [x, y, z, vx, vy, vz]
}

/// As without damping, whether the mass matrix is constant or not.
#[test]
fn first_order_methods_stay_adjoint_and_of_order_1() {
    adjoint_and_of_order_1(&SKATE);
    adjoint_and_of_order_1(&SLEIGH);
}
