//! The JSON Schemas of tools: their input, from the type that a call is read as, and their output.
//!
//! Dialect 2020-12, which clients assume where none is named. No references and no keywords that a client might not
//! know: some pass these schemas to models unchanged, and refuse a tool over one keyword.
//!
//! A call is held against the schema of its input (`arguments`). `null` is not a value in it, and a missing argument in
//! a call; for further arguments an input schema has no word that Gemini takes.
//!
//! Clients get the list of tools in one piece, and nine tools answer with the same object. So an output schema names
//! its members in groups, by their type: `{"patternProperties": {"^(role|agent)$": {"type": "string"}}}`. That
//! expresses as much as a line for each, in two thirds of the bytes. An input schema has a line for each: models read
//! it.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::tool::{Output, Tool};

impl Tool {
    pub(crate) fn input_schema(&self) -> Map<String, Value> {
        (self.input.schema)()
    }

    /// Returns the schema of its structured content.
    pub(crate) fn output_schema(&self) -> Map<String, Value> {
        match self.output {
            Output::Session => session(),
            Output::Agents => agents(),
            Output::Diff => diff(),
            Output::Outline => outline(),
            Output::Call => call(),
        }
    }
}

/// Returns the schema of a type of arguments, in words that every client takes.
pub(super) fn input<T: JsonSchema>() -> Map<String, Value> {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut whole = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Some(arguments) = whole.get_mut("properties").and_then(Value::as_object_mut) {
        arguments.values_mut().for_each(simplify);
    }
    let mut schema = Map::from_iter([("type".to_owned(), "object".into())]);
    schema.insert("properties".to_owned(), json!({}));
    schema.extend(
        ["properties", "required"]
            .into_iter()
            .filter_map(|word| Some((word.to_owned(), whole.get_mut(word)?.take()))),
    );
    schema
}

/// Gives each value one type: what may be left out is not `null`, and a word is one of an `enum`. No text is blank, and
/// no list empty.
fn simplify(schema: &mut Value) {
    let Some(members) = schema.as_object_mut() else {
        return;
    };
    if let Some(Value::Array(choices)) = members.remove("anyOf") {
        let given = choices.into_iter().find(|choice| choice["type"] != "null");
        for (word, value) in given.as_ref().and_then(Value::as_object).into_iter().flatten() {
            members.entry(word).or_insert(value.clone());
        }
    }
    if let Some(words) = members.remove("oneOf") {
        let words = words.as_array().into_iter().flatten().map(|word| word["const"].clone());
        members.insert("enum".to_owned(), words.collect());
        members.insert("type".to_owned(), "string".into());
    }
    members.retain(|word, _| !["$schema", "title", "format", "default"].contains(&word.as_str()));
    if let Some(first) = members["type"].get(0).cloned() {
        members.insert("type".to_owned(), first);
    }
    if let Some(Value::Array(words)) = members.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
    match members["type"].as_str() {
        Some("string") if !members.contains_key("enum") => {
            members.entry("maxLength").or_insert(TEXT.into());
            members.entry("pattern").or_insert(NOT_BLANK.into());
        }
        Some("array") => {
            members.entry("minItems").or_insert(1.into());
            simplify(&mut members["items"]);
        }
        _ => {}
    }
}

/// The most characters of a text of which its field says nothing else.
const TEXT: u32 = 64 << 10;

/// Matches a text with at least one non-blank character.
const NOT_BLANK: &str = r"\S";

/// An object that has the required members, may have the others, and has no further ones: names, separated by spaces,
/// each with its schema.
fn object(required: &[&str], members: &[(&str, Value)]) -> Map<String, Value> {
    let (mut alone, mut groups) = (Map::new(), Map::new());
    for (names, holds) in members {
        let names: Vec<&str> = names.split_whitespace().collect();
        match &names[..] {
            [name] => alone.insert((*name).to_owned(), holds.clone()),
            names => groups.insert(format!("^({})$", names.join("|")), holds.clone()),
        };
    }
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    for (keyword, members) in [("properties", alone), ("patternProperties", groups)] {
        if !members.is_empty() {
            schema.insert(keyword.to_owned(), Value::Object(members));
        }
    }
    schema.insert("required".to_owned(), json!(required));
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

fn a(kind: &str) -> Value {
    json!({"type": kind})
}

fn list(items: impl Into<Value>) -> Value {
    json!({"type": "array", "items": items.into()})
}

/// An object of texts that has the required members, one of which is not a text.
fn texts(required: &[&str], (but, holds): (&str, Value)) -> Value {
    let mut schema = json!({
        "type": "object",
        "properties": {but: holds},
        "additionalProperties": a("string"),
    });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn counts(names: &[&str]) -> Value {
    json!({"type": "object", "required": names, "additionalProperties": a("integer")})
}

fn one_of(words: &[&str]) -> Value {
    json!({"enum": words})
}

/// The output of every tool that answers with a session.
fn session() -> Map<String, Value> {
    // Of these two, the members that are always there are named, and the rest is text.
    let statuses = one_of(&["answered", "failed", "fell_back", "asked", "skipped"]);
    let seat = texts(&["role", "agent", "vendor", "status"], ("status", statuses));
    let mut item = texts(&["id", "kind", "title"], ("line", a("integer")));
    // Or the votes of `keep_rejected`; naming it in each tool would cost more of the list than it is worth.
    item["additionalProperties"] = json!({"anyOf": [a("string"), a("object")]});
    let quorum = counts(&["needed", "answered", "vendors"]);
    object(
        &["status"],
        &[
            (
                "status",
                one_of(&["done", "running", "suspended", "interrupted", "unreadable", "nothing"]),
            ),
            (
                "session_id protocol outcome verdict stopped_by summary severity recommendation message winner report_path transcript",
                a("string"),
            ),
            ("decided rehearsal resumable", a("boolean")),
            ("confidence cost_usd", a("number")),
            ("seats", list(seat)),
            ("quorum", quorum),
            ("items", list(item)),
            ("items_left_out not_reviewed", a("integer")),
            ("warnings sessions", list(a("string"))),
            ("progress", a("object")),
        ],
    )
}

fn agents() -> Map<String, Value> {
    let agent = object(
        &["name", "available", "is_default"],
        &[("name vendor model problem", a("string")), ("available is_default", a("boolean"))],
    );
    object(
        &["agents", "default_agents", "total"],
        &[("agents", list(agent)), ("default_agents", list(a("string"))), ("total", a("integer"))],
    )
}

/// A change, as a review would show it.
fn diff() -> Map<String, Value> {
    let file = object(
        &["path", "kind", "added", "removed"],
        &[("path kind", a("string")), ("added removed", a("integer"))],
    );
    let left_out = json!({
        "type": "object",
        "required": ["path", "why", "detail"],
        "additionalProperties": a("string"),
    });
    object(
        &["scope", "complete", "summary", "files", "not_reviewed"],
        &[
            ("scope base summary text", a("string")),
            ("complete text_cut", a("boolean")),
            (
                "total_files added removed prompts prompt_bytes files_left_out not_reviewed_left_out",
                a("integer"),
            ),
            ("files", list(file)),
            ("not_reviewed", list(left_out)),
        ],
    )
}

/// The document of `debate-agent outline`.
fn outline() -> Map<String, Value> {
    let phase = object(
        &["phase", "name", "description", "agent_actions"],
        &[
            ("phase", a("integer")),
            ("name description", a("string")),
            ("agent_actions", json!({"type": "object", "additionalProperties": a("string")})),
        ],
    );
    object(
        &["plan_id", "topic", "mode", "rounds", "agents", "phases", "scoring_criteria"],
        &[
            ("plan_id topic", a("string")),
            ("mode", one_of(&["adversarial", "consensus", "collaborative"])),
            ("rounds", a("integer")),
            ("agents", list(a("string"))),
            ("phases", list(phase)),
            ("scoring_criteria", json!({"type": "object", "additionalProperties": a("integer")})),
        ],
    )
}

/// One agent's answer.
fn call() -> Map<String, Value> {
    object(
        &["agent", "answer", "cost_usd"],
        &[
            ("agent vendor answer", a("string")),
            ("answer_cut rehearsal", a("boolean")),
            ("cost_usd", a("number")),
            ("attempts took_ms", a("integer")),
            ("warnings", list(a("string"))),
        ],
    )
}

#[cfg(test)]
mod tests {
    //! Tests that schemas are small and valid, and agree with the server's check.

    use super::*;
    use crate::mcp::table::TOOLS;

    /// Every schema conforms to the dialect and is free of references.
    #[test]
    fn schemas_are_valid_and_stand_alone() {
        for tool in TOOLS {
            // A member with two kinds of value is written with `anyOf`: clients refuse several types in one schema.
            // No client fills in such a member.
            for schema in [tool.input_schema(), tool.output_schema()] {
                let schema = Value::Object(schema);
                assert!(jsonschema::draft202012::meta::is_valid(&schema), "{}", tool.name);
                let text = schema.to_string();
                for word in ["$ref", "$defs", "\"format\"", "null", "oneOf", "allOf"] {
                    assert!(!text.contains(word), "{}: {word} in {text}", tool.name);
                }
                assert_eq!(schema["type"], "object", "{}", tool.name);
            }
            assert_eq!(tool.output_schema()["additionalProperties"], false, "{}", tool.name);
        }
    }

    /// Gemini's API refuses a whole request for a word that its `Schema` has no field for, `OpenAI`'s one for a `pattern`
    /// that looks around; both want one type, and members of every object.
    #[test]
    fn arguments_are_described_in_words_that_every_vendor_takes() {
        const TAKEN: [&str; 14] = [
            "type",
            "properties",
            "required",
            "description",
            "default",
            "enum",
            "items",
            "minItems",
            "maxItems",
            "minimum",
            "maximum",
            "minLength",
            "maxLength",
            "pattern",
        ];
        fn check(schema: &Value, place: &str) {
            let schema = schema.as_object().unwrap();
            for (word, value) in schema {
                assert!(TAKEN.contains(&word.as_str()), "{place}: {word}");
                match (word.as_str(), value) {
                    ("properties", Value::Object(members)) => {
                        assert!(!members.is_empty() || !place.contains('.'), "{place}");
                        for (name, member) in members {
                            check(member, &format!("{place}.{name}"));
                        }
                    }
                    ("items", items) => check(items, &format!("{place}.items")),
                    ("type", kind) => assert!(kind.is_string(), "{place}: {kind}"),
                    ("pattern", pattern) => assert!(!pattern.to_string().contains("(?"), "{place}"),
                    ("enum", words) => {
                        let words = words.as_array().unwrap();
                        assert!(
                            words
                                .iter()
                                .all(|word| word.as_str().is_some_and(|word| !word.is_empty())),
                            "{place}"
                        );
                        assert_eq!(schema["type"], "string", "{place}");
                    }
                    _ => {}
                }
            }
            let needs = match schema["type"].as_str().unwrap() {
                "object" => "properties",
                "array" => "items",
                _ => "type",
            };
            assert!(schema.contains_key(needs), "{place}: no {needs}");
        }
        for tool in TOOLS {
            check(&Value::Object(tool.input_schema()), tool.name);
        }
    }

    /// An output schema that accepts everything promises nothing.
    #[test]
    fn an_answer_without_its_members_is_none() {
        for tool in TOOLS {
            let schema = validator(tool.output_schema());
            assert!(!schema.is_valid(&json!({})), "{}", tool.name);
            assert!(!schema.is_valid(&json!([])), "{}", tool.name);
        }
    }

    fn validator(schema: Map<String, Value>) -> jsonschema::Validator {
        jsonschema::draft202012::new(&Value::Object(schema)).unwrap()
    }
}
