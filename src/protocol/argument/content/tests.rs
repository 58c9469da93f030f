//! What is read out of contents of all kinds.

use super::*;

#[expect(clippy::needless_pass_by_value, reason = "tests give what `json!` makes")]
fn object(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

#[test]
fn the_text_is_the_first_that_is_named_or_all_there_is() {
    for (content, expected) in [
        (json!({"summary": "b", "text": " a "}), "a"),
        (json!({"text": " ", "summary": "b"}), "b"),
        (json!({"text": 1, "summary": "b"}), "b"),
        (json!({"plan": ["x"]}), r#"{"plan":["x"]}"#),
        (json!({}), ""),
    ] {
        assert_eq!(text(&object(content)), expected);
    }
    let long = text(&object(json!({"plan": "x".repeat(10_000)})));
    assert_eq!(long.chars().count(), TEXT_CHARS);
}

#[test]
fn points_are_numbered_in_the_order_written_whatever_they_were_called() {
    let mut content = object(json!({
        "text": "Do it.",
        "points": [
            {"id": "P7", "claim": " Reads first ", "importance": 3, "reasoning": "Cheap."},
            {"id": "P1", "claim": ""},
            "Writes later",
            {"claim": "Measure", "importance": 9},
            {"importance": 1},
        ],
    }));
    let read = points(&content);
    let short: Vec<(&str, &str, u8)> =
        (read.iter()).map(|point| (&*point.id, &*point.claim, point.importance)).collect();
    assert_eq!(short, [("P1", "Reads first", 3), ("P2", "Writes later", 2), ("P3", "Measure", 2)]);
    number(&mut content);
    assert_eq!(points(&content), read, "numbering twice changes nothing");
    assert_eq!(content["points"][1], json!({"id": "P2", "claim": "Writes later", "importance": 2}));
    assert_eq!(claims(&content), ["Reads first", "Writes later", "Measure"]);
}

#[test]
fn an_argument_claims_its_points_and_concerns_and_at_least_itself() {
    let said = |content: Value, concerns: usize| -> ArgumentSaid {
        let concerns: Vec<Value> = (0..concerns).map(|_| json!({"id": "x", "text": "y"})).collect();
        let value = json!({
            "type": "challenge", "content": content, "confidence_score": 0.5, "concerns": concerns,
        });
        serde_json::from_value(value).unwrap()
    };
    assert_eq!(claim_count(&said(json!({"text": "No."}), 0)), 1);
    assert_eq!(claim_count(&said(json!({"text": "No."}), 3)), 3);
    assert_eq!(claim_count(&said(json!({"points": ["a", {"claim": "b"}, 7]}), 1)), 3);
    assert_eq!(claim_count(&said(json!({"points": "a"}), 0)), 1);
}

#[test]
fn only_a_plain_yes_or_no_says_whether_code_has_to_change() {
    for (content, expected) in [
        (json!({"code_change_required": true}), Some(true)),
        (json!({"code_change_required": false}), Some(false)),
        (json!({"code_change_required": "yes"}), None),
        (json!({}), None),
    ] {
        assert_eq!(code_change_required(&object(content)), expected);
    }
}
