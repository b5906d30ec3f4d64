//! What larger systems cost: the time of the derive, the size of the generated code, the build time of a program with one
//! system, and the time of a step in it.

#[path = "../../nhi-derive/codegen/examples/growth/families.rs"]
mod families;

use crate::compile::{PROFILES, Scratch, first_error, formatted};
use crate::document::Table;
use families::FAMILIES;
use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::default_engine;
use nhi_codegen::pipeline::Derived;
use quote::quote;
use std::error::Error;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// The position of a family in [`FAMILIES`], and the number of bodies.
const SYSTEMS: [(usize, usize); 4] = [(1, 8), (3, 7), (0, 12), (2, 40)];

/// Without LLVM's vectorisation of straight-line code, which looks for vectors in every store of a long array.
const NO_SLP: &[&str] = &["-C", "no-vectorize-slp"];

/// The table of all systems, with the method `Dla2`.
///
/// # Errors
/// A system that cannot be derived or built, or whose steps fail.
pub fn table() -> Result<Table, Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let scratch = Scratch::new(&root, "main.rs", "fn main() {}")?;
    let mut text = String::from(
        "| system | coordinates | one-forms | derive, s | statements | lines | debug build, s | release build, s | µs per step | \
         without SLP, s | µs per step |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for (family, n) in SYSTEMS {
        let (name, attribute) = FAMILIES[family];
        let name = name.replacen('N', &n.to_string(), 1);
        let row = row(&name, &attribute(n), &scratch).map_err(|e| format!("{name}: {e}"))?;
        eprintln!("{row}");
        let _ = writeln!(text, "{row}");
    }
    Ok(Table { name: "large", text })
}

fn row(name: &str, attribute: &str, scratch: &Scratch) -> Result<String, Box<dyn Error>> {
    let attribute: proc_macro2::TokenStream = attribute.parse()?;
    let item = quote! {
        #[derive(Nonholonomic, Clone, Debug)]
        #[nonholonomic(#attribute)]
        struct Large { m: f64, inertia: f64, l: f64, k: f64 }
    };
    let start = Instant::now();
    let declaration = Declaration::parse(&syn::parse2(item.clone())?).map_err(|e| first_error(&e))?;
    let derived = Derived::new(declaration, default_engine().as_mut()).map_err(|e| first_error(&e))?;
    let code = derived.implementation().map_err(|e| first_error(&e))?;
    let derive = start.elapsed().as_secs_f64();
    drop(code);
    let statements = derived.optimised().map_err(|e| first_error(&e))?.statements();
    let lines = derived.pretty(default_engine().as_mut()).map_err(|e| first_error(&e))?.lines().count();
    let source = formatted(quote! {
        use nhi_runtime::prelude::*;

        #item

        fn main() {
            let system = Large { m: 1.0, inertia: 0.3, l: 0.7, k: 2.0 };
            let q = std::array::from_fn(|i| 0.2 * (i as f64).sin());
            let v = std::array::from_fn(|i| 0.5 + 0.25 * (i as f64).cos());
            let start = Simulation::project(system, Dla2, q, v, 0.01).expect("a start");
            let mut fastest = f64::INFINITY;
            for _ in 0..200 {
                let mut simulation = start.clone();
                let begin = std::time::Instant::now();
                simulation.advance(50).expect("steps");
                fastest = fastest.min(begin.elapsed().as_secs_f64() / 50.0);
            }
            println!("{}", fastest * 1e6);
        }
    })?;
    let (coordinates, forms) = (derived.mechanics.n(), derived.mechanics.m());
    let mut row = format!("| {name} | {coordinates} | {forms} | {derive:.1} | {statements} | {lines} |");
    let ([debug, release], [empty_debug, empty_release]) = (PROFILES, scratch.empty);
    let _ = write!(row, " {:.1} |", scratch.build(debug, &source)? - empty_debug);
    for options in [&[][..], NO_SLP] {
        let seconds = scratch.build_with(options, release, &source)? - empty_release;
        let _ = write!(row, " {seconds:.1} | {:.2} |", microseconds(scratch)?);
    }
    Ok(row)
}

/// The time of a step that the program of a release build prints.
fn microseconds(scratch: &Scratch) -> Result<f64, Box<dyn Error>> {
    let output = Command::new(scratch.program()).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().parse()?)
}
