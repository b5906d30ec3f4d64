//! Operations as Rust expressions.

use super::names::Names;
use crate::expr::Function as Elementary;
use crate::group::{Group, Map};
use crate::lower::{Function, Operand, Operation, Value};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use std::collections::HashMap;

/// How tightly the surroundings bind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Place {
    /// Anything may stand here.
    Open,
    /// A term of a sum, or what a minus stands before.
    Term,
    /// The first factor of a product.
    First,
    /// Another factor.
    Factor,
    /// What a method is called on.
    Receiver,
}

/// Writes the operands of one function.
pub(super) struct Writer<'a> {
    pub(super) function: &'a Function,
    pub(super) names: Names,
    /// Operations of values without a name, which are written where the value is used.
    inline: HashMap<Value, (TokenStream, Place)>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(function: &'a Function, names: Names) -> Self {
        Writer { function, names, inline: HashMap::new() }
    }

    /// The identifier of a value, if it has a name.
    pub(super) fn ident(&mut self, value: Value) -> Option<Ident> {
        self.function.name_of(value).map(|name| self.names.of(name))
    }

    /// An operand as it can stand in `place`.
    pub(super) fn operand(&mut self, operand: Operand, place: Place) -> TokenStream {
        let value = match operand {
            Operand::Constant(c) => return constant(c),
            Operand::Value(value) => value,
        };
        if let Some(ident) = self.ident(value) {
            return quote!(#ident);
        }
        let (tokens, own) = self.inline.remove(&value).expect("an unnamed value is used after its operation");
        if own < place { quote!((#tokens)) } else { tokens }
    }

    /// Operands without surroundings.
    pub(super) fn operands(&mut self, operands: &[Operand]) -> Vec<TokenStream> {
        operands.iter().map(|&operand| self.operand(operand, Place::Open)).collect()
    }

    /// Has a value without a name written where it is used.
    pub(super) fn write_inline(&mut self, value: Value, (tokens, own): (TokenStream, Place)) {
        self.inline.insert(value, (tokens, own));
    }

    /// An operation, and how tightly it binds.
    pub(super) fn operation(&mut self, operation: &Operation) -> (TokenStream, Place) {
        match *operation {
            Operation::Copy(x) => (self.operand(x, Place::Receiver), Place::Receiver),
            Operation::Neg(x) => {
                let x = self.operand(x, Place::Term);
                (quote!(-#x), Place::Term)
            }
            Operation::Add(x, y) => {
                let (x, y) = (self.operand(x, Place::Open), self.operand(y, Place::Term));
                (quote!(#x + #y), Place::Open)
            }
            Operation::Sub(x, y) => {
                let (x, y) = (self.operand(x, Place::Open), self.operand(y, Place::Term));
                (quote!(#x - #y), Place::Open)
            }
            Operation::Mul(x, y) => {
                let (x, y) = (self.operand(x, Place::First), self.operand(y, Place::Factor));
                (quote!(#x * #y), Place::First)
            }
            Operation::Div(x, y) => {
                let (x, y) = (self.operand(x, Place::First), self.operand(y, Place::Factor));
                (quote!(#x / #y), Place::First)
            }
            Operation::Sqrt(x) => self.method(x, "sqrt", None),
            Operation::Call(f @ (Elementary::SmallSin | Elementary::SmallCos), x) => {
                let angle = self.operand(x, Place::Open);
                let both = quote!(emitted::small_sin_cos(#angle));
                (if f == Elementary::SmallSin { quote!(#both.0) } else { quote!(#both.1) }, Place::Receiver)
            }
            Operation::Call(f, x) => self.method(x, f.name(), None),
            Operation::Atan2(y, x) => self.method(y, "atan2", Some(x)),
            Operation::Powf(x, y) => self.method(x, "powf", Some(y)),
        }
    }

    fn method(&mut self, receiver: Operand, name: &str, argument: Option<Operand>) -> (TokenStream, Place) {
        let argument = argument.map(|argument| self.operand(argument, Place::Open));
        let receiver = self.operand(receiver, Place::Receiver);
        let name = format_ident!("{name}");
        (quote!(#receiver.#name(#argument)), Place::Receiver)
    }

    /// What gives the numbers of a map: `R::dtau_inv_star(&[..], &[..])`.
    pub(super) fn map(&mut self, map: Map, group: &Group, arguments: &[Vec<Operand>]) -> TokenStream {
        let name = format_ident!("{}", map.name());
        let arguments = arguments.iter().map(|numbers| {
            let numbers = self.operands(numbers);
            quote!(&[#(#numbers),*])
        });
        let arguments: Vec<TokenStream> = arguments.collect();
        if map.is_of_retraction() {
            return quote!(R::#name(#(#arguments),*));
        }
        let group = format_ident!("{}", group.runtime);
        quote!(#group::<f64>::#name(#(#arguments),*))
    }
}

/// A number of the scalar type.
fn constant(c: f64) -> TokenStream {
    let literal: Literal = format!("{:?}", c.abs()).parse().expect("a finite number is a literal");
    if c.is_sign_negative() { quote!(T::from_f64(-#literal)) } else { quote!(T::from_f64(#literal)) }
}
