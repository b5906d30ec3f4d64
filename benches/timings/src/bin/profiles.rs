//! What each row for a single crate in the profiles of `Cargo.toml` saves or costs: the processor time that the crate takes to
//! compile with the row, and without it.
//!
//! ```text
//! cargo run -p nhi-timings --bin profiles
//! ```

use nhi_timings::{act_as_wrapper, cargo, exit, measure, units};
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// A row such as `opt-level = "s"` under `[profile.release.package.nhi-codegen]`.
struct Row<'a> {
    profile: &'a str,
    package: &'a str,
    key: &'a str,
    value: &'a str,
}

impl Row<'_> {
    /// What cargo takes where there is no row.
    fn default(&self) -> Result<u32, String> {
        match (self.profile, self.key) {
            ("release", "opt-level") => Ok(3),
            ("release", "codegen-units") => Ok(16),
            ("dev", "opt-level") => Ok(0),
            _ => Err(format!("{} in the profile {} has no known default", self.key, self.profile)),
        }
    }
}

fn main() -> ExitCode {
    act_as_wrapper();
    exit(run())
}

fn run() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let manifest = fs::read_to_string(root.join("Cargo.toml"))?;
    let mut text =
        String::from("| profile | crate | row | with it, s | without, s |\n|---|---|---|---:|---:|\n");
    for row in rows(&manifest) {
        let Row { profile, package, key, value } = row;
        let without = format!("profile.{profile}.package.{package}.{key}={}", row.default()?);
        let with = seconds(&root, &row, &[])?;
        let without = seconds(&root, &row, &["--config", &without])?;
        text += &format!("| {profile} | {package} | `{key} = {value}` | {with:.1} | {without:.1} |\n");
    }
    println!("\n{text}");
    Ok(())
}

/// The rows of a manifest.
fn rows(manifest: &str) -> Vec<Row<'_>> {
    let (mut rows, mut of) = (Vec::new(), None);
    for line in manifest.lines() {
        if let Some(table) = line.strip_prefix('[') {
            let path = table.strip_prefix("profile.").and_then(|path| path.strip_suffix(']'));
            of = path.and_then(|path| path.split_once(".package."));
        } else if let (Some((profile, package)), Some((key, value))) = (of, line.split_once(" = ")) {
            rows.push(Row { profile, package, key, value });
        }
    }
    rows
}

/// What the crate of a row takes to compile, in a target directory of these builds.
fn seconds(root: &Path, row: &Row<'_>, options: &[&str]) -> Result<f64, Box<dyn Error>> {
    let target = root.join("target").join("profiles");
    let log = target.join("timings.tsv");
    let common = ["--profile", row.profile, "--package", row.package];
    for (verb, log) in [("clean", None), ("build", Some(&log))] {
        let mut cargo = cargo();
        cargo.arg(verb).args(common).args(options).arg("--target-dir").arg(&target).current_dir(root);
        if let Some(log) = log {
            measure(&mut cargo, log)?;
        }
        if !cargo.status()?.success() {
            return Err(format!("cargo {verb} of {} failed", row.package).into());
        }
    }
    let is_it = |file: &str| file.starts_with(&format!("{}-", row.package.replace('-', "_")));
    let units = units(&log);
    let unit = units.iter().rfind(|unit| is_it(&unit.file));
    Ok(unit.ok_or_else(|| format!("{} was not compiled", row.package))?.seconds)
}
