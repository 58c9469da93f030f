//! What a parsed value is, against what was wanted.

use serde_json::Value;

use super::Shape;

/// A value of the wanted shape, and whether a wrapper was taken off (row 16); what it is instead (row 17).
pub(super) fn shaped(value: Value, shape: Shape) -> Result<(Value, bool), &'static str> {
    match (shape, value) {
        (Shape::Array, Value::Object(mut object)) => {
            let wrapped = object.len() == 1 && object.values().all(Value::is_array);
            match object.values_mut().next() {
                Some(inner) if wrapped => Ok((inner.take(), true)),
                Some(_) | None => Err("a JSON object"),
            }
        }
        (Shape::Text, value)
        | (Shape::Array, value @ Value::Array(_))
        | (Shape::Object, value @ Value::Object(_)) => Ok((value, false)),
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

/// Whether a value says nothing (row 23).
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(entries) => entries.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}
