//! The `nhi` command.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    nhi_cli::command::Arguments::parse().execute()
}
