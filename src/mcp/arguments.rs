//! The arguments of a call, read by the declaration of its tool.
//!
//! They are accepted exactly or refused (`contract::exact`). What depends on the machine (whether a path is allowed,
//! whether an agent exists) is checked where it is used.

use serde_json::{Map, Value};

use super::answer::Answer;
use super::tool::Tool;
use crate::config::error::nearest;
use crate::contract::Declaration;
use crate::contract::exact::{self, SHOWN};

/// Reads the arguments of a call.
///
/// # Errors
/// The answer that names the field and its allowed values.
pub(super) fn read<T: Declaration>(tool: &Tool, given: Map<String, Value>) -> Result<T, Answer> {
    exact::read(given, |unknown| no_such(tool, unknown)).map_err(Answer::Refused)
}

/// Refuses a field that the tool does not have.
fn no_such(tool: &Tool, unknown: &str) -> String {
    let names = || tool.input.item.fields.iter().map(|spec| spec.key);
    // A name far longer than any field's is close to none of them.
    let near = (unknown.len() <= SHOWN).then(|| nearest(unknown, names()));
    let hint = near.flatten().map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"));
    let wrong = format!("`{}` has no such argument{hint}", tool.name);
    let known: Vec<String> = names().map(|name| format!("`{name}`")).collect();
    let allowed = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    exact::refusal(unknown, &wrong, &allowed)
}

#[cfg(test)]
mod tests {
    //! Tests of the wording of each refusal, and of the agreement between schema and check.

    use std::sync::LazyLock;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    use crate::contract::exact::Exact;
    use crate::contract::field::{Absence, Kind, Spec};
    use crate::mcp::table::{self, ToolCall};

    fn check(tool: &str, given: Value) -> Result<ToolCall, String> {
        let Value::Object(given) = given else { panic!("arguments are an object") };
        let tool = table::tool(tool).unwrap();
        (tool.input.read)(tool, given).map_err(|answer| match answer {
            Answer::Refused(why) => why,
            Answer::Result(value) => panic!("a fault is refused: {value}"),
        })
    }

    /// The arguments of a call that is accepted.
    macro_rules! taken {
        ($call:ident, $tool:expr, $given:expr) => {
            match check($tool, $given) {
                Ok(ToolCall::$call(arguments)) => arguments,
                other => panic!("{other:?}"),
            }
        };
    }

    fn refusal(tool: &str, given: Value) -> String {
        check(tool, given).unwrap_err()
    }

    #[test]
    fn null_is_as_good_as_nothing() {
        let review = json!({"question": "x", "agents": null, "include_critique": null, "includeCritique": false});
        let review = taken!(Review, "debate_review", review);
        assert!(review.agents.is_empty());
        assert!(!review.include_critique);
        assert_eq!(
            refusal("debate_review", json!({"question": null})),
            "`question`: it is missing; allowed: text of 1 to 65,536 bytes"
        );
    }

    #[test]
    fn the_ends_of_a_range_are_in_it() {
        let number = |call: ToolCall, field: &str| match (call, field) {
            (ToolCall::Outline(arguments), "rounds") => Some(arguments.rounds),
            (ToolCall::Full(arguments), "max_rounds") => arguments.max_rounds,
            (ToolCall::Full(arguments), "confidence_threshold") => arguments.confidence_threshold,
            (ToolCall::Topic(arguments), "max_rounds") => arguments.max_rounds,
            (ToolCall::Review(arguments), "wait_seconds") => Some(arguments.wait_seconds),
            (other, _) => panic!("{other:?}"),
        };
        for (tool, field, least, most) in [
            ("debate_plan", "rounds", 1, 5),
            ("debate_360", "max_rounds", 0, 5),
            ("debate_360", "confidence_threshold", 50, 100),
            ("debate_topic", "max_rounds", 0, 10),
            ("debate_review", "wait_seconds", 0, 3_600),
        ] {
            let first =
                if tool == "debate_plan" || tool == "debate_topic" { "topic" } else { "question" };
            let at = |number: i64| check(tool, json!({first: "x", field: number}));
            for given in [least, most] {
                let whole = number(at(given).unwrap(), field);
                assert_eq!(whole.map(i64::from), Some(given), "{tool} {field}");
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
            let taken = match check("debate_topic", serde_json::from_str(&given).unwrap()) {
                Ok(ToolCall::Topic(arguments)) => arguments.max_rounds,
                Ok(other) => panic!("{other:?}"),
                Err(_) => None,
            };
            assert_eq!(taken, rounds, "{written}");
        }
    }

    /// The exact words of each refusal: a client's model fixes its call by them.
    #[test]
    fn a_fault_is_named_with_what_is_allowed() {
        const ROUNDS: &str = "allowed: a whole number from 1 to 5";
        const TEXT: &str = "allowed: text of 1 to 65,536 bytes";
        const NAMES: &str = "allowed: a list of 2 to 9 different texts, each of 1 to 64 characters";
        const PATH: &str = "allowed: a path of 1 to 4,096 bytes without NUL";
        const ID: &str =
            "allowed: an id, or its first 4 characters or more: a-z, 0-9 and `-`, at most 64";
        const PLAN: &str = "allowed: `topic`, `agents`, `mode`, `rounds`";
        let long = "x".repeat(65_537);
        let names = |count: usize| (0..count).map(|name| format!("a{name}")).collect::<Vec<_>>();
        let cases = [
        ("debate_plan", json!({}), format!("`topic`: it is missing; {TEXT}")),
        ("debate_plan", json!({"topic": ""}), format!("`topic`: the text is blank; {TEXT}")),
        ("debate_plan", json!({"topic": " \n\t\u{a0}"}), format!("`topic`: the text is blank; {TEXT}")),
        ("debate_plan", json!({"topic": []}), format!("`topic`: a list is given; {TEXT}")),
        ("debate_plan", json!({"topic": {}}), format!("`topic`: an object is given; {TEXT}")),
        ("debate_plan", json!({"topic": 7}), format!("`topic`: 7 is given; {TEXT}")),
        ("debate_plan", json!({"topic": false}), format!("`topic`: false is given; {TEXT}")),
        ("debate_plan", json!({"topic": long}), format!("`topic`: the text has 65,537 bytes; {TEXT}")),
        ("debate_plan", json!({"topic": "x", "rounds": 0}), format!("`rounds`: 0 is given; {ROUNDS}")),
        ("debate_plan", json!({"topic": "x", "rounds": -1}), format!("`rounds`: -1 is given; {ROUNDS}")),
        ("debate_plan", json!({"topic": "x", "rounds": 1_000_000_000}), format!("`rounds`: 1000000000 is given; {ROUNDS}")),
        ("debate_plan", json!({"topic": "x", "rounds": 3.5}), format!("`rounds`: 3.5 is given; {ROUNDS}")),
        ("debate_plan", json!({"topic": "x", "rounds": "3"}), format!("`rounds`: \"3\" is given; {ROUNDS}")),
        ("debate_plan", json!({"topic": "x", "rounds": []}), format!("`rounds`: a list is given; {ROUNDS}")),
        ("debate_plan", json!({"topic": "x", "rounds": {}}), format!("`rounds`: an object is given; {ROUNDS}")),
        ("debate_plan", json!({"topic": "x", "mode": "fast"}), "`mode`: \"fast\" is given; allowed: \"adversarial\", \"consensus\", \"collaborative\"".to_owned()),
        ("debate_plan", json!({"topic": "x", "mode": 1}), "`mode`: 1 is given; allowed: \"adversarial\", \"consensus\", \"collaborative\"".to_owned()),
        ("debate_plan", json!({"topic": "x", "agents": "claude"}), format!("`agents`: \"claude\" is given; {NAMES}")),
        ("debate_plan", json!({"topic": "x", "agents": []}), format!("`agents`: the list is empty; {NAMES}")),
        ("debate_plan", json!({"topic": "x", "agents": ["claude"]}), format!("`agents`: the list has 1 entry; {NAMES}")),
        ("debate_plan", json!({"topic": "x", "agents": names(10)}), format!("`agents`: the list has 10 entries; {NAMES}")),
        ("debate_plan", json!({"topic": "x", "agents": ["claude", "codex", "claude"]}), format!("`agents`: \"claude\" is given twice; {NAMES}")),
        ("debate_plan", json!({"topic": "x", "agents": ["claude", 2]}), format!("`agents`: entry 2: 2 is given; {NAMES}")),
        ("debate_plan", json!({"topic": "x", "agents": ["claude", null]}), format!("`agents`: entry 2: null is given; {NAMES}")),
        ("debate_plan", json!({"topic": "x", "agents": ["claude", " "]}), format!("`agents`: entry 2 is blank; {NAMES}")),
        ("debate_plan", json!({"topic": "x", "agents": ["claude", "x".repeat(65)]}), format!("`agents`: entry 2 has 65 characters; {NAMES}")),
        ("debate_plan", json!({"topic": "x", "round": 3}), format!("`round`: `debate_plan` has no such argument (did you mean `rounds`?); {PLAN}")),
        ("debate_plan", json!({"topic": "x", "budget_usd": 3}), format!("`budget_usd`: `debate_plan` has no such argument; {PLAN}")),
        ("debate_plan", json!({"topic": "x", "wait_seconds": 3}), format!("`wait_seconds`: `debate_plan` has no such argument; {PLAN}")),
        ("debate_plan", json!({"topic": "x", "x": null}), format!("`x`: `debate_plan` has no such argument; {PLAN}")),
        ("list_agents", json!({"path": "."}), "`path`: `list_agents` has no such argument; allowed: none".to_owned()),
        ("debate_360", json!({"question": "x", "maxRounds": 6}), "`maxRounds`: 6 is given; allowed: a whole number from 0 to 5".to_owned()),
        ("debate_360", json!({"question": "x", "maxRounds": 3, "max_rounds": 3}), "`maxRounds`: it is another spelling of `max_rounds`, which is also given; allowed: one of them".to_owned()),
        ("debate_360", json!({"question": "x", "confidenceThreshold": 49}), "`confidenceThreshold`: 49 is given; allowed: a whole number from 50 to 100".to_owned()),
        ("debate_review", json!({"question": "x", "include_critique": "no"}), "`include_critique`: \"no\" is given; allowed: true, false".to_owned()),
        ("debate_review", json!({"question": "x", "path": ""}), format!("`path`: it is empty; {PATH}")),
        ("debate_review", json!({"question": "x", "path": "a\0b"}), format!("`path`: it contains a NUL byte; {PATH}")),
        ("debate_review", json!({"question": "x", "path": "é".repeat(2_049)}), format!("`path`: it has 4,098 bytes; {PATH}")),
        ("debate_review", json!({"question": "x", "path": ["src"]}), format!("`path`: a list is given; {PATH}")),
        ("debate_review", json!({"question": "x", "wait_seconds": 3_601}), "`wait_seconds`: 3601 is given; allowed: a whole number from 0 to 3600".to_owned()),
        ("debate_topic", json!({"topic": "x".repeat(4_001)}), "`topic`: the text has 4,001 bytes; allowed: text of 1 to 4,000 bytes".to_owned()),
        ("debate_topic", json!({"topic": "x", "style": "brawl"}), "`style`: \"brawl\" is given; allowed: \"dialogue\", \"argument\", \"panel\"".to_owned()),
        ("prioritize_backlog", json!({"opportunities": []}), "`opportunities`: the list is empty; allowed: a list of 1 to 100 objects, all together at most 524,288 bytes of JSON".to_owned()),
        ("prioritize_backlog", json!({"opportunities": [{}, "x"]}), "`opportunities`: entry 2: \"x\" is given; allowed: a list of 1 to 100 objects, all together at most 524,288 bytes of JSON".to_owned()),
        ("prioritize_backlog", json!({"opportunities": vec![json!({}); 101]}), "`opportunities`: the list has 101 entries; allowed: a list of 1 to 100 objects, all together at most 524,288 bytes of JSON".to_owned()),
        // [{"t":"…"}] is 10 bytes around its text.
        ("prioritize_backlog", json!({"opportunities": [{"t": "x".repeat(524_279)}]}), "`opportunities`: they have 524,289 bytes; allowed: a list of 1 to 100 objects, all together at most 524,288 bytes of JSON".to_owned()),
        ("discuss_artifact", json!({"artifact": "a.md", "perspectives": []}), "`perspectives`: the list is empty; allowed: a list of 1 to 9 different texts, each of 1 to 64 characters".to_owned()),
        ("session_status", json!({"session_id": "019"}), format!("`session_id`: \"019\" is given; {ID}")),
        ("session_status", json!({"session_id": "-0198"}), format!("`session_id`: \"-0198\" is given; {ID}")),
        ("session_status", json!({"session_id": "0198A"}), format!("`session_id`: \"0198A\" is given; {ID}")),
        ("session_status", json!({"session_id": "../0198"}), format!("`session_id`: \"../0198\" is given; {ID}")),
        ("session_status", json!({"session_id": "0198\n"}), format!("`session_id`: \"0198\" is given; {ID}")),
        ("session_status", json!({"session_id": 198}), format!("`session_id`: 198 is given; {ID}")),
        ("run_agent", json!({"agent": "claude"}), "`prompt`: it is missing; allowed: text of 1 to 524,288 bytes".to_owned()),
    ];
        for (tool, given, why) in cases {
            let shown = given.to_string().chars().take(100).collect::<String>();
            assert_eq!(refusal(tool, given), why, "{tool} {shown}");
        }
    }

    /// Only the form of paths and ids is checked here; where they lead is checked where they are used.
    #[test]
    fn what_only_the_machine_can_judge_passes() {
        let review = json!({"question": "x", "path": "../../etc"});
        let review = taken!(Review, "debate_review", review);
        assert_eq!(review.path.as_deref(), Some("../../etc"));
        for id in ["0198", "0198a3c2-7f11", &"a".repeat(64)] {
            let status = taken!(Status, "session_status", json!({"session_id": id}));
            assert_eq!(status.session_id, id);
        }
        let most = json!({"opportunities": [{"t": "x".repeat(524_278)}]});
        let most = taken!(Backlog, "prioritize_backlog", most);
        assert_eq!(most.opportunities.map(|objects| objects.len()), Some(1));
    }

    /// The first fault does not depend on the order in which a client wrote its arguments.
    #[test]
    fn the_first_fault_is_that_of_the_table() {
        let why = "`topic`: the text is blank; allowed: text of 1 to 65,536 bytes";
        for given in [
            json!({"topic": "", "rounds": 9, "aaa": 1}),
            json!({"aaa": 1, "rounds": 9, "topic": ""}),
        ] {
            assert_eq!(refusal("debate_plan", given), why);
        }
        for given in [
            json!({"topic": "x", "zzz": 1, "aaa": 1}),
            json!({"aaa": 1, "zzz": 1, "topic": "x"}),
            json!({"zzz": 1, "aaa": 1, "topic": "x"}),
        ] {
            assert!(refusal("debate_plan", given).starts_with("`aaa`: "));
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
        let twice = "\u{1b}[31mred".to_owned();
        assert_eq!(
            refusal("debate_plan", json!({"topic": "x", "agents": [twice, twice]})),
            "`agents`: \"red\" is given twice; allowed: a list of 2 to 9 different texts, each of 1 to 64 characters"
        );
    }

    /// A value close to what a field accepts, or far from it.
    fn value() -> impl Strategy<Value = Value> {
        let text = prop_oneof![
            Just(String::new()),
            "[ \t]{1,2}",
            "[a-z0-9]{1,6}",
            "-?[A-Z0-9a-z-]{3,66}",
            "\\PC{0,8}",
            Just("plan".to_owned()),
            Just("panel".to_owned()),
            Just("consensus".to_owned()),
            Just("general".to_owned()),
            (4_095_usize..4_098).prop_map(|length| "x".repeat(length)),
        ];
        let number = prop_oneof![
            any::<i64>().prop_map(Value::from),
            (-2_i64..12).prop_map(Value::from),
            (40_i64..110).prop_map(Value::from),
            (3_598_i64..3_603).prop_map(Value::from),
            (-2_i32..12).prop_map(|number| json!(f64::from(number))),
            (-2_i32..12).prop_map(|number| json!(f64::from(number) + 0.5)),
            any::<f64>()
                .prop_filter_map("finite", |number| Some(json!(number)).filter(Value::is_number)),
        ];
        let leaf = prop_oneof![
            4 => text.prop_map(Value::from),
            4 => number,
            2 => any::<bool>().prop_map(Value::from),
            1 => Just(json!({})),
        ];
        prop_oneof![
            3 => leaf.clone(),
            1 => prop::collection::vec(leaf.clone(), 0..4).prop_map(Value::from),
            1 => prop::collection::vec("[abc]", 1..4).prop_map(Value::from),
            1 => prop::collection::vec("[a-z]{1,2}", 0..12).prop_map(Value::from),
            1 => prop::collection::vec(Just(json!({"title": "x"})), 0..3).prop_map(Value::from),
        ]
    }

    /// Arguments of a tool: most fields of the table, now and then under another name.
    fn given() -> impl Strategy<Value = (usize, Map<String, Value>)> {
        (0..table::TOOLS.len()).prop_flat_map(|at| {
            let tool = &table::TOOLS[at];
            let fields: Vec<_> = (tool.input.item.fields.iter())
                .map(|spec| {
                    let required = spec.absent == Absence::Wrong;
                    prop::option::weighted(if required { 0.9 } else { 0.4 }, good_or(spec))
                })
                .collect();
            let unknown = prop::option::weighted(0.1, ("[a-z_]{1,12}", value()));
            (fields, unknown).prop_map(move |(values, unknown)| {
                let names = tool.input.item.fields.iter().map(|spec| spec.key.to_owned());
                let mut given: Map<String, Value> =
                    (names.zip(values)).filter_map(|(name, value)| Some((name, value?))).collect();
                given.extend(unknown);
                (at, given)
            })
        })
    }

    /// Mostly a value that the field accepts, so that whole calls pass as well.
    fn good_or(spec: &Spec) -> impl Strategy<Value = Value> {
        let Kind::Exact(exact) = spec.kind else { panic!("`{}` is not exact", spec.key) };
        let good = match exact {
            Exact::Text { .. } | Exact::Path => "[a-z][a-z /.]{0,8}".prop_map(Value::from).boxed(),
            Exact::Flag => any::<bool>().prop_map(Value::from).boxed(),
            Exact::Whole { least, most } => (least..=most).prop_map(Value::from).boxed(),
            Exact::Word(words) => prop::sample::select(words()).prop_map(Value::from).boxed(),
            Exact::Names { least, most, .. } => {
                prop::collection::hash_set("[a-z]{1,3}", least..=most)
                    .prop_map(|names| Value::from(names.into_iter().collect::<Vec<_>>()))
                    .boxed()
            }
            Exact::Start { .. } => "[a-z0-9][a-z0-9-]{3,63}".prop_map(Value::from).boxed(),
            Exact::Objects { .. } => prop::collection::vec(Just(json!({"title": "x"})), 1..4)
                .prop_map(Value::from)
                .boxed(),
        };
        prop_oneof![3 => good, 1 => value()]
    }

    /// The input schema of each tool of the table, compiled once.
    static SCHEMAS: LazyLock<Vec<jsonschema::Validator>> = LazyLock::new(|| {
        let schemas = table::TOOLS.iter().map(|tool| Value::Object(tool.input_schema()));
        schemas.map(|schema| jsonschema::draft202012::new(&schema).unwrap()).collect()
    });

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        /// The published schemas match the server: a call is valid under the schema exactly if the server accepts it.
        /// Excluded is what a schema cannot express: byte lengths of texts, a NUL in a path, white space on which regex
        /// dialects differ, and in words that every vendor takes, further arguments and a name that comes twice.
        #[test]
        fn the_schema_and_the_check_agree((at, given) in given()) {
            let tool = &table::TOOLS[at];
            let twice = |value: &Value| value.as_array().is_some_and(|all| {
                (1..all.len()).any(|at| all[..at].contains(&all[at]))
            });
            let untold = given.iter().any(|(name, value)| {
                let spec = tool.input.item.fields.iter().find(|spec| spec.key == name);
                spec.is_none_or(|spec| matches!(spec.kind, Kind::Exact(Exact::Names { .. })) && twice(value))
            });
            let given = Value::Object(given);
            let text = given.to_string();
            prop_assume!(!text.contains("\\u0000") && !text.contains(['\u{85}', '\u{feff}', '\u{180e}']));
            let valid = SCHEMAS[at].is_valid(&given);
            let checked = check(tool.name, given);
            prop_assert_eq!(checked.is_ok(), valid && !untold, "{}: {:?}\n{}", tool.name, checked, text);
        }
    }
}
