//! The names of the numbers of a state, and what consecutive numbers of one name are.

use crate::system::{Quantity, System};
use proc_macro2::Ident;
use std::collections::BTreeSet;
use syn::ext::IdentExt;
use syn::parse::Parser;

/// The names of the numbers of a state, flattened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateNames {
    /// Coordinates, which are no entries of a pose.
    pub coordinates: Vec<String>,
    /// Entries of a pose, which come after them.
    pub pose: Vec<String>,
    /// Body velocities, which come after the velocities of coordinates.
    pub body_velocities: Vec<String>,
    /// Auxiliary states.
    pub states: Vec<String>,
    /// Labels of the constraints, or their texts.
    pub constraints: Vec<String>,
}

impl StateNames {
    /// Those of a system.
    pub fn of(system: &System) -> StateNames {
        let names = |all: &[Quantity]| all.iter().map(|quantity| quantity.name.clone()).collect();
        let (coordinates, pose) = system.coordinates.split_at(system.shape());
        StateNames {
            coordinates: names(coordinates),
            pose: names(pose),
            body_velocities: names(&system.velocities[system.shape()..]),
            states: names(&system.states),
            constraints: system.constraints.iter().map(|constraint| constraint.label.clone()).collect(),
        }
    }

    /// All numbers of a state by name: first those with names as they are declared, then those with derived names, which get
    /// underscores where they are taken.
    pub(crate) fn fields(&self) -> Vec<NamedField> {
        let after = self.coordinates.len();
        let [coordinates, states, constraints] =
            [&self.coordinates, &self.states, &self.constraints].map(|names| entries(names, 0));
        let [pose, body_velocities] = [&self.pose, &self.body_velocities].map(|names| entries(names, after));
        let both = Some("configurations and velocities");
        // The vector, the vectors with this index, the prefix of the name, and what the number is.
        let all = [
            ("q", both, "", "Coordinate", &coordinates),
            ("q", Some("configurations"), "", "Pose", &pose),
            ("v", None, "dot_", "Velocity of", &coordinates),
            ("v", Some("velocities"), "", "Body velocity", &body_velocities),
            ("states", Some("auxiliary states"), "", "Auxiliary state", &states),
            ("lambda", None, "lambda_", "Multiplier of", &constraints),
        ];
        let declared = all.iter().filter(|(_, _, prefix, ..)| prefix.is_empty());
        let mut taken: BTreeSet<String> =
            declared.flat_map(|(.., entries)| entries.iter().map(|entry| entry.name.clone())).collect();
        let mut fields = Vec::new();
        for (of, vectors, prefix, what, entries) in all {
            for entry in entries {
                let Entry { first, lengths, .. } = entry.clone();
                let mut name = format!("{prefix}{}", entry.name);
                while !prefix.is_empty() && !taken.insert(name.clone()) {
                    name.push('_');
                }
                let label = match of {
                    "lambda" if lengths.is_empty() => &self.constraints[first],
                    _ => &entry.name,
                };
                let doc = format!(" {what} `{label}`.");
                fields.push(NamedField { name, doc, of, vectors, first, lengths });
            }
        }
        fields
    }
}

/// Numbers of a state that have one name.
pub(crate) struct NamedField {
    pub(crate) name: String,
    pub(crate) doc: String,
    /// The vector that they are entries of: `q`, `v`, `lambda` or `states`.
    pub(crate) of: &'static str,
    /// The vectors of users that they have this place in, of numbers with a name as it is declared.
    pub(crate) vectors: Option<&'static str>,
    /// Place of the first one.
    pub(crate) first: usize,
    /// The lengths of their indices, none for a number.
    pub(crate) lengths: Vec<usize>,
}

/// Consecutive numbers of a vector that have one name.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Entry {
    name: String,
    /// Place of the first one.
    first: usize,
    /// The lengths of its indices, none for a number.
    lengths: Vec<usize>,
}

/// The entries with these names, from the place `from` on: `y[0]`, `y[1]` are the array `y`, and `w[1]`, `w[2]` the numbers
/// `w_1` and `w_2`. The name of a text is its place.
fn entries(names: &[String], from: usize) -> Vec<Entry> {
    let read: Vec<Option<(&str, Vec<usize>)>> = names.iter().map(|name| indexed(name)).collect();
    let mut entries = Vec::new();
    let mut first = 0;
    while let Some(next) = read.get(first) {
        let Some((name, indices)) = next else {
            entries.push(Entry { name: first.to_string(), first: from + first, lengths: Vec::new() });
            first += 1;
            continue;
        };
        let run: Vec<&Vec<usize>> = read[first..]
            .iter()
            .map_while(|other| match other {
                Some((base, of)) if base == name && of.len() == indices.len() => Some(of),
                _ => None,
            })
            .collect();
        let length = |axis: usize| run.iter().map(|of| of[axis].saturating_add(1)).max().unwrap_or_default();
        let lengths: Vec<usize> = (0..indices.len()).map(length).collect();
        // Row by row, from 0.
        let place = |of: &[usize]| {
            of.iter().zip(&lengths).fold(0_usize, |place, (i, n)| place.saturating_mul(*n).saturating_add(*i))
        };
        let count = lengths.iter().try_fold(1_usize, |count, length| count.checked_mul(*length));
        if count == Some(run.len()) && run.iter().enumerate().all(|(k, of)| place(of) == k) {
            entries.push(Entry { name: (*name).to_owned(), first: from + first, lengths });
        } else {
            entries.extend(run.iter().enumerate().map(|(k, of)| {
                let name = of.iter().fold((*name).to_owned(), |name, i| format!("{name}_{i}"));
                Entry { name, first: from + first + k, lengths: Vec::new() }
            }));
        }
        first += run.len();
    }
    entries
}

/// `y[0][1]` as a name with indices; none if the text is anything else.
fn indexed(text: &str) -> Option<(&str, Vec<usize>)> {
    let (name, rest) = text.split_at(text.find('[').unwrap_or(text.len()));
    let mut indices = Vec::new();
    if !rest.is_empty() {
        for index in rest.strip_prefix('[')?.strip_suffix(']')?.split("][") {
            indices.push(index.parse().ok()?);
        }
    }
    is_identifier(name).then_some((name, indices))
}

fn is_identifier(text: &str) -> bool {
    Ident::parse_any.parse_str(text).is_ok()
}
