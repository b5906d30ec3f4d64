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
use crate::declaration::{Rejected, StateNames};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use std::collections::{BTreeMap, BTreeSet};
use syn::ext::IdentExt;
use syn::parse::Parser;

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
    "FORCED",
    "MASSLESS",
    "SYMMETRIES",
    "INVARIANCES",
];

impl Unit<'_> {
    /// `pub struct Named<T> { .. }`
    pub(super) fn view(&self) -> TokenStream {
        view(&fields(&StateNames::of(&self.mechanics.system)))
    }

    /// `impl Sleigh { .. }` and `impl Named for Sleigh { .. }`
    pub(super) fn by_name(&self) -> TokenStream {
        let names = StateNames::of(&self.mechanics.system);
        let constants = constants(&names);
        let runtime = &self.declaration.runtime;
        let ident = &self.declaration.ident;
        let (impl_generics, ty_generics, where_clause) = self.declaration.generics.split_for_impl();
        let values = fields(&names).into_iter().map(|Field { name, of, entry, .. }| {
            let of = format_ident!("__{of}");
            let value = entry.nested(&|i| quote!(#of[#i]));
            quote!(#name: #value)
        });
        quote! {
            #[automatically_derived]
            impl #impl_generics #ident #ty_generics #where_clause {
                #(#constants)*
            }
            #[automatically_derived]
            impl #impl_generics #runtime::Named for #ident #ty_generics #where_clause {
                type View<__T: #runtime::Scalar> = kernel::Named<__T>;
                #[inline]
                fn named<__T: #runtime::Scalar>(
                    __q: &<Self as #runtime::System>::Configuration<__T>,
                    __v: &<Self as #runtime::System>::Velocity<__T>,
                    __lambda: &<Self as #runtime::System>::Multipliers<__T>,
                    __states: &<Self as #runtime::System>::States<__T>,
                ) -> kernel::Named<__T> {
                    kernel::Named { #(#values),* }
                }
            }
        }
    }
}

/// The same for a declaration with errors, with the names that are known.
pub fn stand_in(input: &syn::DeriveInput, rejected: &Rejected) -> TokenStream {
    let (runtime, ident) = (&rejected.runtime, &input.ident);
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    let names = rejected.names.as_ref();
    let (constants, view) =
        (names.map(constants).unwrap_or_default(), names.map(|names| view(&fields(names))));
    let ty = if names.is_some() { quote!(kernel::Named<__T>) } else { quote!(()) };
    quote! {
        #[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        const _: () = {
            mod kernel { #view }
            #[automatically_derived]
            impl #impl_generics #ident #ty_generics #where_clause {
                #(#constants)*
            }
            #[automatically_derived]
            impl #impl_generics #runtime::Named for #ident #ty_generics #where_clause {
                type View<__T: #runtime::Scalar> = #ty;
                fn named<__T: #runtime::Scalar>(
                    _: &<Self as #runtime::System>::Configuration<__T>,
                    _: &<Self as #runtime::System>::Velocity<__T>,
                    _: &<Self as #runtime::System>::Multipliers<__T>,
                    _: &<Self as #runtime::System>::States<__T>,
                ) -> #ty {
                    ::core::unreachable!()
                }
            }
        };
    }
}

/// Consecutive numbers of a vector that have one name.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Entry {
    name: String,
    /// Place of the first one.
    first: usize,
    /// The lengths of its indices, none for a number.
    lengths: Vec<usize>,
}

impl Entry {
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

/// The entries with these names, from the place `from` on: `y[0]`, `y[1]` are the array `y`, and `w[1]`, `w[2]` the numbers
/// `w_1` and `w_2`. The name of a text is its place.
fn entries(names: &[String], from: usize) -> Vec<Entry> {
    let read: Vec<Option<(&str, Vec<usize>)>> = names.iter().map(|name| indexed(name)).collect();
    let mut entries = Vec::new();
    let mut first = 0;
    while let Some(next) = read.get(first) {
        let Some((name, indices)) = next else {
            entries.push(Entry { name: first.to_string(), first: from + first, lengths: Vec::new() });
            first += 1;
            continue;
        };
        let run: Vec<&Vec<usize>> = read[first..]
            .iter()
            .map_while(|other| match other {
                Some((base, of)) if base == name && of.len() == indices.len() => Some(of),
                _ => None,
            })
            .collect();
        let length = |axis: usize| run.iter().map(|of| of[axis].saturating_add(1)).max().unwrap_or_default();
        let lengths: Vec<usize> = (0..indices.len()).map(length).collect();
        // Row by row, from 0.
        let place = |of: &[usize]| {
            of.iter().zip(&lengths).fold(0_usize, |place, (i, n)| place.saturating_mul(*n).saturating_add(*i))
        };
        let count = lengths.iter().try_fold(1_usize, |count, length| count.checked_mul(*length));
        if count == Some(run.len()) && run.iter().enumerate().all(|(k, of)| place(of) == k) {
            entries.push(Entry { name: (*name).to_owned(), first: from + first, lengths });
        } else {
            entries.extend(run.iter().enumerate().map(|(k, of)| {
                let name = of.iter().fold((*name).to_owned(), |name, i| format!("{name}_{i}"));
                Entry { name, first: from + first + k, lengths: Vec::new() }
            }));
        }
        first += run.len();
    }
    entries
}

/// `y[0][1]` as a name with indices; none if the text is anything else.
fn indexed(text: &str) -> Option<(&str, Vec<usize>)> {
    let (name, rest) = text.split_at(text.find('[').unwrap_or(text.len()));
    let mut indices = Vec::new();
    if !rest.is_empty() {
        for index in rest.strip_prefix('[')?.strip_suffix(']')?.split("][") {
            indices.push(index.parse().ok()?);
        }
    }
    is_identifier(name).then_some((name, indices))
}

fn is_identifier(text: &str) -> bool {
    Ident::parse_any.parse_str(text).is_ok()
}

/// The entries of all vectors of a state.
struct Entries {
    coordinates: Vec<Entry>,
    pose: Vec<Entry>,
    body_velocities: Vec<Entry>,
    states: Vec<Entry>,
    constraints: Vec<Entry>,
}

impl Entries {
    fn of(names: &StateNames) -> Entries {
        let after = names.coordinates.len();
        Entries {
            coordinates: entries(&names.coordinates, 0),
            pose: entries(&names.pose, after),
            body_velocities: entries(&names.body_velocities, after),
            states: entries(&names.states, 0),
            constraints: entries(&names.constraints, 0),
        }
    }
}

/// A field of the view.
struct Field {
    name: Ident,
    doc: String,
    /// The vector that it is an entry of: `q`, `v`, `lambda` or `states`.
    of: &'static str,
    entry: Entry,
}

fn fields(names: &StateNames) -> Vec<Field> {
    let Entries { coordinates, pose, body_velocities, states, constraints } = Entries::of(names);
    let declared = coordinates.iter().chain(&pose).chain(&body_velocities).chain(&states);
    let mut taken: BTreeSet<String> = declared.map(|entry| entry.name.clone()).collect();
    // Names as they are declared are kept.
    let mut derived = |prefix: &str, entry: &Entry| {
        let mut name = format!("{prefix}_{}", entry.name);
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        spelled(&name)
    };
    let own = |of, what: &str, entry: Entry| {
        let (name, doc) = (spelled(&entry.name), format!(" {what} `{}`.", entry.name));
        Field { name, doc, of, entry }
    };
    let velocities: Vec<Field> = coordinates
        .iter()
        .map(|entry| {
            let (name, doc) = (derived("dot", entry), format!(" Velocity of `{}`.", entry.name));
            Field { name, doc, of: "v", entry: entry.clone() }
        })
        .collect();
    let multipliers: Vec<Field> = constraints
        .into_iter()
        .map(|entry| {
            let label = names.constraints.get(entry.first).map_or("", String::as_str);
            let label = if entry.lengths.is_empty() { label } else { &entry.name };
            let (name, doc) = (derived("lambda", &entry), format!(" Multiplier of `{label}`."));
            Field { name, doc, of: "lambda", entry }
        })
        .collect();
    let coordinates = coordinates.into_iter().map(|entry| own("q", "Coordinate", entry));
    let pose = pose.into_iter().map(|entry| own("q", "Pose", entry));
    let body_velocities = body_velocities.into_iter().map(|entry| own("v", "Body velocity", entry));
    let states = states.into_iter().map(|entry| own("states", "Auxiliary state", entry));
    let motion = coordinates.chain(pose).chain(velocities).chain(body_velocities);
    motion.chain(states).chain(multipliers).collect()
}

/// `pub struct Named<T> { .. }`
fn view(fields: &[Field]) -> TokenStream {
    let fields = fields.iter().map(|Field { name, doc, entry, .. }| {
        let ty = entry.shaped(quote!(T));
        quote!(#[doc = #doc] pub #name: #ty)
    });
    quote! {
        /// The numbers of a state by name.
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug, ::core::cmp::PartialEq)]
        pub struct Named<T> { #(#fields),* }
    }
}

/// `pub const THETA: usize = 0;`
fn constants(names: &StateNames) -> Vec<TokenStream> {
    let Entries { coordinates, pose, body_velocities, states, .. } = Entries::of(names);
    let of_both = coordinates.into_iter().map(|entry| (entry, "configurations and velocities"));
    let of_pose = pose.into_iter().map(|entry| (entry, "configurations"));
    let of_body = body_velocities.into_iter().map(|entry| (entry, "velocities"));
    let of_states = states.into_iter().map(|entry| (entry, "auxiliary states"));
    let all: Vec<(Entry, &str)> = of_both.chain(of_pose).chain(of_body).chain(of_states).collect();
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for (entry, _) in &all {
        *count.entry(entry.name.to_ascii_uppercase()).or_default() += 1;
    }
    let constant = |(entry, vectors): &(Entry, &str)| {
        let upper = entry.name.to_ascii_uppercase();
        let is_free = count.get(&upper) == Some(&1) && !OF_SYSTEM.contains(&upper.as_str());
        let constant = spelled(if is_free && upper.is_ascii() { &upper } else { &entry.name });
        let ty = entry.shaped(quote!(::core::primitive::usize));
        let value = entry.nested(&|i| quote!(#i));
        let what = if entry.lengths.is_empty() { "Index" } else { "Indices" };
        let doc = format!(" {what} of `{}` in {vectors}.", entry.name);
        quote! {
            #[doc = #doc]
            pub const #constant: #ty = #value;
        }
    };
    all.iter().map(constant).collect()
}
