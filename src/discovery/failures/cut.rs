//! Cuts text from a report to the part that is kept.

use super::case::MAX_TEXT;

/// Appends to a text, keeping at most [`MAX_TEXT`] bytes.
pub(super) fn append(text: &mut String, more: &str) {
    let room = MAX_TEXT.saturating_sub(text.len());
    text.push_str(head(more, room));
}

/// Returns the first `most` bytes, cut between characters.
pub(super) fn head(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Returns the last `most` bytes, cut between characters.
pub(super) fn tail(text: &str, most: usize) -> &str {
    let mut start = text.len().saturating_sub(most);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

/// Returns a copy of at most [`MAX_TEXT`] bytes.
pub(super) fn owned(text: &str) -> String {
    head(text.trim(), MAX_TEXT).to_owned()
}
