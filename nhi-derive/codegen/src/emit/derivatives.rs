//! Derivatives of steps.
//!
//! ```text
//! mod kernel {
//!     pub mod dla2 { pub fn linearize<T: Scalar>(.., a: &mut [[T; 5]; 5], ..) -> Result<(), Failure> { .. } .. }
//!     pub fn basis<T: Scalar>(..) -> ([[T; 2]; 3], ..) { .. }
//! }
//! impl Tangential for Sleigh { .. }
//! impl Steady for Sleigh {}
//! impl Differentiable<Sleigh> for Dla2 { .. }
//! ```

use super::Unit;
use super::function::{Signature, StateType, function};
use super::names::{Names, spelled};
use super::people::Mode;
use crate::declaration::Declaration;
use crate::functions::FirstDerivatives;
use crate::optimised::{MethodFunctions, Optimised};
use crate::program::Role;
use crate::target::TARGET;
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

impl Unit<'_> {
    /// `pub fn basis`, if a step is differentiated.
    pub(super) fn basis_function(&self, mode: &mut Mode) -> Option<TokenStream> {
        let Optimised { facts, basis, .. } = self.optimised;
        Some(function(basis.as_ref()?, mode, Names::default(), &Signature::Matrices(facts)))
    }

    /// `pub fn linearize`, `pub fn linearize_parameters`, `pub fn pull_back` and `pub fn curvature` in the module of a method.
    pub(super) fn derivatives(
        &self,
        mode: &mut Mode,
        method: &MethodFunctions,
        state: &StateType,
    ) -> Vec<TokenStream> {
        let matrices = Some(&self.optimised.facts);
        let Some((first, curvature)) = &method.derivatives else { return Vec::new() };
        let FirstDerivatives { linearize, linearize_parameters, pull_back } = first;
        // The results of `pull_back` are vectors, with the names of the matrices that are multiplied.
        [(linearize, matrices), (linearize_parameters, matrices), (pull_back, None), (curvature, matrices)]
            .map(|(of, shapes)| function(of, mode, Names::default(), &Signature::Derivatives(state, shapes)))
            .to_vec()
    }

    /// `impl Tangential for Sleigh { .. }`, if a step is differentiated.
    pub(super) fn tangential(&self) -> Option<TokenStream> {
        let runtime = &self.declaration.runtime;
        let Optimised { facts, basis, .. } = self.optimised;
        let [d, nx] = [facts.quasi_velocities(), facts.tangent_coordinates()].map(Literal::usize_unsuffixed);
        let parameters = self.parameters(&[Role::Parameters, Role::Configuration, Role::Time, Role::Inputs]);
        let call = self.call(basis.as_ref()?);
        let s = quote!(<__T: #runtime::Scalar>);
        let steady = facts.steady.then(|| self.implements(&quote!(#runtime::Steady), &TokenStream::new()));
        let body = quote! {
            type Tangent #s = [__T; #nx];
            type QuasiVelocity #s = [__T; #d];
            #[inline(always)]
            fn basis #s(#parameters) -> #runtime::BasisOf<Self, __T> {
                let (__x, __v0, __y) = #call;
                #runtime::Basis { x: __x, v0: __v0, y: __y }
            }
        };
        let tangential = self.implements(&quote!(#runtime::Tangential), &body);
        Some(quote!(#steady #tangential))
    }

    /// `impl Differentiable<Sleigh> for Dla2 { .. }`, if the steps of the method are differentiated.
    pub(super) fn differentiable(
        &self,
        method: &MethodFunctions,
        generics: &syn::Generics,
        marker: &TokenStream,
        retraction: &TokenStream,
    ) -> Option<TokenStream> {
        let (first, curvature) = method.derivatives.as_ref()?;
        let FirstDerivatives { linearize, linearize_parameters, pull_back } = first;
        // The functions, and the types of their results.
        let derivatives = [
            (linearize, "LinearizationOf"),
            (linearize_parameters, "ParameterLinearizationOf"),
            (pull_back, "PulledBackOf"),
            (curvature, "CurvatureOf"),
        ];
        let Declaration { runtime, ident, generics: own, .. } = self.declaration;
        let (_, own, _) = own.split_for_impl();
        let system = quote!(#ident #own);
        let parameters = self.parameters(&[Role::Parameters]);
        let nx = Literal::usize_unsuffixed(self.optimised.facts.tangent_coordinates());
        let module = spelled(method.id());
        let functions = derivatives.map(|(of, results)| {
            let retraction =
                (!of.retracted().is_empty()).then(|| match of.operations.weight().0 > TARGET.called_maps {
                    true => quote!(::<__T, #runtime::Called<#retraction>>),
                    false => quote!(::<__T, #retraction>),
                });
            let w = of.has_covector().then(|| (quote!(__w: &[__T; #nx],), quote!(__w,)));
            let (argument, given) = w.unzip();
            let (name, writing, results) =
                (spelled(&of.name), format_ident!("{}_to", of.name), format_ident!("{results}"));
            let fields = of.whole().map(|output| spelled(output.role.name()));
            quote! {
                #[inline(always)]
                fn #writing<__T: #runtime::Scalar>(
                    &self,
                    #parameters,
                    __from: &#runtime::DepartureOf<#system, Self, __T>,
                    #argument
                    __to: &mut #runtime::#results<#system, __T>
                ) -> ::core::result::Result<(), #runtime::Failure> {
                    let #runtime::Departure { state: __state, inputs: __inputs, t: __t, h: __h } = __from;
                    kernel::#module::#name #retraction(
                        __parameters, *__h, __state, *__t, __inputs, #given #(&mut __to.#fields),*
                    )
                }
            }
        });
        let of = quote!(#runtime::Differentiable);
        Some(self.implements_for(marker, generics, &of, &quote!(#(#functions)*)))
    }
}
