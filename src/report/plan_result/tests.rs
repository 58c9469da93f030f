//! Tests of the document against its schema, and of the forms for people.

use crate::report::session_result::SessionDocument as _;
use serde_json::json;
use unicode_width::UnicodeWidthStr;

use super::*;
use crate::kernel::{Basis, Cost, Stop};
use crate::protocol::plan::testing::{done, machine, plans, says};
use crate::protocol::plan::{OtherWording, SaidSame};
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

/// Accepted, with a step added, one changed and one left out; accepted although contested; rejected; undecided with one plan; interrupted with
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
    let contested = run(&["abc", "x"], &["dd", "aa"]);
    let rejected = run(&["ab", "c"], &["dd", "ar"]);
    vec![
        ("accepted", document(&done(&accepted))),
        ("contested", document(&done(&contested))),
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
            let accepted = ["accepted", "contested"].contains(&name);
            assert_eq!(text.contains("ACCEPTED"), accepted, "{name}");
            assert_eq!(text.contains("can be followed"), accepted, "{name}");
            assert_eq!(text.contains("with 3 contested steps"), name == "contested", "{name}");
        }
        assert_eq!(document.suspended(), ["undecided", "interrupted"].contains(&name));
    }
}

/// Everything that the result says of a step is on the pages and in the short form.
#[test]
fn files_that_are_missing_and_joined_steps_are_shown() {
    let (_, mut document) = examples().remove(0);
    let step = &mut document.steps[0];
    step.files = vec!["src/new.rs".to_owned(), "src/gone.rs".to_owned()];
    step.new_files = vec!["src/new.rs".to_owned()];
    step.missing_files = vec!["src/gone.rs".to_owned()];
    step.other_wordings = vec![OtherWording {
        agent: "codex".to_owned(),
        title: "Fill it".to_owned(),
        description: "In one go.".to_owned(),
    }];
    step.said_same = vec![SaidSame {
        agent: "claude".to_owned(),
        steps: ["S5", "S3"].map(str::to_owned),
        reason: "Both fill it.".to_owned(),
        suggestion: Some("Keep the index.".to_owned()),
    }];
    for text in [document.render(Look::plain(200)), document.markdown()] {
        for shown in [
            "src/new.rs (new), src/gone.rs",
            "Missing files: src/gone.rs",
            "As codex wrote it: Fill it. In one go.",
            "S5 and S3 are the same, says claude: Both fill it. It would: Keep the index.",
        ] {
            assert!(text.contains(shown), "{shown}: {text}");
        }
    }
    let short = format!("{:?}", document.compact());
    assert!(short.contains("src/gone.rs"), "{short}");
}

/// A vote that was not needed is not one that was missing.
#[test]
fn a_plan_that_needs_no_vote_says_so() {
    let mut machine = machine(2);
    plans(&mut machine, &["abc", "abc"]);
    let document = document(&done(&machine));
    for text in [document.render(Look::plain(200)), document.markdown()] {
        assert!(!text.contains("nobody could vote"), "{text}");
    }
    assert!(document.render(Look::plain(200)).contains("not needed: every step was confirmed"));
    assert_eq!(serde_json::to_value(&document).unwrap()["final_vote"], "not_needed");
}
