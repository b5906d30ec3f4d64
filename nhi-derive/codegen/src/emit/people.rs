//! What only people read: comments and formatting.

use proc_macro2::TokenStream;
use quote::quote;

/// Who the code is for.
pub(super) enum Mode {
    /// The compiler.
    Macro,
    /// People, with these comments so far.
    People(Vec<String>),
}

/// Stands for the comment of that number, since tokens hold no comments.
const MARK: &str = "__comment!(";

impl Mode {
    /// A comment in front of what follows.
    pub(super) fn comment(&mut self, text: &str) -> TokenStream {
        let Mode::People(comments) = self else { return TokenStream::new() };
        let number = comments.len();
        comments.push(text.to_owned());
        quote!(__comment!(#number);)
    }

    /// `tokens`, formatted, with the comments in their places and a blank line before each.
    pub(super) fn print(&self, tokens: TokenStream) -> String {
        let code = match syn::parse2::<syn::File>(tokens.clone()) {
            Ok(file) => prettyplease::unparse(&file),
            Err(e) => unreachable!("emitted code does not parse: {e}\n{tokens}"),
        };
        let comments: &[String] = if let Mode::People(comments) = self { comments } else { &[] };
        let mut out = String::with_capacity(code.len());
        for line in code.lines() {
            let text = line.trim_start();
            let number = text.strip_prefix(MARK).and_then(|t| t.split("usize").next()?.parse::<usize>().ok());
            let Some(comment) = number.and_then(|n| comments.get(n)) else {
                if starts_item(text) && out.lines().next_back().is_some_and(ends_item) {
                    out.push('\n');
                }
                out.push_str(line);
                out.push('\n');
                continue;
            };
            if !out.trim_end_matches(['\n', ' ']).ends_with('{') {
                out.push('\n');
            }
            let indent = &line[..line.len() - text.len()];
            for comment in comment.lines() {
                out.push_str(&format!("{indent}// {comment}\n"));
            }
        }
        out
    }
}

/// Whether this line begins an item.
fn starts_item(line: &str) -> bool {
    ["///", "#[", "pub ", "fn ", "impl ", "mod ", "type "].iter().any(|start| line.starts_with(start))
}

/// Whether this line ends an item that is worth a blank line after it.
fn ends_item(line: &str) -> bool {
    let line = line.trim_start();
    line == "}" || line == "};" || line.starts_with("use ")
}
