//! The output for a person who starts the MCP server at a terminal, in place of a client.
#![cfg(target_os = "linux")]

use serde_json::Value;

use crate::support::Sandbox;
use crate::support::terminal::Terminal;

/// The terminal's content before any input.
const SAID: &str = "this is the MCP server: it waits for JSON-RPC from an AI assistant. `debate-agent mcp install claude` has Claude Code start it, `debate-agent mcp --help` names the others; Ctrl-C or Ctrl-D ends it\n";

/// The key that ends the input.
const CTRL_D: u8 = 4;

#[test]
fn a_person_is_told_what_it_is_and_is_served_all_the_same() {
    let sandbox = Sandbox::new();
    for args in [&["mcp"][..], &["mcp", "serve", "--rehearse"]] {
        let mut terminal = Terminal::start(&sandbox, args);
        terminal.sees(SAID);
        terminal.types(&[r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#]);
        terminal.press(CTRL_D);
        let run = terminal.finish();
        run.exits(0);
        let answer: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(answer["id"], 1, "{answer}");
        assert!(answer.get("result").is_some(), "{answer}");
    }
    let mut terminal = Terminal::start(&sandbox, &["--progress", "off", "mcp"]);
    terminal.press(CTRL_D);
    let run = terminal.finish();
    run.exits(0);
    assert!(!run.stderr.contains("MCP"), "{}", run.stderr);
}

#[test]
fn a_client_is_told_nothing() {
    let run = Sandbox::new().run(&["mcp"]);
    run.exits(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
}
