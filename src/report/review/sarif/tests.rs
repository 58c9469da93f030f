//! Tests of SARIF against the published schema, and of statements that it must not make.

use crate::kernel::Halt;
use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::protocol::review::{Location, Verdict};
use crate::report::example::{evil_text, is_inert};
use crate::report::review::example;

/// The published schema. One of its patterns, that of a run's `language`, has a stray `]` and is not a regular
/// expression of ECMA 262; it is left out, since none of our logs has that member.
static VALIDATOR: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let published = include_str!("../../../../fixtures/sarif/sarif-2.1.0-rtm.5.json");
    let stray = r#""pattern": "^[a-zA-Z]{2}|^[a-zA-Z]{2}-[a-zA-Z]{2}]?$""#;
    assert!(published.contains(stray));
    let schema: Value =
        serde_json::from_str(&published.replace(stray, r#""type": "string""#)).unwrap();
    let options = jsonschema::options();
    options.should_validate_formats(true).build(&schema).unwrap()
});

fn errors(validator: &jsonschema::Validator, log: &Value) -> Vec<String> {
    let errors = validator.iter_errors(log);
    errors.map(|error| format!("{} at {}", error, error.instance_path())).collect()
}

fn run(log: &Value) -> &Value {
    &log["runs"][0]
}

#[test]
fn every_example_is_valid_by_the_published_schema() {
    assert_eq!(VALIDATOR.draft(), jsonschema::Draft::Draft4);
    for (name, document) in example::all() {
        let errors = errors(&VALIDATOR, &log(&document));
        assert!(errors.is_empty(), "{name}: {errors:?}");
    }
}

#[test]
fn the_schema_is_in_force() {
    for (pointer, bad) in [
        ("/version", json!("2.0.0")),
        ("/runs/0/results/0/level", json!("fatal")),
        ("/runs/0/results/0/locations/0/physicalLocation/region/startLine", json!(0)),
        ("/runs/0/results/3/suppressions/0/kind", json!("nowhere")),
        ("/runs/0/invocations/0/startTimeUtc", json!("yesterday")),
        ("/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri", json!(7)),
        ("/runs/0/results/0/message/extra", json!(1)),
    ] {
        let mut log = log(&example::changes_requested());
        let (parent, member) = pointer.rsplit_once('/').unwrap();
        log.pointer_mut(parent).unwrap()[member] = bad;
        assert!(!VALIDATOR.is_valid(&log), "{pointer}");
    }
}

#[test]
fn severities_are_levels_and_rules() {
    let log = log(&example::changes_requested());
    let results = run(&log)["results"].as_array().unwrap();
    let rows: Vec<(&str, &str, u64)> = (results.iter())
        .map(|result| {
            (
                result["ruleId"].as_str().unwrap(),
                result["level"].as_str().unwrap(),
                result["ruleIndex"].as_u64().unwrap(),
            )
        })
        .collect();
    let (p0, p1, p2) = (("P0", "error", 0), ("P1", "warning", 1), ("P2", "note", 2));
    // Three that remain, one refuted, one outside the change, two known.
    assert_eq!(rows, [p0, p1, p2, p2, p1, p1, p1]);
    for (index, id) in ["P0", "P1", "P2"].iter().enumerate() {
        assert_eq!(run(&log)["tool"]["driver"]["rules"][index]["id"], *id);
    }
}

#[test]
fn what_does_not_remain_is_suppressed_with_its_reason_and_nothing_else_is() {
    let log = log(&example::changes_requested());
    let results = run(&log)["results"].as_array().unwrap();
    let why: Vec<Value> = (results.iter())
        .map(|result| result["suppressions"].pointer("/0/justification").cloned())
        .map(Option::unwrap_or_default)
        .collect();
    assert_eq!(
        why,
        [
            Value::Null,
            Value::Null,
            Value::Null,
            json!("refuted: one seat disagreed with evidence and none agreed"),
            json!("not in the change: its file is not in the change"),
            json!("known: The gateway limits amounts."),
            json!("known: Older than our reviews."),
        ]
    );
    for result in results {
        assert!(result["suppressions"].is_array(), "all or none have them: {result}");
        assert_eq!(result["partialFingerprints"]["debateAgent/v1"].as_str().unwrap().len(), 16);
    }
}

/// A consumer that reads only `results` reads an empty list as "nothing is wrong".
#[test]
fn only_a_verdict_of_real_agents_is_a_success() {
    for (name, document) in example::all() {
        let successful = run(&log(&document))["invocations"][0]["executionSuccessful"].clone();
        let expected = !["undecided", "degraded", "budget"].contains(&name);
        assert_eq!(successful, json!(expected), "{name}");
    }
    let mut document = example::clean();
    document.header.rehearsal = true;
    assert_eq!(run(&log(&document))["invocations"][0]["executionSuccessful"], json!(false));
    document = example::clean();
    for (outcome, verdict) in
        [(Halt::Interrupted.into(), Verdict::Clean), (Verdict::Clean.into(), Verdict::Undecided)]
    {
        (document.header.outcome, document.header.verdict) = (outcome, verdict);
        assert_eq!(run(&log(&document))["invocations"][0]["executionSuccessful"], json!(false));
    }
}

fn told(document: &ReviewDocument) -> Vec<(String, String)> {
    let log = log(document);
    let all = run(&log)["invocations"][0]["toolExecutionNotifications"].clone();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    (all.as_array().unwrap().iter())
        .map(|one| (text(&one["descriptor"]["id"]), text(&one["level"])))
        .collect()
}

#[test]
fn seats_without_an_answer_and_what_was_left_out_are_told() {
    let of = |rows: &[(&str, &str)]| -> Vec<(String, String)> {
        let rows = rows.iter();
        rows.map(|(id, level)| ((*id).to_owned(), (*level).to_owned())).collect()
    };
    let undecided = [
        ("undecided", "error"),
        ("seat_failed", "error"),
        ("not_reviewed", "note"),
        ("not_reviewed", "error"),
        ("warning", "warning"),
    ];
    assert_eq!(told(&example::undecided()), of(&undecided));
    let budget = [
        ("undecided", "error"),
        ("not_reviewed", "note"),
        ("not_reviewed", "error"),
        ("warning", "warning"),
    ];
    assert_eq!(told(&example::budget()), of(&budget));
    assert_eq!(told(&example::clean()), of(&[("not_reviewed", "note")]));
}

#[test]
fn paths_are_relative_references_below_the_repository() {
    for (path, expected) in [
        ("src/pay.rs", "src/pay.rs"),
        ("a b/ö#?%.rs", "a%20b/%C3%B6%23%3F%25.rs"),
        ("http://evil.example/x", "http%3A/evil.example/x"),
        ("//evil.example/x", "evil.example/x"),
        ("/etc/passwd", "etc/passwd"),
        ("../../x", "x"),
        ("./a/./b", "a/b"),
        ("a\\xff.rs", "a%5Cxff.rs"),
        ("..", "unnamed"),
        ("", "unnamed"),
    ] {
        assert_eq!(uri(path), expected, "{path}");
    }
}

#[test]
fn a_region_stands_only_where_the_line_is_there() {
    let mut document = example::changes_requested();
    let region = |document: &ReviewDocument, index: usize| {
        let log = log(document);
        let place = format!("/results/{index}/locations/0/physicalLocation/region");
        run(&log).pointer(&place).cloned()
    };
    let snippet = json!({"text": "let cents = amount as i32;\nrefund(cents);"});
    let expected = json!({"startLine": 42, "endLine": 43, "snippet": snippet});
    assert_eq!(region(&document, 0), Some(expected));
    // Mislocated: line 900 does not exist.
    assert_eq!(region(&document, 2), None);
    // A last line before the first is not a region.
    document.result.findings[0].reported.finding.end_line = Some(3);
    assert_eq!(region(&document, 0).unwrap()["endLine"], 42);
    document.result.findings[0].reported.location = Location::Outside;
    assert_eq!(region(&document, 0), None);
}

#[test]
fn a_message_brings_no_link() {
    let mut document = example::changes_requested();
    document.result.findings[0].reported.finding.detail = "see [here](https://evil.example)".into();
    let log = log(&document);
    let text = run(&log)["results"][0]["message"]["text"].as_str().unwrap();
    assert!(text.contains("[here] (https") && !text.contains("]("), "{text}");
}

proptest! {
    #[test]
    fn any_text_makes_a_valid_log_without_controls_and_links(evil in evil_text()) {
        let log = log(&example::poisoned(&evil));
        let errors = errors(&VALIDATOR, &log);
        prop_assert!(errors.is_empty(), "{:?}", errors);
        let shown = log.pointer("/runs/0/results/0/message/text").unwrap().as_str().unwrap();
        prop_assert!(is_inert(shown) && !shown.contains("]("), "{:?}", shown);
        let place = "/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri";
        let uri = log.pointer(place).unwrap().as_str().unwrap();
        // Draft 4 has no `uri-reference`: only characters that RFC 3986 leaves bare, and no path upwards.
        let bare = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~%/".contains(&byte);
        prop_assert!(!uri.is_empty() && uri.bytes().all(bare), "{}", uri);
        prop_assert!(uri.split('/').all(|part| !["", ".", ".."].contains(&part)), "{}", uri);
    }
}
