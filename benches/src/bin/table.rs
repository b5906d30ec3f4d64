//! Prints time and instructions per step of the workloads and of every model, and the time of steps in other
//! number types and of many trajectories. Options select one of the last two, the build time of each model, or larger systems.
//!
//! ```text
//! cargo run --release -p nhi-benches [-- [--all-methods] [--numbers | --ensembles | --large | --compile [MODEL ..]] [--out FILE]]
//! ```

use nhi_benches::count::Set;
use nhi_benches::document::{Table, with_tables};
use nhi_benches::table::Suite;
use nhi_benches::{compile, large, many, numbers};
use std::error::Error;
use std::fs;
use std::process::ExitCode;

/// Shows every model with all methods instead of a few.
const ALL_METHODS: &str = "--all-methods";

/// Measures only steps in other number types.
const NUMBERS: &str = "--numbers";

/// Measures only many trajectories.
const ENSEMBLES: &str = "--ensembles";

/// Measures larger systems.
const LARGE: &str = "--large";

/// Measures builds instead of steps, for all models or for those named after the option.
const COMPILE: &str = "--compile";

/// Writes the tables into a document instead.
const OUT: &str = "--out";

#[derive(Default)]
struct Arguments {
    all_methods: bool,
    numbers: bool,
    ensembles: bool,
    large: bool,
    compile: bool,
    /// Models whose builds are measured; all if none is named.
    models: Vec<String>,
    counted: Option<(Set, String)>,
    out: Option<String>,
}

impl Arguments {
    fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut parsed = Arguments::default();
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            if let Some(set) = Set::ALL.into_iter().find(|set| set.argument() == argument) {
                parsed.counted = arguments.next().map(|models| (set, models));
                continue;
            }
            match argument.as_str() {
                ALL_METHODS => parsed.all_methods = true,
                NUMBERS => parsed.numbers = true,
                ENSEMBLES => parsed.ensembles = true,
                LARGE => parsed.large = true,
                COMPILE => parsed.compile = true,
                OUT => parsed.out = Some(arguments.next().ok_or(format!("{OUT} needs a file"))?),
                model if parsed.compile && !model.starts_with('-') => parsed.models.push(model.to_owned()),
                other => {
                    return Err(format!(
                        "unknown argument {other}; expected {ALL_METHODS}, {NUMBERS}, {ENSEMBLES}, \
                         {LARGE}, {COMPILE} [MODEL ..] or {OUT} FILE"
                    ));
                }
            }
        }
        Ok(parsed)
    }
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    if let Some((set, models)) = &arguments.counted {
        Suite::counted(*set, models);
        return Ok(());
    }
    if arguments.compile {
        return write(&[compile::table(&arguments.models, arguments.all_methods)?], arguments.out.as_deref());
    }
    if arguments.large {
        return write(&[large::table()?], arguments.out.as_deref());
    }
    if arguments.numbers {
        return write(&[numbers::table()], arguments.out.as_deref());
    }
    if arguments.ensembles {
        return write(&[many::table()?], arguments.out.as_deref());
    }
    let (mut tables, notes) = Suite::new(arguments.all_methods).measure();
    tables.push(numbers::table());
    tables.push(many::table()?);
    for note in notes {
        eprintln!("{note}");
    }
    write(&tables, arguments.out.as_deref())
}

fn write(tables: &[Table], out: Option<&str>) -> Result<(), Box<dyn Error>> {
    if let Some(path) = out {
        let document = fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
        let document = with_tables(&document, tables).map_err(|e| format!("{path}: {e}"))?;
        fs::write(path, document).map_err(|e| format!("{path}: {e}"))?;
    } else {
        let texts: Vec<&str> = tables.iter().map(|table| table.text.as_str()).collect();
        print!("{}", texts.join("\n"));
    }
    Ok(())
}

fn main() -> ExitCode {
    let result = Arguments::parse(std::env::args().skip(1)).map_err(Into::into).and_then(|a| run(&a));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
