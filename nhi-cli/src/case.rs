//! Cases as JSON, before the model is resolved.

use crate::number::{Entry, Number};
use nhi_run::Inputs;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;

/// A mistake in a case, and its field.
#[derive(Clone, PartialEq, Debug)]
pub struct Malformed {
    /// Path of the field, such as `samples[3].q`; empty for the case as a whole.
    pub field: String,
    /// A description of the mistake.
    pub problem: String,
}

impl Malformed {
    pub(crate) fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Malformed { field: field.into(), problem: problem.into() }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        }
        // A single line, even if the quoted text has several.
        f.write_str(&self.problem.replace(['\n', '\r'], " "))
    }
}

impl std::error::Error for Malformed {}

/// A case as written in a file.
#[derive(Deserialize)]
pub(crate) struct Case {
    pub(crate) model: Option<String>,
    /// A file with a declaration, instead of a model.
    pub(crate) declaration: Option<String>,
    #[serde(rename = "struct")]
    pub(crate) name: Option<String>,
    /// Further quantities of the samples: expressions by their names.
    pub(crate) outputs: Option<BTreeMap<String, String>>,
    /// The coordinates that place a body in the plane: x, y and its heading.
    pub(crate) pose: Option<[String; 3]>,
    /// Bodies in pictures, by their names.
    pub(crate) bodies: Option<Map<String, Value>>,
    pub(crate) params: Option<BTreeMap<String, Entry>>,
    pub(crate) coordinates: Option<Vec<String>>,
    pub(crate) method: Option<String>,
    pub(crate) h: Option<Number>,
    pub(crate) steps: Option<Number>,
    pub(crate) every: Option<Number>,
    /// In the place of `h`, `steps` and `every`: a tolerance, the time of the last sample, and the time from one sample to the next.
    pub(crate) tolerance: Option<Number>,
    pub(crate) until: Option<Number>,
    pub(crate) every_time: Option<Number>,
    pub(crate) q0: Option<Vec<Number>>,
    pub(crate) v0: Option<Vec<Number>>,
    /// Auxiliary states, of declarations; zero if left out.
    pub(crate) z0: Option<Vec<Number>>,
    pub(crate) inputs: Option<Vec<Entry>>,
    /// For systems with a group factor: its name, shape and pose separately, retraction and quadrature.
    pub(crate) group: Option<String>,
    pub(crate) initial: Option<Initial>,
    pub(crate) tau: Option<String>,
    pub(crate) quadrature: Option<String>,
    pub(crate) start: Option<String>,
    /// Not interpreted: `run` ignores them.
    pub(crate) samples: Option<Value>,
    #[serde(flatten)]
    unknown: BTreeMap<String, Value>,
}

/// Initial data with separate shape and pose.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Initial {
    pub(crate) t: Option<Number>,
    pub(crate) r: Option<Vec<Number>>,
    pub(crate) g: Option<Vec<Number>>,
    pub(crate) v: Option<Vec<Number>>,
}

/// Remarks for the reader.
const REMARKS: [&str; 5] = ["state", "schema", "g_format", "alpha", "accuracy"];

/// The fields of a case.
const FIELDS: &[&str] = &[
    "model",
    "declaration",
    "struct",
    "outputs",
    "pose",
    "bodies",
    "params",
    "coordinates",
    "method",
    "h",
    "steps",
    "every",
    "tolerance",
    "until",
    "every_time",
    "q0",
    "v0",
    "z0",
    "inputs",
    "group",
    "initial",
    "tau",
    "quadrature",
    "start",
    "state",
    "samples",
];

/// A sample of a case, for comparison.
#[derive(Deserialize)]
pub(crate) struct GivenSample {
    pub(crate) k: Option<Number>,
    pub(crate) t: Option<Number>,
    pub(crate) q: Option<Vec<Number>>,
    pub(crate) v: Option<Vec<Number>>,
    pub(crate) z: Option<Vec<Number>>,
    pub(crate) inputs: Option<Vec<Number>>,
    pub(crate) p: Option<Vec<Number>>,
    pub(crate) lambda: Option<Vec<Number>>,
    pub(crate) reaction: Option<Vec<Number>>,
    pub(crate) energy: Option<Number>,
    pub(crate) p_pre: Option<Vec<Number>>,
    pub(crate) p_post: Option<Vec<Number>>,
    #[serde(flatten)]
    pub(crate) invariants: BTreeMap<String, Value>,
}

impl Case {
    /// The case in `text`.
    pub(crate) fn parse(text: &str) -> Result<Self, Malformed> {
        let case: Case = deserialize(&mut serde_json::Deserializer::from_str(text), "")?;
        match case.unknown.keys().find(|name| !REMARKS.contains(&name.as_str())) {
            Some(name) => Err(unknown(name, "field", FIELDS, "")),
            None => Ok(case),
        }
    }
}

/// The fields of the case in `text` in their order, without its samples.
pub(crate) fn echo(text: &str) -> Result<Map<String, Value>, Malformed> {
    let mut fields: Map<String, Value> = deserialize(&mut serde_json::Deserializer::from_str(text), "")?;
    fields.shift_remove("samples");
    Ok(fields)
}

/// A `T`, or the mistake and the path to it, which begins with `field`.
pub(crate) fn deserialize<'de, T: DeserializeOwned, D: serde::Deserializer<'de>>(
    deserializer: D,
    field: &str,
) -> Result<T, Malformed>
where
    D::Error: fmt::Display,
{
    serde_path_to_error::deserialize(deserializer).map_err(|error| {
        let path = match error.path().to_string() {
            // Only the top level.
            path if path == "." || path == "?" => String::new(),
            path => path,
        };
        let dot = if field.is_empty() || path.is_empty() || path.starts_with('[') { "" } else { "." };
        Malformed::new(format!("{field}{dot}{path}"), error.into_inner().to_string())
    })
}

/// An unknown `name`, with the nearest of the `known` ones that has a letter in common with it.
pub(crate) fn unknown(name: &str, kind: &str, known: &[&str], field: &str) -> Malformed {
    let nearest = known
        .iter()
        .map(|known| (strsim::damerau_levenshtein(&name.to_lowercase(), &known.to_lowercase()), known))
        .min()
        .filter(|(distance, known)| *distance < known.len() && 3 * distance <= known.len().max(3));
    let help = match nearest {
        Some((_, known)) => format!("did you mean `{known}`?"),
        None if known.is_empty() => "there are none".to_owned(),
        None => format!("expected one of {}", known.join(", ")),
    };
    Malformed::new(field, format!("unknown {kind} `{name}`, {help}"))
}

/// Control inputs: one vector that is held, or one for each step.
pub(crate) fn held_or_per_step(entries: &[Entry]) -> Result<Inputs, Malformed> {
    let one = |entry: &Entry| match entry {
        Entry::One(x) => Some(*x),
        Entry::Many(_) => None,
    };
    let many = |entry: &Entry| match entry {
        Entry::One(_) => None,
        Entry::Many(numbers) => Some(numbers.clone()),
    };
    let held = entries.iter().map(one).collect::<Option<_>>().map(Inputs::Held);
    held.or_else(|| entries.iter().map(many).collect::<Option<_>>().map(Inputs::PerStep))
        .ok_or_else(|| Malformed::new("inputs", "expected one vector, or one vector per step"))
}

/// As many numbers as expected.
pub(crate) fn vector(numbers: &[Number], length: usize, field: &str) -> Result<Vec<f64>, Malformed> {
    sized(numbers.iter().map(|number| number.0).collect(), length, field)
}

/// The same of numbers that are read.
pub(crate) fn sized(numbers: Vec<f64>, length: usize, field: &str) -> Result<Vec<f64>, Malformed> {
    if numbers.len() == length {
        Ok(numbers)
    } else {
        let entries = if length == 1 { "number" } else { "numbers" };
        Err(Malformed::new(field, format!("expected {length} {entries}, found {}", numbers.len())))
    }
}
