//! The time limit of a dialogue's rounds: a late answer is missing, nothing is begun without time left, and a replay
//! ends the same turns.

use std::fs;

use serde_json::Value;

use crate::support::Sandbox;
use crate::support::debates::TOPIC;

/// Sets the limit, and lets codex step in for claude.
fn limited(sandbox: Sandbox, seconds: u32) -> Sandbox {
    let config = format!(
        r#"{{"topic": {{"round_timeout_seconds": {seconds}}}, "agents": {{"claude": {{"path": "claude", "fallback": ["codex"]}}}}}}"#
    );
    sandbox.write("debate-agent.config.json", config);
    sandbox
}

/// The ending of a turn in the only session's journal.
fn closed(sandbox: &Sandbox, turn: &str) -> Value {
    let path = sandbox.sessions()[0].join("journal.jsonl");
    let text = fs::read_to_string(path).unwrap();
    (text.lines())
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .rfind(|record| record["type"] == "turn.closed" && record["body"]["turn"] == turn)
        .unwrap()["body"]
        .take()
}

#[test]
fn who_is_too_late_is_missing_and_the_debate_goes_on() {
    let sandbox = limited(Sandbox::disputing(), 4)
        .fake("r1_review.sh", "exec sleep 60")
        .offers("r2/review", &[("A1", "disagree"), ("A2", "partly")], &["It is fast."])
        .rebuts("r3/rebuttal", &[("B1", "disagree")])
        .rules(4, &["B1"]);
    let document = sandbox.run(&["debate", TOPIC, "--json"]).exits(0).json();
    assert_eq!(document["rounds"][0]["forced"], serde_json::json!(["reviewer"]));
    assert_eq!(document["rounds"][0]["consensus"], Value::Null, "no check is made");
    assert_eq!(document["outcome"], "expert");
    let review = closed(&sandbox, "r1/review");
    assert_eq!(review["failure"]["class"], "timed_out");
    let said = review["failure"]["message"].as_str().unwrap();
    assert!(said.contains("its round's time limit was reached (4 s)"), "{said}");
    assert_eq!(sandbox.asked("r1/review"), 1);
    assert_eq!(sandbox.asked("r2/rebuttal"), 0, "there was nothing to answer yet");
    sandbox.keeps(&document, 0);
}

#[test]
fn nobody_steps_in_for_a_proposal_that_used_all_of_the_time() {
    let sandbox = limited(Sandbox::disputing(), 2).fake("r1_propose.1.sh", "exec sleep 60");
    // Without an expert codex has no seat, so it may step in.
    let args = ["debate", TOPIC, "--set", "topic.expert=none", "--json"];
    let document = sandbox.run(&args).exits(4).json();
    assert_eq!(document["outcome"], "failed");
    assert_eq!(document["verdict"], "undecided");
    assert_eq!(sandbox.ledger(), ["claude r1/propose"], "nothing else was begun");
    let closed = closed(&sandbox, "r1/propose");
    assert_eq!(closed["failure"]["class"], "timed_out");
    assert_eq!(closed["out_of_time"], 2);
    // A resume asks it again, with a time limit of its own.
    let id = document["session_id"].as_str().unwrap();
    let shown = sandbox.run(&["sessions", "show", id, "--json"]).exits(0).json();
    assert_eq!(shown["seats"], document["seats"]);
    sandbox.write(
        "debate-agent.config.json",
        r#"{"topic": {"round_timeout_seconds": 60}, "agents": {"claude": {"path": "claude", "fallback": ["codex"]}}}"#,
    );
    let resumed = sandbox.run(&["sessions", "resume", id, "--json"]).exits(1).json();
    assert_eq!(resumed["outcome"], "deadlocked");
    assert_eq!(sandbox.asked("r1/propose"), 2);
}

#[test]
fn a_retry_that_would_come_too_late_is_not_waited_for_in_this_run_or_any_other() {
    // The vendor asks for seven seconds.
    let sandbox = limited(Sandbox::disputing(), 6)
        .fake("r1_review.json", r#"{"error": "rate_limited"}"#)
        .offers("r2/review", &[("A1", "agree"), ("A2", "agree")], &["It is fast."])
        .fake("r2_review.1.sh", ": >\"$fake/here\"; exec sleep 100");
    let mut child = sandbox.command(&["debate", TOPIC]).spawn().unwrap();
    let here = sandbox.home().join(".fake/here");
    for _ in 0..4000 {
        if here.exists() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(here.exists());
    child.kill().unwrap();
    child.wait().unwrap();
    let late = closed(&sandbox, "r1/review");
    assert_eq!(late["failure"]["class"], "timed_out");
    assert_eq!(late["out_of_time"], 6);
    let id = sandbox.sessions()[0].file_name().unwrap().to_str().unwrap().to_owned();
    let document = sandbox.run(&["sessions", "resume", &id, "--json"]).exits(0).json();
    assert_eq!(document["rounds"][0]["forced"], serde_json::json!(["reviewer"]));
    assert_eq!(sandbox.asked("r1/review"), 1, "a replay does not retry it either");
    sandbox.keeps(&document, 0);
}

/// If the debate cannot go on without an answer, it waits as long as the agent's own limit.
#[test]
fn only_the_rounds_of_a_dialogue_have_a_time_limit() {
    let sandbox = Sandbox::new()
        .panel(&["Redis.", "In the process.", "Memcached."])
        .casts("r2/vote/s1", "Redis.", None, &[])
        .casts("r2/vote/s2", "Redis.", None, &[])
        .casts("r2/vote/s3", "Redis.", None, &[])
        .fake("r1_answer_s1.sh", "sleep 2");
    let document =
        limited(sandbox, 1).run(&["debate", TOPIC, "--style", "panel", "--json"]).exits(0).json();
    assert_eq!(document["outcome"], "settled");
    // Votes alone would not prove it, as a seat without an answer may vote: each must have given an answer.
    assert_eq!(document["final_positions"].as_object().unwrap().len(), 3);
    assert_eq!(document["choices"].as_array().unwrap().len(), 3);
    for seat in document["seats"].as_array().unwrap() {
        assert_eq!(seat["failure"], Value::Null, "{seat}");
    }
}
