//! Makes any text safe for a terminal or a Markdown report.

/// Returns text without control characters (but newline and tab), escapes, bidi controls and tag characters.
pub fn terminal(_text: &str) -> String {
    todo!("helper text")
}

/// Returns one line of at most `max` characters, sanitized, with an ellipsis where it was cut.
pub fn line(_text: &str, _max: usize) -> String {
    todo!("helper text")
}

/// Returns text for a place inside Markdown: no HTML, image, link, table pipe or heading can come of it.
pub fn markdown(_text: &str) -> String {
    todo!("helper text")
}

/// Returns text as a Markdown code block whose fence is longer than any run inside.
pub fn markdown_code(_text: &str) -> String {
    todo!("helper text")
}
