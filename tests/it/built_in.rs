//! CLIs with a built-in profile and no configuration: found on PATH, and used only if named.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::support::Sandbox;

/// A project with these programs on PATH before the fakes, each of which records its name when it is called.
fn with(names: &[&str], gone: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new().without(gone);
    let called = sandbox.home().join("called");
    for name in names {
        let file = sandbox.home().join("bin").join(name);
        let text = format!("#!/bin/sh\ncat > /dev/null\necho {name} >> '{}'\n", called.display());
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }
    sandbox
}

fn row<'a>(document: &'a Value, name: &str) -> &'a Value {
    let rows = document["agents"].as_array().unwrap();
    let row = rows.iter().find(|row| row["name"] == name);
    row.unwrap_or(&Value::Null)
}

#[test]
fn they_are_found_by_every_command_that_lists_agents() {
    let sandbox = with(&["qwen", "copilot"], &[]);
    let agents = sandbox.run(&["agents", "--json"]).exits(0).json();
    let doctor = sandbox.run(&["doctor", "--json"]).json();
    for name in ["qwen", "copilot"] {
        let agent = row(&agents, name);
        assert_eq!(agent["available"], true, "{agents}");
        assert_eq!(agent["profile"], name);
        let examined = row(&doctor, name);
        assert_eq!(examined["program"], agent["program"], "{doctor}");
        for document in [agent, examined] {
            assert_eq!(document["roles"], json!([]));
            assert_eq!(document["perspectives"], json!([]));
            assert_eq!(document.get("seat"), None);
        }
    }
    assert_eq!(row(&agents, "opencode"), &Value::Null, "it is not here");
    let found = sandbox.run(&["init", "--dry-run", "--json"]).exits(0).json();
    assert!(found["found"].to_string().contains("\"qwen\""), "{found}");
}

#[test]
fn they_are_called_where_they_are_named_and_nowhere_else() {
    let sandbox = with(&["qwen"], &["gemini", "codex"]);
    let called = sandbox.home().join("called");
    sandbox.six();
    for args in [
        &["debate", "Redis?"][..],
        &["prioritize", "backlog.json"],
        &["plan", "a cache", "--agents", "claude,codex"],
    ] {
        sandbox.run(args);
        assert!(!called.exists(), "{args:?}");
    }
    let plan = sandbox.run(&["plan", "a cache", "--agents", "claude,qwen", "--dry-run", "--json"]);
    assert!(plan.exits(0).json()["calls"].to_string().contains("qwen"));
    // Its output is not an answer; the test is whether it was called.
    sandbox.run(&["run", "qwen", "hello"]);
    assert!(fs::read_to_string(called).unwrap().contains("qwen"));
    // An agent that is not installed is unknown.
    let run = sandbox.run(&["run", "opencode", "hello"]);
    run.exits(2).says("there is no agent `opencode`");
}
