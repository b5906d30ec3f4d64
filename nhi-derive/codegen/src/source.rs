//! The declarations in the text of a source file.

use crate::declaration::{Error, Extent, Rejected, shallow};
use nhi_methods::Method;
use proc_macro2::{Delimiter, LexError, Span, TokenStream, TokenTree};
use std::fmt;

/// Why a source file could not be expanded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExpandError {
    /// The file, or a struct in it, is not Rust: line, column and what was expected.
    Syntax(String),
    /// No struct derives `Nonholonomic`, or none of the wanted name; the names of those that do.
    NoStruct {
        /// The name asked for.
        wanted: Option<String>,
        /// The existing names.
        found: Vec<String>,
    },
    /// Several structs where one is needed; their names.
    Several(Vec<String>),
    /// Unknown method; the ids of the known ones.
    NoMethod(String),
    /// The declaration has errors, one line or more each.
    Declaration(Vec<String>),
}

impl fmt::Display for ExpandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExpandError::Syntax(message) => f.write_str(message),
            ExpandError::NoStruct { wanted: None, .. } => {
                f.write_str("no struct here derives `Nonholonomic`")
            }
            ExpandError::NoStruct { wanted: Some(name), found } => {
                write!(f, "no struct `{name}` here derives `Nonholonomic`")?;
                if found.is_empty() { Ok(()) } else { write!(f, ", only {}", quoted(found)) }
            }
            ExpandError::Several(names) => {
                write!(f, "several structs here derive `Nonholonomic`; choose one of {}", quoted(names))
            }
            ExpandError::NoMethod(name) => {
                let ids: Vec<String> =
                    Method::ALL.iter().map(|method| method.facts().id.to_owned()).collect();
                write!(f, "unknown method `{name}`, expected one of {}", quoted(&ids))
            }
            ExpandError::Declaration(errors) => f.write_str(&errors.join("\n")),
        }
    }
}

impl std::error::Error for ExpandError {}

impl From<Box<Rejected>> for ExpandError {
    fn from(rejected: Box<Rejected>) -> Self {
        ExpandError::Declaration(rejected.errors.iter().map(ToString::to_string).collect())
    }
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
}

/// The structs in `source` that derive `Nonholonomic`, in order, also those in modules and functions. The rest of the file
/// is not read as syntax: it may be unfinished, and nested as deeply as it likes.
///
/// # Errors
/// [`ExpandError::Syntax`] for text that is not made of Rust's tokens, and for a struct that is malformed.
pub fn structs(source: &str) -> Result<Vec<syn::DeriveInput>, ExpandError> {
    let tokens = tokens(source).map_err(|e| ExpandError::Syntax(e.to_string()))?;
    let mut structs = Vec::new();
    // The items of a group come where the group stands.
    let mut open: Vec<Vec<TokenTree>> = vec![reversed(tokens)];
    while let Some(rest) = open.last_mut() {
        let Some(item) = next_item(rest) else {
            open.pop();
            continue;
        };
        match item {
            Item::Struct(tokens) => {
                if let Some(at) = too_deep(&tokens) {
                    return Err(syntax(
                        at,
                        &format_args!("brackets are nested more than {MAX_NESTING} deep"),
                    ));
                }
                let shallow = shallow(tokens).map_err(|e| ExpandError::Syntax(e.to_string()))?;
                structs.push(syn::parse2(shallow).map_err(|e| syntax(e.span(), &e))?);
            }
            Item::Items(items) => open.push(reversed(items)),
            Item::Other => {}
        }
    }
    Ok(structs)
}

/// The tokens of a text.
///
/// # Errors
/// A bracket without its counterpart, or a character that is no part of a token. Its place has no length.
pub fn tokens(text: &str) -> Result<TokenStream, Error> {
    text.parse().map_err(|error: LexError| unreadable(text, error.span()))
}

/// The error about the character at which the lexer gave up.
fn unreadable(text: &str, at: Span) -> Error {
    let error = |message: String| Error::new(Extent::from(at), message);
    let Some(byte) = byte_of(text, at) else { return error("the text ends too early".to_owned()) };
    let closing = |open: char| match open {
        '(' => ')',
        '[' => ']',
        _ => '}',
    };
    match text[byte..].chars().next() {
        None => error("the text ends too early".to_owned()),
        Some(open @ ('(' | '[' | '{')) => {
            error(format!("this `{open}` is not closed: `{}` is missing", closing(open)))
        }
        Some(close @ (')' | ']' | '}')) => {
            // The text before it is complete, or ends inside a bracket, to which the lexer points.
            let open = text[..byte].parse::<TokenStream>().err().map(|e| e.span());
            match open.and_then(|open| Some((open, text[byte_of(text, open)?..].chars().next()?))) {
                Some((place, open)) => error(format!("expected `{}`, found `{close}`", closing(open)))
                    .second(Extent::from(place), format!("this `{open}` is open")),
                None => error(format!("this `{close}` closes nothing")),
            }
        }
        Some('\'') => error("formulas have no primes".to_owned()).help("the velocity of `x` is `dot(x)`"),
        Some('"') => error("this text in quotes does not end".to_owned()),
        Some('/') => error("this comment does not end".to_owned()),
        Some(other) => {
            let error = error(format!("`{other}` is no character of a formula"));
            match other {
                '²' => error.help("write `^2`"),
                '³' => error.help("write `^3`"),
                '×' | '⋅' => error.help("products are written with `*`"),
                '−' | '–' => error.help("the minus sign is `-`"),
                _ => error,
            }
        }
    }
}

/// The byte of a text at which a span of its tokens begins.
fn byte_of(text: &str, at: Span) -> Option<usize> {
    let at = at.start();
    let start: usize = text.split_inclusive('\n').take(at.line.checked_sub(1)?).map(str::len).sum();
    let rest = text.get(start..)?;
    Some(start + rest.char_indices().nth(at.column).map_or(rest.len(), |(byte, _)| byte))
}

/// Deepest nesting of brackets in a struct: printing and parsing tokens takes stack for each.
pub const MAX_NESTING: usize = 400;

/// A bracket that is nested too deeply.
pub fn too_deep(tokens: &TokenStream) -> Option<Span> {
    let mut open = vec![(tokens.clone(), 0)];
    while let Some((tokens, depth)) = open.pop() {
        for token in tokens {
            let TokenTree::Group(group) = token else { continue };
            if depth == MAX_NESTING {
                return Some(group.span_open());
            }
            open.push((group.stream(), depth + 1));
        }
    }
    None
}

fn syntax(at: Span, message: &dyn fmt::Display) -> ExpandError {
    let at = at.start();
    ExpandError::Syntax(format!("{}:{}: {message}", at.line, at.column + 1))
}

/// The tokens from last to first: the next one is popped.
fn reversed(tokens: TokenStream) -> Vec<TokenTree> {
    let mut tokens: Vec<TokenTree> = tokens.into_iter().collect();
    tokens.reverse();
    tokens
}

/// What stands at some place of a file.
enum Item {
    /// A struct that derives `Nonholonomic`.
    Struct(TokenStream),
    /// Braces with items in them, perhaps.
    Items(TokenStream),
    /// A token, or a struct without the derive.
    Other,
}

/// The next thing of `rest`, whose tokens are reversed; none at its end.
fn next_item(rest: &mut Vec<TokenTree>) -> Option<Item> {
    let mut item: Vec<TokenTree> = Vec::new();
    let mut is_derived = false;
    // Attributes and visibility.
    while let [.., body, first] = rest.as_slice() {
        match (first, body) {
            (TokenTree::Punct(p), TokenTree::Group(body)) if p.as_char() == '#' => {
                is_derived |= derives(body.stream());
                item.extend([rest.pop()?, rest.pop()?]);
            }
            (TokenTree::Ident(word), _) if word == "pub" => item.push(rest.pop()?),
            (TokenTree::Group(g), _) if g.delimiter() == Delimiter::Parenthesis && !item.is_empty() => {
                item.push(rest.pop()?);
            }
            _ => break,
        }
    }
    let next = rest.pop()?;
    match &next {
        TokenTree::Ident(word) if word == "struct" => item.push(next),
        // What is given to a macro is not made of items.
        TokenTree::Ident(_) => {
            let given = match rest.as_slice() {
                [.., TokenTree::Group(_), TokenTree::Punct(p)] if p.as_char() == '!' => 2,
                [.., TokenTree::Group(_), TokenTree::Ident(_), TokenTree::Punct(p)] if p.as_char() == '!' => {
                    3
                }
                _ => 0,
            };
            rest.truncate(rest.len() - given);
            return Some(Item::Other);
        }
        TokenTree::Group(body) if body.delimiter() == Delimiter::Brace => {
            return Some(Item::Items(body.stream()));
        }
        _ => return Some(Item::Other),
    }
    // Up to the braces of its fields, which are no default value of a parameter, or a semicolon.
    while let Some(token) = rest.pop() {
        let is_value = matches!(item.last(), Some(TokenTree::Punct(p)) if p.as_char() == '=');
        let is_last = match &token {
            TokenTree::Group(body) => body.delimiter() == Delimiter::Brace && !is_value,
            TokenTree::Punct(p) => p.as_char() == ';',
            _ => false,
        };
        item.push(token);
        if is_last {
            break;
        }
    }
    Some(if is_derived { Item::Struct(item.into_iter().collect()) } else { Item::Other })
}

/// Whether this is the inside of an attribute `derive(..., Nonholonomic, ...)`.
fn derives(attribute: TokenStream) -> bool {
    let tokens: Vec<TokenTree> = attribute.into_iter().collect();
    let [TokenTree::Ident(name), TokenTree::Group(paths)] = tokens.as_slice() else { return false };
    let paths: Vec<TokenTree> = paths.stream().into_iter().collect();
    let ends = |i: usize| match paths.get(i + 1) {
        Some(TokenTree::Punct(p)) => p.as_char() == ',',
        next => next.is_none(),
    };
    let mut all = paths.iter().enumerate();
    name == "derive" && all.any(|(i, t)| matches!(t, TokenTree::Ident(t) if t == "Nonholonomic") && ends(i))
}
