//! Tests of compositions: which decisions are read, and which faults cause a re-ask.

use serde_json::{Value, json};

use super::super::CompositionBlock;
use super::tests::{codes, judge};
use super::*;

fn composed(body: &Value, chance: Chance) -> Result<CompositionBlock, Vec<String>> {
    match judge(Role::Composer, &body.to_string(), chance) {
        Ok(reply) => match reply.content.said {
            Content::Composition(said) => Ok(said),
            _ => panic!("another role"),
        },
        Err(defect) => Err(codes(&defect).into_iter().map(str::to_owned).collect()),
    }
}

#[test]
fn a_composition_decides_on_known_ids_once() {
    let said = composed(
        &json!({
            "keep": ["f1", { "id": "F9" }], "merge": [{ "into": "F1", "ids": ["F2", "F2", "F1", "F8"] }],
            "eliminate": [{ "id": "F3", "reason": "Handled by the caller." }],
        }),
        Chance::First,
    )
    .unwrap();
    assert_eq!(said.keep.len(), 1);
    assert_eq!(
        (said.merge[0].into.as_str(), &said.merge[0].ids[..]),
        ("F1", &["F2".to_owned()][..])
    );
    assert_eq!(said.eliminate[0].id, "F3");
    // Empty lists keep everything; missing lists are not an answer.
    assert!(composed(&json!({ "keep": [], "eliminate": [] }), Chance::First).is_ok());
    assert!(composed(&json!({ "open_questions": ["?"] }), Chance::Last).is_err());
}

#[test]
fn two_fates_for_one_finding_are_asked_again_and_left_to_the_rules() {
    let out = |id: &str| json!({ "id": id, "reason": "No." });
    let bodies = [
        json!({ "keep": ["F1"], "eliminate": [out("F1")] }),
        json!({ "merge": [{ "into": "F2", "ids": ["F1"] }], "eliminate": [out("F1")] }),
        json!({ "merge": [{ "into": "F2", "ids": ["F1"] }, { "into": "F3", "ids": ["F1"] }] }),
    ];
    for body in bodies {
        assert_eq!(
            composed(&body, Chance::First),
            Err(vec!["conflicting_entries".to_owned()]),
            "{body}"
        );
        assert!(composed(&body, Chance::Last).is_ok(), "{body}");
    }
}

#[test]
fn an_elimination_without_a_reason_is_none() {
    let body = json!({ "eliminate": [{ "id": "F1" }, { "id": "F2", "reason": "No." }] });
    assert_eq!(composed(&body, Chance::First), Err(vec!["missing_field".to_owned()]));
    assert_eq!(composed(&body, Chance::Last).unwrap().eliminate.len(), 1);
    // With only such entries, the composition has failed.
    assert!(composed(&json!({ "eliminate": ["F1"] }), Chance::Last).is_err());
}
