//! Expressions in the grammar of a declaration, with its names.

use crate::apart::{Phase, apart};
use crate::error::{self, DeclarationError, Mistake, Place};
use crate::system::choose;
use nhi_codegen::declaration::{Declaration, Rejected};
use nhi_codegen::expr::{Expr, Pool};
use nhi_codegen::source::{MAX_NESTING, tokens, too_deep};
use nhi_codegen::system::{Definition, Quantity, System};
use nhi_jit::Point;
use proc_macro2::{TokenStream, TokenTree};
use std::ops::Range;

/// The argument of a text that is one call of this function: `x` of `dot(x)`.
pub(crate) fn argument_of<'t>(text: &'t str, function: &str) -> Option<&'t str> {
    let called = text.trim().strip_prefix(function)?.trim_start();
    let argument = called.strip_prefix('(')?.strip_suffix(')')?.trim();
    (!argument.contains(['(', ')'])).then_some(argument)
}

/// A declaration with outputs.
pub(crate) struct ExtendedDeclaration {
    pub(crate) declaration: Declaration,
    /// The outputs; those that are vectors entry by entry.
    pub(crate) outputs: Vec<Definition>,
}

/// The declaration of a struct, with expressions that are added to its `let` names; those without an expression are such
/// names already. `rejected` makes errors of later stages.
pub(crate) fn extended(
    mut input: syn::DeriveInput,
    source: (&str, &str),
    outputs: &[(&str, Option<&str>)],
) -> Result<(ExtendedDeclaration, impl Fn(&Rejected) -> DeclarationError), DeclarationError> {
    let mut texts = vec![error::Text::new(source.0, source.1, input.ident.span().file())];
    let mut mistakes = Vec::new();
    for &(output, expression) in outputs {
        let Some(expression) = expression else { continue };
        match definition(output, expression) {
            Ok((attribute, spans)) => {
                input.attrs.push(attribute);
                texts.push(error::Text::new(output, expression, spans));
            }
            Err(mistake) => mistakes.push(*mistake),
        }
    }
    if !mistakes.is_empty() {
        return Err(DeclarationError { mistakes });
    }
    let rejected = move |rejected: &Rejected| DeclarationError {
        mistakes: rejected.errors.iter().map(|error| Mistake::of(error, &texts)).collect(),
    };
    let declaration = Declaration::parse(&input).map_err(|all| rejected(&all))?;
    let system = &declaration.system;
    let mut found = Vec::new();
    for (output, _) in outputs {
        let is_entry = |rest: &str| rest.is_empty() || rest.starts_with('[');
        let known = known(system).filter(|one| one.name.strip_prefix(output).is_some_and(is_entry));
        let before = found.len();
        found.extend(known);
        if found.len() == before {
            mistakes.push(unknown(output, system.definitions.iter().map(|one| one.name.as_str())));
        }
    }
    if !mistakes.is_empty() {
        return Err(DeclarationError { mistakes });
    }
    Ok((ExtendedDeclaration { declaration, outputs: found }, rejected))
}

/// Everything in a system that has a name.
fn known(system: &System) -> impl Iterator<Item = Definition> {
    let body = &system.velocities[system.shape()..];
    let symbols = [&system.coordinates, body, &system.inputs, &system.parameters].into_iter().flatten();
    let symbols = symbols.map(|one| Definition { name: one.name.clone(), value: one.symbol });
    system.definitions.iter().cloned().chain(symbols)
}

/// The attribute that declares an output, and what the spans of its tokens call their text.
fn definition(name: &str, expression: &str) -> Result<(syn::Attribute, String), Box<Mistake>> {
    let mut ident: syn::Ident = syn::parse_str(name).map_err(|_| {
        let is_keyword = name.chars().all(|c| c == '_' || c.is_alphanumeric())
            && name.parse::<TokenStream>().is_ok_and(|tokens| {
                tokens.into_iter().next().is_some_and(|token| matches!(token, TokenTree::Ident(_)))
            });
        Box::new(match is_keyword {
            true => Mistake::new(format!("the output `{name}` cannot be called so: `{name}` is a keyword")),
            false => Mistake::new(format!("the output `{name}` has no name: expected an identifier")),
        })
    })?;
    let wrong = |message: String| {
        let (file, text) = (name.to_owned(), expression.to_owned());
        Box::new(Mistake::new(message).at(Place { file, text, range: 0..expression.len() }))
    };
    let tokens = tokens(expression).map_err(|error| Mistake::in_text(&error, name, expression))?;
    if too_deep(&tokens).is_some() {
        return Err(wrong(format!("brackets are nested more than {MAX_NESTING} deep")));
    }
    let Some(first) = tokens.clone().into_iter().next() else {
        return Err(wrong(format!("the output `{name}` is empty: expected an expression")));
    };
    ident.set_span(first.span());
    Ok((syn::parse_quote!(#[nonholonomic(let(#ident = (#tokens)))]), first.span().file()))
}

fn unknown<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Mistake {
    let known: Vec<String> = known.map(|known| format!("`{known}`")).collect();
    let help = match known.is_empty() {
        true => format!("give an expression: `{name}=...`"),
        false => format!("give an expression, `{name}=...`, or one of {}", known.join(", ")),
    };
    let message = format!("the declaration has no `let` of the name `{name}`");
    Mistake { help: Some(help), ..Mistake::new(message) }
}

/// The values of definitions of the system, with the multipliers of its constraints.
pub(crate) fn evaluate(
    system: &System,
    definitions: &[Definition],
    at: &Point<'_>,
    lambda: &[f64],
) -> Vec<f64> {
    if definitions.is_empty() {
        return Vec::new();
    }
    let given = [
        (&system.parameters, at.parameters),
        (&system.coordinates, at.q),
        (&system.velocities, at.v),
        (&system.states, at.z),
        (&system.inputs, at.inputs),
    ];
    let pairs = given.into_iter().flat_map(|(names, values)| names.iter().zip(values));
    let multipliers =
        system.multipliers.iter().filter_map(|&(row, symbol)| Some((symbol, *lambda.get(row)?)));
    let symbols = pairs.map(|(Quantity { symbol, .. }, &value)| (*symbol, value));
    let symbols = symbols.chain(multipliers).chain([(system.t, at.t)]);
    let values = symbols.filter_map(|(symbol, value)| Some((system.pool.as_symbol(symbol)?, value)));
    let roots: Vec<_> = definitions.iter().map(|definition| definition.value).collect();
    system.pool.evaluate(&roots, &values.collect())
}

/// An expression, which may be a part of a longer text.
pub(crate) struct Text<'a> {
    /// What errors call the text.
    pub(crate) called: &'a str,
    /// The text.
    pub(crate) whole: &'a str,
    /// Where the expression is in it.
    pub(crate) range: Range<usize>,
}

impl<'a> Text<'a> {
    fn expression(&self) -> &'a str {
        &self.whole[self.range.clone()]
    }
}

/// Names and expressions of outputs; those without an expression are names of `let`.
pub(crate) type Outputs = [(String, Option<String>)];

/// The system of a declaration with outputs, and a definition of one number for each text, which is between the two `around` it.
/// Errors show the texts.
pub(crate) fn with_texts(
    source: &str,
    name: &str,
    outputs: &Outputs,
    texts: &[Text<'_>],
    around: [&str; 2],
) -> Result<(System, Vec<Definition>), DeclarationError> {
    let [before, after] = around;
    let idents: Vec<String> = (0..texts.len()).map(|i| format!("text_{i}")).collect();
    let expressions: Vec<String> =
        texts.iter().map(|text| format!("{before}{}{after}", text.expression())).collect();
    let hidden = idents.iter().zip(&expressions).map(|(ident, text)| (ident.as_str(), Some(text.as_str())));
    let all: Vec<_> =
        outputs.iter().map(|(name, text)| (name.as_str(), text.as_deref())).chain(hidden).collect();
    let located = |place: &mut Place| {
        let Some(i) = idents.iter().position(|ident| *ident == place.file) else { return };
        let Text { called, whole, range } = &texts[i];
        let inside = |byte: usize| range.start + byte.saturating_sub(before.len()).min(range.len());
        let range = inside(place.range.start)..inside(place.range.end);
        *place = Place { file: (*called).to_owned(), text: (*whole).to_owned(), range };
    };
    let called = |mut error: DeclarationError| {
        for mistake in &mut error.mistakes {
            let places = mistake.place.iter_mut().chain(mistake.second.as_mut().map(|(place, _)| place));
            places.for_each(located);
            for (ident, text) in idents.iter().zip(texts) {
                mistake.message = mistake.message.replace(&format!("the output `{ident}`"), text.called);
                // They are no names that a text can use.
                let without = |help: &String| {
                    [",", " and"]
                        .iter()
                        .fold(help.clone(), |help, before| help.replace(&format!("{before} `{ident}`"), ""))
                };
                mistake.help = mistake.help.as_ref().map(without);
            }
        }
        error
    };
    let input = choose(source, "", Some(name))?;
    let (ExtendedDeclaration { declaration, outputs: found }, _) =
        extended(input, ("", source), &all).map_err(called)?;
    let mut definitions = Vec::with_capacity(texts.len());
    for (ident, Text { called, whole, range }) in idents.iter().zip(texts) {
        let Some(definition) = found.iter().find(|output| output.name == *ident) else {
            let message = "expected one number, found several".to_owned();
            let (file, text) = ((*called).to_owned(), (*whole).to_owned());
            let place = Place { file, text, range: range.clone() };
            return Err(DeclarationError::one(Mistake::new(message).at(place)));
        };
        definitions.push(definition.clone());
    }
    Ok((declaration.system, definitions))
}

/// Whole texts, with what errors call them.
fn whole<'a>(texts: &[(&'a str, &'a str)]) -> Vec<Text<'a>> {
    texts.iter().map(|&(called, whole)| Text { called, whole, range: 0..whole.len() }).collect()
}

/// The system of a declaration, with definitions that are 1 where conditions in its grammar hold, and 0 otherwise. Errors call each
/// condition by the name beside it.
pub(crate) fn conditions(
    source: &str,
    name: &str,
    texts: &[(&str, &str)],
) -> Result<(System, Vec<Definition>), DeclarationError> {
    with_texts(source, name, &[], &whole(texts), ["if(", ", 1, 0)"])
}

/// The values of texts in the grammar of `let`, one number each, in their pool. Errors call each text by the name beside it.
pub(crate) fn functions(
    source: &str,
    name: &str,
    texts: &[(&str, &str)],
) -> Result<(Pool, Vec<Expr>), DeclarationError> {
    let (system, values) = with_texts(source, name, &[], &whole(texts), ["", ""])?;
    let multipliers: Vec<Expr> = system.multipliers.iter().map(|(_, symbol)| *symbol).collect();
    if let Some(i) = values.iter().position(|value| system.pool.depends_on(value.value, &multipliers)) {
        let (name, text) = texts[i];
        let message = "the multiplier of a constraint may not stand here: it is no function of a state and inputs alone";
        let place = Place { file: name.to_owned(), text: text.to_owned(), range: 0..text.len() };
        return Err(DeclarationError::one(Mistake::new(message.to_owned()).at(place)));
    }
    Ok((system.pool, values.iter().map(|value| value.value).collect()))
}

/// Initial data as expressions in parameters, of which each may use those before it.
pub(crate) struct Initial {
    system: System,
    entries: Vec<Definition>,
}

impl Initial {
    /// Reads the expressions of q₀ and v₀, in this order.
    pub(crate) fn read(
        source: &str,
        file: &str,
        name: &str,
        expressions: &[String],
    ) -> Result<Initial, DeclarationError> {
        let names: Vec<String> = (0..expressions.len()).map(|i| format!("initial_{i}")).collect();
        let outputs: Vec<_> =
            names.iter().zip(expressions).map(|(n, e)| (n.as_str(), Some(e.as_str()))).collect();
        let read = || {
            let input = choose(source, file, Some(name))?;
            let (ExtendedDeclaration { declaration, outputs }, _) =
                extended(input, (file, source), &outputs)?;
            Ok(Initial { system: declaration.system, entries: outputs })
        };
        apart(Phase::Derivation, read).unwrap_or_else(|bug| Err(DeclarationError::one(Mistake::new(bug))))
    }

    /// The values of expressions without names.
    pub(crate) fn constants(&self) -> Vec<f64> {
        evaluate(&self.system, &self.entries, &Point::default(), &[])
    }

    /// q₀ and v₀ for these parameters.
    pub(crate) fn at(&self, parameters: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (n, m) = (self.system.coordinates.len(), self.system.velocities.len());
        let (mut q, mut v) = (vec![f64::NAN; n], vec![f64::NAN; m]);
        for i in 0..n + m {
            let at = Point { parameters, q: &q, v: &v, z: &[], t: 0.0, inputs: &[] };
            let value = evaluate(&self.system, &self.entries[i..=i], &at, &[])[0];
            *(if i < n { &mut q[i] } else { &mut v[i - n] }) = value;
        }
        (q, v)
    }
}
