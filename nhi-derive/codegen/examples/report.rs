//! Prints the report of a struct: `cargo run -p nhi-codegen --example report -- FILE.rs FORMAT [STRUCT]`.

use nhi_codegen::engine::default_engine;
use nhi_codegen::report::{Format, report};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, format, rest @ ..] = &arguments[..] else { return Err("FILE.rs FORMAT [STRUCT]".into()) };
    let format = Format::named(format).ok_or("md, tex, html or json")?;
    let source = std::fs::read_to_string(file)?;
    print!("{}", report(&source, rest.first().map(String::as_str), format, default_engine().as_mut())?);
    Ok(())
}
