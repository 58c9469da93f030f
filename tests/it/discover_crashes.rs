//! `discover` under adverse conditions: concurrently, killed, stopped in the middle of its debate.
#![cfg(target_os = "linux")]

use std::time::Duration;

use serde_json::Value;

use crate::support::Sandbox;

fn junit(count: usize) -> String {
    let cases: Vec<String> = (0..count)
        .map(|number| format!("<testcase classname=\"t.m\" name=\"test_{number}\"><failure message=\"assert {number} == 0\">no</failure></testcase>"))
        .collect();
    format!(
        "<testsuite name=\"t\" tests=\"{count}\" failures=\"{count}\">{}</testsuite>",
        cases.concat()
    )
}

fn stored(sandbox: &Sandbox) -> Option<Value> {
    let file = sandbox.project().join(".swarm/backlog/candidates.json");
    let text = std::fs::read_to_string(file).ok()?;
    Some(serde_json::from_str(&text).expect("the store is always whole"))
}

#[test]
fn two_runs_at_the_same_time_lose_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("junit.xml", junit(40));
    sandbox.write("long.js", "a();\n".repeat(501));
    let runs: Vec<_> = (0..6)
        .map(|number| {
            let kind = if number % 2 == 0 { "test" } else { "quality" };
            sandbox.start(&["discover", "--type", kind, "--no-debate", "--max", "100", "--json"])
        })
        .collect();
    for run in runs {
        run.finish().exits(0);
    }
    let items = stored(&sandbox).unwrap();
    let items = items["opportunities"].as_array().unwrap();
    let of = |kind: &str| items.iter().filter(|item| item["opportunity_type"] == kind).count();
    assert_eq!((of("test_failure"), of("code_quality")), (40, 1));
}

#[test]
fn killed_by_9_at_any_moment_the_store_is_whole() {
    let sandbox = Sandbox::new();
    sandbox.write("junit.xml", junit(30));
    for milliseconds in (0..60).step_by(3) {
        let mut run = sandbox.start(&["discover", "--no-debate", "--max", "100"]);
        std::thread::sleep(Duration::from_millis(milliseconds));
        run.child.kill().unwrap();
        run.child.wait().unwrap();
        let seen =
            stored(&sandbox).map_or(0, |store| store["opportunities"].as_array().unwrap().len());
        assert!(seen == 0 || seen == 30, "all or nothing: {seen}");
    }
    sandbox.run(&["discover", "--no-debate", "--max", "100"]).exits(0);
    assert_eq!(stored(&sandbox).unwrap()["opportunities"].as_array().unwrap().len(), 30);
}

/// Statuses as printed by `backlog`.
fn shown(sandbox: &Sandbox) -> Vec<String> {
    let listed = sandbox.run(&["backlog", "--status", "all", "--json"]).exits(0).json();
    (listed["opportunities"].as_array().unwrap().iter())
        .map(|item| item["status"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn debating_is_shown_while_the_session_lives_and_left_by_no_ending() {
    let sandbox = Sandbox::new().slow("1.5");
    sandbox.write("junit.xml", junit(6));
    let mut run = sandbox.start(&["discover", "--json"]);
    sandbox.until_calls(1);
    assert_eq!(shown(&sandbox), ["debating"; 6]);
    let file = sandbox.project().join(".swarm/backlog/candidates.json");
    assert!(!std::fs::read_to_string(&file).unwrap().contains("debating"), "it is never stored");
    run.child.kill().unwrap();
    run.child.wait().unwrap();
    assert!(!shown(&sandbox).contains(&"debating".to_owned()));
    // Ctrl-C in the middle of the next one.
    let run = sandbox.start(&["discover", "--json"]);
    sandbox.until_calls(2);
    run.send(rustix::process::Signal::INT);
    let document = run.finish().exits(130).json();
    assert_eq!(document["outcome"], "interrupted");
    assert_eq!(document["verdict"], "undecided");
    assert!(!shown(&sandbox).contains(&"debating".to_owned()));
    let id = document["debate_session_id"].as_str().unwrap();
    // Answers are kept, and a resume writes the ranks.
    sandbox.delay("0");
    sandbox.run(&["sessions", "resume", id]).exits(0);
    let items = stored(&sandbox).unwrap();
    assert!(
        items["opportunities"]
            .as_array()
            .unwrap()
            .iter()
            .all(|item| item["priority_rank"].is_u64())
    );
}

#[test]
fn a_debates_ranks_never_undo_what_was_decided_meanwhile() {
    let sandbox = Sandbox::new().slow("0.7");
    sandbox.write("junit.xml", junit(7));
    let run = sandbox.start(&["discover", "--json"]);
    sandbox.until_calls(1);
    let items = stored(&sandbox).unwrap();
    let id = |at: usize| items["opportunities"][at]["opportunity_id"].as_str().unwrap().to_owned();
    sandbox.run(&["backlog", "accept", &id(0)]).exits(0);
    sandbox.run(&["backlog", "reject", &id(1), "--why", "not ours"]).exits(0);
    run.finish().exits(0);
    let after = stored(&sandbox).unwrap();
    let status = |wanted: String| {
        let items = after["opportunities"].as_array().unwrap();
        items.iter().find(|item| item["opportunity_id"] == wanted.as_str()).unwrap()["status"]
            .clone()
    };
    assert_eq!(status(id(0)), "accepted");
    assert_eq!(status(id(1)), "rejected");
    let ranked = (after["opportunities"].as_array().unwrap().iter())
        .filter(|item| item["priority_rank"].is_u64())
        .count();
    assert_eq!(ranked, 5);
}

#[test]
fn an_interrupted_inquiry_is_resumed_and_its_ideas_are_kept() {
    let sandbox = Sandbox::new().slow("1.5");
    sandbox.write("src/main.py", "print('hello')\n");
    let run = sandbox.start(&["discover", "--type", "feature", "--no-debate", "--json"]);
    sandbox.until_calls(1);
    run.send(rustix::process::Signal::TERM);
    let document = run.finish().exits(143).json();
    assert_eq!(document["agents"][0]["status"], "failed");
    assert!(
        stored(&sandbox).is_none_or(|store| store["opportunities"].as_array().unwrap().is_empty())
    );
    let id = document["agents"][0]["session_id"].as_str().unwrap();
    sandbox.delay("0");
    let status = sandbox.run(&["sessions", "status", id, "--json"]).exits(0).json();
    assert_eq!(status["next_turns"][0], "features");
    let resumed = sandbox.run(&["sessions", "resume", id, "--json"]).exits(0).json();
    assert_eq!(resumed["outcome"], "answered");
    assert!(!stored(&sandbox).unwrap()["opportunities"].as_array().unwrap().is_empty());
    let shown = sandbox.run(&["sessions", "show", id, "--full"]);
    shown.exits(0);
    shown.prints("ANSWERED");
    sandbox.run(&["sessions", "show", id, "--format", "md"]).exits(0);
}

#[test]
fn what_an_inquiry_answered_just_before_a_crash_is_written_by_a_resume() {
    let sandbox = Sandbox::new();
    sandbox.write("src/main.py", "print('hello')\n");
    // An analyst is never asked for more than its maximum.
    let args = ["discover", "--type", "feature", "--no-debate", "--max", "500", "--json"];
    let document = sandbox.run(&args).exits(0).json();
    let before = stored(&sandbox).unwrap()["opportunities"].as_array().unwrap().len();
    assert!(before > 0);
    // The state after a kill between the answer and the write: a closed session, and no backlog.
    std::fs::remove_file(sandbox.project().join(".swarm/backlog/candidates.json")).unwrap();
    let calls = sandbox.calls().len();
    let id = document["agents"][0]["session_id"].as_str().unwrap();
    sandbox.run(&["sessions", "resume", id]).exits(0);
    assert_eq!(sandbox.calls().len(), calls, "nobody is paid again");
    let after = stored(&sandbox).unwrap()["opportunities"].as_array().unwrap().len();
    assert_eq!(after, before);
}
