//! Integers whose values are known when the macro runs: indices, bounds of ranges, lengths of arrays.

use super::ast::{Ast, Kind};
use super::error::Error;
use crate::expr::Rational;
use num_traits::{One, ToPrimitive, Zero};
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::cell::Cell;
use std::collections::BTreeMap;

/// The values of the loop variables around an expression.
pub(crate) type Loops = Vec<(String, i64)>;

/// The value of a loop variable.
pub(crate) fn loop_value(loops: &Loops, name: &str) -> Option<i64> {
    loops.iter().find(|(variable, _)| variable == name).map(|(_, i)| *i)
}

/// The const parameters of the struct. Their values are those of their defaults: a macro sees no others.
#[derive(Debug, Default)]
pub(crate) struct Constants {
    /// `None` without a default value, or with one that is no integer literal.
    values: BTreeMap<String, Option<i64>>,
    used: Cell<bool>,
}

impl Constants {
    pub(crate) fn of(generics: &syn::Generics) -> Constants {
        let value = |default: &syn::Expr| match default {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) => int.base10_parse().ok(),
            _ => None,
        };
        let constants = generics.const_params();
        let values = constants
            .map(|c| (c.ident.to_string(), c.default.as_ref().and_then(|(_, default)| value(default))));
        Constants { values: values.collect(), used: Cell::new(false) }
    }

    /// Whether there is a const parameter of that name.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// The value of a const parameter.
    pub(crate) fn value(&self, name: &str) -> Option<i64> {
        let value = self.values.get(name).copied().flatten();
        self.used.set(self.used.get() || value.is_some());
        value
    }

    /// The values of loop variables and const parameters.
    pub(crate) fn with<'a>(&'a self, loops: &'a Loops) -> impl Fn(&str) -> Option<i64> + use<'a> {
        move |name| loop_value(loops, name).or_else(|| self.value(name))
    }

    /// Whether the value of some parameter was used, so that the declaration holds for the default values alone.
    pub(crate) fn are_used(&self) -> bool {
        self.used.get()
    }
}

/// An error about a const parameter, at its use, whose value is not known.
pub(crate) fn unknown_constant(ast: &Ast, name: &str) -> Error {
    Error::new(ast.at, format!("the value of the const parameter `{name}` is not known when the macro runs"))
        .help(format!(
            "give it a default value, an integer literal: `const {name}: usize = 3` declares the system for 3"
        ))
}

/// The value of `ast`, made of integers, names with a `value`, `+`, `-`, `*` and `/`. Every node is paid for out of
/// `work`. Without an error in the result, `ast` is not of this form, or the work was too much.
pub(crate) fn integer(
    ast: &Ast,
    value: &dyn Fn(&str) -> Option<i64>,
    work: &mut usize,
) -> Result<i64, Option<Error>> {
    let result = rational(ast, value, work)?;
    match result.to_integer().to_i64() {
        Some(i) if result.is_integer() => Ok(i),
        _ => Err(Some(
            Error::new(ast.at, format!("expected an integer, but this is {result}"))
                .help("indices and bounds are constants or loop variables, and their sums and products"),
        )),
    }
}

fn rational(
    ast: &Ast,
    value: &dyn Fn(&str) -> Option<i64>,
    work: &mut usize,
) -> Result<Rational, Option<Error>> {
    *work = work.saturating_sub(1);
    if *work == 0 {
        return Err(None);
    }
    Ok(match &ast.kind {
        Kind::Number { value, .. } => value.clone(),
        Kind::Name(name) => Rational::from_integer(value(name).ok_or(None)?.into()),
        Kind::Paren(inner) => rational(inner, value, work)?,
        Kind::Neg(inner) => -rational(inner, value, work)?,
        Kind::Sum(terms) => {
            let mut sum = Rational::zero();
            for (minus, term) in terms {
                let term = rational(term, value, work)?;
                sum = if *minus { sum - term } else { sum + term };
            }
            sum
        }
        Kind::Product(factors) => {
            let mut product = Rational::one();
            for (divide, factor) in factors {
                let number = rational(factor, value, work)?;
                if *divide && number.is_zero() {
                    return Err(Some(Error::new(factor.at, "division by zero")));
                }
                product = if *divide { product / number } else { product * number };
            }
            product
        }
        _ => return Err(None),
    })
}

/// The generics of an implementation for the default values: without the parameters that have one. In paths of types,
/// parameters that are left out have their default values.
pub(crate) fn at_defaults(generics: &syn::Generics) -> syn::Generics {
    let mut values: BTreeMap<String, TokenStream> = BTreeMap::new();
    let mut result = syn::Generics { params: Default::default(), where_clause: None, ..generics.clone() };
    for parameter in &generics.params {
        let default = match parameter {
            syn::GenericParam::Const(p) => p.default.as_ref().map(|(_, e)| (&p.ident, quote!({ #e }))),
            syn::GenericParam::Type(p) => p.default.as_ref().map(|(_, t)| (&p.ident, t.to_token_stream())),
            syn::GenericParam::Lifetime(_) => None,
        };
        match default {
            Some((ident, value)) => {
                values.insert(ident.to_string(), replace(value, &values));
            }
            None => result.params.push(parameter.clone()),
        }
    }
    let params = result.params.iter();
    let params =
        params.map(|p| syn::parse2(replace(p.to_token_stream(), &values)).unwrap_or_else(|_| p.clone()));
    result.params = params.collect();
    result.where_clause = generics.where_clause.as_ref().map(|clause| {
        syn::parse2(replace(clause.to_token_stream(), &values)).unwrap_or_else(|_| clause.clone())
    });
    result
}

/// The tokens with values in place of names.
fn replace(tokens: TokenStream, values: &BTreeMap<String, TokenStream>) -> TokenStream {
    tokens
        .into_iter()
        .flat_map(|token| match token {
            TokenTree::Group(group) => {
                let mut inner = proc_macro2::Group::new(group.delimiter(), replace(group.stream(), values));
                inner.set_span(group.span());
                TokenTree::Group(inner).into()
            }
            TokenTree::Ident(ident) => match values.get(&ident.to_string()) {
                Some(value) => value.clone(),
                None => TokenTree::Ident(ident).into(),
            },
            token => TokenStream::from(token),
        })
        .collect()
}
