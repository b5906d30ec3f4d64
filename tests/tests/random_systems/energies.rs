//! No step ends with kinetic energy that nothing explains, and no other step is refused.

use crate::KINDS;
use crate::recipe::Random;
use crate::system::{INPUTS, RandomSystem};
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::mechanics::Mechanics;
use nhi_codegen::method::{Method, method_programs, system_programs};
use nhi_codegen::optimised::Optimised;
use nhi_jit::{Compiled, Error, Simulation};
use nhi_methods::Variant;
use nhi_runtime::{Failure, Limits};
use nhi_tests::oracle::{self, Equations};

const STARTS: usize = 170;
const STEPS: usize = 30;

/// How the steps of many starts ended.
#[derive(Default, Debug)]
struct Tally {
    starts: usize,
    taken: usize,
    /// Steps that were refused as near a singularity although their results are finite.
    near: usize,
    /// The others of these.
    jumps: usize,
    /// Steps whose equations could not be solved, and among them those near a singularity.
    failed: [usize; 2],
}

/// T = ½ vᵀMv.
fn kinetic(system: &RandomSystem, q: &[f64], v: &[f64]) -> f64 {
    let [p, at_rest] = [v, &vec![0.0; v.len()]].map(|v| oracle::momentum(system, q, v));
    0.5 * v.iter().zip(p.iter().zip(&at_rest)).map(|(v, (p, at_rest))| v * (p - at_rest)).sum::<f64>()
}

/// The largest kinetic energy after a step of size `h` from the state (q₀, v₀) to q₁ that K explains.
fn explained(
    system: &RandomSystem,
    k: f64,
    [(q0, v0), (q1, _)]: [&(Vec<f64>, Vec<f64>); 2],
    (t, h): (f64, f64),
    inputs: &[f64],
) -> f64 {
    let rest = vec![0.0; q0.len()];
    let [before, after] = [q0, q1].map(|q| oracle::energy(system, q, &rest));
    let driven = kinetic(system, q1, &oracle::project(system, q1, &rest));
    let pushed =
        [t, t + h].map(|t| kinetic(system, q0, &oracle::motion(system, q0, &rest, t, inputs).acceleration));
    let owned = kinetic(system, q0, v0) + (before - after).max(0.0) + driven;
    k * owned + 2.0 * h * h * pushed[0].max(pushed[1])
}

fn state(simulation: &Simulation) -> (Vec<f64>, Vec<f64>) {
    (simulation.q().to_vec(), simulation.v())
}

/// Many starts of a system with a method; `singular` is a coordinate that is small where one-forms are nearly dependent.
fn run(system: &RandomSystem, seed: u64, method: Method, singular: Option<usize>, tally: &mut Tally) {
    let mut mechanics =
        Mechanics::derive(system.declare(), &mut BuiltIn).expect("an engine that never fails");
    let (programs, steps) = (system_programs(&mut mechanics), [method_programs(&mut mechanics, method)]);
    let optimised = Optimised::of(&mechanics.system.pool, &programs, &steps);
    let composed = Variant::with_id(&format!("{}_suzuki4", method.facts().id));
    let variant = composed.filter(|_| seed % 2 == 1).unwrap_or(method.into());
    let compiled = Compiled::new(&mechanics, &optimised, &[variant]).expect("Cranelift runs here");
    let random = &mut Random(seed + 2_000_000);
    for _ in 0..STARTS {
        let mut q = random.numbers(system.n);
        let (mut v, inputs) = (random.numbers(system.n), random.numbers(INPUTS));
        if let Some(k) = singular {
            q[k] *= 0.1_f64.powi(random.below(5) as i32);
        }
        let speed = 4.0_f64.powi(random.below(4) as i32);
        v.iter_mut().for_each(|v| *v *= speed);
        let h = [0.05, 0.01, -0.02][random.below(3)];
        let started = Simulation::project(&compiled, variant, &system.parameters, &q, &v, &inputs, h);
        let Ok(mut simulation) = started else { continue };
        tally.starts += 1;
        let mut at_once = simulation.clone();
        for k in 0..STEPS {
            let (before, numbers) = (state(&simulation), simulation.numbers().to_vec());
            let place = (simulation.time(), h);
            let name = format!("seed {seed}: {variant}, h = {h}, step {k} from {before:?}");
            let mut untested = simulation.clone();
            untested.set_limits(Limits::NONE);
            let Err(error) = simulation.step() else {
                let after = state(&simulation);
                let energy = kinetic(system, &after.0, &after.1);
                if energy > 10.0 * kinetic(system, &before.0, &before.1) {
                    let most = explained(system, Limits::DEFAULT.growth, [&before, &after], place, &inputs);
                    assert!(energy <= most * (1.0 + 1e-6) + 1e-20, "{name}: {energy} of {most}");
                }
                tally.taken += 1;
                continue;
            };
            let Error::Step { step, cause, .. } = error else { panic!("{name}: {error}") };
            assert_eq!((step, simulation.numbers()), (k as u64 + 1, &numbers[..]), "{name}");
            let is_near = matches!(cause, Failure::NearlySingular { .. });
            if untested.step().is_ok() {
                let after = state(&untested);
                let energy = kinetic(system, &after.0, &after.1);
                let most = explained(system, 2.0, [&before, &after], place, &inputs);
                assert!(energy >= most * (1.0 - 1e-6), "{name}: {error}, {energy} of {most}");
                *(if is_near { &mut tally.near } else { &mut tally.jumps }) += 1;
            } else {
                tally.failed[usize::from(is_near)] += 1;
            }
            break;
        }
        let _ = at_once.advance(STEPS as u64);
        assert_eq!(at_once.steps(), simulation.steps(), "seed {seed}: {variant}, h = {h} from {q:?} {v:?}");
        assert_eq!(at_once.numbers(), simulation.numbers(), "seed {seed}: {variant}");
    }
}

#[test]
fn steps_explain_their_energy() {
    let mut tally = Tally::default();
    for seed in 0..30 {
        let system = RandomSystem::new(seed);
        run(&system, seed, KINDS[seed as usize % KINDS.len()].0, None, &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.starts >= 5_000, "{tally:?}");
}

#[test]
fn steps_near_dependent_one_forms_explain_their_energy() {
    let mut tally = Tally::default();
    for seed in 0..30 {
        let (system, singular) = RandomSystem::nearly_dependent(seed + 100);
        run(&system, seed, KINDS[seed as usize % KINDS.len()].0, Some(singular), &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.starts >= 4_500 && tally.near >= 100, "{tally:?}");
}
