//! Cuts text that came from a report to what is kept of it.

use super::case::MAX_TEXT;

/// Appends to a text that keeps at most [`MAX_TEXT`] bytes.
pub(super) fn append(text: &mut String, more: &str) {
    let room = MAX_TEXT.saturating_sub(text.len());
    text.push_str(head(more, room));
}

/// Returns at most the first `most` bytes, whole characters.
pub(super) fn head(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Returns at most the last `most` bytes, whole characters.
pub(super) fn tail(text: &str, most: usize) -> &str {
    let mut start = text.len().saturating_sub(most);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

/// Returns a text of at most [`MAX_TEXT`] bytes.
pub(super) fn owned(text: &str) -> String {
    head(text.trim(), MAX_TEXT).to_owned()
}
