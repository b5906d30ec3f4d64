//! The grammar of expressions.
//!
//! ```text
//! sum     = product { ("+" | "-") product }
//! product = factor { ("*" | "/") factor }
//! factor  = "-" factor | power
//! power   = atom [ "^" factor' ]                  factor' = "-" factor' | power
//! atom    = number | "(" sum ")" | name | name { "[" sum "]" } | name "(" sum { "," sum } ")" | choice
//!         | "sum" "(" range "," sum ")" | "[" sum "," sum "," sum "]"
//! range   = name "in" sum ".." sum
//! ```
//!
//! Rust's lexer has been here before: `2.^x` arrives as `2.`, `^`, `x`, and `0..3` as `0`, `.`, `.`,
//! `3`; `1e-3` is one token.

use super::ast::{Ast, Kind, Name, Range};
use super::conditions::choice;
use super::cursor::{Cursor, describe, token_trees};
use super::error::{Error, Extent};
use super::{functions, number};
use proc_macro2::{Delimiter, Group, TokenTree};
use syn::ext::IdentExt;

/// Deepest nesting of parentheses, signs and exponents.
const MAX_DEPTH: usize = 100;

/// Reads one expression; stops before the first token that cannot continue it.
pub(crate) fn expression(cursor: &mut Cursor<'_>) -> Result<Ast, Error> {
    sum(cursor, 0)
}

/// An error that lists the tokens that may follow an expression.
pub(crate) fn after_expression(cursor: &Cursor<'_>) -> Error {
    let Some(token) = cursor.peek() else { return cursor.unexpected("an operator") };
    let at = match token {
        TokenTree::Group(g) => Extent::from(g.span_open()),
        _ => Extent::of(token),
    };
    let found = describe(token);
    match token {
        TokenTree::Ident(_) | TokenTree::Literal(_) => {
            Error::new(at, format!("expected an operator before {found}"))
                .help("products are written with `*`")
        }
        TokenTree::Group(g) => match g.delimiter() {
            Delimiter::Bracket => Error::new(at, "only a name can be indexed"),
            _ => Error::new(at, format!("expected an operator before {found}"))
                .help("products are written with `*`"),
        },
        TokenTree::Punct(p) => match p.as_char() {
            '.' => Error::new(at, "unexpected `.`")
                .help("parameters are written by name alone, array entries as `y[0]`, numbers as `2.0`"),
            '%' => functions::not_piecewise("the remainder `%`", at),
            '=' => Error::new(at, "unexpected `=`"),
            '<' | '>' | '!' | '&' | '|' => Error::new(at, format!("unexpected {found} in an expression"))
                .help("comparisons stand in the condition of `if(x < y, a, b)`"),
            _ => Error::new(at, format!("unexpected {found} in an expression")),
        },
    }
}

pub(crate) fn nested(depth: usize, at: Extent) -> Result<usize, Error> {
    if depth < MAX_DEPTH {
        return Ok(depth + 1);
    }
    Err(Error::new(at, format!("expressions may be nested at most {MAX_DEPTH} deep"))
        .help("name parts of it with `let(name = ...)`"))
}

pub(crate) fn sum(cursor: &mut Cursor<'_>, depth: usize) -> Result<Ast, Error> {
    let mut terms = vec![(false, product(cursor, depth)?)];
    loop {
        let minus = match cursor.peek() {
            Some(TokenTree::Punct(p)) if p.as_char() == '+' => false,
            Some(TokenTree::Punct(p)) if p.as_char() == '-' => true,
            _ => return Ok(flat(terms, Kind::Sum)),
        };
        cursor.next();
        terms.push((minus, product(cursor, depth)?));
    }
}

fn product(cursor: &mut Cursor<'_>, depth: usize) -> Result<Ast, Error> {
    let mut factors = vec![(false, factor(cursor, depth)?)];
    loop {
        let divide = match cursor.peek() {
            Some(TokenTree::Punct(p)) if p.as_char() == '*' => false,
            Some(TokenTree::Punct(p)) if p.as_char() == '/' => true,
            _ => return Ok(flat(factors, Kind::Product)),
        };
        cursor.next();
        if !divide && cursor.at_punct('*') {
            let start = cursor.last();
            cursor.next();
            return Err(Error::new(start.to(cursor.last()), "powers are written with `^`"));
        }
        factors.push((divide, factor(cursor, depth)?));
    }
}

fn flat(mut operands: Vec<(bool, Ast)>, kind: fn(Vec<(bool, Ast)>) -> Kind) -> Ast {
    if operands.len() == 1 {
        return operands.remove(0).1;
    }
    let at = operands[0].1.at.to(operands[operands.len() - 1].1.at);
    Ast { kind: kind(operands), at }
}

fn factor(cursor: &mut Cursor<'_>, depth: usize) -> Result<Ast, Error> {
    if !cursor.at_punct('-') {
        return power(cursor, depth);
    }
    cursor.next();
    let sign = cursor.last();
    let operand = factor(cursor, nested(depth, sign)?)?;
    Ok(Ast { at: sign.to(operand.at), kind: Kind::Neg(Box::new(operand)) })
}

fn power(cursor: &mut Cursor<'_>, depth: usize) -> Result<Ast, Error> {
    let base = atom(cursor, depth)?;
    if !cursor.at_punct('^') {
        return Ok(base);
    }
    cursor.next();
    let exponent = factor(cursor, nested(depth, cursor.last())?)?;
    Ok(Ast { at: base.at.to(exponent.at), kind: Kind::Power(Box::new(base), Box::new(exponent)) })
}

fn atom(cursor: &mut Cursor<'_>, depth: usize) -> Result<Ast, Error> {
    match cursor.peek() {
        Some(TokenTree::Literal(literal)) => {
            cursor.next();
            number_literal(&literal.to_string(), cursor.last())
        }
        Some(TokenTree::Group(group))
            if matches!(group.delimiter(), Delimiter::Parenthesis | Delimiter::None) =>
        {
            cursor.next();
            let at = cursor.last();
            let inner = only_expression(group, at, nested(depth, at)?)?;
            Ok(Ast { kind: Kind::Paren(Box::new(inner)), at })
        }
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket => {
            cursor.next();
            let at = cursor.last();
            let components = list(group, nested(depth, at)?)?;
            if components.len() != 3 {
                let verb = if components.len() == 1 { "is" } else { "are" };
                let message = format!("a vector has three components, but {} {verb} given", components.len());
                return Err(Error::new(at, message).help("vectors are written `[a, b, c]`"));
            }
            Ok(Ast { kind: Kind::Vector(components), at })
        }
        Some(TokenTree::Ident(ident)) => {
            cursor.next();
            let text = ident.unraw().to_string();
            if ident == "self" {
                return Err(Error::new(
                    cursor.last(),
                    "parameters are written by name alone, without `self`",
                ));
            }
            if text == "if" && *ident == text {
                let at = cursor.last();
                let Some(group) = cursor.eat_group(Delimiter::Parenthesis) else {
                    return Err(Error::new(at, "`if` needs its arguments in parentheses")
                        .help("choices are written `if(x < y, a, b)`"));
                };
                let at = at.to(cursor.last());
                return Ok(Ast { kind: choice(group, at, nested(depth, at)?)?, at });
            }
            named(Name { text, at: cursor.last() }, cursor, depth)
        }
        _ => Err(cursor.unexpected("an expression")),
    }
}

/// Literal tokens made by other macros may be negative.
fn number_literal(text: &str, at: Extent) -> Result<Ast, Error> {
    match text.strip_prefix('-') {
        Some(magnitude) => {
            let operand = number_literal(magnitude, at)?;
            let negative = Ast { kind: Kind::Neg(Box::new(operand)), at };
            Ok(Ast { kind: Kind::Paren(Box::new(negative)), at })
        }
        None => Ok(Ast { kind: Kind::Number { value: number::parse(text, at)?, text: text.to_owned() }, at }),
    }
}

/// A name, an indexed name or a call.
fn named(name: Name, cursor: &mut Cursor<'_>, depth: usize) -> Result<Ast, Error> {
    if let Some(group) = cursor.eat_group(Delimiter::Parenthesis) {
        let at = name.at.to(cursor.last());
        let depth = nested(depth, name.at)?;
        let kind = if name.text == "sum" {
            summation(group, cursor.last(), depth)?
        } else {
            Kind::Call(name, list(group, depth)?)
        };
        return Ok(Ast { kind, at });
    }
    let indices = indices_within(cursor, name.at, depth)?;
    if indices.is_empty() {
        return Ok(Ast { at: name.at, kind: Kind::Name(name.text) });
    }
    Ok(Ast { at: name.at.to(cursor.last()), kind: Kind::Indexed(name, indices) })
}

/// The indices behind a name.
pub(crate) fn indices(cursor: &mut Cursor<'_>, name: Extent) -> Result<Vec<Ast>, Error> {
    indices_within(cursor, name, 0)
}

fn indices_within(cursor: &mut Cursor<'_>, name: Extent, depth: usize) -> Result<Vec<Ast>, Error> {
    let mut indices = Vec::new();
    while let Some(group) = cursor.eat_group(Delimiter::Bracket) {
        indices.push(only_expression(group, cursor.last(), nested(depth, name)?)?);
    }
    Ok(indices)
}

/// The contents of a group that holds one expression.
fn only_expression(group: &Group, at: Extent, depth: usize) -> Result<Ast, Error> {
    let tokens = token_trees(group.stream());
    let mut cursor = Cursor::new(&tokens, at);
    if cursor.is_empty() {
        return Err(Error::new(at, "expected an expression in here"));
    }
    let inner = sum(&mut cursor, depth)?;
    if !cursor.is_empty() {
        return Err(after_expression(&cursor));
    }
    Ok(inner)
}

/// The expressions between commas.
fn list(group: &Group, depth: usize) -> Result<Vec<Ast>, Error> {
    let tokens = token_trees(group.stream());
    let enclosing = Extent { first: group.span_open(), last: group.span_close() };
    let (parts, commas) = Cursor::new(&tokens, enclosing).split_at_commas();
    if let Some(error) = commas.into_iter().next() {
        return Err(error);
    }
    let mut arguments = Vec::new();
    for mut part in parts {
        arguments.push(sum(&mut part, depth)?);
        if !part.is_empty() {
            return Err(after_expression(&part));
        }
    }
    Ok(arguments)
}

/// `sum(i in 0..3, body)`.
fn summation(group: &Group, at: Extent, depth: usize) -> Result<Kind, Error> {
    const FORM: &str = "sums are written `sum(i in 0..3, ...)`";
    let tokens = token_trees(group.stream());
    let mut cursor = Cursor::new(&tokens, at);
    if cursor.is_empty() {
        return Err(Error::new(at, "expected a loop variable in here").help(FORM));
    }
    let range = range(&mut cursor, depth, FORM)?;
    if !cursor.eat(',') {
        return Err(cursor.unexpected("`,`").help(FORM));
    }
    let body = sum(&mut cursor, depth)?;
    cursor.eat(',');
    if !cursor.is_empty() {
        return Err(after_expression(&cursor));
    }
    Ok(Kind::Loop(range, Box::new(body)))
}

/// `i in 0..3`; `form` is the help of errors.
pub(crate) fn range(cursor: &mut Cursor<'_>, depth: usize, form: &str) -> Result<Range, Error> {
    let variable = cursor.name("a loop variable").map_err(|e| e.help(form))?;
    match cursor.peek() {
        Some(TokenTree::Ident(ident)) if ident == "in" => cursor.next(),
        _ => return Err(cursor.unexpected("`in`").help(form)),
    };
    let from = sum(cursor, depth)?;
    for _ in 0..2 {
        if !cursor.eat('.') {
            return Err(cursor.unexpected("`..`").help(form));
        }
    }
    if cursor.at_punct('=') {
        return Err(cursor
            .unexpected("the end of the range, which is not included")
            .help("write `0..3` for 0, 1, 2"));
    }
    let to = sum(cursor, depth)?;
    Ok(Range { variable, from: Box::new(from), to: Box::new(to) })
}
