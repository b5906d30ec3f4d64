//! Expressions as Rust.

use super::names::Names;
use crate::expr::{Expr, Function, Pool};
use crate::group::Entry;
use crate::pass::{Latency, after};
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
    /// When values are there.
    latency: Latency,
    /// When each symbol was bound.
    order: HashMap<Expr, usize>,
}

/// Part of a sum or product.
struct Part {
    /// Whether it is subtracted.
    negative: bool,
    tokens: TokenStream,
    /// Whether it is several operands.
    joined: bool,
    /// When it is there.
    time: u32,
    /// Its place, or that of its first operand, among the operands as they become known.
    place: usize,
}

impl Part {
    /// `self` and `other` as they are written: what is joined needs no parentheses in front.
    fn in_order(self, other: Part) -> (Part, Part) {
        let first = (!self.joined, self.place) < (!other.joined, other.place);
        if first { (self, other) } else { (other, self) }
    }
}

/// Puts the two parts that are there first together, and so on.
fn join(mut parts: Vec<Part>, both: impl Fn(Part, Part) -> Part) -> Option<Part> {
    while parts.len() > 1 {
        parts.sort_by_key(|part| part.time);
        let second = parts.remove(1);
        let first = parts.remove(0);
        parts.insert(0, both(first, second));
    }
    parts.pop()
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        pool: &'a mut Pool,
        constants: &'a mut Constants,
        names: Names,
        latency: Latency,
    ) -> Self {
        Writer { pool, constants, names, latency, order: HashMap::new() }
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
    /// Operands are put together in the order in which they are there. The passes keep expressions shallow,
    /// so that recursion is bounded.
    pub(super) fn expression(&mut self, e: Expr, place: Place) -> TokenStream {
        let shape = Shape::of(self.pool, self.constants, e);
        let (tokens, own) = match &*shape {
            Shape::Constant(c) => (constant(*c), Place::Receiver),
            Shape::Symbol => {
                let ident = self.names.of(self.pool, e);
                (quote!(#ident), Place::Receiver)
            }
            Shape::Negation(x) => {
                let x = self.expression(*x, Place::Term);
                (quote!(-#x), Place::Term)
            }
            Shape::Sum(terms) => (self.sum(terms), Place::Open),
            Shape::Quotient { constant, over, under } => (self.quotient(*constant, over, under), Place::Term),
            Shape::Sqrt(x) => (self.method(*x, "sqrt", &[]), Place::Receiver),
            Shape::Call(f @ (Function::SmallSin | Function::SmallCos), x) => {
                let both = self.method(*x, "small_sin_cos", &[]);
                (if *f == Function::SmallSin { quote!(#both.0) } else { quote!(#both.1) }, Place::Receiver)
            }
            Shape::Call(f, x) => (self.method(*x, f.name(), &[]), Place::Receiver),
            Shape::Atan2(y, x) => {
                let x = self.expression(*x, Place::Open);
                (self.method(*y, "atan2", &[x]), Place::Receiver)
            }
            Shape::Map(entry, arguments) => {
                let index = Literal::usize_unsuffixed(entry.index);
                let call = self.call(*entry, arguments);
                (quote!(#call[#index]), Place::Receiver)
            }
            Shape::Powf(b, x) => {
                let x = self.expression(*x, Place::Open);
                (self.method(*b, "powf", &[x]), Place::Receiver)
            }
            Shape::Powi(b, n) => {
                let n = Literal::i32_unsuffixed(*n);
                (self.method(*b, "powi", &[quote!(#n)]), Place::Receiver)
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

    fn sum(&mut self, terms: &[(bool, Expr)]) -> TokenStream {
        let mut terms = terms.to_vec();
        terms.sort_by_key(|&(_, t)| self.known_at(t));
        let parts = terms.into_iter().enumerate().map(|(place, (negative, term))| Part {
            negative,
            time: self.latency.get(self.pool, self.constants, term),
            tokens: self.expression(term, Place::Term),
            joined: false,
            place,
        });
        let parts = parts.collect();
        let sum = join(parts, |a, b| {
            let time = after(a.time, b.time);
            // A leading minus would be one more operation.
            let (a, b) = match (a.negative, b.negative) {
                (true, false) => (b, a),
                (false, true) => (a, b),
                _ => a.in_order(b),
            };
            let (first, second) = (a.tokens, b.tokens);
            let second = if b.joined { quote!((#second)) } else { second };
            let tokens = match a.negative == b.negative {
                true => quote!(#first + #second),
                false => quote!(#first - #second),
            };
            Part { negative: a.negative, tokens, joined: true, time, place: a.place.min(b.place) }
        });
        match sum {
            Some(Part { negative: true, tokens, .. }) => quote!(-(#tokens)),
            Some(Part { tokens, .. }) => tokens,
            None => quote!(T::from_f64(0.0)),
        }
    }

    fn quotient(&mut self, coefficient: Option<f64>, over: &[Expr], under: &[Expr]) -> TokenStream {
        let coefficient = coefficient.or_else(|| over.is_empty().then_some(1.0));
        let over = self.product(coefficient, over);
        match under {
            [] => over,
            &[one] => {
                let one = self.expression(one, Place::Factor);
                quote!(#over / #one)
            }
            _ => {
                let under = self.product(None, under);
                quote!(#over / (#under))
            }
        }
    }

    fn product(&mut self, coefficient: Option<f64>, factors: &[Expr]) -> TokenStream {
        let mut factors = factors.to_vec();
        factors.sort_by_key(|&f| self.known_at(f));
        let part = |tokens, time, place| Part { negative: false, tokens, joined: false, time, place };
        let mut parts: Vec<Part> = coefficient.map(|c| part(constant(c), 0, 0)).into_iter().collect();
        for factor in factors {
            let time = self.latency.get(self.pool, self.constants, factor);
            let place = parts.len();
            parts.push(part(self.expression(factor, Place::Factor), time, place));
        }
        let product = join(parts, |a, b| {
            let time = after(a.time, b.time);
            let (a, b) = a.in_order(b);
            let (first, second) = (a.tokens, b.tokens);
            let second = if b.joined { quote!((#second)) } else { second };
            let place = a.place.min(b.place);
            Part { negative: false, tokens: quote!(#first * #second), joined: true, time, place }
        });
        product.map_or_else(|| constant(1.0), |product| product.tokens)
    }

    /// When the last symbol in `e` was bound.
    fn known_at(&self, e: Expr) -> usize {
        let symbols = self.pool.reachable(&[e]).into_iter();
        symbols.filter_map(|s| self.order.get(&s).copied()).max().unwrap_or(0)
    }
}

/// A number of the scalar type.
fn constant(c: f64) -> TokenStream {
    let literal: Literal = format!("{:?}", c.abs()).parse().expect("a finite number is a literal");
    if c.is_sign_negative() { quote!(T::from_f64(-#literal)) } else { quote!(T::from_f64(#literal)) }
}
