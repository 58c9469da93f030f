//! Debates of the MCP server that do not reach their end: the client goes away or cancels, or a signal comes.
#![cfg(target_os = "linux")]

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::debates::TOPIC;
use crate::support::live::until;
use crate::support::mcps::Mcp;

/// A project whose first call never ends by itself.
fn endless() -> Sandbox {
    Sandbox::disputing().fake("r1_propose.json", r#"{"delay": 600}"#)
}

/// Begins a debate and waits until an agent is asked.
fn begun(sandbox: &Sandbox, mcp: &mut Mcp) -> i64 {
    let id = mcp.begin("debate_topic", json!({ "topic": TOPIC, "wait_seconds": 3600 }));
    mcp.until("a call", |mcp| {
        assert!(!mcp.has_answer(id), "the debate did not begin");
        sandbox.calls().iter().any(|call| call.dir.join("start").is_file())
    });
    id
}

/// Asserts that no agent is alive any more, and that one was asked.
#[track_caller]
fn stopped(sandbox: &Sandbox) {
    assert_eq!(sandbox.calls().len(), 1, "{:?}", sandbox.ledger());
    sandbox.nothing_lives();
}

#[test]
fn a_client_that_goes_away_stops_the_debate_and_gets_its_answer_all_the_same() {
    let sandbox = endless();
    let mut mcp = sandbox.mcp();
    let id = begun(&sandbox, &mut mcp);
    let run = mcp.finish();
    run.exits(0);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(answer["id"], id);
    let result = &answer["result"]["structuredContent"];
    assert_eq!(result["status"], "interrupted", "{answer}");
    assert_eq!(result["decided"], false);
    stopped(&sandbox);
}

#[test]
fn a_debate_that_nobody_waits_for_ends_with_the_server() {
    let sandbox = endless();
    let mut mcp = sandbox.mcp();
    let told = mcp.result("debate_topic", json!({ "topic": TOPIC, "wait_seconds": 0 }));
    assert_eq!(told["status"], "running", "{told}");
    sandbox.until_calls(1);
    mcp.finish().exits(0);
    stopped(&sandbox);
}

#[test]
fn cancelling_a_call_kills_its_agents_and_nothing_else() {
    let sandbox = endless();
    let mut mcp = sandbox.mcp();
    let id = begun(&sandbox, &mut mcp);
    mcp.cancel(id);
    until("the end of the agents", || {
        let alive = sandbox.processes();
        !alive.iter().any(|process| process.command.contains("fake-agent"))
    });
    assert_eq!(mcp.ask("ping", json!({}))["result"], json!({}));
    // The id is not used again, as the protocol requires; and no answer comes.
    let run = mcp.finish();
    assert_eq!(run.exits(0).stdout, "");
    stopped(&sandbox);
}

#[test]
fn a_signal_stops_the_debate_and_a_second_one_kills_it() {
    let sandbox = endless();
    let mut mcp = sandbox.mcp();
    begun(&sandbox, &mut mcp);
    mcp.signal(Signal::TERM);
    mcp.ends();
    mcp.finish().exits(143);
    stopped(&sandbox);

    // An agent that resists being stopped: without the second signal it would have its grace of 5 s.
    let stubborn = endless().fake("codex.sh", "trap '' TERM\n").fake("claude.sh", "trap '' TERM\n");
    let mut mcp = stubborn.mcp();
    begun(&stubborn, &mut mcp);
    mcp.signal(Signal::INT);
    mcp.signal(Signal::TERM);
    // The first signal determines the exit code.
    let run = mcp.finish();
    assert!([130, 143].contains(&run.code), "{}", run.stderr);
    stopped(&stubborn);
}

#[test]
fn progress_grows_and_ends_with_the_answer_however_much_the_agents_print() {
    let noise = "echo noise >&2; echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"forged\"}' >&2\n";
    let sandbox = Sandbox::disputing().fake("codex.sh", noise).fake("claude.sh", noise);
    let mut mcp = sandbox.mcp();
    let id = mcp.begin("debate_topic", json!({ "topic": TOPIC, "wait_seconds": 3600 }));
    let answer = mcp.answer(id);
    assert_eq!(answer["result"]["structuredContent"]["status"], "done", "{answer}");
    let told = mcp.progress_of(id);
    assert!(told.len() > 2, "{told:?}");
    assert!(told.windows(2).all(|pair| pair[0] < pair[1]), "{told:?}");
    // Later notifications belong to other requests.
    mcp.notifications.clear();
    mcp.ask("ping", json!({}));
    assert_eq!(mcp.notifications, Vec::<Value>::new());
    let run = mcp.finish();
    assert_eq!(run.exits(0).stdout, "");
    assert!(!run.stdout.contains("forged"));
    sandbox.nothing_lives();
}

#[test]
fn nothing_of_progress_is_told_to_a_client_that_did_not_ask() {
    let sandbox = Sandbox::new();
    let mut mcp = sandbox.mcp_rehearsed();
    let held = mcp.result("debate_topic", json!({ "topic": TOPIC, "wait_seconds": 3600 }));
    assert_eq!(held["rehearsal"], true, "{held}");
    assert_eq!(mcp.notifications, Vec::<Value>::new());
    mcp.finish().exits(0);
    assert!(sandbox.calls().is_empty());
}
