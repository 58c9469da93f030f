//! Tests of the document against its schema, and of the forms for people.

use serde_json::json;
use unicode_width::UnicodeWidthStr;

use super::*;
use crate::kernel::{Basis, Cost, Stop};
use crate::protocol::plan::testing::{done, machine, plans, says};
use crate::report::document::SkillUsed;
use crate::report::example::{at, usd};
use crate::report::page::ToPage as _;
use crate::report::{Look, example::SESSION};
use crate::schemas::schema;

fn document(outcome: &Outcome) -> PlanDocument {
    let stamp = Stamp {
        session_id: SESSION.to_owned(),
        started_at: at(0),
        completed_at: outcome.outcome.closes().then(|| at(200)),
        budget: usd(2_500_000),
        cost: Some(Cost { usd: usd(310_000), basis: Basis::Reported }),
    };
    let about = SessionFacts {
        skills: vec![SkillUsed {
            name: "planner".to_owned(),
            origin: "built-in".to_owned(),
            sha256: "ab".repeat(32),
            note: None,
        }],
        ..SessionFacts::default()
    };
    PlanDocument::new(
        outcome.clone(),
        "Add a cache to the store.".to_owned(),
        Facts::default(),
        &stamp,
        about,
    )
}

/// Accepted, with a step added, one left out, and objections; rejected; undecided with one plan; interrupted with
/// nothing at all.
pub(crate) fn examples() -> Vec<(&'static str, PlanDocument)> {
    let run = |given: &[&str], judges: &[&str]| {
        let mut machine = machine(given.len());
        plans(&mut machine, given);
        for letters in judges {
            says(&mut machine, letters);
        }
        machine
    };
    let accepted = run(&["ab", "bc", "cd"], &["amm", "amm", "aaa"]);
    let rejected = run(&["ab", "c"], &["da", "ar"]);
    vec![
        ("accepted", document(&done(&accepted))),
        ("rejected", document(&done(&rejected))),
        ("undecided", document(&done(&run(&["ab", ""], &[])))),
        ("interrupted", document(&machine(2).stop(Stop::Cancelled(2)))),
    ]
}

#[test]
fn examples_hold_against_their_schema_and_read_back() {
    let schema = schema("plan").unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for (name, document) in examples() {
        let value = serde_json::to_value(&document).unwrap();
        let errors: Vec<String> =
            validator.iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
        assert!(
            value["outcome"] == "interrupted" || value["outcome"] == value["verdict"],
            "{name}"
        );
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
            "steps",
            "scores",
            "risks",
            "open_questions",
            "summary",
        ] {
            assert!(value.get(field).is_some(), "{name}: {field}");
        }
        assert_eq!(value["quorum"]["needed"], 2);
        let back: PlanDocument = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(back, document);
        let mut wrong = value;
        wrong["verdict"] = json!("surely");
        assert!(!validator.is_valid(&wrong));
    }
}

#[test]
fn each_ending_for_people() {
    for (name, document) in examples() {
        let text = document.render(Look::plain(80));
        assert!(text.lines().all(|line| line.width() <= 80), "{text}");
        insta::assert_snapshot!(format!("{name}_text"), text);
        insta::assert_snapshot!(format!("{name}_md"), document.markdown());
    }
}

#[test]
fn what_is_undecided_never_reads_as_accepted() {
    for (name, document) in examples() {
        for text in [document.render(Look::plain(80)), document.markdown()] {
            assert_eq!(text.contains("ACCEPTED"), name == "accepted", "{name}");
            assert_eq!(text.contains("can be followed"), name == "accepted", "{name}");
        }
        assert_eq!(document.suspended(), ["undecided", "interrupted"].contains(&name));
    }
}
