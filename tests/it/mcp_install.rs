//! `mcp install` and `mcp uninstall` with clients that have a command of their own: the commands they get, and
//! whether their answers are believed.

use std::fs;

use crate::support::clients::program;
use crate::support::{BIN, Sandbox};

const ALL: [&str; 4] = ["claude", "codex", "gemini", "code"];

/// Another server of the same name.
const OTHER: &str = r#"{"mcpServers": {"debate-agent": {"command": "/opt/other", "args": ["run"], "env": {"TOKEN": "hunter2-hunter2"}}}, "mine": 1}"#;

/// Puts this program on PATH.
fn on_path(sandbox: Sandbox) -> Sandbox {
    let folder = std::path::Path::new(BIN).parent().unwrap();
    let path = format!("{}:{}", sandbox.vars()["PATH"], folder.display());
    sandbox.env("PATH", &path)
}

#[test]
fn a_project_is_given_the_name_and_a_warning_where_nobody_would_find_it() {
    let install = ["mcp", "install", "cursor", "--scope", "project", "--json"];
    let sandbox = Sandbox::with_clients(&[]);
    let done = sandbox.run(&install).exits(0).json();
    assert_eq!(done["server"]["command"], "debate-agent");
    assert!(done["notes"].to_string().contains("not on PATH"), "{done}");
    let file = fs::read_to_string(sandbox.project().join(".cursor/mcp.json")).unwrap();
    assert!(!file.contains('/'), "no path of this machine: {file}");
    // The status agrees, without PATH and with it.
    let status = sandbox.run(&["mcp", "status", "--json"]).exits(1).json();
    assert!(status.to_string().contains("not on PATH") || status.to_string().contains("not found"));
    let sandbox = on_path(sandbox);
    let again = sandbox.run(&install).exits(0).json();
    assert_eq!(again["done"], "already_registered");
    assert!(!again["notes"].to_string().contains("PATH"), "{again}");
    sandbox.run(&["mcp", "status", "--json"]).exits(0);
}

#[test]
fn each_client_is_told_by_its_own_command_as_if_it_had_been_typed() {
    let sandbox = Sandbox::with_clients(&ALL);
    let home = sandbox.home().canonicalize().unwrap();
    let project = sandbox.project().canonicalize().unwrap();
    let (home, project) = (home.display(), project.display());
    let rows = [
        (
            "claude",
            "user",
            format!("claude|mcp|add|--scope|user|debate-agent|--|{BIN}|mcp|serve|cwd={home}"),
        ),
        (
            "claude",
            "project",
            format!(
                "claude|mcp|add|--scope|project|debate-agent|--|debate-agent|mcp|serve|cwd={project}"
            ),
        ),
        ("codex", "user", format!("codex|mcp|add|debate-agent|--|{BIN}|mcp|serve|cwd={home}")),
        (
            "gemini",
            "user",
            format!("gemini|mcp|add|--scope|user|debate-agent|{BIN}|mcp|serve|cwd={home}"),
        ),
        (
            "vscode",
            "user",
            format!(
                "code|--add-mcp|{{\"name\":\"debate-agent\",\"command\":\"{BIN}\",\"args\":[\"mcp\",\"serve\"]}}|cwd={home}"
            ),
        ),
    ];
    for (index, (client, scope, told)) in rows.iter().enumerate() {
        let args = ["mcp", "install", client, "--scope", scope, "--json"];
        let done = sandbox.run(&args).exits(0).json();
        assert_eq!(done["done"], "registered", "{client} {scope}");
        let line = sandbox.told().pop().unwrap();
        assert_eq!(line, format!("{told} depth=none in="));
        // A second time there is nothing to do, and no client is called.
        let again = sandbox.run(&args).exits(0).json();
        assert_eq!(again["done"], "already_registered", "{client} {scope}");
        assert_eq!(again["commands"], serde_json::json!([]));
        assert_eq!(sandbox.told().len(), index + 1);
    }
    // The command in a project's file is found on PATH.
    let sandbox = on_path(sandbox);
    let status = sandbox.run(&["mcp", "status", "--json"]).exits(0).json();
    let clients = status["clients"].as_array().unwrap();
    let answering: Vec<usize> = clients
        .iter()
        .map(|client| {
            let found = client["registrations"].as_array().unwrap();
            for it in found {
                assert_eq!(it["answer"]["state"], "yes", "{it}");
                assert_eq!(it["ours"], true, "{it}");
            }
            found.len()
        })
        .collect();
    assert_eq!(answering, [2, 1, 1, 0, 1, 0]);
}

#[test]
fn each_client_is_told_to_forget_it_and_asked_once() {
    let sandbox = Sandbox::with_clients(&ALL);
    for client in ["claude", "codex", "gemini", "vscode"] {
        sandbox.run(&["mcp", "install", client]).exits(0);
    }
    let before = sandbox.told().len();
    for (client, words) in [
        ("claude", "claude|mcp|remove|--scope|user|debate-agent|"),
        ("codex", "codex|mcp|remove|debate-agent|"),
        ("gemini", "gemini|mcp|remove|--scope|user|debate-agent|"),
    ] {
        let done = sandbox.run(&["mcp", "uninstall", client, "--json"]).exits(0).json();
        assert_eq!(done["done"], "removed");
        assert!(sandbox.told().pop().unwrap().starts_with(words));
        let again = sandbox.run(&["mcp", "uninstall", client, "--json"]).exits(0).json();
        assert_eq!(again["done"], "not_registered");
    }
    assert_eq!(sandbox.told().len(), before + 3);
    // VS Code has no command for it: its file is edited.
    let done = sandbox.run(&["mcp", "uninstall", "vscode", "--json"]).exits(0).json();
    assert_eq!(done["done"], "removed");
    let file = sandbox.home().join(".config/Code/User/mcp.json");
    assert_eq!(fs::read_to_string(file).unwrap(), "{\"servers\": {}}");
    assert_eq!(sandbox.told().len(), before + 3);
}

#[test]
fn another_entry_of_the_name_is_shown_and_kept() {
    let sandbox = Sandbox::with_clients(&ALL);
    sandbox.at_home(".claude.json", OTHER);
    sandbox.at_home(".gemini/settings.json", OTHER);
    sandbox.at_home(".codex/config.toml", "[mcp_servers.debate-agent]\ncommand = \"/opt/other\"\nargs = [\"run\"]\nenv = { TOKEN = \"hunter2-hunter2\" }\n");
    let before = sandbox.everything();
    for client in ["claude", "codex", "gemini"] {
        let run = sandbox.run(&["mcp", "install", client]);
        run.exits(2)
            .says("it is now: /opt/other run with the variables TOKEN")
            .says(&format!("it would be: {BIN} mcp serve"))
            .says("--force");
        assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);
        sandbox.run(&["mcp", "uninstall", client]).exits(2).says("does not start debate-agent");
    }
    assert_eq!(sandbox.everything(), before);
    // With --force a copy of the file is kept.
    for (client, calls) in [("claude", 2), ("codex", 1), ("gemini", 1)] {
        let told = sandbox.told().len();
        let done = sandbox.run(&["mcp", "install", client, "--force", "--json"]).exits(0).json();
        assert_eq!(done["done"], "replaced");
        assert_eq!(sandbox.told().len(), told + calls);
        let copy = fs::read_to_string(done["backup"].as_str().unwrap()).unwrap();
        assert!(copy.contains("hunter2-hunter2"));
    }
    // A name of its own needs no --force.
    let beside = ["mcp", "install", "claude", "--scope", "project", "--name", "second", "--json"];
    assert_eq!(sandbox.run(&beside).exits(0).json()["name"], "second");
}

#[test]
fn the_same_server_with_variables_or_switched_off_is_another_entry() {
    let sandbox = Sandbox::with_clients(&[]);
    for more in ["\"env\": {\"A\": \"b\"}", "\"disabled\": true", "\"enabled\": false"] {
        let text = format!(
            "{{\"mcpServers\": {{\"debate-agent\": {{\"command\": \"{BIN}\", \"args\": [\"mcp\", \"serve\"], {more}}}}}}}"
        );
        sandbox.at_home(".cursor/mcp.json", &text);
        sandbox.run(&["mcp", "install", "cursor"]).exits(2);
    }
    // A setting that does not change the started program is kept, and reported.
    let text = format!(
        "{{\"mcpServers\": {{\"debate-agent\": {{\"command\": \"{BIN}\", \"args\": [\"mcp\", \"serve\"], \"timeout\": 9}}}}}}"
    );
    sandbox.at_home(".cursor/mcp.json", &text);
    let done = sandbox.run(&["mcp", "install", "cursor", "--json"]).exits(0).json();
    assert_eq!(done["done"], "already_registered");
    assert!(done["notes"][0].as_str().unwrap().contains("timeout"));
}

#[test]
fn what_a_client_says_is_not_believed() {
    let sandbox = Sandbox::with_clients(&ALL);
    sandbox.at_home(".lies", "");
    for client in ["claude", "codex", "gemini"] {
        sandbox.run(&["mcp", "install", client]).exits(5).says("does not show it");
    }
    // VS Code may keep its servers in another place, so the command only reports that.
    let done = sandbox.run(&["mcp", "install", "vscode", "--json"]).exits(0).json();
    assert!(done["notes"].to_string().contains("does not show it"), "{done}");
    fs::rename(sandbox.home().join(".lies"), sandbox.home().join(".fails")).unwrap();
    for client in ["claude", "codex", "gemini", "vscode"] {
        sandbox.run(&["mcp", "install", client]).exits(5).says("exit code 7: out of luck");
    }
    // The entry was there, and the client reports that it is gone.
    fs::remove_file(sandbox.home().join(".fails")).unwrap();
    sandbox.run(&["mcp", "install", "codex"]).exits(0);
    sandbox.at_home(".lies", "");
    sandbox.run(&["mcp", "uninstall", "codex"]).exits(5).says("does not show it");
}

#[test]
fn a_missing_client_is_named_with_what_to_do_by_hand() {
    let sandbox = Sandbox::with_clients(&[]);
    let before = sandbox.everything();
    let row = |client: &str, words: &[&str]| {
        let run = sandbox.run(&["mcp", "install", client]);
        run.exits(3);
        for word in words {
            run.says(word);
        }
        // Words that only concern agents would be misleading.
        for word in ["agents.", "doctor", "agent `"] {
            assert!(!run.stderr.contains(word), "{word}: {}", run.stderr);
        }
    };
    row(
        "claude",
        &[
            "Claude Code is changed through its own command `claude`, which is not on PATH\n",
            "install it: npm install -g @anthropic-ai/claude-code",
            &format!("claude mcp add --scope user debate-agent -- {BIN} mcp serve"),
        ],
    );
    row(
        "codex",
        &[
            "npm install -g @openai/codex",
            &format!("codex mcp add debate-agent -- {BIN} mcp serve"),
        ],
    );
    row(
        "gemini",
        &[
            "npm install -g @google/gemini-cli",
            &format!("gemini mcp add --scope user debate-agent {BIN} mcp serve"),
        ],
    );
    row(
        "vscode",
        &[
            "code --add-mcp '{",
            &format!("{{\"servers\":{{\"debate-agent\":{{\"type\":\"stdio\",\"command\":\"{BIN}\""),
        ],
    );
    assert_eq!(sandbox.everything(), before);
}

#[test]
fn what_makes_no_sense_is_a_usage_error() {
    let sandbox = Sandbox::with_clients(&ALL);
    let before = sandbox.everything();
    for args in [
        &["mcp", "install", "codex", "--scope", "project"][..],
        &["mcp", "install", "claude-desktop", "--scope", "project"],
        &["mcp", "install", "emacs"],
        &["mcp", "install", "claude", "--scope", "local"],
        &["mcp", "install", "claude", "--name", "--help-me"],
        &["mcp", "install", "claude", "--name=-x"],
        &["mcp", "install", "claude", "--name", "a b"],
        &["mcp", "install", "claude", "--name", "a\"]"],
        &["mcp", "install", "claude", "--name", ""],
        &["mcp", "uninstall", "claude", "--name", "a/../b"],
    ] {
        sandbox.run(args).exits(2);
    }
    // In the home folder a project's file would be the user's.
    let home = sandbox.home().display().to_string();
    sandbox.run(&["-C", &home, "mcp", "install", "cursor", "--scope", "project"]).exits(2);
    assert_eq!(sandbox.everything(), before);
    let nested = sandbox.env("DEBATE_AGENT_DEPTH", "1");
    for args in
        [&["mcp", "install", "cursor"][..], &["mcp", "uninstall", "cursor"], &["mcp", "status"]]
    {
        nested.run(args).exits(3);
    }
    assert_eq!(nested.everything(), before);
}

#[test]
fn the_path_that_survives_an_upgrade_is_registered() {
    let sandbox = Sandbox::with_clients(&[]);
    let link = sandbox.home().join("tools/debate-agent");
    std::os::unix::fs::symlink(BIN, &link).unwrap();
    let done = sandbox.run(&["mcp", "install", "cursor", "--json"]).exits(0).json();
    assert_eq!(done["server"]["command"], link.to_str().unwrap());
    assert!(done["found"].as_str().unwrap().starts_with("found on PATH"));
    // Another program of that name is not this one.
    fs::remove_file(&link).unwrap();
    program(&link, "#!/bin/sh\n");
    let other = sandbox.run(&["mcp", "install", "claude-desktop", "--json"]).exits(0).json();
    assert_eq!(other["server"]["command"], BIN);
    assert!(other["found"].as_str().unwrap().contains("a different one"));
    // By its name alone that program would be started, so the output mentions it.
    let args = ["mcp", "install", "cursor", "--scope", "project", "--json"];
    let named = sandbox.run(&args).exits(0).json();
    let notes = named["notes"].to_string();
    assert!(notes.contains(link.to_str().unwrap()), "{named}");
}

#[test]
fn a_dry_run_shows_the_command_or_the_diff_and_touches_nothing() {
    let sandbox = Sandbox::with_clients(&ALL);
    sandbox.at_home(".cursor/mcp.json", "{\n  // mine\n  \"mcpServers\": {}\n}\n");
    sandbox.run(&["mcp", "install", "codex"]).exits(0);
    let before = sandbox.everything();
    for client in ["claude", "codex", "gemini", "cursor", "vscode", "claude-desktop"] {
        for command in ["install", "uninstall"] {
            for more in [&[][..], &["--json"], &["--force"]] {
                let args = [&["mcp", command, client, "--dry-run"], more].concat();
                sandbox.run(&args).exits(0);
            }
        }
    }
    assert_eq!(sandbox.everything(), before);
    let claude = sandbox.run(&["mcp", "install", "claude", "--dry-run"]);
    let told = format!(
        "would run {}/tools/claude mcp add --scope user debate-agent -- {BIN} mcp serve\n",
        sandbox.home().display()
    );
    assert!(claude.stdout.contains(&told), "{}", claude.stdout);
    assert!(claude.stdout.ends_with("nothing was run, nothing was written\n"));
    let cursor = sandbox.run(&["mcp", "install", "cursor", "--dry-run"]);
    let diff = format!(
        "@@ -1,4 +1,9 @@\n {{\n   // mine\n-  \"mcpServers\": {{}}\n+  \"mcpServers\": {{\n+    \"debate-agent\": {{\n+      \"command\": \"{BIN}\",\n+      \"args\": [\"mcp\", \"serve\"]\n+    }}\n+  }}\n }}\n"
    );
    assert!(cursor.stdout.contains(&diff), "{}", cursor.stdout);
}
