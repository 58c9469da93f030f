//! Runs of the MCP server through the program: several at once, polled, stopped, resumed, and their common spending
//! cap.
#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::live::until;

/// A sandbox whose project is the root of a repository, so that its sessions are kept in it.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.git(&["init", "--quiet"]);
    sandbox
}

/// The arguments to rank six items, and the wait for the result.
fn six(sandbox: &Sandbox, wait: u32) -> Value {
    let items = fs::read_to_string(sandbox.six()).unwrap();
    let items: Value = serde_json::from_str(&items).unwrap();
    json!({ "opportunities": items, "wait_seconds": wait })
}

/// Makes a critic take very long.
const SLOW: &str = r#"{"delay": 600}"#;

/// Waits until no agent runs any more; the server goes on.
fn until_no_agent(sandbox: &Sandbox) {
    until("the end of all agents", || {
        let processes = sandbox.processes();
        !(processes.iter()).any(|process| process.command.contains("fake-agent"))
    });
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_else(|| panic!("no `{field}`: {value}"))
}

#[test]
fn four_debates_at_once_in_one_process_are_all_decided_and_leave_nothing() {
    let sandbox = sandbox();
    let mut mcp = sandbox.mcp_rehearsed();
    let calls: Vec<i64> =
        (0..4).map(|_| mcp.begin("prioritize_backlog", six(&sandbox, 3_600))).collect();
    let mut ids = BTreeSet::new();
    for call in calls {
        let answer = mcp.answer(call);
        let result = &answer["result"]["structuredContent"];
        assert_eq!(result["status"], "done", "{answer}");
        assert_eq!(result["decided"], true, "{answer}");
        assert_eq!(result["rehearsal"], true);
        ids.insert(text(result, "session_id").to_owned());
        let told = mcp.progress_of(call);
        assert!(told.windows(2).all(|pair| pair[0] < pair[1]), "{told:?}");
    }
    assert_eq!(ids.len(), 4);
    assert_eq!(sandbox.sessions().len(), 4);
    assert!(sandbox.calls().is_empty(), "a rehearsal asks nobody");
    for id in ids {
        let again = mcp.result("session_result", json!({ "session_id": id }));
        assert_eq!(again["decided"], true, "{again}");
    }
    mcp.finish().exits(0);
    sandbox.nothing_lives();
}

#[test]
fn a_hundred_calls_spend_no_more_than_the_user_allows() {
    let sandbox = sandbox()
        .fake("claude.json", r#"{"cost": 0.11}"#)
        .fake("codex.json", r#"{"model": "nobody-knows-it"}"#);
    let file = sandbox.home().join(".config/debate-agent/config.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, r#"{"mcp": {"budget_usd": 0.5}}"#).unwrap();
    sandbox.write("debate-agent.config.json", r#"{"mcp": {"budget_usd": 1000}}"#);
    let mut mcp = sandbox.mcp();
    let results = [(); 2].map(|()| mcp.result("prioritize_backlog", six(&sandbox, 3_600)));
    let mut said = String::new();
    for _ in 2..100 {
        said = mcp.refusal("prioritize_backlog", six(&sandbox, 3_600));
    }
    // The first: 0.11 for the champion, 0.10 for the critic, whose price is unknown and whose reservation is charged,
    // 0.11 for the moderator. It leaves 0.18, enough for one more champion; then 0.07, which is not enough for a
    // call.
    assert_eq!(
        sandbox.ledger(),
        ["claude r1/champion", "codex r1/critic", "claude r1/moderator", "claude r1/champion"]
    );
    assert_eq!(results[0]["decided"], true, "{}", results[0]);
    assert_eq!(results[0]["cost_usd"], 0.32);
    assert_eq!(results[1]["cost_usd"], 0.11);
    assert_eq!(results[1]["status"], "suspended", "{}", results[1]);
    assert_eq!(results[1]["outcome"], "budget");
    assert_eq!(results[1]["decided"], false);
    // The rest does not pay for the first call, so no session is opened for it.
    assert_eq!(sandbox.sessions().len(), 2);
    assert!(said.contains("$0.15"), "{said}");
    assert!(said.contains("$0.07 to spend, not $2.50"), "{said}");
    // Also in the first result: a client that reads no other learns who can help.
    let more = results[1]["warnings"].to_string();
    assert!(more.contains("only the user can raise"), "{more}");
    // With the sum that the command line names, everywhere.
    let id = results[1]["session_id"].as_str().unwrap();
    let standing = mcp.result("session_status", json!({ "session_id": id }));
    mcp.finish().exits(0);
    let status = sandbox.run(&["sessions", "status", id, "--json"]).json();
    let enough = status["short"]["budget_usd"].as_f64().unwrap();
    let enough = format!("--budget {enough:.2}");
    let screens = ["show", "status"].map(|command| {
        let run = sandbox.run(&["sessions", command, id]);
        run.exits(0).stdout.split_whitespace().collect::<Vec<_>>().join(" ")
    });
    for text in [&more, &screens[0], &screens[1]] {
        assert!(text.contains(&enough), "{enough}: {text}");
    }
    assert!(!standing.to_string().contains("--budget USD"), "{standing}");
}

#[test]
fn two_that_go_on_with_a_session_at_once_get_the_same_result() {
    let sandbox = sandbox().fake("r1_critic.json", SLOW);
    let mut mcp = sandbox.mcp();
    let begun = mcp.result("prioritize_backlog", six(&sandbox, 0));
    sandbox.until_calls(2);
    let id = json!({ "session_id": begun["session_id"] });
    mcp.result("session_cancel", id);
    fs::remove_file(sandbox.home().join(".fake/scenario/r1_critic.json")).unwrap();
    let resume = json!({ "session_id": begun["session_id"], "wait_seconds": 3_600 });
    let calls = [(); 3].map(|()| mcp.begin("session_resume", resume.clone()));
    for call in calls {
        let answer = mcp.answer(call);
        let result = &answer["result"]["structuredContent"];
        assert_eq!(result["status"], "done", "{answer}");
    }
    assert_eq!(sandbox.calls().len(), 4, "what is missing is asked once");
    mcp.finish().exits(0);
}

#[test]
fn a_debate_is_polled_cancelled_and_gone_on_with_and_nothing_is_paid_twice() {
    let sandbox = sandbox().fake("r1_critic.json", SLOW);
    let mut mcp = sandbox.mcp();
    let begun = mcp.result("prioritize_backlog", six(&sandbox, 0));
    assert_eq!(begun["status"], "running", "{begun}");
    let id = json!({ "session_id": begun["session_id"] });
    let wait = |seconds: u32| json!({ "session_id": begun["session_id"], "wait_seconds": seconds });
    sandbox.until_calls(2);

    let status = mcp.result("session_status", id.clone());
    assert_eq!(status["status"], "running");
    assert!(status["progress"]["done"].as_u64().unwrap() > 0, "{status}");
    assert_eq!(mcp.result("session_result", wait(0))["status"], "running");
    assert_eq!(mcp.result("session_resume", wait(0))["status"], "running");
    assert_eq!(sandbox.calls().len(), 2, "looking on asks nobody");

    let stopped = mcp.result("session_cancel", id.clone());
    until_no_agent(&sandbox);
    assert_eq!(stopped["status"], "interrupted", "{stopped}");
    assert_eq!(stopped["decided"], false);
    assert_eq!(stopped["resumable"], true);
    for tool in ["session_status", "session_result"] {
        let told = mcp.result(tool, id.clone());
        assert_ne!(told["status"], "done", "{tool}: {told}");
        assert_eq!(told["decided"], false, "{tool}: {told}");
    }
    let refused = mcp.refusal("session_cancel", id.clone());
    assert!(refused.starts_with("`session_id`: "), "{refused}");
    assert!(refused.contains("is not running in this server"), "{refused}");

    fs::remove_file(sandbox.home().join(".fake/scenario/r1_critic.json")).unwrap();
    let done = mcp.result("session_resume", wait(3_600));
    assert_eq!((&done["status"], &done["decided"]), (&json!("done"), &json!(true)));
    let paid = ["claude r1/champion", "codex r1/critic", "codex r1/critic", "claude r1/moderator"];
    assert_eq!(sandbox.ledger(), paid);
    for (tool, arguments) in
        [("session_result", wait(0)), ("session_resume", wait(3_600)), ("session_status", id)]
    {
        let again = mcp.result(tool, arguments);
        assert_eq!(again["status"], "done", "{tool}: {again}");
        assert_eq!(again["outcome"], done["outcome"]);
    }
    assert_eq!(sandbox.ledger(), paid, "a closed session asks nobody");
    mcp.finish().exits(0);
    sandbox.nothing_lives();
}

#[test]
fn a_call_that_is_cancelled_kills_its_agents_and_keeps_what_was_answered() {
    let sandbox = sandbox().fake("r1_critic.json", SLOW);
    let mut mcp = sandbox.mcp();
    let call = mcp.begin("prioritize_backlog", six(&sandbox, 3_600));
    sandbox.until_calls(2);
    mcp.cancel(call);
    until_no_agent(&sandbox);
    until("the end of the run", || {
        let listed = sandbox.run(&["sessions", "list", "--json"]).json();
        listed["sessions"][0]["status"] == "suspended"
    });
    assert!(!mcp.has_answer(call), "what was cancelled is not answered");
    assert_eq!(sandbox.calls().len(), 2);
    mcp.finish().exits(0);
}

#[test]
fn a_session_of_another_process_is_told_and_left_alone() {
    let sandbox = sandbox().fake("r1_critic.json", SLOW);
    sandbox.six();
    let other = sandbox.start(&["prioritize", "backlog.json", "--json"]);
    sandbox.until_calls(2);
    let mut mcp = sandbox.mcp();
    let listed = sandbox.run(&["sessions", "list", "--json"]).json();
    let id = json!({ "session_id": listed["sessions"][0]["session_id"] });
    let told = mcp.result("session_status", id.clone());
    assert_eq!(told["status"], "running", "{told}");
    let holder = format!("process {}", other.pid().as_raw_nonzero());
    assert!(text(&told, "summary").contains(&holder), "{told}");
    assert_eq!(mcp.result("session_result", id.clone())["status"], "running");
    for tool in ["session_resume", "session_cancel"] {
        let refused = mcp.refusal(tool, id.clone());
        assert!(refused.starts_with("`session_id`: "), "{tool}: {refused}");
        assert!(refused.contains(&holder), "{tool}: {refused}");
    }
    assert_eq!(sandbox.calls().len(), 2, "nobody was asked from here");
    for (unknown, said) in [("nobody", "there is no session"), ("No Such!", "session_id")] {
        let refused = mcp.refusal("session_status", json!({ "session_id": unknown }));
        assert!(refused.starts_with("`session_id`: "), "{refused}");
        assert!(refused.contains(said), "{refused}");
    }
    other.send(rustix::process::Signal::TERM);
    other.finish().exits(143);

    // A server that rehearses asks no agent, whatever session it is told to resume.
    let mut rehearsed = sandbox.mcp_rehearsed();
    let refused = rehearsed.refusal("session_resume", id);
    assert!(refused.contains("nobody is asked"), "{refused}");
    assert_eq!(sandbox.calls().len(), 2);
    rehearsed.finish().exits(0);
    mcp.finish().exits(0);
}

#[test]
fn a_review_that_is_cancelled_while_git_reads_the_change_ends_git() {
    let sandbox = sandbox().without(&[]);
    let (git, ran) = (sandbox.home().join("bin/git"), sandbox.home().join("ran"));
    let script = format!("#!/bin/sh\necho $$ > {}\nexec sleep 600\n", ran.display());
    fs::write(&git, script).unwrap();
    fs::set_permissions(&git, fs::Permissions::from_mode(0o755)).unwrap();
    let mut mcp = sandbox.mcp();
    let review = json!({ "question": "is it right?", "wait_seconds": 3_600 });
    let call = mcp.begin("debate_review", review);
    let pid = || fs::read_to_string(&ran).unwrap_or_default().trim().to_owned();
    until("git", || !pid().is_empty());
    mcp.cancel(call);
    let process = format!("/proc/{}", pid());
    until("the end of git", || !fs::exists(&process).unwrap());
    assert!(sandbox.calls().is_empty());
    mcp.finish().exits(0);
}
