//! Derivation and code generation behind `#[derive(Nonholonomic)]`, as an ordinary library.
//!
//! ```text
//! tokens → declaration → mechanics → scheme → program → optimised program → Rust
//!          (spans)       (geometry)  (method)  (IR)       (passes)            (emit)
//! ```
//!
//! Each stage is a function that can be called from a test and whose result can be printed.

pub mod declaration;
pub mod engine;
pub mod expr;
pub mod mechanics;
pub mod method;
pub mod plain;
pub mod program;
pub mod system;

use declaration::Declaration;
use proc_macro2::TokenStream;

/// The expansion of `#[derive(Nonholonomic)]`.
pub fn derive(input: TokenStream) -> TokenStream {
    let input: syn::DeriveInput = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    match Declaration::parse(&input) {
        Ok(_) => TokenStream::new(),
        Err(rejected) => declaration::stub(&input, &rejected),
    }
}
