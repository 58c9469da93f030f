//! Tests of a review's document.

use serde_json::{Value, json};

use super::*;
use crate::change::Omission;
use crate::report::Look;
use crate::report::example::is_inert;
use crate::report::page::ToPage as _;
use crate::schemas::schema;

#[test]
fn examples_hold_against_their_schema_and_read_back() {
    let schema = schema("review").unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for (name, document) in example::all() {
        let value = serde_json::to_value(&document).unwrap();
        let errors: Vec<String> =
            (validator.iter_errors(&value)).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
        assert_eq!(serde_json::from_value::<ReviewDocument>(value).unwrap(), document);
    }
}

#[test]
fn the_schema_refuses_what_is_no_review() {
    let schema = schema("review").unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let good = serde_json::to_value(example::changes_requested()).unwrap();
    assert!(validator.is_valid(&good));
    for (pointer, value) in [
        ("/verdict", json!("probably")),
        ("/findings/0/severity", json!("P9")),
        ("/findings/0/status", json!("certain")),
        ("/confidence", json!("high")),
        ("/not_reviewed", Value::Null),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap() = value;
        assert!(!validator.is_valid(&bad), "{pointer}");
    }
}

#[test]
fn nothing_to_review_names_what_was_left_out_as_text() {
    let mut change = example::input().change;
    let path = "a\u{1b}[31m\n::error::![x](https://evil.example).lock";
    let part = NotReviewed {
        path: path.into(),
        why: Omission::Excluded,
        detail: "so".into(),
        on_purpose: None,
    };
    change.not_reviewed = vec![part.clone(), part];
    let nothing = NothingToReview::new(change);
    let sentence =
        "nothing to review (working tree against HEAD): all 2 files are left out by rule";
    assert_eq!(nothing.sentence(), sentence);
    assert!(!nothing.markdown().contains("![x]"));
    for text in [nothing.render(Look::plain(120)), nothing.markdown()] {
        assert!(is_inert(&text) && text.contains(sentence), "{text:?}");
        assert_eq!(text.matches("Left out on purpose: a").count(), 2, "{text}");
    }
}

/// The row `review` of `docs/json-and-events.md`, and the fields above the table.
#[test]
fn the_document_has_the_fields_of_the_contract() {
    let value = serde_json::to_value(example::changes_requested()).unwrap();
    for field in [
        "session_id",
        "protocol",
        "outcome",
        "verdict",
        "seats",
        "quorum",
        "rehearsal",
        "cost",
        "rounds_used",
        "warnings",
        "skills",
        "started_at",
        "completed_at",
        "schema_version",
        "mode",
        "winner",
        "confidence",
        "findings",
        "eliminated",
        "scores",
        "agreement",
        "validation",
        "recommendation",
        "not_reviewed",
        "residual_risks",
        "open_questions",
    ] {
        assert!(value.get(field).is_some(), "{field}");
    }
    assert_eq!(value["mode"], "review");
    assert_eq!(value["protocol"], "review");
    assert_eq!(value["outcome"], value["verdict"]);
    let finding = &value["findings"][0];
    for field in [
        "id",
        "severity",
        "status",
        "location",
        "title",
        "file",
        "line",
        "detail",
        "fix",
        "found_by",
        "confirmed_by",
        "disputed_by",
    ] {
        assert!(finding.get(field).is_some(), "{field}");
    }
    assert_eq!(value["eliminated"][0]["status"], "refuted");
    assert!(value["eliminated"][0].get("reason").is_some());
    let score = json!({
        "p0_findings": 15, "p1_findings": 8, "p2_findings": 0, "false_positives": -10,
        "concrete_fixes": 5, "file_accuracy": 2, "clarity": 8, "total": 28
    });
    assert_eq!(value["scores"]["claude"], score);
    assert_eq!(value["suppressed_counts"], json!({"dismissed": 1, "baseline": 1}));
    assert_eq!(value["rounds_used"], 1);
    let quorum = json!({"needed": 2, "answered": 2, "vendors": 2});
    assert_eq!(value["quorum"], quorum);
}

#[test]
fn a_failed_seat_is_no_quorum_and_the_session_stays_open() {
    let document = example::undecided();
    let quorum = document.header.quorum;
    assert_eq!((quorum.needed, quorum.answered, quorum.vendors), (2, 1, 1));
    assert!(document.suspended() && !document.decided());
    assert!(document.header.completed_at.is_none());
}

#[test]
fn a_line_is_marked_only_where_the_new_file_has_it() {
    use Distance::{Context, Exact, Removed};
    use Location::{Located, Mislocated, Outside};
    let place = |location, nearness, line| {
        let mut reported = example::reported("F1", Severity::P0, "t");
        (reported.location, reported.nearness, reported.line) = (location, nearness, line);
        file_line(&reported)
    };
    for (location, nearness, line, expected) in [
        (Located, Some(Exact), Some(4), Some(4)),
        (Located, Some(Context), Some(4), Some(4)),
        (Located, None, Some(4), Some(4)),
        (Located, Some(Removed), Some(4), None),
        (Mislocated, None, Some(4), None),
        (Outside, None, Some(4), None),
        (Located, Some(Exact), None, None),
        (Located, Some(Exact), Some(0), None),
    ] {
        assert_eq!(place(location, nearness, line), expected, "{location:?} {nearness:?}");
    }
}

#[test]
fn a_warning_of_both_sources_stands_once() {
    let document = example::changes_requested();
    let warning = document.header.warnings[0].clone();
    let outcome_warnings = document.header.warnings.len();
    let mut outcome = example::outcome(ReviewOutcome::Clean, Verdict::Clean);
    outcome.warnings = vec![warning.clone()];
    let about = SessionFacts { warnings: vec![warning], ..SessionFacts::default() };
    let again =
        ReviewDocument::new(example::input(), outcome, &example::stamp(), Vec::new(), about);
    assert_eq!(again.header.warnings.len(), outcome_warnings);
}
