//! Recordings as files: CSV for spreadsheets and plotting programs, JSON, which is a case again, and NPZ, which numpy reads
//! by itself. NPZ and not Parquet: its writer is a page of code, where that of Parquet brings along a hundred crates.

mod csv;
mod json;
mod npz;

pub use csv::csv;
pub use json::json;
pub use npz::npz;

use crate::recording::{About, Adaptive, Recording};
use serde_json::{Map, Value};
use std::io::{self, Write};

/// A file format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// A header and a line per sample.
    Csv,
    /// The same after comments that say what was run.
    CommentedCsv,
    /// The case and its samples.
    Json,
    /// An archive with an array per column, and what was run as the string `about`.
    Npz,
}

impl Format {
    /// The format of files with this extension.
    ///
    /// # Errors
    /// A message that names the extensions there are.
    pub fn of(extension: &str) -> Result<Format, String> {
        match extension {
            "csv" => Ok(Format::Csv),
            "json" => Ok(Format::Json),
            "npz" => Ok(Format::Npz),
            _ => Err("expected a name that ends in .csv, .json or .npz".to_owned()),
        }
    }

    /// The same format with comments; CSV alone has any.
    #[must_use]
    pub fn with_comments(self) -> Format {
        if self == Format::Csv { Format::CommentedCsv } else { self }
    }

    /// Writes a recording; JSON begins with the fields of its `case`.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(
        self,
        out: &mut dyn Write,
        recording: &Recording,
        case: &Map<String, Value>,
    ) -> io::Result<()> {
        match self {
            Format::Csv => csv(out, recording, false),
            Format::CommentedCsv => csv(out, recording, true),
            Format::Json => json(out, recording, case, &json::plain),
            Format::Npz => npz(out, recording),
        }
    }
}

/// What was run, by name.
fn facts(about: &About) -> Map<String, Value> {
    let About {
        system,
        declaration,
        parameters,
        method,
        h,
        adaptive,
        conservative: _,
        pose: _,
        stopped,
        events,
        warnings: _,
    } = about;
    let mut facts = Map::new();
    let mut add = |name: &str, value: Value| facts.insert(name.to_owned(), value);
    add("program", format!("nhi {}", env!("CARGO_PKG_VERSION")).into());
    add("system", system.as_str().into());
    add("declaration", declaration.as_str().into());
    add(
        "params",
        parameters
            .iter()
            .map(|(name, value)| (name.clone(), Value::from(*value)))
            .collect::<Map<_, _>>()
            .into(),
    );
    add("method", method.as_str().into());
    if let Some(Adaptive { tolerance, steps, rejections }) = adaptive {
        add("tolerance", (*tolerance).into());
        add("steps", (*steps).into());
        add("rejections", (*rejections).into());
    } else {
        add("h", (*h).into());
    }
    if !events.is_empty() {
        let times = events.iter().map(|(name, times)| (name.clone(), times.as_slice().into()));
        add("events", Value::Object(times.collect()));
    }
    if let Some(stopped) = stopped {
        add("stopped", stopped.as_str().into());
    }
    facts
}
