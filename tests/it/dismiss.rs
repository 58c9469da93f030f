//! Known findings: dismissed with `review dismiss`, or listed in a baseline.

use std::fs;

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::reviews::{PAST_END, injection, past_end};

const FILE: &str = "debate-agent.dismissals.json";

/// Two reviewers that find the injection and the index, without cross-examination.
fn finding() -> Sandbox {
    let both = [injection("SQL injection by name"), past_end()];
    Sandbox::new().planted().finds("s1", &both).finds("s2", &both)
}

fn review(sandbox: &Sandbox, args: &[&str]) -> Value {
    let args = [&["review", "--single-round", "--json"], args].concat();
    sandbox.run(&args).json()
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
    assert!(run.stdout.starts_with("Dismissed F2 (P1 src/store.py: The index"), "{}", run.stdout);
    // Not committed: the change does not dismiss its own bug.
    let second = review(&sandbox, &[]);
    assert_eq!(titles(&second), both);
    assert_eq!(second["suppressed_counts"], json!({"dismissed": 0, "baseline": 0}));
    sandbox.git(&["add", FILE]);
    sandbox.git(&["commit", "--quiet", "--message", "Dismiss", "--", FILE]);
    let third = review(&sandbox, &[]);
    assert_eq!(titles(&third), ["SQL injection by name"]);
    assert_eq!(third["suppressed_counts"], json!({"dismissed": 1, "baseline": 0}));
    let known = json!({"as": "dismissed", "why": "The caller checks.", "severity": "P1"});
    assert_eq!(third["suppressed"][0]["known"], known);
    // The headline counts it as well, or the findings would not add up.
    let id = third["session_id"].as_str().unwrap();
    let page = sandbox.run(&["sessions", "show", id]).stdout;
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
    assert_eq!(fourth["suppressed_counts"]["dismissed"], 0);
}

#[test]
fn the_file_is_sorted_and_for_people_and_says_who_and_why() {
    let sandbox = finding();
    let document = review(&sandbox, &[]);
    let run = sandbox.run(&[
        "review",
        "dismiss",
        "F1",
        "--why",
        "Names are\nchecked.",
        "--by",
        "Ada",
        "--json",
    ]);
    run.exits(0);
    let dismissed = run.json();
    assert_eq!(dismissed["already"], false);
    let file: Value =
        serde_json::from_slice(&fs::read(sandbox.project().join(FILE)).unwrap()).unwrap();
    assert_eq!(file["version"], 1);
    let entry = &file["dismissals"][0];
    assert_eq!(entry["fingerprint"], document["findings"][0]["fingerprint"]);
    assert_eq!(entry["why"], "Names are\nchecked.");
    assert_eq!(entry["by"], "Ada");
    assert_eq!(&dismissed["dismissal"], entry);
    let again = sandbox.run(&["review", "dismiss", "F1", "--why", "Otherwise."]);
    again.exits(0);
    again.prints("was already dismissed on");
    let same: Value =
        serde_json::from_slice(&fs::read(sandbox.project().join(FILE)).unwrap()).unwrap();
    assert_eq!(same, file);
}

/// `F1` is a different finding in each review: the intended one can be named.
#[test]
fn an_id_is_of_the_newest_review_unless_another_one_is_named() {
    let sandbox = finding();
    let first = review(&sandbox, &[]);
    let sandbox = sandbox.finds("s1", &[past_end()]).finds("s2", &[past_end()]);
    review(&sandbox, &["--out", "elsewhere"]);
    let of = |args: &[&str]| {
        let run =
            sandbox.run(&[&["review", "dismiss", "F1", "--why", "w", "--json"], args].concat());
        run.exits(0).json()["dismissal"]["title"].as_str().unwrap().to_owned()
    };
    // Its report is in another place, but its session is in this project.
    assert_eq!(of(&[]), "The index is past the end");
    let session = first["session_id"].as_str().unwrap();
    assert_eq!(of(&["--session", session]), "SQL injection by name");
    let report = first["report_path"].as_str().unwrap().replace(".md", ".json");
    assert_eq!(of(&["--report", &report]), "SQL injection by name");
}

#[test]
fn what_cannot_be_dismissed_is_refused_and_nothing_is_written() {
    let sandbox = finding();
    let dismiss = |id: &str, why: &str| sandbox.run(&["review", "dismiss", id, "--why", why]);
    dismiss("F1", "w").exits(2).says("no review");
    sandbox.run(&["review", "--rehearse"]);
    dismiss("F1", "w").exits(2).says("rehearsals do not count");
    review(&sandbox, &[]);
    dismiss("F7", "w")
        .exits(2)
        .says("has no finding `F7`")
        .says("F2 (P1 src/store.py: The index is past the end)");
    dismiss("F1", " ").exits(2).says("needs a reason");
    sandbox.run(&["review", "dismiss", "F1"]).exits(2).says("--why");
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
        .says("debate-agent.dismissals.json of the base revision")
        .says("its version is 9");
    assert!(sandbox.calls().is_empty());
}

#[test]
fn a_baseline_of_json_or_sarif_leaves_only_what_is_new() {
    let sandbox = finding();
    let sandbox = sandbox.finds("s1", &[past_end()]).finds("s2", &[past_end()]);
    let json = sandbox.run(&["review", "--single-round", "--json", "--out", "a"]).stdout;
    let sarif =
        sandbox.run(&["review", "--single-round", "--format", "sarif", "--out", "b"]).stdout;
    let both = [injection("SQL injection by name"), past_end()];
    let sandbox = sandbox.finds("s1", &both).finds("s2", &both);
    for text in [json, sarif] {
        // Outside of the project, so that the baseline is not part of the change.
        let path = sandbox.home().join("baseline");
        fs::write(&path, text).unwrap();
        let document = review(&sandbox, &["--baseline", path.to_str().unwrap(), "src"]);
        assert_eq!(titles(&document), ["SQL injection by name"]);
        assert_eq!(document["suppressed_counts"], json!({"dismissed": 0, "baseline": 1}));
        assert_eq!(document["suppressed"][0]["title"], "The index is past the end");
    }
}

#[test]
fn a_file_that_is_no_result_is_no_baseline() {
    let sandbox = finding();
    let foreign = json!({
        "version": "2.1.0", "runs": [{"tool": {"driver": {"name": "CodeQL"}}, "results": []}]
    });
    for (text, says) in [
        ("{}".to_owned(), "it contains no review result"),
        (foreign.to_string(), "it is SARIF from CodeQL, without the fingerprints"),
        (String::new(), "it is not JSON"),
    ] {
        let path = sandbox.home().join("baseline");
        fs::write(&path, text).unwrap();
        let run = sandbox.run(&["review", "--baseline", path.to_str().unwrap()]);
        run.exits(2).says(says);
    }
    assert!(sandbox.calls().is_empty());
}
