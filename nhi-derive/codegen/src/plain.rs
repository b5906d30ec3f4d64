//! Straightforward emission, without passes: every expression as it stands.

use crate::declaration::Field;
use crate::expr::{Expr, Node, Pool, Rational};
use crate::mechanics::Mechanics;
use crate::method::{MethodPrograms, StartKind, SystemPrograms};
use crate::program::{Binding, Program, Singular, Statement};
use num_traits::{Signed, ToPrimitive};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use std::collections::{HashMap, HashSet};

/// Everything that is emitted for one declaration.
pub struct Unit<'a> {
    /// The struct.
    pub ident: &'a Ident,
    /// Its generics.
    pub generics: &'a syn::Generics,
    /// Parameter fields in order.
    pub fields: &'a [Field],
    /// Path of the runtime crate, as written outside of the kernel module.
    pub runtime: &'a syn::Path,
    /// The system.
    pub mechanics: &'a Mechanics,
    /// Its programs.
    pub system: &'a SystemPrograms,
    /// Its methods.
    pub methods: &'a [MethodPrograms],
}

/// The implementation of the runtime's traits.
pub fn implementation(u: &Unit<'_>) -> TokenStream {
    let pool = &u.mechanics.system.pool;
    let rt = u.runtime;
    let inner = inner_path(rt);
    let s = &u.mechanics.system;
    let (n, m, k, p) = (s.coordinates.len(), s.constraints.len(), s.inputs.len(), s.parameters.len());
    let ident = u.ident;
    let name = &s.name;
    let (impl_generics, ty_generics, where_clause) = u.generics.split_for_impl();
    let coordinates = s.coordinates.iter().map(|c| &c.name);
    let parameters = s.parameters.iter().map(|c| &c.name);
    let inputs = s.inputs.iter().map(|c| &c.name);
    let constraints = s.constraints.iter().map(|c| &c.label);
    let values = u.fields.iter().flat_map(|f| {
        let id = &f.ident;
        match f.len {
            None => vec![quote!(self.#id)],
            Some(len) => (0..len).map(|i| quote!(self.#id[#i])).collect(),
        }
    });
    let sp = u.system;
    let [energy, momentum, residual, scale] = [
        function(pool, &inner, &sp.energy, false, None),
        function(pool, &inner, &sp.momentum, false, None),
        function(pool, &inner, &sp.residual, false, None),
        function(pool, &inner, &sp.residual_scale, false, None),
    ];
    let [project, acceleration] =
        [&sp.project, &sp.acceleration].map(|x| function(pool, &inner, x, true, None));
    let mut kernels = Vec::new();
    let mut impls = Vec::new();
    for method in u.methods {
        let module = format_ident!("{}", method.id);
        let marker = format_ident!("{}", method.marker);
        let state = format_ident!("{}", method.state.type_name());
        let fields: Vec<Ident> = method.state.fields().iter().map(|f| format_ident!("{f}")).collect();
        let step = function(pool, &inner, &method.step, true, Some(&fields));
        let starts: Vec<TokenStream> =
            method.starts.iter().map(|(_, x)| function(pool, &inner, x, true, None)).collect();
        kernels.push(quote! {
            pub mod #module {
                #[derive(Clone, Copy, Debug)]
                pub struct Prepared<T> { pub parameters: [T; #p], pub h: T }
                #step
                #(#starts)*
            }
        });
        let (variants, calls): (Vec<Ident>, Vec<Ident>) = method
            .starts
            .iter()
            .map(|(kind, x)| {
                let v = match kind {
                    StartKind::Consistent => "Consistent",
                    StartKind::Projected => "Projected",
                    StartKind::Plain => "Plain",
                };
                (format_ident!("{v}"), format_ident!("{}", x.name))
            })
            .unzip();
        let start = if method.starts.len() == 1 {
            let call = &calls[0];
            quote!({ let _ = start; kernel::#module::#call(parameters, h, q, v, t, inputs)? })
        } else {
            quote!(match start { #(#rt::Start::#variants => kernel::#module::#calls(parameters, h, q, v, t, inputs)?,)* })
        };
        let lens = method.state.fields().iter().map(|&f| if f == "lambda" { m } else { n });
        let types: Vec<TokenStream> = if fields.len() == 3 {
            vec![quote!([T; #n]), quote!([T; #n]), quote!([T; #m])]
        } else {
            vec![quote!([T; #n]), quote!([T; #n]), quote!([T; #m])]
        };
        let _ = lens;
        impls.push(quote! {
            #[automatically_derived]
            impl #impl_generics #rt::Emits<#rt::#marker> for #ident #ty_generics #where_clause {
                type Prepared<T: #rt::Scalar> = kernel::#module::Prepared<T>;
                type State<T: #rt::Scalar> = #rt::#state<#(#types),*>;
                fn prepare<T: #rt::Scalar>(parameters: &[T; #p], h: T) -> ::core::result::Result<Self::Prepared<T>, #rt::Failure> {
                    ::core::result::Result::Ok(kernel::#module::Prepared { parameters: *parameters, h })
                }
                fn start<T: #rt::Scalar>(parameters: &[T; #p], h: T, start: #rt::Start, q: &[T; #n], v: &[T; #n], t: T, inputs: &[T; #k]) -> ::core::result::Result<Self::State<T>, #rt::Failure> {
                    let (#(#fields),*) = #start;
                    ::core::result::Result::Ok(#rt::#state { #(#fields),* })
                }
                #[inline]
                fn step<T: #rt::Scalar>(prepared: &Self::Prepared<T>, state: &Self::State<T>, t: T, inputs: &[T; #k]) -> ::core::result::Result<Self::State<T>, #rt::Failure> {
                    let (#(#fields),*) = kernel::#module::step(&prepared.parameters, prepared.h, #(&state.#fields,)* t, inputs)?;
                    ::core::result::Result::Ok(#rt::#state { #(#fields),* })
                }
            }
        });
    }
    quote! {
        const _: () = {
            #[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery, missing_docs)]
            mod kernel {
                #energy #momentum #residual #scale #project #acceleration
                #(#kernels)*
            }
            #[automatically_derived]
            impl #impl_generics #rt::System for #ident #ty_generics #where_clause {
                const NAME: &'static str = #name;
                const COORDINATES: &'static [&'static str] = &[#(#coordinates),*];
                const PARAMETERS: &'static [&'static str] = &[#(#parameters),*];
                const INPUTS: &'static [&'static str] = &[#(#inputs),*];
                const CONSTRAINTS: &'static [&'static str] = &[#(#constraints),*];
                type Configuration<T: #rt::Scalar> = [T; #n];
                type Velocity<T: #rt::Scalar> = [T; #n];
                type Multipliers<T: #rt::Scalar> = [T; #m];
                type Inputs<T: #rt::Scalar> = [T; #k];
                type Parameters<T: #rt::Scalar> = [T; #p];
                fn parameters(&self) -> [f64; #p] { [#(#values),*] }
                fn energy<T: #rt::Scalar>(parameters: &[T; #p], q: &[T; #n], v: &[T; #n]) -> T { kernel::energy(parameters, q, v) }
                fn momentum<T: #rt::Scalar>(parameters: &[T; #p], q: &[T; #n], v: &[T; #n]) -> [T; #n] { kernel::momentum(parameters, q, v) }
                fn residual<T: #rt::Scalar>(parameters: &[T; #p], q: &[T; #n], v: &[T; #n]) -> [T; #m] { kernel::residual(parameters, q, v) }
                fn residual_scale<T: #rt::Scalar>(parameters: &[T; #p], q: &[T; #n], v: &[T; #n]) -> [T; #m] { kernel::residual_scale(parameters, q, v) }
                fn project<T: #rt::Scalar>(parameters: &[T; #p], q: &[T; #n], v: &[T; #n]) -> ::core::result::Result<[T; #n], #rt::Failure> { kernel::project(parameters, q, v) }
                fn acceleration_of<T: #rt::Scalar>(parameters: &[T; #p], q: &[T; #n], v: &[T; #n], t: T, inputs: &[T; #k]) -> ::core::result::Result<([T; #n], [T; #m]), #rt::Failure> { kernel::acceleration(parameters, q, v, t, inputs) }
            }
            #(#impls)*
        };
    }
}

fn inner_path(rt: &syn::Path) -> syn::Path {
    let first = rt.segments.first().map(|s| s.ident.to_string()).unwrap_or_default();
    if first == "self" || first == "super" {
        let mut path = rt.clone();
        if first == "self" {
            path.segments[0].ident = Ident::new("super", Span::call_site());
        } else {
            path.segments.insert(0, syn::PathSegment::from(Ident::new("super", Span::call_site())));
        }
        path
    } else {
        rt.clone()
    }
}

struct Names<'a> {
    pool: &'a Pool,
    of: HashMap<Expr, Ident>,
    used: HashSet<String>,
}

impl Names<'_> {
    fn ident(&mut self, symbol: Expr) -> Ident {
        if let Some(i) = self.of.get(&symbol) {
            return i.clone();
        }
        let s = self.pool.as_symbol(symbol).expect("a symbol");
        let raw: String =
            self.pool.name(s).replace("dot(", "dot_").replace(['[', '.'], "_").replace([']', ')'], "");
        let mut name = format!("{raw}_");
        while !self.used.insert(name.clone()) {
            name.push('_');
        }
        let id = Ident::new(&name, Span::call_site());
        self.of.insert(symbol, id.clone());
        id
    }

    fn expr(&mut self, rt: &syn::Path, e: Expr) -> TokenStream {
        match self.pool.node(e).clone() {
            Node::Number(r) => number(&r),
            Node::Pi => quote!(T::from_f64(::core::f64::consts::PI)),
            Node::Symbol(_) => {
                let i = self.ident(e);
                quote!(#i)
            }
            Node::Sum(t) => {
                let t: Vec<_> = t.iter().map(|&x| self.expr(rt, x)).collect();
                quote!((#(#t)+*))
            }
            Node::Product(t) => {
                let t: Vec<_> = t.iter().map(|&x| self.expr(rt, x)).collect();
                t.into_iter().reduce(|a, b| quote!((#a * #b))).unwrap_or_default()
            }
            Node::Power(b, x) => {
                let b = self.expr(rt, b);
                match self.pool.as_number(x) {
                    Some(r) if r.is_integer() => {
                        let n = r.to_integer().to_i32().unwrap_or(0);
                        if n == -1 { quote!((T::from_f64(1.0) / #b)) } else { quote!(#b.powi(#n)) }
                    }
                    Some(r) if *r == Rational::new(1.into(), 2.into()) => quote!(#b.sqrt()),
                    _ => {
                        let x = self.expr(rt, x);
                        quote!(#b.powf(#x))
                    }
                }
            }
            Node::Call(f, x) => {
                let f = format_ident!("{}", f.name());
                let x = self.expr(rt, x);
                quote!(#x.#f())
            }
            Node::Atan2(y, x) => {
                let (y, x) = (self.expr(rt, y), self.expr(rt, x));
                quote!(#y.atan2(#x))
            }
        }
    }

    fn body(&mut self, rt: &syn::Path, body: &[Statement]) -> TokenStream {
        let mut out = TokenStream::new();
        for s in body {
            out.extend(match s {
                Statement::Equation(_) => TokenStream::new(),
                Statement::Let { symbol, value } => {
                    let v = self.expr(rt, *value);
                    let i = self.ident(*symbol);
                    quote!(let #i = #v;)
                }
                Statement::Pivot { pivot, diagonal, what } => {
                    let (p, d) = (self.expr(rt, *pivot), self.expr(rt, *diagonal));
                    let f = match what {
                        Singular::Mass => quote!(SingularMass),
                        Singular::Constraints => quote!(SingularConstraints),
                    };
                    quote!(if !#rt::emitted::regular(#p, #d) { return ::core::result::Result::Err(#rt::Failure::#f); })
                }
                Statement::Newton(x) => {
                    let guess: Vec<_> = x.guess.iter().map(|&g| self.expr(rt, g)).collect();
                    let ids: Vec<_> = x.unknowns.iter().map(|&u| self.ident(u)).collect();
                    let inner = self.body(rt, &x.body);
                    let delta: Vec<_> = x.delta.iter().map(|&g| self.expr(rt, g)).collect();
                    quote! {
                        let mut unknowns = [#(#guess),*];
                        let mut newton = #rt::emitted::Newton::new();
                        loop {
                            let [#(#ids),*] = unknowns;
                            #inner
                            if newton.update(&mut unknowns, [#(#delta),*])? { break; }
                        }
                        let [#(#ids),*] = unknowns;
                    }
                }
            });
        }
        out
    }
}

fn number(r: &Rational) -> TokenStream {
    let v = r.to_f64().unwrap_or(f64::NAN);
    let lit = proc_macro2::Literal::f64_suffixed(v.abs());
    if r.is_negative() { quote!(T::from_f64(-#lit)) } else { quote!(T::from_f64(#lit)) }
}

fn function(
    pool: &Pool,
    rt: &syn::Path,
    x: &Program,
    fallible: bool,
    _state: Option<&[Ident]>,
) -> TokenStream {
    let mut names = Names { pool, of: HashMap::new(), used: HashSet::new() };
    let _ = Binding::Step;
    let name = format_ident!("{}", x.name);
    let mut arguments = Vec::new();
    let mut bind = TokenStream::new();
    for input in &x.inputs {
        let a = format_ident!("{}", input.name);
        let ids: Vec<Ident> = input.symbols.iter().map(|&s| names.ident(s)).collect();
        let len = ids.len();
        if input.scalar {
            arguments.push(quote!(#a: T));
            bind.extend(quote!(#(let #ids = #a;)*));
        } else {
            arguments.push(quote!(#a: &[T; #len]));
            bind.extend(quote!(let [#(#ids),*] = *#a;));
        }
    }
    let body = names.body(rt, &x.body);
    let mut types = Vec::new();
    let mut values = Vec::new();
    for o in &x.outputs {
        let v: Vec<_> = o.values.iter().map(|&e| names.expr(rt, e)).collect();
        let len = v.len();
        if o.scalar {
            types.push(quote!(T));
            values.push(quote!(#(#v)*));
        } else {
            types.push(quote!([T; #len]));
            values.push(quote!([#(#v),*]));
        }
    }
    let (ty, value) = if types.len() == 1 {
        (quote!(#(#types)*), quote!(#(#values)*))
    } else {
        (quote!((#(#types),*)), quote!((#(#values),*)))
    };
    let docs = &x.doc;
    if fallible {
        quote! {
            #(#[doc = #docs])*
            #[inline]
            pub fn #name<T: #rt::Scalar>(#(#arguments),*) -> ::core::result::Result<#ty, #rt::Failure> { #bind #body ::core::result::Result::Ok(#value) }
        }
    } else {
        quote! {
            #(#[doc = #docs])*
            pub fn #name<T: #rt::Scalar>(#(#arguments),*) -> #ty { #bind #body #value }
        }
    }
}
