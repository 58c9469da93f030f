//! The arguments of a call: held against the schema of the tool, then read as its type.
//!
//! They are accepted exactly or refused: a program can correct its call at no cost, so nothing is converted (`"3"` is
//! not 3), cut or ignored. What depends on the machine (whether a path is allowed, whether an agent exists) is checked
//! where it is used.

use regex::Regex;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::answer::Answer;
use super::tool::Tool;
use crate::config::error::nearest;
use crate::text::sanitize;

/// Maximum length of a given value in a refusal, in characters.
const SHOWN: usize = 60;

/// Spellings of the first specification (003).
const SPELLINGS: [(&str, &str); 3] = [
    ("includeCritique", "include_critique"),
    ("maxRounds", "max_rounds"),
    ("confidenceThreshold", "confidence_threshold"),
];

/// Reads the arguments of a call.
///
/// # Errors
/// The answer that names the field and its allowed values.
pub(super) fn read<T: DeserializeOwned>(
    tool: &Tool,
    given: Map<String, Value>,
) -> Result<T, Answer> {
    let checked = check(tool, given).map_err(Answer::Refused)?;
    // What its schema allows is of the type.
    serde_json::from_value(Value::Object(checked))
        .map_err(|error| Answer::Refused(sanitize::line(&error.to_string(), SHOWN)))
}

/// Returns the arguments that are given, each under its own name and as the schema has it. The first fault is the same
/// in whatever order the client wrote its arguments.
fn check(tool: &Tool, given: Map<String, Value>) -> Result<Map<String, Value>, String> {
    let schema = tool.input_schema();
    let known = schema["properties"].as_object().cloned().unwrap_or_default();
    let named = |key: &str| {
        let ours = SPELLINGS.iter().find(|(other, _)| *other == key).map(|(_, ours)| *ours);
        known.get_key_value(ours.unwrap_or(key)).map(|(name, _)| name.clone())
    };
    if let Some(unknown) = given.keys().filter(|key| named(key).is_none()).min() {
        return Err(no_such(tool, unknown, known.keys().map(String::as_str)));
    }
    let mut taken = Map::new();
    for (key, value) in given.into_iter().filter(|(_, value)| !value.is_null()) {
        let twice = named(&key).and_then(|name| taken.insert(name, value));
        if twice.is_some() {
            return Err(format!("`{key}`: it is given in two spellings; give one of them"));
        }
    }
    for (name, allowed) in &known {
        let owed = schema.get("required").and_then(Value::as_array);
        let wrong = match taken.get_mut(name).map(|value| (fits(allowed, value), value)) {
            Some((false, value)) => {
                format!("{} is given", sanitize::line(&value.to_string(), SHOWN))
            }
            None if owed.is_some_and(|owed| owed.iter().any(|owed| owed == name)) => {
                "it is missing".to_owned()
            }
            Some((true, _)) | None => continue,
        };
        let mut allowed = allowed.clone();
        allowed.as_object_mut().map(|allowed| allowed.shift_remove("description"));
        return Err(format!("`{name}`: {wrong}; allowed: {allowed}"));
    }
    Ok(taken)
}

/// Whether a value is as its schema says, in the few words that arguments are described in. A whole number is one in
/// any spelling: 3.0 becomes 3.
fn fits(schema: &Value, value: &mut Value) -> bool {
    let within = |size: f64, least: &str, most: &str| {
        schema[least].as_f64().is_none_or(|least| least <= size)
            && schema[most].as_f64().is_none_or(|most| size <= most)
    };
    match (schema["type"].as_str(), value) {
        (Some("string"), Value::String(text)) => {
            let pattern = schema["pattern"].as_str().map(Regex::new);
            within(count(text.chars().count()), "minLength", "maxLength")
                && schema["enum"]
                    .as_array()
                    .is_none_or(|words| words.iter().any(|word| word == text))
                && pattern.is_none_or(|pattern| pattern.is_ok_and(|of| of.is_match(text)))
        }
        (Some("boolean"), Value::Bool(_)) | (Some("object"), Value::Object(_)) => true,
        (Some("integer"), value) => {
            let Some(number) = value.as_f64().filter(|number| number.fract() == 0.0) else {
                return false;
            };
            let fits = within(number, "minimum", "maximum");
            // Adding 0 turns -0 into 0; formatting a whole number is exact.
            if let (true, Ok(whole)) = (fits, format!("{:.0}", number + 0.0).parse::<i64>()) {
                *value = whole.into();
            }
            fits
        }
        (Some("array"), Value::Array(items)) => {
            within(count(items.len()), "minItems", "maxItems")
                && items.iter_mut().all(|item| fits(&schema["items"], item))
        }
        _ => false,
    }
}

/// A size as a number of JSON.
fn count(size: usize) -> f64 {
    u32::try_from(size).map_or(f64::INFINITY, f64::from)
}

/// Refuses a field that the tool does not have.
fn no_such<'a>(tool: &Tool, unknown: &str, names: impl Iterator<Item = &'a str> + Clone) -> String {
    let (tool, unknown) = (tool.name, sanitize::line(unknown, SHOWN));
    let near = nearest(&unknown, names.clone());
    let hint = near.map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"));
    let known: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    let allowed = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    format!("`{unknown}`: `{tool}` has no such argument{hint}; allowed: {allowed}")
}

#[cfg(test)]
mod tests {
    //! Tests of the wording of each refusal, and of the agreement between schema and check.

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::mcp::table;

    fn taken(tool: &str, given: Value) -> Result<Value, String> {
        let Value::Object(given) = given else { panic!("arguments are an object") };
        check(table::tool(tool).unwrap(), given).map(Value::Object)
    }

    fn refusal(tool: &str, given: Value) -> String {
        taken(tool, given).unwrap_err()
    }

    #[test]
    fn null_is_as_good_as_nothing_and_a_spelling_as_its_name() {
        let review = json!({"question": "x", "agents": null, "include_critique": null, "includeCritique": false});
        assert_eq!(
            taken("debate_review", review).unwrap(),
            json!({"question": "x", "include_critique": false})
        );
        let full = json!({"question": "x", "maxRounds": 2, "confidenceThreshold": 60});
        let ours = json!({"question": "x", "max_rounds": 2, "confidence_threshold": 60});
        assert_eq!(taken("debate_360", full).unwrap(), ours);
    }

    #[test]
    fn the_ends_of_a_range_are_in_it() {
        for (tool, field, least, most) in [
            ("debate_plan", "rounds", 1, 5),
            ("debate_360", "max_rounds", 0, 5),
            ("debate_360", "confidence_threshold", 50, 100),
            ("debate_topic", "max_rounds", 0, 10),
            ("debate_review", "wait_seconds", 0, 3_600),
        ] {
            let first =
                if tool == "debate_plan" || tool == "debate_topic" { "topic" } else { "question" };
            let at = |number: i64| taken(tool, json!({first: "x", field: number}));
            for given in [least, most] {
                assert_eq!(at(given).unwrap()[field], given, "{tool} {field}");
            }
            for given in [least - 1, most + 1] {
                assert!(at(given).is_err(), "{tool} {field} {given}");
            }
        }
    }

    /// A whole number is read in every JSON spelling; a string of digits is not a number.
    #[test]
    fn numbers_are_read_and_never_made() {
        for (written, rounds) in [
            ("3", Some(3)),
            ("3.0", Some(3)),
            ("3e0", Some(3)),
            ("0.3e1", Some(3)),
            ("-0", Some(0)),
            ("-0.0", Some(0)),
            ("3.5", None),
            ("\"3\"", None),
            ("true", None),
            ("18446744073709551616", None),
            ("4294967299", None),
            ("1e300", None),
            ("-1", None),
        ] {
            let given = format!(r#"{{"topic": "x", "max_rounds": {written}}}"#);
            let taken = taken("debate_topic", serde_json::from_str(&given).unwrap());
            assert_eq!(
                taken.ok().and_then(|taken| taken["max_rounds"].as_u64()),
                rounds,
                "{written}"
            );
        }
    }

    /// The exact words of each refusal: a client's model fixes its call by them.
    #[test]
    fn a_fault_is_named_with_what_is_allowed() {
        const ROUNDS: &str = r#"{"type":"integer","minimum":1,"maximum":5}"#;
        const TEXT: &str = r#"{"type":"string","maxLength":65536,"pattern":"\\S"}"#;
        const NAMES: &str = r#"{"type":"array","items":{"type":"string","maxLength":64,"pattern":"\\S"},"minItems":2,"maxItems":9}"#;
        const PLAN: &str = "allowed: `topic`, `mode`, `rounds`, `agents`";
        const MODE: &str =
            r#"{"enum":["adversarial","consensus","collaborative"],"type":"string"}"#;
        let plan = |field: &str, value: Value| {
            let mut given = json!({"topic": "x"});
            given[field] = value;
            refusal("debate_plan", given)
        };
        for (field, value, allowed) in [
            ("topic", json!(""), TEXT),
            ("topic", json!(" \n\t\u{a0}"), TEXT),
            ("topic", json!([]), TEXT),
            ("topic", json!(false), TEXT),
            ("rounds", json!(0), ROUNDS),
            ("rounds", json!(-1), ROUNDS),
            ("rounds", json!(3.5), ROUNDS),
            ("rounds", json!("3"), ROUNDS),
            ("rounds", json!({}), ROUNDS),
            ("mode", json!("fast"), MODE),
            ("mode", json!(1), MODE),
            ("agents", json!("claude"), NAMES),
            ("agents", json!([]), NAMES),
            ("agents", json!(["claude"]), NAMES),
            ("agents", json!(["claude", null]), NAMES),
            ("agents", json!(["claude", " "]), NAMES),
        ] {
            let why = format!(
                "`{field}`: {} is given; allowed: {allowed}",
                sanitize::line(&value.to_string(), SHOWN)
            );
            assert_eq!(plan(field, value), why);
        }
        for (field, value) in [
            ("topic", json!("x".repeat(65_537))),
            ("agents", json!((0..10).map(|name| format!("a{name}")).collect::<Vec<_>>())),
            ("agents", json!(["claude", "x".repeat(65)])),
        ] {
            let why = plan(field, value);
            assert!(
                why.starts_with(&format!("`{field}`: ")) && why.contains(" is given; allowed: {"),
                "{why}"
            );
        }
        for (tool, given, why) in [
            ("debate_plan", json!({}), format!("`topic`: it is missing; allowed: {TEXT}")),
            ("debate_plan", json!({"topic": null}), format!("`topic`: it is missing; allowed: {TEXT}")),
            ("debate_plan", json!({"topic": "x", "round": 3}), format!("`round`: `debate_plan` has no such argument (did you mean `rounds`?); {PLAN}")),
            ("debate_plan", json!({"topic": "x", "budget_usd": 3}), format!("`budget_usd`: `debate_plan` has no such argument; {PLAN}")),
            ("debate_plan", json!({"topic": "x", "wait_seconds": 3}), format!("`wait_seconds`: `debate_plan` has no such argument; {PLAN}")),
            ("debate_plan", json!({"topic": "x", "maxRounds": 3}), format!("`maxRounds`: `debate_plan` has no such argument (did you mean `rounds`?); {PLAN}")),
            ("debate_plan", json!({"topic": "x", "x": null}), format!("`x`: `debate_plan` has no such argument; {PLAN}")),
            ("list_agents", json!({"path": "."}), "`path`: `list_agents` has no such argument; allowed: none".to_owned()),
            ("debate_360", json!({"question": "x", "maxRounds": 3, "max_rounds": 3}), "`max_rounds`: it is given in two spellings; give one of them".to_owned()),
            ("prioritize_backlog", json!({"opportunities": [{}, "x"]}), r#"`opportunities`: [{},"x"] is given; allowed: {"type":"array","items":{"type":"object","properties":{"title":{"type":"string"}}},"maxItems":100,"minItems":1}"#.to_owned()),
        ] {
            assert_eq!(refusal(tool, given), why);
        }
        for id in ["019", "-0198", "0198A", "../0198", "0198\n", "0198 --all"] {
            let why = refusal("session_status", json!({"session_id": id}));
            assert!(why.starts_with("`session_id`: "), "{why}");
        }
    }

    /// The first fault does not depend on the order in which a client wrote its arguments.
    #[test]
    fn the_first_fault_is_the_same_in_any_order() {
        for given in [
            json!({"topic": "", "rounds": 9, "zzz": 1, "aaa": 1}),
            json!({"aaa": 1, "zzz": 1, "rounds": 9, "topic": ""}),
        ] {
            assert!(refusal("debate_plan", given).starts_with("`aaa`: "));
        }
        for given in [json!({"topic": "", "rounds": 9}), json!({"rounds": 9, "topic": ""})] {
            assert!(refusal("debate_plan", given).starts_with("`topic`: "));
        }
    }

    /// Whatever a client sent is repeated short and sanitized.
    #[test]
    fn a_refusal_is_short_and_clean() {
        let evil = "\u{1b}]52;c;eA==\u{7}\u{202e}".to_owned() + &"y".repeat(1 << 20);
        for given in [
            json!({"topic": "x", "mode": evil}),
            json!({"topic": "x", "rounds": evil}),
            json!({"topic": "x", "agents": [evil, evil]}),
            json!({"topic": "x", evil.clone(): 1}),
        ] {
            let why = refusal("debate_plan", given);
            assert!(why.len() <= 300, "{why}");
            assert!(!why.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{why:?}");
        }
    }

    /// A value close to what a field accepts, or far from it.
    fn value() -> impl Strategy<Value = Value> {
        let text = prop_oneof![
            Just(String::new()),
            "[ \t]{1,2}",
            "[a-z0-9]{1,6}",
            "-?[A-Z0-9a-z-]{3,66}",
            "\\PC{0,8}",
            prop::sample::select(vec!["plan", "panel", "consensus", "general"])
                .prop_map(str::to_owned),
        ];
        let number = prop_oneof![
            any::<i64>().prop_map(Value::from),
            (-2_i64..12).prop_map(Value::from),
            (40_i64..110).prop_map(Value::from),
            (3_598_i64..3_603).prop_map(Value::from),
            (-2_i32..12).prop_map(|number| json!(f64::from(number) / 2.0)),
            any::<f64>()
                .prop_filter_map("finite", |number| Some(json!(number)).filter(Value::is_number)),
        ];
        let leaf = prop_oneof![
            4 => text.prop_map(Value::from),
            4 => number,
            2 => any::<bool>().prop_map(Value::from),
            1 => Just(json!({"title": "x"})),
        ];
        prop_oneof![
            3 => leaf.clone(),
            1 => prop::collection::vec(leaf, 0..4).prop_map(Value::from),
            2 => prop::collection::vec("[a-z]{1,2}", 0..12).prop_map(Value::from),
        ]
    }

    /// Arguments of a tool: most of its fields, now and then another one.
    fn given() -> impl Strategy<Value = (usize, Map<String, Value>)> {
        (0..table::TOOLS.len()).prop_flat_map(|at| {
            let schema = table::TOOLS[at].input_schema();
            let names: Vec<String> =
                schema["properties"].as_object().unwrap().keys().cloned().collect();
            let usual = move |name: &String| match name.as_str() {
                "question" | "topic" | "prompt" | "agent" => json!("x"),
                "session_id" => json!("0198"),
                _ => Value::Null,
            };
            let fields: Vec<_> = names
                .iter()
                .map(|name| prop_oneof![2 => Just(usual(name)), 1 => value()])
                .collect();
            let unknown = prop::option::weighted(0.1, ("[a-z_]{1,12}", value()));
            (fields, unknown).prop_map(move |(values, unknown)| {
                let given = names.iter().cloned().zip(values).chain(unknown);
                (at, given.filter(|(_, value)| !value.is_null()).collect())
            })
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        /// A call is taken exactly if it is valid by the published schema, and has no further argument.
        #[test]
        fn the_schema_and_the_check_agree((at, given) in given()) {
            let tool = &table::TOOLS[at];
            let schema = tool.input_schema();
            let known = given.keys().all(|name| schema["properties"].get(name).is_some());
            let validator = jsonschema::draft202012::new(&Value::Object(schema)).unwrap();
            let valid = validator.is_valid(&Value::Object(given.clone()));
            let checked = check(tool, given.clone());
            prop_assert_eq!(checked.is_ok(), valid && known, "{}: {:?}\n{:?}", tool.name, checked, given);
        }
    }
}
