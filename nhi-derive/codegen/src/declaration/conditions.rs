//! Conditions and the choices that they make.
//!
//! ```text
//! choice    = "if" "(" condition "," sum "," sum ")"
//! condition = all { "||" all }
//! all       = not { "&&" not }
//! not       = "!" not | "(" condition ")" | sum relation sum
//! relation  = "<" | "<=" | ">" | ">=" | "==" | "!="
//! ```
//!
//! A choice is made of [`Kind::Choice`]s, each by the sign of one expression.

use super::ast::{Ast, Kind};
use super::cursor::{Cursor, token_trees};
use super::error::{Error, Extent};
use super::grammar::{after_expression, nested, sum};
use proc_macro2::{Delimiter, Group, Spacing, TokenTree};

const FORM: &str = "choices are written `if(x < y, a, b)`, with `< <= > >= == != && || !` in the condition";

/// A condition, as written.
enum Condition {
    Compare(Relation, Box<[Ast; 2]>),
    Not(Box<Condition>),
    All(Vec<Condition>),
    Any(Vec<Condition>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
}

/// What stands in the parentheses behind `if`.
pub(crate) fn choice(group: &Group, at: Extent, depth: usize) -> Result<Kind, Error> {
    let tokens = token_trees(group.stream());
    let enclosing = Extent { first: group.span_open(), last: group.span_close() };
    let (parts, commas) = Cursor::new(&tokens, enclosing).split_at_commas();
    if let Some(error) = commas.into_iter().next() {
        return Err(error);
    }
    let [of, positive, negative] = parts[..] else {
        let verb = if parts.len() == 1 { "is" } else { "are" };
        let message = format!("`if` takes a condition and two values, but {} {verb} given", parts.len());
        return Err(Error::new(at, message).help(FORM));
    };
    let of = condition(of, depth)?;
    let value = |mut part: Cursor<'_>| {
        let value = sum(&mut part, depth)?;
        if part.is_empty() { Ok(value) } else { Err(after_expression(&part)) }
    };
    Ok(of.choose(at, value(positive)?, value(negative)?).kind)
}

fn condition(cursor: Cursor<'_>, depth: usize) -> Result<Condition, Error> {
    let any =
        split(cursor, '|', depth, |part, depth| Ok(joined(split(part, '&', depth, not)?, Condition::All)))?;
    Ok(joined(any, Condition::Any))
}

fn joined(mut parts: Vec<Condition>, join: fn(Vec<Condition>) -> Condition) -> Condition {
    if parts.len() == 1 { parts.remove(0) } else { join(parts) }
}

/// The conditions between two of the same signs, `||` or `&&`.
fn split(
    mut cursor: Cursor<'_>,
    sign: char,
    depth: usize,
    read: impl Fn(Cursor<'_>, usize) -> Result<Condition, Error>,
) -> Result<Vec<Condition>, Error> {
    let mut parts = Vec::new();
    loop {
        let part = cursor.take_until(|first, second| is_pair(first, second, sign));
        parts.push(read(part, depth)?);
        if cursor.is_empty() {
            return Ok(parts);
        }
        cursor.next();
        cursor.next();
    }
}

/// Whether two tokens are the sign twice, without a space in between.
fn is_pair(first: &TokenTree, second: Option<&TokenTree>, sign: char) -> bool {
    let (TokenTree::Punct(first), Some(TokenTree::Punct(second))) = (first, second) else { return false };
    first.as_char() == sign && second.as_char() == sign && first.spacing() == Spacing::Joint
}

fn not(mut cursor: Cursor<'_>, depth: usize) -> Result<Condition, Error> {
    if cursor.at_punct('!') {
        cursor.next();
        let depth = nested(depth, cursor.last())?;
        return Ok(Condition::Not(Box::new(not(cursor, depth)?)));
    }
    if let (Some(TokenTree::Group(group)), None) = (cursor.peek(), cursor.peek_second())
        && group.delimiter() == Delimiter::Parenthesis
    {
        let tokens = token_trees(group.stream());
        let enclosing = Extent { first: group.span_open(), last: group.span_close() };
        return condition(Cursor::new(&tokens, enclosing), nested(depth, enclosing)?);
    }
    let left = sum(&mut cursor, depth)?;
    let relation = relation(&mut cursor)?;
    let right = sum(&mut cursor, depth)?;
    if cursor.is_empty() {
        return Ok(Condition::Compare(relation, Box::new([left, right])));
    }
    match self::relation(&mut cursor) {
        Ok(_) => Err(Error::new(cursor.last(), "comparisons cannot be chained")
            .help("write `0 < x && x < 1` for a number between two others")),
        Err(_) => Err(after_expression(&cursor)),
    }
}

fn relation(cursor: &mut Cursor<'_>) -> Result<Relation, Error> {
    let is_followed_by_equals = |first: &TokenTree, second: Option<&TokenTree>| {
        matches!((first, second), (TokenTree::Punct(p), Some(TokenTree::Punct(q)))
            if p.spacing() == Spacing::Joint && q.as_char() == '=')
    };
    let Some(first @ TokenTree::Punct(sign)) = cursor.peek() else {
        return Err(cursor.unexpected("a comparison such as `<`").help(FORM));
    };
    let with_equals = is_followed_by_equals(first, cursor.peek_second());
    let relation = match (sign.as_char(), with_equals) {
        ('<', false) => Relation::Less,
        ('<', true) => Relation::LessOrEqual,
        ('>', false) => Relation::Greater,
        ('>', true) => Relation::GreaterOrEqual,
        ('=', true) => Relation::Equal,
        ('!', true) => Relation::NotEqual,
        ('=', false) => {
            cursor.next();
            return Err(Error::new(cursor.last(), "two numbers are compared by `==`").help(FORM));
        }
        _ => return Err(cursor.unexpected("a comparison such as `<`").help(FORM)),
    };
    cursor.next();
    if with_equals {
        cursor.next();
    }
    Ok(relation)
}

impl Condition {
    /// `positive` where it holds, otherwise `negative`.
    fn choose(&self, at: Extent, positive: Ast, negative: Ast) -> Ast {
        match self {
            Condition::Not(inner) => inner.choose(at, negative, positive),
            Condition::All(parts) => {
                let inner = |value, part: &Condition| part.choose(at, value, negative.clone());
                parts.iter().rev().fold(positive, inner)
            }
            Condition::Any(parts) => {
                let inner = |value, part: &Condition| part.choose(at, positive.clone(), value);
                parts.iter().rev().fold(negative, inner)
            }
            Condition::Compare(relation, sides) => {
                let [left, right] = &**sides;
                let sign_of = |a: &Ast, b: &Ast, positive: Ast, negative: Ast| {
                    let terms = vec![(false, a.clone()), (true, in_parentheses(b))];
                    let difference = Ast { kind: Kind::Sum(terms), at: left.at.to(right.at) };
                    Ast { kind: Kind::Choice(Box::new([difference, positive, negative])), at }
                };
                match relation {
                    Relation::GreaterOrEqual => sign_of(left, right, positive, negative),
                    Relation::Less => sign_of(left, right, negative, positive),
                    Relation::LessOrEqual => sign_of(right, left, positive, negative),
                    Relation::Greater => sign_of(right, left, negative, positive),
                    Relation::Equal => {
                        let equal = sign_of(right, left, positive, negative.clone());
                        sign_of(left, right, equal, negative)
                    }
                    Relation::NotEqual => {
                        let equal = sign_of(right, left, negative, positive.clone());
                        sign_of(left, right, equal, positive)
                    }
                }
            }
        }
    }
}

/// The subtrahend of a difference.
fn in_parentheses(ast: &Ast) -> Ast {
    match ast.kind {
        Kind::Sum(_) | Kind::Neg(_) => Ast { kind: Kind::Paren(Box::new(ast.clone())), at: ast.at },
        _ => ast.clone(),
    }
}
