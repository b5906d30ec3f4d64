//! Rust for one declaration: implementations of the runtime's traits.
//!
//! ```text
//! const _: () = {
//!     mod kernel {
//!         pub fn energy<T: Scalar>(parameters: &[T; 3], q: &[T; 3], v: &[T; 3]) -> T { .. }
//!         // momentum, residual, residual_scale, project, acceleration
//!         pub mod dla2 {
//!             pub struct Prepared<T> { .. }
//!             // prepare, start.., step
//!         }
//!     }
//!     impl System for Sleigh { .. }
//!     impl Emits<Dla2> for Sleigh { .. }
//! };
//! ```
//!
//! Numbers are computed in the module, where no name of the user's is in scope. Outside of it every
//! path is absolute and every local name starts with two underscores.

mod expression;
mod function;
mod geometry;
mod names;
mod people;
mod programs;

use crate::declaration::Field;
use crate::expr::{Expr, Pool};
use crate::mechanics::{Connection, Mechanics};
use crate::method::{MethodPrograms, StartKind, SystemPrograms};
use crate::pass::Increments;
use crate::program::{Program, Role, Statement};
use function::{Pose, Signature, StateType, function, has_maps, retracted};
use names::{Names, spelled};
use num_traits::ToPrimitive;
use people::Mode;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use programs::{Optimised, OptimisedStep, Programs};
use quote::{ToTokens, format_ident, quote};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// Everything that is emitted for one declaration.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'a> {
    /// The struct.
    pub ident: &'a Ident,
    /// Its generics.
    pub generics: &'a syn::Generics,
    /// Parameter fields in order.
    pub fields: &'a [Field],
    /// Path of the runtime crate, as it is written beside the struct.
    pub runtime: &'a syn::Path,
    /// The system.
    pub mechanics: &'a Mechanics,
    /// Its programs.
    pub system: &'a SystemPrograms,
    /// Its methods' programs.
    pub methods: &'a [MethodPrograms],
    /// How its constraints lie to the group factor: for people, if there is one.
    pub connection: Option<&'a Connection>,
}

/// The implementation of the runtime's traits, as the macro emits it.
pub fn implementation(unit: &Unit<'_>) -> TokenStream {
    Emitter::new(unit).implementation(&mut Mode::Macro)
}

/// The same, formatted, with the equations that the code implements as comments.
pub fn pretty(unit: &Unit<'_>) -> String {
    let mut mode = Mode::People(Vec::new());
    let tokens = Emitter::new(unit).implementation(&mut mode);
    mode.print(tokens)
}

/// Numbers of entries of a configuration, velocities, constraints, inputs and parameters.
#[derive(Clone, Copy)]
struct Lengths {
    entries: usize,
    n: usize,
    m: usize,
    inputs: usize,
    parameters: usize,
}

impl Lengths {
    /// n, m, numbers of inputs and parameters, as literals.
    fn literals(self) -> [Literal; 4] {
        [self.n, self.m, self.inputs, self.parameters].map(Literal::usize_unsuffixed)
    }
}

/// What the state of a method remembers for the next step.
struct Memory {
    /// How many numbers beside configuration, velocities and multipliers.
    carried: usize,
    /// Whether these are computed at a start; else they are zero.
    computed: bool,
    /// Whether they depend on the retraction.
    retracted: bool,
    /// Which of these are velocities times a multiple of the step size.
    increments: Increments,
    /// Which of these are computed anew for another step size, and whether that depends on the retraction.
    anew: Option<(Vec<usize>, bool)>,
    /// Which of these are for steps of one size.
    errors: Range<usize>,
    /// Places of sines, cosines and angles that steps turn.
    turned: Vec<([TokenStream; 3], Option<TokenStream>)>,
    /// Which of all numbers are of no use to the next step.
    unread: Vec<usize>,
    /// How much the step computes, if it is not short: a `Length`.
    length: Option<&'static str>,
    /// Whether the step has a Newton iteration.
    iterates: bool,
    /// Whether its updates can be of second order.
    bends: bool,
    /// Whether ensembles gain nothing from taking steps side by side.
    apart: bool,
}

/// Longest formula in documentation that is written out in parameters.
const MAX_FORMULA: usize = 60;

/// Largest [weight](crate::program::Operations::weight) of a step that is compiled wherever it is taken. Above, that
/// saves little of the time of steps one by one and takes a good part of a build.
const MAX_SHORT: usize = 500;

/// The same of a step that is compiled into the loop around it. Up to there loops of unchecked steps, compiled for the
/// processor's instructions, save time (`benches/README.md`); above they save next to none and are most of what a build
/// takes.
const MAX_MIDDLE: usize = 1200;

struct Emitter<'a> {
    unit: &'a Unit<'a>,
    pool: &'a Pool,
    lengths: Lengths,
}

impl<'a> Emitter<'a> {
    fn new(unit: &'a Unit<'a>) -> Self {
        let system = &unit.mechanics.system;
        let lengths = Lengths {
            entries: system.coordinates.len(),
            n: system.velocities.len(),
            m: system.constraints.len(),
            inputs: system.inputs.len(),
            parameters: system.parameters.len(),
        };
        Emitter { unit, pool: &system.pool, lengths }
    }

    fn implementation(&self, mode: &mut Mode) -> TokenStream {
        let (kernel, memories) = self.kernel(mode);
        let system = self.system();
        let methods =
            self.unit.methods.iter().zip(&memories).map(|(method, memory)| self.emits(method, memory));
        quote! {
            #[allow(
                clippy::all,
                clippy::nursery,
                clippy::pedantic,
                clippy::restriction,
                missing_docs,
                non_ascii_idents,
                non_snake_case,
                uncommon_codepoints,
                unnameable_types,
                unreachable_pub,
                unused,
                unused_qualifications,
                unused_results
            )]
            const _: () = {
                #kernel
                #system
                #(#methods)*
            };
        }
    }

    /// `mod kernel { .. }`, and what each method carries.
    fn kernel(&self, mode: &mut Mode) -> (TokenStream, Vec<Memory>) {
        let system = self.unit.system;
        let of_system: Vec<(&Program, bool)> = [
            (&system.energy, false),
            (&system.momentum, false),
            (&system.residual, false),
            (&system.residual_scale, false),
            (&system.project, true),
            (&system.acceleration, true),
        ]
        .into_iter()
        .chain(system.momentum_basis.iter().map(|basis| (basis, false)))
        .collect();
        let starts = self.unit.methods.iter().flat_map(|m| &m.starts).map(|(_, start)| start);
        let programs: Vec<&Program> = starts.chain(of_system.iter().map(|&(program, _)| program)).collect();
        let (methods, functions) = Programs::optimised(self.pool, self.unit.methods, &programs, |programs| {
            let methods: Vec<(TokenStream, Memory)> =
                self.unit.methods.iter().map(|method| self.method(mode, method, programs)).collect();
            let functions: Vec<TokenStream> = of_system
                .iter()
                .map(|&(_, fallible)| plain(mode, programs.next_other(), &Signature::Plain { fallible }))
                .collect();
            (methods, functions)
        });
        let (methods, memories): (Vec<TokenStream>, Vec<Memory>) = methods.into_iter().unzip();
        let (imports, runtime) = (self.imports(1, &[]), self.runtime_module());
        let geometry = self.geometry(mode);
        let kernel = quote! {
            mod kernel {
                #imports
                #runtime
                #geometry
                #(#functions)*
                #(#methods)*
            }
        };
        (kernel, memories)
    }

    /// How the constraints lie to the group factor, for people.
    fn geometry(&self, mode: &mut Mode) -> TokenStream {
        match self.unit.connection {
            Some(connection) => mode.comment(&geometry::text(self.unit.mechanics, connection)),
            None => TokenStream::new(),
        }
    }

    fn pose(&self) -> Option<Pose> {
        let system = &self.unit.mechanics.system;
        system.group.map(|group| Pose { group, coordinates: system.shape() })
    }

    /// The type of configurations outside of the kernel, and how the kernel gets its entries.
    fn configuration(&self) -> (TokenStream, TokenStream) {
        let runtime = self.unit.runtime;
        let entries = Literal::usize_unsuffixed(self.lengths.entries);
        match self.pose() {
            Some(pose) => (pose.configuration(&quote!(#runtime::), &quote!(__T)), quote!(__q.entries())),
            None => (quote!([__T; #entries]), quote!(__q)),
        }
    }

    /// `use`s of a module that many modules below the struct's.
    fn imports(&self, depth: usize, more: &[TokenStream]) -> TokenStream {
        let runtime = self.runtime_from(depth);
        // Configurations with a pose are made from arrays.
        let from = self.pose().map(|_| {
            quote!(
                use ::core::convert::From;
            )
        });
        quote! {
            #from
            use ::core::result::Result::{self, Err, Ok};
            use #runtime::{Failure, Scalar, emitted #(, #more)*};
        }
    }

    /// What the functions of a method need besides, with this type of states.
    fn names_of_method(&self, state: &Ident) -> Vec<TokenStream> {
        let pose = self.pose().map(|pose| {
            let group = format_ident!("{}", pose.group.runtime);
            [quote!(Factor), quote!(Posed), quote!(Retracts), quote!(group::#group)]
        });
        std::iter::once(state.to_token_stream()).chain(pose.into_iter().flatten()).collect()
    }

    /// The runtime's path from that many modules below the struct's.
    fn runtime_from(&self, depth: usize) -> TokenStream {
        let path = self.unit.runtime;
        let up = |levels| std::iter::repeat_n(quote!(super), levels);
        if self.runtime_by_name() {
            let up = up(depth - 1);
            return quote!(#(#up::)* runtime);
        }
        let first = path.segments.first().map(|s| s.ident.to_string()).unwrap_or_default();
        let up = up(depth);
        match first.as_str() {
            "super" => quote!(#(#up::)* #path),
            "self" => {
                let rest = path.segments.iter().skip(1);
                quote!(#(#up)::* #(::#rest)*)
            }
            _ => path.to_token_stream(),
        }
    }

    /// Whether the runtime's path begins with the name of a crate, or one from the struct's module.
    fn runtime_by_name(&self) -> bool {
        let path = self.unit.runtime;
        let first = path.segments.first().map(|s| s.ident.to_string()).unwrap_or_default();
        path.leading_colon.is_none() && !["crate", "$crate", "self", "super"].contains(&first.as_str())
    }

    /// Such a name can mean something to the struct's module alone. It is looked up among the names of
    /// that module here, where these cannot get in the way of anything else:
    ///
    /// ```text
    /// mod runtime {
    ///     use super::super::*;
    ///     pub use name::{Failure, ..};
    /// }
    /// ```
    fn runtime_module(&self) -> TokenStream {
        if !self.runtime_by_name() {
            return TokenStream::new();
        }
        let path = self.unit.runtime;
        let states = self.unit.methods.iter().map(|m| m.state.type_name());
        let states: BTreeSet<&str> = states.collect();
        let states = states.iter().map(|name| format_ident!("{name}").to_token_stream());
        let pose = self.pose().map(|_| [quote!(Factor), quote!(Posed), quote!(Retracts), quote!(group)]);
        let names = states.chain(pose.into_iter().flatten());
        quote! {
            mod runtime {
                use super::super::*;
                pub use #path::{Failure, Scalar, emitted #(, #names)*};
            }
        }
    }

    fn state_type(&self, method: &MethodPrograms, carried: usize) -> StateType {
        let length = |role: &Role| match role {
            Role::Configuration => self.lengths.entries,
            Role::Multipliers => self.lengths.m,
            _ => self.lengths.n,
        };
        StateType {
            name: format_ident!("{}", method.state.type_name()),
            fields: method.state.fields().iter().map(|role| (role.clone(), length(role))).collect(),
            carried,
            pose: self.pose(),
        }
    }

    /// `pub mod dla2 { pub struct Prepared<T> { .. } prepare, starts, carry, step }`
    fn method(
        &self,
        mode: &mut Mode,
        method: &MethodPrograms,
        programs: &mut Programs<'_>,
    ) -> (TokenStream, Memory) {
        let module = spelled(method.id);
        let OptimisedStep { mut pool, mut constants, parts, weight, carry, increments, resize, errors } =
            programs.next_step();
        let carried = parts.step.symbols(&Role::Carried).len();
        let state = self.state_type(method, carried);
        let length = match weight {
            w if w > MAX_MIDDLE => Some("Long"),
            w if w > MAX_SHORT => Some("Middle"),
            _ => None,
        };
        let memory = Memory {
            carried,
            computed: carry.is_some(),
            retracted: carry.as_ref().is_some_and(|carry| retracted(&pool, carry).is_some()),
            increments,
            anew: resize
                .as_ref()
                .map(|(places, program)| (places.clone(), retracted(&pool, program).is_some())),
            errors,
            turned: state.turned(&pool, &parts.step),
            unread: state.unread(&pool, &parts.step),
            length,
            iterates: parts.step.has_loop(),
            bends: parts.step.bends(),
            apart: weight > MAX_MIDDLE || has_maps(&pool, &parts.step),
        };
        let bare = state.without_carried();
        // The fields of `Prepared` have the same names everywhere.
        let mut names = Names::default();
        let kept: Vec<Expr> = parts.prepare.outputs.iter().flat_map(|o| o.values.clone()).collect();
        let fields: Vec<Ident> = kept.iter().map(|&s| names.of(&pool.show(s).to_string())).collect();
        let formulas = formulas(&mut pool, &parts.prepare, &kept);
        let docs = formulas.iter().map(|f| format!(" `{f}`"));
        // (fields with their types, their names, what they need)
        let (fields, numbers, marker) = match fields.as_slice() {
            [] => (
                quote!(pub scalar: PhantomData<T>),
                quote!(; scalar),
                quote!(
                    use ::core::marker::PhantomData;
                ),
            ),
            _ => (quote!(#(#[doc = #docs] pub #fields: T),*), quote!(#(#fields),*), TokenStream::new()),
        };
        let (pool, constants) = (&mut pool, &mut constants);
        let prepare = function(pool, constants, mode, names.clone(), &parts.prepare, &Signature::Prepare);
        let step = function(pool, constants, mode, names, &parts.step, &Signature::Step(&state));
        let mut beside = |program: Program| {
            function(pool, constants, mode, Names::default(), &program, &Signature::Carry(&bare))
        };
        let carry = carry.map(&mut beside);
        let resize = resize.map(|(_, program)| beside(program));
        let starts = method.starts.iter();
        let starts: Vec<TokenStream> =
            starts.map(|_| plain(mode, programs.next_other(), &Signature::Start(&bare))).collect();
        let imports = self.imports(2, &self.names_of_method(&state.name));
        let doc = format!(" Step functions of `{}`.", method.id);
        let module = quote! {
            #[doc = #doc]
            pub mod #module {
                #imports
                #marker
                /// What depends on the parameters and the step size alone.
                #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
                pub struct Prepared<T> { #fields }
                emitted::fields!(Prepared { #numbers });
                #prepare
                #(#starts)*
                #carry
                #resize
                #step
            }
        };
        (module, memory)
    }

    /// `impl System for Sleigh { .. }`
    fn system(&self) -> TokenStream {
        let unit = self.unit;
        let [n, m, k, p] = self.lengths.literals();
        let runtime = unit.runtime;
        let system = &unit.mechanics.system;
        let ident = unit.ident;
        let (impl_generics, ty_generics, where_clause) = unit.generics.split_for_impl();
        let name = &system.name;
        let coordinates = system.coordinates.iter().map(|c| &c.name);
        let parameters = system.parameters.iter().map(|c| &c.name);
        let inputs = system.inputs.iter().map(|c| &c.name);
        let constraints = system.constraints.iter().map(|c| &c.label);
        let symmetries = unit.mechanics.symmetries.iter().map(|s| {
            let name = &s.momentum;
            let direction = s.direction.iter().map(|&c| Literal::f64_unsuffixed(f64::from(c)));
            quote!(#runtime::Symmetry { momentum: #name, direction: &[#(#direction),*] })
        });
        let values = unit.fields.iter().flat_map(|f| {
            let field = &f.ident;
            match f.len {
                None => vec![quote!(self.#field)],
                Some(len) => (0..len).map(syn::Index::from).map(|i| quote!(self.#field[#i])).collect(),
            }
        });
        let s = quote!(<__T: #runtime::Scalar>);
        let (configuration, q) = self.configuration();
        let velocities = unit.mechanics.system.group.map(|_| {
            let velocities = system.velocities.iter().zip(&system.coordinates).enumerate();
            // A coordinate's velocity has its name.
            let names = velocities.map(|(i, (v, q))| if i < system.shape() { &q.name } else { &v.name });
            quote!(const VELOCITIES: &'static [&'static ::core::primitive::str] = &[#(#names),*];)
        });
        let state = quote!(__parameters: &[__T; #p], __q: &#configuration, __v: &[__T; #n]);
        let momentum_basis = self.momentum_basis();
        let result = |ty: TokenStream| quote!(::core::result::Result<#ty, #runtime::Failure>);
        let (project, accelerate) = (result(quote!([__T; #n])), result(quote!(([__T; #n], [__T; #m]))));
        quote! {
            #[automatically_derived]
            impl #impl_generics #runtime::System for #ident #ty_generics #where_clause {
                const NAME: &'static ::core::primitive::str = #name;
                const COORDINATES: &'static [&'static ::core::primitive::str] = &[#(#coordinates),*];
                #velocities
                const PARAMETERS: &'static [&'static ::core::primitive::str] = &[#(#parameters),*];
                const INPUTS: &'static [&'static ::core::primitive::str] = &[#(#inputs),*];
                const CONSTRAINTS: &'static [&'static ::core::primitive::str] = &[#(#constraints),*];
                const SYMMETRIES: &'static [#runtime::Symmetry] = &[#(#symmetries),*];
                type Configuration #s = #configuration;
                type Velocity #s = [__T; #n];
                type Multipliers #s = [__T; #m];
                type Inputs #s = [__T; #k];
                type Parameters #s = [__T; #p];
                fn parameters(&self) -> [::core::primitive::f64; #p] {
                    [#(#values),*]
                }
                #[inline]
                fn energy #s(#state) -> __T {
                    kernel::energy(__parameters, #q, __v)
                }
                #[inline]
                fn momentum #s(#state) -> [__T; #n] {
                    kernel::momentum(__parameters, #q, __v)
                }
                #[inline]
                fn residual #s(#state) -> [__T; #m] {
                    kernel::residual(__parameters, #q, __v)
                }
                #[inline]
                fn residual_scale #s(#state) -> [__T; #m] {
                    kernel::residual_scale(__parameters, #q, __v)
                }
                #[inline]
                fn project #s(#state) -> #project {
                    kernel::project(__parameters, #q, __v)
                }
                #[inline]
                fn acceleration_of #s(#state, __t: __T, __inputs: &[__T; #k]) -> #accelerate {
                    kernel::acceleration(__parameters, #q, __v, __t, __inputs)
                }
                #momentum_basis
            }
        }
    }

    /// `fn momentum_basis`, where it is not empty.
    fn momentum_basis(&self) -> Option<TokenStream> {
        let program = self.unit.system.momentum_basis.as_ref()?;
        let [n, _, _, p] = self.lengths.literals();
        let runtime = self.unit.runtime;
        let (configuration, q) = self.configuration();
        let columns: Vec<Ident> =
            program.outputs.iter().map(|o| format_ident!("__{}", o.role.name())).collect();
        let count = Literal::usize_unsuffixed(columns.len());
        let pattern = if columns.len() == 1 { quote!(#(#columns)*) } else { quote!((#(#columns),*)) };
        Some(quote! {
            #[allow(refining_impl_trait)]
            #[inline]
            fn momentum_basis<__T: #runtime::Scalar>(
                __parameters: &[__T; #p],
                __q: &#configuration,
            ) -> [[__T; #n]; #count] {
                let #pattern = kernel::momentum_basis(__parameters, #q);
                [#(#columns),*]
            }
        })
    }

    /// `impl Emits<Dla2> for Sleigh { .. }`; of a method for any retraction also
    /// `impl<__R: Retracts<SE2<f64>>> Emits<Retracted<Rdp, __R>> for Sleigh { .. }`.
    fn emits(&self, method: &MethodPrograms, memory: &Memory) -> TokenStream {
        let runtime = self.unit.runtime;
        let marker = format_ident!("{}", method.marker);
        let generics = self.unit.generics;
        let Some(pose) = self.pose().filter(|_| retracted(self.pool, &method.step).is_some()) else {
            return self.emits_as(method, memory, generics, &quote!(#runtime::#marker), &TokenStream::new());
        };
        let factor = pose.factor(&quote!(#runtime::));
        let tau = format_ident!("{}", method.retraction.unwrap_or("Exp"));
        let tau = quote!(::<__T, #runtime::group::#tau>);
        let usual = self.emits_as(method, memory, generics, &quote!(#runtime::#marker), &tau);
        if method.retraction.is_some() {
            return usual;
        }
        let mut generics = generics.clone();
        generics.params.push(syn::parse_quote!(__R: #runtime::Retracts<#factor>));
        let retracted = quote!(#runtime::Retracted<#runtime::#marker, __R>);
        let any = self.emits_as(method, memory, &generics, &retracted, &quote!(::<__T, __R>));
        quote!(#usual #any)
    }

    fn emits_as(
        &self,
        method: &MethodPrograms,
        memory: &Memory,
        generics: &syn::Generics,
        marker: &TokenStream,
        retraction: &TokenStream,
    ) -> TokenStream {
        let unit = self.unit;
        let [n, m, k, p] = self.lengths.literals();
        let runtime = unit.runtime;
        let ident = unit.ident;
        let (impl_generics, _, where_clause) = generics.split_for_impl();
        let (_, ty_generics, _) = unit.generics.split_for_impl();
        let (configuration, q) = self.configuration();
        let module = spelled(method.id);
        let s = quote!(<__T: #runtime::Scalar>);
        let state = self.state_type(method, memory.carried);
        let state_name = &state.name;
        let state = state.tokens(&quote!(#runtime::), &Ident::new("__T", Span::call_site()));
        let calls = method.starts.iter().map(|(kind, start)| {
            let name = spelled(&start.name);
            let retraction = retracted(self.pool, start).map(|_| retraction);
            let call = quote!(kernel::#module::#name #retraction (__parameters, __h, #q, __v, __t, __inputs));
            let kind = match kind {
                StartKind::Consistent => quote!(#runtime::Start::CONSISTENT),
                StartKind::Projected => quote!(#runtime::Start::PROJECTED),
                StartKind::Plain => quote!(#runtime::Start::PLAIN),
                StartKind::Stepped => quote!(_),
            };
            (kind, call)
        });
        let (kinds, calls): (Vec<TokenStream>, Vec<TokenStream>) = calls.unzip();
        // A method without a choice is started in its own way whatever is asked for.
        let start = match calls.as_slice() {
            [only] => only.clone(),
            several => quote!(match __START { #(#kinds => #several),* }),
        };
        // A state with what the step carries beside it.
        let carry = match memory.carried {
            0 => quote!(::core::result::Result::Ok(__state)),
            n if !memory.computed => {
                let n = Literal::usize_unsuffixed(n);
                quote!(::core::result::Result::Ok(__state.carrying([#runtime::Scalar::from_f64(0.0); #n])))
            }
            _ => {
                let retraction = memory.retracted.then_some(retraction);
                let carry = quote!(kernel::#module::carry #retraction (__parameters, __h, &__state, __t)?);
                quote!(::core::result::Result::Ok(__state.carrying(#carry)))
            }
        };
        let start = match memory.carried {
            0 => start,
            _ => quote!({
                let __state = (#start)?;
                #carry
            }),
        };
        let anew = memory.anew.as_ref().map(|(places, retracted)| {
            let places = places.iter().map(|&i| Literal::usize_unsuffixed(i));
            let retraction = retracted.then_some(retraction);
            quote! {
                let __resized = &__state.with_nothing_carried();
                [#(__state.carried[#places]),*] =
                    kernel::#module::resize #retraction (__parameters, __h, __resized, __t)?;
            }
        });
        let [first, end] = [memory.errors.start, memory.errors.end].map(Literal::usize_unsuffixed);
        let errors = (!memory.errors.is_empty()).then(|| {
            quote! {
                for __error in &mut __state.carried[#first..#end] {
                    *__error = #runtime::Scalar::from_f64(0.0);
                }
            }
        });
        let result = |ty: TokenStream| quote!(::core::result::Result<#ty, #runtime::Failure>);
        let (prepared, next) = (result(quote!(Self::Prepared<__T>)), result(quote!(Self::State<__T>)));
        // Momenta that are reflected belong to their step size.
        let has_sizes = !method.state.belongs_to_step_size();
        let resized = (has_sizes && (anew.is_some() || errors.is_some())).then(|| {
            quote! {
                #[inline(always)]
                fn resized #s(
                    __parameters: &[__T; #p],
                    __h: __T,
                    __state: &Self::State<__T>,
                    __t: __T,
                ) -> #next {
                    let mut __state = *__state;
                    #anew
                    #errors
                    ::core::result::Result::Ok(__state)
                }
            }
        });
        let Increments { unit, places } = &memory.increments;
        let tracked = (has_sizes && !places.is_empty()).then(|| {
            let per_step = Literal::f64_unsuffixed(unit.recip().to_f64().unwrap_or(1.0));
            let velocities = places.iter().map(|&(carried, v)| {
                let [carried, v] = [carried, v].map(Literal::usize_unsuffixed);
                let change = quote!(__state.carried[#carried] - __before.carried[#carried]);
                quote!(__state.v[#v] = __before.v[#v] + __inverse * (#change);)
            });
            quote! {
                #[inline(always)]
                fn tracked #s(
                    __h: __T,
                    __before: &Self::State<__T>,
                    __state: &Self::State<__T>,
                ) -> Self::State<__T> {
                    let mut __state = *__state;
                    let __inverse = <__T as #runtime::Scalar>::from_f64(#per_step) / __h;
                    #(#velocities)*
                    __state
                }
            }
        });
        let renewed = memory.turned.iter().map(|([sin, cos, angle], foreseen)| {
            let turned = foreseen.as_ref().map(|by| {
                quote! {
                    __state.#angle = __state.#angle + __state.#by;
                    __state.#by = #runtime::Scalar::from_f64(0.0);
                }
            });
            quote! {
                #turned
                (__state.#sin, __state.#cos) = #runtime::Scalar::sin_cos(__state.#angle);
            }
        });
        let renewed = (!memory.turned.is_empty()).then(|| {
            quote! {
                #[inline(always)]
                fn renewed #s(__state: &Self::State<__T>) -> Self::State<__T> {
                    let mut __state = *__state;
                    #(#renewed)*
                    __state
                }
            }
        });
        let unread = memory.unread.iter().map(|&i| Literal::usize_unsuffixed(i));
        let unread = quote!(const UNREAD: &'static [::core::primitive::usize] = &[#(#unread),*];);
        // The trait takes steps for short ones of explicit formulas.
        let length = memory.length.map(|length| {
            let length = format_ident!("{length}");
            quote!(const LENGTH: #runtime::Length = #runtime::Length::#length;)
        });
        let is = [
            ("ITERATES", memory.iterates),
            ("BENDS", memory.bends),
            ("APART", memory.apart),
            ("TURNS", renewed.is_some()),
        ];
        let is = is.into_iter().filter(|(_, is)| *is).map(|(name, _)| format_ident!("{name}"));
        quote! {
            #[automatically_derived]
            impl #impl_generics #runtime::Emits<#marker> for #ident #ty_generics #where_clause {
                type Prepared #s = kernel::#module::Prepared<__T>;
                type State #s = #state;
                #unread
                #length
                #(const #is: ::core::primitive::bool = true;)*
                fn prepare #s(__parameters: &[__T; #p], __h: __T) -> #prepared {
                    kernel::#module::prepare(__parameters, __h)
                }
                fn start<const __START: ::core::primitive::u8, __T: #runtime::Scalar>(
                    __parameters: &[__T; #p],
                    __h: __T,
                    __q: &#configuration,
                    __v: &[__T; #n],
                    __t: __T,
                    __inputs: &[__T; #k],
                ) -> #next {
                    #start
                }
                #[inline]
                fn state #s(
                    __parameters: &[__T; #p],
                    __h: __T,
                    __q: &#configuration,
                    __jump: (&[__T; #n], &[__T; #n]),
                    __lambda: &[__T; #m],
                    __t: __T,
                ) -> #next {
                    let __state = #runtime::#state_name::at(*__q, __jump, *__lambda);
                    #carry
                }
                #[inline(always)]
                fn step #s(
                    __prepared: &Self::Prepared<__T>,
                    __state: &Self::State<__T>,
                    __t: __T,
                    __inputs: &[__T; #k],
                ) -> #next {
                    kernel::#module::step #retraction(__prepared, __state, __t, __inputs)
                }
                #resized
                #tracked
                #renewed
            }
        }
    }
}

/// The function of a program that stands for itself.
fn plain(mode: &mut Mode, optimised: Optimised, signature: &Signature<'_>) -> TokenStream {
    let Optimised { mut pool, mut constants, program } = optimised;
    function(&mut pool, &mut constants, mode, Names::default(), &program, signature)
}

/// The values of `kept` as formulas of the parameters and the step size.
fn formulas(pool: &mut Pool, prepare: &Program, kept: &[Expr]) -> Vec<String> {
    let mut values: HashMap<Expr, Expr> = HashMap::new();
    for statement in &prepare.body {
        if let Statement::Let { symbol, value } = statement {
            let full = pool.substitute(&[*value], &values)[0];
            // A long formula is read part by part.
            let short = pool.show(full).to_string().len() <= MAX_FORMULA;
            values.insert(*symbol, if short { full } else { *symbol });
        }
    }
    let of = |symbol: &Expr| {
        let let_value = prepare.body.iter().find_map(|s| match s {
            Statement::Let { symbol: s, value } if s == symbol => Some(*value),
            _ => None,
        });
        match (values.get(symbol), let_value) {
            (Some(full), _) if full != symbol => *full,
            (_, Some(value)) => value,
            _ => *symbol,
        }
    };
    kept.iter().map(|s| pool.show(of(s)).to_string()).collect()
}
