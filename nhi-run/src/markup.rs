//! Text in HTML and SVG.

/// `text` with the characters that have a meaning in markup and in quoted attributes written as entities.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn markup_in_text_is_escaped() {
        let text = r#"a<b & "c" > 'd'</script>"#;
        assert_eq!(escaped(text), "a&lt;b &amp; &quot;c&quot; &gt; &#39;d&#39;&lt;/script&gt;");
        assert_eq!(escaped("θ′ − 1"), "θ′ − 1");
    }
}
