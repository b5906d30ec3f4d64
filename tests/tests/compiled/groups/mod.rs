//! The groups of the runtime against data computed with 55 digits, and simulations that start on them.

mod maps;
mod momentum;
mod particle;
mod starts;
mod trajectories;

use serde_json::Value;
use std::{fs, path::Path};

/// A file of the reference data.
fn golden(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/lie").join(name).with_extension("json");
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap()
}

/// A list of numbers.
fn numbers(list: &Value) -> Vec<f64> {
    let entries = list.as_array().unwrap_or_else(|| panic!("{list} is no list"));
    entries.iter().map(|x| x.as_f64().expect("a number")).collect()
}
