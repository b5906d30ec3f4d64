//! The command as a user sees it.

mod bodies;
mod command;
mod declarations;
mod documents;
mod generate;
mod mutations;
mod solve;

use std::path::Path;
use std::process::Command;

/// The command, with a cache of its own.
fn program() -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_nhi"));
    program.env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    program
}
