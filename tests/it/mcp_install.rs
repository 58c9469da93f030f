//! `mcp install` and `mcp uninstall`: the commands that clients get, and what people are told where there is none.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use crate::support::{BIN, Sandbox};

const ALL: [&str; 4] = ["claude", "codex", "gemini", "code"];

/// A client that records a line for each call; with `~/.fails` it fails.
const CLIENT: &str = r#"#!/bin/sh
{ printf '%s|' "${0##*/}" "$@"; printf 'cwd=%s depth=%s in=%s\n' "$PWD" "${DEBATE_AGENT_DEPTH-none}" "$(cat)"; } >>"$HOME/.ledger"
[ -e "$HOME/.fails" ] && { echo "out of luck" >&2; exit 7; }
exit 0
"#;

/// Makes a project, which is a repository, with these clients on PATH and no others.
fn with_clients(names: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.project().join(".git")).unwrap();
    let folder = sandbox.home().join("tools");
    fs::create_dir(&folder).unwrap();
    for name in names {
        fs::write(folder.join(name), CLIENT).unwrap();
        fs::set_permissions(folder.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:/usr/bin:/bin", folder.display());
    sandbox.env("PATH", &path)
}

/// The lines that the clients recorded.
fn told(sandbox: &Sandbox) -> Vec<String> {
    let text = fs::read_to_string(sandbox.home().join(".ledger")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn each_client_is_told_by_its_own_command_as_if_it_had_been_typed() {
    let sandbox = with_clients(&ALL);
    let home = sandbox.home().canonicalize().unwrap().display().to_string();
    let project = sandbox.project().canonicalize().unwrap().display().to_string();
    let vscode = json!({"name": "debate-agent", "command": BIN, "args": ["mcp", "serve"]});
    for (what, args, call, cwd) in [
        (
            "install",
            &["claude"][..],
            format!("claude|mcp|add|--scope|user|debate-agent|--|{BIN}|mcp|serve"),
            &home,
        ),
        (
            "install",
            &["claude", "--scope", "project"],
            "claude|mcp|add|--scope|project|debate-agent|--|debate-agent|mcp|serve".to_owned(),
            &project,
        ),
        ("install", &["codex"], format!("codex|mcp|add|debate-agent|--|{BIN}|mcp|serve"), &home),
        (
            "install",
            &["gemini"],
            format!("gemini|mcp|add|--scope|user|debate-agent|{BIN}|mcp|serve"),
            &home,
        ),
        ("install", &["vscode"], format!("code|--add-mcp|{vscode}"), &home),
        ("uninstall", &["claude"], "claude|mcp|remove|--scope|user|debate-agent".to_owned(), &home),
        ("uninstall", &["codex"], "codex|mcp|remove|debate-agent".to_owned(), &home),
        ("uninstall", &["gemini"], "gemini|mcp|remove|--scope|user|debate-agent".to_owned(), &home),
    ] {
        let before = told(&sandbox).len();
        let dry = sandbox.run(&[&["mcp", what], args, &["--dry-run"]].concat());
        assert!(dry.exits(0).stdout.starts_with("would run "), "{}", dry.stdout);
        assert_eq!(told(&sandbox).len(), before, "a dry run runs nothing");
        let run = sandbox.run(&[&["mcp", what], args].concat());
        assert!(run.exits(0).stdout.starts_with("ran "), "{}", run.stdout);
        // The user's own environment, and no marks of a session.
        assert_eq!(told(&sandbox)[before..], [format!("{call}|cwd={cwd} depth=none in=")]);
    }
}

#[test]
fn what_a_client_says_of_a_failure_is_the_error() {
    let sandbox = with_clients(&["claude"]);
    fs::write(sandbox.home().join(".fails"), "").unwrap();
    let run = sandbox.run(&["mcp", "install", "claude"]);
    run.exits(5).says("failed (exit 7): out of luck");
    assert_eq!(run.stdout, "");
    let missing = sandbox.run(&["mcp", "install", "codex"]);
    missing.exits(3).says("codex").says("run: codex mcp add debate-agent --");
    // A program that the repository brings is none of the user's.
    let own = sandbox.project().join("bin/codex");
    fs::create_dir_all(own.parent().unwrap()).unwrap();
    fs::copy(sandbox.home().join("tools/claude"), &own).unwrap();
    let path = format!("{}:/usr/bin:/bin", own.parent().unwrap().display());
    let sandbox = sandbox.env("PATH", &path);
    sandbox.run(&["mcp", "install", "codex"]).exits(3).says("inside the workspace");
    assert_eq!(told(&sandbox).len(), 1);
}

#[test]
fn a_client_without_a_command_gets_an_entry_to_be_written_and_no_file_is_touched() {
    let sandbox = with_clients(&ALL);
    for (args, file) in [
        (&["cursor"][..], ".cursor/mcp.json"),
        (&["claude-desktop"], "claude_desktop_config.json"),
        (&["cursor", "--scope", "project"], ".cursor/mcp.json"),
        (&["vscode", "--scope", "project"], ".vscode/mcp.json"),
        (&["gemini", "--scope", "project"], ".gemini/settings.json"),
    ] {
        let run = sandbox.run(&[&["mcp", "install"], args].concat());
        assert!(run.exits(0).stdout.starts_with("add this to "), "{}", run.stdout);
        let done = sandbox.run(&[&["mcp", "install", "--json"], args].concat()).exits(0).json();
        sandbox.is_of("mcp-change", &done);
        assert_eq!(done["done"], false);
        let by_hand = &done["by_hand"];
        assert!(by_hand["file"].as_str().unwrap().ends_with(file), "{done}");
        assert!(!std::path::Path::new(by_hand["file"].as_str().unwrap()).exists(), "{done}");
        let entry: serde_json::Value =
            serde_json::from_str(by_hand["entry"].as_str().unwrap()).unwrap();
        let servers = entry.as_object().unwrap().values().next().unwrap();
        assert_eq!(servers["debate-agent"]["args"], json!(["mcp", "serve"]));
        let gone = sandbox.run(&[&["mcp", "uninstall"], args].concat());
        assert!(gone.exits(0).stdout.starts_with("delete this from "), "{}", gone.stdout);
    }
    assert!(told(&sandbox).is_empty());
    for args in [
        &["codex", "--scope", "project"][..],
        &["claude-desktop", "--scope", "project"],
        &["nobody"],
    ] {
        sandbox.run(&[&["mcp", "install"], args].concat()).exits(2);
    }
}
