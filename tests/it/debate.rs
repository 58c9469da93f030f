//! `debate` in the style of a dialogue, end to end: the prompts, the result, the exit code.

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::debates::{TOPIC, position, stances};

fn debate(sandbox: &Sandbox, more: &[&str], code: i32) -> Value {
    let args = [&["debate", TOPIC, "--json"], more].concat();
    sandbox.run(&args).exits(code).json()
}

/// Two sides that open blind; the reviewer's position scores higher, and its joint draft is adopted.
pub(crate) fn blind() -> Sandbox {
    let kept = json!({"keep": "B1"});
    let mut joint = position("Measure, then move the reads.", &["Then move the reads."]);
    joint["points"].as_array_mut().unwrap().push(kept);
    joint["changes"] = json!(["The measurement comes first."]);
    Sandbox::new()
        .replies("r1/position/proposer", &[("POSITION", &position("Move it.", &["It is safe."]))])
        .replies("r1/position/reviewer", &[("POSITION", &position("Keep it.", &["It is there."]))])
        .replies("r2/stances/proposer", &[("STANCES", &stances(&[("B1", "partly")]))])
        .replies("r2/stances/reviewer", &[("STANCES", &stances(&[("A1", "disagree")]))])
        .replies("r3/compromise", &[("POSITION", &joint)])
        .replies("r3/answer", &[("STANCES", &stances(&[("J1", "agree"), ("B1", "agree")]))])
}

#[test]
fn what_a_joint_draft_keeps_and_changes_stands_on_the_page() {
    let sandbox = blind();
    let document = debate(&sandbox, &["--set", "topic.opening=blind"], 0);
    assert_eq!((&document["outcome"], &document["opening"]), (&json!("adopted"), &json!("blind")));
    let points = &document["decision"]["position"]["points"];
    assert_eq!((&points[1]["id"], &points[1]["kept_from"]), (&json!("B1"), &json!("reviewer")));
    let id = document["session_id"].as_str().unwrap();
    let page = sandbox.run(&["sessions", "show", id, "--format", "md"]).exits(0).stdout.clone();
    for shown in ["blind opening", "kept from the reviewer", "The measurement comes first."] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
}

#[test]
fn what_cannot_be_debated_is_refused_before_anybody_is_asked() {
    let sandbox = Sandbox::disputing();
    let rows: [(&[&str], &str); 12] = [
        (&["debate", " "], "the topic is empty"),
        (&["debate", TOPIC, "--agents", "claude,codex,gemini"], "two participants"),
        (&["debate", TOPIC, "--agents", "claude,nobody"], "no agent `nobody`"),
        (
            &["debate", TOPIC, "--set", "topic.opening=blind", "--max-rounds", "1"],
            "takes two rounds",
        ),
        (&["debate", TOPIC, "--style", "panel", "--as", "primary"], "takes a side"),
        (&["debate", TOPIC, "--style", "dialogue", "--as", "primary"], "takes a side"),
        (&["debate", TOPIC, "--as", "primary"], "no file of arguments"),
        (&["debate", TOPIC, "--max-rounds", "0"], "no round to debate in"),
        (&["debate", TOPIC, "--metadata", "x"], "is not K=V"),
        (&["debate", TOPIC, "--metadata", "x=1", "--metadata", "x=2"], "given twice"),
        (&["debate", TOPIC, "--file", "missing.md"], "missing.md"),
        (&["debate", TOPIC, "--json", "--format", "text"], "two formats"),
    ];
    for (args, says) in rows {
        sandbox.run(args).exits(2).says(says);
    }
    assert_eq!(sandbox.calls().len(), 0);
    assert!(sandbox.sessions().is_empty());
}

#[test]
fn a_rehearsal_of_each_style_asks_no_model_and_says_so() {
    let schema = Sandbox::new().run(&["schema", "debate"]).exits(0).json();
    let schema = jsonschema::validator_for(&schema).unwrap();
    for style in ["dialogue", "argument", "panel"] {
        let sandbox = Sandbox::new();
        let run = sandbox.run(&["debate", TOPIC, "--style", style, "--rehearse", "--json"]);
        let document = run.json();
        let errors: Vec<String> =
            schema.iter_errors(&document).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{style}: {errors:#?}");
        assert_eq!(document["rehearsal"], true);
        assert_eq!(document["protocol"], style);
        assert_ne!(document["verdict"], "undecided", "{document:#}");
        assert_eq!(document["warnings"].as_array().unwrap().len(), 0, "{document:#}");
        assert_eq!(document["cost"]["total_usd"], 0.0);
        assert_eq!(sandbox.calls().len(), 0);
        let log = sandbox.project().join(".debate/decisions.json");
        assert!(!log.exists(), "a rehearsal is no decision");
    }
}
