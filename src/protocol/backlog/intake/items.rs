//! Splits a backlog file into its items.

use serde::de::{Deserialize, DeserializeSeed, Deserializer};
use serde_json::{Map, Value};

use crate::text::json;

/// The keys under which an object may contain the items: the program's, and that of Jira's search.
const LISTS: [&str; 2] = ["opportunities", "issues"];

/// What a file should contain, at the end of a message.
const FORMS: &str =
    "a JSON array of opportunities, an object with `opportunities`, or one JSON object a line";

/// Returns the items of a file, or what is wrong with it.
pub(super) fn items(text: &str, limit: usize) -> Result<Vec<Map<String, Value>>, String> {
    let values = serde_json::Deserializer::from_str(text).into_iter();
    let values = values.map(|value| value.map(|OneValue(value)| value));
    let mut values: Vec<Value> =
        values.collect::<Result<_, _>>().map_err(|error| format!("not valid JSON: {error}"))?;
    let wrong = |found: &str| format!("{found}; a backlog is {FORMS}");
    let single = if values.len() == 1 { values.pop() } else { None };
    let items = match single {
        None if values.is_empty() => return Err(wrong("the file is empty")),
        None => values,
        Some(Value::Array(items)) => items,
        Some(Value::Object(mut map)) => {
            let list = LISTS.into_iter().find(|list| map.contains_key(*list));
            match list.and_then(|list| Some((list, map.shift_remove(list)?))) {
                Some((_, Value::Array(items))) => items,
                Some((list, other)) => return Err(wrong(&format!("`{list}` is {}", kind(&other)))),
                // A single object is JSON Lines of one line if it could be an opportunity.
                None if ["title", "opportunity_id", "fields"]
                    .iter()
                    .any(|key| map.contains_key(*key)) =>
                {
                    vec![Value::Object(map)]
                }
                None => return Err(wrong("the file contains an object without `opportunities`")),
            }
        }
        Some(other) => return Err(wrong(&format!("the file contains {}", kind(&other)))),
    };
    if items.len() > limit {
        let count = items.len();
        return Err(format!("{count} opportunities are too many for one debate: at most {limit}"));
    }
    let objects = items.into_iter().enumerate().map(|(index, item)| match item {
        Value::Object(map) => Ok(map),
        other => Err(wrong(&format!("item {} is {}, not an object", index + 1, kind(&other)))),
    });
    objects.collect()
}

/// Returns the name of a value's type.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// One JSON value of several, read strictly.
struct OneValue(Value);

impl<'de> Deserialize<'de> for OneValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        json::Strict.deserialize(deserializer).map(Self)
    }
}
