//! The names of `let`: single values, and arrays whose entries are defined one by one.

use super::ast::{Ast, Name};
use super::attribute::Let;
use super::error::{Context, Error, Extent};
use super::families::{Instance, Items};
use super::integers::{Loops, integer};
use super::names::{Meaning, Resolver, Scope};
use std::collections::{BTreeMap, HashSet};

/// A name of `let`.
#[derive(Debug)]
pub(crate) struct Definition {
    /// Number of indices, none for a single value.
    pub(crate) indices: usize,
    /// Positions of its entries among the values of all `let` names, by their indices.
    pub(crate) entries: BTreeMap<Vec<i64>, usize>,
    /// Whether all entries are known.
    pub(crate) complete: bool,
}

impl Definition {
    /// Whether it is an array with the entries 0, 1, 2, which is a vector if they are numbers.
    pub(crate) fn has_three_entries(&self) -> bool {
        self.indices == 1 && self.entries.keys().map(|key| key[0]).eq(0..3)
    }

    /// "the entries of `x` are `x[0]` to `x[3]`"
    pub(crate) fn range(&self, name: &str) -> Option<String> {
        let (first, last) = (self.entries.keys().next()?, self.entries.keys().next_back()?);
        Some(match first == last {
            true => format!("the only entry of `{name}` is `{}`", entry(name, first)),
            false => {
                format!("the entries of `{name}` are `{}` to `{}`", entry(name, first), entry(name, last))
            }
        })
    }
}

/// `x[0]`, `a[1][2]`.
pub(crate) fn entry(name: &str, indices: &[i64]) -> String {
    indices.iter().fold(name.to_owned(), |name, i| format!("{name}[{i}]"))
}

impl Scope {
    /// Declares the name of a definition, unless it is a further entry of an array.
    pub(crate) fn define(&mut self, definition: &Let, context: &Context) {
        let Name { text, at } = &definition.name.name;
        let count = definition.name.indices.len();
        if let Some(Meaning::Let(i)) = self.meaning(text) {
            let first = self.definitions[i].indices;
            if first == count && count > 0 {
                return;
            }
            if first != count {
                let message = match (first, count) {
                    (0, _) | (_, 0) => format!("`{text}` is defined both as an array and as a single value"),
                    _ => format!("`{text}` is defined with different numbers of indices"),
                };
                self.clash(Error::new(definition.name.at, message), text, context);
                return;
            }
        }
        let i = self.definitions.len();
        if self.declare(&Name { text: text.clone(), at: *at }, Meaning::Let(i), context) {
            self.definitions.push(Definition { indices: count, entries: BTreeMap::new(), complete: true });
        }
    }

    /// Writes out the families of `let` and fills in the entries of its arrays. The instances that come back are in
    /// the order in which their values are defined.
    pub(crate) fn define_entries<'a>(
        &mut self,
        lets: &'a Items<Let>,
        context: &Context,
    ) -> Vec<Instance<'a, Let>> {
        let mut resolver = Resolver::new(self, context);
        let mut broken: HashSet<*const Let> = HashSet::new();
        let (instances, complete) = lets.instances(&mut resolver, &mut |resolver, definition| {
            if !resolver.indices(&definition.name.indices) {
                broken.insert(definition);
            }
        });
        let mut firsts: Vec<BTreeMap<Vec<i64>, (usize, &Let)>> = Vec::new();
        firsts.resize_with(self.definitions.len(), BTreeMap::new);
        let mut whole = vec![complete; self.definitions.len()];
        for (position, Instance { item, loops }) in instances.iter().enumerate() {
            let name = &item.name.name.text;
            let Some(Meaning::Let(i)) = self.meaning(name) else { continue };
            if self.definitions[i].indices != item.name.indices.len() {
                continue;
            }
            if broken.contains(&std::ptr::from_ref(*item)) {
                whole[i] = false;
                continue;
            }
            let key = match self.key(item, loops) {
                Ok(key) => key,
                Err(error) => {
                    broken.insert(*item);
                    whole[i] = false;
                    context.push(error);
                    continue;
                }
            };
            match firsts[i].get(&key) {
                None => {
                    firsts[i].insert(key, (position, item));
                }
                // Two definitions of a single value are declared twice, which is reported.
                Some((_, first)) if key.is_empty() && !std::ptr::eq(*first, *item) => {}
                Some((_, first)) => {
                    broken.insert(*item);
                    context.push(defined_twice(&entry(name, &key), item, first));
                }
            }
        }
        for ((definition, entries), whole) in self.definitions.iter_mut().zip(firsts).zip(whole) {
            definition.entries = entries.into_iter().map(|(key, (position, _))| (key, position)).collect();
            definition.complete = whole;
        }
        instances
    }

    /// The indices of the entry that an item defines.
    pub(crate) fn key(&self, item: &Let, loops: &Loops) -> Result<Vec<i64>, Error> {
        let index = |index| {
            let i = self.integer(index, loops)?;
            if i < 0 {
                return Err(Error::new(index.at, format!("the index {i} is negative"))
                    .help("the entries of arrays are counted from 0"));
            }
            Ok(i)
        };
        item.name.indices.iter().map(index).collect()
    }

    /// The value of an integer whose names are known to be loop variables and const parameters.
    pub(crate) fn integer(&self, ast: &Ast, loops: &Loops) -> Result<i64, Error> {
        let mut work = usize::MAX;
        integer(ast, &self.constants().with(loops), &mut work).map_err(|error| {
            error.unwrap_or_else(|| Error::new(ast.at, "expected an integer, found an expression"))
        })
    }
}

/// An error about the second definition of `entry`.
fn defined_twice(entry: &str, item: &Let, first: &Let) -> Error {
    let at: Extent = item.name.at;
    let error = Error::new(at, format!("`{entry}` is defined twice"));
    match std::ptr::eq(item, first) {
        true => error.help("in a family the indices of the name have to depend on every loop variable"),
        false => error.second(first.name.at, format!("`{entry}` is first defined here")),
    }
}
