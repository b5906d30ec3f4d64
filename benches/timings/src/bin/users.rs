//! What a crate of a user takes to build, by `cargo build` and `cargo test` without any setting of profiles: processor time
//! and peak memory of the rustc that compiles it.
//!
//! ```text
//! cargo run -p nhi-timings --bin users [-- --out docs/users-crates.md]
//! ```
//!
//! The crates are programs in a folder of the target directory. They depend on `nhi-runtime` alone.

use nhi_timings::{act_as_wrapper, cargo, exit, measure, units};
use std::error::Error;
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

/// A program: its name, its system, and what `main` does with it.
struct Program {
    name: &'static str,
    system: &'static str,
    methods: &'static str,
    run: &'static str,
}

const STEP: &str = "for _ in 0..1000 {\n        sim.step()?;\n    }\n";
const ADVANCE: &str = "sim.advance(1000)?;\n";
const ENSEMBLE: &str = "let start = (sim.q(), sim.v());\n    \
    let mut all = nhi_runtime::Ensemble::new(sim.system().clone(), Dla2, vec![start; 100], 0.01)?;\n    \
    all.advance(1000);\n    println!(\"{:?}\", all.q(99));\n";
const DERIVATIVES: &str = "sim.step()?;\n    println!(\"{:?}\", sim.linearize()?.a);\n    \
    println!(\"{:?}\", sim.linearize_parameters()?);\n";

const PROGRAMS: [Program; 8] = [
    Program { name: "sleigh_step", system: SLEIGH, methods: "Dla2", run: STEP },
    Program { name: "sleigh_advance", system: SLEIGH, methods: "Dla2", run: ADVANCE },
    Program { name: "sleigh_ensemble", system: SLEIGH, methods: "Dla2", run: ENSEMBLE },
    Program { name: "sleigh_derivatives", system: SLEIGH, methods: "Dla2 + derivatives", run: DERIVATIVES },
    Program { name: "sleigh_all_methods", system: SLEIGH, methods: "all", run: ENSEMBLE },
    Program { name: "bicycle_advance", system: BICYCLE, methods: "Dla2", run: ADVANCE },
    Program { name: "bicycle_ensemble", system: BICYCLE, methods: "Dla2", run: ENSEMBLE },
    Program { name: "bicycle_derivatives", system: BICYCLE, methods: "Dla2 + derivatives", run: DERIVATIVES },
];

const SLEIGH: &str = include_str!("../../users/sleigh.txt");
const BICYCLE: &str = include_str!("../../users/bicycle.txt");

/// What is measured: the profile's name and the options of cargo.
const BUILDS: [(&str, &[&str]); 5] = [
    ("`build`", &["build"]),
    ("`test`", &["test", "--no-run"]),
    ("`build --release`", &["build", "--release"]),
    ("`test --release`", &["test", "--no-run", "--release"]),
    ("`build`, derive optimised", &["build", "--config", "profile.dev.package.nhi-codegen.opt-level=1"]),
];

fn main() -> ExitCode {
    act_as_wrapper();
    exit(run())
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let out = match &arguments[..] {
        [] => None,
        [flag, file] if flag == "--out" => Some(file),
        _ => return Err("expected nothing or --out FILE".into()),
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let folder = root.join("target").join("users-crates");
    let sources = folder.join("src").join("bin");
    fs::create_dir_all(&sources)?;
    fs::write(
        folder.join("Cargo.toml"),
        format!(
            "[package]\nname = \"user\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n\
             nhi-runtime = {{ path = {:?}, features = [\"rayon\"] }}\n\n[workspace]\n",
            root.join("nhi-runtime")
        ),
    )?;
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    for Program { name, system, methods, run } in PROGRAMS {
        let text = system.replace("METHODS", methods).replace("RUN", run);
        fs::write(sources.join(name).with_extension("rs"), text)?;
    }
    let mut text = String::from("| program |");
    BUILDS.iter().for_each(|(name, _)| {
        let _ = write!(text, " {name}, s | MB |");
    });
    let _ = writeln!(text, "\n|---|{}", "---:|---:|".repeat(BUILDS.len()));
    let mut costs = PROGRAMS.map(|_| Vec::new());
    for (name, options) in BUILDS {
        let log = folder.join("timings.tsv");
        if log.exists() {
            fs::remove_file(&log)?;
        }
        for Program { name, .. } in PROGRAMS {
            // Cargo compares times of files: compiles again what this program has measured before.
            let file = sources.join(name).with_extension("rs");
            fs::write(&file, fs::read(&file)?)?;
        }
        let mut cargo = cargo();
        cargo.args(options).arg("--bins").current_dir(&folder);
        // One at a time, as most users have one such crate.
        cargo.args(["--jobs", "1"]);
        measure(&mut cargo, &log)?;
        if !cargo.status()?.success() {
            return Err(format!("{name} failed").into());
        }
        let units = units(&log);
        for (program, costs) in PROGRAMS.iter().zip(&mut costs) {
            let is_it = |file: &str| file.rsplit_once('-').is_some_and(|(name, _)| name == program.name);
            // By `cargo test`, programs are compiled with their tests.
            let unit =
                units.iter().rfind(|unit| is_it(&unit.file) && unit.is_test == options.contains(&"test"));
            let unit = unit.ok_or_else(|| format!("{name} did not compile {}", program.name))?;
            costs.push((unit.seconds, unit.megabytes));
        }
    }
    for (program, costs) in PROGRAMS.iter().zip(costs) {
        let _ = write!(text, "| {} |", program.name);
        costs.into_iter().for_each(|(seconds, megabytes)| {
            let _ = write!(text, " {seconds:.1} | {megabytes:.0} |");
        });
        text.push('\n');
    }
    print!("{text}");
    if let Some(file) = out {
        fs::write(file, format!("{HEAD}{text}"))?;
    }
    Ok(())
}

/// The head of the document.
const HEAD: &str = "# What a user's crate takes to build\n\n\
    Written by `cargo run -p nhi-timings --bin users -- --out docs/users-crates.md`. Each program is a crate with one declared \
    system that depends on `nhi-runtime` alone and sets no profile. The figures are processor time and peak memory of the rustc \
    that compiles it, the derive included, on a virtual machine with two cores. Dependencies take their time once. `build` \
    runs the derive without optimisation, and so does `build --release`, since cargo compiles macros for fast builds, not for \
    speed. A large declaration with derivatives is worth two lines in the `Cargo.toml` of the user, as in the last two columns:\n\n\
    ```toml\n[profile.dev.package.nhi-codegen]\nopt-level = 1\n```\n\n";
