//! Motors that start, stop and reverse: no step of a resolved motion is refused because of its energy.
//!
//! Samples 24 of 400 systems.

use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::method::refusal;
use nhi_codegen::pipeline::Derived;
use nhi_codegen::source::structs;
use nhi_jit::{Compiled, Error, Point, Simulation};
use nhi_methods::{Method, Variant};
use nhi_runtime::{Failure, Limits};
use nhi_tiers::amount;

/// Numbers by splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In [0, 1).
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[(self.next() % all.len() as u64) as usize]
    }

    fn is(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }
}

fn derived(attribute: &str) -> Derived {
    let text = format!(
        "#[derive(Nonholonomic)] #[nonholonomic({attribute})] struct Driven {{ m: f64, j: f64, k: f64, c: f64, r: f64 }}"
    );
    let declaration = Declaration::parse(&structs(&text).expect("Rust")[0]).expect("no mistakes");
    Derived::new(declaration, &mut BuiltIn).expect("derivable")
}

/// Compiled with these variants.
fn compiled(derived: &Derived, variants: &[Variant]) -> Compiled {
    let optimised = derived.optimised().expect("finite constants");
    Compiled::new(&optimised, variants).expect("Cranelift runs here")
}

/// A body (x, y, θ) and an angle φ that an input drives: terms of the Lagrangian, one-forms and forces.
fn system(random: &mut Random) -> String {
    let mut lagrangian = "m/2*(dot(x)^2 + dot(y)^2) + j/2*dot(theta)^2".to_owned();
    let mut constraints = vec!["drive: dphi - u*dt"];
    let mut force = vec!["0*dx"];
    // The angle has inertia of its own, or none at all.
    if random.is(0.7) {
        lagrangian += random.one_of(&[
            " + j/2*dot(phi)^2",
            " + j/2*(dot(theta) + dot(phi))^2",
            " + m/9*dot(phi + x)^2",
        ]);
    }
    for term in [" - k/2*(x - phi)^2", " - m*9.81*y", " - k*cos(theta - phi)", " - k/2*(x^2 + y^2)"] {
        if random.is(0.3) {
            lagrangian += term;
        }
    }
    if random.is(0.7) {
        constraints.push(random.one_of(&[
            "blade: sin(theta)*dx - cos(theta)*dy",
            "blade: sin(theta + phi)*dx - cos(theta + phi)*dy - r*dtheta",
            "rolling: cos(theta)*dx + sin(theta)*dy - r*dphi",
            "turned: dtheta - dphi*r",
            "belt: dx - r*dtheta - u*dt",
        ]));
    }
    for term in [
        "-c*dot(x)*dx",
        "c*(dot(phi) - dot(x))*dx",
        "c*dot(phi)^2*dy",
        "-c*dot(theta)*dtheta",
        "w*dx",
        "w*dtheta",
    ] {
        if random.is(0.3) {
            force.push(term);
        }
    }
    format!(
        "coordinates(x, y, theta, phi), inputs(u, w), lagrangian = {lagrangian}, constraints({}), force = {}",
        constraints.join(", "),
        force.join(" + ").replace("+ -", "- ")
    )
}

/// Whether the step from `before` to `after` is about the motion: a fine integration of it by another method gives nearly the
/// same.
fn is_resolved(compiled: &Compiled, before: &Simulation, after: &Simulation) -> bool {
    const PARTS: u64 = 256;
    let (t, h) = (before.time(), before.h());
    let v = before.v();
    let at =
        Point { parameters: before.parameters(), q: before.q(), v: &v, z: &[], t, inputs: after.inputs() };
    let reference = Method::DlaRattle.into();
    let Ok(mut fine) = Simulation::project_point(compiled, reference, &at, h / PARTS as f64) else {
        return false;
    };
    fine.set_limits(Limits::NONE);
    if fine.advance(PARTS).is_err() {
        return false;
    }
    let end = Point { q: fine.q(), t: fine.time(), ..at };
    let kinetic = |v: &[f64]| self::kinetic(compiled, &Point { v, ..end });
    let distance: Vec<f64> = after.v().iter().zip(fine.v()).map(|(a, b)| a - b).collect();
    kinetic(&distance) <= 0.01 * kinetic(&fine.v()).max(kinetic(&v)) + 1e-18
}

#[derive(Default, Debug)]
struct Tally {
    steps: usize,
    refused: usize,
    failed: usize,
    /// Steps that lost or gained a factor of ten.
    jumps: usize,
}

fn run(seed: u64, tally: &mut Tally) {
    let random = &mut Random(seed);
    let text = system(random);
    let derived = derived(&format!("{text}, methods(DlaRattle)"));
    let methods: Vec<Method> =
        Method::ALL.iter().copied().filter(|&method| refusal(method, &derived.mechanics).is_none()).collect();
    let method = methods[seed as usize % methods.len()];
    let variant: Variant = method.into();
    let mut variants = vec![variant, Method::DlaRattle.into()];
    variants.dedup();
    let names: Vec<&str> = variants.iter().map(|variant| variant.method.facts().marker).collect();
    let compiled = compiled(&self::derived(&format!("{text}, methods({})", names.join(", "))), &variants);
    for _ in 0..10 {
        let parameters: Vec<f64> = (0..5).map(|_| 0.3 + 2.0 * random.unit()).collect();
        let q: Vec<f64> = (0..4).map(|_| 2.0 * random.unit() - 1.0).collect();
        let fast = random.one_of(&[0.0, 0.0, 1.0]);
        let v: Vec<f64> = (0..4).map(|_| fast * (2.0 * random.unit() - 1.0)).collect();
        let mut inputs = vec![random.one_of(&[0.0, 1.0]), 0.0];
        let h = random.one_of(&[0.001, 0.01, 0.05]);
        let start = Simulation::project(&compiled, variant, &parameters, &q, &v, &inputs, h);
        let Ok(mut simulation) = start else { continue };
        let mut rate = 0.0;
        for k in 0..60 {
            inputs[0] += rate * h;
            if random.is(0.2) {
                inputs = vec![random.one_of(&[0.0, 1.0, -1.0, 0.1, 20.0]), random.one_of(&[0.0, 1.0, -30.0])];
                rate = random.one_of(&[0.0, 0.0, -2.0, 10.0]);
            }
            let before = simulation.clone();
            let energy = kinetic_energy(&before);
            match simulation.step_with(&inputs) {
                Ok(()) => {
                    tally.steps += 1;
                    let after = kinetic_energy(&simulation);
                    tally.jumps += usize::from(after > 10.0 * energy || energy > 10.0 * after);
                }
                Err(Error::Step { cause, .. }) => {
                    let is_refused =
                        matches!(cause, Failure::EnergyJump { .. } | Failure::NearlySingular { .. });
                    let mut untested = before.clone();
                    untested.set_limits(Limits::NONE);
                    if is_refused && untested.step_with(&inputs).is_ok() {
                        tally.refused += 1;
                        assert!(
                            !is_resolved(&compiled, &before, &untested),
                            "seed {seed}: {text}, {parameters:?}, {variant}, h = {h}, step {k} with {inputs:?}: {cause}\n{:?}\n{:?}",
                            before.numbers(),
                            untested.numbers()
                        );
                    } else {
                        tally.failed += 1;
                    }
                    break;
                }
                Err(other) => panic!("{other}"),
            }
        }
    }
}

/// ½ vᵀMv
fn kinetic(compiled: &Compiled, at: &Point<'_>) -> f64 {
    0.5 * compiled.momentum(at).iter().zip(at.v).map(|(p, v)| p * v).sum::<f64>()
}

fn kinetic_energy(simulation: &Simulation) -> f64 {
    let (parameters, inputs, t) = (simulation.parameters(), simulation.inputs(), simulation.time());
    kinetic(
        simulation.compiled(),
        &Point { parameters, q: simulation.q(), v: &simulation.v(), z: &[], t, inputs },
    )
}

#[test]
fn no_step_of_a_resolved_motion_is_refused() {
    let mut tally = Tally::default();
    for seed in 0..amount(24, 400) {
        run(seed, &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.steps > 24 * 200 && tally.jumps > 100, "{tally:?}");
}

/// A system, its parameters, a start and inputs.
const MOTORS: [&str; 3] = [
    // Nothing but the driven angle moves.
    "coordinates(x, phi), inputs(u), lagrangian = m/2*(dot(x)^2 + dot(phi)^2), constraints(dot(phi) - u = 0)",
    // A cart on driven wheels.
    "coordinates(x, y, phi), inputs(u), lagrangian = m/2*(dot(x)^2 + dot(y)^2) + j/2*dot(phi)^2,
     constraints(dx - r*dphi, dphi - u*dt)",
    // A robot with two driven wheels.
    "coordinates(x, y, theta, left, right), inputs(u, w),
     lagrangian = m/2*(dot(x)^2 + dot(y)^2) + j/2*(dot(theta)^2 + dot(left)^2 + dot(right)^2),
     constraints(cos(theta)*dx + sin(theta)*dy - r/2*(dleft + dright), -sin(theta)*dx + cos(theta)*dy,
                 dtheta - r/k*(dright - dleft), dleft - u*dt),
     force = w*dright",
];

#[test]
fn motors_start_stop_and_reverse() {
    for text in MOTORS {
        let derived = derived(text);
        let methods: Vec<Method> = (Method::ALL.iter().copied())
            .filter(|&method| refusal(method, &derived.mechanics).is_none())
            .collect();
        let names: Vec<&str> = methods.iter().map(|method| method.facts().marker).collect();
        let variants: Vec<Variant> = methods.iter().map(|&method| method.into()).collect();
        let compiled = compiled(&self::derived(&format!("{text}, methods({})", names.join(", "))), &variants);
        let (n, inputs) = (compiled.coordinates().len(), compiled.inputs().len());
        for variant in variants {
            let at_start = vec![1.0; inputs];
            let start = Simulation::project(
                &compiled,
                variant,
                &[1.3; 5],
                &vec![0.0; n],
                &vec![0.0; n],
                &at_start,
                0.01,
            );
            let mut simulation = start.expect("an admissible start");
            for u in [1.0, 1.0, 0.0, 0.0, 1.0, -1.0, -10.0, 1e-3, 0.5, 0.2, 0.0, 0.0] {
                let stepped = simulation.step_with(&vec![u; inputs]);
                stepped.unwrap_or_else(|error| panic!("{text}, {variant}, u = {u}: {error}"));
            }
        }
    }
}
