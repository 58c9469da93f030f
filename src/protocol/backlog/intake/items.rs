//! Splits a backlog file into its items.

use serde::de::{Deserialize, DeserializeSeed, Deserializer};
use serde_json::{Map, Value};

use super::Origin;
use crate::text::json;

/// The keys under which an object holds a list, or the part of it that does: the program's, those of trackers' searches
/// and pages, and of answers in GraphQL.
const LISTS: [&str; 7] = ["opportunities", "issues", "items", "nodes", "edges", "node", "data"];

/// What a file should contain, at the end of a message.
const FORMS: &str =
    "a JSON array of opportunities, an object with `opportunities`, or one JSON object a line";

/// Returns the items of a file, or what is wrong with it.
pub(super) fn items(text: &str, origin: Origin) -> Result<Vec<Map<String, Value>>, String> {
    let values = serde_json::Deserializer::from_str(text).into_iter();
    let values: Vec<Value> = values
        .map(|value| value.map(|OneValue(value)| value))
        .collect::<Result<_, _>>()
        .map_err(|error| format!("not valid JSON: {error}"))?;
    if values.is_empty() {
        return Err(wrong("the file is empty"));
    }
    // Lines, or pages, which `gh api --paginate` prints one after the other.
    let lines = values.len() > 1;
    let mut items = Vec::new();
    for value in values {
        spread(value, lines, origin == Origin::Elsewhere, &mut items)?;
    }
    Ok(items)
}

/// Adds the items of a value: of an item itself, of a list, or, with `pages`, of a page or of a list of pages.
fn spread(
    value: Value,
    listed: bool,
    pages: bool,
    into: &mut Vec<Map<String, Value>>,
) -> Result<(), String> {
    match value {
        Value::Array(values) if pages || !listed => {
            values.into_iter().try_for_each(|value| spread(value, true, pages, into))?;
        }
        Value::Object(mut map) => {
            let titled =
                ["title", "opportunity_id", "fields"].iter().any(|key| map.contains_key(*key));
            let is_item = titled || (listed && !pages);
            let lists = if pages { &LISTS[..] } else { &LISTS[..1] };
            let list = lists.iter().find(|list| !is_item && map.contains_key(**list));
            match list.and_then(|list| Some((list, map.shift_remove(*list)?))) {
                Some((_, inner @ Value::Array(_))) => spread(inner, false, pages, into)?,
                Some((_, inner @ Value::Object(_))) if pages => spread(inner, listed, pages, into)?,
                Some((list, other)) => {
                    return Err(wrong(&format!("`{list}` is {}", json::kind(&other))));
                }
                None => match (map.len(), map.values_mut().next()) {
                    // A level of GraphQL: `{"repository": {"issues": ...}}`.
                    (1, Some(inner @ Value::Object(_))) if pages && !is_item => {
                        spread(inner.take(), listed, pages, into)?;
                    }
                    _ if is_item || listed => into.push(map),
                    _ => return Err(wrong("the file contains an object without `opportunities`")),
                },
            }
        }
        other if listed => {
            let (number, kind) = (into.len() + 1, json::kind(&other));
            return Err(wrong(&format!("item {number} is {kind}, not an object")));
        }
        other => return Err(wrong(&format!("the file contains {}", json::kind(&other)))),
    }
    Ok(())
}

fn wrong(found: &str) -> String {
    format!("{found}; a backlog is {FORMS}")
}

/// One JSON value of several, read strictly.
struct OneValue(Value);

impl<'de> Deserialize<'de> for OneValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        json::Strict.deserialize(deserializer).map(Self)
    }
}
