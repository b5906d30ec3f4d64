//! Declarations that are composed from the arguments of `nhi.System`.

use nhi_codegen::source::tokens;
use nhi_run::{DeclarationError, Mistake, Place};
use std::ops::Range;

/// A piece of a declaration: the text of an argument with what errors call it, or, without a name, what stands between.
pub(crate) type Piece = (Option<String>, String);

/// The text of a declaration, which knows where its pieces come from.
pub(crate) struct Composed<'a> {
    pub(crate) text: String,
    pieces: &'a [Piece],
}

impl<'a> Composed<'a> {
    /// The pieces one after the other.
    pub(crate) fn new(pieces: &'a [Piece]) -> Composed<'a> {
        Composed { text: pieces.iter().map(|(_, text)| text.as_str()).collect(), pieces }
    }

    /// Refuses pieces that would change how the text around them is read: such as are not made of whole tokens with balanced
    /// brackets, and parameters that are no names.
    pub(crate) fn check(&self) -> Result<(), DeclarationError> {
        let wrong = |name: &str, text: &str, message: &str| Mistake {
            message: message.to_owned(),
            help: None,
            place: Some(Place { file: name.to_owned(), text: text.to_owned(), range: 0..text.len() }),
            second: None,
        };
        let mistakes = self.pieces.iter().filter_map(|(name, text)| {
            let name = name.as_ref()?;
            if name.starts_with("parameters") && syn::parse_str::<syn::Ident>(text).is_err() {
                return Some(wrong(name, text, "expected a name that Rust allows too"));
            }
            match tokens(text) {
                Ok(tokens) if tokens.is_empty() => Some(wrong(name, text, "the text is empty")),
                Ok(_) => None,
                Err(error) => Some(Mistake::in_text(&error, name, text)),
            }
        });
        let mistakes: Vec<_> = mistakes.collect();
        if mistakes.is_empty() { Ok(()) } else { Err(DeclarationError { mistakes }) }
    }

    /// The same mistakes with places in the texts of arguments.
    pub(crate) fn in_arguments(&self, mut error: DeclarationError) -> DeclarationError {
        for mistake in &mut error.mistakes {
            // A parameter is no field that Rust's attributes could mark.
            if mistake.help.as_ref().is_some_and(|help| help.contains("#[nonholonomic(skip)]")) {
                mistake.help = Some("rename the parameter".to_owned());
            }
            let second = mistake.second.as_mut().map(|(place, _)| place);
            for place in mistake.place.iter_mut().chain(second) {
                if let Some(inner) = self.argument(&place.range) {
                    *place = inner;
                }
            }
        }
        error
    }

    /// The place in the argument that a range of the whole text begins in.
    fn argument(&self, range: &Range<usize>) -> Option<Place> {
        let mut start = 0;
        for (name, text) in self.pieces {
            let end = start + text.len();
            if let Some(name) = name
                && (start..end).contains(&range.start)
            {
                let range = range.start - start..range.end.min(end) - start;
                return Some(Place { file: name.clone(), text: text.clone(), range });
            }
            start = end;
        }
        None
    }
}
