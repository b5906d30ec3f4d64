//! CSV.

use super::facts;
use crate::recording::Recording;
use std::io::{self, Write};

/// Comments `# name: value` with what was run, a header, and a line per sample. Numbers have as many digits as it takes to
/// read them back exactly.
///
/// # Errors
/// Those of `out`.
pub fn csv(out: &mut dyn Write, recording: &Recording) -> io::Result<()> {
    for (name, value) in facts(&recording.about) {
        writeln!(out, "# {name}: {value}")?;
    }
    let names: Vec<&str> = recording.columns.iter().map(|column| column.name.as_str()).collect();
    writeln!(out, "{}", names.join(","))?;
    for i in 0..recording.samples() {
        for (j, column) in recording.columns.iter().enumerate() {
            let separator = if j == 0 { "" } else { "," };
            write!(out, "{separator}{}", column.values[i])?;
        }
        writeln!(out)?;
    }
    Ok(())
}
