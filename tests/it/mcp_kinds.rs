//! Every kind of debate of the MCP server, broken off in its middle in every way: no process survives, nothing is
//! decided, and a resume asks only for missing answers. The calls are read from the fakes' ledger.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::plan;
use crate::support::Sandbox;
use crate::support::debates::TOPIC;
use crate::support::discusses::{BRIEF, FOUR};
use crate::support::live::until;
use crate::support::mcps::Mcp;
use crate::support::reviews::agreeing;

/// A debate with one turn that would take ten minutes.
struct Kind {
    sandbox: Sandbox,
    tool: &'static str,
    arguments: Value,
    slow: &'static str,
}

/// A way to break off a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// The client goes away.
    Eof,
    /// The client cancels its request; the server stays.
    Cancel,
    /// A signal to the server.
    Signalled(Signal),
}

impl Kind {
    fn new(sandbox: Sandbox, tool: &'static str, arguments: Value, slow: &'static str) -> Self {
        let file = format!("{}.json", slow.replace('/', "_"));
        let sandbox = sandbox.fake(&file, r#"{"delay": 600}"#);
        sandbox.git(&["init", "--quiet"]);
        Self { sandbox, tool, arguments, slow }
    }

    fn review() -> Self {
        let arguments = json!({ "question": "Is it safe?" });
        Self::new(agreeing(), "debate_review", arguments, "r2/cross/s2")
    }

    fn full() -> Self {
        let arguments = json!({ "question": "Is it safe?" });
        Self::new(agreeing(), "debate_360", arguments, "validate/s2")
    }

    fn plan() -> Self {
        let arguments = json!({ "question": "Move the store to SQLite", "mode": "plan" });
        Self::new(plan::agreeing(), "debate_360", arguments, "validate/s2")
    }

    fn topic() -> Self {
        let arguments = json!({ "topic": TOPIC });
        Self::new(Sandbox::disputing(), "debate_topic", arguments, "r2/rebuttal")
    }

    fn backlog() -> Self {
        let sandbox = Sandbox::new();
        let items: Value =
            serde_json::from_str(&fs::read_to_string(sandbox.six()).unwrap()).unwrap();
        let arguments = json!({ "opportunities": items });
        Self::new(sandbox, "prioritize_backlog", arguments, "r1/moderator")
    }

    fn discuss() -> Self {
        let arguments = json!({ "artifact": BRIEF, "perspectives": FOUR });
        let sandbox = Sandbox::discussing();
        Self::new(sandbox, "discuss_artifact", arguments, "r1/risk")
    }

    /// Makes the slow turn quick from now on.
    fn hurry(&self) {
        let file = format!(".fake/scenario/{}.json", self.slow.replace('/', "_"));
        fs::remove_file(self.sandbox.home().join(file)).unwrap();
    }

    /// The number of calls of each turn, and the answered turns: their fakes ended by themselves, with success.
    fn turns(&self) -> (BTreeMap<String, usize>, Vec<String>) {
        let mut asked = BTreeMap::new();
        let mut answered = Vec::new();
        for call in self.sandbox.calls() {
            *asked.entry(call.turn.clone()).or_default() += 1;
            if call.turn != self.slow && call.read("exit").trim() == "0" {
                answered.push(call.turn);
            }
        }
        (asked, answered)
    }

    /// The only session and its status.
    fn session(&self) -> (String, String) {
        let listed = self.sandbox.run(&["sessions", "list", "--json"]).json();
        let sessions = listed["sessions"].as_array().unwrap();
        assert_eq!(sessions.len(), 1, "{listed}");
        let text = |field: &str| sessions[0][field].as_str().unwrap().to_owned();
        (text("session_id"), text("status"))
    }

    /// Whether an agent runs.
    fn asks(&self) -> bool {
        let processes = self.sandbox.processes();
        (processes.iter()).any(|process| process.command.contains("fake-agent"))
    }
}

/// Waits until a turn is answered and the slow turn is asked; returns the answered turns.
fn begun(kind: &Kind, mcp: &mut Mcp) -> (i64, Vec<String>) {
    let mut arguments = kind.arguments.clone();
    arguments["wait_seconds"] = json!(3_600);
    let id = mcp.begin(kind.tool, arguments);
    mcp.until("a slow call", |mcp| {
        assert!(!mcp.has_answer(id), "it did not wait");
        let calls = kind.sandbox.calls();
        let slow = |call: &crate::support::Call| {
            call.turn == kind.slow && call.dir.join("start").is_file()
        };
        let quiet =
            |call: &crate::support::Call| call.turn == kind.slow || !call.read("exit").is_empty();
        let answered = calls.len() - calls.iter().filter(|call| call.turn == kind.slow).count();
        // An agent's end is not yet a result in the journal, and an unrecorded answer is rightly asked for again.
        answered > 0
            && kind.sandbox.results() == answered
            && calls.iter().any(slow)
            && calls.iter().all(quiet)
    });
    let (_, answered) = kind.turns();
    assert!(!answered.is_empty(), "nothing was answered before");
    (id, answered)
}

/// Breaks a debate off, and resumes it.
#[track_caller]
fn broken_off(kind: &Kind, way: Way) {
    let mut mcp = kind.sandbox.mcp();
    let (id, answered) = begun(kind, &mut mcp);
    let mut mcp = match way {
        Way::Eof => {
            let run = mcp.finish();
            run.exits(0);
            let answer: Value = serde_json::from_str(&run.stdout).unwrap();
            assert_eq!(answer["id"], id);
            let result = &answer["result"]["structuredContent"];
            assert_eq!(result["status"], "interrupted", "{answer}");
            assert_eq!(result["decided"], false, "{answer}");
            assert_eq!(result["resumable"], true, "{answer}");
            None
        }
        Way::Signalled(signal) => {
            mcp.signal(signal);
            let code = match signal {
                Signal::KILL => -9,
                Signal::INT => {
                    mcp.signal(signal);
                    130
                }
                Signal::TERM => 143,
                other => panic!("{other:?} is not sent here"),
            };
            mcp.finish().exits(code);
            None
        }
        Way::Cancel => {
            mcp.cancel(id);
            until("the end of the agents", || !kind.asks());
            until("the end of the run", || kind.session().1 != "running");
            assert_eq!(mcp.ask("ping", json!({}))["result"], json!({}));
            Some(mcp)
        }
    };
    until("the end of the agents", || !kind.asks());
    if mcp.is_none() {
        // The guard of a killed server's agents outlives them by a moment.
        until("the end of all", || kind.sandbox.processes().is_empty());
    }
    let (session, status) = kind.session();
    let expected = match way {
        Way::Signalled(Signal::KILL) => "interrupted",
        Way::Eof | Way::Cancel | Way::Signalled(_) => "suspended",
    };
    assert_eq!(status, expected);
    let told = mcp.as_ref().map(|mcp| mcp.progress_of(id));

    kind.hurry();
    let mut server = mcp.take().unwrap_or_else(|| kind.sandbox.mcp());
    let resume = json!({ "session_id": session, "wait_seconds": 3_600 });
    let result = server.result("session_resume", resume);
    assert_eq!(result["status"], "done", "{result}");
    assert_eq!(result["session_id"], session.as_str());
    assert_eq!(result["rehearsal"], false);
    let (asked, _) = kind.turns();
    for turn in answered {
        assert_eq!(asked[&turn], 1, "{turn} was paid twice: {asked:?}");
    }
    assert_eq!(asked[kind.slow], 2, "{asked:?}");
    if let Some(told) = told {
        assert_eq!(server.progress_of(id), told, "progress of a cancelled call");
        assert!(!server.has_answer(id), "a cancelled call was answered");
    }
    assert_eq!(server.finish().exits(0).stdout, "");
    kind.sandbox.nothing_lives();
}

/// The client goes away, or cancels its request.
#[track_caller]
fn broken_off_by_its_client(kind: fn() -> Kind) {
    broken_off(&kind(), Way::Eof);
    broken_off(&kind(), Way::Cancel);
}

#[test]
fn a_review_is_broken_off_by_its_client() {
    broken_off_by_its_client(Kind::review);
}

#[test]
fn a_full_review_is_broken_off_by_its_client() {
    broken_off_by_its_client(Kind::full);
}

#[test]
fn a_plan_is_broken_off_by_its_client() {
    broken_off_by_its_client(Kind::plan);
}

#[test]
fn a_topic_is_broken_off_by_its_client() {
    broken_off_by_its_client(Kind::topic);
}

#[test]
fn a_backlog_is_broken_off_by_its_client() {
    broken_off_by_its_client(Kind::backlog);
}

#[test]
fn a_discussion_is_broken_off_by_its_client() {
    broken_off_by_its_client(Kind::discuss);
}

#[test]
fn a_server_that_is_killed_leaves_no_agent_and_a_session_to_go_on_with() {
    broken_off(&Kind::topic(), Way::Signalled(Signal::KILL));
}

#[test]
fn a_server_that_is_terminated_leaves_no_agent_and_a_session_to_go_on_with() {
    broken_off(&Kind::discuss(), Way::Signalled(Signal::TERM));
}

#[test]
fn a_server_that_is_interrupted_twice_leaves_no_agent_and_a_session_to_go_on_with() {
    broken_off(&Kind::backlog(), Way::Signalled(Signal::INT));
}

#[test]
fn an_agent_that_does_not_let_itself_be_stopped_is_killed_with_the_end_of_the_client() {
    let kind = Kind::topic();
    let stubborn = kind
        .sandbox
        .config(r#"{"limits": {"grace_seconds": 1}}"#)
        .fake("codex.sh", "trap '' TERM\n")
        .fake("claude.sh", "trap '' TERM\n")
        .fake("r2_rebuttal.sh", "trap '' TERM\nsleep 600\n")
        .fake("r2_rebuttal.json", "{}");
    let kind = Kind { sandbox: stubborn, ..Kind::topic() };
    let mut mcp = kind.sandbox.mcp();
    begun(&kind, &mut mcp);
    mcp.finish().exits(0);
    kind.sandbox.nothing_lives();
    assert_eq!(kind.session().1, "suspended");
}

#[test]
fn what_is_cancelled_too_early_too_late_twice_or_never_asked_disturbs_nothing() {
    let kind = Kind::topic();
    let mut mcp = kind.sandbox.mcp();
    let answered = mcp.request("ping", json!({}));
    mcp.answer(answered);
    mcp.cancel(answered);
    mcp.cancel(4_711);
    for wrong in [json!({}), json!({ "requestId": {} }), json!({ "requestId": null })] {
        mcp.notify("notifications/cancelled", wrong);
    }
    // Before it has a session, or while it gets one: in one piece with the request, then a few moments after it.
    for pause in [0, 5, 20, 80] {
        let early = mcp.begin(kind.tool, json!({ "topic": TOPIC, "wait_seconds": 3_600 }));
        std::thread::sleep(std::time::Duration::from_millis(pause));
        mcp.cancel(early);
        mcp.cancel(early);
        assert_eq!(mcp.ask("ping", json!({}))["result"], json!({}));
        assert!(!mcp.has_answer(early));
    }
    until("the end of the agents", || !kind.asks());
    let asked = kind.sandbox.calls().len();
    let listed = mcp.result("list_agents", json!({}));
    assert_eq!(listed["total"], 3);
    assert_eq!(mcp.finish().exits(0).stdout, "", "something was answered");
    assert_eq!(kind.sandbox.calls().len(), asked);
    kind.sandbox.nothing_lives();
}
