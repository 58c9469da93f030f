//! Reads the declarations of settings.
//!
//! Each setting is declared once, as a field of a section's struct: its type, its help (the doc comment), its bounds
//! (`range`), and what a project may do with it (`x-project`, below). The recorded schema is made of these
//! declarations; this module reads it for the rest of the program. The default of a setting is in
//! `debate-agent.config.json`.
//!
//! The values of `x-project`, of the setting or of the nearest enclosing object that has one:
//!
//! | word | a project's value needs trust |
//! |---|---|
//! | none | never |
//! | `differs` | unless it equals the embedded or the user's own value |
//! | `above`, `below` | if it is more, or less, than the user's own |
//! | `true` | if it is `true` |
//! | `lifts` | if it is `false` and the user's own is `true` |
//! | `leaves` | if it is a path that leaves the project |

use std::iter;
use std::sync::LazyLock;

use serde_json::Value;

use super::key::{KeyPath, Segment};
use crate::schemas::schema;

/// The schema key that states what a project may do.
pub(crate) const PROJECT: &str = "x-project";

#[expect(clippy::expect_used, reason = "without it no key of a project would need trust")]
static SCHEMA: LazyLock<Value> =
    LazyLock::new(|| schema("config").expect("the recorded schema of the configuration is JSON"));

/// Returns the keys that the object at `path` may have; `None` if any key is accepted or the path does not exist.
pub(super) fn known_keys(path: &KeyPath) -> Option<Vec<String>> {
    let object = resolve(walk(path).last()??);
    if object.get("additionalProperties") != Some(&Value::Bool(false)) {
        return None;
    }
    let properties = object.get("properties")?.as_object()?;
    Some(properties.keys().cloned().collect())
}

/// Returns the minimum and maximum of a setting, if it has both.
pub(crate) fn bounds(path: &KeyPath) -> Option<(f64, f64)> {
    let setting = resolve(walk(path).last()??);
    Some((setting.get("minimum")?.as_f64()?, setting.get("maximum")?.as_f64()?))
}

pub(super) fn is_declared(path: &KeyPath) -> bool {
    !path.segments().is_empty() && walk(path).last().flatten().is_some_and(Value::is_object)
}

/// Returns the value that a text from outside the files means for a key: JSON, a list with commas, or a bare word.
pub(super) fn value_of(path: &KeyPath, text: &str) -> Value {
    let node = walk(path).last().flatten().map(resolve);
    let is = |kind: &str| match node.and_then(|node| node.get("type")) {
        Some(Value::String(only)) => only == kind,
        Some(Value::Array(kinds)) => kinds.iter().any(|each| each == kind),
        _ => false,
    };
    let json = serde_json::from_str::<Value>(text).ok();
    if is("array") {
        let list = || text.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
        return json.filter(Value::is_array).unwrap_or_else(list);
    }
    let word = || Value::from(text);
    // `null` is refused wherever it stands; a number is a text where a text is asked for.
    let takes = |value: &Value| value.is_string() || value.is_null() || !is("string");
    json.filter(takes).unwrap_or_else(word)
}

/// Returns all keys; `NAME` stands for the name of an entry.
pub(super) fn declared_keys() -> Vec<String> {
    let mut found = Vec::new();
    settings(&KeyPath::root(), &SCHEMA, &mut found);
    found.iter().map(ToString::to_string).collect()
}

/// Lists the settings below an object; an entry of a map is named `NAME`.
fn settings(path: &KeyPath, node: &'static Value, found: &mut Vec<KeyPath>) {
    let object = resolve(node);
    let entry = object.get("additionalProperties").filter(|entry| entry.is_object());
    if let Some(settings) = object.get("properties").and_then(Value::as_object) {
        for (key, setting) in settings {
            self::settings(&path.key(key), setting, found);
        }
    } else if let Some(entry) = entry.filter(|entry| resolve(entry).get("properties").is_some()) {
        settings(&path.key("NAME"), entry, found);
    } else {
        found.push(path.clone());
    }
}

/// Returns the word that states when a project's value needs trust; `None`: never.
pub(super) fn project(path: &KeyPath) -> Option<&'static str> {
    let nodes = walk(path).flatten();
    nodes
        .filter_map(|node| (node.get(PROJECT)).or_else(|| resolve(node).get(PROJECT))?.as_str())
        .last()
}

/// Walks down the schema along a path; ends with `None` if the path does not exist.
fn walk(path: &KeyPath) -> impl Iterator<Item = Option<&'static Value>> {
    let mut here: Option<&'static Value> = Some(&SCHEMA);
    iter::once(here).chain(path.segments().iter().map(move |segment| {
        let above = resolve(here?);
        here = match segment {
            Segment::Key(key) => (above.get("properties"))
                .and_then(|properties| properties.get(key))
                .or_else(|| above.get("additionalProperties")),
            Segment::Index(_) => above.get("items"),
        };
        here
    }))
}

/// Follows `$ref`, even where `Option` wrapped it into `anyOf [.., null]`.
fn resolve(mut here: &'static Value) -> &'static Value {
    loop {
        let inner = here
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|pointer| SCHEMA.pointer(pointer.trim_start_matches('#')))
            .or_else(|| here.get("anyOf").and_then(|choices| choices.get(0)));
        match inner {
            Some(next) => here = next,
            None => return here,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_every_object_are_known() {
        let keys = |path: &[&str]| known_keys(&KeyPath::of(path));
        assert!(keys(&[]).unwrap().contains(&"agents".to_owned()));
        assert!(keys(&["agents", "any"]).unwrap().contains(&"timeout_seconds".to_owned()));
        assert!(keys(&["agents", "any", "output"]).unwrap().contains(&"select".to_owned()));
        assert_eq!(keys(&["agents"]), None);
        assert_eq!(keys(&["sinks"]), None);
        assert!(keys(&["sinks", "any"]).unwrap().contains(&"repo".to_owned()));
        assert_eq!(keys(&["no", "such", "path"]), None);
    }

    #[test]
    fn bounds_are_those_of_the_declaration() {
        let bounds = |path: &[&str]| bounds(&KeyPath::of(path));
        assert_eq!(bounds(&["review", "max_rounds"]), Some((0.0, 5.0)));
        assert_eq!(bounds(&["roles", "any", "timeout_seconds"]), Some((1.0, 86_400.0)));
        assert_eq!(bounds(&["limits", "retries"]), Some((0.0, 10.0)));
        assert_eq!(bounds(&["mcp", "allow_run_agent"]), None);
        assert_eq!(bounds(&["paths", "debate"]), None);
    }

    /// A new setting needs trust, or its author adds it to this list: no setting is free by oversight. `mcp` is left
    /// out of a project's file, and `trust.ask` causes no action.
    #[test]
    fn what_a_project_may_set_freely_is_listed() {
        let mut free = Vec::new();
        settings(&KeyPath::root(), &SCHEMA, &mut free);
        free.retain(|path| project(path).is_none());
        let free: Vec<String> = free.iter().map(ToString::to_string).collect();
        insta::assert_snapshot!(free.join("\n"));
    }

    #[test]
    fn the_nearest_word_counts() {
        let project = |path: &[&str]| project(&KeyPath::of(path));
        assert_eq!(project(&["limits", "max_parallel"]), Some("above"));
        assert_eq!(project(&["limits", "retries"]), Some("above"));
        assert_eq!(project(&["limits", "model_aliases", "any"]), Some("differs"));
        assert_eq!(project(&["agents", "any", "env", "HOME"]), Some("differs"));
        assert_eq!(project(&["agents", "any", "fallback"]), None);
        assert_eq!(project(&["sinks", "any", "kind"]), Some("differs"));
    }
}
