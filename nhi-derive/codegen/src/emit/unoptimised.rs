//! The programs of methods as schemes write them, before the passes: for readers.
//!
//! ```text
//! pub mod dla2 {
//!     /// equations
//!     pub fn step<T: Scalar>(parameters: &[T; 3], h: T, q: &[T; 3], ..) -> Result<([T; 3], ..), Failure> {
//!         // node: q_h = q + h/2 v
//!         ..
//!     }
//!     // starts
//! }
//! ```

use super::function::{Signature, function};
use super::names::{Names, spelled};
use super::people::Mode;
use crate::declaration::Declaration;
use crate::expr::group::Product;
use crate::lower::Function;
use nhi_methods::Method;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use std::collections::BTreeSet;

/// The steps and starts of methods as functions of everything that they depend on, formatted.
pub fn unoptimised(
    declaration: &Declaration,
    group: &Product,
    methods: &[(Method, Vec<Function>)],
) -> String {
    let mut mode = Mode::People(Vec::new());
    let runtime = &declaration.runtime;
    let head = mode.comment(&format!(
        "`{}` as it is derived, before the optimiser. `nhi expand` without `--plain` prints the code that runs.",
        declaration.ident
    ));
    let groups: BTreeSet<Ident> =
        group.factors().iter().map(|group| format_ident!("{}", group.runtime)).collect();
    let groups = groups.iter();
    let group = (!group.is_trivial()).then(|| quote!(use #runtime::{Retracts #(, group::#groups)*};));
    let modules = methods.iter().map(|(method, functions)| {
        let id = method.facts().id;
        let (module, doc) = (spelled(id), format!(" The scheme of `{id}`."));
        let print = |of: &Function| function(of, &mut mode, Names::default(), &Signature::Plain);
        let functions: Vec<TokenStream> = functions.iter().map(print).collect();
        quote! {
            #[doc = #doc]
            pub mod #module {
                use #runtime::{Failure, Scalar, emitted};
                #group
                #(#functions)*
            }
        }
    });
    let modules: Vec<TokenStream> = modules.collect();
    mode.print(quote!(#head #(#modules)*)).trim_start().to_owned()
}
