//! A step across a pole of the potential is refused, and no step that resolves a motion without forces and drives.

use crate::starts::compiled;
use nhi_jit::{Compiled, Error, Simulation};
use nhi_methods::Method;
use nhi_runtime::Failure;

/// m, j, k and r.
const PARAMETERS: [f64; 4] = [1.0, 1.0, 1.0, 1.0];

fn start(compiled: &Compiled, [q, v]: [&[f64]; 2], h: f64) -> Simulation {
    let variant = compiled.variants().next().expect("one method");
    let start = Simulation::project(compiled, variant, &PARAMETERS, q, v, &[], h);
    start.unwrap_or_else(|error| panic!("{variant}: {error}"))
}

/// A mass that falls onto an attracting centre, alone, beside another one, and with a constraint.
const FALLING: [(&str, &[f64], &[f64]); 3] = [
    ("coordinates(x), lagrangian = m/2*dot(x)^2 + k/x, constraints()", &[1.0], &[0.0]),
    (
        "coordinates(x, y), lagrangian = m/2*(dot(x)^2 + dot(y)^2) + k/x - y^2/2, constraints()",
        &[1.0, 0.5],
        &[0.0, 0.1],
    ),
    (
        "coordinates(x, y, z), lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2) + k/x, constraints(dy - cos(z)*dx)",
        &[1.0, 0.0, 0.2],
        &[0.0, 0.0, 0.1],
    ),
];

#[test]
fn a_step_across_a_pole_is_refused() {
    for (text, q, v) in FALLING {
        for method in [Method::Dla2, Method::Dla1Adjoint] {
            let compiled = compiled(text, method).expect("a system");
            for h in [0.02, 0.01, 0.005, 0.002, 0.001] {
                let begin = start(&compiled, [q, v], h);
                let refused = |error: Error| match error {
                    Error::Step { cause: Failure::EnergyJump { .. }, .. } => {}
                    other => panic!("{method:?}, h = {h}: {other}: {text}"),
                };
                let mut at_once = begin.clone();
                refused(at_once.advance(4000).expect_err("it falls onto the centre"));
                let mut one_by_one = begin;
                let error = (0..4000).find_map(|_| one_by_one.step().err());
                refused(error.expect("it falls onto the centre"));
                for simulation in [&at_once, &one_by_one] {
                    assert!(
                        simulation.q()[0] > 0.0,
                        "{method:?}, h = {h}, x = {}: {text}",
                        simulation.q()[0]
                    );
                }
                assert_eq!(at_once.steps(), one_by_one.steps(), "{method:?}, h = {h}: {text}");
            }
        }
    }
}

/// Motions with half a radian of their fastest oscillation in a step, from rest, from anywhere, and over the tops of barriers.
#[test]
fn steps_that_resolve_a_conservative_motion_are_taken() {
    const MOTIONS: [&str; 5] = [
        "coordinates(x, y), lagrangian = m/2*(dot(x)^2 + dot(y)^2) - k/2*x^2 - (x - y)^2/8, constraints()",
        "coordinates(x, y), lagrangian = m/2*(dot(x)^2 + dot(y)^2) + k*cos(x) - x^2*y^2/4, constraints()",
        "coordinates(x, y), lagrangian = m/2*(dot(x)^2 + dot(y)^2) - x^4/4 + x^2/2 - y^2/4, constraints()",
        "coordinates(x, y), lagrangian = m/2*(1 + x^2/4)*(dot(x)^2 + dot(y)^2) - x^4/4 - cos(y), constraints()",
        "coordinates(x, y, z), lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2) - x^2/2 - y^2/4 - cos(z), constraints(dz - x*dy)",
    ];
    let mut seed = 28_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as f64 / f64::from(1_u32 << 30) - 1.0
    };
    for text in MOTIONS {
        for &method in Method::ALL {
            let Some(compiled) = compiled(text, method) else { continue };
            let n = compiled.coordinates().len();
            for case in 0..30 {
                let size = [0.0, 1e-6, 1e-2, 1.0][case % 4];
                let q: Vec<f64> = (0..n).map(|_| random()).collect();
                let v: Vec<f64> = (0..n).map(|_| size * random()).collect();
                // Explicit methods gain energy, those of order 1 have large errors.
                let is_coarse = method.facts().order == 1 || method.facts().id.starts_with("rk");
                let h = if is_coarse { 0.1 } else { 0.4 };
                let mut simulation = start(&compiled, [&q, &v], h);
                for _ in 0..100 {
                    match simulation.step() {
                        Ok(()) => {}
                        Err(error @ Error::Step { cause: Failure::EnergyJump { .. }, .. }) => {
                            panic!("{method:?}, {q:?}, {v:?}: {error}: {text}");
                        }
                        // Newton's method and reflections have limits of their own.
                        Err(_) => break,
                    }
                }
            }
        }
    }
}
