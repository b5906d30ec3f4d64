//! Runs the first two tiers of tests, `cargo test` and `cargo test --workspace`, and tabulates what each test binary takes to
//! build and to run.
//!
//! ```text
//! cargo run -p nhi-timings [-- --out docs/tests.md]
//! ```
//!
//! Build figures are those of the last compilation by this program; `cargo clean` before it renews all of them. With
//! `NHI_TESTS=all` the second tier is exhaustive; the first one is always that of a newcomer.

use nhi_timings::{Unit, act_as_wrapper, cargo, exit, measure, units};
use std::error::Error;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{ExitCode, Stdio};
use std::time::Instant;
use std::{env, fs, io, thread};

/// The commands of the first and the second tier.
const TIERS: [&[&str]; 2] = [&["test"], &["test", "--workspace"]];

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
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut text, mut rows): (String, Vec<Row>) = Default::default();
    for (tier, command) in TIERS.iter().enumerate() {
        let line = format!("cargo {}", command.join(" "));
        println!("\n== {line}");
        let (start, before) = (Instant::now(), units(&log(&root)).len());
        let runs = tested(command, &root)?;
        let units = units(&log(&root));
        let now = units.get(before..).unwrap_or_default();
        let largest = now.iter().fold(0.0, |largest: f64, unit| largest.max(unit.megabytes));
        let compiled: f64 = now.iter().map(|unit| unit.seconds).sum();
        let ran: f64 = runs.iter().map(|run| run.seconds).sum();
        let _ = writeln!(
            text,
            "`{line}`: {:.0} s, of which tests {ran:.0} s; compilation {compiled:.0} s of processor time, \
             at most {largest:.0} MB in one rustc.\n",
            start.elapsed().as_secs_f64()
        );
        for run in runs {
            let unit = units.iter().rfind(|unit| unit.file == run.binary).cloned();
            let package = |row: &Row| row.unit.as_ref().map(|unit| unit.package.clone());
            let is_known = |row: &Row| {
                row.run.target == run.target && package(row) == unit.as_ref().map(|unit| unit.package.clone())
            };
            if !rows.iter().any(is_known) {
                rows.push(Row { tier: tier + 1, run, unit });
            }
        }
    }
    text.push_str("| crate | tests | tier | number | build, s | peak memory, MB | run, s |\n|---|---|---:|---:|---:|---:|---:|\n");
    for Row { tier, run, unit } in &rows {
        let [package, seconds, megabytes] = match unit {
            Some(Unit { package, seconds, megabytes, .. }) => {
                [package.clone(), format!("{seconds:.1}"), format!("{megabytes:.0}")]
            }
            None => ["–".into(), "–".into(), "–".into()],
        };
        let Run { target, tests, seconds: ran, .. } = run;
        let _ = writeln!(
            text,
            "| {package} | {target} | {tier} | {tests} | {seconds} | {megabytes} | {ran:.1} |"
        );
    }
    println!("\n{text}");
    if let Some(file) = out {
        fs::write(file, format!("{HEAD}{text}"))?;
    }
    Ok(())
}

/// The head of the document.
const HEAD: &str = "# What the tests take\n\n\
    Written by `cargo run -p nhi-timings -- --out docs/tests.md` after `cargo clean`, on a virtual machine with two cores. \
    Build times are processor time, run times are wall time. Tier 1 is `cargo test`, tier 2 what `cargo test --workspace` \
    adds. With `NHI_TESTS=all`, tests that sample models, cases or steps take all of them.\n\n";

fn log(root: &Path) -> std::path::PathBuf {
    root.join("target").join("timings.tsv")
}

/// A test binary, or the tests of a crate's documentation.
struct Run {
    /// What is tested, by its crate.
    target: String,
    /// The file, without its folder; empty for documentation.
    binary: String,
    tests: u32,
    seconds: f64,
}

struct Row {
    tier: usize,
    run: Run,
    unit: Option<Unit>,
}

/// Runs a test command of cargo, whose output is shown.
fn tested(command: &[&str], root: &Path) -> Result<Vec<Run>, Box<dyn Error>> {
    let mut cargo = cargo();
    cargo.args(command).current_dir(root).stdout(Stdio::piped()).stderr(Stdio::piped());
    if command == TIERS[0] {
        let variables = env::vars_os().map(|(name, _)| name);
        for name in variables.filter(|name| name.to_string_lossy().starts_with("NHI_")) {
            cargo.env_remove(name);
        }
    }
    measure(&mut cargo, &log(root))?;
    let mut child = cargo.spawn()?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (results, started) = thread::scope(|scope| {
        let results = scope.spawn(|| lines(stdout, io::stdout(), result_of));
        let started = lines(stderr, io::stderr(), started_by);
        (results.join().unwrap_or_default(), started)
    });
    if !child.wait()?.success() {
        return Err(format!("cargo {} failed", command.join(" ")).into());
    }
    if results.len() != started.len() {
        return Err(format!("{} test binaries with {} results", started.len(), results.len()).into());
    }
    let run = |((target, binary), (tests, seconds))| Run { target, binary, tests, seconds };
    Ok(started.into_iter().zip(results).map(run).collect())
}

/// Copies a stream line by line; what `of` finds in the lines.
fn lines<R>(from: Option<impl Read>, mut to: impl Write, of: impl Fn(&str) -> Option<R>) -> Vec<R> {
    let lines = from.into_iter().flat_map(|from| BufReader::new(from).lines()).map_while(Result::ok);
    let mut found = Vec::new();
    for line in lines {
        // If nobody reads it any more, the table is still of use.
        let _ = writeln!(to, "{line}");
        found.extend(of(&line));
    }
    found
}

/// Target and file of a binary that cargo says it runs.
fn started_by(line: &str) -> Option<(String, String)> {
    let line = line.trim_start();
    if let Some(of) = line.strip_prefix("Doc-tests ") {
        return Some((format!("documentation of {of}"), String::new()));
    }
    let (source, file) = line.strip_prefix("Running ")?.strip_suffix(')')?.rsplit_once(" (")?;
    let binary = Path::new(file).file_stem()?.to_string_lossy().into_owned();
    Some((source.trim_start_matches("unittests ").to_owned(), binary))
}

/// Number of tests that ran and seconds that they took, of the last line of a test binary.
fn result_of(line: &str) -> Option<(u32, f64)> {
    let parts = line.strip_prefix("test result: ")?;
    let passed = parts.split(". ").nth(1)?.split(' ').next()?.parse().ok()?;
    let seconds = parts.rsplit_once("finished in ")?.1.strip_suffix('s')?.parse().ok()?;
    Some((passed, seconds))
}
