//! The JSON Schemas of tools: their input, from the declaration that calls are read by, and their output.
//!
//! Dialect 2020-12, which clients assume where none is named. No references and no keywords that a client might not
//! know: some pass these schemas to models unchanged, and refuse a tool over one keyword.
//!
//! Where a schema cannot express everything, it is the weaker one and the server's check decides: lengths of texts
//! count characters in the schema and bytes in the check, `null` is not a value in the schema and a missing argument in
//! the check, and for further arguments or a name that comes twice an input schema has no word that Gemini takes.
//!
//! Clients get the list of tools in one piece, and nine tools answer with the same object. So an output schema names
//! its members in groups, by their type: `{"patternProperties": {"^(role|agent)$": {"type": "string"}}}`. That
//! expresses as much as a line for each, in two thirds of the bytes. An input schema has a line for each: models read
//! it.

use serde_json::{Map, Value, json};

use super::tool::{Output, Tool};
use crate::contract::exact::{Exact, PATH_BYTES, listed};
use crate::contract::field::{Absence, Fallback, Kind, Spec};

impl Tool {
    pub(crate) fn input_schema(&self) -> Map<String, Value> {
        let fields = self.input.item.fields;
        let properties = fields.iter().map(|spec| (spec.key.to_owned(), property(spec)));
        let required = fields.iter().filter(|spec| spec.absent == Absence::Wrong);
        let required: Vec<&str> = required.map(|spec| spec.key).collect();
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("object"));
        schema.insert("properties".to_owned(), properties.collect());
        if !required.is_empty() {
            schema.insert("required".to_owned(), json!(required));
        }
        schema
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

fn property(spec: &Spec) -> Value {
    // Agents' output is read tolerantly, so that it has no schema; no argument is of such a kind.
    let mut schema =
        if let Kind::Exact(exact) = spec.kind { exactly(exact, spec.usual) } else { json!({}) };
    match spec.usual {
        Fallback::None => {}
        Fallback::Flag(flag) => schema["default"] = json!(flag),
        Fallback::Whole(number) => schema["default"] = json!(number),
        Fallback::Word(word) => schema["default"] = json!(word),
    }
    schema["description"] = json!(spec.about);
    schema
}

fn exactly(exact: Exact, usual: Fallback) -> Value {
    match exact {
        // One non-blank character makes it one character long.
        Exact::Text { most } => json!({"type": "string", "maxLength": most, "pattern": NOT_BLANK}),
        Exact::Path => json!({"type": "string", "minLength": 1, "maxLength": PATH_BYTES}),
        Exact::Start { least, most } => {
            let more = format!("{{{},{}}}", least - 1, most - 1);
            json!({"type": "string", "pattern": format!("^[a-z0-9][a-z0-9-]{more}$")})
        }
        Exact::Flag => json!({"type": "boolean"}),
        Exact::Whole { least, most } => {
            json!({"type": "integer", "minimum": least, "maximum": most})
        }
        Exact::Word(words) => json!({"type": "string", "enum": listed(words, usual)}),
        Exact::Names { least, most, longest } => json!({
            "type": "array",
            "items": {"type": "string", "maxLength": longest, "pattern": NOT_BLANK},
            "minItems": least,
            "maxItems": most,
        }),
        // Gemini refuses an object without members, so the one that each must have is named.
        Exact::Objects { most, .. } => json!({
            "type": "array",
            "items": {"type": "object", "properties": {"title": {"type": "string"}}},
            "minItems": 1,
            "maxItems": most,
        }),
    }
}

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
