//! Every tool of the MCP server, over the real program: its answer matches its schema, and the store.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::support::{Sandbox, fixture};

/// A repository with a change and a document, and items in a backlog.
fn project() -> Sandbox {
    let sandbox = Sandbox::new().planted();
    sandbox.write("docs/design.md", "# Design\n\nThe cache moves out of the process.\n");
    sandbox
}

/// Asserts that a result's session is in the project, with its report.
#[track_caller]
fn is_kept(sandbox: &Sandbox, result: &Value) {
    let id = result["session_id"].as_str().unwrap();
    let kept = sandbox.sessions();
    assert!(kept.iter().any(|dir| dir.ends_with(id)), "{id}: {kept:?}");
    assert_eq!(result["transcript"], format!("debate://sessions/{id}"));
    if let Some(report) = result["report_path"].as_str() {
        assert!(sandbox.project().join(report).is_file(), "{report}");
    }
}

#[test]
fn every_tool_that_asks_answers_in_a_rehearsal_and_keeps_its_session() {
    let sandbox = project();
    let mut mcp = sandbox.mcp_rehearsed();
    let items: Value =
        serde_json::from_str(&fs::read_to_string(fixture("opportunities/six.json")).unwrap())
            .unwrap();
    let items = items.get("opportunities").cloned().unwrap_or(items);
    let calls = [
        ("debate_review", "review", json!({"question": "Is it safe?"})),
        ("debate_360", "review", json!({"question": "Is it safe?", "path": "src", "maxRounds": 1})),
        (
            "debate_360",
            "plan",
            json!({"question": "Add paging", "mode": "plan", "confidence_threshold": 60}),
        ),
        ("debate_topic", "dialogue", json!({"topic": "REST or gRPC?"})),
        (
            "debate_topic",
            "panel",
            json!({"topic": "Which queue?", "style": "panel", "options": ["A", "B"], "max_rounds": 0}),
        ),
        (
            "debate_topic",
            "argument",
            json!({"topic": "Drop it?", "style": "argument", "max_rounds": 2}),
        ),
        ("prioritize_backlog", "backlog", json!({"opportunities": items})),
        (
            "discuss_artifact",
            "discuss",
            json!({"artifact": "docs/design.md", "perspectives": ["technical", "risk"]}),
        ),
    ];
    for (tool, protocol, mut arguments) in calls {
        arguments["wait_seconds"] = json!(600);
        let result = mcp.valid(tool, arguments);
        assert_eq!(result["status"], "done", "{tool}: {result}");
        assert_eq!(result["protocol"], protocol, "{tool}: {result}");
        assert_eq!(result["rehearsal"], true, "{tool}: {result}");
        let summary = result["summary"].as_str().unwrap();
        assert!(summary.starts_with("REHEARSAL: no model was asked. "), "{summary}");
        let seats = result["seats"].as_array().unwrap();
        let answers =
            |seat: &Value| ["answered", "skipped"].iter().any(|one| seat["status"] == *one);
        assert!(!seats.is_empty() && seats.iter().all(answers), "{tool}: {result}");
        is_kept(&sandbox, &result);
        let again = mcp.valid("session_result", json!({"session_id": result["session_id"]}));
        assert_eq!(again["decided"], result["decided"], "{tool}");
    }
    // No agent was asked.
    assert!(sandbox.ledger().is_empty());
    mcp.close_input();
    mcp.finish().exits(0);
}

#[test]
fn paths_that_lead_out_start_nothing_and_name_the_field() {
    let sandbox = project();
    symlink("/etc", sandbox.project().join("link")).unwrap();
    let mut mcp = sandbox.mcp();
    for path in ["/etc", "../..", "link", "link/passwd", "/etc/there-is-none", "src/../../x"] {
        for (tool, field, arguments) in [
            ("read_diff", "path", json!({"path": path})),
            ("debate_review", "path", json!({"question": "?", "path": path})),
            ("debate_360", "path", json!({"question": "?", "path": path})),
            ("debate_360", "path", json!({"question": "?", "mode": "plan", "path": path})),
            ("discuss_artifact", "artifact", json!({"artifact": path})),
            ("discuss_artifact", "context", json!({"artifact": "docs/design.md", "context": path})),
        ] {
            let why = mcp.refusal(tool, arguments);
            assert!(
                why.starts_with(&format!("`{field}`: `{path}` is outside the repository (")),
                "{tool} {path}: {why}"
            );
        }
    }
    for (tool, arguments, why) in [
        (
            "read_diff",
            json!({"path": "nothing/here"}),
            "`path`: the change has nothing at `nothing/here`",
        ),
        ("read_diff", json!({"base": "no-such"}), "`base`: `no-such` names no commit"),
        ("read_diff", json!({"base": "--output=x"}), "`base`: "),
        ("read_diff", json!({"staged": true, "base": "main"}), "`staged`: "),
        ("discuss_artifact", json!({"artifact": "docs"}), "`artifact`: `docs` is a folder"),
        (
            "discuss_artifact",
            json!({"artifact": ".git/config"}),
            "`artifact`: `.git/config` belongs to git itself",
        ),
        (
            "discuss_artifact",
            json!({"artifact": "docs/design.md", "preset": "none"}),
            "`preset`: there is no preset `none`",
        ),
        (
            "debate_review",
            json!({"question": "?", "agents": ["claude", "nobody"]}),
            "`agents`: there is no agent `nobody`",
        ),
        (
            "debate_topic",
            json!({"topic": "?", "participants": ["claude", "nobody"]}),
            "`participants`: there is no agent `nobody`",
        ),
        (
            "debate_topic",
            json!({"topic": "?", "style": "panel", "max_rounds": 6}),
            "`max_rounds`: 6 given; 0 to 5",
        ),
        ("debate_topic", json!({"topic": "?", "max_rounds": 0}), "`max_rounds`: 0 given; 1 to 10"),
        (
            "run_agent",
            json!({"agent": "claude", "prompt": "hi"}),
            "`run_agent` is off: only the user can allow it",
        ),
    ] {
        let said = mcp.refusal(tool, arguments);
        assert!(said.starts_with(why), "{tool}: {said}");
        assert!(!said.contains("--agents") && !said.contains("--agents"), "{said}");
    }
    assert!(sandbox.calls().is_empty(), "somebody was asked");
    assert!(sandbox.sessions().is_empty(), "a session was kept");
}

#[test]
fn what_the_project_brings_needs_its_users_trust_before_a_run_is_begun() {
    let sandbox = project();
    sandbox.write(
        "debate-agent.config.json",
        r#"{"limits": {"budget_usd": 1000}, "mcp": {"allow_run_agent": true, "roots": ["/"]}}"#,
    );
    let mut mcp = sandbox.mcp();
    let why = mcp.refusal("debate_topic", json!({"topic": "?"}));
    assert!(why.contains("limits.budget_usd"), "{why}");
    assert!(why.contains("`debate-agent trust`"), "{why}");
    assert!(!why.contains("--config"), "{why}");
    let why = mcp.refusal("run_agent", json!({"agent": "claude", "prompt": "hi"}));
    assert!(why.starts_with("`run_agent` is off"), "{why}");
    let why = mcp.refusal("read_diff", json!({"path": "/etc"}));
    assert!(why.contains("(none are set)"), "{why}");
    assert!(sandbox.calls().is_empty() && sandbox.sessions().is_empty());
}

#[test]
fn nothing_to_review_is_no_approval() {
    let sandbox = project();
    sandbox.commit("All of it");
    let mut mcp = sandbox.mcp();
    let result = mcp.valid("debate_review", json!({"question": "Is it safe?"}));
    assert_eq!(result["status"], "nothing");
    assert_eq!(result["decided"], false);
    let summary = result["summary"].as_str().unwrap();
    assert!(summary.starts_with("NOTHING TO REVIEW: "), "{summary}");
    let items = json!({"opportunities": [{"title": "Only one"}]});
    let result = mcp.valid("prioritize_backlog", items);
    assert_eq!(result["status"], "nothing");
    assert_eq!(result["decided"], false);
    let stored = mcp.valid("prioritize_backlog", json!({}));
    assert_eq!(stored["status"], "nothing", "{stored}");
}

#[test]
fn outside_a_repository_topics_are_debated_and_path_tools_refuse() {
    let sandbox = Sandbox::new();
    sandbox.write("design.md", "# Design\n\nText.\n");
    let mut mcp = sandbox.mcp_rehearsed();
    for (tool, arguments) in [
        ("read_diff", json!({})),
        ("debate_review", json!({"question": "?"})),
        ("debate_360", json!({"question": "?"})),
        ("prioritize_backlog", json!({})),
    ] {
        let why = mcp.refusal(tool, arguments);
        assert!(why.contains("outside any git repository"), "{tool}: {why}");
    }
    let why = mcp.refusal("discuss_artifact", json!({"artifact": "design.md"}));
    assert!(
        why.starts_with("`artifact`: `design.md` is outside `mcp.roots` (none are set)"),
        "{why}"
    );
    let topic = json!({"topic": "REST or gRPC?", "wait_seconds": 600});
    let result = mcp.valid("debate_topic", topic);
    assert_eq!(result["status"], "done", "{result}");
    let id = result["session_id"].as_str().unwrap();
    let state = sandbox.home().join(".local/state/debate-agent/mcp");
    assert!(
        state.join(".debate/sessions").join(id).is_dir()
            || fs::read_dir(&state).unwrap().count() > 0
    );
    assert!(sandbox.sessions().is_empty(), "the folder of the start was written to");
    let again = mcp.valid("session_result", json!({"session_id": id}));
    assert_eq!(again["decided"], result["decided"]);
}
