//! Compares a parsed value with the wanted shape.

use serde_json::{Map, Value};

use super::{ExpectedBlock, Form, Shape};
use crate::text::written::plain_key;

/// A value of the wanted shape, with the name of its original form if it was converted (row 16);
/// otherwise what it is instead (row 17).
pub(super) fn shaped(
    value: Value,
    want: &ExpectedBlock,
) -> Result<(Value, Option<String>), &'static str> {
    match (want.shape, value) {
        (Shape::Array, Value::Object(mut object)) => {
            object.retain(|key, _| !is_name(key, OWN_WORDS));
            let wrapped = object.len() == 1 && object.values().all(Value::is_array);
            match object.values_mut().next() {
                Some(inner) if wrapped => Ok((inner.take(), Some(ONLY.to_owned()))),
                Some(_) | None => Err("a JSON object"),
            }
        }
        (Shape::Object, Value::Object(mut object)) => {
            let alone = object.len() == 1;
            let named = |key: &str| alone && is_name(key, want.name);
            match object.iter_mut().next() {
                Some((key, inner @ Value::Object(_))) if named(key) => {
                    Ok((inner.take(), Some(ONLY.to_owned())))
                }
                Some(_) | None => Ok((Value::Object(object), None)),
            }
        }
        (Shape::Object, Value::Array(entries)) => match want.form {
            Form::Fields { list: Some(key), .. } => {
                let how = format!("was only a list; read as its `{key}`");
                Ok((
                    Value::Object(
                        std::iter::once((key.to_owned(), Value::Array(entries))).collect(),
                    ),
                    Some(how),
                ))
            }
            Form::ById => match by_id(entries) {
                Some(object) => {
                    Ok((Value::Object(object), Some("was a list of objects with ids".to_owned())))
                }
                None => Err("a JSON array"),
            },
            Form::Fields { list: None, .. } | Form::Any => Err("a JSON array"),
        },
        (Shape::Text, value) | (Shape::Array, value @ Value::Array(_)) => Ok((value, None)),
        (Shape::Array | Shape::Object, value) => Err(match value {
            Value::Null => "null",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::String(_) => "a JSON string",
            Value::Array(_) => "a JSON array",
            Value::Object(_) => "a JSON object",
        }),
    }
}

/// The field in which an agent says that it means what it repeats.
pub(super) const OWN_WORDS: &str = "own_words";

const ONLY: &str = "was the only value of an object around it";

/// Whether a key is a block's name: `cross_review`, `crossReview`.
pub(super) fn is_name(key: &str, name: &str) -> bool {
    plain_key(key) == plain_key(name)
}

/// Converts a list of objects, each with its own id, into an object keyed by id; `None` for any other list.
fn by_id(entries: Vec<Value>) -> Option<Map<String, Value>> {
    let mut all = Map::new();
    for entry in entries {
        let Value::Object(mut entry) = entry else { return None };
        let key =
            entry.keys().find(|key| ["id", "opportunityid"].contains(&&*plain_key(key)))?.clone();
        let Value::String(id) = entry.shift_remove(&key)? else { return None };
        if entry.is_empty() || all.insert(id, Value::Object(entry)).is_some() {
            return None;
        }
    }
    Some(all)
}

/// Whether a value is empty (row 23).
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(entries) => entries.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}
