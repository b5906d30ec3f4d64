//! JSON.

use crate::recording::{Quantity, Recording};
use serde_json::{Map, Value};
use std::io::{self, Write};

/// Adds the fields of a configuration and a velocity.
type State<'a> = &'a dyn Fn(&[f64], &[f64], &mut Map<String, Value>);

/// The fields `q` and `v`.
pub(super) fn plain(q: &[f64], v: &[f64], fields: &mut Map<String, Value>) {
    fields.insert("q".to_owned(), q.into());
    fields.insert("v".to_owned(), v.into());
}

/// The fields of the case, and its samples, one a line. `state` writes the configuration and the velocity of a sample.
///
/// # Errors
/// Those of `out`.
pub fn json(
    out: &mut dyn Write,
    recording: &Recording,
    case: &Map<String, Value>,
    state: State<'_>,
) -> io::Result<()> {
    writeln!(out, "{{")?;
    for (name, value) in case {
        writeln!(out, "  {}: {value},", Value::from(name.as_str()))?;
    }
    write!(out, "  \"samples\": [")?;
    for i in 0..recording.samples() {
        let separator = if i == 0 { "" } else { "," };
        write!(out, "{separator}\n    {}", Value::Object(sample(recording, i, state)))?;
    }
    writeln!(out, "\n  ]\n}}")
}

fn sample(recording: &Recording, i: usize, state: State<'_>) -> Map<String, Value> {
    let all = |quantity| -> Vec<f64> { recording.all(quantity).map(|column| column.values[i]).collect() };
    let mut fields = Map::new();
    for column in recording.all(Quantity::Step) {
        fields.insert("k".to_owned(), (column.values[i] as u64).into());
    }
    for quantity in [Quantity::Time, Quantity::Swept] {
        for column in recording.all(quantity) {
            fields.insert(column.name.clone(), column.values[i].into());
        }
    }
    state(&all(Quantity::Coordinate), &all(Quantity::Velocity), &mut fields);
    for (name, quantity) in [
        ("z", Quantity::State),
        ("inputs", Quantity::Input),
        ("p", Quantity::Momentum),
        ("lambda", Quantity::Multiplier),
        ("reaction", Quantity::Reaction),
    ] {
        let numbers = all(quantity);
        let is_optional = matches!(quantity, Quantity::State | Quantity::Input);
        if !(numbers.is_empty() && is_optional) {
            fields.insert(name.to_owned(), numbers.into());
        }
    }
    for column in recording.all(Quantity::Energy) {
        fields.insert("energy".to_owned(), column.values[i].into());
    }
    for (name, quantity) in [("p_pre", Quantity::MomentumBefore), ("p_post", Quantity::MomentumAfter)] {
        let numbers = all(quantity);
        if !numbers.is_empty() {
            fields.insert(name.to_owned(), numbers.into());
        }
    }
    for column in recording.all(Quantity::Output) {
        fields.insert(column.name.clone(), column.values[i].into());
    }
    fields
}
