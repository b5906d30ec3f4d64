//! A step across a pole of the potential is refused, and no step that resolves the motion, of systems without forces and drives.

use crate::starts::compiled;
use crate::starts::random::Random;
use nhi_jit::{Compiled, Error, Point, Simulation};
use nhi_methods::Method;
use nhi_runtime::{Failure, Limits};
use nhi_tiers::amount;

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

/// Motions in and over the tops of barriers, past and onto centres, of stiff springs, on turning constraints, and with masses that
/// depend on the configuration.
const MOTIONS: [&str; 10] = [
    "coordinates(x, y), lagrangian = m/2*(dot(x)^2 + dot(y)^2) - k*x^4/4 + r*x^2/2 - (x - y)^2/8, constraints()",
    "coordinates(x, y), lagrangian = m/2*(dot(x)^2 + dot(y)^2 + j*cos(x - y)*dot(x)*dot(y)) + k*cos(x) + r*cos(y), constraints()",
    "coordinates(x, y), lagrangian = m/2*(dot(x)^2 + dot(y)^2) + k/sqrt(x^2 + y^2 + j^2/100), constraints()",
    "coordinates(r1, phi), lagrangian = m/2*(dot(r1)^2 + r1^2*dot(phi)^2) + k/r1, constraints()",
    "coordinates(x, y), lagrangian = m/2*(dot(x)^2 + dot(y)^2) - k/x - r*x - y^2/2, constraints()",
    "coordinates(x, y), lagrangian = m/2*(dot(x)^2 + dot(y)^2) - 1000*k*(x - y)^2 - r*x^2/2, constraints()",
    "coordinates(x, y), lagrangian = m/2*(1 + x^2)*dot(x)^2 + j/2*dot(y)^2 - k*x^4/4 - r*cos(y), constraints()",
    "coordinates(x, y, z), lagrangian = m/2*(dot(x)^2 + dot(y)^2) + j/2*dot(z)^2 - k*x^2/2 + r*cos(z), constraints(dy - sin(z)*dx)",
    "coordinates(phi, x, z), lagrangian = (dot(phi)^2 + dot(x)^2 + dot(z)^2)/2 - k*(x^2 + z^2)/2 + m*cos(phi) - j*sin(2*phi), \
     constraints(dx + (r*sin(phi) + j*cos(2*phi))*dz)",
    "coordinates(x, y), lagrangian = m/2*(dot(x)^2 + dot(y)^2) + k*x, holonomic(x^2 + y^2 - 1)",
];

/// The kinetic energy of a velocity.
fn kinetic(compiled: &Compiled, parameters: &[f64], [q, v]: [&[f64]; 2]) -> f64 {
    let rest = vec![0.0; v.len()];
    let [moving, still] =
        [v, &rest].map(|v| compiled.energy(&Point { parameters, q, v, z: &[], t: 0.0, inputs: &[] }));
    moving - still
}

/// Whether a step of size `h` between two nodes ends within a tenth of its velocity v from the motion, and within a tenth of h v from
/// its configuration, in the kinetic metric: steps of a thousandth that begin at the node end there.
fn is_resolved(fine: &Compiled, parameters: &[f64], [from, to]: [&(Vec<f64>, Vec<f64>); 2], h: f64) -> bool {
    let [q, v] = [&from.0, &from.1];
    let Ok(mut motion) = Simulation::project(fine, Method::Rk4.into(), parameters, q, v, &[], h / 1000.0)
    else {
        return false;
    };
    motion.set_limits(Limits::NONE);
    let begun = motion.energy();
    let (mut largest, mut error) = (0.0_f64, 0.0_f64);
    for _ in 0..1000 {
        if motion.step().is_err() {
            return false;
        }
        largest = largest.max(kinetic(fine, parameters, [motion.q(), &motion.v()]));
        error = error.max((motion.energy() - begun).abs());
    }
    let end = motion.v();
    let moving = kinetic(fine, parameters, [motion.q(), &end]);
    // These steps have crossed a pole, too, or they are too near to one.
    if error > 0.01 * moving || largest > 100.0 * moving {
        return false;
    }
    let velocity: Vec<f64> = to.1.iter().zip(&end).map(|(a, b)| a - b).collect();
    let place: Vec<f64> = to.0.iter().zip(motion.q()).map(|(a, b)| (a - b) / h).collect();
    [velocity, place].iter().all(|error| kinetic(fine, parameters, [&to.0, error]) <= 0.01 * moving)
}

/// Steps of sizes from 0.003 to 1, from rest and from anywhere, by all methods: a step that is refused for its energy is far from the
/// motion.
#[test]
fn a_step_that_is_refused_is_far_from_the_motion() {
    let mut random = Random(28);
    let mut counts = [0; 3];
    for text in MOTIONS {
        let Some(fine) = compiled(text, Method::Rk4) else { panic!("{text}") };
        let n = fine.coordinates().len();
        for &method in Method::ALL {
            let Some(compiled) = compiled(text, method) else { continue };
            let variant = compiled.variants().next().expect("one method");
            for case in 0..amount(12, 600) {
                let size = [0.0, 1e-6, 1e-2, 1.0][case % 4];
                let q: Vec<f64> = (0..n).map(|_| random.number()).collect();
                let v: Vec<f64> = (0..n).map(|_| size * random.number()).collect();
                let parameters = [0; 4].map(|_| 1.0 + 0.7 * random.number());
                let h = 10.0_f64.powf(-1.25 + 1.25 * random.number());
                let Ok(mut simulation) = Simulation::project(&compiled, variant, &parameters, &q, &v, &[], h)
                else {
                    continue;
                };
                for _ in 0..60 {
                    let node = (simulation.q().to_vec(), simulation.v());
                    let before = simulation.clone();
                    match simulation.step() {
                        Ok(()) => counts[0] += 1,
                        Err(Error::Step { cause: Failure::EnergyJump { .. }, .. }) => {
                            let mut anyway = before;
                            anyway.set_limits(Limits::NONE);
                            if anyway.step().is_ok() {
                                counts[1] += 1;
                                let next = (anyway.q().to_vec(), anyway.v());
                                if is_resolved(&fine, &parameters, [&node, &next], h) {
                                    counts[2] += 1;
                                    println!(
                                        "{method:?}, h = {h}, {parameters:?}, {node:?} -> {next:?}: {text}"
                                    );
                                }
                            }
                            break;
                        }
                        // Newton's method and reflections have limits of their own.
                        Err(_) => break,
                    }
                }
            }
        }
    }
    let [taken, refused, resolved] = counts;
    println!("{taken} steps taken, {refused} refused, {resolved} of them resolved");
    assert!(taken > 80_000 && refused > 100, "{taken} taken, {refused} refused");
    assert_eq!(resolved, 0);
}
