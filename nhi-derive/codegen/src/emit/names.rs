//! Rust identifiers for values.

use crate::expr::group::GROUPS;
use crate::expr::{Numbers, identifier};
use proc_macro2::{Ident, Span};
use std::collections::{BTreeMap, BTreeSet};

/// Names with a meaning of their own in emitted functions, and those of the prelude that a pattern
/// could not bind.
const RESERVED: &[&str] = &[
    "prepared",
    "state",
    "next",
    "parameters",
    "q",
    "v",
    "states",
    "inputs",
    "w",
    "zeros",
    "newton",
    "Some",
    "None",
    "Ok",
    "Err",
];

/// Identifiers of one function, unique in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    of: BTreeMap<String, Ident>,
    taken: BTreeSet<String>,
    numbers: Numbers,
}

impl Names {
    /// The identifier of a name: the name itself, with an underscore or number where that is taken.
    pub(super) fn of(&mut self, name: &str) -> Ident {
        if let Some(ident) = self.of.get(name) {
            return ident.clone();
        }
        let mut base = identifier(name);
        // Groups are tuple structs, whose names are no variables.
        if RESERVED.contains(&base.as_str()) || GROUPS.iter().any(|group| group.runtime == base) {
            base.push('_');
        }
        let ident = spelled(&self.numbers.unique(&base, |name| self.taken.insert(name.to_owned())));
        self.of.insert(name.to_owned(), ident.clone());
        ident
    }
}

/// An identifier of that name, raw if it is a keyword.
pub(super) fn spelled(name: &str) -> Ident {
    // Most names end with a number, as no keyword does; to parse them takes long.
    let is_plain = name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric());
    if is_plain
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.ends_with(|c: char| c.is_ascii_digit())
    {
        return Ident::new(name, Span::call_site());
    }
    if let Ok(ident) = syn::parse_str::<Ident>(name) {
        return ident;
    }
    match name {
        "self" | "Self" | "super" | "crate" | "_" | "" => Ident::new(&format!("{name}_"), Span::call_site()),
        _ => Ident::new_raw(name, Span::call_site()),
    }
}
