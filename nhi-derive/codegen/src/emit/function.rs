//! Lowered functions in Rust.

use super::Mode;
use super::names::{Names, spelled};
use crate::backend::expression::{Place, Writer};
use crate::expr::Saddle;
use crate::facts::SystemFacts;
use crate::lower::{Argument, Function, Known, Newton, Operand, Output, SinCos, Statement, Value, ZEROS};
use crate::program::{Product, Role, Singular};
use proc_macro2::{Ident, Literal, Spacing, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use std::collections::BTreeSet;

/// How many statements of one block may declare their variables. In builds with debug information each of them opens a scope within
/// that of the last one, and LLVM visits scopes recursively: the step of a base with an arm of seven joints overflowed the stack of
/// rustc 1.95.
const MOST_SCOPES: usize = 1000;

/// What an emitted function takes in place of several inputs, and what it returns.
pub(super) enum Signature<'a> {
    /// Arguments and results as the program says; a `Result` of them if it can fail.
    Plain,
    /// Returns a struct with one field per output, of the given type: a state.
    Start(&'a StateType),
    /// Takes `prepared` and a state and returns a state.
    Step(&'a StateType),
    /// Takes a state and returns what a state carries, or a failure.
    Carry(&'a StateType),
    /// Takes a state, and perhaps the one before, and returns new numbers for some fields.
    Update(&'a StateType),
    /// Returns `Prepared`, with one field per output.
    Prepare,
    /// Takes a state and writes derivatives, as matrices of a system or as vectors, or returns a failure.
    Derivatives(&'a StateType, Option<&'a SystemFacts>),
    /// Returns matrices of a system; arguments as the program says.
    Matrices(&'a SystemFacts),
}

impl Signature<'_> {
    /// The state that it takes or returns.
    fn state(&self) -> Option<&StateType> {
        match self {
            Self::Start(ty)
            | Self::Step(ty)
            | Self::Carry(ty)
            | Self::Update(ty)
            | Self::Derivatives(ty, _) => Some(ty),
            Self::Plain | Self::Prepare | Self::Matrices(_) => None,
        }
    }

    /// Numbers of rows and columns of an output that is a matrix.
    fn shape(&self, output: &Output) -> Option<[usize; 2]> {
        match self {
            Self::Derivatives(_, Some(facts)) | Self::Matrices(facts) => facts.shape_of(&output.role),
            _ => None,
        }
    }

    /// The type of an output.
    fn ty(&self, output: &Output) -> TokenStream {
        match self.shape(output) {
            Some(shape) => {
                let [rows, columns] = shape.map(Literal::usize_unsuffixed);
                quote!([[T; #columns]; #rows])
            }
            _ if output.role == Role::Carried && self.state().is_some() => quote!(Carried<T>),
            _ if output.scalar => quote!(T),
            _ => {
                let length = Literal::usize_unsuffixed(output.values.len());
                quote!([T; #length])
            }
        }
    }
}

/// A state struct of the runtime.
#[derive(Clone)]
pub(super) struct StateType {
    /// Its name.
    pub(super) name: Ident,
    /// The type, in the module of the functions.
    pub(super) tokens: TokenStream,
    /// Its fields, but for `carried`.
    pub(super) fields: &'static [Role],
    /// Whether its last field is `carried`.
    pub(super) carries: bool,
    /// The fields of what steps of the method carry.
    pub(super) carried: Vec<Ident>,
    /// Whether a group is a factor of its configuration.
    pub(super) is_posed: bool,
}

impl StateType {
    /// Whether the state has this field.
    fn has(&self, role: &Role) -> bool {
        self.fields.contains(role) || (*role == Role::Carried && self.carries)
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
    let writer = Writer::new(function, names);
    let is_step = matches!(signature, Signature::Step(_));
    let solves = is_step && function.has_solutions();
    let solver = if solves { quote!(SOLVES) } else { quote!(true) };
    let mut body = Body { writer, mode, tokens: TokenStream::new(), declared: None, solver };
    let arguments = body.arguments(signature);
    match signature {
        Signature::Derivatives(..) => body.derivatives(signature),
        _ => body.statements(&function.body),
    }
    let result = body.results(signature);
    let mut docs = function.doc.clone();
    if !matches!(signature, Signature::Prepare) {
        docs.extend([String::new(), format!("Operations: {}.", function.operations)]);
    }
    let docs = docs.iter().map(|d| if d.is_empty() { String::new() } else { format!(" {d}") });
    let name = spelled(&function.name);
    let statements = body.tokens;
    let groups: Vec<Ident> =
        function.retracted().iter().map(|group| format_ident!("{}", group.runtime)).collect();
    let retraction = (!groups.is_empty()).then(|| quote!(, R: #(Retracts<#groups<f64>>)+*));
    let inline = match signature {
        // The driver's loop decides for which instruction set a step is compiled.
        // Of a basis, callers need either X or Y.
        Signature::Step(_) | Signature::Update(_) | Signature::Matrices(_) => quote!(#[inline(always)]),
        // Between the steps of a composition, which then do not store what it does not read.
        Signature::Carry(ty) if ty.carries => quote!(#[inline(always)]),
        Signature::Derivatives(..) => quote!(#[inline(always)]),
        Signature::Plain => quote!(#[inline]),
        // Once per simulation: compiled once.
        Signature::Start(_) | Signature::Carry(_) | Signature::Prepare => TokenStream::new(),
    };
    if solves {
        let retraction_name = retraction.as_ref().map(|_| quote!(, R));
        let names = names_of(&arguments);
        return quote! {
            #(#[doc = #docs])*
            #inline
            pub fn #name<T: Scalar #retraction>(#arguments) #result {
                match quick_or_careful_step::<T #retraction_name, false>(#(#names),*) {
                    Err(_) if const { emitted::repeats_carefully::<T>() } => {
                        careful_step::<T #retraction_name>(#(#names),*)
                    }
                    next => next,
                }
            }

            /// The same where linear equations are solved without formulas.
            #[cold]
            fn careful_step<T: Scalar #retraction>(#arguments) #result {
                quick_or_careful_step::<T #retraction_name, true>(#(#names),*)
            }

            /// The same, which fails where linear equations should be solved without formulas unless it `SOLVES` them so.
            #[inline(always)]
            fn quick_or_careful_step<T: Scalar #retraction, const SOLVES: bool>(#arguments) #result {
                #statements
            }
        };
    }
    quote! {
        #(#[doc = #docs])*
        #inline
        pub fn #name<T: Scalar #retraction>(#arguments) #result { #statements }
    }
}

/// The names of arguments with types.
fn names_of(arguments: &TokenStream) -> Vec<Ident> {
    let mut names = Vec::new();
    let mut last = None;
    let mut depth = 0;
    for token in arguments.clone() {
        match &token {
            TokenTree::Punct(punct) if punct.as_char() == '<' => depth += 1,
            TokenTree::Punct(punct) if punct.as_char() == '>' => depth -= 1,
            // A single colon after a name; paths have two.
            TokenTree::Punct(punct)
                if punct.as_char() == ':' && punct.spacing() == Spacing::Alone && depth == 0 =>
            {
                names.extend(last.take());
            }
            _ => {}
        }
        last = if let TokenTree::Ident(name) = token { Some(name) } else { None };
    }
    names
}

struct Body<'a> {
    writer: Writer<'a, Names>,
    mode: &'a mut Mode,
    tokens: TokenStream,
    /// In long blocks, the variables that are declared before the statements that assign them.
    declared: Option<Vec<TokenStream>>,
    /// Whether linear equations are solved where formulas lose digits: a constant of Rust.
    solver: TokenStream,
}

impl Body<'_> {
    fn add(&mut self, tokens: TokenStream) {
        self.tokens.extend(tokens);
    }

    /// The argument list; statements that take the arguments apart are written.
    fn arguments(&mut self, signature: &Signature<'_>) -> TokenStream {
        let state = signature.state().filter(|_| !matches!(signature, Signature::Start(_)));
        let mut arguments = Vec::new();
        let function = self.writer.function;
        let inputs: Vec<&Argument> = match signature {
            Signature::Plain | Signature::Matrices(_) => function.read_arguments().collect(),
            _ => function.arguments.iter().collect(),
        };
        for input in inputs {
            let (role, is_used) = (&input.role, self.writer.reads(input));
            let named = |name, is_used| if is_used { spelled(name) } else { format_ident!("_{name}") };
            let name = named(role.name(), is_used);
            let pattern = self.pattern(&input.values);
            if input.scalar {
                arguments.push(if is_used { quote!(#(#pattern)*: T) } else { quote!(#name: T) });
                continue;
            }
            let array = quote!([#(#pattern),*]);
            let carried = state.map(|ty| carried(ty, &pattern));
            // What stands on both sides of the statement, and the argument that it needs first.
            let (pattern, numbers, argument) = match (role, state) {
                (Role::Prepared, _) => {
                    (quote!(Prepared { #(#pattern),* }), quote!(*prepared), Some(quote!(#name: &Prepared<T>)))
                }
                (Role::PreviousVelocity, _) => (array, quote!(before.v), None),
                (Role::PreviousCarried, Some(StateType { tokens, .. })) => {
                    (quote!(#carried), quote!(before.carried), Some(quote!(before: &#tokens)))
                }
                (Role::Carried, Some(_)) => (quote!(#carried), quote!(state.carried), None),
                (Role::Configuration, Some(ty)) => {
                    let fields = self.writer.function.arguments.iter().filter(|field| ty.has(&field.role));
                    let state = named("state", fields.into_iter().any(|field| self.writer.reads(field)));
                    let q = if ty.is_posed { quote!(*state.q.entries()) } else { quote!(state.q) };
                    let ty = &ty.tokens;
                    (array, q, Some(quote!(#state: &#ty)))
                }
                (role, Some(ty)) if ty.has(role) => (array, quote!(state.#name), None),
                _ => {
                    let length = Literal::usize_unsuffixed(input.values.len());
                    (array, quote!(*#name), Some(quote!(#name: &[T; #length])))
                }
            };
            arguments.extend(argument);
            if is_used {
                self.add(quote!(let #pattern = #numbers;));
            }
        }
        if let Signature::Derivatives(..) = signature {
            for output in function.whole() {
                let (name, ty) = (self.result(output), signature.ty(output));
                arguments.push(quote!(#name: &mut #ty));
            }
        }
        quote!(#(#arguments),*)
    }

    /// Identifiers of values that are assigned together, `_` of those that nothing is computed from.
    fn pattern(&mut self, values: &[Value]) -> Vec<TokenStream> {
        let mut all = self.results_of(&values.iter().copied().map(Some).collect::<Vec<_>>());
        let both = all.iter_mut().zip(values);
        both.filter(|(_, value)| !self.writer.is_used(**value)).for_each(|(ident, _)| *ident = quote!(_));
        all
    }

    /// The variable of an output, of the same name as no argument and no other value.
    fn result(&mut self, output: &Output) -> Ident {
        self.writer.language.of(&format!("{}'", output.role.name()))
    }

    /// Identifiers of results of one statement.
    fn results_of(&mut self, to: &[Option<Value>]) -> Vec<TokenStream> {
        let idents = to.iter().map(|to| to.and_then(|value| self.writer.variable(value)));
        idents.map(|ident| ident.unwrap_or_else(|| quote!(_))).collect()
    }

    fn statements(&mut self, statements: &[Statement]) {
        self.block(statements, &mut |_, _| {});
    }

    /// A block, with something before each statement. If it is long, `let (x, y, ..);` declares the variables of many
    /// statements at once.
    fn block(&mut self, statements: &[Statement], before_each: &mut impl FnMut(&mut Self, usize)) {
        let is_long = statements.len() > MOST_SCOPES;
        for (first, part) in (0..).step_by(MOST_SCOPES).zip(statements.chunks(MOST_SCOPES)) {
            let before = std::mem::take(&mut self.tokens);
            let outer = std::mem::replace(&mut self.declared, is_long.then(Vec::new));
            for (i, statement) in (first..).zip(part) {
                before_each(self, i);
                self.statement(statement);
            }
            let after = std::mem::replace(&mut self.tokens, before);
            if let Some(declared) = std::mem::replace(&mut self.declared, outer) {
                self.add(quote!(let (#(#declared,)*);));
            }
            self.add(after);
        }
    }

    /// `let pattern = value;` with the variables of a pattern, or without `let` if they are declared before.
    fn bind(&mut self, pattern: &TokenStream, variables: &[TokenStream], value: &TokenStream) {
        if let Some(declared) = &mut self.declared {
            declared.extend(variables.iter().filter(|variable| variable.to_string() != "_").cloned());
            return self.add(quote!(#pattern = #value;));
        }
        self.add(quote!(let #pattern = #value;));
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
                let arguments = arguments.iter().map(|numbers| self.writer.operands(numbers));
                let arguments: Vec<Vec<TokenStream>> = arguments.collect();
                let (name, group) = (format_ident!("{}", map.name()), format_ident!("{}", group.runtime));
                let of = match map.is_of_retraction() {
                    true if self.writer.function.retracted().len() > 1 => {
                        quote!(<R as Retracts<#group<f64>>>)
                    }
                    true => quote!(R),
                    false => quote!(#group::<f64>),
                };
                let call = quote!(#of::#name(#(&[#(#arguments),*]),*));
                let first = to.iter().enumerate().find_map(|(i, to)| Some((i, (*to)?)));
                match first.filter(|(_, to)| self.writer.function.name_of(*to).is_none()) {
                    Some((i, to)) => {
                        let i = Literal::usize_unsuffixed(i);
                        self.assign(to, (quote!(#call[#i]), Place::Receiver));
                    }
                    None => {
                        let results = self.results_of(to);
                        self.bind(&quote!([#(#results),*]), &results, &call);
                    }
                }
            }
            Statement::Saddle { to, saddle, known, pivots, body, equations } => {
                self.saddle((to, known), *saddle, pivots, (body, equations));
            }
            Statement::Pivot { pivot, diagonal, what } => {
                let [pivot, diagonal] = [*pivot, *diagonal].map(|x| self.writer.operand(x, Place::Open));
                let failure = match what {
                    Singular::Mass => quote!(SingularMass),
                    Singular::Constraints => quote!(SingularConstraints),
                };
                self.add(quote!(emitted::pivot(#pivot, #diagonal, Failure::#failure)?;));
            }
            Statement::Newton(newton) => self.newton(newton),
        }
    }

    /// `let to = operation;`, or nothing until the value is used if it has no name.
    fn assign(&mut self, to: Value, operation: (TokenStream, Place)) {
        match self.writer.variable(to) {
            Some(ident) => {
                let (tokens, _) = operation;
                self.bind(&ident, std::slice::from_ref(&ident), &tokens);
            }
            None => self.writer.write_as(to, operation),
        }
    }

    /// `let (s, c) = emitted::rotated_sin_cos(x, y, (sin_y, cos_y));`
    fn sin_cos(&mut self, to: &[Option<Value>; 2], angle: Operand, by: &SinCos) {
        let arguments = self.writer.operands(&by.operands());
        let place = if *by == SinCos::Any { Place::Receiver } else { Place::Open };
        let angle = self.writer.operand(angle, place);
        let call = match (by.name().map(|name| format_ident!("{name}")), arguments.as_slice()) {
            (None, known) => quote!((#(#known),*)),
            (Some(name), _) if *by == SinCos::Any => quote!(#angle.#name()),
            (Some(name), [from @ .., sin, cos]) => quote!(emitted::#name(#angle, #(#from,)* (#sin, #cos))),
            (Some(name), _) => quote!(emitted::#name(#angle)),
        };
        let sines = self.results_of(to);
        self.bind(&quote!((#(#sines),*)), &sines, &call);
    }

    /// ```text
    /// let [x] = emitted::saddle_point::<T, true, n, _, _, _, _, _>([place], [known], [[pivot, diagonal]], || {
    ///     statements
    ///     Ok(([mass], [mu], [rhs]))
    /// })?;
    /// ```
    fn saddle(
        &mut self,
        (to, known): (&[(usize, Value)], &[Operand]),
        saddle: Saddle,
        pivots: &[[Operand; 2]],
        (body, equations): (&[Statement], &[Operand]),
    ) {
        let known = self.writer.operands(known);
        let pivots = pivots.iter().map(|pair| self.writer.operands(pair));
        let pivots: Vec<TokenStream> = pivots.map(|pair| quote!([#(#pair),*])).collect();
        let outside = std::mem::take(&mut self.tokens);
        self.statements(body);
        let [mass, mu, rhs] = saddle.equations().map(|part| self.writer.operands(&equations[part]));
        let inside = std::mem::replace(&mut self.tokens, outside);
        let (n, solver) = (Literal::usize_unsuffixed(saddle.velocities), self.solver.clone());
        let places = to.iter().map(|&(place, _)| Literal::usize_unsuffixed(place));
        let results = self.results_of(&to.iter().map(|&(_, value)| Some(value)).collect::<Vec<_>>());
        let solution = quote! {
            emitted::saddle_point::<T, #solver, #n, _, _, _, _, _>(
                [#(#places),*],
                [#(#known),*],
                [#(#pivots),*],
                #[inline(always)]
                || {
                    #inside
                    Ok(([#(#mass),*], [#(#mu),*], [#(#rhs),*]))
                },
            )?
        };
        self.bind(&quote!([#(#results),*]), &results, &solution);
    }

    /// ```text
    /// let newton = emitted::Newton::weighted([weights], scale2).named(&["name", …]);
    /// let ([l], [kept]) = emitted::Newton::solve(newton, [guess], |[l]| {
    ///     statements
    ///     Ok(([update], move || [derivatives], [kept]))
    /// })?;
    /// ```
    ///
    /// or `weighted(..).named(..).sharp()`, and `solve_or(newton, [guess], [fallback], ..)`.
    fn newton(&mut self, newton: &Newton) {
        let [guess, fallback, weights] =
            [&newton.guess, &newton.fallback, &newton.weights].map(|all| self.writer.operands(all));
        let scale2 = self.writer.operand(newton.scale2, Place::Open);
        // The unknowns have the same names inside and outside.
        let both = newton.unknowns.iter().zip(&newton.solution);
        let used = both.map(|(&x, &y)| [x, y].into_iter().find(|&value| self.writer.is_used(value)));
        let used: Vec<Option<Value>> = used.collect();
        let unknowns = self.results_of(&used);
        let outside = std::mem::take(&mut self.tokens);
        self.statements(&newton.body);
        let delta = self.writer.operands(&newton.delta);
        let kept = newton.last_iterate.iter().map(|&(value, _)| Some(value));
        let kept = self.results_of(&kept.collect::<Vec<_>>());
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
        let equations = &newton.equations;
        let sharp = newton.is_sharp.then(|| quote!(.sharp()));
        let jumping = newton.jumps.then(|| quote!(.jumping()));
        self.add(quote! {
            let newton = emitted::Newton::weighted([#(#weights),*], #scale2).named(&[#(#equations),*]) #sharp #jumping;
        });
        let solution = quote! {
            emitted::Newton::#solve(
                newton,
                [#(#guess),*],
                #fallback
                #[inline(always)]
                |[#(#unknowns),*]| {
                    #inside
                    Ok(([#(#delta),*], move || #derivatives, [#(#kept),*]))
                },
            )?
        };
        let pattern = quote!(([#(#unknowns),*], [#(#kept),*]));
        self.bind(&pattern, &[unknowns, kept].concat(), &solution);
    }

    /// The return type; the statements that return are written.
    fn results(&mut self, signature: &Signature<'_>) -> TokenStream {
        let outputs: &[Output] = match signature {
            // They are written and tested.
            Signature::Derivatives(..) => &[],
            _ => &self.writer.function.outputs,
        };
        let state = signature.state();
        let (mut values, mut types) = (Vec::new(), Vec::new());
        for output in outputs {
            let entries = self.writer.operands(&output.values);
            values.push(match (signature.shape(output), &output.role, state) {
                (Some([rows, columns]), ..) => {
                    let rows = (0..rows).map(|i| &entries[i * columns..][..columns]);
                    quote!([#([#(#rows),*]),*])
                }
                (_, Role::Carried, Some(ty)) => carried(ty, &entries),
                (_, Role::Configuration, Some(ty)) if ty.is_posed => quote!(Posed::from([#(#entries),*])),
                _ if output.scalar => quote!(#(#entries)*),
                _ => quote!([#(#entries),*]),
            });
            types.push(signature.ty(output));
        }
        let plain = tuple(&types);
        let ty = match signature {
            Signature::Prepare => {
                // The values are the fields, under their names.
                let fields =
                    if values.is_empty() { quote!(scalar: PhantomData) } else { quote!(#(#values),*) };
                self.add(quote!(Ok(Prepared { #fields })));
                quote!(Prepared<T>)
            }
            Signature::Start(ty) | Signature::Step(ty) => {
                let (name, fields) = (&ty.name, outputs.iter().map(|o| spelled(o.role.name())));
                let nothing = (!ty.carries).then(|| quote!(carried: ()));
                self.add(quote! {
                    let next = #name { #(#fields: #values,)* #nothing };
                    next.checked::<T>()
                });
                ty.tokens.clone()
            }
            Signature::Derivatives(..) => quote!(()),
            Signature::Carry(_) | Signature::Plain if self.writer.function.can_fail() => {
                let names = outputs.iter().map(|output| self.result(output).into_token_stream());
                let names: Vec<TokenStream> = names.collect();
                let checked = outputs.iter().zip(&names).filter(|(o, _)| !o.values.is_empty());
                let checked = checked.map(|(_, name)| quote!(emitted::finite(&#name)));
                let (bound, values) = (tuple(&names), tuple(&values));
                self.add(quote! {
                    let #bound = #values;
                    if #(#checked)&&* { Ok(#bound) } else { Err(Failure::NonFinite) }
                });
                plain
            }
            _ => {
                self.add(tuple(&values));
                return quote!(-> #plain);
            }
        };
        quote!(-> Result<#ty, Failure>)
    }

    /// The statements, which write every number as soon as it is known: it need not be kept in a register.
    ///
    /// ```text
    /// let mut zeros = [0.0; 8];
    /// let mut reactions_x = [[T::from_f64(0.0); 5]; 1];
    /// a[0][1] = x;
    /// b[0][0] = emitted::tested(y, &mut zeros[0]);
    /// emitted::add_product(a, &reactions_x, ..);
    /// if emitted::are_zero(&zeros) && emitted::all_finite(a.as_flattened()) { Ok(()) } else { Err(Failure::NonFinite) }
    /// ```
    fn derivatives(&mut self, signature: &Signature<'_>) {
        let (function, number) = (self.writer.function, Literal::usize_unsuffixed);
        let zeros = number(ZEROS);
        self.add(quote!(let mut zeros = [0.0; #zeros];));
        let products = function.products();
        let rank = products.first().map_or(1, |product| product.rank);
        for factor in function.factors() {
            let (name, columns, rank) =
                (self.result(factor), number(factor.values.len() / rank), number(rank));
            self.add(quote!(let mut #name = [[T::from_f64(0.0); #columns]; #rank];));
        }
        let arrays: Vec<Ident> = function.outputs.iter().map(|output| self.result(output)).collect();
        let known = function.known_outputs();
        let mut write = |body: &mut Self, at: usize| {
            for &Known { output: i, place: j, zero } in &known[at] {
                let (output, array) = (&function.outputs[i], &arrays[i]);
                let columns = match output.role {
                    Role::Factor(_) => Some(output.values.len() / rank),
                    _ => signature.shape(output).map(|[_, columns]| columns),
                };
                let at = columns.map(|columns| [j / columns, j % columns]);
                let at = at.map_or_else(|| vec![number(j)], |at| at.map(number).to_vec());
                let place = if output.scalar { quote!(*#array) } else { quote!(#array #([#at])*) };
                let mut value = body.writer.operand(output.values[j], Place::Open);
                if let Some(zero) = zero.map(number) {
                    value = quote!(emitted::tested(#value, &mut zeros[#zero]));
                }
                body.add(quote!(#place = #value;));
            }
        };
        self.block(&function.body, &mut write);
        write(self, function.body.len());
        let mut completed = BTreeSet::new();
        for Product { to, factors: [x, y], is_symmetric, .. } in products {
            let [to, x, y] = [to, x, y].map(|output| &arrays[output]);
            let add = spelled(if is_symmetric { "add_symmetric_product" } else { "add_product" });
            self.add(quote!(emitted::#add(#to, &#x, &#y);));
            completed.insert(to);
        }
        let completed = completed.into_iter();
        self.add(quote! {
            if emitted::are_zero(&zeros) #(&& emitted::all_finite(#completed.as_flattened()))* {
                Ok(())
            } else {
                Err(Failure::NonFinite)
            }
        });
    }
}

/// `(x, y)`, or what is alone.
pub(super) fn tuple(items: &[impl ToTokens]) -> TokenStream {
    match items {
        [one] => one.to_token_stream(),
        several => quote!((#(#several),*)),
    }
}

/// `Carried { field: value, same, .. }`: `field` alone where the value is a variable of that name, and `..` for the
/// fields that a pattern ignores.
fn carried(ty: &StateType, values: &[TokenStream]) -> TokenStream {
    let both = ty.carried.iter().zip(values).map(|(field, value)| (field, value, value.to_string()));
    let kept = both.filter(|(_, _, text)| text != "_");
    let kept = kept.map(|(field, value, text)| match field == &text {
        true => quote!(#field),
        false => quote!(#field: #value),
    });
    let kept: Vec<TokenStream> = kept.collect();
    let others = (kept.len() < ty.carried.len()).then(|| quote!(..));
    let fields = kept.into_iter().chain(others);
    quote!(Carried { #(#fields),* })
}
