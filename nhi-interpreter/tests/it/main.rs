//! The interpreter against formulas that share nothing with it or with the runtime.

mod c_maps;
mod functions;
mod maps;
mod newton;
#[path = "../../../nhi-derive/codegen/tests/support/parse.rs"]
mod parse;
mod simulation;
mod trace;

use nhi_codegen::expr::Pool;
use nhi_interpreter::{Options, run_program};
use nhi_runtime::Failure;

/// The results of a program in textual form, one list after the other, for these numbers as arguments.
fn run(text: &str, arguments: &[f64]) -> Result<Vec<f64>, Failure> {
    let mut pool = Pool::new();
    let program = parse::program(&mut pool, text);
    let arguments: Vec<Vec<f64>> = arguments.iter().map(|&x| vec![x]).collect();
    run_program(&pool, &program, &arguments, Options::default()).map(|results| results.concat())
}
