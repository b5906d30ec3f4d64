//! What is known about expressions, by their ids.

use crate::expr::Expr;
use std::ops::Index;

/// A map from expressions to `T`: a vector, because ids are small and dense.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Table<T> {
    entries: Vec<Option<T>>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table { entries: Vec::new() }
    }
}

impl<T> Table<T> {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn get(&self, e: Expr) -> Option<&T> {
        self.entries.get(e.index()).and_then(Option::as_ref)
    }

    pub(crate) fn contains(&self, e: Expr) -> bool {
        self.get(e).is_some()
    }

    /// The expressions with an entry, in order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = Expr> {
        let set = self.entries.iter().enumerate().filter(|(_, entry)| entry.is_some());
        set.map(|(i, _)| Expr::at(i))
    }

    /// Sets the entry of `e`; what it was before.
    pub(crate) fn insert(&mut self, e: Expr, value: T) -> Option<T> {
        if self.entries.len() <= e.index() {
            self.entries.resize_with(e.index() + 1, || None);
        }
        self.entries[e.index()].replace(value)
    }

    /// The entry of `e`, set to `T::default()` if there is none.
    pub(crate) fn entry(&mut self, e: Expr) -> &mut T
    where
        T: Default,
    {
        if !self.contains(e) {
            self.insert(e, T::default());
        }
        self.entries[e.index()].as_mut().expect("just set")
    }
}

impl<T> Index<Expr> for Table<T> {
    type Output = T;

    fn index(&self, e: Expr) -> &T {
        self.get(e).expect("an entry for every expression asked for")
    }
}

impl<T> Extend<(Expr, T)> for Table<T> {
    fn extend<I: IntoIterator<Item = (Expr, T)>>(&mut self, entries: I) {
        for (e, value) in entries {
            self.insert(e, value);
        }
    }
}

impl<T> FromIterator<(Expr, T)> for Table<T> {
    fn from_iter<I: IntoIterator<Item = (Expr, T)>>(entries: I) -> Self {
        let mut table = Table::new();
        table.extend(entries);
        table
    }
}
