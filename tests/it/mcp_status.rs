//! `mcp status`: registrations are found without starting a client, and started as far as that is allowed.

use std::fs;

use serde_json::{Value, json};

use crate::support::clients::program;
use crate::support::{BIN, Run, Sandbox};

/// A foreign server that answers like one, and leaves a trace.
const STRANGER: &str = r#"#!/bin/sh
: >"$HOME/.started"
cat >/dev/null
echo "not JSON"
echo '{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"stranger","version":"9"}}}'
echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{},{}]}}'
"#;

fn status(sandbox: &Sandbox, more: &[&str]) -> Run {
    sandbox.run(&[&["mcp", "status", "--json"], more].concat())
}

/// The registrations of a client.
fn of(status: &Value, client: &str) -> Vec<Value> {
    let clients = status["clients"].as_array().unwrap();
    let found = clients.iter().find(|it| it["client"] == client).unwrap();
    found["registrations"].as_array().unwrap().clone()
}

fn servers(name: &str, entry: &Value) -> String {
    json!({"mcpServers": {name: entry}}).to_string()
}

#[test]
fn nothing_is_registered_on_an_empty_machine() {
    let sandbox = Sandbox::with_clients(&["claude"]);
    let run = sandbox.run(&["mcp", "status"]);
    run.exits(0);
    assert!(
        run.stdout.contains("claude          not registered: `debate-agent mcp install claude`\n"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("cursor          not found on this machine\n"), "{}", run.stdout);
    assert_eq!(sandbox.told(), Vec::<String>::new(), "no client was started");
}

#[test]
fn what_is_registered_is_started_and_answers_or_says_why_not() {
    let sandbox = Sandbox::with_clients(&[]);
    let stranger = sandbox.home().join("tools/stranger");
    program(&stranger, STRANGER);
    let project = sandbox.project().canonicalize().unwrap();
    let local = json!({"mcpServers": {"debate-agent": {"command": BIN, "args": ["mcp"]}}});
    sandbox.at_home(".claude.json", json!({"mcpServers": {"debate-agent": {"command": BIN, "args": ["mcp", "serve"]}}, "projects": {(project.to_str().unwrap()): local}}).to_string());
    sandbox.at_home(
        ".codex/config.toml",
        "# mine\n[mcp_servers.debate-agent]\ncommand = \"/gone/debate-agent\"\nargs = [\"mcp\"]\n",
    );
    sandbox.at_home(
        ".gemini/settings.json",
        format!("// mine\n{}", servers("debate-agent", &json!({"command": "/bin/false"}))),
    );
    sandbox.at_home(".cursor/mcp.json", servers("debate-agent", &json!({"command": "stranger"})));
    sandbox.at_home(
        ".config/Claude/claude_desktop_config.json",
        servers("mine", &json!({"command": BIN, "args": ["mcp", "serve"], "disabled": true})),
    );
    let status = status(&sandbox, &[]).exits(1).json();
    assert_eq!(status["well"], false);
    let claude = of(&status, "claude");
    assert_eq!((&claude[0]["scope"], &claude[1]["scope"]), (&json!("user"), &json!("local")));
    for it in &claude {
        assert_eq!(
            (&it["answer"]["state"], &it["answer"]["name"]),
            (&json!("yes"), &json!("debate-agent")),
            "{it}"
        );
        assert_eq!(it["answer"]["version"], env!("CARGO_PKG_VERSION"));
        assert!(it["answer"]["tools"].as_u64() >= Some(13), "{it}");
    }
    let why = |client: &str| of(&status, client)[0]["answer"]["why"].as_str().unwrap().to_owned();
    assert_eq!(why("codex"), "/gone/debate-agent is not there");
    assert_eq!(why("gemini"), "it did not answer `initialize`: it ended with exit code 1");
    let cursor = &of(&status, "cursor")[0];
    assert_eq!(
        (&cursor["answer"]["name"], &cursor["answer"]["tools"], &cursor["ours"]),
        (&json!("stranger"), &json!(2), &json!(false))
    );
    let desktop = &of(&status, "claude-desktop")[0];
    assert_eq!(
        (&desktop["name"], &desktop["off"], &desktop["answer"]["state"]),
        (&json!("mine"), &json!(true), &json!("not_tried"))
    );
    sandbox.is_of("mcp-status", &status);
}

#[test]
fn what_a_clone_brings_is_not_started_unless_it_is_this_program_alone() {
    let sandbox = Sandbox::with_clients(&[]);
    let stranger = sandbox.write("server", STRANGER);
    program(&stranger, STRANGER);
    let outside = sandbox.home().join("tools/stranger");
    program(&outside, STRANGER);
    for entry in [
        json!({"command": stranger}),
        json!({"command": outside}),
        json!({"command": "stranger"}),
        json!({"command": BIN, "args": ["run", "claude", "hello"]}),
        json!({"command": BIN, "args": ["mcp", "serve", "--rehearse"]}),
        json!({"command": BIN, "args": ["mcp", "serve"], "env": {"LD_PRELOAD": "/tmp/x.so"}}),
    ] {
        for file in [".mcp.json", ".cursor/mcp.json", ".gemini/settings.json"] {
            sandbox.write(file, servers("debate-agent", &entry));
        }
        let status = status(&sandbox, &[]).exits(0).json();
        for client in ["claude", "cursor", "gemini"] {
            let found = of(&status, client);
            assert_eq!(
                (found.len(), &found[0]["answer"]["state"]),
                (1, &json!("not_tried")),
                "{entry}"
            );
        }
    }
    assert!(!sandbox.home().join(".started").exists());
    sandbox.write(".mcp.json", servers("debate-agent", &json!({"command": outside})));
    for file in [".cursor/mcp.json", ".gemini/settings.json"] {
        sandbox.write(
            file,
            servers("debate-agent", &json!({"command": BIN, "args": ["mcp", "serve"]})),
        );
    }
    let found = status(&sandbox, &["--probe"]).exits(0).json();
    assert_eq!(of(&found, "claude")[0]["answer"]["name"], "stranger");
    assert_eq!(of(&found, "cursor")[0]["answer"]["name"], "debate-agent");
    assert!(sandbox.home().join(".started").exists());
}

#[test]
fn a_file_that_cannot_be_read_is_not_taken_for_an_empty_one() {
    let sandbox = Sandbox::with_clients(&[]);
    sandbox.at_home(".codex/config.toml", "a = 1\n[mcp_servers\n");
    sandbox.at_home(".claude.json", "{\"mcpServers\": ");
    sandbox.at_home(".cursor/mcp.json", "[".repeat(300_000));
    fs::create_dir_all(sandbox.home().join(".gemini/settings.json")).unwrap();
    let run = sandbox.run(&["mcp", "status"]);
    run.exits(1);
    assert_eq!(run.stdout.matches("UNKNOWN").count(), 4, "{}", run.stdout);
    run.prints("line 2");
}

#[test]
fn an_entry_that_names_nothing_to_start_does_not_answer_and_an_address_is_not_tried() {
    let sandbox = Sandbox::with_clients(&[]);
    sandbox.at_home(".cursor/mcp.json", servers("debate-agent", &json!({"command": 5})));
    sandbox.at_home(
        ".gemini/settings.json",
        servers("debate-agent", &json!({"httpUrl": "https://example.org"})),
    );
    let status = status(&sandbox, &[]).exits(1).json();
    let answer = |client: &str| of(&status, client)[0]["answer"].clone();
    assert_eq!(
        answer("cursor"),
        json!({"state": "no", "why": "the entry names neither a program nor an address"})
    );
    assert_eq!(answer("gemini")["state"], "not_tried");
}

#[test]
fn a_server_that_floods_or_hangs_is_ended() {
    let sandbox = Sandbox::with_clients(&[]);
    let flood = sandbox.home().join("tools/flood");
    program(&flood, "#!/bin/sh\nexec yes '{\"jsonrpc\": \"2.0\"}'\n");
    sandbox.at_home(".cursor/mcp.json", servers("debate-agent", &json!({"command": flood})));
    let status = status(&sandbox, &[]).exits(1).json();
    let why = of(&status, "cursor")[0]["answer"]["why"].to_string();
    assert!(why.contains("printed more than"), "{why}");
}
