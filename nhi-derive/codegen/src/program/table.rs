//! Maps from expressions to values, indexed by id.

use crate::expr::Expr;
use std::ops::Index;

/// A map from expressions to `T`: a vector, because ids are small and dense.
#[derive(Clone, Debug)]
pub(crate) struct Table<T> {
    /// For each id one more than the position of its entry, or zero, which the allocator hands out for nothing.
    /// Boxed: unoptimised, an element of a vector takes several calls.
    positions: Box<[u32]>,
    entries: Vec<T>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table { positions: Box::default(), entries: Vec::new() }
    }
}

impl<T> Table<T> {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    fn position(&self, e: Expr) -> usize {
        let index = e.index();
        if index < self.positions.len() { self.positions[index] as usize } else { 0 }
    }

    pub(crate) fn get(&self, e: Expr) -> Option<&T> {
        match self.position(e) {
            0 => None,
            position => Some(&self.entries.as_slice()[position - 1]),
        }
    }

    pub(crate) fn contains(&self, e: Expr) -> bool {
        self.position(e) != 0
    }

    /// The expressions with an entry, in order.
    pub(crate) fn keys(&self) -> Vec<Expr> {
        let mut keys = Vec::with_capacity(self.entries.len());
        let mut index = 0;
        while index < self.positions.len() {
            if self.positions[index] != 0 {
                keys.push(Expr::at(index));
            }
            index += 1;
        }
        keys
    }

    /// Sets the entry of `e`; what it was before.
    pub(crate) fn insert(&mut self, e: Expr, value: T) -> Option<T> {
        match self.position(e) {
            0 => {
                self.push(e, value);
                None
            }
            position => Some(std::mem::replace(&mut self.entries[position - 1], value)),
        }
    }

    fn push(&mut self, e: Expr, value: T) {
        let index = e.index();
        if index >= self.positions.len() {
            let mut longer = vec![0; (index + 1).next_power_of_two()];
            longer[..self.positions.len()].copy_from_slice(&self.positions);
            self.positions = longer.into_boxed_slice();
        }
        self.entries.push(value);
        self.positions[index] = self.entries.len() as u32;
    }

    /// The entry of `e`, set to `T::default()` if there is none.
    pub(crate) fn entry(&mut self, e: Expr) -> &mut T
    where
        T: Default,
    {
        if !self.contains(e) {
            self.push(e, T::default());
        }
        let position = self.position(e);
        &mut self.entries[position - 1]
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
