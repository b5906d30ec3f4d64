//! Processor time and peak memory of every rustc that a cargo command starts.
//!
//! Cargo starts rustc through a program that `RUSTC_WRAPPER` names. Here this is the measuring program itself: in a process
//! that cargo started, [`act_as_wrapper`] runs rustc, appends what it took to a log, and ends the process.

use nix::sys::resource::{UsageWho, getrusage};
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::{env, process};

/// The variable that names the log.
const LOG: &str = "NHI_TIMINGS_LOG";

/// What rustc took for one target.
#[derive(Clone, PartialEq, Debug)]
pub struct Unit {
    /// The package of the crate.
    pub package: String,
    /// The name of the crate, with the hash that cargo appends to file names.
    pub file: String,
    /// Whether it is compiled with its tests.
    pub is_test: bool,
    /// Processor time, in seconds.
    pub seconds: f64,
    /// Peak memory, in MB.
    pub megabytes: f64,
}

/// In a process that cargo started in the place of rustc: compiles, logs, and ends the process. In others it returns.
pub fn act_as_wrapper() {
    let Some(log) = env::var_os(LOG) else { return };
    let mut arguments = env::args_os().skip(1);
    let Some(rustc) = arguments.next() else { return };
    let arguments: Vec<OsString> = arguments.collect();
    let status = Command::new(rustc).args(&arguments).status();
    let texts: Vec<_> = arguments.iter().map(|argument| argument.to_string_lossy()).collect();
    let after = |key: &str| texts.iter().position(|text| text == key).and_then(|i| texts.get(i + 1));
    let suffix = texts.iter().find_map(|text| text.strip_prefix("extra-filename="));
    if let (Some(name), Some(suffix)) = (after("--crate-name"), suffix)
        && let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN)
    {
        let times = [usage.user_time(), usage.system_time()];
        let seconds: f64 = times.iter().map(|time| time.tv_sec() as f64 + 1e-6 * time.tv_usec() as f64).sum();
        // Linux counts kibibytes, macOS bytes.
        let unit = if cfg!(target_os = "macos") { 1.0 } else { 1024.0 };
        let megabytes = usage.max_rss() as f64 * unit / 1e6;
        let is_test = texts.iter().any(|text| text == "--test");
        let package = env::var("CARGO_PKG_NAME").unwrap_or_default();
        let line = format!("{package}\t{name}{suffix}\t{is_test}\t{seconds}\t{megabytes}\n");
        // One write, since several processes append. A line that is lost leaves a gap in a table.
        let _ = OpenOptions::new()
            .append(true)
            .create(true)
            .open(log)
            .and_then(|mut log| log.write_all(line.as_bytes()));
    }
    process::exit(status.ok().and_then(|status| status.code()).unwrap_or(1));
}

/// Makes a cargo command append what each rustc takes to the file `log`.
///
/// # Errors
/// The folder of the log cannot be made, or the path of this program is unknown.
pub fn measure(cargo: &mut Command, log: &Path) -> io::Result<()> {
    if let Some(folder) = log.parent() {
        fs::create_dir_all(folder)?;
    }
    cargo.env("RUSTC_WRAPPER", env::current_exe()?).env(LOG, log);
    Ok(())
}

/// The units in a log, in the order in which they were compiled; none if there is no log.
pub fn units(log: &Path) -> Vec<Unit> {
    let text = fs::read_to_string(log).unwrap_or_default();
    let unit = |line: &str| {
        let mut parts = line.split('\t');
        Some(Unit {
            package: parts.next()?.to_owned(),
            file: parts.next()?.to_owned(),
            is_test: parts.next()? == "true",
            seconds: parts.next()?.parse().ok()?,
            megabytes: parts.next()?.parse().ok()?,
        })
    };
    text.lines().filter_map(unit).collect()
}

/// The cargo that runs this program, otherwise the one on the path.
pub fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// The result of a program: an error is printed.
pub fn exit(result: Result<(), Box<dyn std::error::Error>>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
