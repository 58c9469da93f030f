//! `docs/configuration.md`, generated from the schema of the configuration and the defaults: no word of it is written
//! by hand.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use debate_agent::config::EMBEDDED;
use schemars::schema_for;
use serde_json::Value;

/// The text above the tables.
const HEAD: &str = "\
# Configuration

This page is made from the declarations of the settings (`src/config`) and from `debate-agent.config.json`, the default.
`cargo test --test golden -- --record` makes it again. Layers, and who may set what, are explained in [trust.md](trust.md);
`debate-agent config show` prints each value with the layer it comes from, `debate-agent config validate FILE` judges a file,
and `debate-agent schema config` prints the JSON Schema.

The column *project* says when a value in a project's file counts only after `debate-agent trust`: `differs`, unless it equals
the default or your own value; `above`, `below`, if it is more or less than your own; `true`, if it is true; `lifts`, if it is
false and your own is true; `leaves`, if it is a path that leaves the project. `refused`: true is an error anywhere but in your
own file; `ignored`: a project's file cannot set it. Without a word a project may set it freely.
";

/// Compares the page with the text generated from the settings, or writes it anew. Returns whether it differed.
pub(crate) fn differs(record: bool) -> bool {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/configuration.md");
    let page = page();
    let differs = fs::read_to_string(&path).ok().as_ref() != Some(&page);
    if differs && record {
        fs::write(path, page).unwrap();
    }
    differs
}

fn page() -> String {
    let schema = Value::from(schema_for!(debate_agent::config::Config));
    let default: Value = serde_json::from_str(EMBEDDED).unwrap();
    let reference = Reference { schema: &schema };
    let mut page = HEAD.to_owned();
    for (section, node) in schema["properties"].as_object().unwrap() {
        if section != "$schema" {
            reference.section(&mut page, section, node, &default[section]);
        }
    }
    page
}

struct Reference<'a> {
    schema: &'a Value,
}

impl Reference<'_> {
    fn section(&self, page: &mut String, section: &str, node: &Value, default: &Value) {
        let about = node["description"].as_str().unwrap_or_default();
        write!(page, "\n## {section}\n\n{about}\n\n").unwrap();
        page.push_str("| key | type | default | project | |\n|---|---|---|---|---|\n");
        self.rows(page, section, node, Some(default), "");
    }

    /// A row for each setting below an object.
    fn rows(&self, page: &mut String, at: &str, node: &Value, default: Option<&Value>, gate: &str) {
        let gate = node["x-project"].as_str().unwrap_or(gate);
        let object = self.resolved(node);
        let gate = object["x-project"].as_str().unwrap_or(gate);
        if let Some(settings) = object["properties"].as_object() {
            for (key, setting) in settings {
                let default = default.and_then(|default| default.get(key));
                self.rows(page, &format!("{at}.{key}"), setting, default, gate);
            }
            return;
        }
        let entry = &object["additionalProperties"];
        if self.resolved(entry)["properties"].is_object() {
            self.rows(page, &format!("{at}.NAME"), entry, None, gate);
            return;
        }
        let about =
            node["description"].as_str().unwrap_or_default().replace('\n', " ").replace('|', "\\|");
        let default = default.map_or_else(String::new, |value| format!("`{value}`"));
        let kind = self.kind(object);
        writeln!(page, "| `{at}` | {kind} | {default} | {gate} | {about} |").unwrap();
    }

    /// The type of a setting, with its words or bounds.
    fn kind(&self, node: &Value) -> String {
        let words = node["enum"].as_array().cloned().unwrap_or_default();
        let choices = node["oneOf"].as_array().into_iter().flatten().map(|choice| &choice["const"]);
        let words: Vec<String> = words
            .iter()
            .chain(choices)
            .filter_map(Value::as_str)
            .map(|word| format!("`{word}`"))
            .collect();
        if !words.is_empty() {
            return words.join(", ");
        }
        let named = |kind: &str| match kind {
            "string" => "text".to_owned(),
            "boolean" => "true or false".to_owned(),
            "integer" => "whole number".to_owned(),
            "array" => format!("list of {}", self.kind(self.resolved(&node["items"]))),
            "object" => {
                format!("{} by name", self.kind(self.resolved(&node["additionalProperties"])))
            }
            other => other.to_owned(),
        };
        let kind = match &node["type"] {
            Value::String(kind) => named(kind),
            Value::Array(kinds) => {
                kinds.first().and_then(Value::as_str).map_or_else(String::new, named)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
                "any value".to_owned()
            }
        };
        match (&node["minimum"], &node["maximum"]) {
            (Value::Number(least), Value::Number(most)) => {
                format!("{kind}, {} to {}", plain(least), plain(most))
            }
            _ => kind,
        }
    }

    /// Follows `$ref`, also where an option wraps it.
    fn resolved<'a>(&'a self, mut node: &'a Value) -> &'a Value {
        loop {
            let next = match node["$ref"].as_str() {
                Some(pointer) => self.schema.pointer(pointer.trim_start_matches('#')),
                None => node["anyOf"].get(0),
            };
            match next {
                Some(next) => node = next,
                None => return node,
            }
        }
    }
}

/// A number without a meaningless fraction.
fn plain(number: &serde_json::Number) -> String {
    number.as_f64().map_or_else(|| number.to_string(), |number| number.to_string())
}
