//! The output of a review for other programs: SARIF by the published schema, annotations, the document.

use std::fs;

use serde_json::{Value, json};

use crate::support::reviews::{injection, past_end};
use crate::support::{Sandbox, fixture};

/// The published schema without the patterns of `language`, which are not regular expressions of ECMA 262
/// (`fixtures/sarif/README.md`); none of our logs has that member.
fn published() -> jsonschema::Validator {
    let text = fs::read_to_string(fixture("sarif/sarif-2.1.0-rtm.5.json")).unwrap();
    let stray = r#""pattern": "^[a-zA-Z]{2}|^[a-zA-Z]{2}-[a-zA-Z]{2}]?$""#;
    assert!(text.contains(stray));
    let schema: Value = serde_json::from_str(&text.replace(stray, r#""type": "string""#)).unwrap();
    let options = jsonschema::options();
    options.should_validate_formats(true).build(&schema).unwrap()
}

fn assert_valid(validator: &jsonschema::Validator, value: &Value) {
    let errors: Vec<String> = (validator.iter_errors(value))
        .map(|error| format!("{error} at {}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:?}\n{value:#}");
}

fn finding() -> Sandbox {
    let both = [injection("SQL injection by name"), past_end()];
    Sandbox::new().planted().finds("s1", &both).finds("s2", &both)
}

fn dead() -> Sandbox {
    Sandbox::new()
        .planted()
        .finds("s2", &[])
        .fake("r1_review_s1.json", r#"{"error": "not_logged_in"}"#)
}

#[test]
fn a_review_is_valid_sarif_with_its_findings() {
    let sandbox = finding();
    let run = sandbox.reviewed(&["--format", "sarif"]);
    let log = run.exits(1).json();
    assert_valid(&published(), &log);
    let results = &log["runs"][0]["results"];
    assert_eq!(results.as_array().unwrap().len(), 2);
    assert_eq!(results[0]["ruleId"], "P0");
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "src/store.py");
    assert_eq!(place["region"]["startLine"], 5);
    assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], true);
}

/// An upload needs a result for an empty change too.
#[test]
fn nothing_to_review_is_said_in_the_format_that_was_asked_for() {
    let sandbox = Sandbox::new();
    sandbox.git(&["init", "--quiet"]);
    sandbox.write("a.txt", "a\n");
    sandbox.commit("Begin");
    sandbox.write("logo.png", b"\0\x01\x02");
    let log = sandbox.run(&["review", "--format", "sarif"]).exits(0).json();
    assert_valid(&published(), &log);
    assert_eq!(log["runs"][0]["results"], json!([]));
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], true);
    let told = &invocation["toolExecutionNotifications"];
    assert_eq!(told[0]["descriptor"]["id"], "nothing_to_review");
    assert_eq!(told[1]["descriptor"]["id"], "not_reviewed");
    assert_eq!(told[1]["level"], "note");
    assert!(sandbox.calls().is_empty());
}

/// An empty list of results must not close existing alerts.
#[test]
fn a_review_that_decided_nothing_is_no_successful_run() {
    let run = dead().run(&["review", "--format", "sarif"]);
    let log = run.exits(4).json();
    assert_valid(&published(), &log);
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(log["runs"][0]["results"], json!([]));
    assert_eq!(invocation["executionSuccessful"], false);
    let told = invocation["toolExecutionNotifications"].as_array().unwrap();
    let ids: Vec<&str> =
        (told.iter()).map(|one| one["descriptor"]["id"].as_str().unwrap()).collect();
    assert!(ids.contains(&"undecided") && ids.contains(&"seat_failed"), "{ids:?}");
}

#[test]
fn a_rehearsal_is_valid_and_no_successful_run() {
    let sandbox = Sandbox::new().planted();
    let log = sandbox.run(&["review", "--rehearse", "--format", "sarif"]).json();
    assert_valid(&published(), &log);
    assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], false);
}

#[test]
fn annotations_of_a_review_that_decided_nothing_say_who_is_dead() {
    let run = dead().run(&["review", "--format", "github"]);
    run.exits(4);
    assert!(
        run.stdout
            .starts_with("::error title=debate-agent review::UNDECIDED: codex is not logged in"),
        "{}",
        run.stdout
    );
}

#[test]
fn people_are_told_first_that_a_reviewer_is_dead() {
    for (format, says) in [
        ("text", "UNDECIDED: codex is not logged in"),
        ("text", "; the others found nothing, which is not \"clean\"."),
        ("markdown", "\nUNDECIDED: codex is not logged in"),
    ] {
        let run = dead().env("COLUMNS", "200").run(&["review", "--format", format]);
        run.exits(4);
        let text = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(says.trim()), "{format}: {}", run.stdout);
        assert!(!run.stdout.contains("CLEAN"), "{format}: {}", run.stdout);
    }
}

#[test]
fn the_document_holds_against_the_schema_that_the_program_prints() {
    let sandbox = finding();
    let schema = sandbox.run(&["schema", "review"]).exits(0).json();
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert_valid(&validator, &sandbox.reviewed(&["--json"]).json());
    assert_valid(&validator, &dead().run(&["review", "--json"]).json());
    let schema = sandbox.run(&["schema", "review-dismiss"]).exits(0).json();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let run = sandbox.run(&["review", "dismiss", "F1", "--why", "w", "--json"]);
    assert_valid(&validator, &run.json());
    let schema = sandbox.run(&["schema", "known-findings"]).exits(0).json();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let file = fs::read(sandbox.project().join("debate-agent.known-findings.json")).unwrap();
    assert_valid(&validator, &serde_json::from_slice(&file).unwrap());
}
