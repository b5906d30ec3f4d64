//! Declarations: what they mean, and what is wrong with them.

mod bodies;
mod derivatives;
mod errors;
mod families;
mod groups;
mod meaning;
mod one_mistake;
mod random;
mod states;
mod unused;
mod vectors;
mod written_out;
mod zero;

use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::pipeline::Derived;

/// Parses a struct with its attributes; on failure the errors without their places.
pub(super) fn parse(source: &str) -> Result<Declaration, Vec<String>> {
    let input: syn::DeriveInput = syn::parse_str(source).expect("a struct");
    Declaration::parse(&input).map_err(|rejected| rejected.errors.iter().map(ToString::to_string).collect())
}

/// A system on `x`, `y`, `z` with parameters `m`, `r`, `c: [f64; 3]`, and the given further keys.
pub(super) fn three(keys: &str) -> String {
    format!("#[nonholonomic(coordinates(x, y, z), {keys})] struct S {{ m: f64, r: f64, c: [f64; 3] }}")
}

/// The first lines of the errors, without their places.
pub(super) fn errors(source: &str) -> Vec<String> {
    let errors = parse(source).err().unwrap_or_default();
    let message = |e: &String| {
        e.lines().next().and_then(|l| l.split_once(": ").map(|(_, m)| m)).unwrap_or(e).to_owned()
    };
    errors.iter().map(message).collect()
}

/// The implementation, or the errors.
pub(super) fn implemented(source: &str) -> Result<String, Vec<String>> {
    let texts = |rejected: Box<nhi_codegen::declaration::Rejected>| {
        rejected.errors.iter().map(ToString::to_string).collect::<Vec<String>>()
    };
    let derived = Derived::new(parse(source)?, &mut BuiltIn).map_err(texts)?;
    let code = derived.implementation().map_err(texts)?;
    Ok(code.to_string())
}
