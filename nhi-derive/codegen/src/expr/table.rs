//! Maps from expressions to values, indexed by id.

use super::Expr;
use std::ops::Index;

/// Ids of one page.
const PAGE: usize = 16;

/// Entries, pages, and ranges of pages that there is room for from the first one on.
const FIRST: usize = 32;

/// A map from expressions to `T`: an array in pages, because ids are small and those of one program lie close together.
/// Boxed: unoptimised, an element of a vector takes several calls.
#[derive(Clone, Debug)]
pub(crate) struct Table<T> {
    /// For each page of ids one more than its position, or zero if none of the ids has an entry.
    pages: Box<[u32]>,
    /// For each id of a page one more than the position of its entry, or zero.
    positions: Box<[[u32; PAGE]]>,
    /// Pages in use.
    used: usize,
    entries: Vec<T>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table { pages: Box::default(), positions: Box::default(), used: 0, entries: Vec::new() }
    }
}

/// Makes room for the element at `index`, and for some after it.
fn reserve<A: Copy + Default>(all: &mut Box<[A]>, index: usize) {
    if index >= all.len() {
        let mut longer = vec![A::default(); (2 * index + 1).next_power_of_two().max(FIRST)];
        longer[..all.len()].copy_from_slice(all);
        *all = longer.into_boxed_slice();
    }
}

impl<T> Table<T> {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    fn position(&self, e: Expr) -> usize {
        let (page, at) = (e.index() / PAGE, e.index() % PAGE);
        match if page < self.pages.len() { self.pages[page] } else { 0 } {
            0 => 0,
            page => self.positions[page as usize - 1][at] as usize,
        }
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
        for (page, &position) in self.pages.iter().enumerate().filter(|(_, position)| **position != 0) {
            let positions = &self.positions[position as usize - 1];
            let found = (0..PAGE).filter(|&at| positions[at] != 0);
            keys.extend(found.map(|at| Expr::at(page * PAGE + at)));
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

    /// Removes all entries.
    pub(crate) fn clear(&mut self) {
        self.pages.fill(0);
        self.positions[..self.used].fill([0; PAGE]);
        self.used = 0;
        self.entries.clear();
    }

    fn push(&mut self, e: Expr, value: T) {
        let (page, at) = (e.index() / PAGE, e.index() % PAGE);
        reserve(&mut self.pages, page);
        if self.pages[page] == 0 {
            reserve(&mut self.positions, self.used);
            self.used += 1;
            self.pages[page] = self.used as u32;
        }
        if self.entries.is_empty() {
            self.entries.reserve(FIRST);
        }
        self.entries.push(value);
        self.positions[self.pages[page] as usize - 1][at] = self.entries.len() as u32;
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
