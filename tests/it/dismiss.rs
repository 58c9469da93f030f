//! Known findings: dismissed with `review dismiss`.

use std::fs;

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::reviews::{PAST_END, injection, past_end};

const FILE: &str = "debate-agent.known-findings.json";

/// Two reviewers that find the injection and the index, without cross-examination.
fn finding() -> Sandbox {
    let both = [injection("SQL injection by name"), past_end()];
    Sandbox::new().planted().finds("s1", &both).finds("s2", &both)
}

fn review(sandbox: &Sandbox, args: &[&str]) -> Value {
    sandbox.reviewed(&[&["--json"], args].concat()).json()
}

fn titles(document: &Value) -> Vec<&str> {
    let findings = document["findings"].as_array().unwrap();
    findings.iter().map(|finding| finding["title"].as_str().unwrap()).collect()
}

#[test]
fn a_dismissal_counts_from_the_base_revision_on_and_until_the_code_changes() {
    let sandbox = finding();
    let first = review(&sandbox, &[]);
    let both = ["SQL injection by name", "The index is past the end"];
    assert_eq!(titles(&first), both);
    let run = sandbox.run(&["review", "dismiss", "F2", "--why", "The caller checks."]);
    run.exits(0);
    run.prints("Dismissed F2, as found in session").prints("P1 src/store.py: The index");
    // Not committed: the change does not dismiss its own bug.
    let second = review(&sandbox, &[]);
    assert_eq!(titles(&second), both);
    assert_eq!(second["suppressed"], json!([]));
    sandbox.git(&["add", FILE]);
    sandbox.git(&["commit", "--quiet", "--message", "Dismiss", "--", FILE]);
    let third = review(&sandbox, &[]);
    assert_eq!(titles(&third), ["SQL injection by name"]);
    assert_eq!(third["suppressed"].as_array().unwrap().len(), 1);
    let known = json!({"why": "The caller checks.", "severity": "P1"});
    assert_eq!(third["suppressed"][0]["known"], known);
    // The headline counts it as well, or the findings would not add up.
    let id = third["session_id"].as_str().unwrap();
    let page = sandbox.run(&["sessions", "show", id, "--full"]).stdout;
    let headline = page.split("\n\n").next().unwrap().replace('\n', " ");
    assert!(headline.ends_with("; 1 known and not raised again."), "{headline}");
    // The code is different now, and the finding is raised again.
    let changed = "return items[len(items) + 0]";
    let store = sandbox.project().join("src/store.py");
    let text = fs::read_to_string(&store).unwrap();
    assert!(text.contains(PAST_END));
    fs::write(&store, text.replace(PAST_END, changed)).unwrap();
    let mut again = past_end();
    again["quote"] = json!(changed);
    let both = [injection("SQL injection by name"), again];
    let sandbox = sandbox.finds("s1", &both).finds("s2", &both);
    let fourth = review(&sandbox, &[]);
    assert_eq!(titles(&fourth).len(), 2, "{fourth}");
    assert_eq!(fourth["suppressed"], json!([]));
}

#[test]
fn what_cannot_be_dismissed_is_refused_and_nothing_is_written() {
    let sandbox = finding();
    let dismiss = |id: &str, why: &str| sandbox.run(&["review", "dismiss", id, "--why", why]);
    dismiss("F1", "w").exits(2).says("no review");
    sandbox.run(&["review", "--rehearse"]);
    dismiss("F1", "w").exits(2).says("rehearsals do not count");
    review(&sandbox, &[]);
    dismiss("F7", "w").exits(2).says("has no finding `F7`").says("what remained in it: F1, F2");
    dismiss("F1", " ").exits(2).says("needs a reason");
    sandbox.run(&["review", "dismiss", "F1"]).exits(2).says("--why");
    sandbox.run(&["review", "dismiss", "--why", "w"]).exits(2).says("<ID>");
    sandbox.run(&["review", "dismiss", "F1", "--all", "--why", "w"]).exits(2).says("--all");
    assert!(!sandbox.project().join(FILE).exists());
    fs::write(sandbox.project().join(FILE), "{").unwrap();
    dismiss("F1", "w").exits(2).says("was left unchanged");
    assert_eq!(fs::read_to_string(sandbox.project().join(FILE)).unwrap(), "{");
}

/// A damaged file of the base revision would hide or raise findings: the review does not begin.
#[test]
fn dismissals_that_are_not_understood_stop_a_review_before_any_call() {
    let sandbox = finding();
    fs::write(sandbox.project().join(FILE), "{\"version\": 9}").unwrap();
    sandbox.git(&["add", FILE]);
    sandbox.git(&["commit", "--quiet", "--message", "Break", "--", FILE]);
    sandbox
        .run(&["review"])
        .exits(2)
        .says("debate-agent.known-findings.json of the base revision")
        .says("its version is 9");
    assert!(sandbox.calls().is_empty());
}

/// How a project begins that has many findings.
#[test]
fn all_findings_of_a_review_are_known_and_only_what_is_new_is_raised() {
    let sandbox = finding().finds("s1", &[past_end()]).finds("s2", &[past_end()]);
    review(&sandbox, &[]);
    sandbox.run(&["review", "dismiss", "--all", "--why", "Older than our reviews."]).exits(0);
    sandbox.git(&["add", FILE]);
    sandbox.git(&["commit", "--quiet", "--message", "Begin", "--", FILE]);
    let both = [injection("SQL injection by name"), past_end()];
    let sandbox = sandbox.finds("s1", &both).finds("s2", &both);
    let document = review(&sandbox, &[]);
    assert_eq!(titles(&document), ["SQL injection by name"]);
    assert_eq!(document["suppressed"][0]["title"], "The index is past the end");
    // Each format says how many are not raised.
    for (format, says) in [
        ("text", "1 known and not raised again"),
        ("markdown", "1 known and not raised again"),
        ("sarif", "\"known\": 1"),
    ] {
        let run = sandbox.reviewed(&["--format", format]);
        let words: Vec<_> = run.stdout.split_whitespace().collect();
        assert!(words.join(" ").contains(says), "{format}: {}", run.stdout);
    }
}
