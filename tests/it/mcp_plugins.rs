//! The ready-made files for Claude Code and Gemini CLI: of this version, about existing tools, and consistent with
//! each other.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;

use crate::support::Sandbox;

const COMMANDS: [&str; 4] = ["debate", "discuss", "plan", "review"];

fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("skills").join(path)
}

fn read(path: &str) -> String {
    fs::read_to_string(file(path)).unwrap()
}

fn json(path: &str) -> Value {
    serde_json::from_str(&read(path)).unwrap()
}

/// The names of files in a folder, without their extension.
fn names(path: &str) -> Vec<String> {
    let entries = fs::read_dir(file(path)).unwrap();
    let stem = |path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let mut names: Vec<String> = entries.map(|it| stem(it.unwrap().path())).collect();
    names.sort();
    names
}

/// The tools that the server lists.
fn tools() -> BTreeSet<String> {
    let sandbox = Sandbox::new();
    let mut child = sandbox.command(&["mcp", "serve"]).stdin(Stdio::piped()).spawn().unwrap();
    let asked = concat!(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
        "\n",
    );
    child.stdin.take().unwrap().write_all(asked.as_bytes()).unwrap();
    let run = Sandbox::finish(child.wait_with_output().unwrap());
    let mut answers = run.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let listed = answers.find(|answer| answer["id"] == 2).unwrap();
    let tools = listed["result"]["tools"].as_array().unwrap().clone();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn they_are_of_this_version_and_start_the_server() {
    let server = serde_json::json!(["debate-agent", ["mcp", "serve"]]);
    for manifest in
        ["claude-plugin/.claude-plugin/plugin.json", "gemini-extension/gemini-extension.json"]
    {
        assert_eq!(json(manifest)["version"], env!("CARGO_PKG_VERSION"), "{manifest}");
    }
    for file in ["claude-plugin/.mcp.json", "gemini-extension/gemini-extension.json"] {
        let entry = &json(file)["mcpServers"]["debate-agent"];
        assert_eq!(serde_json::json!([entry["command"], entry["args"]]), server, "{file}");
    }
    let context = json("gemini-extension/gemini-extension.json")["contextFileName"].clone();
    assert!(file("gemini-extension").join(context.as_str().unwrap()).is_file());
}

#[test]
fn their_commands_name_tools_that_there_are_and_say_the_same() {
    assert_eq!(names("claude-plugin/commands"), COMMANDS);
    assert_eq!(names("gemini-extension/commands/debate-agent"), COMMANDS);
    let tools = tools();
    for name in COMMANDS {
        let claude = read(&format!("claude-plugin/commands/{name}.md"));
        let (head, body) = claude.trim_start_matches("---\n").split_once("\n---\n").unwrap();
        for line in body.lines().filter(|line| line.contains("tool `") || line.contains("call `")) {
            let (_, rest) =
                line.split_once("tool `").or_else(|| line.split_once("call `")).unwrap();
            let tool = rest.split('`').next().unwrap();
            assert!(tools.contains(tool), "{name}: there is no tool {tool}");
        }
        let gemini: toml::Table =
            toml::from_str(&read(&format!("gemini-extension/commands/debate-agent/{name}.toml")))
                .unwrap();
        assert_eq!(
            gemini["prompt"].as_str().unwrap().trim(),
            body.replace("$ARGUMENTS", "{{args}}").trim()
        );
        let description = gemini["description"].as_str().unwrap();
        assert!(head.contains(&format!("description: {description}")), "{head}");
    }
}

/// A subagent may call the tools that its text names, by the names that Claude Code gives a plugin's tools, and no other.
#[test]
fn its_subagents_may_call_the_tools_that_they_name_and_no_other() {
    assert_eq!(names("claude-plugin/agents"), ["document-critique", "topic-debate"]);
    let plugin = json("claude-plugin/.claude-plugin/plugin.json")["name"].clone();
    let servers = json("claude-plugin/.mcp.json")["mcpServers"].clone();
    let server = servers.as_object().unwrap().keys().next().unwrap();
    let prefix = format!("mcp__plugin_{}_{server}__", plugin.as_str().unwrap());
    let tools = tools();
    for (name, trigger) in [
        ("topic-debate", "\"manage debate\""),
        ("document-critique", "\"multi-perspective critique\""),
    ] {
        let text = read(&format!("claude-plugin/agents/{name}.md"));
        let (head, body) = text.trim_start_matches("---\n").split_once("\n---\n").unwrap();
        let field = |field: &str| {
            let mut lines = head.lines().filter_map(|line| line.split_once(": "));
            lines.find(|(known, _)| *known == field).unwrap().1
        };
        assert_eq!(field("name"), name);
        assert!(field("description").contains(trigger), "{name}");
        for allowed in field("tools").split(", ") {
            let tool = allowed.strip_prefix(&prefix).unwrap_or_else(|| panic!("{name}: {allowed}"));
            assert!(tools.contains(tool), "{name}: there is no tool {tool}");
        }
        let called = body.split('`').skip(1).step_by(2).filter(|word| tools.contains(*word));
        for tool in called {
            assert!(field("tools").contains(&format!("{prefix}{tool}")), "{name}: {tool}");
        }
    }
}
