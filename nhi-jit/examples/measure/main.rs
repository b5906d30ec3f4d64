//! Time of compilation, and time per step beside the steps that rustc has compiled.
//!
//! ```text
//! cargo run --release -p nhi-jit --example measure
//! ```
//!
//! Times per step are the fastest of many batches, which alternate between the two: other load on the machine only adds
//! time. Both take the same steps from the same state, and the states after them are compared.

mod systems;

use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::default_engine;
use nhi_codegen::pipeline::Derived;
use nhi_codegen::source::structs;
use nhi_jit::Compiled;
use nhi_methods::Variant;
use nhi_runtime::prelude::*;
use nhi_runtime::{Method, System};
use std::error::Error;
use std::time::{Duration, Instant};
use systems::*;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Repetitions of a compilation, and batches of steps.
const COMPILATIONS: usize = 5;
const BATCHES: usize = 400;

/// How long a batch takes.
const BATCH: Duration = Duration::from_micros(200);

/// Step size.
const H: f64 = 0.01;

/// Steps after which a trajectory begins again: before a bicycle falls.
const MOST_STEPS: u64 = 300;

/// A system that was compiled at run time.
struct Declared {
    compiled: Compiled,
}

impl Declared {
    /// Compiles a system with one method, and prints the fastest times of derivation, optimisation and compilation.
    fn new(system: &str, method: &str) -> Outcome<Declared> {
        let found = structs(include_str!("systems.rs"))?;
        let item = found.iter().find(|item| item.ident == system).ok_or("no such system")?;
        let variant = Variant::with_id(method).ok_or("no such method")?;
        let mut fastest = [Duration::MAX; 4];
        let mut compiled = None;
        for _ in 0..COMPILATIONS {
            let begin = Instant::now();
            let declaration = Declaration::parse(item).map_err(|rejected| format!("{rejected:?}"))?;
            let declaration = declaration.with_methods(vec![variant.method]);
            let derived = Derived::new(declaration, default_engine().as_mut());
            let derived = derived.map_err(|rejected| format!("{rejected:?}"))?;
            let derivation = begin.elapsed();
            let optimised = derived.optimised().map_err(|rejected| format!("{rejected:?}"))?;
            let optimisation = begin.elapsed();
            compiled = Some(Compiled::new(&optimised, &[variant])?);
            let all = begin.elapsed();
            let times = [derivation, optimisation - derivation, all - optimisation, all];
            fastest.iter_mut().zip(times).for_each(|(fastest, time)| *fastest = time.min(*fastest));
        }
        let [derivation, optimisation, compilation, all] = fastest.map(|time| time.as_secs_f64() * 1e3);
        print!("| {system} | {method} | {derivation:.1} | {optimisation:.1} | {compilation:.1} | {all:.1} |");
        Ok(Declared { compiled: compiled.ok_or("it was compiled")? })
    }
}

/// The fastest time of a batch of each of two runs, per step in nanoseconds.
fn compare(mut runs: [&mut dyn FnMut(u64) -> Outcome<()>; 2]) -> Outcome<[f64; 2]> {
    let mut counts = [0; 2];
    for (run, count) in runs.iter_mut().zip(&mut counts) {
        let begin = Instant::now();
        run(MOST_STEPS.min(200))?;
        let per_step = begin.elapsed().as_secs_f64() / 200.0;
        *count = ((BATCH.as_secs_f64() / per_step) as u64).clamp(50, MOST_STEPS);
    }
    let mut fastest = [f64::INFINITY; 2];
    for _ in 0..BATCHES {
        for ((run, &count), fastest) in runs.iter_mut().zip(&counts).zip(&mut fastest) {
            let begin = Instant::now();
            run(count)?;
            *fastest = fastest.min(begin.elapsed().as_secs_f64() * 1e9 / count as f64);
        }
    }
    Ok(fastest)
}

/// Measures a method of a system from an initial state.
fn measure<S, M>(
    system: S,
    method: M,
    (q, v): (S::Configuration<f64>, S::Velocity<f64>),
    id: &str,
) -> Outcome<()>
where
    S: System + Clone,
    M: Method<S> + Copy,
{
    let Declared { compiled } = Declared::new(S::NAME, id)?;
    let variant = Variant::with_id(id).ok_or("no such method")?;
    let derived = Simulation::project(system.clone(), method, q, v, H)?;
    let parameters = system.parameters();
    let (q, v, inputs) = (derived.q(), derived.v(), derived.inputs());
    let [q, v, inputs] = [q.as_ref(), v.as_ref(), inputs.as_ref()];
    let start = nhi_jit::Simulation::with_inputs(&compiled, variant, parameters.as_ref(), q, v, inputs, H)?;
    let (mut by_rustc, mut by_cranelift) = (derived.clone(), start.clone());
    by_rustc.advance(MOST_STEPS / 2)?;
    by_cranelift.advance(MOST_STEPS / 2)?;
    let same = by_rustc.q().as_ref() == by_cranelift.q();
    let [rustc, cranelift] = compare([&mut |steps| Ok(derived.clone().advance(steps)?), &mut |steps| {
        Ok(start.clone().advance(steps)?)
    }])?;
    let agree = if same { "yes" } else { "NO" };
    println!(" {rustc:.1} | {cranelift:.1} | {:.2} | {agree} |", cranelift / rustc);
    Ok(())
}

fn main() -> Outcome<()> {
    println!(
        "| system | method | derivation, ms | optimisation | compilation | all | rustc, ns per step | Cranelift | ratio | same |\n\
         |---|---|---:|---:|---:|---:|---:|---:|---:|---|"
    );
    let oscillator = || ([0.5, 0.3, 0.4], [-0.18, 0.8, 0.6]);
    measure(ContactOscillator, Dla2, oscillator(), "dla2")?;
    measure(ContactOscillator, Rattle, oscillator(), "rattle")?;
    measure(ContactOscillator, Rk4, oscillator(), "rk4")?;
    let chaotic = || ([0.7, 0.3, -0.4, 0.5, 0.6, -0.2, 0.4], [0.43, 0.6, -0.3, 0.8, 0.5, 0.7, -0.6]);
    measure(ChaoticR7, Dla2, chaotic(), "dla2")?;
    measure(ChaoticR7, Rattle, chaotic(), "rattle")?;
    measure(ChaoticR7, Rk4, chaotic(), "rk4")?;
    let sleigh = Sleigh { m: 1.0, inertia: 0.5, a: 0.2 };
    let moving = || ([0.3, 0.0, 0.0], [1.2, 0.6, 0.4]);
    measure(sleigh.clone(), Dla2, moving(), "dla2")?;
    measure(sleigh.clone(), Rattle, moving(), "rattle")?;
    measure(sleigh, Rk4, moving(), "rk4")?;
    let snakeboard = Snakeboard { m: 1.0, l: 1.0, rotor: 0.4, wheels: 2.0, apsi: 1.0, aphi: 1.0 };
    let pushed = || ([1.5, 1.0, 0.0, 0.0, 0.0], [2.5, -0.02, -0.8, 0.5, 0.0]);
    measure(snakeboard.clone(), Dla2, pushed(), "dla2")?;
    measure(snakeboard.clone(), Rattle, pushed(), "rattle")?;
    measure(snakeboard, Rk4, pushed(), "rk4")?;
    let on_se2 = SleighOnSe2 { m: 1.0, inertia: 0.5, a: 0.2 };
    measure(on_se2.clone(), Rdp, ([0.3, 0.0, 0.0].into(), [0.8, 1.2, 0.16]), "rdp")?;
    measure(on_se2, Rattle, ([0.3, 0.0, 0.0].into(), [0.8, 1.2, 0.16]), "rattle")?;
    let identity = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let suslov = Suslov { i11: 2.0, i22: 3.0, i33: 4.0, i13: 0.5, i23: 0.7 };
    measure(suslov.clone(), Rdp, (identity.into(), [0.9, -0.4, 0.0]), "rdp")?;
    measure(suslov, Rattle, (identity.into(), [0.9, -0.4, 0.0]), "rattle")?;
    let ball = Ball { m: 1.0, i1: 0.4, i2: 0.5, i3: 0.6, r: 0.5, table: 0.3 };
    let on_table = [0.1, 0.2, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    measure(ball.clone(), Rdp, (on_table.into(), [0.3, 0.2, 0.7, -0.4, 0.5]), "rdp")?;
    measure(ball, Rattle, (on_table.into(), [0.3, 0.2, 0.7, -0.4, 0.5]), "rattle")?;
    // The steering axis leans back.
    let tilt: f64 = -0.31;
    let (l1, r) = (1.0, 0.3);
    let bicycle = Bicycle {
        r,
        mr: 2.0,
        mf: 3.0,
        jr: 0.06,
        jry: 0.12,
        l1,
        l3: l1 * tilt.tan(),
        mb: 85.0,
        c1: 0.5,
        c3: 0.5,
        jb1: 9.2,
        jb2: 11.0,
        jb3: 2.8,
        mh: 4.0,
        d1: -0.05,
        d3: 0.4,
        jh1: 0.06,
        jh2: 0.06,
        jh3: 0.01,
    };
    // Upright: with this pitch both wheels are on the ground.
    let q = [0.0, 0.0, r, 0.0, 0.0, tilt, 0.0, 0.0, 0.0];
    measure(bicycle, Dla2, (q, [6.0, 0.0, 0.0, 0.0, 0.01, 0.0, 0.0, 20.0, 20.0]), "dla2")?;
    Ok(())
}
