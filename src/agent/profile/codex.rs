//! The Codex CLI, measured as `codex-cli` 0.169.0.

use serde_json::Value;

use super::{Call, Plan};

/// Keys, endpoint, and the folder that holds the login.
pub(super) const VARIABLES: &[&str] =
    &["CODEX_HOME", "CODEX_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"];

/// Read-only, nothing kept.
const SANDBOX: &[&str] =
    &["exec", "--json", "--ephemeral", "--skip-git-repo-check", "-s", "read-only"];

/// No commands.
const NO_SHELL: &[&str] = &["--disable", "shell_tool"];

/// Commands, in the sandbox: they get no variable that could be a key.
const SHELL: &[&str] = &["-c", "shell_environment_policy.inherit=\"core\""];

/// No web, no project documents, nothing that brings MCP servers besides the configuration's own. Analytics off: without
/// a network it loses 5 s at exit.
const ARGS: &[&str] = &[
    "-c",
    "web_search=\"disabled\"",
    "-c",
    "project_doc_max_bytes=0",
    "-c",
    "features.plugins=false",
    "-c",
    "features.apps=false",
    "-c",
    "analytics.enabled=false",
];

pub(super) fn plan(call: Call<'_>) -> Plan {
    let agent = call.agent;
    // It stays in its empty folder: inside the repository it would load what belongs to it.
    let shell = if agent.reads.is_some() { SHELL } else { NO_SHELL };
    let mut args: Vec<String> =
        [SANDBOX, shell, ARGS].concat().into_iter().map(str::to_owned).collect();
    let file = toml_string(&call.system_file.display().to_string());
    args.extend(["-c".to_owned(), format!("model_instructions_file={file}")]);
    if !call.servers.is_empty() {
        args.extend(["-c".to_owned(), without(call.servers)]);
    }
    if let Some(effort) = &agent.effort {
        let effort = toml_string(effort);
        args.extend(["-c".to_owned(), format!("model_reasoning_effort={effort}")]);
    }
    if let Some(model) = &agent.model {
        args.extend(["-m".to_owned(), model.clone()]);
    }
    Plan { args, last: Some("-".to_owned()), ..Plan::default() }
}

/// Switches MCP servers off. As one table, because the keys of `-c` are split at every dot, quoted or not; it is merged
/// into the configuration, so the servers keep what else is said of them.
fn without(servers: &[String]) -> String {
    let off: Vec<String> =
        (servers.iter()).map(|name| format!("{}={{enabled=false}}", toml_string(name))).collect();
    format!("mcp_servers={{{}}}", off.join(","))
}

/// A JSON string is a TOML basic string too.
fn toml_string(text: &str) -> String {
    Value::from(text).to_string()
}

pub(super) fn phase(line: &[u8]) -> Option<String> {
    let event: Value = serde_json::from_slice(line).ok()?;
    let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str);
    match text("/type")? {
        "turn.started" => Some("thinking".to_owned()),
        // Only a warning: failures come as `turn.failed`.
        "error" => text("/message").map(str::to_owned),
        "item.completed" if text("/item/type") == Some("agent_message") => {
            Some("answered".to_owned())
        }
        "item.started" | "item.completed" => text("/item/type").map(str::to_owned),
        "turn.completed" => Some("done".to_owned()),
        _ => None,
    }
}
