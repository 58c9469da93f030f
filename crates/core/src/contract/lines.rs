//! A list of short texts, as agents write it.

use serde_json::Value;

use crate::text::sanitize;

/// Risks, questions and the like that one answer may have.
pub const MAX_LINES: usize = 20;
/// Characters of a risk or a question.
pub const LINE_CHARS: usize = 500;

/// Something that was noticed in a list of texts.
pub(super) struct Noticed {
    pub(super) code: &'static str,
    pub(super) message: String,
    /// Whether a re-ask can mend it.
    pub(super) lenient: bool,
}

/// Reads a list of short texts. One text alone is a list of one; what is no text is left out.
pub(super) fn lines(
    value: Option<Value>,
    key: &str,
    most: usize,
    chars: usize,
) -> (Vec<String>, Vec<Noticed>) {
    let mut noticed = Vec::new();
    let mut notice = |code, lenient, message| {
        noticed.push(Noticed { code, message, lenient });
    };
    let entries = match value {
        None | Some(Value::Null) => return (Vec::new(), noticed),
        Some(Value::Array(entries)) => entries,
        Some(Value::String(text)) => {
            let message = format!("`{key}` is one text, taken as a list of one");
            notice("unwrapped", false, message);
            vec![Value::String(text)]
        }
        Some(Value::Bool(_) | Value::Number(_) | Value::Object(_)) => {
            let message = format!("`{key}` must be an array of texts");
            notice("wrong_type", true, message);
            return (Vec::new(), noticed);
        }
    };
    let given = entries.len();
    let mut lines = Vec::new();
    let mut other = false;
    for entry in entries.into_iter().take(most) {
        match entry {
            Value::String(text) => lines.push(sanitize::line(&text, chars)),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_) => other = true,
        }
    }
    if other {
        let message = format!("`{key}` must hold texts alone; what is none is left out");
        notice("wrong_type", true, message);
    }
    if given > most {
        let message = format!("`{key}` has {given} entries; the first {most} count");
        notice("too_many", false, message);
    }
    lines.retain(|line| !line.is_empty());
    (lines, noticed)
}
