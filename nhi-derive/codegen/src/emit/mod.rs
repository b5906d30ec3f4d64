//! Rust for one declaration: implementations of the runtime's traits.
//!
//! ```text
//! const _: () = {
//!     mod kernel {
//!         pub mod dla2 {
//!             pub fn step<T: Scalar>(..) -> Result<NodeState<..>, Failure> { .. }
//!             pub struct Prepared<T> { .. }
//!             // prepare, start..
//!         }
//!         pub fn energy<T: Scalar>(parameters: &[T; 3], q: &[T; 3], v: &[T; 3]) -> T { .. }
//!         // momentum, residual, residual_scale, project, acceleration
//!     }
//!     impl System for Sleigh { .. }
//!     impl Sleigh { pub const THETA: usize = 0; .. }
//!     impl Named for Sleigh { .. }
//!     impl Method<Sleigh> for Dla2 { .. }
//!     // With derivatives:
//!     impl Tangential for Sleigh { .. }
//!     impl Differentiable<Sleigh> for Dla2 { .. }
//! };
//! ```
//!
//! Numbers are computed in the module, where no name of the user's is in scope. Outside of it every
//! path is absolute and every local name starts with two underscores.

mod by_name;
mod derivatives;
mod expression;
mod function;
mod names;
mod people;
mod unoptimised;

pub use by_name::stand_in;
pub use unoptimised::unoptimised;

use crate::declaration::{Declaration, Unused};
use crate::expr::group::Group;
use crate::facts::SystemFacts;
use crate::functions::OfSystem;
use crate::lower::Function;
use crate::optimised::{MethodFunctions, Number, Optimised};
use crate::program::Role;
use crate::target::TARGET;
use function::{Signature, StateType, function, tuple};
use names::{Names, spelled};
use nhi_methods::Kind;
use people::Mode;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use std::collections::BTreeSet;

/// Everything that is emitted for one declaration.
#[derive(Clone, Debug)]
pub struct Unit<'a> {
    /// The declaration: the struct with its path of the runtime.
    pub declaration: &'a Declaration,
    /// The functions of the system and its methods.
    pub optimised: &'a Optimised,
    /// How its constraints lie to the group factor: for people, if there is one.
    pub geometry: Option<String>,
}

/// The implementation of the runtime's traits, as the macro emits it, with a warning if it is very long, and one for each parameter and
/// input that no formula uses.
pub fn implementation(unit: &Unit<'_>) -> TokenStream {
    let mut tokens = unit.implementation(&mut Mode::Macro);
    let at = unit.declaration.ident.span();
    tokens.extend(unit.optimised.warning(false).map(|text| warning("LARGE_SYSTEM", at, &text)));
    tokens.extend(unit.declaration.unused.iter().map(|Unused { name, is_input, at }| {
        match is_input {
            true => warning("UNUSED_INPUT", at.first, &format!("no formula uses the input `{name}`")),
            false => warning(
                "UNUSED_PARAMETER",
                at.first,
                &format!(
                    "no formula uses the parameter `{name}`; a field marked `#[nonholonomic(skip)]` is no parameter"
                ),
            ),
        }
    }));
    tokens
}

/// A warning at a span, as a macro can make the compiler say it: the use of a deprecated item.
///
/// ```text
/// const _: () = {
///     #[deprecated(note = "..")]
///     const LARGE_SYSTEM: () = ();
///     LARGE_SYSTEM
/// };
/// ```
fn warning(kind: &str, at: Span, text: &str) -> TokenStream {
    let [declared, used] = [Span::call_site(), at].map(|at| Ident::new(kind, at));
    quote! {
        const _: () = {
            #[deprecated(note = #text)]
            const #declared: () = ();
            #used
        };
    }
}

/// The same, formatted, with the equations that the code implements as comments.
pub fn pretty(unit: &Unit<'_>) -> String {
    let mut mode = Mode::People(Vec::new());
    let tokens = unit.implementation(&mut mode);
    mode.print(tokens)
}

/// The derivatives of the steps alone, with their operations, for reading.
pub fn derivatives(unit: &Unit<'_>) -> String {
    let mut mode = Mode::People(Vec::new());
    let basis = unit.basis_function(&mut mode);
    let mut modules = Vec::new();
    for method in &unit.optimised.methods {
        let [_, state] = unit.state_types(method);
        let functions = unit.derivatives(&mut mode, method, &state);
        let module = spelled(method.id());
        modules.extend((!functions.is_empty()).then(|| quote!(pub mod #module { #(#functions)* })));
    }
    mode.print(quote!(#basis #(#modules)*))
}

impl Unit<'_> {
    fn implementation(&self, mode: &mut Mode) -> TokenStream {
        let kernel = self.kernel(mode);
        let tangential = self.tangential();
        let system = self.system();
        let by_name = self.by_name();
        let methods = self.optimised.methods.iter().map(|method| self.method_impls(method));
        quote! {
            #[allow(
                clippy::all, clippy::nursery, clippy::pedantic, clippy::restriction,
                missing_docs, non_ascii_idents, non_snake_case, non_upper_case_globals, refining_impl_trait,
                uncommon_codepoints, unnameable_types, unreachable_pub, unused, unused_qualifications, unused_results
            )]
            const _: () = {
                #kernel
                #system
                #by_name
                #tangential
                #(#methods)*
            };
        }
    }

    /// `mod kernel { .. }`
    fn kernel(&self, mode: &mut Mode) -> TokenStream {
        let Optimised { system, methods, .. } = self.optimised;
        let geometry = self.geometry.as_ref().map(|geometry| mode.comment(geometry));
        let plain = system.iter().map(|(_, of)| function(of, mode, Names::default(), &Signature::Plain));
        let plain: Vec<TokenStream> = plain.collect();
        let basis = self.basis_function(mode);
        let methods: Vec<TokenStream> = methods.iter().map(|method| self.method(mode, method)).collect();
        let (imports, runtime, view) = (self.imports(None), self.runtime_module(), self.view());
        quote! {
            mod kernel {
                #imports
                #runtime
                #(#methods)*
                #geometry
                #(#plain)*
                #basis
                #view
            }
        }
    }

    /// Numbers of velocities, constraints, inputs, parameters and auxiliary states.
    fn lengths(&self) -> [Literal; 5] {
        let SystemFacts { velocities, constraints, inputs, parameters, states, .. } = &self.optimised.facts;
        [velocities, constraints, inputs, parameters, states].map(|all| Literal::usize_unsuffixed(all.len()))
    }

    /// How the module of the functions names what is in the runtime, and the type of numbers; or how its surroundings do.
    fn scope(&self, inside: bool) -> (TokenStream, TokenStream) {
        let runtime = &self.declaration.runtime;
        if inside { (TokenStream::new(), quote!(T)) } else { (quote!(#runtime::), quote!(__T)) }
    }

    /// The group factor, of which there is at most one ([`Derived::implementation`](crate::pipeline::Derived::implementation)).
    fn group(&self) -> Option<&'static Group> {
        self.optimised.facts.group.only()
    }

    /// The type of the group factor: `SE2<f64>`.
    fn factor(&self, inside: bool) -> Option<TokenStream> {
        let (runtime, _) = self.scope(inside);
        let group = format_ident!("{}", self.group()?.runtime);
        Some(match inside {
            true => quote!(#group<f64>),
            // Outside of the module `f64` can be anything.
            false => quote!(#runtime group::#group<::core::primitive::f64>),
        })
    }

    /// The type of configurations: `[T; 3]` or `Posed<SE2<f64>, T, 2, 5>`.
    fn configuration(&self, inside: bool) -> TokenStream {
        let (facts, (runtime, scalar)) = (&self.optimised.facts, self.scope(inside));
        let [k, n] = [facts.shape, facts.coordinates.len()].map(Literal::usize_unsuffixed);
        match self.factor(inside) {
            Some(factor) => quote!(#runtime Posed<#factor, #scalar, #k, #n>),
            None => quote!([#scalar; #n]),
        }
    }

    /// The type of states: `NodeState<[T; 3], [T; 3], [T; 1], [T; 0], Carried<T>>`.
    fn state(&self, method: &MethodFunctions, inside: bool, carried: Option<TokenStream>) -> TokenStream {
        let ((runtime, scalar), q) = (self.scope(inside), self.configuration(inside));
        let (name, [n, m, .., s]) = (format_ident!("{}", method.state.type_name()), self.lengths());
        let carried = carried.filter(|_| !method.carried.is_empty()).map(|carried| quote!(, #carried));
        quote!(#runtime #name<#q, [#scalar; #n], [#scalar; #m], [#scalar; #s] #carried>)
    }

    /// How the entries of `__q` are passed to the functions.
    fn entries(&self) -> TokenStream {
        if self.group().is_some() { quote!(__q.entries()) } else { quote!(__q) }
    }

    /// `use`s of the module of the functions, or of that of a method with this type of states.
    fn imports(&self, state: Option<&Ident>) -> TokenStream {
        let pose = self.group().map(|group| format_ident!("{}", group.runtime));
        // Configurations with a pose are made from arrays.
        let from = pose.as_ref().map(|_| quote! { use ::core::convert::From; });
        let group = pose.map(|group| quote!(, Factor, Posed, Retracts, group::#group));
        let up = state.map(|_| quote!(super::));
        let state = state.map(|state| quote!(, #state));
        quote! {
            #from
            use ::core::result::Result::{self, Err, Ok};
            use #up runtime::{Failure, Scalar, emitted #state #group};
        }
    }

    /// What is used of the runtime. Its path is that of the struct's module, two modules above. If it begins with the name of
    /// a crate, or one from that module, it is looked up among all names of that module; these cannot get in the way of
    /// anything else here:
    ///
    /// ```text
    /// mod runtime {
    ///     use super::super::*;
    ///     pub(super) use name::{Failure, ..};
    /// }
    /// ```
    fn runtime_module(&self) -> TokenStream {
        let path = &self.declaration.runtime;
        let first = path.segments.first().filter(|_| path.leading_colon.is_none());
        let (names, path) = match first.map(|segment| segment.ident.to_string()).as_deref() {
            None | Some("crate" | "$crate") => (None, path.to_token_stream()),
            Some("super") => (None, quote!(super::super::#path)),
            Some("self") => {
                let rest = path.segments.iter().skip(1);
                (None, quote!(super::super::#(#rest)::*))
            }
            Some(_) => (Some(quote! { use super::super::*; }), path.to_token_stream()),
        };
        let states = self.optimised.methods.iter().map(|m| format_ident!("{}", m.state.type_name()));
        let states: BTreeSet<Ident> = states.collect();
        let group = self.group().map(|_| quote!(, Factor, Posed, Retracts, group));
        quote! {
            mod runtime {
                #names
                pub(super) use #path::{Failure, Scalar, emitted #(, #states)* #group};
            }
        }
    }

    /// The state of a method without what a step carries, and with it.
    fn state_types(&self, method: &MethodFunctions) -> [StateType; 2] {
        let bare = StateType {
            name: format_ident!("{}", method.state.type_name()),
            tokens: self.state(method, true, None),
            fields: method.state.fields(),
            carries: false,
            carried: idents(&mut Names::default(), &method.carried),
            is_posed: self.group().is_some(),
        };
        let state = StateType {
            tokens: self.state(method, true, Some(quote!(Carried<T>))),
            carries: !method.carried.is_empty(),
            ..bare.clone()
        };
        [bare, state]
    }

    /// `pub mod dla2 { step, pub struct Prepared<T> { .. } pub struct Carried<T> { .. } prepare, starts, initial, .. }`,
    /// the step first: it is what readers look for.
    fn method(&self, mode: &mut Mode, method: &MethodFunctions) -> TokenStream {
        let module = spelled(method.id());
        let [bare, state] = self.state_types(method);
        // The fields of `Prepared` have the same names everywhere.
        let mut names = Names::default();
        let fields = idents(&mut names, &method.prepared);
        let docs = method.prepared.iter().map(|number| format!(" {}", number.doc));
        // (fields with their types, their names, what they need)
        let (fields, numbers, marker) = match fields.as_slice() {
            [] => {
                let marker = quote! { use ::core::marker::PhantomData; };
                (quote!(pub scalar: PhantomData<T>), quote!(; scalar), marker)
            }
            _ => (quote!(#(#[doc = #docs] pub #fields: T),*), quote!(#(#fields),*), TokenStream::new()),
        };
        let prepare = function(&method.prepare, mode, names.clone(), &Signature::Prepare);
        let step = function(&method.step, mode, names, &Signature::Step(&state));
        let starts = method.starts.iter().map(|(_, start)| start);
        let starts = starts.filter(|start| std::ptr::eq(*start, first_start(method, start)));
        let starts = starts.map(|start| function(start, mode, Names::default(), &Signature::Start(&bare)));
        let starts: Vec<TokenStream> = starts.collect();
        let mut carry = |of: &Option<Function>, signature: Signature<'_>| {
            of.as_ref().map(|of| function(of, mode, Names::default(), &signature))
        };
        let initial = carry(&method.initial, Signature::Carry(&bare));
        let rescale = carry(&method.rescale, Signature::Carry(&state));
        let resync = carry(&method.resync, Signature::Update(&state));
        let update_velocity = carry(&method.update_velocity, Signature::Update(&state));
        let derivatives = self.derivatives(mode, method, &state);
        let carried = state.carries.then(|| {
            let fields = &state.carried;
            let docs = method.carried.iter().map(|number| format!(" {}", number.doc));
            quote! {
                /// What a step computes for the next one.
                #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug, ::core::cmp::PartialEq)]
                pub struct Carried<T> { #(#[doc = #docs] pub #fields: T),* }
                emitted::fields!(Carried { #(#fields),* });
            }
        });
        let imports = self.imports(Some(&state.name));
        let doc = format!(" Step functions of `{}`.", method.id());
        quote! {
            #[doc = #doc]
            pub mod #module {
                #imports
                #marker
                #step
                /// What depends on the parameters and the step size alone.
                #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
                pub struct Prepared<T> { #fields }
                emitted::fields!(Prepared { #numbers });
                #carried
                #prepare
                #(#starts)*
                #initial
                #rescale
                #resync
                #update_velocity
                #(#derivatives)*
            }
        }
    }

    /// `impl System for Sleigh { .. }`
    fn system(&self) -> TokenStream {
        let [n, m, k, p, z] = self.lengths();
        let Declaration { runtime, fields, .. } = self.declaration;
        let facts = &self.optimised.facts;
        let SystemFacts { name, gyroscopic, forced, .. } = facts;
        let names = |constant: &str, names: &[String]| {
            let constant = format_ident!("{constant}");
            quote!(const #constant: &'static [&'static ::core::primitive::str] = &[#(#names),*];)
        };
        let coordinates = names("COORDINATES", &facts.coordinates);
        let velocities = self.group().map(|_| names("VELOCITIES", &facts.velocities));
        let parameters = names("PARAMETERS", &facts.parameters);
        let inputs = names("INPUTS", &facts.inputs);
        let states = names("STATES", &facts.states);
        let massless = facts.massless.then(|| {
            quote!(
                const MASSLESS: ::core::primitive::bool = true;
            )
        });
        let tables = facts.tables.iter().map(|nodes| {
            let [first, length] = [nodes.start, nodes.len()].map(Literal::usize_unsuffixed);
            quote!((#first, #length))
        });
        let tables = (!facts.tables.is_empty()).then(|| {
            quote!(
                const TABLES: &'static [(::core::primitive::usize, ::core::primitive::usize)] = &[#(#tables),*];
            )
        });
        let constraints = names("CONSTRAINTS", &facts.constraints);
        let directions = |constant, all: &[(String, Vec<f64>)]| {
            let constant = format_ident!("{constant}");
            let symmetries = all.iter().map(|(name, direction)| {
                let direction = direction.iter().map(|&c| Literal::f64_unsuffixed(c));
                quote!(#runtime::Symmetry { momentum: #name, direction: &[#(#direction),*] })
            });
            quote!(const #constant: &'static [#runtime::Symmetry] = &[#(#symmetries),*];)
        };
        let symmetries = directions("SYMMETRIES", &facts.symmetries);
        let invariances = &facts.invariances;
        let invariances = (!invariances.is_empty()).then(|| directions("INVARIANCES", invariances));
        let values = fields.iter().flat_map(|f| {
            let field = &f.ident;
            match f.len {
                None => vec![quote!(self.#field)],
                Some(len) => (0..len).map(syn::Index::from).map(|i| quote!(self.#field[#i])).collect(),
            }
        });
        let s = quote!(<__T: #runtime::Scalar>);
        let configuration = self.configuration(false);
        let functions = self.functions();
        let body = quote! {
            const NAME: &'static ::core::primitive::str = #name;
            #coordinates
            #velocities
            #parameters
            #inputs
            #states
            #constraints
            const GYROSCOPIC: ::core::primitive::bool = #gyroscopic;
            const FORCED: ::core::primitive::bool = #forced;
            #massless
            #tables
            #symmetries
            #invariances
            type Configuration #s = #configuration;
            type Velocity #s = [__T; #n];
            type Multipliers #s = [__T; #m];
            type Inputs #s = [__T; #k];
            type States #s = [__T; #z];
            type Parameters #s = [__T; #p];
            fn parameters(&self) -> [::core::primitive::f64; #p] {
                [#(#values),*]
            }
            #functions
        };
        self.implements(&quote!(#runtime::System), &body)
    }

    /// `impl Trait for Sleigh { .. }`
    fn implements(&self, of: &TokenStream, body: &TokenStream) -> TokenStream {
        let Declaration { ident, generics, .. } = self.declaration;
        let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
        quote! {
            #[automatically_derived]
            impl #impl_generics #of for #ident #ty_generics #where_clause { #body }
        }
    }

    /// `impl Trait<Sleigh> for Dla2 { .. }`
    fn implements_for(
        &self,
        marker: &TokenStream,
        generics: &syn::Generics,
        of: &TokenStream,
        body: &TokenStream,
    ) -> TokenStream {
        let Declaration { ident, generics: own, .. } = self.declaration;
        let (impl_generics, _, where_clause) = generics.split_for_impl();
        let (_, ty_generics, _) = own.split_for_impl();
        quote! {
            #[automatically_derived]
            impl #impl_generics #of<#ident #ty_generics> for #marker #where_clause { #body }
        }
    }

    /// The functions of the system, as those of the trait `System`.
    fn functions(&self) -> TokenStream {
        let runtime = &self.declaration.runtime;
        let place = [Role::Parameters, Role::Configuration, Role::Time];
        let motion = [Role::Parameters, Role::Configuration, Role::Velocity, Role::Time];
        let driven = [&motion[..], &[Role::Inputs]].concat();
        let forced = [&motion[..3], &[Role::States, Role::Time, Role::Inputs]].concat();
        let item =
            |name: &str, parameters: &[Role], function: &Function, ty: TokenStream, body: TokenStream| {
                let (name, parameters) = (format_ident!("{name}"), self.parameters(parameters));
                let ty = match function.can_fail() {
                    true => quote!(::core::result::Result<#ty, #runtime::Failure>),
                    false => ty,
                };
                quote! {
                    #[inline]
                    fn #name<__T: #runtime::Scalar>(#parameters) -> #ty { #body }
                }
            };
        let plain = |name: &str, parameters: &[Role], function: &Function| {
            item(name, parameters, function, tuple(&types(function)), self.call(function))
        };
        let OfSystem { energy, momentum, residual, residual_scale, project, acceleration, .. } =
            self.optimised.system.as_ref();
        let OfSystem { position, position_scale, correct, momentum_basis, momentum_drift, .. } =
            self.optimised.system.as_ref();
        let of_every_system = [
            plain("energy", &motion, energy),
            plain("momentum", &motion, momentum),
            plain("residual", &driven, residual),
            plain("residual_scale", &driven, residual_scale),
            plain("project_once", &driven, project),
            plain("acceleration_of", &forced, acceleration),
        ];
        let position = position.map(|function| plain("position", &place, function));
        let position_scale = position_scale.map(|function| plain("position_scale", &place, function));
        let correct = correct.map(|function| {
            let call = self.call(function);
            let body = quote!(::core::result::Result::map(#call, ::core::convert::From::from));
            item("correct", &place, function, self.configuration(false), body)
        });
        let momentum_basis = momentum_basis.map(|function| {
            let columns = function.outputs.iter().map(|o| format_ident!("__{}", o.role.name()));
            let columns: Vec<Ident> = columns.collect();
            let (pattern, column, call) = (tuple(&columns), types(function).remove(0), self.call(function));
            let count = Literal::usize_unsuffixed(columns.len());
            let body = quote!(let #pattern = #call; [#(#columns),*]);
            item("momentum_basis", &place, function, quote!([#column; #count]), body)
        });
        let momentum_drift = momentum_drift.map(|function| plain("momentum_drift", &motion, function));
        quote!(#(#of_every_system)* #position #position_scale #correct #momentum_basis #momentum_drift)
    }

    /// Parameters of the functions of the traits.
    fn parameters(&self, roles: &[Role]) -> TokenStream {
        let ([n, _, k, p, z], q) = (self.lengths(), self.configuration(false));
        let all = roles.iter().map(|role| match role {
            Role::Parameters => quote!(__parameters: &[__T; #p]),
            Role::StepSize => quote!(__h: __T),
            Role::Configuration => quote!(__q: &#q),
            Role::Velocity => quote!(__v: &[__T; #n]),
            Role::States => quote!(__states: &[__T; #z]),
            Role::Time => quote!(__t: __T),
            _ => quote!(__inputs: &[__T; #k]),
        });
        quote!(#(#all),*)
    }

    /// The call of a function of the system with the arguments that it reads.
    fn call(&self, function: &Function) -> TokenStream {
        let (runtime, name) = (&self.declaration.runtime, format_ident!("{}", function.name));
        let retraction = (!function.retracted().is_empty()).then(|| quote!(::<__T, #runtime::group::Exp>));
        let arguments = function.read_arguments().map(|argument| match argument.role {
            Role::Parameters => quote!(__parameters),
            Role::Configuration => self.entries(),
            Role::Velocity => quote!(__v),
            Role::States => quote!(__states),
            Role::Time => quote!(__t),
            _ => quote!(__inputs),
        });
        quote!(kernel::#name #retraction(#(#arguments),*))
    }

    /// `impl Method<Sleigh> for Dla2 { .. }`; of a method for any retraction also
    /// `impl<__R: Retracts<SE2<f64>>> Method<Sleigh> for Retracted<Rdp, __R> { .. }`.
    fn method_impls(&self, method: &MethodFunctions) -> TokenStream {
        let Declaration { runtime, generics, .. } = self.declaration;
        let facts = method.method.facts();
        let own = facts.kind.own_retraction();
        let marker = format_ident!("{}", facts.marker);
        let marker = quote!(#runtime::#marker);
        let Some(factor) = self.factor(false).filter(|_| method.is_retracted) else {
            let derivatives = self.differentiable(method, generics, &marker, &TokenStream::new());
            let steps = self.method_impl(method, generics, &marker, &TokenStream::new(), None);
            return quote!(#steps #derivatives);
        };
        let tau = format_ident!("{}", own.unwrap_or_default().marker());
        let tau = quote!(#runtime::group::#tau);
        let mut usual = self.method_impl(method, generics, &marker, &quote!(::<__T, #tau>), None);
        usual.extend(self.differentiable(method, generics, &marker, &tau));
        if own.is_some() {
            return usual;
        }
        let mut generics = generics.clone();
        generics.params.push(syn::parse_quote!(__R: #runtime::Retracts<#factor>));
        let (tau, retracted) = (quote!(__R), quote!(#runtime::Retracted<#marker, __R>));
        let name = quote!(<__R as #runtime::Retracts<#factor>>::NAME);
        let any = self.method_impl(method, &generics, &retracted, &quote!(::<__T, #tau>), Some(&name));
        // Derivatives need the tangents of the motion itself.
        generics.make_where_clause().predicates.push(syn::parse_quote!(__R: #runtime::ExactTangents));
        let derivatives = self.differentiable(method, &generics, &retracted, &tau);
        quote!(#usual #any #derivatives)
    }

    /// `marker` is the type that has these steps, and `name` that of the retraction, if the type chooses one.
    fn method_impl(
        &self,
        method: &MethodFunctions,
        generics: &syn::Generics,
        marker: &TokenStream,
        retraction: &TokenStream,
        name: Option<&TokenStream>,
    ) -> TokenStream {
        let ([n, m, ..], runtime, q) = (self.lengths(), &self.declaration.runtime, self.entries());
        let facts = method.method.facts();
        let (id, module) = (facts.id, spelled(facts.id));
        let s = quote!(<__T: #runtime::Scalar>);
        let state_name = format_ident!("{}", method.state.type_name());
        let state = self.state(method, false, Some(quote!(kernel::#module::Carried<__T>)));
        // `kernel::dla2::step`, with the retraction that it depends on.
        let kernel = |function: &Function| {
            let name = spelled(&function.name);
            let retraction = Some(retraction).filter(|_| !function.retracted().is_empty());
            quote!(kernel::#module::#name #retraction)
        };
        let of = |function: &Option<Function>| function.as_ref().map(&kernel);
        // A state with what the step carries beside it.
        let carry = match of(&method.initial) {
            None => quote!(::core::result::Result::Ok(__state)),
            Some(initial) => quote! {
                let __carried = #initial(__parameters, __h, &__state, __t)?;
                ::core::result::Result::Ok(__state.carrying(__carried))
            },
        };
        let carrying = |state: TokenStream| match &method.initial {
            None => state,
            Some(_) => quote!(let __state = #state?; #carry),
        };
        let started = |start: &Function| {
            let start = kernel(first_start(method, start));
            quote!(#start(__parameters, __h, #q, __v, __states, __t, __inputs))
        };
        // Parameters that several functions begin or end with.
        let [parameters, time, configuration, velocity, states] = [
            &[Role::Parameters, Role::StepSize][..],
            &[Role::Time, Role::Inputs],
            &[Role::Configuration],
            &[Role::Velocity],
            &[Role::States],
        ]
        .map(|roles| self.parameters(roles));
        let result = |ty: TokenStream| quote!(::core::result::Result<#ty, #runtime::Failure>);
        let (prepared, next) = (result(quote!(Self::Prepared<__T>)), result(quote!(Self::State<__T>)));
        let rescale = of(&method.rescale).map(|rescale| {
            quote! {
                #[inline(always)]
                fn rescale #s(&self, #parameters, __state: &Self::State<__T>, __t: __T,) -> #next {
                    let __carried = #rescale(__parameters, __h, __state, __t)?;
                    ::core::result::Result::Ok(#runtime::#state_name { carried: __carried, ..*__state })
                }
            }
        });
        let update_velocity = of(&method.update_velocity).map(|update_velocity| {
            quote! {
                #[inline(always)]
                fn update_velocity #s(
                    &self,
                    __h: __T,
                    __before: &Self::State<__T>,
                    __state: &Self::State<__T>,
                ) -> Self::State<__T> {
                    #runtime::#state_name { v: #update_velocity(__h, __before, __state), ..*__state }
                }
            }
        });
        let resync = of(&method.resync).map(|resync| {
            quote! {
                #[inline(always)]
                fn resync #s(&self, __state: &Self::State<__T>) -> Self::State<__T> {
                    #runtime::#state_name { carried: #resync(__state), ..*__state }
                }
            }
        });
        let own = method.starts.iter().find(|(kind, _)| *kind == facts.start).or(method.starts.first());
        let start = carrying(own.map(|(_, start)| started(start)).unwrap_or_default());
        // Methods without a choice have the function of the trait.
        let start_as = (method.starts.len() > 1).then(|| {
            let arms = method.starts.iter().map(|(kind, start)| {
                let (kind, start) = (format_ident!("{kind:?}"), started(start));
                quote!(#runtime::Start::#kind => #start)
            });
            let start = carrying(quote!(match __start { #(#arms),* }));
            quote! {
                fn start_as #s(
                    &self, __start: #runtime::Start, #parameters, #configuration, #velocity, #states, #time
                ) -> #next {
                    #start
                }
            }
        });
        let called = match name {
            None => quote!(#id),
            Some(name) => quote!(const { &#runtime::Id::of(#id, #name) }.as_str()),
        };
        let started_id = name.filter(|_| facts.kind == Kind::Reflecting).map(|name| {
            let start = facts.start;
            let own = format_ident!("{start:?}");
            quote! {
                fn started_id(
                    &self, __start: #runtime::Start, _: &'static ::core::primitive::str
                ) -> &'static ::core::primitive::str {
                    const { &#runtime::StartIds::of(#id, #runtime::Start::#own, #name) }.with(__start)
                }
            }
        });
        let traits = step_traits(runtime, method);
        let [prepare, step] = [&method.prepare, &method.step].map(kernel);
        let memory = if method.derivatives.is_some() { quote!(Remembers) } else { quote!(Forgets) };
        let body = quote! {
            type Prepared #s = kernel::#module::Prepared<__T>;
            type State #s = #state;
            type Memory = #runtime::#memory;
            #traits
            fn id(&self) -> &'static ::core::primitive::str {
                #called
            }
            #started_id
            fn prepare #s(&self, #parameters) -> #prepared {
                #prepare(__parameters, __h)
            }
            fn start #s(&self, #parameters, #configuration, #velocity, #states, #time) -> #next {
                #start
            }
            #start_as
            #[inline]
            fn state #s(
                &self, #parameters, #configuration,
                __jump: (&[__T; #n], &[__T; #n]), __lambda: &[__T; #m], #states, __t: __T,
            ) -> #next {
                let __state = #runtime::#state_name::at(*__q, __jump, *__lambda, *__states);
                #carry
            }
            #[inline(always)]
            fn step #s(&self, __prepared: &Self::Prepared<__T>, __state: &Self::State<__T>, #time) -> #next {
                #step(__prepared, __state, __t, __inputs)
            }
            #rescale
            #update_velocity
            #resync
        };
        self.implements_for(marker, generics, &quote!(#runtime::Method), &body)
    }
}

/// `const TRAITS: StepTraits = StepTraits { .. };`
fn step_traits(runtime: &syn::Path, method: &MethodFunctions) -> TokenStream {
    let unread = method.unread.iter().map(|&i| Literal::usize_unsuffixed(i));
    let size = method.step.operations.size();
    let length = match size {
        size if size > TARGET.inline_loop => Some(quote!(Long)),
        size if size > TARGET.inline_step => Some(quote!(Middle)),
        _ => None,
    };
    let length = length.map(|length| quote!(length: #runtime::Length::#length,));
    let is = [
        ("has_newton", method.iterates()),
        ("has_derivatives", method.has_derivatives()),
        ("has_maps", !method.step.maps().is_empty()),
        ("scalar_only", size > TARGET.inline_loop),
        ("has_recurrence", method.resync.is_some()),
    ];
    let is = is.into_iter().filter(|(_, is)| *is).map(|(name, _)| format_ident!("{name}"));
    // Short steps of explicit formulas are the rest.
    quote! {
        const TRAITS: #runtime::StepTraits = #runtime::StepTraits {
            dead: &[#(#unread),*],
            #length
            #(#is: true,)*
            ..#runtime::StepTraits::PLAIN
        };
    }
}

/// Identifiers of numbers that are kept.
fn idents(names: &mut Names, numbers: &[Number]) -> Vec<Ident> {
    numbers.iter().map(|number| names.of(&number.name)).collect()
}

/// The types of the results of a function of the system.
fn types(function: &Function) -> Vec<TokenStream> {
    let types = function.outputs.iter().map(|output| {
        let length = Literal::usize_unsuffixed(output.values.len());
        if output.scalar { quote!(__T) } else { quote!([__T; #length]) }
    });
    types.collect()
}

/// The first of the starts of `method` that computes what `start` does.
fn first_start<'a>(method: &'a MethodFunctions, start: &'a Function) -> &'a Function {
    let mut starts = method.starts.iter().map(|(_, other)| other);
    starts.find(|other| other.computes_the_same_as(start)).unwrap_or(start)
}
