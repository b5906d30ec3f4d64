//! Items whose fields are read as tokens before they are read as syntax.
//!
//! The parser of types recurses, and a stack is finite: unoptimised, the parser fills two megabytes where a type is nested
//! sixty levels deep, although rustc itself accepts thousands. The type of a parameter is short, and that of any other field is
//! nobody's concern here. So a type that is long is replaced by `()`, which is no type of a parameter either.

use super::error::{Error, Extent};
use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};

/// Most tokens, those in groups included, of the type of a field that is read as syntax.
const MAX_TYPE: usize = 24;
/// Most tokens of generics that open something: groups and signs.
const MAX_GENERICS: usize = 40;

/// The item with long types of fields replaced.
///
/// # Errors
/// Generics that are too long to be read.
pub(crate) fn shallow(item: TokenStream) -> Result<TokenStream, Error> {
    let mut tokens: Vec<TokenTree> = item.into_iter().collect();
    let keyword = tokens
        .iter()
        .position(|t| matches!(t, TokenTree::Ident(i) if i == "struct" || i == "enum" || i == "union"));
    let Some(keyword) = keyword else { return Ok(tokens.into_iter().collect()) };
    let is_struct = matches!(&tokens[keyword], TokenTree::Ident(i) if i == "struct");
    for i in keyword..tokens.len() {
        let TokenTree::Group(body) = &tokens[i] else { continue };
        let fields = match body.delimiter() {
            Delimiter::Brace if is_struct => fields(body.stream()),
            // There is an error about the item as a whole.
            Delimiter::Brace | Delimiter::Parenthesis if tokens.len() - i <= 2 => TokenStream::new(),
            _ => continue,
        };
        let fields = with_contents(body, fields);
        let opening = |token: &TokenTree| match token {
            TokenTree::Group(_) => true,
            TokenTree::Punct(p) => matches!(p.as_char(), '<' | '&' | '*' | '-'),
            TokenTree::Ident(_) | TokenTree::Literal(_) => false,
        };
        if length(&tokens[keyword..i], MAX_GENERICS, opening) > MAX_GENERICS {
            let at = Extent::of(&tokens[keyword + 1]);
            return Err(Error::new(at, "the generics of this item are too long to be read"));
        }
        tokens[i] = fields;
    }
    Ok(tokens.into_iter().collect())
}

fn with_contents(group: &Group, contents: TokenStream) -> TokenTree {
    let mut new = Group::new(group.delimiter(), contents);
    new.set_span(group.span());
    new.into()
}

/// Number of tokens at any depth that count, as far as it is at most `most`.
fn length(tokens: &[TokenTree], most: usize, counts: impl Fn(&TokenTree) -> bool) -> usize {
    let mut open: Vec<TokenTree> = tokens.to_vec();
    let mut count = 0;
    while let Some(token) = open.pop() {
        count += usize::from(counts(&token));
        if count > most {
            break;
        }
        if let TokenTree::Group(group) = token {
            open.extend(group.stream());
        }
    }
    count
}

fn is_punct(token: Option<&TokenTree>, c: char) -> bool {
    matches!(token, Some(TokenTree::Punct(p)) if p.as_char() == c)
}

/// Named fields: attributes, visibility, name, `:`, type.
fn fields(stream: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let mut result: Vec<TokenTree> = Vec::with_capacity(tokens.len());
    let mut i = 0;
    while i < tokens.len() {
        // Up to the colon: no attribute, visibility or name has one outside of a group.
        while i < tokens.len() && !is_punct(tokens.get(i), ':') {
            result.push(tokens[i].clone());
            i += 1;
        }
        result.extend(tokens.get(i).cloned());
        i += 1;
        let start = i.min(tokens.len());
        let mut angles = 0usize;
        while i < tokens.len() && !(angles == 0 && is_punct(tokens.get(i), ',')) {
            if is_punct(tokens.get(i), '<') {
                angles += 1;
            } else if is_punct(tokens.get(i), '>') && !is_arrow(tokens.get(i - 1)) {
                angles = angles.saturating_sub(1);
            }
            i += 1;
        }
        result.extend(short(&tokens[start..i.min(tokens.len())]));
        result.extend(tokens.get(i).cloned());
        i += 1;
    }
    result.into_iter().collect()
}

/// Whether this is the `-` of `->`.
fn is_arrow(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Punct(p)) if p.as_char() == '-' && p.spacing() == Spacing::Joint)
}

/// A type, without parentheses around it if it is long, or `()`.
fn short(ty: &[TokenTree]) -> Vec<TokenTree> {
    let mut inner = ty.to_vec();
    while length(&inner, MAX_TYPE, |_| true) > MAX_TYPE {
        inner = match &inner[..] {
            [TokenTree::Group(group)] if group.delimiter() != Delimiter::Bracket => {
                group.stream().into_iter().collect()
            }
            _ => {
                let mut unit = Group::new(Delimiter::Parenthesis, TokenStream::new());
                unit.set_span(ty[0].span());
                return vec![unit.into()];
            }
        };
    }
    inner
}
