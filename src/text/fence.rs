//! Wraps untrusted text for prompts: defuses marker-like text, fences it under the session's boundary.

/// Returns `text` with everything marker-like defused, and how many places that were.
pub fn defuse(_text: &str, _boundary: &str) -> (String, usize) {
    todo!("helper text")
}

/// Fences untrusted text under the boundary, after defusing it. `label` says what it is, for the model.
pub fn fence(_label: &str, _text: &str, _boundary: &str) -> (String, usize) {
    todo!("helper text")
}
