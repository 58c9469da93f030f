//! How untrusted text of several lines stands in a prompt: with a mark before every line.

use crate::text::sanitize;

/// What stands before every line of untrusted text.
pub const QUOTE: &str = "| ";

/// Puts the mark of data before every line.
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
