//! Schemas are small, valid, and say what the server's check says.

use super::*;
use crate::mcp::table::TOOLS;
use crate::protocol::debate::Mode;
use crate::protocol::outline as protocol;

/// Every schema is one of the dialect, and none asks its reader to look elsewhere.
#[test]
fn schemas_are_valid_and_stand_alone() {
    for tool in TOOLS {
        // A member of either kind of value is said with `anyOf`: clients refuse several types of one schema. No client fills
        // such a member in.
        for (schema, refused) in
            [(tool.input_schema(), &["anyOf"][..]), (tool.output_schema(), &[])]
        {
            let schema = Value::Object(schema);
            assert!(jsonschema::draft202012::meta::is_valid(&schema), "{}", tool.name);
            let text = schema.to_string();
            let never = ["$ref", "$defs", "\"format\"", "null", "oneOf", "allOf"];
            for word in never.iter().chain(refused) {
                assert!(!text.contains(word), "{}: {word} in {text}", tool.name);
            }
            assert_eq!(schema["type"], "object", "{}", tool.name);
            assert_eq!(schema["additionalProperties"], false, "{}", tool.name);
        }
    }
}

/// An output schema that everything satisfies promises nothing.
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

/// A result as the server gives it, with every member that it can have.
fn whole() -> Value {
    json!({
        "status": "done",
        "session_id": "0198a",
        "protocol": "review",
        "outcome": "comments",
        "verdict": "approve",
        "decided": true,
        "summary": "COMMENTS",
        "confidence": 87,
        "severity": "low",
        "winner": "claude",
        "seats": [
            {"role": "reviewer", "agent": "claude", "vendor": "anthropic", "status": "answered"},
            {"role": "reviewer", "agent": "codex", "vendor": "openai", "status": "failed", "failure": "timed_out"},
        ],
        "quorum": {"needed": 2, "answered": 1, "vendors": 1},
        "items": [{
            "id": "F1",
            "kind": "finding",
            "title": "Off by one",
            "detail": "The last one is lost.",
            "severity": "P1",
            "status": "confirmed",
            "file": "src/a.rs",
            "line": 3,
        }],
        "items_left_out": 2,
        "not_reviewed": 1,
        "warnings": ["x: y"],
        "cost_usd": 0.25,
        "rehearsal": false,
        "resumable": false,
        "report_path": ".debate/reviews/a.md",
        "transcript": "debate://sessions/0198a",
        "progress": {"done": 3, "message": "r1"},
        "sessions": ["0198a"],
    })
}

/// What a member may not hold, member by member: where, and what.
#[test]
fn a_session_result_is_what_it_says_or_none() {
    let schema = validator(session());
    assert!(schema.is_valid(&whole()));
    assert!(schema.is_valid(&json!({"status": "running"})));
    for (at, wrong) in [
        ("/status", json!("finished")),
        ("/status", Value::Null),
        ("/session_id", Value::Null),
        ("/outcome", json!(1)),
        ("/decided", json!("yes")),
        ("/confidence", json!("87%")),
        ("/seats", json!({})),
        ("/seats/0/status", json!("absent")),
        ("/seats/0", json!({"role": "reviewer", "agent": "claude", "vendor": "x"})),
        ("/seats/0", json!({"agent": "claude", "vendor": "x", "status": "answered"})),
        ("/seats/1/failure", Value::Null),
        ("/quorum", json!({"needed": 2, "answered": 1})),
        ("/quorum/vendors", json!("one")),
        ("/items", json!("none")),
        ("/items/0", json!({"id": "F1", "kind": "finding"})),
        ("/items/0/line", json!("3")),
        ("/items/0/line", json!(3.5)),
        ("/items/0/detail", json!(["x"])),
        ("/items_left_out", json!(0.5)),
        ("/warnings/0", json!({"code": "x"})),
        ("/cost_usd", json!("0.25")),
        ("/rehearsal", json!(0)),
        ("/progress", json!("3 calls")),
        ("/sessions", json!("0198a")),
    ] {
        let mut result = whole();
        *result.pointer_mut(at).unwrap() = wrong;
        assert!(!schema.is_valid(&result), "{at}: {result}");
    }
    let mut result = whole();
    result["raw_answer"] = json!("x");
    assert!(!schema.is_valid(&result), "a further member");
}

/// The document of an outline is what its schema says, and nothing more.
#[test]
fn an_outline_is_what_its_schema_says() {
    let agents = ["claude", "codex"].map(str::to_owned).to_vec();
    let id = "0199a3c2-7f11-7abc-8def-0123456789ab".to_owned();
    let outline = protocol::outline(id, "REST or gRPC?", Mode::Consensus, 2, agents).unwrap();
    let mut document = serde_json::to_value(&outline).unwrap();
    let schema = validator(super::outline());
    assert!(schema.is_valid(&document), "{document}");
    document["phases"][0]["agent_actions"]["claude"] = json!(1);
    assert!(!schema.is_valid(&document));
}
