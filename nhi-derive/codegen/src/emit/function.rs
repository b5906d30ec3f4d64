//! Programs as functions.

use super::Mode;
use super::beside::beside;
use super::expression::{Place, Writer};
use super::names::{Names, spelled};
use crate::expr::{Expr, Node, Pool};
use crate::group::{Entry, Group};
use crate::pass::Latency;
use crate::program::{
    Constants, Foreseen, Newton, Operations, Output, Program, Role, Singular, Statement, Turn,
};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use std::collections::{BTreeMap, BTreeSet};

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
    /// Takes a state and returns what a step carries beside it.
    Carry(&'a StateType),
    /// Returns `Prepared`, with one field per output.
    Prepare,
}

/// A state struct of the runtime.
pub(super) struct StateType {
    /// Its name.
    pub(super) name: Ident,
    /// Its fields, with their lengths.
    pub(super) fields: Vec<(Role, usize)>,
    /// Length of its last field, `carried`.
    pub(super) carried: usize,
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
        let carried = (self.carried > 0).then(|| {
            let k = Literal::usize_unsuffixed(self.carried);
            quote!(, [#scalar; #k])
        });
        quote!(#runtime #name<#q, [#scalar; #n], [#scalar; #m] #carried>)
    }

    /// The type of states without what is carried.
    pub(super) fn without_carried(&self) -> StateType {
        StateType { name: self.name.clone(), fields: self.fields.clone(), carried: 0, pose: self.pose }
    }

    /// Which of its numbers, in order, no value of the step depends on.
    pub(super) fn unread(&self, pool: &Pool, step: &Program) -> Vec<usize> {
        let used = used(pool, step);
        let inputs = self.roles().filter_map(|role| step.inputs.iter().find(|input| input.role == *role));
        let numbers = inputs.flat_map(|input| &input.symbols).enumerate();
        numbers.filter(|(_, symbol)| !used.contains(symbol)).map(|(i, _)| i).collect()
    }

    /// Where the step has sines of an angle from the step before, where it has the angle and perhaps what it was
    /// foreseen to be turned by: `carried[1]`, `carried[2]`, `q[0]`, `carried[0]`.
    ///
    /// # Panics
    /// If the step has such sines without all of that in the state: they could not be recomputed, and their roundings
    /// would grow without bound.
    pub(super) fn turned(&self, pool: &Pool, step: &Program) -> Vec<([TokenStream; 3], Option<TokenStream>)> {
        let place = |turn: &Turn, what: &str, e: Expr| {
            let of = |role: &Role| step.symbols(role).iter().position(|&s| s == e);
            let Some((role, i)) = self.roles().find_map(|role| Some((role, of(role)?))) else {
                panic!(
                    "{}: {what} {} is not in the state, so that the sines of the angle {} cannot be recomputed",
                    step.name,
                    pool.show(e),
                    pool.show(turn.angle),
                )
            };
            let (field, i) = (format_ident!("{}", role.name()), Literal::usize_unsuffixed(i));
            match self.pose {
                Some(_) if *role == Role::Configuration => quote!(q.entries()[#i]),
                _ => quote!(#field[#i]),
            }
        };
        let of = |statement: &Statement| {
            let Statement::Turn(turn @ Turn { from, foreseen, known: [sin, cos], .. }) = statement else {
                return None;
            };
            // Sines that the step itself computes are recomputed in every step.
            if !self.are_of_state(pool, step, &turn.known) {
                return None;
            }
            let places = [("the sine", sin), ("the cosine", cos), ("the angle", from)]
                .map(|(what, &e)| place(turn, what, e));
            let by = foreseen.by().filter(|&by| !pool.is_zero(by));
            Some((places, by.map(|by| place(turn, "the predicted turn", by))))
        };
        step.body.iter().filter_map(of).collect()
    }

    /// Whether sines are made of numbers of the state without a call in the step.
    fn are_of_state(&self, pool: &Pool, step: &Program, sines: &[Expr]) -> bool {
        let values: BTreeMap<Expr, Expr> = step.lets().into_iter().collect();
        let state: BTreeSet<Expr> = self.roles().flat_map(|role| step.symbols(role)).copied().collect();
        let mut stack = sines.to_vec();
        while let Some(e) = stack.pop() {
            if state.contains(&e) {
                return true;
            }
            match (values.get(&e), pool.node(e)) {
                (Some(&value), _) => stack.push(value),
                (None, Node::Call(..)) => {}
                (None, _) => stack.extend(pool.children(e)),
            }
        }
        false
    }

    /// Roles of its fields, in order.
    fn roles(&self) -> impl Iterator<Item = &Role> {
        self.fields.iter().map(|(role, _)| role).chain([&Role::Carried])
    }

    /// Whether the state has this field.
    fn has(&self, role: &Role) -> bool {
        self.roles().any(|r| r == role)
    }
}

/// The function of `program`:
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
    pool: &mut Pool,
    constants: &mut Constants,
    mode: &mut Mode,
    names: Names,
    program: &Program,
    signature: &Signature<'_>,
) -> TokenStream {
    let operations = Operations::of(pool, constants, program);
    let used = used(pool, program);
    let mut latency = Latency::of(pool, constants, program);
    let beside = beside(pool, constants, &mut latency, program);
    let (rest, deferred) = program.deferred(pool);
    let mut body = Body {
        writer: Writer::new(pool, constants, names, latency),
        mode,
        used,
        beside,
        deferred: deferred.into_iter(),
        tokens: TokenStream::new(),
    };
    let arguments = body.arguments(program, signature);
    body.statements(&rest.body);
    let result = body.results(program, signature);
    let mut docs = program.doc.clone();
    if !matches!(signature, Signature::Prepare) {
        docs.extend([String::new(), format!("Operations: {operations}.")]);
    }
    let docs = docs.iter().map(|d| if d.is_empty() { String::new() } else { format!(" {d}") });
    let name = spelled(&program.name);
    let statements = body.tokens;
    let retraction = retracted(pool, program).map(|group| {
        let group = format_ident!("{}", group.runtime);
        quote!(, R: Retracts<#group<f64>>)
    });
    let inline = match signature {
        // The driver's loop decides for which instruction set a step is compiled.
        Signature::Step(_) => quote!(#[inline(always)]),
        Signature::Plain { .. } => quote!(#[inline]),
        // Once per simulation: compiled once.
        Signature::Start(_) | Signature::Carry(_) | Signature::Prepare => TokenStream::new(),
    };
    quote! {
        #(#[doc = #docs])*
        #inline
        pub fn #name<T: Scalar #retraction>(#arguments) #result { #statements }
    }
}

/// The symbols that values depend on.
fn used(pool: &Pool, program: &Program) -> BTreeSet<Expr> {
    pool.reachable(&program.values()).into_iter().filter(|&e| pool.as_symbol(e).is_some()).collect()
}

/// The maps of a group that a program makes use of, by the numbers that it takes of them.
fn maps(pool: &Pool, program: &Program) -> impl Iterator<Item = Entry> {
    pool.reachable(&program.values()).into_iter().filter_map(|e| match pool.node(e) {
        Node::Map(entry, _) => Some(*entry),
        _ => None,
    })
}

/// Whether a program has maps of a group.
pub(super) fn has_maps(pool: &Pool, program: &Program) -> bool {
    maps(pool, program).next().is_some()
}

/// The group of whose retractions a program makes use.
pub(super) fn retracted(pool: &Pool, program: &Program) -> Option<&'static Group> {
    maps(pool, program).find(|entry| entry.map.is_of_retraction()).map(|entry| entry.group)
}

struct Body<'a> {
    writer: Writer<'a>,
    mode: &'a mut Mode,
    used: BTreeSet<Expr>,
    /// See [`beside`].
    beside: BTreeMap<Expr, Expr>,
    /// Of each loop to come what its second derivatives are made of.
    deferred: std::vec::IntoIter<Vec<Statement>>,
    tokens: TokenStream,
}

impl Body<'_> {
    fn add(&mut self, tokens: TokenStream) {
        self.tokens.extend(tokens);
    }

    /// The argument list; statements that take the arguments apart are written.
    fn arguments(&mut self, program: &Program, signature: &Signature<'_>) -> TokenStream {
        let mut arguments = Vec::new();
        let mut state = Vec::new();
        for input in &program.inputs {
            let name = spelled(input.role.name());
            let unused = format_ident!("_{}", input.role.name());
            let is_used = input.symbols.iter().any(|s| self.used.contains(s));
            let length = Literal::usize_unsuffixed(input.symbols.len());
            if input.scalar {
                let argument = self.writer.bind(input.symbols[0]);
                let argument = if is_used { argument } else { quote!(#unused) };
                arguments.push(quote!(#argument: T));
                continue;
            }
            let pattern = self.pattern(&input.symbols);
            match signature {
                Signature::Step(_) if input.role == Role::Prepared => {
                    if is_used {
                        arguments.push(quote!(prepared: &Prepared<T>));
                        self.add(quote!(let Prepared { #(#pattern),* } = *prepared;));
                    } else {
                        arguments.push(quote!(_prepared: &Prepared<T>));
                    }
                }
                Signature::Step(ty) | Signature::Carry(ty) if ty.has(&input.role) => {
                    state.push(is_used);
                    if is_used {
                        self.add(match ty.pose {
                            Some(_) if input.role == Role::Configuration => {
                                quote!(let [#(#pattern),*] = *state.q.entries();)
                            }
                            _ => quote!(let [#(#pattern),*] = state.#name;),
                        });
                    }
                    if state.len() == ty.fields.len() + usize::from(ty.carried > 0) {
                        let argument =
                            format_ident!("{}", if state.contains(&true) { "state" } else { "_state" });
                        let ty = ty.tokens(&TokenStream::new(), &format_ident!("T"));
                        arguments.push(quote!(#argument: &#ty));
                    }
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

    fn pattern(&mut self, symbols: &[Expr]) -> Vec<TokenStream> {
        let mut all = Vec::new();
        for &s in symbols {
            let ident = self.writer.bind(s);
            all.push(if self.used.contains(&s) { ident } else { quote!(_) });
        }
        all
    }

    fn statements(&mut self, statements: &[Statement]) {
        let mut i = 0;
        while let Some(statement) = statements.get(i) {
            i += 1;
            match statement {
                Statement::Equation(text) => {
                    let comment = self.mode.comment(text);
                    self.add(comment);
                }
                Statement::Let { symbol, value } => {
                    if let Some((both, angle, sine, cosine)) = self.pair(statement, statements.get(i)) {
                        let call = self.sin_cos(both, angle);
                        let angle = self.writer.expression(angle, Place::Receiver);
                        let (sine, cosine) = (self.writer.bind(sine), self.writer.bind(cosine));
                        self.add(quote!(let (#sine, #cosine) = #angle.#call;));
                        i += 1;
                        continue;
                    }
                    let together = self.numbers_of_map(&statements[i - 1..]);
                    if together > 0 {
                        i += together - 1;
                        continue;
                    }
                    let value = self.writer.expression(*value, Place::Open);
                    let symbol = self.writer.bind(*symbol);
                    self.add(quote!(let #symbol = #value;));
                }
                Statement::Pivot { pivot, diagonal, what } => {
                    let pivot = self.writer.expression(*pivot, Place::Open);
                    let diagonal = self.writer.expression(*diagonal, Place::Open);
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
                Statement::Turn(turn) => self.turn(turn),
            }
        }
    }

    /// The call of `both` sine and cosine of an angle.
    fn sin_cos(&mut self, both: &str, angle: Expr) -> TokenStream {
        let mut open = |e: Expr| self.writer.expression(e, Place::Open);
        let name = format_ident!("{both}");
        if both != "sin_cos" {
            return quote!(#name());
        }
        match self.beside.get(&angle) {
            Some(&from) => {
                let from = open(from);
                quote!(sin_cos_beside(#from))
            }
            None => quote!(#name()),
        }
    }

    /// `let (s, c) = x.sin_cos_turned(y, (sin_y, cos_y));`
    fn turn(&mut self, turn: &Turn) {
        let angle = self.writer.expression(turn.angle, Place::Receiver);
        let [from, sin, cos] =
            [turn.from, turn.known[0], turn.known[1]].map(|e| self.writer.expression(e, Place::Open));
        let sines = self.pattern(&turn.sines);
        let turned = match turn.foreseen {
            Foreseen::Known(_) => quote!(let (#(#sines),*) = (#sin, #cos);),
            Foreseen::Near(by) => {
                let by = self.writer.expression(by, Place::Open);
                quote!(let (#(#sines),*) = #angle.sin_cos_near(#from, #by, (#sin, #cos));)
            }
            Foreseen::Not => quote!(let (#(#sines),*) = #angle.sin_cos_turned(#from, (#sin, #cos));),
        };
        self.add(turned);
    }

    /// Writes the leading statements that bind numbers of one map: `let [x, _, y] = R::moved(..);`
    /// Returns how many they are.
    fn numbers_of_map(&mut self, statements: &[Statement]) -> usize {
        let number = |pool: &Pool, s: &Statement| match s {
            Statement::Let { symbol, value } => match pool.node(*value) {
                Node::Map(entry, arguments) => Some((*symbol, *entry, arguments.clone())),
                _ => None,
            },
            _ => None,
        };
        let Some((_, first, arguments)) = statements.first().and_then(|s| number(self.writer.pool, s)) else {
            return 0;
        };
        let call = self.writer.call(first, &arguments);
        let mut pattern = vec![quote!(_); first.map.results(first.group)];
        let mut together = 0;
        for statement in statements {
            match number(self.writer.pool, statement) {
                Some((symbol, entry, same)) if entry.map == first.map && same == arguments => {
                    pattern[entry.index] = self.writer.bind(symbol);
                    together += 1;
                }
                _ => break,
            }
        }
        self.add(quote!(let [#(#pattern),*] = #call;));
        together
    }

    /// What computes both, the angle, the sine's and the cosine's symbol, if the statements bind those of one
    /// angle.
    fn pair(
        &self,
        first: &Statement,
        second: Option<&Statement>,
    ) -> Option<(&'static str, Expr, Expr, Expr)> {
        let (Statement::Let { symbol: a, value: x }, Some(Statement::Let { symbol: b, value: y })) =
            (first, second)
        else {
            return None;
        };
        let (&Node::Call(f, x), &Node::Call(g, y)) = (self.writer.pool.node(*x), self.writer.pool.node(*y))
        else {
            return None;
        };
        let (partner, is_sine, both) = f.partner()?;
        let (sine, cosine) = if is_sine { (*a, *b) } else { (*b, *a) };
        (g == partner && x == y).then_some((both, x, sine, cosine))
    }

    /// ```text
    /// let newton = emitted::Newton::weighted([weights], beside);
    /// let ([l], [kept]) = emitted::Newton::solve(newton, [guess], |[l]| {
    ///     statements
    ///     Ok(([update], move || [derivatives], [kept]))
    /// })?;
    /// ```
    ///
    /// or `solve_or(newton, [guess], [otherwise], ..)`.
    fn newton(&mut self, newton: &Newton) {
        let mut open = |e: &Expr| self.writer.expression(*e, Place::Open);
        let guess: Vec<TokenStream> = newton.guess.iter().map(&mut open).collect();
        let otherwise: Vec<TokenStream> = newton.otherwise.iter().map(&mut open).collect();
        let weights: Vec<TokenStream> = newton.weights.iter().map(&mut open).collect();
        let beside = open(&newton.beside);
        let unknowns = self.pattern(&newton.unknowns);
        let outside = std::mem::take(&mut self.tokens);
        self.statements(&newton.body);
        let mut delta = Vec::new();
        for &d in &newton.delta {
            delta.push(self.writer.expression(d, Place::Open));
        }
        let kept: Vec<TokenStream> =
            newton.kept.iter().map(|&e| self.writer.expression(e, Place::Open)).collect();
        let inside = std::mem::take(&mut self.tokens);
        let deferred = self.deferred.next().unwrap_or_default();
        self.statements(&deferred);
        let slopes: Vec<TokenStream> =
            newton.slopes.iter().map(|&e| self.writer.expression(e, Place::Open)).collect();
        let deferred = std::mem::replace(&mut self.tokens, outside);
        let slopes =
            if deferred.is_empty() { quote!([#(#slopes),*]) } else { quote!({ #deferred [#(#slopes),*] }) };
        let (solve, otherwise) = match otherwise.as_slice() {
            [] => (quote!(solve), TokenStream::new()),
            otherwise => (quote!(solve_or), quote!([#(#otherwise),*],)),
        };
        self.add(quote! {
            let newton = emitted::Newton::weighted([#(#weights),*], #beside);
            let ([#(#unknowns),*], [#(#kept),*]) = emitted::Newton::#solve(
                newton,
                [#(#guess),*],
                #otherwise
                #[inline(always)]
                |[#(#unknowns),*]| {
                    #inside
                    Ok(([#(#delta),*], move || #slopes, [#(#kept),*]))
                },
            )?;
        });
    }

    /// The return type; the statements that return are written.
    fn results(&mut self, program: &Program, signature: &Signature<'_>) -> TokenStream {
        let mut values = Vec::new();
        for output in &program.outputs {
            let mut entries = Vec::new();
            for &value in &output.values {
                entries.push(self.writer.expression(value, Place::Open));
            }
            values.push(if output.scalar { quote!(#(#entries)*) } else { quote!([#(#entries),*]) });
        }
        // What is prepared is named by the symbols that are kept, such as `c[0]`.
        let names = || -> Vec<Ident> { program.outputs.iter().map(|o| spelled(o.role.name())).collect() };
        match signature {
            Signature::Prepare => {
                let fields: Vec<TokenStream> = (program.outputs.iter().zip(&values))
                    .map(|(output, value)| {
                        let field = self.writer.bind(output.values[0]);
                        if field.to_string() == value.to_string() { field } else { quote!(#field: #value) }
                    })
                    .collect();
                let fields =
                    if fields.is_empty() { quote!(scalar: PhantomData) } else { quote!(#(#fields),*) };
                self.add(quote!(Ok(Prepared { #fields })));
                quote!(-> Result<Prepared<T>, Failure>)
            }
            Signature::Start(ty) | Signature::Step(ty) => {
                let (name, names) = (&ty.name, names());
                let posed = |o: &Output| ty.pose.is_some() && o.role == Role::Configuration;
                let values = program.outputs.iter().zip(&values).map(|(o, value)| match posed(o) {
                    true => quote!(Posed::from(#value)),
                    false => value.clone(),
                });
                let nothing = (ty.carried == 0).then(|| quote!(carried: ()));
                self.add(quote! {
                    let next = #name { #(#names: #values,)* #nothing };
                    next.checked::<T>()
                });
                let ty = ty.tokens(&TokenStream::new(), &format_ident!("T"));
                quote!(-> Result<#ty, Failure>)
            }
            Signature::Carry(_) => self.plain_results(program, &names(), &values, true),
            Signature::Plain { fallible } => self.plain_results(program, &names(), &values, *fallible),
        }
    }

    fn plain_results(
        &mut self,
        program: &Program,
        names: &[Ident],
        values: &[TokenStream],
        fallible: bool,
    ) -> TokenStream {
        let types = program.outputs.iter().map(|o| {
            let length = Literal::usize_unsuffixed(o.values.len());
            if o.scalar { quote!(T) } else { quote!([T; #length]) }
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
        // Bound together: a result can have the name of a symbol that the others need.
        let (bound, values) = (tuple(names.iter().map(|n| quote!(#n)).collect()), tuple(values.to_vec()));
        self.add(quote!(let #bound = #values;));
        let checked = program.outputs.iter().zip(names).filter(|(o, _)| !o.values.is_empty());
        let checked = checked.map(|(_, name)| quote!(emitted::finite(&#name)));
        self.add(quote!(if #(#checked)&&* { Ok(#bound) } else { Err(Failure::NonFinite) }));
        quote!(-> Result<#ty, Failure>)
    }
}

#[cfg(test)]
mod tests {
    use super::{Foreseen, Program, Role, StateType, Statement, Turn, format_ident};
    use crate::expr::{Function, Pool};
    use crate::program::{Binding, Input};

    /// A step that turns the angle `x` by `foreseen` from `from`, with sines of `known`; `from`, `by`, `s` and `c` are
    /// carried.
    fn places(known: [&str; 2], from: &str, by: Option<&str>) -> Vec<(String, Option<String>)> {
        let mut pool = Pool::new();
        let mut list = |names: &[&str]| -> Vec<_> { names.iter().map(|name| pool.symbol(name)).collect() };
        let input = |role, symbols| Input { role, symbols, binding: Binding::Step, scalar: false };
        let inputs = vec![
            input(Role::Configuration, list(&["x"])),
            input(Role::Carried, list(&["from", "by", "s", "c"])),
        ];
        let sines = [pool.symbol("sin_x"), pool.symbol("cos_x")];
        let (angle, called) = (pool.symbol("x"), pool.symbol("called"));
        let value = pool.call(Function::Sin, angle);
        let from = pool.symbol(from);
        let foreseen = match by {
            Some(by) => Foreseen::Near(pool.symbol(by)),
            None => Foreseen::Near(pool.zero()),
        };
        let turn = Turn { sines, angle, from, foreseen, known: known.map(|name| pool.symbol(name)) };
        let body = vec![Statement::Let { symbol: called, value }, Statement::Turn(turn)];
        let step = Program { name: "step".into(), doc: Vec::new(), inputs, body, outputs: Vec::new() };
        let state = StateType {
            name: format_ident!("S"),
            fields: vec![(Role::Configuration, 1)],
            carried: 4,
            pose: None,
        };
        let turned = state.turned(&pool, &step);
        let text = |place: &super::TokenStream| place.to_string().replace(' ', "");
        turned
            .iter()
            .map(|(places, by)| (places.each_ref().map(text).join(", "), by.as_ref().map(text)))
            .collect()
    }

    #[test]
    fn sines_of_the_state_have_places() {
        let places_of = |from, by| places(["s", "c"], from, by);
        let carried = "carried[2], carried[3]";
        assert_eq!(
            places_of("from", Some("by")),
            [(format!("{carried}, carried[0]"), Some("carried[1]".into()))]
        );
        assert_eq!(places_of("x", None), [(format!("{carried}, q[0]"), None)]);
        assert_eq!(places(["called", "called"], "other", None), []);
    }

    #[test]
    #[should_panic(expected = "the angle other is not in the state, so that the sines of the angle x cannot")]
    fn an_angle_that_is_not_in_the_state_is_a_bug() {
        places(["s", "c"], "other", None);
    }

    #[test]
    #[should_panic(expected = "the predicted turn other is not in the state")]
    fn a_turn_that_is_not_in_the_state_is_a_bug() {
        places(["s", "c"], "from", Some("other"));
    }

    #[test]
    #[should_panic(expected = "the cosine called is not in the state")]
    fn a_cosine_that_is_not_in_the_state_is_a_bug() {
        places(["s", "called"], "from", None);
    }
}
