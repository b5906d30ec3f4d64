//! What users reach the numbers of a state by: constants with the indices of coordinates, body velocities and auxiliary
//! states, and a struct with a field for every number.
//!
//! ```text
//! mod kernel { pub struct Named<T> { pub theta: T, .., pub dot_theta: T, .., pub lambda_blade: T } }
//! impl Sleigh { pub const THETA: usize = 0; .. }
//! impl Named for Sleigh { type View<T: Scalar> = kernel::Named<T>; .. }
//! ```
//!
//! A constant has its name in upper case. It has it as declared if it is not in ASCII, whose cases the compiler would warn of
//! where they look alike, if two names have the same upper case, and if that is a constant of `System`.

use super::Unit;
use super::names::spelled;
use crate::declaration::{Declaration, NamedField, Rejected, StateNames};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use std::collections::BTreeMap;

/// The constants of the trait `System`, which users of a system read by its name.
const OF_SYSTEM: &[&str] = &[
    "NAME",
    "COORDINATES",
    "VELOCITIES",
    "PARAMETERS",
    "INPUTS",
    "STATES",
    "CONSTRAINTS",
    "GYROSCOPIC",
    "TABLES",
    "FORCED",
    "MASSLESS",
    "SYMMETRIES",
    "INVARIANCES",
];

impl Unit<'_> {
    fn fields(&self) -> Vec<NamedField> {
        let facts = &self.optimised.facts;
        let (coordinates, pose) = facts.coordinates.split_at(facts.shape);
        let names = StateNames {
            coordinates: coordinates.to_vec(),
            pose: pose.to_vec(),
            body_velocities: facts.velocities[facts.shape..].to_vec(),
            states: facts.states.clone(),
            constraints: facts.constraints.clone(),
        };
        names.fields()
    }

    /// `pub struct Named<T> { .. }`
    pub(super) fn view(&self) -> TokenStream {
        view(&self.fields())
    }

    /// `impl Sleigh { .. }` and `impl Named for Sleigh { .. }`
    pub(super) fn by_name(&self) -> TokenStream {
        let Declaration { runtime, ident, generics, .. } = self.declaration;
        let fields = self.fields();
        let values = fields.iter().map(|field| {
            let (name, of) = (spelled(&field.name), format_ident!("__{}", field.of));
            let value = field.nested(&|i| quote!(#of[#i]));
            quote!(#name: #value)
        });
        let value = quote!(kernel::Named { #(#values),* });
        implementations(runtime, ident, generics, &constants(&fields), &quote!(kernel::Named<__T>), &value)
    }
}

/// The same for a declaration with errors, with the names that are known.
pub fn stand_in(input: &syn::DeriveInput, rejected: &Rejected) -> TokenStream {
    let fields = rejected.names.as_ref().map(StateNames::fields);
    let (constants, view) =
        (fields.as_deref().map(constants).unwrap_or_default(), fields.as_deref().map(view));
    let ty = if view.is_some() { quote!(kernel::Named<__T>) } else { quote!(()) };
    let never = quote!(::core::unreachable!());
    let implementations =
        implementations(&rejected.runtime, &input.ident, &input.generics, &constants, &ty, &never);
    quote! {
        #[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        const _: () = {
            mod kernel { #view }
            #implementations
        };
    }
}

/// The constants of a struct, and its numbers of a state by name as `value` of the type `ty`.
fn implementations(
    runtime: &syn::Path,
    ident: &Ident,
    generics: &syn::Generics,
    constants: &[TokenStream],
    ty: &TokenStream,
    value: &TokenStream,
) -> TokenStream {
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #impl_generics #ident #ty_generics #where_clause {
            #(#constants)*
        }
        #[automatically_derived]
        impl #impl_generics #runtime::Named for #ident #ty_generics #where_clause {
            type View<__T: #runtime::Scalar> = #ty;
            #[inline]
            fn named<__T: #runtime::Scalar>(
                __q: &<Self as #runtime::System>::Configuration<__T>,
                __v: &<Self as #runtime::System>::Velocity<__T>,
                __lambda: &<Self as #runtime::System>::Multipliers<__T>,
                __states: &<Self as #runtime::System>::States<__T>,
            ) -> #ty {
                #value
            }
        }
    }
}

impl NamedField {
    /// Its numbers, each from its place; those of an array are one.
    fn nested(&self, number: &dyn Fn(Literal) -> TokenStream) -> TokenStream {
        fn of(lengths: &[usize], first: usize, number: &dyn Fn(Literal) -> TokenStream) -> TokenStream {
            let Some((&length, inner)) = lengths.split_first() else {
                return number(Literal::usize_unsuffixed(first));
            };
            let stride: usize = inner.iter().product();
            let all = (0..length).map(|i| of(inner, first + i * stride, number));
            quote!([#(#all),*])
        }
        of(&self.lengths, self.first, number)
    }

    /// Its type, of numbers with this type.
    fn shaped(&self, number: TokenStream) -> TokenStream {
        self.lengths.iter().rev().fold(number, |inner, &length| {
            let length = Literal::usize_unsuffixed(length);
            quote!([#inner; #length])
        })
    }
}

/// `pub struct Named<T> { .. }`
fn view(fields: &[NamedField]) -> TokenStream {
    let fields = fields.iter().map(|field| {
        let (name, doc, ty) = (spelled(&field.name), &field.doc, field.shaped(quote!(T)));
        quote!(#[doc = #doc] pub #name: #ty)
    });
    quote! {
        /// The numbers of a state by name.
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug, ::core::cmp::PartialEq)]
        pub struct Named<T> { #(#fields),* }
    }
}

/// `pub const THETA: usize = 0;`
fn constants(fields: &[NamedField]) -> Vec<TokenStream> {
    let all: Vec<_> = fields.iter().filter_map(|field| Some((field, field.vectors?))).collect();
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for (field, _) in &all {
        *count.entry(field.name.to_ascii_uppercase()).or_default() += 1;
    }
    let constant = |&(field, vectors): &(&NamedField, &str)| {
        let (name, upper) = (&field.name, field.name.to_ascii_uppercase());
        let is_free = count.get(&upper) == Some(&1) && !OF_SYSTEM.contains(&upper.as_str());
        let constant = spelled(if is_free && upper.is_ascii() { &upper } else { name });
        let ty = field.shaped(quote!(::core::primitive::usize));
        let value = field.nested(&|i| quote!(#i));
        let what = if field.lengths.is_empty() { "Index" } else { "Indices" };
        let doc = format!(" {what} of `{name}` in {vectors}.");
        quote! {
            #[doc = #doc]
            pub const #constant: #ty = #value;
        }
    };
    all.iter().map(constant).collect()
}
