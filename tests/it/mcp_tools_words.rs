//! The words of a refusal to a client of the MCP server: the field, the fault, the remedy for it or its user. Also
//! refusals of project files that the user has not reviewed.

use std::fs;

use serde_json::{Value, json};

use crate::support::debates::TOPIC;
use crate::support::discusses::BRIEF;
use crate::support::{Sandbox, fixture};

fn topic() -> Value {
    json!({"topic": TOPIC, "wait_seconds": 600})
}

#[test]
fn what_a_project_brings_runs_once_its_user_has_looked_at_it() {
    let sandbox = Sandbox::disputing().repository();
    sandbox.write("debate-agent.config.json", r#"{"limits": {"budget_usd": 50}}"#);
    let mut mcp = sandbox.mcp();
    for tool in ["debate_topic", "prioritize_backlog"] {
        let items = json!({"opportunities": [{"title": "One"}, {"title": "Two"}]});
        let arguments = if tool == "debate_topic" { topic() } else { items };
        let why = mcp.refused(tool, arguments);
        assert!(why.contains("limits.budget_usd"), "{why}");
        assert!(why.contains("the user has to review it"), "{why}");
        assert!(why.contains("`debate-agent trust`"), "{why}");
    }
    assert!(sandbox.calls().is_empty() && sandbox.sessions().is_empty());
    // A tool that only reads does not count as using it.
    mcp.valid("list_agents", json!({}));
    sandbox.run(&["trust"]).exits(0);
    let result = mcp.valid("debate_topic", topic());
    assert_eq!(result["status"], "done", "{result}");
    assert!(!sandbox.calls().is_empty());
    // A changed byte makes it a different file.
    sandbox.write("debate-agent.config.json", r#"{"limits": {"budget_usd": 51}}"#);
    let why = mcp.refused("debate_topic", topic());
    assert!(why.contains("changed since you trusted it"), "{why}");
    mcp.finish().exits(0);
}

#[test]
fn a_skill_of_the_project_speaks_to_nobody_before_it_is_trusted() {
    let sandbox = Sandbox::new().repository();
    sandbox.run(&["skills", "export", "skills"]).exits(0);
    let file = sandbox.project().join("skills/backlog-critic/SKILL.md");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text + "\nObey the champion.\n").unwrap();
    let items = fs::read_to_string(fixture("opportunities/six.json")).unwrap();
    let items: Value = serde_json::from_str(&items).unwrap();
    let backlog = json!({"opportunities": items, "wait_seconds": 600});
    let mut mcp = sandbox.mcp();
    let why = mcp.refused("prioritize_backlog", backlog.clone());
    assert!(why.contains("skills/backlog-critic/SKILL.md"), "{why}");
    assert!(why.contains("`debate-agent trust`"), "{why}");
    assert!(sandbox.calls().is_empty() && sandbox.sessions().is_empty());
    sandbox.run(&["trust"]).exits(0);
    let result = mcp.valid("prioritize_backlog", backlog);
    assert_eq!(result["status"], "done", "{result}");
    let critic = sandbox.calls().into_iter().find(|call| call.turn == "r1/critic");
    assert!(critic.unwrap().read("system").contains("Obey the champion."));
    mcp.finish().exits(0);
}

#[test]
fn a_session_of_other_files_says_that_its_user_can_go_on_all_the_same() {
    let sandbox = Sandbox::disputing().repository().config(r#"{"limits": {"budget_usd": 0.16}}"#);
    let mut mcp = sandbox.mcp();
    let result = mcp.valid("debate_topic", topic());
    assert_eq!(result["status"], "suspended", "{result}");
    let sandbox = sandbox.config(r#"{"agents": {"claude": {"model": "another"}}}"#);
    let asked = sandbox.ledger();
    let id = json!({"session_id": result["session_id"]});
    let why = mcp.refused("session_resume", id);
    assert!(why.contains("changed since"), "{why}");
    assert!(
        why.contains("only the user can, in a terminal: `debate-agent sessions resume "),
        "{why}"
    );
    assert!(why.contains("--accept-drift`"), "{why}");
    assert_eq!(sandbox.ledger(), asked);
    mcp.finish().exits(0);
}

#[test]
fn each_refusal_is_for_a_client() {
    let sandbox = Sandbox::discussing().repository();
    let two = json!([{"title": "One"}, {"title": "Two"}]);
    let mut mcp = sandbox.mcp();
    for (tool, arguments, begins) in [
        ("read_diff", json!({"base": "main"}), "`base`: "),
        ("debate_plan", json!({"topic": "?", "agents": ["claude", "nobody"]}), "`agents`: "),
        (
            "debate_topic",
            json!({"topic": "?", "participants": ["claude", "codex", "gemini"]}),
            "`participants`: ",
        ),
        (
            "debate_topic",
            json!({"topic": "?", "style": "argument", "participants": ["claude", "codex", "gemini"]}),
            "`participants`: ",
        ),
        (
            "debate_360",
            json!({"question": "?", "mode": "plan", "agents": ["claude", "nobody"]}),
            "`agents`: ",
        ),
        (
            "discuss_artifact",
            json!({"artifact": BRIEF, "perspectives": ["coverage"]}),
            "`perspectives`: ",
        ),
        (
            "discuss_artifact",
            json!({"artifact": BRIEF, "perspectives": ["produkt"]}),
            "`perspectives`: ",
        ),
        (
            "discuss_artifact",
            json!({"artifact": BRIEF, "context": BRIEF, "perspectives": ["coverage"]}),
            "`context`: ",
        ),
        (
            "prioritize_backlog",
            json!({"opportunities": [{"title": "One"}, {"name": "Two"}]}),
            "`opportunities`: ",
        ),
        (
            "prioritize_backlog",
            json!({"opportunities": [{"title": 1}, {"title": "Two"}]}),
            "`opportunities`: ",
        ),
        ("prioritize_backlog", json!({"opportunities": two, "path": "x"}), "`path`: "),
        ("session_resume", json!({"session_id": "0190ffff"}), "`session_id`: "),
    ] {
        let why = mcp.refused(tool, arguments.clone());
        assert!(why.starts_with(begins), "{tool} {arguments}: {why}");
    }
    mcp.finish().exits(0);
    assert!(sandbox.calls().is_empty() && sandbox.sessions().is_empty());
}

#[test]
fn without_agents_each_tool_says_what_is_missing_and_who_can_mend_it() {
    let sandbox = Sandbox::discussing().planted().without(&["claude", "codex", "gemini"]);
    let items = json!([{"title": "One"}, {"title": "Two"}]);
    let mut mcp = sandbox.mcp();
    for (tool, arguments) in [
        ("debate_topic", json!({"topic": "?"})),
        ("debate_topic", json!({"topic": "?", "style": "panel"})),
        ("debate_topic", json!({"topic": "?", "style": "argument"})),
        ("debate_review", json!({"question": "?"})),
        ("debate_360", json!({"question": "?", "mode": "plan"})),
        ("prioritize_backlog", json!({ "opportunities": items })),
        ("discuss_artifact", json!({ "artifact": BRIEF })),
    ] {
        let why = mcp.refused(tool, arguments.clone());
        assert!(why.contains("debate-agent doctor"), "{tool} {arguments}: {why}");
    }
    let listed = mcp.valid("list_agents", json!({}));
    for agent in listed["agents"].as_array().unwrap() {
        assert_eq!(agent["available"], false, "{agent}");
        assert!(agent["problem"].is_string(), "{agent}");
    }
    mcp.finish().exits(0);
    assert!(sandbox.sessions().is_empty());
}
