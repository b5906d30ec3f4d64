//! Declarations: what they mean, and what is wrong with them.

mod errors;
mod groups;
mod meaning;
mod random;

use nhi_codegen::declaration::Declaration;

/// Parses a struct with its attributes; on failure the errors without their places.
pub fn parse(source: &str) -> Result<Declaration, Vec<String>> {
    let input: syn::DeriveInput = syn::parse_str(source).expect("a struct");
    Declaration::parse(&input).map_err(|rejected| rejected.errors.iter().map(ToString::to_string).collect())
}

/// A system on `x`, `y`, `z` with parameters `m`, `r`, `c: [f64; 3]`, and the given further keys.
pub fn three(keys: &str) -> String {
    format!("#[nonholonomic(coordinates(x, y, z), {keys})] struct S {{ m: f64, r: f64, c: [f64; 3] }}")
}
