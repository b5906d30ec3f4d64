//! The `nhi` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    nhi_cli::command::Arguments::read().execute()
}
