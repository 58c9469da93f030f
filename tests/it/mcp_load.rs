//! Many requests of every kind at once, while debates run: each is answered once, and nothing of them remains.
//!
//! This test makes 300 of them. `tests/clients/load` does the same with 10,000, and bounds memory, threads and
//! descriptors more tightly: three in four read files or start git, which takes minutes in a debug build.
#![cfg(target_os = "linux")]

use std::collections::{BTreeSet, VecDeque};
use std::fs;

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::live::until;
use crate::support::mcps::Mcp;

/// Maximum number of requests waiting for their answers at the same time.
const IN_FLIGHT: usize = 64;

/// The required answer.
#[derive(Debug, Clone, Copy)]
enum Expected {
    /// A tool's result, whose text repeats its structured content.
    Result,
    /// A tool's refusal with this beginning.
    Refusal(&'static str),
    /// The result of another method.
    Other,
    /// An error with this code.
    Error(i64),
}

/// One kind of request.
#[derive(Debug, Clone)]
struct Kind {
    /// Its share of every hundred requests.
    share: usize,
    expected: Expected,
    method: &'static str,
    params: Value,
}

#[expect(clippy::needless_pass_by_value, reason = "the table writes it in place")]
fn tool(share: usize, expected: Expected, name: &str, arguments: Value) -> Kind {
    let params = json!({ "name": name, "arguments": arguments });
    other(share, expected, "tools/call", params)
}

fn other(share: usize, expected: Expected, method: &'static str, params: Value) -> Kind {
    Kind { share, expected, method, params }
}

/// All kinds, about a session that is stored.
fn kinds(stored: &str) -> Vec<Kind> {
    [tools(stored), others(stored)].concat()
}

/// Calls of existing tools.
fn tools(stored: &str) -> Vec<Kind> {
    use Expected::{Refusal, Result};
    let session = json!({ "session_id": stored });
    let nobody = json!({ "session_id": "19990101-nobody" });
    let long = "x".repeat(5_000);
    let no_session = Refusal("`session_id`: ");
    vec![
        tool(8, Result, "list_agents", json!({})),
        tool(3, Result, "read_diff", json!({})),
        tool(2, Result, "read_diff", json!({ "path": "src" })),
        tool(8, Result, "debate_plan", json!({ "topic": "One repository?", "rounds": 3 })),
        tool(8, Result, "session_status", session.clone()),
        tool(7, Result, "session_result", session.clone()),
        tool(3, no_session, "session_status", nobody.clone()),
        tool(2, no_session, "session_result", nobody),
        tool(2, no_session, "session_cancel", session),
        tool(2, no_session, "session_resume", json!({ "session_id": "../../etc" })),
        tool(
            2,
            Refusal("`max_rounds`: "),
            "debate_360",
            json!({ "question": "x", "max_rounds": 1_000_000_000 }),
        ),
        tool(2, Refusal("`rounds`: "), "debate_plan", json!({ "topic": "x", "rounds": "many" })),
        tool(2, Refusal("`topic`: "), "debate_topic", json!({})),
        tool(4, Refusal("`topic`: "), "debate_topic", json!({ "topic": long })),
        tool(
            2,
            Refusal("`budget_usd`: "),
            "debate_review",
            json!({ "question": "x", "budget_usd": 1_000 }),
        ),
        tool(
            2,
            Refusal("`agents`: "),
            "debate_review",
            json!({ "question": "x", "agents": ["claude"] }),
        ),
        tool(2, Refusal("`path`: "), "read_diff", json!({ "path": "/etc" })),
        tool(2, Refusal("`artifact`: "), "discuss_artifact", json!({ "artifact": "../../x" })),
        tool(
            2,
            Refusal("`opportunities`: "),
            "prioritize_backlog",
            json!({ "opportunities": "all" }),
        ),
        tool(
            2,
            Refusal("`run_agent` is off"),
            "run_agent",
            json!({ "agent": "claude", "prompt": "hi" }),
        ),
    ]
}

/// Everything else.
fn others(stored: &str) -> Vec<Kind> {
    use Expected::{Error, Other};
    let transcript = format!("debate://sessions/{stored}");
    let report = format!("{transcript}/report");
    vec![
        other(3, Other, "resources/list", json!({})),
        other(3, Other, "resources/read", json!({ "uri": transcript })),
        other(2, Other, "resources/read", json!({ "uri": report })),
        other(2, Error(-32002), "resources/read", json!({ "uri": "file:///etc/passwd" })),
        other(1, Other, "resources/templates/list", json!({})),
        other(2, Other, "prompts/list", json!({})),
        other(
            3,
            Other,
            "prompts/get",
            json!({ "name": "debate", "arguments": { "topic": "REST?" } }),
        ),
        other(1, Error(-32602), "prompts/get", json!({ "name": "nobody" })),
        other(6, Other, "ping", json!({})),
        other(3, Other, "tools/list", json!({})),
        other(3, Error(-32601), "no/such", json!({})),
        tool(2, Error(-32602), "no_such_tool", json!({})),
        other(2, Error(-32602), "tools/call", json!({ "name": 5 })),
    ]
}

/// One debate of each kind.
fn debates() -> [(&'static str, Value); 6] {
    let items: Vec<Value> =
        ["Export", "Import", "Paging"].iter().map(|title| json!({ "title": title })).collect();
    [
        ("debate_review", json!({ "question": "Is it safe?" })),
        ("debate_360", json!({ "question": "Is it safe?", "max_rounds": 1 })),
        ("debate_360", json!({ "question": "Add paging", "mode": "plan" })),
        ("debate_topic", json!({ "topic": "REST or gRPC?" })),
        ("prioritize_backlog", json!({ "opportunities": items })),
        (
            "discuss_artifact",
            json!({ "artifact": "docs/design.md", "perspectives": ["technical"] }),
        ),
    ]
}

#[track_caller]
fn holds(kind: &Kind, answer: &Value) {
    let result = &answer["result"];
    let text = || result["content"][0]["text"].as_str().unwrap();
    let held = match kind.expected {
        Expected::Result => {
            result["isError"] == false
                && serde_json::from_str::<Value>(text()).unwrap() == result["structuredContent"]
        }
        Expected::Refusal(why) => {
            result["isError"] == true
                && text().starts_with(why)
                && result.get("structuredContent").is_none()
        }
        Expected::Other => result.is_object() && result.get("isError").is_none(),
        Expected::Error(code) => answer["error"]["code"] == code,
    };
    assert!(held, "{kind:?}: {answer}");
}

fn descriptors(mcp: &Mcp) -> usize {
    let entries = fs::read_dir(format!("/proc/{}/fd", mcp.pid())).unwrap();
    entries.count()
}

fn threads(mcp: &Mcp) -> Vec<String> {
    let tasks = fs::read_dir(format!("/proc/{}/task", mcp.pid())).unwrap();
    tasks
        .filter_map(|task| fs::read_to_string(task.ok()?.path().join("comm")).ok())
        .map(|name| name.trim().to_owned())
        .collect()
}

#[test]
fn requests_of_every_kind_are_answered_once_while_debates_run_and_leave_nothing() {
    let sandbox = Sandbox::new().planted();
    sandbox.write("docs/design.md", "# Design\n\nOne table.\n");
    let mut mcp = sandbox.mcp_rehearsed();
    let topic = json!({ "topic": "REST or gRPC?", "wait_seconds": 3_600 });
    let first = mcp.result("debate_topic", topic);
    let stored = first["session_id"].as_str().unwrap();
    let kinds = kinds(stored);
    assert_eq!(kinds.iter().map(|kind| kind.share).sum::<usize>(), 100);
    // One-time allocations are made now: a first request of each kind.
    for kind in &kinds {
        let answer = mcp.ask(kind.method, kind.params.clone());
        holds(kind, &answer);
    }
    let (opened, memory) = (descriptors(&mcp), mcp.figure("VmRSS"));

    let deck: Vec<&Kind> =
        (kinds.iter()).flat_map(|kind| std::iter::repeat_n(kind, kind.share)).collect();
    let mut open: VecDeque<(i64, &Kind)> = VecDeque::new();
    let mut running: VecDeque<i64> = VecDeque::new();
    let mut sessions = BTreeSet::new();
    let mut ended = |mcp: &mut Mcp, id: i64| {
        let answer = mcp.answer(id);
        let result = &answer["result"]["structuredContent"];
        assert_eq!(result["status"], "done", "{answer}");
        assert_eq!(result["rehearsal"], true, "{answer}");
        sessions.insert(result["session_id"].as_str().unwrap().to_owned());
    };
    let mut more = debates().into_iter();
    for number in 0..300_usize {
        // 37 and 100 have no common factor: every kind comes in every hundred, at another place than its neighbours.
        let kind = deck[number * 37 % deck.len()];
        if number.is_multiple_of(40)
            && let Some((tool, mut arguments)) = more.next()
        {
            arguments["wait_seconds"] = json!(3_600);
            // At most three of the four that may be live.
            if running.len() == 3
                && let Some(oldest) = running.pop_front()
            {
                ended(&mut mcp, oldest);
            }
            running.push_back(mcp.begin(tool, arguments));
        }
        if open.len() + running.len() == IN_FLIGHT
            && let Some((id, kind)) = open.pop_front()
        {
            holds(kind, &mcp.answer(id));
        }
        open.push_back((mcp.request(kind.method, kind.params.clone()), kind));
    }
    for (id, kind) in open {
        holds(kind, &mcp.answer(id));
    }
    for id in running {
        ended(&mut mcp, id);
    }
    assert_eq!(sessions.len(), 6);

    // The threads of runs are gone; those of the pool number as many as its seats, and are idle.
    until("the end of the runs", || !threads(&mcp).iter().any(|name| name == "run"));
    // The first thread, the program's own thread, reader, writer, and the pool's eight.
    assert!(threads(&mcp).len() <= 4 + 8, "{:?}", threads(&mcp));
    assert_eq!(descriptors(&mcp), opened);
    let grown = mcp.figure("VmRSS").saturating_sub(memory);
    assert!(grown < 24 << 10, "{grown} KiB more");
    assert_eq!(sandbox.processes().len(), 1, "{:?}", sandbox.processes());
    let run = mcp.finish();
    assert_eq!(run.exits(0).stdout, "", "answered twice or never asked");
    assert_eq!(run.stderr, "");
    assert_eq!(fs::read_dir(sandbox.tmp()).unwrap().count(), 0);
    assert!(sandbox.calls().is_empty(), "a rehearsal asks nobody");
    sandbox.nothing_lives();
}
