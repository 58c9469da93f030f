//! Earlier results, ours and others'.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::report::document::to_json;
use crate::report::review::{ReviewDocument, example, sarif};

fn of_json(document: &ReviewDocument) -> Result<Baseline, BaselineError> {
    read(to_json(document).unwrap().as_bytes())
}

fn of_sarif(document: &ReviewDocument) -> Result<Baseline, BaselineError> {
    read(sarif::log(document).to_string().as_bytes())
}

fn codes(baseline: &Baseline) -> Vec<&str> {
    let notes = baseline.warnings.iter();
    notes.map(|note| note.code.as_str()).collect()
}

#[test]
fn json_and_sarif_of_every_example_hold_the_same() {
    for (name, document) in example::all() {
        let (json, sarif) = (of_json(&document).unwrap(), of_sarif(&document).unwrap());
        assert_eq!(json, sarif, "{name}");
    }
}

#[test]
fn what_remained_and_what_the_baseline_had_is_known_and_nothing_else() {
    let held = of_json(&example::changes_requested()).unwrap();
    // F1 to F3 remained and one was in the baseline. F4 was refuted, F5 outside, one dismissed.
    let expected: BTreeSet<String> =
        ["f1f1f1f1f1f1f1f1", "f2f2f2f2f2f2f2f2", "f3f3f3f3f3f3f3f3", "bbbbbbbbbbbbbbbb"]
            .map(str::to_owned)
            .into();
    assert_eq!(held.fingerprints, expected);
    assert!(held.warnings.is_empty());
}

#[test]
fn a_clean_review_holds_nothing_and_is_a_baseline() {
    assert_eq!(of_json(&example::clean()).unwrap(), Baseline::default());
    assert_eq!(of_sarif(&example::clean()).unwrap(), Baseline::default());
}

#[test]
fn a_review_that_decided_nothing_is_taken_with_a_warning() {
    for (document, expected) in [
        (example::undecided(), &["baseline_undecided", "baseline_degraded"][..]),
        (example::degraded(), &["baseline_undecided", "baseline_degraded"]),
        (example::budget(), &["baseline_undecided"]),
    ] {
        assert_eq!(codes(&of_json(&document).unwrap()), expected);
        assert_eq!(codes(&of_sarif(&document).unwrap()), expected);
    }
    let mut document = example::clean();
    document.header.rehearsal = true;
    assert_eq!(codes(&of_json(&document).unwrap()), ["baseline_rehearsal"]);
    assert_eq!(codes(&of_sarif(&document).unwrap()), ["baseline_rehearsal"]);
}

/// None of these may pass for a baseline without findings.
#[test]
fn what_holds_no_result_of_a_review_is_an_error_that_says_why() {
    let run = |name: &str| json!({"tool": {"driver": {"name": name}}, "results": []});
    let log = |runs: Value| json!({"version": "2.1.0", "runs": runs}).to_string();
    let mut newer = serde_json::to_value(example::clean()).unwrap();
    newer["schema_version"] = json!(SCHEMA_VERSION + 1);
    let changed = |pointer: &str, value: Value| {
        let mut document = serde_json::to_value(example::changes_requested()).unwrap();
        *document.pointer_mut(pointer).unwrap() = value;
        document.to_string()
    };
    let unmarked = {
        let mut log = sarif::log(&example::changes_requested());
        log["runs"][0]["results"][0]["partialFingerprints"] = json!({"other/v1": "x"});
        log.to_string()
    };
    for (text, says) in [
        (String::new(), "it is not JSON"),
        ("{}".to_owned(), "an object without `protocol` and `runs`"),
        ("[]".to_owned(), "an array"),
        ("null".to_owned(), "a single value"),
        (json!({"error": {"code": "x"}}).to_string(), "the message of a run that failed"),
        (json!({"protocol": "backlog"}).to_string(), "a document of `backlog`"),
        (json!({"protocol": "review"}).to_string(), "missing field"),
        (newer.to_string(), "of version 2, and this program knows 1"),
        (changed("/findings", json!({})), "findings: invalid type"),
        (
            changed("/findings/1/fingerprint", json!("F2")),
            "findings[1].fingerprint: a fingerprint has 16",
        ),
        (changed("/findings/1/fingerprint", json!(5)), "findings[1].fingerprint: invalid type"),
        (changed("/schema_version", json!(0)), "schema_version: there is no version 0"),
        (changed("/outcome", json!("fine")), "outcome: unknown variant"),
        ("{\"protocol\": \"review\", \"protocol\": \"review\"}".to_owned(), "it is not JSON"),
        (log(json!([])), "SARIF without a run"),
        (log(json!({})), "runs: it must be an array"),
        (json!({"version": "2.0.0", "runs": []}).to_string(), "version: only SARIF 2.1.0"),
        (
            log(json!([run("CodeQL"), run("Semgrep OSS")])),
            "SARIF of CodeQL, Semgrep OSS, without the fingerprints",
        ),
        (log(json!([{"tool": {"driver": {"name": TOOL}}}])), "runs[0].results: there are none"),
        (unmarked, "runs[0].results[0].partialFingerprints: there is no `debateAgent/v1`"),
    ] {
        let error = read(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(says), "{text}: {error}");
    }
    let error = read(b"\xff{}").unwrap_err();
    assert_eq!(error, BaselineError::NotUtf8(0));
}

#[test]
fn runs_of_other_tools_beside_ours_are_passed_over() {
    let mut log = sarif::log(&example::changes_requested());
    let other =
        json!({"tool": {"driver": {"name": "Other"}}, "results": [{"message": {"text": "x"}}]});
    log["runs"].as_array_mut().unwrap().insert(0, other);
    let baseline = read(log.to_string().as_bytes()).unwrap();
    assert_eq!(baseline.fingerprints.len(), 4);
}

#[test]
fn a_byte_order_mark_is_no_fault() {
    let text = format!("\u{feff}{}", to_json(&example::comments()).unwrap());
    assert_eq!(read(text.as_bytes()).unwrap().fingerprints.len(), 1);
}

proptest! {
    #[test]
    fn any_bytes_end_in_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        // Nothing that is not ours is a baseline, and nothing panics.
        prop_assert!(read(&bytes).is_err());
    }

    #[test]
    fn a_cut_or_changed_result_never_holds_what_was_not_there(at in 0_usize..8_000, byte in any::<u8>()) {
        let whole = of_json(&example::changes_requested()).unwrap();
        let mut bytes = to_json(&example::changes_requested()).unwrap().into_bytes();
        let at = at % bytes.len();
        prop_assert!(read(&bytes[..at.saturating_sub(1)]).is_err());
        bytes[at] = byte;
        if let Ok(held) = read(&bytes) {
            prop_assert!(held.fingerprints.difference(&whole.fingerprints).count() <= 1);
            prop_assert!(held.fingerprints.len() + 1 >= whole.fingerprints.len());
        }
    }
}
