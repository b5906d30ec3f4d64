//! A position in a sequence of token trees.

use super::ast::Name;
use super::error::{Error, Extent};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::ext::IdentExt;

/// The token trees of a stream; invisible groups around a single one, as macros make them, are
/// removed.
pub(crate) fn token_trees(stream: TokenStream) -> Vec<TokenTree> {
    stream
        .into_iter()
        .map(|mut tree| {
            loop {
                let inner = match &tree {
                    TokenTree::Group(g) if g.delimiter() == Delimiter::None => g.stream(),
                    _ => return tree,
                };
                let mut inner = inner.into_iter();
                match (inner.next(), inner.next()) {
                    (Some(only), None) => tree = only,
                    _ => return tree,
                }
            }
        })
        .collect()
}

/// How a token is named in messages.
pub(crate) fn describe(token: &TokenTree) -> String {
    match token {
        TokenTree::Group(g) => match g.delimiter() {
            Delimiter::Parenthesis => "`(`".to_owned(),
            Delimiter::Bracket => "`[`".to_owned(),
            Delimiter::Brace => "`{`".to_owned(),
            Delimiter::None => "a macro's expression".to_owned(),
        },
        TokenTree::Literal(l) => {
            let text = l.to_string();
            if text.chars().count() > 40 { "a literal".to_owned() } else { format!("`{text}`") }
        }
        _ => format!("`{token}`"),
    }
}

/// The contents of one group, or of a whole list, read from left to right.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    tokens: &'a [TokenTree],
    /// The span of an error about the end: the last token read, or the enclosing one.
    last: Extent,
}

impl<'a> Cursor<'a> {
    /// `enclosing` is what an error about missing contents points at.
    pub(crate) fn new(tokens: &'a [TokenTree], enclosing: Extent) -> Cursor<'a> {
        Cursor { tokens, last: enclosing }
    }

    pub(crate) fn peek(&self) -> Option<&'a TokenTree> {
        self.tokens.first()
    }

    pub(crate) fn peek_second(&self) -> Option<&'a TokenTree> {
        self.tokens.get(1)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Extent of the last token read.
    pub(crate) fn last(&self) -> Extent {
        self.last
    }

    pub(crate) fn next(&mut self) -> Option<&'a TokenTree> {
        let (first, rest) = self.tokens.split_first()?;
        self.last = Extent::of(first);
        self.tokens = rest;
        Some(first)
    }

    pub(crate) fn at_punct(&self, c: char) -> bool {
        matches!(self.peek(), Some(TokenTree::Punct(p)) if p.as_char() == c)
    }

    /// Reads the tokens before the first one at which `ends` holds of it and of the token behind it.
    pub(crate) fn take_until(&mut self, ends: impl Fn(&TokenTree, Option<&TokenTree>) -> bool) -> Cursor<'a> {
        let is_end = |&i: &usize| ends(&self.tokens[i], self.tokens.get(i + 1));
        let end = (0..self.tokens.len()).find(is_end).unwrap_or(self.tokens.len());
        let (part, rest) = self.tokens.split_at(end);
        let taken = Cursor { tokens: part, last: self.last };
        if let Some(last) = part.last() {
            self.last = Extent::of(last);
        }
        self.tokens = rest;
        taken
    }

    /// Reads `c` if it comes next.
    pub(crate) fn eat(&mut self, c: char) -> bool {
        let found = self.at_punct(c);
        if found {
            self.next();
        }
        found
    }

    /// The group that comes next, if it is one with this delimiter.
    pub(crate) fn eat_group(&mut self, delimiter: Delimiter) -> Option<&'a Group> {
        match self.peek() {
            Some(TokenTree::Group(g)) if g.delimiter() == delimiter => {
                self.next();
                Some(g)
            }
            _ => None,
        }
    }

    /// An error about what comes next, or about the end.
    pub(crate) fn unexpected(&self, expected: &str) -> Error {
        match self.peek() {
            Some(token) => {
                let at = match token {
                    // The opening delimiter is enough.
                    TokenTree::Group(g) if g.delimiter() != Delimiter::None => g.span_open().into(),
                    _ => Extent::of(token),
                };
                Error::new(at, format!("expected {expected}, found {}", describe(token)))
            }
            None => Error::new(self.last, format!("expected {expected} after this")),
        }
    }

    /// Expects the end of the tokens.
    pub(crate) fn end(&self, expected: &str) -> Result<(), Error> {
        if self.is_empty() { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    /// A name; keywords and `_` are none.
    pub(crate) fn name(&mut self, what: &str) -> Result<Name, Error> {
        let Some(TokenTree::Ident(ident)) = self.peek() else { return Err(self.unexpected(what)) };
        let text = ident.to_string();
        if syn::parse_str::<syn::Ident>(&text).is_err() {
            let error = Error::new(ident.span(), format!("`{text}` is a keyword and cannot be a name"));
            let raw = format!("r#{text}");
            return Err(match syn::parse_str::<syn::Ident>(&raw) {
                Ok(_) => error.help(format!("write `{raw}`")),
                Err(_) => error,
            });
        }
        self.next();
        Ok(Name { text: ident.unraw().to_string(), at: self.last })
    }

    /// The parts between commas. A trailing comma is accepted; an empty part is an error.
    pub(crate) fn split_at_commas(self) -> (Vec<Cursor<'a>>, Vec<Error>) {
        let (mut parts, mut errors) = (Vec::new(), Vec::new());
        let mut rest = self;
        while !rest.is_empty() {
            let start = rest;
            let mut length = 0;
            while !rest.is_empty() && !rest.at_punct(',') {
                rest.next();
                length += 1;
            }
            if length == 0 {
                rest.next();
                errors.push(Error::new(rest.last, "unexpected `,`"));
                continue;
            }
            parts.push(Cursor { tokens: &start.tokens[..length], last: start.last });
            rest.eat(',');
        }
        (parts, errors)
    }
}
