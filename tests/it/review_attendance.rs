//! Three reviewers of whom some fail: a failure never makes a review clean, never approves, never wins.

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::reviews::{injection, judgement, past_end};

const THREE: [&str; 4] = ["review", "--agents", "codex,claude,gemini", "--json"];

/// A permanent failure of an agent.
const DEAD: &str = r#"{"error": "not_logged_in"}"#;

/// Three seats: the first finds both bugs, the second the injection, the third nothing; all agree.
fn three() -> Sandbox {
    let sandbox = Sandbox::new()
        .planted()
        .finds("s1", &[injection("SQL injection by name"), past_end()])
        .finds("s2", &[injection("A string is put into SQL")])
        .finds("s3", &[])
        .judges(2, "s2", &[judgement("F2", "agree", None)])
        .judges(2, "s3", &[judgement("F1", "agree", None), judgement("F2", "agree", None)])
        .composes("s1", "s3", &["F1", "F2"]);
    let votes = json!({"votes": [{"id": "F2", "vote": "approve", "reason": "It holds."}]});
    sandbox.says("validate/s2", "VALIDATION", &votes)
}

fn statuses(document: &Value) -> Vec<(&str, &str)> {
    let findings = document["findings"].as_array().unwrap();
    (findings.iter())
        .map(|finding| (finding["id"].as_str().unwrap(), finding["status"].as_str().unwrap()))
        .collect()
}

fn validations(document: &Value) -> Vec<(&str, &str)> {
    let validation = document["validation"].as_array().unwrap();
    (validation.iter())
        .map(|vote| (vote["id"].as_str().unwrap(), vote["result"].as_str().unwrap()))
        .collect()
}

fn asked(sandbox: &Sandbox, turn: &str) -> usize {
    let calls = sandbox.calls();
    calls.iter().filter(|call| call.turn == turn).count()
}

const BOTH: [(&str, &str); 2] = [("F1", "confirmed"), ("F2", "confirmed")];

#[test]
fn one_dead_in_the_reviews_is_not_asked_again_and_lowers_the_confidence() {
    let sandbox = three().fake("r1_review_s3.json", DEAD);
    let document = sandbox.run(&THREE).exits(1).json();
    assert_eq!(document["verdict"], "changes_requested");
    assert_eq!(statuses(&document), BOTH);
    // Everything is settled, by two of three.
    assert_eq!(document["confidence"], 66);
    assert_eq!(document["quorum"]["answered"], 2);
    assert_eq!(document["seats"][2]["status"], "failed");
    assert_eq!(document["scores"]["gemini"], Value::Null);
    for turn in ["r2/cross/s3", "compose/s3", "validate/s3"] {
        assert_eq!(asked(&sandbox, turn), 0, "{turn}");
    }
    // If the others find nothing, the review may not be called clean.
    let sandbox =
        Sandbox::new().planted().finds("s1", &[]).finds("s2", &[]).fake("r1_review_s3.json", DEAD);
    let document = sandbox.run(&THREE).exits(4).json();
    assert_eq!(document["verdict"], "undecided");
    assert_eq!(document["confidence"], 66);
}

#[test]
fn one_dead_in_the_cross_examination_has_no_score_and_no_vote() {
    let sandbox = three().fake("r2_cross_s3.json", DEAD);
    let document = sandbox.run(&THREE).exits(1).json();
    assert_eq!(document["verdict"], "changes_requested");
    // Two authors of two vendors; and claude agrees on the other.
    assert_eq!(statuses(&document), BOTH);
    assert_eq!(document["confidence"], 66);
    // Its review counts, and the failure is reported next to it.
    assert_eq!(document["quorum"]["answered"], 3);
    assert_eq!(document["seats"][2]["status"], "answered");
    let failure = document["seats"][2]["failure"].as_str().unwrap();
    assert!(failure.starts_with("1 of 3 turns failed; "), "{failure}");
    assert_eq!(document["scores"]["gemini"], Value::Null);
    assert_eq!(document["findings"][0]["confirmed_by"], json!([]));
    // A refutation that only a dead seat could have outvoted clears nothing: the finding stays visible.
    let sandbox = Sandbox::new()
        .planted()
        .finds("s1", &[past_end()])
        .finds("s2", &[])
        .finds("s3", &[])
        .fake("r2_cross_s3.json", DEAD)
        .fake("r3_cross_s3.json", DEAD)
        .judges(2, "s2", &[judgement("F1", "disagree", Some("return cursor.fetchone()"))])
        .composes("s1", "s2", &["F1"]);
    let document = sandbox.run(&THREE).exits(4).json();
    assert_eq!(statuses(&document), [("F1", "disputed")]);
    assert_eq!(document["verdict"], "undecided");
}

#[test]
fn what_a_composer_throws_out_stays_where_nobody_is_left_to_agree() {
    let out = json!({"keep": [], "merge": [], "eliminate": [
        {"id": "F1", "reason": "Not worth it."}, {"id": "F2", "reason": "Not worth it."}],
        "residual_risks": [], "open_questions": []});
    let sandbox = three()
        .says("compose/s1", "COMPOSITION", &out)
        .fake("validate_s2.json", DEAD)
        .fake("validate_s3.json", DEAD);
    let document = sandbox.run(&THREE).exits(1).json();
    assert_eq!(document["verdict"], "changes_requested");
    assert_eq!(statuses(&document), BOTH);
    assert_eq!(validations(&document), [("F1", "unvalidated"), ("F2", "unvalidated")]);
    assert_eq!(document["eliminated"], json!([]));
    // An unreadable vote is not an approval either.
    let sandbox = three()
        .says("compose/s1", "COMPOSITION", &out)
        .fake("validate_s2.txt", "I approve of everything.")
        .fake("validate_s3.txt", "I approve of everything.");
    let document = sandbox.run(&THREE).exits(1).json();
    assert_eq!(statuses(&document), BOTH);
}

#[test]
fn who_steps_in_is_named_and_nobody_who_sits_there_speaks_twice() {
    let fallback = r#"{"agents": {"claude": {"fallback": ["gemini"]}}}"#;
    let sandbox = || {
        Sandbox::new()
            .planted()
            .config(fallback)
            .finds("s1", &[past_end()])
            .finds("s2", &[past_end()])
            .composes("s1", "s2", &["F1"])
            .fake("claude.json", DEAD)
    };
    let stepped = sandbox();
    let document = stepped.run(&["review", "--json"]).exits(1).json();
    assert_eq!(document["seats"][1]["status"], "fell_back");
    assert_eq!(document["seats"][1]["fell_back_to"], "gemini");
    assert_eq!(document["findings"][0]["found_by"], json!(["codex", "gemini"]));
    assert_eq!(statuses(&document), [("F1", "confirmed")]);
    assert_eq!(document["quorum"]["vendors"], 2);
    // An agent with a seat of its own does not speak from another's.
    let sandbox = sandbox().finds("s3", &[past_end()]);
    let document = sandbox.run(&THREE).json();
    assert_eq!(document["seats"][1]["status"], "failed");
    let of = |turn: &str| -> Vec<String> {
        let calls = sandbox.calls();
        let calls = calls.iter().filter(|call| call.turn == turn);
        calls.map(|call| call.cli.clone()).collect()
    };
    assert_eq!(of("r1/review/s2"), ["claude"]);
    assert_eq!(of("r1/review/s3"), ["gemini"]);
}
