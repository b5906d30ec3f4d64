//! The code emitted for a declaration with errors.
//!
//! ```text
//! ::core::compile_error! { ... } ...
//! const _: () = {
//!     impl System for Sleigh { type Configuration<T: Scalar> = [T; 3]; ... }
//!     impl Method<Sleigh> for Dla1 { ... }
//!     // and for all other methods, Tangential and Differentiable<Sleigh>
//! };
//! ```
//!
//! The impls never run. They prevent further errors in the code around the declaration, and
//! editors able to complete.

use super::Rejected;
use nhi_methods::{Kind, Method};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// The errors of `rejected` and impls of `System`, and for every method of `Method` and `Differentiable`.
pub fn stub(input: &syn::DeriveInput, rejected: &Rejected) -> TokenStream {
    let errors: TokenStream = rejected.errors.iter().map(super::Error::to_compile_error).collect();
    let runtime = &rejected.runtime;
    let ident = &input.ident;
    let (impl_generics, type_generics, where_clause) = input.generics.split_for_impl();
    let system = quote!(#ident #type_generics);
    let array = |len: Option<usize>| match len {
        Some(len) => quote!([__T; #len]),
        None => quote!(#runtime::stub::Anything<__T>),
    };
    let (q, lambda) = (array(rejected.n), array(rejected.m));
    let (inputs, states) = (array(rejected.inputs), array(rejected.states));
    let never = quote!({ ::core::unreachable!() });
    let motion = quote! {
        _: &Self::Parameters<__T>,
        _: &Self::Configuration<__T>,
        _: &Self::Velocity<__T>,
        _: __T
    };
    let driven = quote!(#motion, _: &Self::Inputs<__T>);
    let with_states = quote! {
        _: &Self::Parameters<__T>,
        _: &Self::Configuration<__T>,
        _: &Self::Velocity<__T>,
        _: &Self::States<__T>,
        _: __T,
        _: &Self::Inputs<__T>
    };
    let bound = quote!(__T: #runtime::Scalar);
    let result = quote!(::core::result::Result);
    let failure = quote!(#runtime::Failure);
    let str = quote!(::core::primitive::str);
    // Of the system, as the traits of methods name it.
    let of = |ty: &str| {
        let ty = format_ident!("{ty}");
        quote!(&<#system as #runtime::System>::#ty<__T>)
    };
    let [p, q_of, v, l, z, u] =
        ["Parameters", "Configuration", "Velocity", "Multipliers", "States", "Inputs"].map(of);
    let next = quote!(#result<Self::State<__T>, #failure>);
    let anything = quote!(#runtime::stub::Anything<__T>);
    let departure = quote!(&self, _: #p, _: &#runtime::DepartureOf<#system, Self, __T>);
    let steps = quote! {
        type Prepared<#bound> = ();
        type State<#bound> = #runtime::NodeState<#q, #q, #lambda, #states>;
        type Memory = #runtime::Remembers;
        fn id(&self) -> &'static #str #never
        fn prepare<#bound>(&self, _: #p, _: __T) -> #result<(), #failure> #never
        fn start<#bound>(&self, _: #p, _: __T, _: #q_of, _: #v, _: #z, _: __T, _: #u) -> #next #never
        fn state<#bound>(
            &self, _: #p, _: __T, _: #q_of, _: (#v, #v), _: #l, _: #z, _: __T,
        ) -> #next #never
        fn step<#bound>(&self, _: &(), _: &Self::State<__T>, _: __T, _: #u) -> #next #never
    };
    let derivatives = quote! {
        fn linearize_to<#bound>(
            #departure, _: &mut #runtime::LinearizationOf<#system, __T>,
        ) -> #result<(), #failure> #never
        fn linearize_parameters_to<#bound>(
            #departure, _: &mut #runtime::ParameterLinearizationOf<#system, __T>,
        ) -> #result<(), #failure> #never
        fn pull_back_to<#bound>(
            #departure, _: &#anything, _: &mut #runtime::PulledBackOf<#system, __T>,
        ) -> #result<(), #failure> #never
        fn curvature_to<#bound>(
            #departure, _: &#anything, _: &mut #runtime::CurvatureOf<#system, __T>,
        ) -> #result<(), #failure> #never
    };
    let mut with_retraction = input.generics.clone();
    with_retraction.params.push(syn::parse_quote!(__R));
    let methods = Method::ALL.iter().flat_map(|method| {
        let marker = format_ident!("{}", method.facts().marker);
        let marker = quote!(#runtime::#marker);
        let has_retraction =
            matches!(method.facts().kind, Kind::Reduced | Kind::Reflecting | Kind::Restarted);
        let retracted = quote!(#runtime::Retracted<#marker, __R>);
        let retracted = has_retraction.then_some((retracted, &with_retraction));
        let types = [(marker, &input.generics)].into_iter().chain(retracted);
        types.map(|(marker, generics)| {
            let (impl_generics, ..) = generics.split_for_impl();
            quote! {
                #[automatically_derived]
                impl #impl_generics #runtime::Method<#system> for #marker #where_clause { #steps }
                #[automatically_derived]
                impl #impl_generics #runtime::Differentiable<#system> for #marker #where_clause { #derivatives }
            }
        }).collect::<Vec<_>>()
    });
    quote! {
        #errors
        #[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        const _: () = {
            #[automatically_derived]
            impl #impl_generics #runtime::System for #ident #type_generics #where_clause {
                const NAME: &'static #str = "";
                const COORDINATES: &'static [&'static #str] = &[];
                const PARAMETERS: &'static [&'static #str] = &[];
                const INPUTS: &'static [&'static #str] = &[];
                const STATES: &'static [&'static #str] = &[];
                const CONSTRAINTS: &'static [&'static #str] = &[];
                type Configuration<#bound> = #q;
                type Velocity<#bound> = #q;
                type Multipliers<#bound> = #lambda;
                type Inputs<#bound> = #inputs;
                type States<#bound> = #states;
                type Parameters<#bound> = #runtime::stub::Anything<__T>;
                fn parameters(&self) -> Self::Parameters<::core::primitive::f64> #never
                fn energy<#bound>(#motion) -> __T #never
                fn momentum<#bound>(#motion) -> Self::Velocity<__T> #never
                fn residual<#bound>(#driven) -> Self::Multipliers<__T> #never
                fn residual_scale<#bound>(#driven) -> Self::Multipliers<__T> #never
                fn project_once<#bound>(#driven) -> #result<Self::Velocity<__T>, #failure> #never
                fn acceleration_of<#bound>(#with_states) -> #result<#runtime::Acceleration<Self, __T>, #failure> #never
            }
            #[automatically_derived]
            impl #impl_generics #runtime::Tangential for #ident #type_generics #where_clause {
                type Tangent<#bound> = #runtime::stub::Anything<__T>;
                type QuasiVelocity<#bound> = #runtime::stub::Anything<__T>;
                fn basis<#bound>(
                    _: &Self::Parameters<__T>,
                    _: &Self::Configuration<__T>,
                    _: __T,
                    _: &Self::Inputs<__T>,
                ) -> #runtime::BasisOf<Self, __T> #never
            }
            #[automatically_derived]
            impl #impl_generics #runtime::Steady for #ident #type_generics #where_clause {}
            #(#methods)*
        };
    }
}
