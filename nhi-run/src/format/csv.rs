//! CSV.

use super::facts;
use crate::recording::Recording;
use std::io::{self, Write};

/// A header and a line per sample; before them, on request, lines `# name: value` that say what was run. Numbers have as many
/// digits as it takes to read them back exactly.
///
/// # Errors
/// Those of `out`.
pub fn csv(out: &mut dyn Write, recording: &Recording, comments: bool) -> io::Result<()> {
    if comments {
        for (name, value) in facts(&recording.about) {
            writeln!(out, "# {name}: {value}")?;
        }
    }
    let names: Vec<&str> = recording.columns.iter().map(|column| column.name.as_str()).collect();
    writeln!(out, "{}", names.join(","))?;
    for i in 0..recording.samples() {
        for (j, column) in recording.columns.iter().enumerate() {
            let separator = if j == 0 { "" } else { "," };
            write!(out, "{separator}{}", number(column.values[i]))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// The shortest decimal that is read back as the number, with an exponent where there would be many zeros.
fn number(x: f64) -> String {
    let is_plain = x == 0.0 || !x.is_finite() || (1e-5..1e16).contains(&x.abs());
    if is_plain { x.to_string() } else { format!("{x:e}") }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_are_short_and_read_back() {
        for (x, text) in [
            (-1.1102230246251565e-16, "-1.1102230246251565e-16"),
            (0.1, "0.1"),
            (-2.0, "-2"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e-5, "0.00001"),
            (9.999999999999999e-6, "9.999999999999999e-6"),
            (123_456_789.0, "123456789"),
            (1e16, "1e16"),
            (f64::MAX, "1.7976931348623157e308"),
            (5e-324, "5e-324"),
            (0.0, "0"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(number(x), text);
            let read: f64 = text.parse().expect("a number");
            assert!(read.to_bits() == x.to_bits() || read.is_nan() && x.is_nan(), "{text}");
        }
    }
}
