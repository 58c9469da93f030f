//! Fields for texts that may be empty, and for lists of texts that may have several lines: risks and open questions.

use serde_json::Value;

use crate::contract::Entry;
use crate::contract::field::Spec;
use crate::contract::read::{FieldType, Rejection};
use crate::protocol::plan::contract::{MAX_LIST, TEXT_CHARS};
use crate::text::sanitize;

/// Reads a text that may be empty, which is a valid answer too.
pub(in crate::protocol::plan) fn words(
    value: Value,
    spec: &Spec,
    entry: &mut Entry<'_>,
) -> Result<Option<String>, Rejection> {
    Ok(Some(String::read(value, spec, entry)?.unwrap_or_default()))
}

/// Reads a list of texts without repeats; each may have several lines.
pub(in crate::protocol::plan) fn cautions(
    value: Value,
    spec: &Spec,
    entry: &mut Entry<'_>,
) -> Result<Option<Vec<String>>, Rejection> {
    let mut texts: Vec<String> = Vec::new();
    for text in Vec::<String>::read(value, spec, entry)?.unwrap_or_default() {
        let clean = sanitize::terminal(&text);
        let clean = clean.trim();
        let text = match clean.char_indices().nth(TEXT_CHARS) {
            None => clean.to_owned(),
            Some((at, _)) => {
                let message = format!(
                    "`{}` has a text of more than {TEXT_CHARS} characters; it was cut there",
                    spec.key
                );
                entry.note("shortened", &message);
                format!("{}…", clean[..at].trim_end())
            }
        };
        if !text.is_empty() && !texts.contains(&text) {
            texts.push(text);
        }
    }
    if texts.len() > MAX_LIST {
        let message =
            format!("`{}` has {} entries; only the first {MAX_LIST} count", spec.key, texts.len());
        entry.lenient("too_many", &message);
        texts.truncate(MAX_LIST);
    }
    Ok(Some(texts))
}
