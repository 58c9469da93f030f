//! Values all of whose texts went through a redactor.

use std::ops::Deref;

use serde::Serialize;
use serde::de::{DeserializeOwned, Error as _};
use serde_json::{Map, Value};

use super::Redactor;
use crate::text::json::typed;

/// Maximum bytes of a text that is looked at together with its name.
const NAMED: usize = 1 << 10;

/// A value without known secrets. Whatever shows a value to agents or keeps it requires one of these, and only a
/// redactor makes them: a text that nobody looked at does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted<T> {
    value: T,
    removed: Vec<String>,
}

impl<T> Redacted<T> {
    /// Wraps a value read from a session's record: what is recorded went through a redactor before.
    pub fn recorded(value: T) -> Self {
        Self { value, removed: Vec::new() }
    }

    /// Returns the places from which something was removed: `brief.topic`, `facts[0].text`.
    pub fn removed(&self) -> &[String] {
        &self.removed
    }

    pub fn into_inner(self) -> T {
        self.value
    }
}

impl<T> Deref for Redacted<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl Redactor {
    /// Removes secrets from all texts of a value, names of fields included.
    ///
    /// # Errors
    /// The value cannot be written as JSON, or not be read again without them: one stands where no text may.
    pub fn value<T: Serialize + DeserializeOwned>(
        &self,
        value: T,
    ) -> serde_json::Result<Redacted<T>> {
        let mut removed = Vec::new();
        let clean = self.walk(serde_json::to_value(&value)?, "", "", &mut removed);
        let value = if removed.is_empty() {
            value
        } else {
            typed(&clean).map_err(serde_json::Error::custom)?
        };
        Ok(Redacted { value, removed })
    }

    fn walk(&self, value: Value, name: &str, place: &str, removed: &mut Vec<String>) -> Value {
        match value {
            Value::String(text) => {
                let clean = self.named(name, &text);
                if clean != text {
                    removed.push(place.to_owned());
                }
                Value::String(clean)
            }
            Value::Array(entries) => (entries.into_iter().enumerate())
                .map(|(index, entry)| self.walk(entry, name, &format!("{place}[{index}]"), removed))
                .collect(),
            Value::Object(fields) => {
                let mut walked = Map::new();
                for (name, field) in fields {
                    let mut clean = self.text(&name);
                    let dot = if place.is_empty() { "" } else { "." };
                    let place = format!("{place}{dot}{clean}");
                    if clean != name {
                        removed.push(place.clone());
                    }
                    // Two names may differ in nothing but their secrets.
                    while walked.contains_key(&clean) {
                        clean.push('\'');
                    }
                    walked.insert(clean, self.walk(field, &name, &place, removed));
                }
                Value::Object(walked)
            }
            other @ (Value::Null | Value::Bool(_) | Value::Number(_)) => other,
        }
    }

    /// Redacts a text that has a name. Some secrets are known only by it: `password: ...`.
    fn named(&self, name: &str, text: &str) -> String {
        let clean = self.text(text);
        if clean != text || text.len() > NAMED {
            return clean;
        }
        let head = format!("{name}: ");
        let whole = self.text(&[&head, text].concat());
        whole.strip_prefix(&head).map_or(clean, str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    #[test]
    fn every_text_is_looked_at_and_the_places_are_told() {
        let redactor = Redactor::new(&["hunter2-hunter2".to_owned()]);
        let clean = json!({"a": {"b": ["x", 1, null]}, "n": 0.1});
        let kept = redactor.value(clean.clone()).unwrap();
        assert!(*kept == clean && kept.removed().is_empty(), "{kept:?}");
        let told = json!({"a": {"b": ["x", "is hunter2-hunter2, ok"]}, "n": 0.1});
        let redacted = redactor.value(told).unwrap();
        assert_eq!(*redacted, json!({"a": {"b": ["x", "is [redacted], ok"]}, "n": 0.1}));
        assert_eq!(redacted.removed(), ["a.b[1]"]);
        // Neither names nor what only its name gives away.
        let named = |name: &str, text: &str| {
            redactor.value(BTreeMap::from([(name.to_owned(), text.to_owned())])).unwrap()
        };
        assert_eq!(named("hunter2-hunter2", "x").keys().next().unwrap(), "[redacted]");
        assert_eq!(named("db_password", "kT9-vQ2xLm4zRw8").values().next().unwrap(), "[redacted]");
        assert!(named("motto", "kT9-vQ2xLm4zRw8").removed().is_empty());
        let two = BTreeMap::from([("hunter2-hunter2.", 1), ("hunter2-hunter2", 2)]);
        let two = two.into_iter().map(|(name, value)| (name.to_owned(), value));
        assert_eq!(redactor.value(two.collect::<BTreeMap<_, _>>()).unwrap().len(), 2);
    }
}
