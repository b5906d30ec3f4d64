//! Expressions as Rust.

use super::names::Names;
use crate::expr::{Expr, Pool};
use crate::group::Entry;
use crate::program::{Constants, Shape};
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use std::collections::HashMap;

/// How tightly the surroundings bind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Place {
    /// Anything may stand here.
    Open,
    /// A term of a sum.
    Term,
    /// A factor of a product.
    Factor,
    /// What a method is called on.
    Receiver,
}

/// Writes the expressions of one function.
pub(super) struct Writer<'a> {
    pub(super) pool: &'a mut Pool,
    pub(super) constants: &'a mut Constants,
    pub(super) names: Names,
    /// When each symbol was bound.
    order: HashMap<Expr, usize>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(pool: &'a mut Pool, constants: &'a mut Constants, names: Names) -> Self {
        Writer { pool, constants, names, order: HashMap::new() }
    }

    /// Binds a symbol: its identifier.
    pub(super) fn bind(&mut self, symbol: Expr) -> TokenStream {
        let next = self.order.len() + 1;
        self.order.entry(symbol).or_insert(next);
        let ident = self.names.of(self.pool, symbol);
        quote!(#ident)
    }

    /// `e` as it can stand in `place`.
    ///
    /// Operands stand in the order in which they become known: what is there first is added or
    /// multiplied first, and what comes last is waited for by one operation only. The passes keep
    /// expressions shallow, so that recursion is bounded.
    pub(super) fn expression(&mut self, e: Expr, place: Place) -> TokenStream {
        let shape = Shape::of(self.pool, self.constants, e);
        let (tokens, own) = match shape {
            Shape::Constant(c) => (constant(c), Place::Receiver),
            Shape::Symbol => {
                let ident = self.names.of(self.pool, e);
                (quote!(#ident), Place::Receiver)
            }
            Shape::Negation(x) => {
                let x = self.expression(x, Place::Term);
                (quote!(-#x), Place::Term)
            }
            Shape::Sum(terms) => (self.sum(terms), Place::Open),
            Shape::Quotient { constant, over, under } => (self.quotient(constant, over, under), Place::Term),
            Shape::Sqrt(x) => (self.method(x, "sqrt", &[]), Place::Receiver),
            Shape::Call(f, x) => (self.method(x, f.name(), &[]), Place::Receiver),
            Shape::Atan2(y, x) => {
                let x = self.expression(x, Place::Open);
                (self.method(y, "atan2", &[x]), Place::Receiver)
            }
            Shape::Map(entry, arguments) => {
                let index = Literal::usize_unsuffixed(entry.index);
                let call = self.call(entry, &arguments);
                (quote!(#call[#index]), Place::Receiver)
            }
            Shape::Powf(b, x) => {
                let x = self.expression(x, Place::Open);
                (self.method(b, "powf", &[x]), Place::Receiver)
            }
            Shape::Powi(b, n) => {
                let n = Literal::i32_unsuffixed(n);
                (self.method(b, "powi", &[quote!(#n)]), Place::Receiver)
            }
        };
        if own < place { quote!((#tokens)) } else { tokens }
    }

    /// What gives the numbers of a map: `R::dtau_inv_star(&[..], &[..])`.
    pub(super) fn call(&mut self, entry: Entry, arguments: &[Expr]) -> TokenStream {
        let name = format_ident!("{}", entry.map.name());
        let mut rest = arguments.iter();
        let mut groups = Vec::new();
        for length in entry.map.arguments(entry.group) {
            let group: Vec<TokenStream> =
                rest.by_ref().take(length).map(|&x| self.expression(x, Place::Open)).collect();
            groups.push(quote!(&[#(#group),*]));
        }
        if entry.map.is_of_retraction() {
            return quote!(R::#name(#(#groups),*));
        }
        let group = format_ident!("{}", entry.group.runtime);
        quote!(#group::<f64>::#name(#(#groups),*))
    }

    fn method(&mut self, receiver: Expr, name: &str, arguments: &[TokenStream]) -> TokenStream {
        let receiver = self.expression(receiver, Place::Receiver);
        let name = format_ident!("{name}");
        quote!(#receiver.#name(#(#arguments),*))
    }

    fn sum(&mut self, mut terms: Vec<(bool, Expr)>) -> TokenStream {
        terms.sort_by_key(|&(_, t)| self.known_at(t));
        // A leading minus would be one more operation.
        let first = terms.iter().position(|&(negative, _)| !negative).unwrap_or(0);
        let first = terms.remove(first);
        terms.insert(0, first);
        let mut tokens = TokenStream::new();
        for (i, (negative, term)) in terms.into_iter().enumerate() {
            let term = self.expression(term, Place::Term);
            tokens.extend(match (i, negative) {
                (0, false) => term,
                (_, true) => quote!(- #term),
                (_, false) => quote!(+ #term),
            });
        }
        tokens
    }

    fn quotient(&mut self, coefficient: Option<f64>, over: Vec<Expr>, under: Vec<Expr>) -> TokenStream {
        let mut over = self.factors(over);
        if let Some(c) = coefficient.or_else(|| over.is_empty().then_some(1.0)) {
            over.insert(0, constant(c));
        }
        let over = times(&over);
        let under = self.factors(under);
        match under.as_slice() {
            [] => over,
            [one] => quote!(#over / #one),
            several => {
                let under = times(several);
                quote!(#over / (#under))
            }
        }
    }

    fn factors(&mut self, mut factors: Vec<Expr>) -> Vec<TokenStream> {
        factors.sort_by_key(|&f| self.known_at(f));
        factors.into_iter().map(|f| self.expression(f, Place::Factor)).collect()
    }

    /// When the last symbol in `e` was bound.
    fn known_at(&self, e: Expr) -> usize {
        let symbols = self.pool.reachable(&[e]).into_iter();
        symbols.filter_map(|s| self.order.get(&s).copied()).max().unwrap_or(0)
    }
}

fn times(factors: &[TokenStream]) -> TokenStream {
    let mut tokens = TokenStream::new();
    for (i, factor) in factors.iter().enumerate() {
        tokens.extend(if i == 0 { factor.clone() } else { quote!(* #factor) });
    }
    tokens
}

/// A number of the scalar type.
fn constant(c: f64) -> TokenStream {
    let literal: Literal = format!("{:?}", c.abs()).parse().expect("a finite number is a literal");
    if c.is_sign_negative() { quote!(T::from_f64(-#literal)) } else { quote!(T::from_f64(#literal)) }
}
