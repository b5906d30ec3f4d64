//! Expressions in Rust.

use super::names::Names;
use crate::backend::expression::{Language, Place};
use proc_macro2::{Literal, Punct, Spacing, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};

impl Language for Names {
    type Text = TokenStream;

    fn variable(&mut self, name: &str) -> TokenStream {
        self.of(name).into_token_stream()
    }

    /// A number of the scalar type.
    fn number(&self, c: f64) -> TokenStream {
        let literal: Literal = format!("{:?}", c.abs()).parse().expect("a finite number is a literal");
        if c.is_sign_negative() { quote!(T::from_f64(-#literal)) } else { quote!(T::from_f64(#literal)) }
    }

    fn parentheses(&self, x: TokenStream) -> TokenStream {
        quote!((#x))
    }

    fn operator(&self, x: Option<TokenStream>, operator: char, y: TokenStream) -> TokenStream {
        // Without copies of the operands, which may be long.
        let mut tokens = x.unwrap_or_default();
        tokens.extend([TokenTree::from(Punct::new(operator, Spacing::Alone))]);
        tokens.extend(y);
        tokens
    }

    /// All but those of small angles are methods.
    fn first_argument(&self, name: &str) -> Place {
        if name.starts_with("small_") { Place::Open } else { Place::Receiver }
    }

    fn call(&self, name: &str, arguments: &[TokenStream]) -> TokenStream {
        let (first, others) = arguments.split_first().expect("functions of numbers");
        let method = format_ident!("{name}");
        match name {
            "small_sin" => quote!(emitted::small_sin_cos(#first).0),
            "small_cos" => quote!(emitted::small_sin_cos(#first).1),
            _ => quote!(#first.#method(#(#others),*)),
        }
    }
}
