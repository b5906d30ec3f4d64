//! Lowered functions in Rust.

use super::Mode;
use super::expression::{Place, Writer};
use super::names::{Names, spelled};
use crate::group::Group;
use crate::lower::{Function, Newton, Operand, Output, SinCos, Statement, Value};
use crate::program::{Role, Singular};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use std::collections::BTreeSet;

/// What an emitted function takes in place of several inputs, and what it returns.
pub(super) enum Signature<'a> {
    /// Arguments and results as the program says; results together with a failure if it can fail.
    Plain {
        /// Whether it returns a `Result`.
        fallible: bool,
    },
    /// Returns a struct with one field per output, of the given type: a state.
    Start(&'a StateType),
    /// Takes `prepared` and a state and returns a state.
    Step(&'a StateType),
    /// Takes a state and returns what a state carries, or a failure.
    Carry {
        /// The state that it takes.
        at: &'a StateType,
        /// The state whose numbers it returns.
        of: &'a StateType,
    },
    /// Takes a state, and perhaps the one before, and returns new numbers for some fields.
    Update(&'a StateType),
    /// Returns `Prepared`, with one field per output.
    Prepare,
}

/// A state struct of the runtime.
pub(super) struct StateType {
    /// Its name.
    pub(super) name: Ident,
    /// Its fields, with their lengths.
    pub(super) fields: Vec<(Role, usize)>,
    /// Type of its last field, `carried`, if it has any.
    pub(super) carried: Option<TokenStream>,
    /// The fields of that.
    pub(super) carried_fields: Vec<Ident>,
    /// The group factor of its configuration, with the number of coordinates beside it.
    pub(super) pose: Option<Pose>,
}

/// A group factor of configurations.
#[derive(Clone, Copy)]
pub(super) struct Pose {
    /// The group.
    pub(super) group: &'static Group,
    /// Number of coordinates.
    pub(super) coordinates: usize,
}

impl Pose {
    /// `Posed<SE2<f64>, T, 2, 5>`
    pub(super) fn configuration(self, runtime: &TokenStream, scalar: &TokenStream) -> TokenStream {
        let group = self.factor(runtime);
        let [k, n] =
            [self.coordinates, self.coordinates + self.group.pose_len()].map(Literal::usize_unsuffixed);
        quote!(#runtime Posed<#group, #scalar, #k, #n>)
    }

    /// `SE2<f64>`
    pub(super) fn factor(self, runtime: &TokenStream) -> TokenStream {
        let group = format_ident!("{}", self.group.runtime);
        match runtime.is_empty() {
            true => quote!(#group<f64>),
            // Where it is written outside of the module of the functions, `f64` can be anything.
            false => quote!(#runtime group::#group<::core::primitive::f64>),
        }
    }
}

impl StateType {
    /// `NodeState<[T; 3], [T; 3], [T; 1]>`
    pub(super) fn tokens(&self, runtime: &TokenStream, scalar: &Ident) -> TokenStream {
        let name = &self.name;
        let length = |is: &dyn Fn(&Role) -> bool| {
            Literal::usize_unsuffixed(self.fields.iter().find(|(role, _)| is(role)).map_or(0, |&(_, n)| n))
        };
        let q = length(&|role| *role == Role::Configuration);
        let n = length(&Role::is_velocity);
        let m = length(&|role| *role == Role::Multipliers);
        let q = match self.pose {
            Some(pose) => pose.configuration(runtime, &quote!(#scalar)),
            None => quote!([#scalar; #q]),
        };
        let carried = self.carried.as_ref().map(|carried| quote!(, #carried));
        quote!(#runtime #name<#q, [#scalar; #n], [#scalar; #m] #carried>)
    }

    /// The type of states without what is carried.
    pub(super) fn without_carried(&self) -> StateType {
        StateType {
            name: self.name.clone(),
            fields: self.fields.clone(),
            carried: None,
            carried_fields: Vec::new(),
            pose: self.pose,
        }
    }

    /// Roles of its fields, in order.
    fn roles(&self) -> impl Iterator<Item = &Role> {
        self.fields.iter().map(|(role, _)| role).chain(self.carried.as_ref().map(|_| &Role::Carried))
    }

    /// Whether the state has this field.
    fn has(&self, role: &Role) -> bool {
        self.roles().any(|r| r == role)
    }
}

/// The function in Rust:
///
/// ```text
/// /// doc
/// #[inline]            // `always` for a step, not for what runs once per simulation
/// pub fn name<T: Scalar>(arguments) -> Result<State<..>, Failure> {
///     let [x, y] = *q;
///     statements
///     Ok(State { q: [..], .. })
/// }
/// ```
pub(super) fn function(
    function: &Function,
    mode: &mut Mode,
    names: Names,
    signature: &Signature<'_>,
) -> TokenStream {
    let mut body = Body {
        writer: Writer::new(function, names),
        mode,
        used: used_names(function),
        tokens: TokenStream::new(),
    };
    let arguments = body.arguments(signature);
    body.statements(&function.body);
    let result = body.results(signature);
    let mut docs = function.doc.clone();
    if !matches!(signature, Signature::Prepare) {
        docs.extend([String::new(), format!("Operations: {}.", function.operations)]);
    }
    let docs = docs.iter().map(|d| if d.is_empty() { String::new() } else { format!(" {d}") });
    let name = spelled(&function.name);
    let statements = body.tokens;
    let retraction = function.retracted().map(|group| {
        let group = format_ident!("{}", group.runtime);
        quote!(, R: Retracts<#group<f64>>)
    });
    let inline = match signature {
        // The driver's loop decides for which instruction set a step is compiled.
        Signature::Step(_) | Signature::Update(_) => quote!(#[inline(always)]),
        Signature::Plain { .. } => quote!(#[inline]),
        // Once per simulation or change of the step size: compiled once.
        Signature::Start(_) | Signature::Carry { .. } | Signature::Prepare => TokenStream::new(),
    };
    quote! {
        #(#[doc = #docs])*
        #inline
        pub fn #name<T: Scalar #retraction>(#arguments) #result { #statements }
    }
}

/// Names of the values that anything is computed from.
fn used_names(function: &Function) -> BTreeSet<&str> {
    let uses = function.uses();
    let names = function.names.iter().zip(uses);
    names.filter(|(_, uses)| *uses > 0).filter_map(|(name, _)| name.as_deref()).collect()
}

struct Body<'a> {
    writer: Writer<'a>,
    mode: &'a mut Mode,
    used: BTreeSet<&'a str>,
    tokens: TokenStream,
}

impl Body<'_> {
    fn add(&mut self, tokens: TokenStream) {
        self.tokens.extend(tokens);
    }

    fn is_used(&self, value: Value) -> bool {
        self.writer.function.name_of(value).is_some_and(|name| self.used.contains(name))
    }

    /// The argument list; statements that take the arguments apart are written.
    fn arguments(&mut self, signature: &Signature<'_>) -> TokenStream {
        let mut arguments = Vec::new();
        let mut state = Vec::new();
        for input in &self.writer.function.arguments {
            let name = spelled(input.role.name());
            let unused = format_ident!("_{}", input.role.name());
            let is_used = input.values.iter().any(|&value| self.is_used(value));
            let length = Literal::usize_unsuffixed(input.values.len());
            let pattern = self.pattern(&input.values);
            if input.scalar {
                let argument = if is_used { quote!(#(#pattern)*) } else { quote!(#unused) };
                arguments.push(quote!(#argument: T));
                continue;
            }
            match signature {
                Signature::Step(_) if input.role == Role::Prepared => {
                    if is_used {
                        arguments.push(quote!(prepared: &Prepared<T>));
                        self.add(quote!(let Prepared { #(#pattern),* } = *prepared;));
                    } else {
                        arguments.push(quote!(_prepared: &Prepared<T>));
                    }
                }
                Signature::Step(ty) | Signature::Carry { at: ty, .. } | Signature::Update(ty)
                    if ty.has(&input.role) =>
                {
                    state.push(is_used);
                    if is_used {
                        self.add(match ty.pose {
                            _ if input.role == Role::Carried => {
                                let pattern = fields(&ty.carried_fields, &pattern);
                                quote!(let Carried { #(#pattern),* } = state.carried;)
                            }
                            Some(_) if input.role == Role::Configuration => {
                                quote!(let [#(#pattern),*] = *state.q.entries();)
                            }
                            _ => quote!(let [#(#pattern),*] = state.#name;),
                        });
                    }
                    if state.len() == ty.roles().count() {
                        let argument =
                            format_ident!("{}", if state.contains(&true) { "state" } else { "_state" });
                        let ty = ty.tokens(&TokenStream::new(), &format_ident!("T"));
                        arguments.push(quote!(#argument: &#ty));
                    }
                }
                Signature::Update(_) if input.role == Role::PreviousVelocity => {
                    self.add(quote!(let [#(#pattern),*] = before.v;));
                }
                Signature::Update(ty) if input.role == Role::PreviousCarried => {
                    let pattern = fields(&ty.carried_fields, &pattern);
                    self.add(quote!(let Carried { #(#pattern),* } = before.carried;));
                    let ty = ty.tokens(&TokenStream::new(), &format_ident!("T"));
                    arguments.push(quote!(before: &#ty));
                }
                _ if is_used => {
                    arguments.push(quote!(#name: &[T; #length]));
                    self.add(quote!(let [#(#pattern),*] = *#name;));
                }
                _ => arguments.push(quote!(#unused: &[T; #length])),
            }
        }
        quote!(#(#arguments),*)
    }

    /// Identifiers of values that are assigned together, `_` of those that nothing is computed from.
    fn pattern(&mut self, values: &[Value]) -> Vec<TokenStream> {
        let mut all = Vec::new();
        for &value in values {
            let ident = self.writer.ident(value);
            all.push(if self.is_used(value) { quote!(#ident) } else { quote!(_) });
        }
        all
    }

    /// Identifiers of results of one statement.
    fn results_of(&mut self, to: &[Option<Value>]) -> Vec<TokenStream> {
        let idents = to.iter().map(|to| to.and_then(|value| self.writer.ident(value)));
        idents.map(|ident| ident.map_or_else(|| quote!(_), |ident| quote!(#ident))).collect()
    }

    fn statements(&mut self, statements: &[Statement]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Equation(text) => {
                let comment = self.mode.comment(text);
                self.add(comment);
            }
            Statement::Let { to, operation } => {
                let operation = self.writer.operation(operation);
                self.assign(*to, operation);
            }
            Statement::SinCos { to, angle, by } => self.sin_cos(to, *angle, by),
            Statement::Map { to, map, group, arguments } => {
                let call = self.writer.map(*map, group, arguments);
                let inline = to.iter().enumerate().find_map(|(i, value)| Some((i, (*value)?)));
                match inline.filter(|(_, value)| self.writer.function.name_of(*value).is_none()) {
                    Some((i, value)) => {
                        let i = Literal::usize_unsuffixed(i);
                        self.writer.write_inline(value, (quote!(#call[#i]), Place::Receiver));
                    }
                    None => {
                        let pattern = self.results_of(to);
                        self.add(quote!(let [#(#pattern),*] = #call;));
                    }
                }
            }
            Statement::Pivot { pivot, diagonal, what } => {
                let [pivot, diagonal] = [*pivot, *diagonal].map(|x| self.writer.operand(x, Place::Open));
                let failure = match what {
                    Singular::Mass => quote!(SingularMass),
                    Singular::Constraints => quote!(SingularConstraints),
                };
                self.add(quote! {
                    if !emitted::regular(#pivot, #diagonal) {
                        return Err(Failure::#failure);
                    }
                });
            }
            Statement::Newton(newton) => self.newton(newton),
        }
    }

    /// `let to = operation;`, or nothing until the value is used if it has no name.
    fn assign(&mut self, to: Value, operation: (TokenStream, Place)) {
        match self.writer.ident(to) {
            Some(ident) => {
                let (tokens, _) = operation;
                self.add(quote!(let #ident = #tokens;));
            }
            None => self.writer.write_inline(to, operation),
        }
    }

    /// `let (s, c) = emitted::rotated_sin_cos(x, y, (sin_y, cos_y));`
    fn sin_cos(&mut self, to: &[Option<Value>; 2], angle: Operand, by: &SinCos) {
        let arguments = self.writer.operands(&by.operands());
        let call = match (by, arguments.as_slice()) {
            (SinCos::Known { .. }, known) => quote!((#(#known),*)),
            (SinCos::Any, _) => {
                let angle = self.writer.operand(angle, Place::Receiver);
                quote!(#angle.sin_cos())
            }
            (_, arguments) => {
                let angle = self.writer.operand(angle, Place::Open);
                match arguments {
                    [from, by, sin, cos] => {
                        quote!(emitted::corrected_sin_cos(#angle, #from, #by, (#sin, #cos)))
                    }
                    [from, sin, cos] => quote!(emitted::rotated_sin_cos(#angle, #from, (#sin, #cos))),
                    _ => quote!(emitted::small_sin_cos(#angle)),
                }
            }
        };
        let sines = self.results_of(to);
        self.add(quote!(let (#(#sines),*) = #call;));
    }

    /// ```text
    /// let newton = emitted::Newton::weighted([weights], scale2);
    /// let ([l], [kept]) = emitted::Newton::solve(newton, [guess], |[l]| {
    ///     statements
    ///     Ok(([update], move || [derivatives], [kept]))
    /// })?;
    /// ```
    ///
    /// or `solve_or(newton, [guess], [fallback], ..)`.
    fn newton(&mut self, newton: &Newton) {
        let [guess, fallback, weights] =
            [&newton.guess, &newton.fallback, &newton.weights].map(|all| self.writer.operands(all));
        let scale2 = self.writer.operand(newton.scale2, Place::Open);
        let unknowns = self.pattern(&newton.unknowns);
        let outside = std::mem::take(&mut self.tokens);
        self.statements(&newton.body);
        let delta = self.writer.operands(&newton.delta);
        let kept: Vec<Ident> =
            newton.last_iterate.iter().filter_map(|&(value, _)| self.writer.ident(value)).collect();
        let inside = std::mem::take(&mut self.tokens);
        let derivatives = match &newton.derivatives {
            None => quote!([]),
            Some((statements, derivatives)) => {
                self.statements(statements);
                let derivatives = self.writer.operands(derivatives);
                let statements = std::mem::take(&mut self.tokens);
                match statements.is_empty() {
                    true => quote!([#(#derivatives),*]),
                    false => quote!({ #statements [#(#derivatives),*] }),
                }
            }
        };
        self.tokens = outside;
        let (solve, fallback) = match fallback.as_slice() {
            [] => (quote!(solve), TokenStream::new()),
            fallback => (quote!(solve_or), quote!([#(#fallback),*],)),
        };
        self.add(quote! {
            let newton = emitted::Newton::weighted([#(#weights),*], #scale2);
            let ([#(#unknowns),*], [#(#kept),*]) = emitted::Newton::#solve(
                newton,
                [#(#guess),*],
                #fallback
                #[inline(always)]
                |[#(#unknowns),*]| {
                    #inside
                    Ok(([#(#delta),*], move || #derivatives, [#(#kept),*]))
                },
            )?;
        });
    }

    /// The return type; the statements that return are written.
    fn results(&mut self, signature: &Signature<'_>) -> TokenStream {
        let function = self.writer.function;
        let mut values = Vec::new();
        for output in &function.outputs {
            let entries = self.writer.operands(&output.values);
            values.push(match signature {
                Signature::Step(ty) | Signature::Carry { of: ty, .. } | Signature::Update(ty)
                    if output.role == Role::Carried =>
                {
                    let fields = fields(&ty.carried_fields, &entries);
                    quote!(Carried { #(#fields),* })
                }
                _ if output.scalar => quote!(#(#entries)*),
                _ => quote!([#(#entries),*]),
            });
        }
        // What is prepared is named by the values that are kept, such as `c[0]`.
        let names = || -> Vec<Ident> { function.outputs.iter().map(|o| spelled(o.role.name())).collect() };
        match signature {
            Signature::Prepare => {
                let fields =
                    if values.is_empty() { quote!(scalar: PhantomData) } else { quote!(#(#values),*) };
                self.add(quote!(Ok(Prepared { #fields })));
                quote!(-> Result<Prepared<T>, Failure>)
            }
            Signature::Start(ty) | Signature::Step(ty) => {
                let (name, names) = (&ty.name, names());
                let posed = |o: &Output| ty.pose.is_some() && o.role == Role::Configuration;
                let values = function.outputs.iter().zip(&values).map(|(o, value)| match posed(o) {
                    true => quote!(Posed::from(#value)),
                    false => value.clone(),
                });
                let nothing = ty.carried.is_none().then(|| quote!(carried: ()));
                self.add(quote! {
                    let next = #name { #(#names: #values,)* #nothing };
                    next.checked::<T>()
                });
                let ty = ty.tokens(&TokenStream::new(), &format_ident!("T"));
                quote!(-> Result<#ty, Failure>)
            }
            Signature::Carry { .. } => self.plain_results(&values, true),
            Signature::Update(_) => self.plain_results(&values, false),
            Signature::Plain { fallible } => self.plain_results(&values, *fallible),
        }
    }

    fn plain_results(&mut self, values: &[TokenStream], fallible: bool) -> TokenStream {
        let outputs = &self.writer.function.outputs;
        // Of the same name as no argument and no other value.
        let names = outputs.iter().map(|o| self.writer.names.of(&format!("{}'", o.role.name())));
        let names: Vec<Ident> = names.collect();
        let types = outputs.iter().map(|o| {
            let length = Literal::usize_unsuffixed(o.values.len());
            match o.role {
                Role::Carried => quote!(Carried<T>),
                _ if o.scalar => quote!(T),
                _ => quote!([T; #length]),
            }
        });
        let tuple = |items: Vec<TokenStream>| match items.as_slice() {
            [one] => one.clone(),
            several => quote!((#(#several),*)),
        };
        let ty = tuple(types.collect());
        if !fallible {
            let value = tuple(values.to_vec());
            self.add(value);
            return quote!(-> #ty);
        }
        let (bound, values) = (tuple(names.iter().map(|n| quote!(#n)).collect()), tuple(values.to_vec()));
        self.add(quote!(let #bound = #values;));
        let checked = outputs.iter().zip(&names).filter(|(o, _)| !o.values.is_empty());
        let checked = checked.map(|(_, name)| quote!(emitted::finite(&#name)));
        self.add(quote!(if #(#checked)&&* { Ok(#bound) } else { Err(Failure::NonFinite) }));
        quote!(-> Result<#ty, Failure>)
    }
}

/// `field: value` for every field of a struct, `field` where the value is a variable of that name, and `..` for the
/// fields that a pattern ignores.
fn fields(fields: &[Ident], values: &[TokenStream]) -> Vec<TokenStream> {
    let mut all = Vec::new();
    for (field, value) in fields.iter().zip(values) {
        match value.to_string() {
            ignored if ignored == "_" => {}
            same if field == &same => all.push(quote!(#field)),
            _ => all.push(quote!(#field: #value)),
        }
    }
    if all.len() < fields.len() {
        all.push(quote!(..));
    }
    all
}
