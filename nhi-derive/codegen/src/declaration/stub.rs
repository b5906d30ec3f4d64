//! The code emitted for a declaration with errors.
//!
//! ```text
//! ::core::compile_error! { ... } ...
//! const _: () = {
//!     impl System for Sleigh { type Configuration<T: Scalar> = [T; 3]; ... }
//!     impl<K> Emits<K> for Sleigh { ... }
//!     // Tangential and Differentiates<K>
//! };
//! ```
//!
//! The impls never run. They prevent further errors in the code around the declaration, and
//! editors able to complete.

use super::Rejected;
use proc_macro2::TokenStream;
use quote::quote;

/// The errors of `rejected` and impls of `System`, and of `Emits<K>` and `Differentiates<K>` for every K.
pub fn stub(input: &syn::DeriveInput, rejected: &Rejected) -> TokenStream {
    let errors: TokenStream = rejected.errors.iter().map(super::Error::to_compile_error).collect();
    let runtime = &rejected.runtime;
    let ident = &input.ident;
    let (impl_generics, type_generics, where_clause) = input.generics.split_for_impl();
    let mut with_method = input.generics.clone();
    with_method.params.push(syn::parse_quote!(__Method));
    let (impl_with_method, ..) = with_method.split_for_impl();
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
    let departure = quote! {
        _: &Self::Parameters<__T>,
        _: &#runtime::Departure<Self::State<__T>, Self::Inputs<__T>, __T>
    };
    let bound = quote!(__T: #runtime::Scalar);
    let result = quote!(::core::result::Result);
    let failure = quote!(#runtime::Failure);
    let str = quote!(::core::primitive::str);
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
            impl #impl_with_method #runtime::Emits<__Method> for #ident #type_generics #where_clause {
                type Prepared<#bound> = ();
                type State<#bound> = #runtime::NodeState<#q, #q, #lambda, #states>;
                type Memory = #runtime::Remembers;
                fn prepare<#bound>(_: &Self::Parameters<__T>, _: __T) -> #result<(), #failure> #never
                fn start<const __START: ::core::primitive::u8, #bound>(
                    _: &Self::Parameters<__T>,
                    _: __T,
                    _: &Self::Configuration<__T>,
                    _: &Self::Velocity<__T>,
                    _: &Self::States<__T>,
                    _: __T,
                    _: &Self::Inputs<__T>,
                ) -> #result<Self::State<__T>, #failure> #never
                fn state<#bound>(
                    _: &Self::Parameters<__T>,
                    _: __T,
                    _: &Self::Configuration<__T>,
                    _: (&Self::Velocity<__T>, &Self::Velocity<__T>),
                    _: &Self::Multipliers<__T>,
                    _: &Self::States<__T>,
                    _: __T,
                ) -> #result<Self::State<__T>, #failure> #never
                fn step<#bound>(
                    _: &(),
                    _: &Self::State<__T>,
                    _: __T,
                    _: &Self::Inputs<__T>,
                ) -> #result<Self::State<__T>, #failure> #never
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
            #[automatically_derived]
            impl #impl_with_method #runtime::Differentiates<__Method> for #ident #type_generics #where_clause {
                fn linearize_to<#bound>(
                    #departure,
                    _: &mut #runtime::LinearizationOf<Self, __T>,
                ) -> #result<(), #failure> #never
                fn linearize_parameters_to<#bound>(
                    #departure,
                    _: &mut #runtime::ParameterLinearizationOf<Self, __T>,
                ) -> #result<(), #failure> #never
                fn pull_back_to<#bound>(
                    #departure,
                    _: &Self::Tangent<__T>,
                    _: &mut #runtime::PulledBackOf<Self, __T>,
                ) -> #result<(), #failure> #never
                fn curvature_to<#bound>(
                    #departure,
                    _: &Self::Tangent<__T>,
                    _: &mut #runtime::CurvatureOf<Self, __T>,
                ) -> #result<(), #failure> #never
            }
        };
    }
}
