//! `sessions terminate`: a session that will not be resumed is closed, decides nothing, and makes no further calls.

use serde_json::Value;

use crate::plan::agreeing;
use crate::support::Sandbox;
use crate::support::plans::TASK;

/// Terminates a session twice, and checks all its outputs.
fn terminate(sandbox: &Sandbox, id: &str) -> Value {
    let calls = sandbox.calls().len();
    for _ in 0..2 {
        let document = sandbox.run(&["sessions", "terminate", id, "--json"]).exits(0).json();
        assert_eq!(document["session"]["status"], "closed");
        assert_eq!(document["session"]["outcome"], "terminated");
        assert_eq!(document["session"]["verdict"], "undecided");
        assert_eq!(document["next_turns"], serde_json::json!([]));
    }
    let text = sandbox.run(&["sessions", "status", id]).stdout;
    assert!(text.contains("closed: terminated"), "{text}");
    assert!(!text.contains("sessions resume"), "{text}");
    let list = sandbox.run(&["sessions", "list", "--json"]).exits(0).json();
    assert_eq!(list["sessions"][0]["outcome"], "terminated");
    // A resume returns the existing result, undecided, and asks no agent.
    let resumed = sandbox.run(&["sessions", "resume", id, "--json"]).exits(4).json();
    assert_eq!(resumed["verdict"], "undecided");
    for document in [&resumed, &sandbox.run(&["sessions", "show", id, "--json"]).json()] {
        assert_eq!(document["outcome"], list["sessions"][0]["outcome"]);
    }
    let warnings = resumed["warnings"].as_array().unwrap();
    assert!(warnings.iter().any(|warning| warning["code"] == "terminated"), "{resumed:#}");
    assert_eq!(sandbox.calls().len(), calls);
    resumed
}

#[test]
fn a_plan_that_ran_out_of_money_is_closed() {
    let sandbox = agreeing();
    let costly = r#"{"cost": 0.1}"#;
    let sandbox = sandbox.fake("r1_plan_s1.json", costly).fake("r1_plan_s2.json", costly);
    let run = sandbox.run(&["plan", TASK, "--budget", "0.30", "--json"]);
    let document = run.exits(4).json();
    let id = document["session_id"].as_str().unwrap();
    let ended = terminate(&sandbox, id);
    let spent = |document: &Value| document["cost"]["total_usd"].clone();
    assert_eq!(spent(&ended), spent(&document), "nothing was spent");
    // It can still be forked.
    let again = ["sessions", "resume", id, "--from-round", "2", "--budget", "2.5", "--json"];
    let again = sandbox.run(&again).exits(0).json();
    assert_eq!(again["parent"]["session_id"], id);
}

#[test]
fn a_partner_debate_is_closed_and_changes_no_ranks() {
    let sandbox = Sandbox::new().scenario("backlog/consensus");
    sandbox.six();
    let run = sandbox.run(&["prioritize", "backlog.json", "--budget", "0.16", "--json"]);
    let id = run.exits(4).json()["session_id"].as_str().unwrap().to_owned();
    terminate(&sandbox, &id);
}

#[test]
fn what_was_decided_is_not_taken_back() {
    let sandbox = agreeing();
    let run = sandbox.run(&["plan", TASK, "--json"]);
    let id = run.exits(0).json()["session_id"].as_str().unwrap().to_owned();
    sandbox.run(&["sessions", "terminate", &id]).exits(2).says("already over: accepted");
    let shown = sandbox.run(&["sessions", "show", &id, "--json"]).exits(0).json();
    assert_eq!(shown["verdict"], "accepted");
    sandbox.run(&["sessions", "terminate", "0123"]).exits(2).says("no session");
}

#[test]
fn a_plan_has_no_rules_to_decide_by_afterwards() {
    let sandbox = agreeing();
    let run = sandbox.run(&["plan", TASK, "--json"]);
    let id = run.exits(0).json()["session_id"].as_str().unwrap().to_owned();
    for rule in ["plan.confidence=50", "x"] {
        let args = ["sessions", "decide", &id, "--set", rule];
        sandbox.run(&args).exits(2);
    }
    let args = ["sessions", "decide", &id, "--set", "plan.confidence=50"];
    sandbox.run(&args).exits(2).says("no thresholds");
}

#[cfg(target_os = "linux")]
#[test]
fn one_that_runs_is_left_alone_and_one_that_was_killed_is_closed() {
    let sandbox = agreeing().fake("r2_cross_s1.1.sh", ": >\"$fake/here\"; exec sleep 100");
    let mut child = sandbox.spawn(&["plan", TASK]);
    sandbox.until_here();
    let id = sandbox.only_session();
    let run = sandbox.run(&["sessions", "terminate", &id]);
    run.exits(5).says(&format!("kill -INT {}", child.id()));
    child.kill().unwrap();
    child.wait().unwrap();
    terminate(&sandbox, &id);
    sandbox.run(&["sessions", "gc"]).exits(0);
    sandbox.nobody_is_left();
}
