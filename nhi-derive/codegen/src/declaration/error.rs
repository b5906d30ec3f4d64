//! Errors on the user's tokens, collected until all are known.

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt;

/// From the first to the last token of what an error is about.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Span of the first token.
    pub first: Span,
    /// Span of the last token.
    pub last: Span,
}

impl Extent {
    /// From the beginning of `self` to the end of `other`.
    pub(crate) fn to(self, other: Extent) -> Extent {
        Extent { first: self.first, last: other.last }
    }

    /// The extent of one token; a group counts from its opening to its closing delimiter.
    pub(crate) fn of(token: &TokenTree) -> Extent {
        match token {
            TokenTree::Group(g) if g.delimiter() != Delimiter::None => {
                Extent { first: g.span_open(), last: g.span_close() }
            }
            _ => token.span().into(),
        }
    }

    /// The extent of all tokens of `spanned`, or of the macro call if there are none.
    pub(crate) fn of_all(spanned: &impl quote::ToTokens) -> Extent {
        let tokens: Vec<TokenTree> = spanned.to_token_stream().into_iter().collect();
        match (tokens.first(), tokens.last()) {
            (Some(first), Some(last)) => Extent::of(first).to(Extent::of(last)),
            _ => Span::call_site().into(),
        }
    }
}

impl From<Span> for Extent {
    fn from(span: Span) -> Extent {
        Extent { first: span, last: span }
    }
}

/// One mistake in a declaration: its span, a description and the remedy.
#[derive(Clone, Debug)]
pub struct Error {
    at: Extent,
    message: String,
    help: Option<String>,
    second: Option<(Extent, String)>,
}

impl Error {
    /// A mistake at `at`; the message is in lower case, without a full stop.
    pub fn new(at: impl Into<Extent>, message: impl Into<String>) -> Error {
        Error { at: at.into(), message: message.into(), help: None, second: None }
    }

    /// Adds a help line with the remedy.
    pub fn help(mut self, help: impl Into<String>) -> Error {
        self.help = Some(help.into());
        self
    }

    /// With a second place that has to do with it.
    pub(crate) fn second(mut self, at: Extent, message: impl Into<String>) -> Error {
        self.second = Some((at, message.into()));
        self
    }

    /// From its first token to its last.
    pub fn at(&self) -> Extent {
        self.at
    }

    /// The description, in lower case and without a full stop.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The remedy, if one is known.
    pub fn remedy(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// A second place that has to do with it, with what is there.
    pub fn second_place(&self) -> Option<(Extent, &str)> {
        self.second.as_ref().map(|(at, message)| (*at, message.as_str()))
    }

    /// `compile_error!` on the tokens in question, for the second place too.
    pub fn to_compile_error(&self) -> TokenStream {
        let text = match &self.help {
            Some(help) => format!("{}\n= help: {help}", self.message),
            None => self.message.clone(),
        };
        let mut tokens = compile_error(self.at, &text);
        if let Some((at, message)) = &self.second {
            tokens.extend(compile_error(*at, message));
        }
        tokens
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let start = self.at.first.start();
        write!(f, "{}:{}: {}", start.line, start.column + 1, self.message)?;
        match &self.help {
            Some(help) => write!(f, "\n= help: {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

/// `::core::compile_error! { "message" }`, underlined from `at.first` to `at.last`.
fn compile_error(at: Extent, message: &str) -> TokenStream {
    let punct = |c, spacing| {
        let mut p = Punct::new(c, spacing);
        p.set_span(at.first);
        TokenTree::Punct(p)
    };
    let ident = |name| TokenTree::Ident(Ident::new(name, at.first));
    let mut text = Literal::string(message);
    text.set_span(at.first);
    let mut body = Group::new(Delimiter::Brace, TokenTree::Literal(text).into());
    body.set_span(at.last);
    TokenStream::from_iter([
        punct(':', Spacing::Joint),
        punct(':', Spacing::Alone),
        ident("core"),
        punct(':', Spacing::Joint),
        punct(':', Spacing::Alone),
        ident("compile_error"),
        punct('!', Spacing::Alone),
        TokenTree::Group(body),
    ])
}

/// Most errors of one declaration that are reported; the others are counted.
const MAX_ERRORS: usize = 50;

/// Collects the errors of one declaration; it must be checked before it is dropped.
#[derive(Debug)]
pub(crate) struct Context {
    errors: RefCell<Option<Vec<Error>>>,
    /// How many there are beyond those, and where the first one is.
    others: Cell<Option<(Extent, usize)>>,
    /// Unknown names with the index of their error, and the number of further places where they stand.
    unknown: RefCell<HashMap<String, (usize, usize)>>,
}

/// Where it begins.
fn place(at: Extent) -> (usize, usize) {
    let start = at.first.start();
    (start.line, start.column)
}

impl Context {
    pub(crate) fn new() -> Context {
        Context {
            errors: RefCell::new(Some(Vec::new())),
            others: Cell::new(None),
            unknown: RefCell::new(HashMap::new()),
        }
    }

    pub(crate) fn push(&self, error: Error) {
        self.push_with(error.at, || error);
    }

    /// As `push`, for an error that takes time to word.
    pub(crate) fn push_with(&self, at: Extent, error: impl FnOnce() -> Error) {
        let mut errors = self.errors.borrow_mut();
        let errors = errors.as_mut().expect("errors are collected before they are checked");
        if errors.len() < MAX_ERRORS {
            errors.push(error());
        } else {
            let (first, count) = self.others.get().unwrap_or((at, 0));
            self.others.set(Some((first, count + 1)));
        }
    }

    /// As `push_with`, for an unknown name, or for one that is called and no function, which is one mistake wherever it stands.
    pub(crate) fn push_unknown(&self, name: &str, at: Extent, error: impl FnOnce() -> Error) {
        let mut unknown = self.unknown.borrow_mut();
        if let Some((index, further)) = unknown.get_mut(name) {
            *further += 1;
            let mut errors = self.errors.borrow_mut();
            let first = errors.as_mut().and_then(|errors| errors.get_mut(*index));
            if let Some(first) = first.filter(|first| place(at) < place(first.at)) {
                first.at = at;
            }
            return;
        }
        let index = self.errors.borrow().as_ref().map_or(0, Vec::len);
        if index < MAX_ERRORS {
            unknown.insert(name.to_owned(), (index, 0));
        }
        self.push_with(at, error);
    }

    /// The value of a fallible step; otherwise `None`, and the error is collected.
    pub(crate) fn keep<T>(&self, result: Result<T, Error>) -> Option<T> {
        result.map_err(|e| self.push(e)).ok()
    }

    /// The errors, in the order of the source; the number of those that are left out is the last one.
    pub(crate) fn check(self) -> Vec<Error> {
        let mut errors = self.errors.borrow_mut().take().unwrap_or_default();
        for &(index, further) in self.unknown.borrow().values().filter(|(_, further)| *further > 0) {
            let elsewhere = match further {
                1 => "it stands in another place, too".to_owned(),
                _ => format!("it stands in {further} other places, too"),
            };
            let help = &mut errors[index].help;
            *help = Some(help.take().map_or(elsewhere.clone(), |help| format!("{help}; {elsewhere}")));
        }
        errors.sort_by_key(|e| place(e.at));
        match self.others.get() {
            None => {}
            Some((at, 1)) => errors.push(Error::new(at, "there is one more error, from here on")),
            Some((at, count)) => {
                errors.push(Error::new(at, format!("there are {count} more errors, from here on")));
            }
        }
        errors
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if !std::thread::panicking() && self.errors.borrow().is_some() {
            panic!("the errors of a declaration were not checked");
        }
    }
}
