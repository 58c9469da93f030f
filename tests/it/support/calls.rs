//! Checks on every answer of the MCP server's tools: it fits the listed schema, it addresses a client, and the store
//! agrees with it.

use serde_json::{Value, json};

use super::Sandbox;
use super::mcps::{Mcp, REVISION};

/// Asserts that a text names no command-line option, which a client does not have. A command that is marked as the
/// user's may have some.
#[track_caller]
pub(crate) fn speaks_to_a_client(of: &str, text: &str) {
    let mut rest = text;
    let mut told = String::new();
    while let Some((before, command)) = rest.split_once("`debate-agent ") {
        told.push_str(before);
        rest = command.split_once('`').map_or("", |(_, after)| after);
    }
    told.push_str(rest);
    let option = told.split(|one: char| one.is_whitespace() || "`(".contains(one));
    let option = option.into_iter().find(|word| {
        let name = word.strip_prefix("--").unwrap_or_default();
        name.starts_with(|one: char| one.is_ascii_lowercase())
    });
    assert_eq!(option, None, "{of}: {text}");
}

/// All texts of an answer, except for those that are a change or one agent's own words.
fn texts(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => into.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| texts(value, into)),
        Value::Object(members) => members
            .iter()
            .filter(|(name, _)| !matches!(name.as_str(), "text" | "answer"))
            .for_each(|(_, value)| texts(value, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

impl Mcp {
    /// Calls a tool that must succeed: its answer fits the schema that the tool lists, and addresses a client.
    #[track_caller]
    pub(crate) fn valid(&mut self, tool: &str, arguments: Value) -> Value {
        let value = self.result(tool, arguments);
        let listed = self.ask("tools/list", json!({}));
        let tools = listed["result"]["tools"].as_array().unwrap();
        let listed = tools.iter().find(|listed| listed["name"] == tool).unwrap();
        let validator = jsonschema::validator_for(&listed["outputSchema"]).unwrap();
        let faults: Vec<String> = (validator.iter_errors(&value))
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(faults.is_empty(), "{tool}: {faults:?}\n{value}");
        let mut said = Vec::new();
        texts(&value, &mut said);
        for text in said {
            speaks_to_a_client(tool, &text);
        }
        value
    }

    /// Calls a tool that must refuse, in words for a client; returns the reason.
    #[track_caller]
    pub(crate) fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let why = self.refusal(tool, arguments);
        speaks_to_a_client(tool, &why);
        assert!(!why.contains(['\n', '\u{1b}']), "{tool}: {why:?}");
        why
    }
}

impl Sandbox {
    /// Makes the project a repository, so that its sessions are kept in it.
    pub(crate) fn repository(self) -> Self {
        self.git(&["init", "--quiet"]);
        self
    }

    /// Starts a server in another folder, and shakes hands.
    #[track_caller]
    pub(crate) fn mcp_in(&self, dir: &std::path::Path, args: &[&str]) -> Mcp {
        let mut command = self.command(&[&["mcp", "serve"], args].concat());
        command.current_dir(dir);
        let mut mcp = Mcp::of(command);
        let answer = mcp.initialize(REVISION);
        assert_eq!(answer["result"]["protocolVersion"], REVISION, "{answer}");
        mcp
    }

    /// Asserts that a result agrees with the command line's account of the stored session; returns that document.
    #[track_caller]
    pub(crate) fn as_stored(&self, result: &Value) -> Value {
        let id = result["session_id"].as_str().expect("a session");
        let stored = self.run(&["sessions", "show", id, "--json"]).json();
        for field in ["session_id", "protocol", "outcome", "verdict", "rehearsal", "quorum"] {
            assert_eq!(result[field], stored[field], "{field}: {result}");
        }
        assert_eq!(result["cost_usd"], stored["cost"]["total_usd"], "{result}");
        let seats = |of: &Value| -> Vec<Value> {
            (of["seats"].as_array().unwrap().iter())
                .map(|seat| json!([seat["role"], seat["agent"], seat["vendor"], seat["status"]]))
                .collect()
        };
        assert_eq!(seats(result), seats(&stored));
        stored
    }
}
