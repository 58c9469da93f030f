//! The JSON Schemas of tools: their input, from the type that a call is read as, and their output, from the type that
//! is written.
//!
//! Dialect 2020-12, which clients assume where none is named. No references and no keywords that a client might not
//! know: some pass these schemas to models unchanged, and refuse a tool over one keyword.
//!
//! A call is held against the schema of its input (`arguments`). `null` is not a value in it, and a missing argument in
//! a call; for further arguments an input schema has no word that Gemini takes.
//!
//! Clients get the list of tools in one piece, and nine tools answer with the same object. So an output schema says no
//! more than types, and names its members in groups: `{"patternProperties": {"^(role|agent)$": {"type": "string"}}}`.
//! An input schema has a line for each: models read it.

use schemars::generate::SchemaSettings;
use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use super::tool::Tool;

impl Tool {
    pub(crate) fn input_schema(&self) -> Map<String, Value> {
        (self.input.schema)()
    }
}

/// Returns the schema of a type of arguments, in words that every client takes.
pub(super) fn input<T: JsonSchema>() -> Map<String, Value> {
    let mut whole = of::<T>(SchemaSettings::draft2020_12());
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

/// Returns the schema of a type of results.
pub(super) fn output<T: JsonSchema>() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().for_serialize().with_transform(types_alone);
    match of::<T>(settings) {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

fn of<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let settings = settings.with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

fn types_alone(schema: &mut Schema) {
    let mut inner = |schema: &mut Schema| {
        types_alone(schema);
        schema.remove("required");
    };
    transform_subschemas(&mut inner, schema);
    let Some(members) = schema.as_object_mut() else {
        return;
    };
    one_type(members);
    members.retain(|word, _| !["description", "minimum", "maximum"].contains(&word.as_str()));
    if members.contains_key("enum") {
        members.remove("type");
    }
    let Some(Value::Object(properties)) = members.remove("properties") else {
        return;
    };
    let mut groups: Vec<(Value, Vec<String>)> = Vec::new();
    for (name, holds) in properties {
        match groups.iter_mut().find(|(of, _)| *of == holds) {
            Some((_, names)) => names.push(name),
            None => groups.push((holds, vec![name])),
        }
    }
    for (holds, names) in groups {
        let (word, name) = match &names[..] {
            [name] => ("properties", name.clone()),
            names => ("patternProperties", format!("^({})$", names.join("|"))),
        };
        members.entry(word).or_insert_with(|| json!({}))[name] = holds;
    }
}

/// Gives each argument one type. No text is blank, and no list empty.
fn simplify(schema: &mut Value) {
    let Some(members) = schema.as_object_mut() else {
        return;
    };
    one_type(members);
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

/// Gives a value one type: what may be left out is not `null`, and a word is one of an `enum`.
fn one_type(members: &mut Map<String, Value>) {
    if let Some(Value::Array(choices)) = members.remove("anyOf") {
        let given = choices.into_iter().find(|choice| choice["type"] != "null");
        for (word, value) in given.as_ref().and_then(Value::as_object).into_iter().flatten() {
            members.entry(word).or_insert(value.clone());
        }
    }
    if let Some(words) = members.remove("oneOf") {
        let words = words.as_array().into_iter().flatten().flat_map(|word| {
            word["enum"].as_array().cloned().unwrap_or_else(|| vec![word["const"].clone()])
        });
        members.insert("enum".to_owned(), words.collect());
        members.insert("type".to_owned(), "string".into());
    }
    members.retain(|word, _| !["$schema", "title", "format", "default"].contains(&word.as_str()));
    if let Some(first) = members.get("type").and_then(|kind| kind.get(0)).cloned() {
        members.insert("type".to_owned(), first);
    }
    if let Some(Value::Array(words)) = members.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
}

/// The most characters of a text of which its field says nothing else.
const TEXT: u32 = 64 << 10;

/// Matches a text with at least one non-blank character.
const NOT_BLANK: &str = r"\S";

#[cfg(test)]
mod tests {
    //! Tests that schemas are small and valid, and agree with the server's check.

    use super::*;
    use crate::mcp::table::TOOLS;

    /// Every schema conforms to the dialect and is free of references.
    #[test]
    fn schemas_are_valid_and_stand_alone() {
        for tool in TOOLS {
            for schema in [tool.input_schema(), (tool.output)()] {
                let schema = Value::Object(schema);
                assert!(jsonschema::draft202012::meta::is_valid(&schema), "{}", tool.name);
                let text = schema.to_string();
                for word in ["$ref", "$defs", "\"format\"", "null", "anyOf", "oneOf", "allOf"] {
                    assert!(!text.contains(word), "{}: {word} in {text}", tool.name);
                }
                assert_eq!(schema["type"], "object", "{}", tool.name);
            }
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
            let schema = validator((tool.output)());
            assert!(!schema.is_valid(&json!({})), "{}", tool.name);
            assert!(!schema.is_valid(&json!([])), "{}", tool.name);
        }
    }

    fn validator(schema: Map<String, Value>) -> jsonschema::Validator {
        jsonschema::draft202012::new(&Value::Object(schema)).unwrap()
    }
}
