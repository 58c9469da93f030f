//! Dialogues that are stopped and watched: signals, money, events, salvage.
#![cfg(target_os = "linux")]

use std::fs;

use rustix::process::Signal;
use serde_json::Value;

use crate::cli::every_turn_ends;
use crate::debate_resume::DIALOGUE;
use crate::support::Sandbox;
use crate::support::debates::TOPIC;

#[test]
fn a_signal_in_any_turn_saves_decides_nothing_and_a_resume_ends_as_ever() {
    for (index, turn) in DIALOGUE.into_iter().enumerate() {
        let (signal, code) = [(Signal::INT, 130), (Signal::TERM, 143)][index % 2];
        let name = format!("{}.1.json", turn.replace('/', "_"));
        let sandbox = Sandbox::disputing().fake(&name, r#"{"delay": 60}"#);
        let live = sandbox.start(&["debate", TOPIC, "--json"]);
        sandbox.until_calls(index + 1);
        live.send(signal);
        let document = live.finish().exits(code).json();
        assert_eq!(document["outcome"], "interrupted", "{turn}");
        assert_eq!(document["verdict"], "undecided", "{turn}");
        assert_eq!(document["decision"], Value::Null, "{turn}");
        assert_eq!(document["completed_at"], Value::Null, "{turn}");
        sandbox.nothing_lives();
        // A fake that was stopped before it counted its call would be slow again.
        fs::remove_file(sandbox.home().join(".fake/scenario").join(&name)).unwrap();
        let resumed = sandbox.resume(&[]).exits(0).json();
        assert_eq!(resumed["outcome"], "expert", "{turn}");
        for other in DIALOGUE {
            let times = if other == turn { 2 } else { 1 };
            assert_eq!(sandbox.asked(other), times, "{other}, stopped in {turn}");
        }
    }
}

#[test]
fn events_tell_each_round_once_and_every_turn_ends() {
    let sandbox = Sandbox::disputing();
    let run = sandbox.run(&["debate", TOPIC, "--events", "-"]);
    every_turn_ends(&run.exits(0).stdout);
    let events: Vec<Value> =
        (run.stdout.lines()).map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |kind: &str| -> Vec<String> {
        let events = events.iter().filter(|event| event["type"] == kind);
        events.map(|event| event["turn"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(of("turn.started"), DIALOGUE);
    assert_eq!(of("round.opened").len(), 4, "{}", run.stdout);
    // Each check with the values that it compared, for observers.
    let checks: Vec<&Value> =
        (events.iter()).filter(|event| event.to_string().contains("stance_score")).collect();
    assert_eq!(checks.len(), 3, "{}", run.stdout);
    for check in checks {
        for part in ["text_score", "decisive", "embedding", "keyword_weight", "threshold"] {
            assert!(check.to_string().contains(part), "no {part} in {check}");
        }
    }
    every_turn_ends(&{
        let path = sandbox.project().join("events.jsonl");
        sandbox.run(&["debate", TOPIC, "--budget", "0.16", "--events", "events.jsonl"]).exits(4);
        fs::read_to_string(path).unwrap()
    });
}

#[test]
fn the_budget_ends_a_dialogue_before_the_call_that_it_has_no_money_for() {
    let sandbox = Sandbox::disputing().fake("r1_propose.json", r#"{"cost": 0.5}"#);
    let document = sandbox.run(&["debate", TOPIC, "--budget", "0.6", "--json"]).exits(4).json();
    assert_eq!(document["outcome"], "budget");
    assert_eq!(document["cost"]["total_usd"], 0.5);
    assert_eq!(sandbox.turns(), ["r1/propose"]);
    assert!(document["final_positions"]["claude"].is_object(), "what was said is kept");
    sandbox.run(&["debate", TOPIC, "--budget", "0.01"]).exits(4);
    assert_eq!(sandbox.turns(), ["r1/propose"], "nobody is asked for less than a call");
}

#[test]
fn what_was_agreed_in_part_is_logged_after_a_yes_alone() {
    let partial = || {
        Sandbox::disputing().compromises(
            3,
            &["Measure in March.", "Then move the reads."],
            &[("J1", "agree"), ("J2", "partly")],
        )
    };
    let asked = partial();
    asked.run(&["debate", TOPIC]).exits(1);
    assert!(!asked.project().join(".debate/decisions.json").exists());
    let yes = partial();
    let document = yes.run(&["debate", TOPIC, "--json"]).exits(1).json();
    assert!(!yes.project().join(".debate/decisions.json").exists(), "nobody said yes to it");
    yes.run(&["decisions", "add", document["session_id"].as_str().unwrap()]).exits(0);
    let log = yes.run(&["decisions", "list", "--json"]).exits(0).json();
    let entry = &log["decisions"][0];
    assert_eq!(entry["consensus"], 0.75);
    assert_eq!(entry["source"], "confirmed");
    // An adopted decision is logged at once, and once.
    let adopted = Sandbox::disputing().reviews(&[("A1", "agree"), ("A2", "agree")]);
    adopted.run(&["debate", TOPIC]).exits(0).says("logged as decision D1");
    adopted.resume(&[]).exits(0);
    let log = adopted.run(&["decisions", "list", "--json"]).exits(0).json();
    assert_eq!(log["decisions"].as_array().unwrap().len(), 1);
    // A ruling is not logged, and neither is disagreement.
    for more in [&[][..], &["--set", "topic.expert=none"]] {
        let sandbox = Sandbox::disputing();
        sandbox.run(&[&["debate", TOPIC], more].concat());
        assert!(!sandbox.project().join(".debate/decisions.json").exists(), "{more:?}");
    }
}

#[test]
fn a_call_that_fails_is_retried_and_the_proposer_has_a_fallback() {
    let passing = Sandbox::disputing()
        .reviews(&[("A1", "agree"), ("A2", "agree")])
        .fake("r1_review.1.json", r#"{"error": "server_error"}"#);
    let document = passing.run(&["debate", TOPIC, "--json"]).exits(0).json();
    assert_eq!(document["outcome"], "adopted");
    assert_eq!(passing.ledger(), ["claude r1/propose", "gemini r1/review", "gemini r1/review"]);
    let fallback = Sandbox::disputing()
        .reviews(&[("A1", "agree"), ("A2", "agree")])
        .fake("r1_propose.1.json", r#"{"error": "not_logged_in"}"#)
        .config(r#"{"agents": {"claude": {"fallback": ["gemini", "codex"]}}}"#);
    let document =
        fallback.run(&["debate", TOPIC, "--set", "topic.expert=none", "--json"]).exits(0).json();
    assert_eq!(fallback.ledger(), ["claude r1/propose", "codex r1/propose", "gemini r1/review"]);
    assert_eq!(document["outcome"], "adopted");
    assert_eq!(document["seats"][0]["status"], "fell_back");
    assert_eq!(document["seats"][0]["fell_back_to"], "codex");
    assert_eq!(document["final_positions"]["codex"]["seat"], "proposer");
    assert_eq!(document["quorum"]["vendors"], 2);
}
