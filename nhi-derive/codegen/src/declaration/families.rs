//! Lists of items, and families of items in them: `for i in 0..3 { ... }`.
//!
//! `Items::parse` reads a list with any kind of items. `Items::check` goes through it as it is written, for names;
//! `Items::instances` writes the families out, each item with the values of the loop variables around it.

use super::ast::Range;
use super::attribute::group_extent;
use super::cursor::{Cursor, token_trees};
use super::error::{Context, Error};
use super::grammar;
use super::integers::{Loops, integer};
use super::names::Resolver;
use proc_macro2::{Delimiter, Group, TokenTree};
use std::collections::HashSet;

/// Most values of loop variables that the families of one list have.
const MAX_INSTANCES: usize = 4096;
/// Most operations on their bounds.
const MAX_WORK: usize = 1_000_000;

const FORM: &str = "families are written `for i in 0..3 { ... }`";

/// The items of a list.
#[derive(Clone, Debug)]
pub(crate) struct Items<T> {
    items: Vec<Item<T>>,
    /// Whether all of them could be read.
    pub(crate) complete: bool,
}

#[derive(Clone, Debug)]
enum Item<T> {
    One(T),
    /// `for i in 0..3 { ... }`.
    Family(Range, Vec<Item<T>>),
}

/// An item with the values of the loop variables around it.
#[derive(Clone, Debug)]
pub(crate) struct Instance<'a, T> {
    pub(crate) item: &'a T,
    pub(crate) loops: Loops,
}

impl<T> Default for Items<T> {
    fn default() -> Self {
        Items { items: Vec::new(), complete: true }
    }
}

impl<T> Items<T> {
    /// Reads the items between commas, each by `read`. Malformed ones are left out.
    pub(crate) fn parse(
        group: &Group,
        context: &Context,
        read: &mut dyn FnMut(&mut Cursor<'_>) -> Result<T, Error>,
    ) -> Items<T> {
        let mut complete = true;
        let items = list(group, 0, &mut complete, context, read);
        Items { items, complete }
    }

    /// Appends the items of another list.
    pub(crate) fn extend(&mut self, other: Items<T>) {
        self.items.extend(other.items);
        self.complete &= other.complete;
    }

    /// The items as they are written, in order.
    pub(crate) fn written(&self) -> Vec<&T> {
        fn collect<'a, T>(items: &'a [Item<T>], result: &mut Vec<&'a T>) {
            for item in items {
                match item {
                    Item::One(item) => result.push(item),
                    Item::Family(_, items) => collect(items, result),
                }
            }
        }
        let mut result = Vec::new();
        collect(&self.items, &mut result);
        result
    }

    /// The items that the families stand for, in order, and whether all of them are known. Mistakes in ranges are
    /// reported, and so are those that `check` finds in an item as it is written.
    pub(crate) fn instances<'a>(
        &'a self,
        resolver: &mut Resolver<'_>,
        check: &mut dyn FnMut(&mut Resolver<'_>, &T),
    ) -> (Vec<Instance<'a, T>>, bool) {
        let mut broken = HashSet::new();
        check_written(&self.items, resolver, check, &mut broken);
        let mut expansion = Expansion {
            resolver,
            loops: Loops::new(),
            broken,
            left: MAX_INSTANCES,
            work: MAX_WORK,
            complete: self.complete,
            instances: Vec::new(),
        };
        expansion.expand(&self.items);
        (expansion.instances, expansion.complete)
    }
}

fn list<T>(
    group: &Group,
    depth: usize,
    complete: &mut bool,
    context: &Context,
    read: &mut dyn FnMut(&mut Cursor<'_>) -> Result<T, Error>,
) -> Vec<Item<T>> {
    let tokens = token_trees(group.stream());
    let (parts, commas) = Cursor::new(&tokens, group_extent(group)).split_at_commas();
    commas.into_iter().for_each(|e| context.push(e));
    let mut items = Vec::new();
    for mut part in parts {
        let item = match part.peek() {
            Some(TokenTree::Ident(ident)) if ident == "for" => {
                family(&mut part, depth, complete, context, read)
            }
            _ => read(&mut part).map(Item::One),
        };
        match context.keep(item) {
            Some(item) => items.push(item),
            None => *complete = false,
        }
    }
    items
}

/// `for i in 0..3 { ... }`.
fn family<T>(
    part: &mut Cursor<'_>,
    depth: usize,
    complete: &mut bool,
    context: &Context,
    read: &mut dyn FnMut(&mut Cursor<'_>) -> Result<T, Error>,
) -> Result<Item<T>, Error> {
    part.next();
    let depth = grammar::nested(depth, part.last())?;
    let range = grammar::range(part, depth, FORM)?;
    let Some(group) = part.eat_group(Delimiter::Brace) else {
        return Err(part.unexpected("`{`").help(FORM));
    };
    if group.stream().is_empty() {
        return Err(Error::new(group_extent(group), "expected an item in here").help(FORM));
    }
    let items = list(group, depth, complete, context, read);
    part.end("`,`")?;
    Ok(Item::Family(range, items))
}

/// Checks loop variables, bounds and items once each; `broken` are the ranges with mistakes.
fn check_written<T>(
    items: &[Item<T>],
    resolver: &mut Resolver<'_>,
    check: &mut dyn FnMut(&mut Resolver<'_>, &T),
    broken: &mut HashSet<*const Range>,
) {
    for item in items {
        match item {
            Item::One(item) => check(resolver, item),
            Item::Family(range, items) => {
                if !resolver.range(range) {
                    broken.insert(range);
                }
                resolver.loops.push(range.variable.text.clone());
                check_written(items, resolver, check, broken);
                resolver.loops.pop();
            }
        }
    }
}

struct Expansion<'a, 'b, 'c, T> {
    resolver: &'b Resolver<'c>,
    loops: Loops,
    /// Ranges with mistakes that are reported.
    broken: HashSet<*const Range>,
    left: usize,
    work: usize,
    complete: bool,
    instances: Vec<Instance<'a, T>>,
}

impl<'a, T> Expansion<'a, '_, '_, T> {
    fn expand(&mut self, items: &'a [Item<T>]) {
        for item in items {
            match item {
                Item::One(item) => self.instances.push(Instance { item, loops: self.loops.clone() }),
                Item::Family(range, items) => self.family(range, items),
            }
        }
    }

    fn family(&mut self, range: &Range, items: &'a [Item<T>]) {
        let values = match self.values(range) {
            Ok(values) => values,
            Err(error) => {
                self.complete = false;
                if let Some(error) = error
                    && self.broken.insert(range)
                {
                    self.resolver.context.push(error);
                }
                return;
            }
        };
        for i in values {
            self.loops.push((range.variable.text.clone(), i));
            self.expand(items);
            self.loops.pop();
        }
    }

    /// The values of a loop variable; without an error where that is reported already.
    fn values(&mut self, range: &Range) -> Result<std::ops::Range<i64>, Option<Error>> {
        if self.broken.contains(&std::ptr::from_ref(range)) || self.left == 0 {
            return Err(None);
        }
        let value = self.resolver.scope.constants().with(&self.loops);
        let from = integer(&range.from, &value, &mut self.work);
        let to = integer(&range.to, &value, &mut self.work);
        let at = range.from.at.to(range.to.at);
        let too_many = || {
            let values = format!("more than {MAX_INSTANCES} values of loop variables");
            Error::new(at, format!("these families have {values}, too many to be written out"))
        };
        if self.work == 0 {
            self.left = 0;
            return Err(Some(too_many()));
        }
        let (from, to) = (from?, to?);
        if to < from {
            let error = Error::new(at, format!("the range {from}..{to} ends before it begins"));
            return Err(Some(error.help("ranges count up: `0..3` is 0, 1, 2")));
        }
        let length = usize::try_from(to.abs_diff(from)).unwrap_or(usize::MAX);
        if length > self.left {
            return Err(Some(too_many()));
        }
        self.left -= length;
        Ok(from..to)
    }
}
