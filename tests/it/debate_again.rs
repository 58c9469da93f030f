//! Debates that were stopped and are resumed: earlier failures are kept, and a later decision is logged.
#![cfg(target_os = "linux")]

use std::fs;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::debate::blind;
use crate::support::Sandbox;
use crate::support::debates::TOPIC;

#[test]
fn a_resume_never_goes_back_to_a_silence_that_the_debate_went_on_from() {
    let sandbox = Sandbox::disputing()
        .fake("r1_review.1.json", r#"{"error": "not_logged_in"}"#)
        .offers("r2/review", &[("A1", "disagree"), ("A2", "partly")], &["It is fast."])
        .rebuts("r3/rebuttal", &[("B1", "disagree")])
        .rules(4, &["B1"])
        .fake("r3_rebuttal.1.json", r#"{"delay": 60}"#);
    let live = sandbox.start(&["debate", TOPIC, "--json"]);
    sandbox.until_calls(4);
    live.send(Signal::INT);
    let document = live.finish().exits(130).json();
    assert_eq!(document["rounds"][0]["forced"], json!(["reviewer"]));
    // A fake that was stopped before it counted its call would be slow again.
    fs::remove_file(sandbox.home().join(".fake/scenario/r3_rebuttal.1.json")).unwrap();
    let resumed = sandbox.resume(&[]).exits(0).json();
    assert_eq!(resumed["outcome"], "expert");
    // Later replies refer to the earlier state: asking it again would mean paying twice.
    assert_eq!(resumed["rounds"][0], document["rounds"][0]);
    for turn in ["r1/propose", "r1/review", "r2/review"] {
        assert_eq!(sandbox.asked(turn), 1, "{turn}");
    }
}

#[test]
fn what_is_agreed_after_a_resume_is_logged_as_a_decision_once() {
    let sandbox = Sandbox::new()
        .proposes(&["Redis survives a restart."])
        .reviews(&[("A1", "agree")])
        .fake("r1_review.1.json", r#"{"delay": 60}"#);
    let live = sandbox.start(&["debate", TOPIC, "--json"]);
    sandbox.until_calls(2);
    live.send(Signal::INT);
    live.finish().exits(130);
    let log = sandbox.project().join(".debate/decisions.json");
    assert!(!log.exists(), "nothing is decided yet");
    fs::remove_file(sandbox.home().join(".fake/scenario/r1_review.1.json")).unwrap();
    sandbox.resume(&[]).exits(0);
    let first = fs::read_to_string(&log).unwrap();
    let kept: Value = serde_json::from_str(&first).unwrap();
    assert_eq!(kept["decisions"].as_array().unwrap().len(), 1, "{first}");
    let id = kept["decisions"][0]["session_id"].as_str().unwrap();
    sandbox.run(&["sessions", "resume", id]).exits(0);
    assert_eq!(fs::read_to_string(&log).unwrap(), first);
}

#[test]
fn a_decision_that_cannot_be_logged_is_told_beside_the_one_result() {
    let sandbox =
        Sandbox::new().proposes(&["Redis survives a restart."]).reviews(&[("A1", "agree")]);
    sandbox.write(".debate/decisions.json", "{ no log");
    let run = sandbox.run(&["debate", TOPIC, "--json", "--progress", "off"]);
    assert_eq!(run.exits(5).json()["outcome"], "adopted", "one document");
    run.says("was not logged").says("debate-agent decisions add ");
    let log = fs::read_to_string(sandbox.project().join(".debate/decisions.json")).unwrap();
    assert_eq!(log, "{ no log");
}

#[test]
fn a_blind_opening_that_was_cut_off_goes_on_with_what_it_lacks() {
    let sandbox = blind().fake("r2_stances_reviewer.1.json", r#"{"delay": 60}"#);
    let live = sandbox.start(&["debate", TOPIC, "--set", "topic.opening=blind", "--json"]);
    sandbox.until_calls(4);
    live.send(Signal::INT);
    live.finish().exits(130);
    fs::remove_file(sandbox.home().join(".fake/scenario/r2_stances_reviewer.1.json")).unwrap();
    let resumed = sandbox.resume(&[]).exits(0).json();
    assert_eq!((&resumed["outcome"], &resumed["opening"]), (&json!("adopted"), &json!("blind")));
    for side in ["proposer", "reviewer"] {
        assert_eq!(sandbox.asked(&format!("r1/position/{side}")), 1, "{side}");
    }
}
