//! Tables in a document with other text: each is enclosed by two comments with its name.

use std::fmt;

/// A table in Markdown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// The name in the comments.
    pub name: &'static str,
    /// Its lines.
    pub text: String,
}

/// The document lacks the comments of the table of this name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoPlace(pub &'static str);

impl fmt::Display for NoPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [begin, end] = comments(self.0);
        write!(f, "no lines `{begin}` and `{end}`")
    }
}

impl std::error::Error for NoPlace {}

fn comments(name: &str) -> [String; 2] {
    [format!("<!-- begin {name} -->"), format!("<!-- end {name} -->")]
}

/// `document` with the text between the comments of each table replaced.
///
/// # Errors
/// If the comments of a table are missing.
pub fn with_tables(document: &str, tables: &[Table]) -> Result<String, NoPlace> {
    let mut document = document.to_owned();
    for Table { name, text } in tables {
        let [begin, end] = comments(name);
        let place = document.split_once(&begin).and_then(|(before, rest)| {
            let (_, after) = rest.split_once(&end)?;
            Some(format!("{before}{begin}\n\n{text}\n{end}{after}"))
        });
        document = place.ok_or(NoPlace(name))?;
    }
    Ok(document)
}

#[cfg(test)]
mod tests {
    use super::{NoPlace, Table, with_tables};

    #[test]
    fn replaces_what_stands_between_the_comments() {
        let table = |text: &str| Table { name: "steps", text: text.to_owned() };
        let document = "a\n<!-- begin steps -->\nold\n<!-- end steps -->\nb\n";
        let first = with_tables(document, &[table("| 1 |\n")]).unwrap();
        assert_eq!(first, "a\n<!-- begin steps -->\n\n| 1 |\n\n<!-- end steps -->\nb\n");
        let second = with_tables(&first, &[table("| 2 |\n")]).unwrap();
        assert_eq!(second, first.replace("| 1 |", "| 2 |"));
        assert_eq!(with_tables("a", &[table("")]), Err(NoPlace("steps")));
    }
}
