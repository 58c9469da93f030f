//! Topic debates are killed with -9 in each of their steps, and resumed: they end as if nothing had happened, and no
//! agent that answered is asked twice. A fork from a round keeps everything said before it.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::Sandbox;
use crate::support::crash::{lasting, warnings};
use crate::support::debates::TOPIC;
use crate::support::styles::accepted;
use crate::support::styles::undated;

/// The turns of a dialogue that ends with a ruling.
pub(crate) const DIALOGUE: [&str; 6] =
    ["r1/propose", "r1/review", "r2/rebuttal", "r3/compromise", "r3/answer", "r4/expert"];

const ARGUMENT: [&str; 5] = ["r1/proposal", "r1/challenge", "r1/defense", "r1/reply", "r1/stances"];

/// Three seats that agree on nothing at first; later most of them do.
fn council() -> Sandbox {
    Sandbox::new()
        .panel(&["Redis.", "In the process.", "Memcached."])
        .casts("r2/vote/s1", "Redis.", None, &[])
        .casts("r2/vote/s2", "In the process.", None, &[])
        .casts("r2/vote/s3", "Memcached.", None, &[])
        .casts("r3/cross/s1", "Redis.", None, &[])
        .casts("r3/cross/s2", "Redis.", Some("\"The load test of May\" shows it."), &[])
        .casts("r3/cross/s3", "Redis.", Some("\"The load test of May\" shows it."), &[])
}

const PANEL: [&str; 9] = [
    "r1/answer/s1",
    "r1/answer/s2",
    "r1/answer/s3",
    "r2/vote/s1",
    "r2/vote/s2",
    "r2/vote/s3",
    "r3/cross/s1",
    "r3/cross/s2",
    "r3/cross/s3",
];

/// The decision: the document without the parts that differ between two runs of the same debate.
fn decided(document: &Value) -> Value {
    undated(&lasting(document))
}

/// Every file below a folder, with its content.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.insert(path.clone(), fs::read(path).unwrap());
        }
    }
    found
}

/// Makes the `nth` call of a turn hang for ever.
fn hanging(sandbox: Sandbox, turn: &str, nth: usize) -> Sandbox {
    let name = format!("{}.{nth}.sh", turn.replace('/', "_"));
    sandbox.fake(&name, ": >\"$fake/here\"; exec sleep 100")
}

/// Kills a debate in each of its turns, resumes it, and compares it with an undisturbed one.
fn killed_everywhere(make: fn() -> Sandbox, style: &str, turns: &[&str]) -> Value {
    let args = ["debate", TOPIC, "--style", style];
    let alone = make();
    let run = alone.run(&[&args[..], &["--json"]].concat());
    let golden = run.json();
    assert_eq!(alone.turns().len(), turns.len(), "{:?}: {golden:#}", alone.turns());
    for turn in turns {
        let sandbox = hanging(make(), turn, 1);
        let mut child = sandbox.spawn(&args);
        sandbox.until_here();
        child.kill().unwrap();
        child.wait().unwrap();
        let id = sandbox.only_session();
        let shown = sandbox.run(&["sessions", "show", &id, "--json"]).json();
        assert_eq!(shown["verdict"], "undecided", "killed in {turn}");
        let document = sandbox.resume(&[]).exits(run.code).json();
        if style == "panel" {
            // The seed decides whose answer is `A`, and each session has its own.
            for part in ["outcome", "verdict", "consensus", "rounds_used", "quorum"] {
                assert_eq!(document[part], golden[part], "{part}, killed in {turn}");
            }
        } else {
            assert_eq!(decided(&document), decided(&golden), "killed in {turn}");
        }
        let step = |turn: &str| turn.rsplit_once("/s").map(|(step, _)| step.to_owned());
        for other in turns {
            // Agents asked at the same time may have been cut off too.
            let beside = step(other).is_some() && step(other) == step(turn);
            let most = if other == turn || beside { 2 } else { 1 };
            let times = sandbox.asked(other);
            assert!((1..=most).contains(&times), "{other} {times} times, killed in {turn}");
        }
        let codes = warnings(&document);
        assert!(codes.contains(&"possibly_paid_twice".to_owned()), "killed in {turn}: {codes:?}");
        sandbox.nobody_is_left();
    }
    golden
}

#[test]
fn a_dialogue_killed_in_any_step_ends_alike() {
    let golden = killed_everywhere(Sandbox::disputing, "dialogue", &DIALOGUE);
    assert_eq!(golden["outcome"], "expert");
}

#[test]
fn an_argument_killed_in_any_step_ends_alike() {
    let golden = killed_everywhere(accepted, "argument", &ARGUMENT);
    assert_eq!(golden["rounds"][0]["arguments"].as_array().unwrap().len(), 4);
    assert_eq!(golden["outcome"], "consensus_reached");
}

#[test]
fn a_panel_killed_in_any_step_ends_alike() {
    let golden = killed_everywhere(council, "panel", &PANEL);
    assert_eq!(golden["verdict"], "consensus");
}

#[test]
fn a_dialogue_is_begun_again_from_each_of_its_rounds() {
    let sandbox = Sandbox::disputing();
    let before = sandbox.run(&["debate", TOPIC, "--json"]).exits(0).json();
    let id = before["session_id"].as_str().unwrap();
    // It is agreed on when it is asked again.
    let sandbox = sandbox.compromises(
        3,
        &["Measure in March.", "Then move the reads."],
        &[("J1", "agree"), ("J2", "agree")],
    );
    for (round, kept) in [("2", 2), ("3", 3)] {
        let calls = sandbox.calls().len();
        let args = ["sessions", "resume", id, "--from-round", round, "--json"];
        let document = sandbox.run(&args).exits(0).json();
        assert_eq!(document["outcome"], "adopted", "from round {round}");
        assert_eq!(document["parent"]["session_id"], id);
        let rounds = document["rounds"].as_array().unwrap();
        assert_eq!(rounds[0], before["rounds"][0], "as it was recorded");
        assert_eq!(sandbox.calls().len() - calls, 5 - kept, "from round {round}");
    }
    // From the expert's round on, the debate itself is kept.
    let calls = sandbox.calls().len();
    let args = ["sessions", "resume", id, "--from-round", "4", "--json"];
    let document = sandbox.run(&args).exits(0).json();
    assert_eq!(document["outcome"], "expert");
    assert_eq!(document["rounds"], before["rounds"]);
    assert_eq!(sandbox.calls().len() - calls, 1);
    sandbox.run(&["sessions", "resume", id, "--from-round", "6"]).exits(2).says("from 1 to 5");
}

#[test]
fn a_panel_is_begun_again_with_the_same_order_of_answers() {
    let sandbox = council();
    let before = sandbox.run(&["debate", TOPIC, "--style", "panel", "--json"]).json();
    let id = before["session_id"].as_str().unwrap();
    let args = ["sessions", "resume", id, "--from-round", "2", "--json"];
    let document = sandbox.run(&args).json();
    assert_eq!(decided(&document), decided(&before));
    assert_eq!(sandbox.asked("r1/answer/s1"), 1);
    let prompts: Vec<String> = (sandbox.calls().into_iter())
        .filter(|call| call.turn == "r2/vote/s2")
        .map(|call| call.read("stdin"))
        .collect();
    assert_eq!(prompts.len(), 2);
    assert_eq!(prompts[0], prompts[1], "the seed is the parent's");
}

#[test]
fn other_rules_decide_the_same_answers_without_a_call() {
    let sandbox = Sandbox::disputing();
    let document = sandbox.run(&["debate", TOPIC, "--json"]).exits(0).json();
    let id = document["session_id"].as_str().unwrap();
    let calls = sandbox.calls().len();
    let before = files(&sandbox.sessions()[0]);
    let decide = |rules: &[&str], code: i32| {
        let mut args = vec!["sessions", "decide", id, "--json"];
        for rule in rules {
            args.extend(["--set", rule]);
        }
        sandbox.run(&args).exits(code).json()
    };
    // The rounds scored 0.25, 0.5 and 0.5.
    let lower = decide(&["topic.consensus_threshold=0.5", "topic.expert_threshold=0.4"], 0);
    assert_eq!(lower["outcome"], "adopted");
    let log = sandbox.project().join(".debate/decisions.json");
    assert!(!log.exists(), "other rules are a question and no decision");
    assert_eq!(lower["rounds"].as_array().unwrap().len(), 2, "in round 2 already");
    let between = decide(&["topic.expert_threshold=0.4"], 1);
    assert_eq!(between["outcome"], "partial");
    // Round 3 is a deadlock, so more rounds alone change nothing; without that rule a fourth is needed.
    assert_eq!(decide(&["topic.max_rounds=6"], 0)["outcome"], "expert");
    let longer = decide(&["topic.max_rounds=6", "topic.deadlock_rise=0"], 4);
    assert_eq!(longer["error"]["code"], "needs_more_turns");
    for (rule, says) in [
        ("topic.consensus_threshold=2", "topic.consensus_threshold"),
        ("topic.consensus_threshold=half", "topic.consensus_threshold"),
        ("topic.max_rounds=11", "between 1 and 10"),
        ("topic.consensus=words", "`stance`"),
        ("nothing=1", "unknown key `nothing`"),
        ("topic.consensus_threshold", "KEY=VALUE"),
        ("topic.expert_threshold=0.9", ""),
    ] {
        let args = ["sessions", "decide", id, "--set", rule];
        sandbox.run(&args).exits(2).says(says);
    }
    assert_eq!(sandbox.calls().len(), calls);
    assert_eq!(sandbox.sessions().len(), 1);
    let after = files(&sandbox.sessions()[0]);
    assert!(before == after, "nothing was written");
    let shown = sandbox.run(&["sessions", "show", id, "--json"]).exits(0).json();
    assert_eq!(shown["outcome"], "expert", "nothing was changed");
}
