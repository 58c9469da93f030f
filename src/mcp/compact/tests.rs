//! Tests of every kind of result in the shared form, and against the published schema.

use proptest::prelude::*;

use super::*;
use crate::mcp::table;
use crate::report::debate::DebateDocument;
use crate::report::discuss::DiscussDocument;
use crate::report::document::PrioritizeDocument;
use crate::report::plan_result::PlanDocument;
use crate::report::review::ReviewDocument;
use crate::report::session_result::SessionResult;
use crate::report::{debate, discuss, example, plan_result, review};

/// Every example result of the reports, by name.
fn results() -> Vec<(String, SessionResult)> {
    let mut all: Vec<(String, SessionResult)> = Vec::new();
    for document in example::all() {
        let name = format!("backlog {}", document.header.outcome.name());
        all.push((name, document.into()));
    }
    let reviews = review::example::all().into_iter();
    all.extend(reviews.map(|(name, document)| (format!("review {name}"), document.into())));
    let plans = plan_result::tests::examples().into_iter();
    all.extend(plans.map(|(name, document)| (format!("plan {name}"), document.into())));
    let debates = debate::example::documents().into_iter();
    all.extend(debates.map(|(name, document)| (format!("debate {name}"), document.into())));
    let discussions = discuss::example::documents().into_iter();
    all.extend(discussions.map(|(name, document)| (format!("discuss {name}"), document.into())));
    all
}

fn faults(tool: &str, value: &Value) -> Vec<String> {
    let schema = Value::Object((table::tool(tool).unwrap().output)());
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors = validator.iter_errors(value);
    errors.map(|error| format!("{}: {error}", error.instance_path())).collect()
}

/// Checks that every text in it is one line, sanitized for terminals, and within bounds.
fn check_texts(name: &str, value: &Value) {
    match value {
        // Six lines for a coordinator; no foreign text can break any of them.
        Value::String(text) if name.ends_with("/message") && text.contains('\n') => {
            assert_eq!(text.lines().count(), 6, "{name}: {text:?}");
            for line in text.lines() {
                check_texts(name, &line.into());
            }
        }
        Value::String(text) => {
            assert!(example::is_inert(text), "{name}: {text:?}");
            assert!(!text.contains(['\n', '\t', '\r']), "{name}: {text:?}");
            let most = if name.ends_with("/summary") { 2_000 } else { 500 };
            assert!(text.chars().count() <= most, "{name}: {text:?}");
        }
        Value::Array(entries) => {
            for entry in entries {
                check_texts(name, entry);
            }
        }
        Value::Object(members) => {
            for (member, value) in members {
                check_texts(&format!("{name}/{member}"), value);
            }
        }
        Value::Null => panic!("{name}: null"),
        Value::Bool(_) | Value::Number(_) => {}
    }
}

#[test]
fn every_ending_of_every_protocol_is_what_the_schema_says() {
    for (name, result) in results() {
        let value = session(&*result);
        assert_eq!(faults("debate_review", &value), [""; 0], "{name}: {value}");
        check_texts(&name, &value);
        let written = serde_json::to_string(&value).unwrap();
        assert!(written.len() < 60_000, "{name}: {}", written.len());
    }
}

/// The outcomes that decide, copied by hand from the specification of each protocol: no other may.
const DECIDED: [&str; 23] = [
    "backlog consensus",
    "backlog max_rounds",
    "review clean",
    "review comments",
    "review changes_requested",
    "review disputed",
    "review full",
    "review plain",
    "plan accepted",
    "plan contested",
    "plan rejected",
    "debate dialogue_adopted",
    "debate dialogue_expert",
    "debate argument_consensus_reached",
    "debate panel_settled",
    "debate panel_judged",
    "discuss nothing_raised",
    "discuss low",
    "discuss medium",
    "discuss high",
    "discuss sign_off",
    "discuss rehearsal",
    "review known",
];

#[test]
fn only_what_is_decided_by_enough_seats_reads_as_decided() {
    for (name, result) in results() {
        let value = session(&*result);
        let expected = DECIDED.contains(&name.as_str());
        assert_eq!(value["decided"], expected, "{name}: {}", value["summary"]);
        let status = value["status"].as_str().unwrap();
        assert_eq!(value["resumable"], matches!(status, "suspended" | "interrupted"), "{name}");
        let HeaderView { quorum, rehearsal, .. } = result.header();
        assert!(!expected || quorum.answered >= quorum.needed, "{name}: {quorum:?}");
        let summary = value["summary"].as_str().unwrap();
        let ended = if rehearsal {
            summary
                .strip_prefix("REHEARSAL: no model was asked. ")
                .unwrap_or_else(|| panic!("{name}: {summary}"))
        } else {
            summary
        };
        let ended = ended.strip_prefix("one vendor: ").unwrap_or(ended);
        let first = ended.split([' ', ':']).next().unwrap();
        assert_eq!(first, first.to_uppercase(), "{name}: {summary}");
        if !expected && status != "done" && status != "nothing" {
            let heads = ["UNDECIDED", "NOT", "RUNNING"];
            assert!(heads.contains(&first), "{name}: {summary}");
        }
    }
}

#[test]
fn a_quorum_that_is_missing_undoes_a_decision() {
    for (name, mut result) in results() {
        if !DECIDED.contains(&name.as_str()) {
            continue;
        }
        macro_rules! unanswered {
            ($($document:ty),*) => {
                $(if let Some(document) = result.document_mut::<$document>() {
                    document.header.quorum.answered = 0;
                })*
            };
        }
        unanswered!(
            PrioritizeDocument,
            ReviewDocument,
            PlanDocument,
            DebateDocument,
            DiscussDocument
        );
        assert_eq!(result.header().quorum.answered, 0, "{name}");
        assert_eq!(session(&*result)["decided"], false, "{name}");
    }
}

#[test]
fn a_failed_seat_stands_in_the_seats_and_in_the_summary() {
    let value = session(&example::agent_failure());
    assert_eq!(value["status"], "suspended");
    assert_eq!(
        value["seats"][1],
        json!({
            "role": "critic",
            "agent": "codex",
            "vendor": "openai",
            "status": "failed",
            "failure": "not_logged_in: codex says: please run `codex login`",
        })
    );
    assert_eq!(value["quorum"], json!({"needed": 3, "answered": 1, "vendors": 1}));
    assert_eq!(
        value["summary"],
        "UNDECIDED: the critic gave no answer, because codex says: please run `codex login`. No round was completed and nothing was ranked: the 4 opportunities keep their old order. critic (codex) did not answer: not_logged_in: codex says: please run `codex login`. moderator (claude) was not asked."
    );
    // An order that was not agreed on would look like a ranking.
    assert_eq!(value["items"], json!([]));
    assert_eq!(value["transcript"], format!("debate://sessions/{}", example::SESSION));
}

#[test]
fn who_stepped_in_is_named() {
    let value = session(&example::budget());
    assert_eq!(value["seats"][2]["status"], "fell_back");
    assert_eq!(value["seats"][2]["failure"], "gemini answered instead");
    let summary = value["summary"].as_str().unwrap();
    assert!(summary.contains("moderator (claude) was stood in for."), "{summary}");
    assert_eq!(value["decided"], false);
}

#[test]
fn lists_are_bounded_and_say_how_much_is_left_out() {
    let mut document = review::example::changes_requested();
    let finding = document.result.findings[0].clone();
    document.result.findings = vec![finding; 73];
    let warning = document.header.warnings.first().cloned();
    let warning =
        warning.unwrap_or_else(|| Warning { code: "a".into(), turn: None, message: "b".into() });
    document.header.warnings = (0..40)
        .map(|number| Warning { message: format!("warning {}", number / 2), ..warning.clone() })
        .chain(
            (20..30)
                .map(|number| Warning { message: format!("warning {number}"), ..warning.clone() }),
        )
        .collect();
    document.result.findings[0].reported.finding.title = "x".repeat(9_000);
    let value = session(&document);
    assert_eq!(value["items"].as_array().unwrap().len(), 50);
    assert_eq!(value["items_left_out"], 23);
    let warnings = value["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 20);
    // Of 30 different warnings, 19 are shown.
    assert_eq!(warnings[19], "11 more warnings: see the report");
    check_texts("bounded", &value);
    assert!(value["items"][0]["title"].as_str().unwrap().ends_with('…'));
}

#[test]
fn what_is_not_adopted_is_no_decision() {
    for (name, result) in results() {
        let value = session(&*result);
        let items = value["items"].as_array().unwrap();
        let decision = items.iter().any(|item| item["kind"] == "decision");
        assert!(!decision || value["decided"] == true, "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn hostile_words_stay_words(evil in example::evil_text()) {
        let backlog: SessionResult = example::poisoned(&evil).into();
        let review = review::example::poisoned(&evil).into();
        for result in [backlog, review] {
            let value = session(&*result);
            check_texts("poisoned", &value);
            prop_assert_eq!(faults("debate_review", &value), [""; 0]);
        }
    }
}
