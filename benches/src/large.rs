//! What larger systems cost: the time of the derive, the size of the generated code, the build time of a program with one
//! system, and the time of a step in it.

#[path = "../../nhi-derive/codegen/examples/growth/families.rs"]
mod families;

use crate::compile::{PROFILES, Scratch, first_error, formatted, with_methods};
use crate::document::Table;
use families::FAMILIES;
use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::default_engine;
use nhi_codegen::pipeline::Derived;
use nhi_codegen::source::structs;
use proc_macro2::TokenStream;
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

/// Systems that are compiled at run time elsewhere, among them the bicycle.
const DECLARED: &str = include_str!("../../nhi-jit/examples/measure/systems.rs");

/// The profile of `cargo check`, which does little more than the derive.
const CHECK: (&str, &str) = ("check", "debug");

/// A program without a system.
const NOTHING: &str = "fn main() {}";

/// The table of all systems: larger ones with the method `Dla2`, and the bicycle with four methods.
///
/// # Errors
/// A system that cannot be derived or built, or whose steps fail.
pub fn table() -> Result<Table, Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let scratch = Scratch::new(&root, "main.rs", NOTHING)?;
    // The first one checks the dependencies.
    scratch.build(CHECK, NOTHING)?;
    let empty_check = scratch.build(CHECK, NOTHING)?;
    let check = |item: &syn::DeriveInput| -> Result<f64, Box<dyn Error>> {
        Ok(scratch.build(CHECK, &formatted(quote!(use nhi_runtime::prelude::*; #item fn main() {}))?)?
            - empty_check)
    };
    let mut text = String::from(
        "| system | coordinates | one-forms | derive, s | statements | lines | check, s | debug build, s | release build, s | \
         µs per step | without SLP, s | µs per step |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    let mut write = |row: String| {
        eprintln!("{row}");
        let _ = writeln!(text, "{row}");
    };
    for (family, n) in SYSTEMS {
        let (name, attribute) = FAMILIES[family];
        let name = name.replacen('N', &n.to_string(), 1);
        let in_system = |e: Box<dyn Error>| format!("{name}: {e}");
        let attribute: TokenStream = attribute(n).parse()?;
        let item = syn::parse_quote! {
            #[derive(Nonholonomic, Clone, Debug)]
            #[nonholonomic(#attribute)]
            struct Large { m: f64, inertia: f64, l: f64, k: f64 }
        };
        let derived = derived(&name, &item).map_err(in_system)?;
        let check = check(&item).map_err(in_system)?;
        let built = built(&item, &scratch).map_err(in_system)?;
        write(format!("{derived} {check:.1} |{built}"));
    }
    let bicycle = structs(DECLARED)?.into_iter().find(|item| item.ident == "Bicycle").ok_or("no bicycle")?;
    let bicycle = with_methods(bicycle, &quote!(Dla2, Rattle, Rdp, Rk4));
    let derived = derived("bicycle, four methods", &bicycle)?;
    write(format!("{derived} {:.1} | – | – | – | – | – |", check(&bicycle)?));
    Ok(Table { name: "large", text })
}

/// What the derive, in this process, makes of a system.
fn derived(name: &str, item: &syn::DeriveInput) -> Result<String, Box<dyn Error>> {
    let start = Instant::now();
    let declaration = Declaration::parse(item).map_err(|e| first_error(&e))?;
    let derived = Derived::new(declaration, default_engine().as_mut()).map_err(|e| first_error(&e))?;
    let code = derived.implementation().map_err(|e| first_error(&e))?;
    let derive = start.elapsed().as_secs_f64();
    drop(code);
    let statements = derived.optimised().map_err(|e| first_error(&e))?.statements();
    let lines = derived.pretty(default_engine().as_mut()).map_err(|e| first_error(&e))?.lines().count();
    let (coordinates, forms) = (derived.mechanics.n(), derived.mechanics.m());
    Ok(format!("| {name} | {coordinates} | {forms} | {derive:.1} | {statements} | {lines} |"))
}

/// What builds of a program that takes steps of a system take, and its steps.
fn built(item: &syn::DeriveInput, scratch: &Scratch) -> Result<String, Box<dyn Error>> {
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
    let ([debug, release], [empty_debug, empty_release]) = (PROFILES, scratch.empty);
    let mut row = format!(" {:.1} |", scratch.build(debug, &source)? - empty_debug);
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
