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
