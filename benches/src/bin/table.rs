//! Prints time and instructions per step of the workloads and of every model.
//!
//! ```text
//! cargo run --release -p nhi-benches [-- --all-methods]
//! ```

use nhi_benches::count::CHILD;
use nhi_benches::table::Suite;
use std::process::ExitCode;

/// Shows every model with all methods instead of a few.
const ALL_METHODS: &str = "--all-methods";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let known = |a: &String| a == ALL_METHODS || a == CHILD;
    if let Some(unknown) = arguments.iter().find(|a| !known(a)) {
        eprintln!("unknown argument {unknown}; expected {ALL_METHODS} or nothing");
        return ExitCode::from(2);
    }
    let all_methods = arguments.iter().any(|a| a == ALL_METHODS);
    let suite = Suite::new(all_methods);
    if arguments.iter().any(|a| a == CHILD) {
        suite.counted();
    } else {
        let again: &[&str] = if all_methods { &[ALL_METHODS] } else { &[] };
        print!("{}", suite.measure(again));
    }
    ExitCode::SUCCESS
}
