//! The functions in Rust, and their errors.

use super::{BATCHES, CALLS, Failed, ROUNDS, STEP_SIZE, STEPS, succeeded};
use nhi_codegen::engine::default_engine;
use nhi_codegen::generate;
use nhi_codegen::pipeline::Derived;
use nhi_methods::Variant;
use nhi_run::model::{Declared, Model};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// The end of the program.
const MEASURE: &str = "
mod oracle;

use nhi_runtime::{Differentiable, Fields, Simulation, System, Tangential};
use oracle::{Departure, Random};
use std::{hint::black_box, time::Instant};

/// The value that consists of these numbers, with zeros after them.
fn read<V: Fields<f64>>(numbers: &mut impl Iterator<Item = f64>) -> V {
    V::read(&mut || numbers.next().unwrap_or(0.0))
}

/// The least time of a call, up to now, in nanoseconds.
#[inline(never)]
fn measure(least: &mut f64, mut call: impl FnMut()) {
    let begin = Instant::now();
    for _ in 0..CALLS {
        call();
    }
    *least = least.min(begin.elapsed().as_secs_f64() * 1e9 / CALLS as f64);
}

fn times<S: Tangential + Clone, M: Differentiable<S> + Clone>(system: S, method: M) {
    let q: S::Configuration<f64> = read(&mut Q.into_iter());
    let v: S::Velocity<f64> = read(&mut V.into_iter());
    let w: S::Tangent<f64> = read(&mut std::iter::empty());
    let mut sim = Simulation::new(system, method, q, v, H).unwrap();
    for _ in 0..STEPS {
        sim.step().unwrap();
    }
    let mut least = [f64::INFINITY; 5];
    for _ in 0..ROUNDS {
        for _ in 0..BATCHES {
            let mut stepped = sim.clone();
            measure(&mut least[0], || stepped.step().unwrap());
        }
        for _ in 0..BATCHES {
            measure(&mut least[1], || _ = black_box(&sim.linearize()));
        }
        for _ in 0..BATCHES {
            measure(&mut least[2], || _ = black_box(&sim.linearize_parameters()));
        }
        for _ in 0..BATCHES {
            measure(&mut least[3], || _ = black_box(&sim.pull_back(black_box(&w))));
        }
        for _ in 0..BATCHES {
            measure(&mut least[4], || _ = black_box(&sim.curvature(black_box(&w))));
        }
    }
    assert!(sim.linearize().is_ok() && sim.linearize_parameters().is_ok());
    assert!(sim.pull_back(&w).is_ok() && sim.curvature(&w).is_ok());
    least.iter().for_each(|time| println!(\"{time}\"));
}

/// Prints the largest errors, and what is left of them beyond ten times the change by the last bits of the parameters.
fn errors<S: Tangential + Clone, M: Differentiable<S> + Clone>(system: S, method: M) {
    let mut random = Random(7);
    let parameters = system.parameters();
    let q: S::Configuration<f64> = read(&mut Q.into_iter());
    let mut v: S::Velocity<f64> = read(&mut V.into_iter());
    v.as_mut().iter_mut().for_each(|v| *v += 0.3 * random.number());
    let v = S::project(&parameters, &q, &v, 0.0, &random.vector(0.0)).unwrap();
    let mut sim = Simulation::new(system, method.clone(), q, v, H).unwrap();
    let mut worst = [(0.0_f64, 0.0_f64); 4];
    for _ in 0..STEPS {
        let inputs: S::Inputs<f64> = random.vector(0.5);
        let w: S::Tangent<f64> = random.vector(1.0);
        let from = Departure::of(&sim, inputs);
        sim.step_with(&inputs).unwrap();
        let first = oracle::First::of(&sim, &w);
        let (by_x, by_p, products) = oracle::errors(S::NAME, &method, &parameters, &from, &w, &first);
        // Runge–Kutta methods leave the constraints, where ν = Y v changes with Y.
        let v = S::velocity(&parameters, &from.x.q, &from.x.nu, from.t, &from.before);
        let from = Departure { v, ..from };
        let second = oracle::curvature(&method, &parameters, &from, &w);
        let second = oracle::errors_of_curvature(S::NAME, &method, &parameters, &from, &w, &second);
        for (worst, blocks) in worst.iter_mut().zip([&by_x[..], &by_p, &products, &second]) {
            for oracle::Block { error, rounding, .. } in blocks {
                worst.0 = worst.0.max(*error);
                worst.1 = worst.1.max(error - 10.0 * rounding);
            }
        }
    }
    worst.iter().for_each(|(error, unexplained)| println!(\"{error}\\n{unexplained}\"));
}
";

/// For each method, the programs that print the times of a step and of its derivatives, and the errors of these.
pub(super) fn programs(
    model: &Declared,
    item: &syn::DeriveInput,
    derived: &Derived,
    methods: &[Variant],
    folder: &Path,
) -> Result<Vec<[Command; 2]>, Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    std::fs::create_dir_all(folder.join("src"))?;
    std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    let manifest = format!(
        "[package]\nname = \"times\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n\
         nhi-runtime = {{ path = {:?}, default-features = false, features = [\"std\"] }}\n",
        root.join("nhi-runtime")
    );
    std::fs::write(folder.join("Cargo.toml"), manifest)?;
    let code = generate::with_code(item.clone(), derived, default_engine().as_mut())?;
    std::fs::copy(
        root.join("tests/runtime/tests/derived/derivatives/oracle.rs"),
        folder.join("src/oracle.rs"),
    )?;
    std::fs::write(folder.join("src/main.rs"), program(model, item, methods, &code))?;
    let mut cargo = Command::new(env!("CARGO"));
    let arguments = ["build", "--quiet", "--release", "--offline", "--target-dir", "target"];
    succeeded(cargo.args(arguments).env("RUSTFLAGS", "-C target-cpu=native").current_dir(folder))?;
    let programs = methods.iter().map(|method| {
        ["times", "errors"].map(|what| {
            let mut program = Command::new(folder.join("target/release/times"));
            program.args([&method.to_string(), what]);
            program
        })
    });
    Ok(programs.collect())
}

fn program(model: &Declared, item: &syn::DeriveInput, methods: &[Variant], code: &str) -> String {
    let (q, v) = model.instance(&model.defaults()).initial();
    let mut text = format!("{code}{MEASURE}\nconst H: f64 = {STEP_SIZE:?};\n");
    for (name, number) in [("STEPS", STEPS), ("ROUNDS", ROUNDS), ("BATCHES", BATCHES), ("CALLS", CALLS)] {
        let _ = writeln!(text, "const {name}: usize = {number};");
    }
    for (name, values) in [("PARAMETERS", &model.defaults()), ("Q", &q), ("V", &v)] {
        let _ = writeln!(text, "const {name}: [f64; {}] = {values:?};", values.len());
    }
    let syn::Data::Struct(data) = &item.data else { return text };
    let fields = data.fields.iter().filter_map(|field| field.ident.as_ref());
    let fields: Vec<String> = fields.map(|field| format!("{field}: read(&mut numbers)")).collect();
    let system = match fields.as_slice() {
        [] => item.ident.to_string(),
        fields => format!("{} {{ {} }}", item.ident, fields.join(", ")),
    };
    let calls = methods.iter().flat_map(|method| ["times", "errors"].map(|what| (method, what)));
    let calls = calls.map(|(method, what)| {
        let marker = method.method.facts().marker;
        format!("        [\"{method}\", \"{what}\"] => {what}(system, nhi_runtime::{marker}),\n")
    });
    let _ = write!(
        text,
        "fn main() {{
    #[allow(unused_mut, unused_variables)]
    let mut numbers = PARAMETERS.into_iter();
    let system = {system};
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<&str>>()[..] {{
{}        _ => panic!(\"no such method: {{arguments:?}}\"),
    }}
}}
",
        calls.collect::<String>()
    );
    text
}
