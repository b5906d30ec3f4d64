//! The keys of `#[nonholonomic(...)]`: only their syntax. Parsing continues after every mistake.

use super::ast::{Ast, Kind, Name};
use super::cursor::{Cursor, describe, token_trees};
use super::error::{Context, Error, Extent};
use super::families::Items;
use super::grammar;
use super::group::{self, Factor};
use super::integers::{Constants, integer, unknown_constant};
use super::names::nearest;
use crate::system::BodyShape;
use nhi_methods::Method;
use num_traits::Zero;
use proc_macro2::{Delimiter, Group, TokenTree};
use quote::ToTokens;
use syn::parse::Parser;

/// The keys, in the order in which they are documented.
pub(crate) const KEYS: [&str; 13] = [
    "coordinates",
    "group",
    "inputs",
    "let",
    "lagrangian",
    "constraints",
    "holonomic",
    "force",
    "states",
    "dynamics",
    "bodies",
    "methods",
    "crate",
];

/// What stands behind a method whose steps are to be differentiated.
pub(crate) const DERIVATIVES: &str = "derivatives";

/// Help line with the required keys.
pub(crate) const WHAT_TO_DECLARE: &str =
    "declare `coordinates(...)`, `lagrangian = ...` and `constraints(...)` in it";

/// Declared name of a coordinate, input or auxiliary state.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    pub(crate) name: Name,
    /// Number of entries, for an array.
    pub(crate) len: Option<usize>,
}

/// `name = value` or `name[i] = value` in `let(...)`; without a value where that is not an expression.
#[derive(Clone, Debug)]
pub(crate) struct Let {
    pub(crate) name: Indexed,
    pub(crate) value: Option<Ast>,
}

/// `dot(name) = value` or `dot(name[i]) = value` in `dynamics(...)`.
#[derive(Clone, Debug)]
pub(crate) struct Rate {
    pub(crate) state: Indexed,
    pub(crate) value: Ast,
}

/// `name: pose(x, y, theta)` or `name[i]: ball(x, y, z)` in `bodies(...)`.
#[derive(Clone, Debug)]
pub(crate) struct Drawn {
    pub(crate) name: Indexed,
    pub(crate) shape: BodyShape,
    pub(crate) place: [Ast; 3],
}

/// `label: form = 0` or `label[i]: form = 0`.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub(crate) label: Option<Indexed>,
    pub(crate) form: Ast,
}

/// `Dla2` or `Dla2 + derivatives` in `methods(...)`.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) name: Name,
    /// The word `derivatives`, if it stands there.
    pub(crate) derivatives: Option<Extent>,
}

/// A name with the indices that it has where it is defined.
#[derive(Clone, Debug)]
pub(crate) struct Indexed {
    pub(crate) name: Name,
    pub(crate) indices: Vec<Ast>,
    /// Of both.
    pub(crate) at: Extent,
}

/// The contents of the attributes.
#[derive(Default)]
pub(crate) struct Attributes {
    /// The first attribute, which errors about missing keys point at.
    pub(crate) first: Option<Extent>,
    pub(crate) coordinates: Slot<Vec<Declared>>,
    pub(crate) group: Slot<Vec<Factor>>,
    pub(crate) inputs: Slot<Vec<Declared>>,
    pub(crate) lets: Items<Let>,
    pub(crate) lagrangian: Slot<Ast>,
    pub(crate) constraints: Slot<Items<Form>>,
    pub(crate) holonomic: Slot<Items<Form>>,
    pub(crate) force: Slot<Ast>,
    pub(crate) states: Slot<Vec<Declared>>,
    pub(crate) dynamics: Slot<Items<Rate>>,
    pub(crate) bodies: Slot<Items<Drawn>>,
    pub(crate) methods: Slot<Vec<Asked>>,
    pub(crate) runtime: Slot<syn::Path>,
    /// Whether some name could not be read, so that a name not found may be no mistake.
    pub(crate) names_missing: bool,
    /// Keys that unknown ones seem to stand for.
    pub(crate) meant: Vec<&'static str>,
    /// Whether an attribute is not a list, so that its keys are unknown.
    pub(crate) malformed: bool,
}

/// Value of a key that is given once.
#[derive(Debug)]
pub(crate) struct Slot<T> {
    key: Option<Extent>,
    value: Option<T>,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Slot { key: None, value: None }
    }
}

impl<T> Slot<T> {
    /// The span of the key.
    pub(crate) fn key(&self) -> Option<Extent> {
        self.key
    }

    /// The value, unless the key is missing or what follows it is malformed.
    pub(crate) fn value(&self) -> Option<&T> {
        self.value.as_ref()
    }

    /// Sets the value, unless the key was given before: that is reported, and whether it was so is the result.
    fn set(&mut self, key: &Name, value: Option<T>, context: &Context) -> bool {
        let is_repeated = self.key.is_some();
        match self.key {
            Some(first) => context.push(
                Error::new(key.at, format!("`{}` is given twice", key.text))
                    .second(first, format!("`{}` is first given here", key.text)),
            ),
            None => {
                self.key = Some(key.at);
                self.value = value;
            }
        }
        is_repeated
    }
}

impl Attributes {
    /// The group factors, as far as they could be read.
    pub(crate) fn factors(&self) -> &[Factor] {
        self.group.value().map_or(&[], Vec::as_slice)
    }

    /// Reads every `#[nonholonomic(...)]` among `attributes`.
    pub(crate) fn parse(
        attributes: &[syn::Attribute],
        constants: &Constants,
        context: &Context,
    ) -> Attributes {
        let mut result = Attributes::default();
        for attribute in attributes.iter().filter(|a| a.path().is_ident("nonholonomic")) {
            let at = Extent::of_all(&attribute.meta);
            result.first.get_or_insert(at);
            match &attribute.meta {
                syn::Meta::List(list) if matches!(list.delimiter, syn::MacroDelimiter::Paren(_)) => {
                    let tokens = token_trees(list.tokens.clone());
                    result.keys(Cursor::new(&tokens, at), constants, context);
                }
                meta => {
                    result.malformed = true;
                    context.push(
                        Error::new(Extent::of_all(meta), "expected `#[nonholonomic(...)]`")
                            .help(WHAT_TO_DECLARE),
                    );
                }
            }
        }
        result
    }

    fn keys(&mut self, cursor: Cursor<'_>, constants: &Constants, context: &Context) {
        let (parts, commas) = cursor.split_at_commas();
        commas.into_iter().for_each(|e| context.push(e));
        for mut part in parts {
            // A missing comma leaves the next key behind the value of this one.
            while !part.is_empty() {
                self.key(&mut part, constants, context);
                if let Some(next) = part.peek() {
                    context.push(Error::new(
                        Extent::of(next),
                        format!("expected `,` before {}", describe(next)),
                    ));
                }
            }
        }
    }

    /// Reads one key and its value, up to the end or to the next key.
    fn key(&mut self, part: &mut Cursor<'_>, constants: &Constants, context: &Context) {
        let key = match part.peek() {
            Some(TokenTree::Ident(ident)) => Name { text: ident.to_string(), at: ident.span().into() },
            _ => {
                context.push(part.unexpected("a key").help(expected_keys()));
                return skip(part);
            }
        };
        part.next();
        match key.text.as_str() {
            "coordinates" | "inputs" | "states" => {
                let declared = list(&key, "(x, y[3])", part, context)
                    .map(|group| self.declarations(&group, constants, context));
                self.names_missing |= declared.is_none();
                let slot = match key.text.as_str() {
                    "inputs" => &mut self.inputs,
                    "states" => &mut self.states,
                    _ => &mut self.coordinates,
                };
                // What is given twice has names that are not declared by it.
                self.names_missing |= slot.set(&key, declared, context);
            }
            "let" => match list(&key, "(name = ..., ...)", part, context) {
                Some(group) => self.definitions(&group, context),
                None => self.names_missing = true,
            },
            "lagrangian" => {
                let value = assigned(&key, "...", part, context);
                self.lagrangian.set(&key, value, context);
            }
            "force" => {
                let value = assigned(&key, "...*dx + ...", part, context);
                self.force.set(&key, value, context);
            }
            "constraints" => {
                let forms = list(&key, "(... = 0, ...)", part, context)
                    .map(|group| Items::parse(&group, context, &mut form));
                self.constraints.set(&key, forms, context);
            }
            "holonomic" => {
                let forms = list(&key, "(... = 0, ...)", part, context)
                    .map(|group| Items::parse(&group, context, &mut form));
                self.holonomic.set(&key, forms, context);
            }
            "dynamics" => {
                let rates = list(&key, "(dot(z) = ..., ...)", part, context)
                    .map(|group| Items::parse(&group, context, &mut rate));
                self.dynamics.set(&key, rates, context);
            }
            "bodies" => {
                let bodies = list(&key, "(truck: pose(x, y, theta), ...)", part, context)
                    .map(|group| Items::parse(&group, context, &mut drawn));
                self.bodies.set(&key, bodies, context);
            }
            "methods" => {
                let asked = list(&key, "(Dla2, ...)", part, context).map(|group| asked(&group, context));
                self.methods.set(&key, asked, context);
            }
            "crate" => {
                let path = runtime_path(&key, part, context);
                self.runtime.set(&key, path, context);
            }
            "group" => {
                let factors = group::parse(&key, part, context);
                self.names_missing |=
                    !factors.as_ref().is_some_and(|all| all.iter().all(Factor::is_complete));
                self.names_missing |= self.group.set(&key, factors, context);
            }
            "t" => {
                skip(part);
                context.push(Error::new(key.at, "`t` is the time and need not be declared"));
            }
            name if crate::expr::group::Group::named(name).is_some() && self.group.key().is_some() => {
                skip(part);
                context.push(group::second(key.at));
                self.names_missing = true;
            }
            unknown => {
                skip(part);
                let error = Error::new(key.at, format!("unknown key `{unknown}`"));
                match nearest(unknown, KEYS) {
                    Some(near) => {
                        context.push(error.help(format!("did you mean `{near}`?")));
                        self.names_missing |=
                            matches!(near, "coordinates" | "group" | "inputs" | "states" | "let");
                        self.meant.push(near);
                    }
                    None => context.push(error.help(expected_keys())),
                }
            }
        }
    }

    /// `x, y[3], ...`
    fn declarations(&mut self, group: &Group, constants: &Constants, context: &Context) -> Vec<Declared> {
        let mut result = Vec::new();
        self.each(group, context, |part| {
            let name = part.name("a name")?;
            let len = match part.eat_group(Delimiter::Bracket) {
                Some(group) => Some(array_length(group, part.last(), constants)?),
                None => None,
            };
            part.end("`,`")?;
            result.push(Declared { name, len });
            Ok(())
        });
        result
    }

    /// `name = expr, ...`
    fn definitions(&mut self, group: &Group, context: &Context) {
        let lets = Items::parse(group, context, &mut |part| {
            let name = indexed(part, "a name")?;
            let mut value = || {
                if !part.eat('=') {
                    return Err(part.unexpected("`=`").help("definitions are written `let(name = ...)`"));
                }
                whole_expression(part)
            };
            Ok(Let { name, value: context.keep(value()) })
        });
        self.names_missing |= !lets.complete;
        self.lets.extend(lets);
    }

    fn each(
        &mut self,
        group: &Group,
        context: &Context,
        mut read: impl FnMut(&mut Cursor<'_>) -> Result<(), Error>,
    ) {
        let tokens = token_trees(group.stream());
        let (parts, commas) = Cursor::new(&tokens, group_extent(group)).split_at_commas();
        commas.into_iter().for_each(|e| context.push(e));
        for mut part in parts {
            if context.keep(read(&mut part)).is_none() {
                self.names_missing = true;
            }
        }
    }
}

/// "expected one of ..."
pub(crate) fn expected_keys() -> String {
    format!("expected one of {}", quoted(&KEYS, "or"))
}

/// `a`, `b` or `c`, each in backquotes, with that word before the last.
pub(crate) fn quoted<S: AsRef<str>>(names: &[S], word: &str) -> String {
    let names: Vec<String> = names.iter().map(|n| format!("`{}`", n.as_ref())).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} {word} {last}", rest.join(", ")),
        None => String::new(),
    }
}

pub(crate) fn group_extent(group: &Group) -> Extent {
    Extent { first: group.span_open(), last: group.span_close() }
}

/// Whether a key with its `=` or list comes next.
pub(crate) fn at_key(part: &Cursor<'_>) -> bool {
    let Some(TokenTree::Ident(ident)) = part.peek() else { return false };
    KEYS.iter().any(|key| ident == key)
        && match part.peek_second() {
            Some(TokenTree::Group(g)) => g.delimiter() == Delimiter::Parenthesis,
            Some(TokenTree::Punct(p)) => p.as_char() == '=',
            _ => false,
        }
}

/// Leaves a malformed part behind, up to the next key.
pub(crate) fn skip(part: &mut Cursor<'_>) {
    while !part.is_empty() && !at_key(part) {
        part.next();
    }
}

/// The parenthesised list of a key.
fn list(key: &Name, form: &str, part: &mut Cursor<'_>, context: &Context) -> Option<Group> {
    let written = format!("write `{}{form}`", key.text);
    let Some(group) = part.eat_group(Delimiter::Parenthesis) else {
        let error = match part.is_empty() {
            true => Error::new(key.at, format!("expected a list after `{}`", key.text)),
            false => part.unexpected(&format!("`(` after `{}`", key.text)),
        };
        context.push(error.help(written));
        skip(part);
        return None;
    };
    if !part.is_empty() && !at_key(part) {
        context.push(part.unexpected("`,`"));
        skip(part);
    }
    Some(group.clone())
}

/// The expression after `key =`.
fn assigned(key: &Name, form: &str, part: &mut Cursor<'_>, context: &Context) -> Option<Ast> {
    if !part.eat('=') {
        let error = match part.is_empty() {
            true => Error::new(key.at, format!("expected `=` after `{}`", key.text)),
            false => part.unexpected(&format!("`=` after `{}`", key.text)),
        };
        context.push(error.help(format!("write `{} = {form}`", key.text)));
        skip(part);
        return None;
    }
    let value = match grammar::expression(part) {
        Ok(value) => value,
        Err(error) => {
            context.push(error);
            skip(part);
            return None;
        }
    };
    if part.is_empty() || at_key(part) {
        return Some(value);
    }
    context.push(grammar::after_expression(part));
    skip(part);
    None
}

/// An expression that takes up the whole part.
fn whole_expression(part: &mut Cursor<'_>) -> Result<Ast, Error> {
    let value = grammar::expression(part)?;
    if part.is_empty() { Ok(value) } else { Err(grammar::after_expression(part)) }
}

/// The `3` of `y[3]`.
fn array_length(group: &Group, at: Extent, constants: &Constants) -> Result<usize, Error> {
    let tokens = token_trees(group.stream());
    let mut cursor = Cursor::new(&tokens, at);
    let not_an_integer = || Error::new(at, "the length of an array is an integer").help("write `y[3]`");
    let length = whole_expression(&mut cursor).map_err(|_| not_an_integer())?;
    if let Kind::Name(name) = &length.kind
        && constants.contains(name)
        && constants.value(name).is_none()
    {
        return Err(unknown_constant(&length, name));
    }
    let mut work = usize::MAX;
    let value = integer(&length, &|name| constants.value(name), &mut work);
    match value.map(usize::try_from) {
        Ok(Ok(0)) => Err(Error::new(at, "an array has at least one entry")),
        Ok(Ok(length)) => Ok(length),
        _ => Err(not_an_integer()),
    }
}

/// A name and the indices behind it.
fn indexed(part: &mut Cursor<'_>, what: &str) -> Result<Indexed, Error> {
    let name = part.name(what)?;
    let indices = grammar::indices(part, name.at)?;
    Ok(Indexed { at: name.at.to(part.last()), name, indices })
}

/// `dot(z) = value`.
fn rate(part: &mut Cursor<'_>) -> Result<Rate, Error> {
    const FORM: &str = "dynamics are written `dynamics(dot(z) = ...)`";
    let is_dot = matches!(part.peek(), Some(TokenTree::Ident(ident)) if ident == "dot");
    if !is_dot {
        return Err(part.unexpected("`dot(...)`").help(FORM));
    }
    part.next();
    let Some(group) = part.eat_group(Delimiter::Parenthesis) else {
        return Err(part.unexpected("`(` after `dot`").help(FORM));
    };
    let tokens = token_trees(group.stream());
    let mut inside = Cursor::new(&tokens, group_extent(group));
    let state = indexed(&mut inside, "the name of an auxiliary state")?;
    inside.end("`)`")?;
    if !part.eat('=') {
        return Err(part.unexpected("`=`").help(FORM));
    }
    Ok(Rate { state, value: whole_expression(part)? })
}

/// `name: pose(x, y, theta)`.
fn drawn(part: &mut Cursor<'_>) -> Result<Drawn, Error> {
    const FORM: &str = "bodies are written `bodies(truck: pose(x, y, theta))`";
    let name = indexed(part, "the name of a body")?;
    if !part.eat(':') {
        return Err(part.unexpected("`:` and the shape of the body").help(FORM));
    }
    let called = part.name("the shape of the body").map_err(|error| error.help(FORM))?;
    let names = BodyShape::ALL.map(BodyShape::name);
    let Some(shape) = BodyShape::ALL.into_iter().find(|shape| shape.name() == called.text) else {
        let error = Error::new(called.at, format!("unknown shape `{}`", called.text));
        return Err(match nearest(&called.text, names) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help(format!("the shapes are {}", quoted(&names, "and"))),
        });
    };
    let written = || format!("write `{}({})`", shape.name(), shape.entries().join(", "));
    let Some(group) = part.eat_group(Delimiter::Parenthesis) else {
        return Err(part.unexpected(&format!("`(` after `{}`", shape.name())).help(written()));
    };
    part.end("`,`")?;
    let tokens = token_trees(group.stream());
    let (parts, commas) = Cursor::new(&tokens, group_extent(group)).split_at_commas();
    if let Some(error) = commas.into_iter().next() {
        return Err(error);
    }
    let place =
        parts.into_iter().map(|mut part| whole_expression(&mut part)).collect::<Result<Vec<_>, _>>()?;
    let place = place.try_into().map_err(|place: Vec<Ast>| {
        let at = place.get(3).map_or(group_extent(group), |surplus| surplus.at);
        let (name, found) = (shape.name(), place.len());
        Error::new(at, format!("`{name}` takes three expressions, but {found} are given")).help(written())
    })?;
    Ok(Drawn { name, shape, place })
}

/// `label: form = 0`.
fn form(part: &mut Cursor<'_>) -> Result<Form, Error> {
    let mut ahead = *part;
    ahead.next();
    while ahead.eat_group(Delimiter::Bracket).is_some() {}
    let label = if ahead.at_punct(':') {
        let label = indexed(part, "a label")?;
        part.next();
        Some(label)
    } else {
        None
    };
    let form = grammar::expression(part)?;
    if part.eat('=') {
        if part.at_punct('=') {
            return Err(part.unexpected("`0`").help("constraints are written `form = 0`"));
        }
        let right = whole_expression(part)?;
        if !matches!(&right.kind, Kind::Number { value, .. } if value.is_zero()) {
            return Err(Error::new(right.at, "the right-hand side of a constraint is `0`")
                .help("bring all terms to the left-hand side"));
        }
    }
    if !part.is_empty() {
        return Err(grammar::after_expression(part));
    }
    Ok(Form { label, form })
}

/// `Dla2 + derivatives, Rattle, ...`; malformed ones are left out.
fn asked(group: &Group, context: &Context) -> Vec<Asked> {
    let tokens = token_trees(group.stream());
    let (parts, commas) = Cursor::new(&tokens, group_extent(group)).split_at_commas();
    commas.into_iter().for_each(|e| context.push(e));
    let mut result = Vec::new();
    for mut part in parts {
        let mut method = || {
            let name = part.name("the name of a method")?;
            let derivatives = if part.eat('+') { Some(derivatives(&name, &mut part)?) } else { None };
            part.end("`,`")?;
            Ok(Asked { name, derivatives })
        };
        result.extend(context.keep(method()));
    }
    result
}

/// The `derivatives` of `Dla2 + derivatives`.
fn derivatives(method: &Name, part: &mut Cursor<'_>) -> Result<Extent, Error> {
    let word = match part.peek() {
        Some(TokenTree::Ident(ident)) if ident == DERIVATIVES => {
            part.next();
            return Ok(part.last());
        }
        Some(TokenTree::Ident(ident)) => ident.to_string(),
        _ => String::new(),
    };
    let error = part.unexpected(&format!("`{DERIVATIVES}`"));
    Err(if nearest(&word, [DERIVATIVES]).is_some() {
        error.help(format!("did you mean `{DERIVATIVES}`?"))
    } else if Method::named(&word).is_some() {
        error.help("methods are separated by commas")
    } else {
        error.help(format!("`{} + {DERIVATIVES}` asks for the derivatives of its steps", method.text))
    })
}

/// `= path`.
fn runtime_path(key: &Name, part: &mut Cursor<'_>, context: &Context) -> Option<syn::Path> {
    const FORM: &str = "write `crate = path::to::nhi_runtime`";
    if !part.eat('=') {
        context.push(Error::new(key.at, "expected `=` and a path after `crate`").help(FORM));
        skip(part);
        return None;
    }
    let mut tokens = Vec::new();
    while !part.is_empty() && !at_key(part) {
        tokens.extend(part.next().cloned());
    }
    let at = match (tokens.first(), tokens.last()) {
        (Some(first), Some(last)) => Extent::of(first).to(Extent::of(last)),
        _ => part.last(),
    };
    let stream = tokens.into_iter().map(|t| t.into_token_stream()).collect();
    match syn::Path::parse_mod_style.parse2(stream) {
        Ok(path) => Some(path),
        Err(_) => {
            context.push(Error::new(at, "expected a path").help(FORM));
            None
        }
    }
}
