//! `debate` in the style of a dialogue, end to end: the prompts, the result, the exit code.

use std::fs;

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::debates::{TOPIC, position, stances};

fn debate(sandbox: &Sandbox, more: &[&str], code: i32) -> Value {
    let args = [&["debate", TOPIC, "--json"], more].concat();
    sandbox.run(&args).exits(code).json()
}

/// A reviewer that agrees with everything at once.
fn agreeing() -> Sandbox {
    Sandbox::new()
        .proposes(&["Redis survives a restart.", "Two processes share it."])
        .reviews(&[("A1", "agree"), ("A2", "agree")])
}

#[test]
fn what_is_agreed_to_at_once_is_adopted_and_nobody_else_is_asked() {
    let sandbox = agreeing();
    let document = debate(&sandbox, &[], 0);
    assert_eq!(document["outcome"], "adopted");
    assert_eq!(document["verdict"], "consensus");
    assert_eq!(document["status"], "consensus_reached");
    assert_eq!(document["protocol"], "dialogue");
    assert_eq!(document["topic"], TOPIC);
    assert_eq!(document["consensus"], 1.0);
    let check = &document["rounds"][0]["consensus"];
    assert_eq!(check["stance_score"], 1.0);
    assert_eq!(check["basis"], "stance");
    assert_eq!(document["decision"]["by"], "proposer");
    assert_eq!(document["code_change_required"], true);
    assert_eq!(document["quorum"]["answered"], 2);
    assert_eq!(document["quorum"]["vendors"], 2);
    assert_eq!(sandbox.turns(), ["r1/propose", "r1/review"]);
    let seats: Vec<(&Value, &Value)> = (document["seats"].as_array().unwrap().iter())
        .map(|seat| (&seat["role"], &seat["agent"]))
        .collect();
    assert_eq!(seats[0], (&json!("proposer"), &json!("claude")));
    assert_eq!(seats[1], (&json!("reviewer"), &json!("gemini")));
    // The record is kept as printed.
    let report = document["report_path"].as_str().unwrap();
    assert!(report.contains("/.debate/debate-"), "{report}");
    let kept = fs::read_to_string(report.replace(".md", ".json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&kept).unwrap(), document);
    assert!(fs::read_to_string(report).unwrap().contains(TOPIC));
    sandbox.keeps(&document, 0);
}

#[test]
fn who_cannot_agree_gets_a_ruling_by_a_third_vendor_and_the_dissent_is_kept() {
    let sandbox = Sandbox::disputing();
    let document = debate(&sandbox, &[], 0);
    assert_eq!(document["outcome"], "expert");
    assert_eq!(document["verdict"], "ruled");
    assert_eq!(document["expert"]["agent"], "codex");
    assert_eq!(document["expert"]["of_a_participant"], false);
    assert_eq!(document["decision"]["by"], "expert");
    assert_eq!(document["code_change_required"], false, "as the expert says");
    assert_eq!(
        sandbox.turns(),
        ["r1/propose", "r1/review", "r2/rebuttal", "r3/answer", "r3/compromise", "r4/expert"]
    );
    // Disagree and partly of two points: 0.25; partly twice: 0.5; agree and disagree: 0.5.
    let scores: Vec<&Value> = (document["rounds"].as_array().unwrap().iter())
        .map(|round| &round["consensus"]["decisive"])
        .take(3)
        .collect();
    assert_eq!(scores, [0.25, 0.5, 0.5]);
    let dissent = document["dissent"].as_array().unwrap();
    assert!(!dissent.is_empty(), "{document:#}");
    assert_eq!(document["open_points"][0]["id"], "J2");
    let ruling = document["open_points"][0]["ruling"].as_str().unwrap();
    assert_eq!(ruling, "It holds. (The figures say so.)");
}

#[test]
fn a_failed_expert_never_approves_and_none_is_none() {
    let failing = Sandbox::disputing().fake("r4_expert.json", r#"{"error": "not_logged_in"}"#);
    let document = debate(&failing, &[], 1);
    assert_eq!(document["outcome"], "deadlocked");
    assert_eq!(document["verdict"], "no_consensus");
    assert!(document["expert"]["failure"].is_string(), "{document:#}");
    assert_eq!(document["decision"], Value::Null);
    let sandbox = Sandbox::disputing();
    let without = debate(&sandbox, &["--set", "topic.expert=none"], 1);
    assert_eq!(without["outcome"], "deadlocked");
    assert!(!sandbox.turns().contains(&"r4/expert".to_owned()));
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
fn a_blind_opening_asks_both_sides_at_once_and_the_higher_position_goes_on() {
    let sandbox = blind();
    let document = debate(&sandbox, &["--set", "topic.opening=blind"], 0);
    assert_eq!((&document["outcome"], &document["opening"]), (&json!("adopted"), &json!("blind")));
    let checks = &document["rounds"][1]["checks"];
    assert_eq!(
        (&checks["proposer"]["decisive"], &checks["reviewer"]["decisive"]),
        (&json!(0.0), &json!(0.5))
    );
    // The side whose position scored higher drafts; what it keeps has its id and its owner.
    let calls = sandbox.calls();
    let drafted = calls.iter().find(|call| call.turn == "r3/compromise").unwrap();
    assert_eq!(drafted.cli, "gemini");
    let points = &document["decision"]["position"]["points"];
    assert_eq!((&points[1]["id"], &points[1]["kept_from"]), (&json!("B1"), &json!("reviewer")));
    let id = document["session_id"].as_str().unwrap();
    let page = sandbox.run(&["sessions", "export", id, "--format", "md"]).exits(0).stdout.clone();
    for shown in ["blind opening", "kept from the reviewer", "The measurement comes first."] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    // A missing position decides nothing, and a resume asks for it alone.
    let dead = sandbox.fake("r1_position_reviewer.json", r#"{"error": "not_logged_in"}"#);
    let failed = debate(&dead, &["--set", "topic.opening=blind"], 4);
    assert_eq!(failed["outcome"], "failed");
    assert!(failed["final_positions"]["claude"].is_object(), "{failed:#}");
}

#[test]
fn between_the_thresholds_it_is_partial_and_says_what_is_open() {
    let sandbox = Sandbox::disputing().compromises(
        3,
        &["Measure in March.", "Then move the reads."],
        &[("J1", "agree"), ("J2", "partly")],
    );
    let document = debate(&sandbox, &[], 1);
    assert_eq!(document["outcome"], "partial");
    assert_eq!(document["consensus"], 0.75);
    assert_eq!(document["open_points"][0]["id"], "J2");
    assert_eq!(document["open_points"][0]["stance"], "partly");
    let log = sandbox.project().join(".debate/decisions.json");
    assert!(!log.exists(), "nobody said yes to it");
    // The same answers under another threshold; no agent is asked.
    let calls = sandbox.calls().len();
    let id = document["session_id"].as_str().unwrap();
    let decide = |rule: &str, code: i32| {
        let args = ["sessions", "decide", id, "--set", rule, "--json"];
        sandbox.run(&args).exits(code).json()
    };
    let decided = decide("topic.consensus_threshold=0.75", 0);
    assert_eq!(decided["outcome"], "adopted");
    assert_eq!(decided["decision"]["by"], "joint");
    assert!(!log.exists(), "other rules are a question and no decision");
    let stricter = decide("topic.expert_threshold=0.8", 4);
    assert_eq!(stricter["error"]["code"], "needs_more_turns");
    assert_eq!(sandbox.calls().len(), calls);
}

#[test]
fn two_errors_are_never_consensus() {
    let dead = r#"{"error": "not_logged_in"}"#;
    let both = Sandbox::disputing().fake("r1_propose.json", dead).fake("r1_review.json", dead);
    let document = debate(&both, &[], 3);
    assert_eq!(document["outcome"], "failed");
    assert_eq!(document["verdict"], "undecided");
    assert_eq!(document["consensus"], Value::Null);
    assert_eq!(document["decision"], Value::Null);
    assert_eq!(document["final_positions"], json!({}));
    // A reviewer that is silent twice: the proposal is kept, and nothing is agreed to.
    let silent = Sandbox::disputing().fake("r1_review.json", dead).fake("r2_review.json", dead);
    let document = debate(&silent, &[], 4);
    assert_eq!(document["outcome"], "failed");
    assert_eq!(document["consensus"], Value::Null);
    assert_eq!(document["rounds"][0]["forced"], json!(["reviewer"]));
    assert!(document["rounds"][0].get("consensus").is_none());
    assert_eq!(silent.turns(), ["r1/propose", "r1/review", "r2/review"]);
}

#[test]
fn a_budget_that_is_gone_ends_it_and_a_larger_one_goes_on() {
    let sandbox = Sandbox::disputing();
    let document = debate(&sandbox, &["--budget", "0.16"], 4);
    assert_eq!(document["outcome"], "budget");
    assert_eq!(document["verdict"], "undecided");
    let asked = sandbox.turns();
    assert!(asked.len() < 6, "{asked:?}");
    let id = document["session_id"].as_str().unwrap();
    let args = ["sessions", "resume", id, "--budget", "3", "--json"];
    let resumed = sandbox.run(&args).exits(0).json();
    assert_eq!(resumed["outcome"], "expert");
    assert_eq!(sandbox.calls().len(), 6, "nothing is asked twice");
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

#[test]
fn a_dry_run_shows_the_first_call_and_asks_nobody() {
    let sandbox = Sandbox::disputing();
    let plan = debate(&sandbox, &["--dry-run"], 0);
    assert_eq!(plan["calls"][0]["turn"], "r1/propose");
    assert_eq!(plan["calls"][0]["agent"], "claude");
    assert_eq!(sandbox.calls().len(), 0);
    assert!(sandbox.sessions().is_empty());
}
