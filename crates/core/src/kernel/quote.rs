//! Multi-line untrusted text in a prompt: a marker before every line.

use crate::text::sanitize;

/// The marker before every line of untrusted text.
pub const QUOTE: &str = "| ";

/// Puts the marker before every line.
pub fn quoted(text: &str) -> String {
    let clean = sanitize::terminal(text);
    let mut quoted = String::with_capacity(clean.len() + 64);
    for line in clean.lines() {
        quoted.push_str(QUOTE);
        quoted.push_str(line);
        quoted.push('\n');
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_the_mark_and_none_hides_what_a_terminal_would_obey() {
        for (text, marked) in [
            ("", ""),
            ("one", "| one\n"),
            ("one\n\n| two\n", "| one\n| \n| | two\n"),
            ("a\u{1b}[31mred\u{200b}", "| ared\n"),
        ] {
            assert_eq!(quoted(text), marked);
        }
    }
}
