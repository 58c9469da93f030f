//! The partner debate end to end: the calls, their arguments, and the result.

use crate::support::Sandbox;

#[test]
fn a_rehearsal_ranks_a_backlog_without_asking_anybody() {
    let sandbox = Sandbox::new();
    sandbox.six();
    let run = sandbox.run(&["prioritize", "backlog.json", "--rehearse", "--json"]);
    let document = run.exits(0).json();
    assert_eq!(document["rehearsal"], true);
    assert_eq!(document["outcome"], "consensus");
    assert_eq!(document["cost"]["total_usd"], 0.0);
    assert_eq!(document["ranked_opportunities"].as_array().unwrap().len(), 6);
    assert_eq!(sandbox.ledger(), [""; 0], "no CLI was called");
    run.says("REHEARSAL: no model was asked");
}

#[test]
fn champion_and_moderator_are_claude_and_the_critic_is_codex() {
    let sandbox = Sandbox::new();
    sandbox.six();
    let document = sandbox.run(&["prioritize", "backlog.json", "--json"]).exits(0).json();
    assert_eq!(sandbox.ledger(), ["claude r1/champion", "codex r1/critic", "claude r1/moderator"]);
    assert_eq!(document["verdict"], "decided");
    assert_eq!(document["quorum"]["vendors"], 2);
    let ranks: Vec<u64> = document["ranked_opportunities"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["priority_rank"].as_u64().unwrap())
        .collect();
    assert_eq!(ranks, [1, 2, 3, 4, 5, 6]);
}

#[test]
fn a_closed_session_is_shown_again_and_calls_nobody() {
    let sandbox = Sandbox::new();
    sandbox.six();
    let first = sandbox.run(&["prioritize", "backlog.json", "--json"]).exits(0).json();
    let id = first["session_id"].as_str().unwrap();
    let calls = sandbox.calls().len();
    let shown = sandbox.run(&["sessions", "show", id, "--json"]).exits(0).json();
    assert_eq!(shown, first);
    let resumed = sandbox.run(&["sessions", "resume", id, "--json"]).exits(0).json();
    assert_eq!(resumed, first);
    assert_eq!(sandbox.calls().len(), calls);
}

/// Waits, at most ten seconds, until a condition holds.
fn wait_until(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..500 {
        if holds() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("waited in vain until {what}");
}

#[test]
fn the_private_directory_of_a_call_goes_with_it_also_after_kill_9() {
    let sandbox = Sandbox::new().fake("../delay", "30");
    sandbox.six();
    let empty = || std::fs::read_dir(sandbox.tmp()).unwrap().next().is_none();
    let mut run = sandbox.command(&["prioritize", "backlog.json"]).spawn().unwrap();
    wait_until("the champion is called", || !sandbox.calls().is_empty());
    assert!(!empty());
    run.kill().unwrap();
    run.wait().unwrap();
    wait_until("the guard has cleaned up", empty);
}

#[test]
fn an_interrupted_session_reads_as_interrupted_and_names_the_turn_that_comes_next() {
    let sandbox = Sandbox::new().fake("../delay", "30");
    sandbox.six();
    let run = sandbox.command(&["prioritize", "backlog.json"]).spawn().unwrap();
    wait_until("the champion is called", || !sandbox.calls().is_empty());
    let pid = rustix::process::Pid::from_child(&run);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let code = Sandbox::finish(run.wait_with_output().unwrap()).code;
    assert_eq!(code, 130);
    let id =
        sandbox.run(&["sessions", "list", "--json"]).exits(0).json()["sessions"][0]["session_id"]
            .as_str()
            .unwrap()
            .to_owned();
    let shown = sandbox.run(&["sessions", "show", &id, "--json"]).exits(0).json();
    assert_eq!(shown["outcome"], "interrupted");
    assert_eq!(shown["seats"][0]["status"], "asked", "{shown:#}");
    let status = sandbox.run(&["sessions", "status", &id, "--json"]).exits(0).json();
    assert_eq!(status["next_turns"], serde_json::json!(["r1/champion"]));
}

#[test]
fn a_session_that_an_agent_failed_names_the_turn_that_a_resume_asks_again() {
    let sandbox = Sandbox::new().fake("r1_critic.txt", "I would rather not.");
    sandbox.six();
    let failed = sandbox.run(&["prioritize", "backlog.json", "--json"]).exits(4).json();
    assert_eq!(failed["outcome"], "agent_failure");
    let id = failed["session_id"].as_str().unwrap();
    let status = sandbox.run(&["sessions", "status", id, "--json"]).exits(0).json();
    assert_eq!(status["next_turns"], serde_json::json!(["r1/critic"]));
}
