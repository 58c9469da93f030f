//! The sensible forms, other than the requested one, in which models write an answer.
//!
//! All of them are closed lists, and none is a guess: an ambiguous value is not read. Each leaves a note.

use serde_json::Value;

use super::field::{Item, Kind, Spec};
use crate::text::written::plain_key;

/// The smallest whole number that is a percentage without saying so: a smaller one could be on another
/// scale.
const LEAST_PERCENT: f64 = 10.0;

/// Returns the key of the field for which a text can replace a whole entry.
pub(super) fn alone(item: &Item) -> Option<&'static str> {
    item.fields.iter().find(|spec| spec.alone).map(|spec| spec.key)
}

/// Returns the text that another value unambiguously stands for, and the form in which it was
/// given.
pub(super) fn text(value: &Value, spec: &Spec) -> Option<(String, &'static str)> {
    Some(match (value, spec.kind) {
        (Value::Array(lines), kind) => {
            let lines: Vec<&str> = lines.iter().map(Value::as_str).collect::<Option<_>>()?;
            let text = match (kind, lines.as_slice()) {
                (_, []) => return None,
                (_, [only]) => (*only).to_owned(),
                (Kind::Text(_) | Kind::Code(_), lines) => lines.join("\n"),
                (Kind::Line(_), lines) => lines.join(" "),
                _ => return None,
            };
            (text, "a list")
        }
        (Value::Number(number), Kind::Line(_) | Kind::Text(_) | Kind::Id(_)) => {
            (number.to_string(), "a number")
        }
        (Value::Object(fields), Kind::Line(_) | Kind::Text(_)) => {
            let mut values = fields.values();
            let only = values.next().filter(|_| values.next().is_none())?;
            (only.as_str()?.to_owned(), "an object with one text")
        }
        _ => return None,
    })
}

/// Returns the flag that a text expresses.
pub fn flag(value: &Value) -> Option<bool> {
    match value.as_str()?.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" => Some(true),
        "false" | "no" => Some(false),
        _ => None,
    }
}

/// Reads a share written as `"0.8"`, `80` or `"80%"`.
pub(super) fn share(value: &Value) -> Option<f64> {
    let (number, percent) = match value {
        Value::Number(number) => (number.as_f64()?, false),
        Value::String(text) => {
            let text = text.trim();
            let number = text.strip_suffix('%').map_or(text, str::trim_end);
            (number.parse().ok()?, text.ends_with('%'))
        }
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    if percent || (LEAST_PERCENT..=100.0).contains(&number) {
        return (0.0..=100.0).contains(&number).then_some(number / 100.0);
    }
    (0.0..=1.0).contains(&number).then_some(number)
}

/// Converts an entry of a list of texts that is not a text: the texts and numbers of an object or a list, in
/// order.
pub(super) fn entry_of_texts(value: &Value) -> Option<String> {
    let part = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    let parts: Vec<String> = match value {
        Value::Object(fields) => fields.values().map(part).collect::<Option<_>>()?,
        Value::Number(_) => vec![part(value)?],
        Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) => return None,
    };
    (!parts.is_empty()).then(|| parts.join(": "))
}

/// Whether a text in a list says that there is nothing: `None.`, `N/A`.
pub fn says_nothing(text: &str) -> bool {
    let plain = text.trim().trim_end_matches(['.', '!']).to_lowercase();
    ["", "-", "\u{2014}", "\u{2026}", "n/a", "na", "nil", "no", "none", "nothing", "null"]
        .contains(&&*plain)
}

/// Whether a value says so in place of an entry or a whole list.
pub(super) fn is_nothing(value: &Value) -> bool {
    value.as_str().is_some_and(says_nothing)
}

/// Returns the entries of a list written as an object keyed by id.
pub(super) fn by_id(value: &Value, item: &Item) -> Option<Vec<Value>> {
    let Value::Object(fields) = value else {
        return None;
    };
    let of_id = |spec: &&Spec| matches!(spec.kind, Kind::Id(_) | Kind::Name(_));
    let key = item.fields.iter().find(of_id)?.key;
    // A text under a field's key makes it a single entry, and leaves open whether there are others.
    let is_field = |id: &str| {
        item.fields.iter().flat_map(Spec::keys).any(|key| plain_key(key) == plain_key(id))
    };
    let entry = |(id, value): (&String, &Value)| {
        let mut fields = match value {
            Value::Object(fields) if !fields.contains_key(key) => fields.clone(),
            Value::String(_) if !is_field(id) => {
                std::iter::once((alone(item)?.to_owned(), value.clone())).collect()
            }
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_) => {
                return None;
            }
        };
        fields.insert(key.to_owned(), Value::from(id.as_str()));
        Some(Value::Object(fields))
    };
    fields.iter().map(entry).collect()
}
