//! Errors of declarations, with their places, and of runs.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use nhi_codegen::declaration::{self, Extent};
use std::fmt;
use std::ops::Range;

/// All mistakes of a declaration, or the reason why there is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeclarationError {
    /// The mistakes in the order of the source, at least one.
    pub mistakes: Vec<Mistake>,
}

/// One mistake.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    /// A description, in lower case and without a full stop.
    pub message: String,
    /// The remedy, if one is known.
    pub help: Option<String>,
    /// Where it is; none for a mistake that concerns a file as a whole.
    pub place: Option<Place>,
    /// A second place that has to do with it, in the same text, with what is there.
    pub second: Option<(Place, String)>,
}

/// A piece of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The name of the text: a file, or an output.
    pub file: String,
    /// The whole text.
    pub text: String,
    /// The piece, in bytes.
    pub range: Range<usize>,
}

impl Place {
    /// Line and column of a byte, both from 1, the column in characters.
    fn position(&self, byte: usize) -> (usize, usize) {
        let before = &self.text[..byte];
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
    }

    /// Line of the first character, from 1.
    pub fn line(&self) -> usize {
        self.position(self.range.start).0
    }

    /// Column of the first character, from 1, in characters.
    pub fn column(&self) -> usize {
        self.position(self.range.start).1
    }

    /// Line and column behind the last character.
    pub fn end(&self) -> (usize, usize) {
        self.position(self.range.end)
    }

    /// The piece itself.
    pub fn token(&self) -> &str {
        &self.text[self.range.clone()]
    }

    /// The line that the piece begins in.
    pub fn source_line(&self) -> &str {
        self.text.lines().nth(self.line() - 1).unwrap_or_default()
    }

    fn new(text: &Text, at: Extent) -> Place {
        let byte = |line: usize, column: usize| {
            let start: usize =
                text.text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
            let rest = &text.text[start..];
            start + rest.char_indices().nth(column).map_or(rest.len(), |(byte, _)| byte)
        };
        let (start, end) = (at.first.start(), at.last.end());
        let start = byte(start.line, start.column);
        let mut range = start..byte(end.line, end.column).max(start);
        if range.is_empty() {
            // A character that is no token.
            range.end += text.text[start..].chars().next().map_or(0, char::len_utf8);
        }
        Place { file: text.name.clone(), text: text.text.clone(), range }
    }
}

/// A text that tokens come from.
pub(crate) struct Text {
    /// What errors call it.
    name: String,
    text: String,
    /// What the spans of its tokens call it.
    spans: String,
}

impl Text {
    pub(crate) fn new(name: &str, text: &str, spans: String) -> Text {
        Text { name: name.to_owned(), text: text.to_owned(), spans }
    }
}

impl Mistake {
    /// A mistake without a place.
    pub(crate) fn new(message: impl Into<String>) -> Mistake {
        Mistake { message: message.into(), help: None, place: None, second: None }
    }

    pub(crate) fn at(self, place: Place) -> Mistake {
        Mistake { place: Some(place), ..self }
    }

    /// A mistake in a text that errors call `name`.
    pub fn in_text(error: &declaration::Error, name: &str, text: &str) -> Mistake {
        Mistake::of(error, &[Text::new(name, text, String::new())])
    }

    /// A mistake in one of the texts, the first of which is that of the declaration.
    pub(crate) fn of(error: &declaration::Error, texts: &[Text]) -> Mistake {
        let place = |at: Extent| {
            let file = at.first.file();
            let text = texts.iter().find(|text| text.spans == file).unwrap_or(&texts[0]);
            Place::new(text, at)
        };
        Mistake {
            message: error.message().to_owned(),
            help: error.remedy().map(str::to_owned),
            place: Some(place(error.at())),
            second: error.second_place().map(|(at, message)| (place(at), message.to_owned())),
        }
    }

    fn report(&self) -> Group<'_> {
        let mut group = Group::with_title(Level::ERROR.primary_title(self.message.as_str()));
        if let Some(place) = &self.place {
            let snippet = |place: &Place| Snippet::source(place.text.clone()).path(place.file.clone());
            let mut first = snippet(place).annotation(AnnotationKind::Primary.span(place.range.clone()));
            let mut other = None;
            if let Some((second, label)) = &self.second {
                let label = AnnotationKind::Context.span(second.range.clone()).label(label.as_str());
                match second.file == place.file {
                    true => first = first.annotation(label),
                    false => other = Some(snippet(second).annotation(label)),
                }
            }
            group = group.element(first);
            if let Some(other) = other {
                group = group.element(other);
            }
        }
        match &self.help {
            Some(help) => group.element(Level::HELP.message(help.as_str())),
            None => group,
        }
    }
}

/// `file:line:column: message`, and the remedy on a line of its own.
impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{}:{}:{}: ", place.file, place.line(), place.column())?;
        }
        f.write_str(&self.message)?;
        self.help.as_ref().map_or(Ok(()), |help| write!(f, "\n= help: {help}"))
    }
}

impl DeclarationError {
    pub(crate) fn one(mistake: Mistake) -> DeclarationError {
        DeclarationError { mistakes: vec![mistake] }
    }

    /// The mistakes as rustc prints them: source lines, carets, help; in `colours` for terminals.
    pub fn render(&self, colours: bool) -> String {
        let renderer = if colours { Renderer::styled() } else { Renderer::plain() };
        let mistakes = self.mistakes.iter().map(|mistake| renderer.render(&[mistake.report()]));
        mistakes.collect::<Vec<_>>().join("\n\n")
    }
}

impl fmt::Display for DeclarationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mistakes: Vec<String> = self.mistakes.iter().map(Mistake::to_string).collect();
        f.write_str(&mistakes.join("\n"))
    }
}

impl std::error::Error for DeclarationError {}

/// Why a run could not begin, or a function of a system not be evaluated.
#[derive(Clone, PartialEq, Debug)]
pub enum Error {
    /// There is no such method, or it does not apply to the system.
    Method {
        /// What was asked for.
        id: String,
        /// The reason, and what is possible.
        reason: String,
    },
    /// An argument is impossible.
    Argument {
        /// The field of [`Run`](crate::Run).
        name: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// The declaration has mistakes.
    Declaration(DeclarationError),
    /// A plan was not found, or unknowns not identified: a step on the way cannot be taken, or the iteration does not converge.
    Unsolved(String),
    /// The step functions of a method could not be derived.
    Derivation(String),
    /// The compiler, the start of a method, or a function of the system.
    Jit(nhi_jit::Error),
    /// The same with what to do about it.
    Advised {
        /// What is wrong.
        error: nhi_jit::Error,
        /// What to do.
        advice: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Method { id, reason } => write!(f, "method `{id}`: {reason}"),
            Error::Argument { name, problem } => write!(f, "{name}: {problem}"),
            Error::Declaration(error) => error.fmt(f),
            Error::Derivation(message) | Error::Unsolved(message) => f.write_str(message),
            Error::Jit(error) => error.fmt(f),
            Error::Advised { error, advice } => write!(f, "{error}; {advice}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<DeclarationError> for Error {
    fn from(error: DeclarationError) -> Error {
        Error::Declaration(error)
    }
}

impl From<nhi_jit::Error> for Error {
    fn from(error: nhi_jit::Error) -> Error {
        Error::Jit(error)
    }
}

/// Whether there are as many numbers as expected.
pub(crate) fn sized(name: &'static str, numbers: &[f64], length: usize) -> Result<(), Error> {
    if numbers.len() == length {
        return Ok(());
    }
    let entries = if length == 1 { "number" } else { "numbers" };
    Err(Error::Argument { name, problem: format!("expected {length} {entries}, found {}", numbers.len()) })
}
