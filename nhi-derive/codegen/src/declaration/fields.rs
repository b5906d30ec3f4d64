//! The struct: which fields are parameters.

use super::attribute::quoted;
use super::error::{Context, Error, Extent};
use num_traits::ToPrimitive;
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::BTreeSet;
use syn::spanned::Spanned;

/// A parameter field.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub ident: syn::Ident,
    /// Number of entries of an array field.
    pub len: Option<usize>,
}

/// The parameter fields of a struct, and the names of the fields marked `#[nonholonomic(skip)]`.
pub(crate) struct Fields {
    pub(crate) parameters: Vec<Field>,
    pub(crate) skipped: Vec<syn::Ident>,
}

/// Reads the fields. A field of the wrong type still counts as a parameter, so that its uses are not
/// reported too.
pub(crate) fn parse(input: &syn::DeriveInput, context: &Context) -> Fields {
    let mut result = Fields { parameters: Vec::new(), skipped: Vec::new() };
    let not_a_struct = |at: proc_macro2::Span, what: &str| {
        context.push(
            Error::new(at, format!("a system is declared on a struct with named fields, not on {what}"))
                .help(format!("write `struct {} {{ ... }}`, with the parameters as its fields", input.ident)),
        );
    };
    let fields = match &input.data {
        syn::Data::Struct(data) => match &data.fields {
            syn::Fields::Named(fields) => &fields.named,
            syn::Fields::Unit => return result,
            syn::Fields::Unnamed(fields) => {
                not_a_struct(fields.span(), "a tuple struct");
                return result;
            }
        },
        syn::Data::Enum(data) => {
            not_a_struct(data.enum_token.span, "an enum");
            return result;
        }
        syn::Data::Union(data) => {
            not_a_struct(data.union_token.span, "a union");
            return result;
        }
    };
    let generics = generic_names(&input.generics);
    for field in fields {
        let Some(ident) = field.ident.clone() else { continue };
        if skipped(field, context) {
            result.skipped.push(ident);
            continue;
        }
        let len = context.keep(parameter_length(&field.ty, &ident, &generics)).flatten();
        result.parameters.push(Field { ident, len });
    }
    result
}

fn generic_names(generics: &syn::Generics) -> BTreeSet<String> {
    generics
        .params
        .iter()
        .map(|p| match p {
            syn::GenericParam::Type(p) => p.ident.to_string(),
            syn::GenericParam::Const(p) => p.ident.to_string(),
            syn::GenericParam::Lifetime(p) => p.lifetime.to_string(),
        })
        .collect()
}

/// Whether the field is marked `#[nonholonomic(skip)]`.
fn skipped(field: &syn::Field, context: &Context) -> bool {
    let mut first: Option<Extent> = None;
    for attribute in field.attrs.iter().filter(|a| a.path().is_ident("nonholonomic")) {
        let at = Extent::of_all(&attribute.meta);
        let words = match &attribute.meta {
            syn::Meta::List(list) => list
                .parse_args_with(syn::punctuated::Punctuated::<syn::Ident, syn::Token![,]>::parse_terminated),
            _ => Ok(syn::punctuated::Punctuated::new()),
        };
        let Some(words) = words.ok().filter(|words| !words.is_empty()) else {
            context.push(Error::new(at, "expected `#[nonholonomic(skip)]`"));
            continue;
        };
        for word in words {
            let at = word.span().into();
            if word != "skip" {
                context.push(
                    Error::new(at, format!("unknown key `{word}` on a field")).help("the only one is `skip`"),
                );
            } else if let Some(first) = first {
                context.push(
                    Error::new(at, "`skip` is given twice").second(first, "`skip` is first given here"),
                );
            } else {
                first = Some(at);
            }
        }
    }
    first.is_some()
}

/// The number of entries of an array, `None` for `f64`.
fn parameter_length(
    ty: &syn::Type,
    ident: &syn::Ident,
    generics: &BTreeSet<String>,
) -> Result<Option<usize>, Error> {
    let ty = ungroup(ty);
    let at = Extent::of_all(ty);
    const SKIP: &str = "mark a field that is no parameter with `#[nonholonomic(skip)]`";
    if let Some(name) = mentions(ty.to_token_stream(), generics) {
        return Err(Error::new(at, format!("the parameter field `{ident}` depends on `{name}`"))
            .help(format!("parameters are `f64` or `[f64; 3]`; {SKIP}")));
    }
    if is_f64(ty) {
        return Ok(None);
    }
    if let syn::Type::Array(array) = ty
        && is_f64(ungroup(&array.elem))
    {
        let mut length = &array.len;
        while let syn::Expr::Group(group) = length {
            length = &group.expr;
        }
        let value = match length {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) => int
                .base10_digits()
                .parse::<num_bigint::BigUint>()
                .ok()
                .map(|n| n.to_usize().unwrap_or(usize::MAX)),
            _ => None,
        };
        return match value {
            Some(length) => Ok(Some(length)),
            None => Err(Error::new(
                Extent::of_all(length),
                "the length of a parameter array must be an integer literal",
            )
            .help("code is generated for every entry, which is before constants have values")),
        };
    }
    Err(Error::new(
        at,
        format!("the parameter field `{ident}` must be {}", quoted(&["f64", "[f64; N]"], "or")),
    )
    .help(SKIP))
}

/// Types that come out of macros are wrapped in invisible groups.
fn ungroup(mut ty: &syn::Type) -> &syn::Type {
    loop {
        ty = match ty {
            syn::Type::Group(group) => &group.elem,
            syn::Type::Paren(paren) => &paren.elem,
            _ => return ty,
        };
    }
}

fn is_f64(ty: &syn::Type) -> bool {
    let syn::Type::Path(syn::TypePath { qself: None, path, .. }) = ty else { return false };
    let segments: Vec<String> = path.segments.iter().map(|s| s.to_token_stream().to_string()).collect();
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    matches!(segments.as_slice(), ["f64"] | ["core" | "std", "primitive", "f64"])
}

/// The first generic parameter that occurs in `tokens`.
fn mentions(tokens: TokenStream, generics: &BTreeSet<String>) -> Option<String> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Group(group) => mentions(group.stream(), generics),
        TokenTree::Ident(ident) => Some(ident.to_string()).filter(|name| generics.contains(name)),
        _ => None,
    })
}
