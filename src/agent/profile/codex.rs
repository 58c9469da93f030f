//! The Codex CLI, measured as `codex-cli` 0.169.0.

use serde_json::Value;

use super::{Call, Plan};

/// Keys, endpoint, and the folder that holds the login.
pub(super) const VARIABLES: &[&str] =
    &["CODEX_HOME", "CODEX_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"];

/// Read-only, nothing kept.
const SANDBOX: &[&str] =
    &["exec", "--json", "--ephemeral", "--skip-git-repo-check", "-s", "read-only"];

/// No commands, no tool beneath the `exec` of newer models (which then runs bare `JavaScript`; no flag takes it away), and no word
/// about a folder and permissions that nothing can use. A codex that does not know `shell_tool` ends with an error, and must:
/// the `-c` form of it would be a warning, and a shell.
const NO_TOOLS: &[&str] = &[
    "--disable",
    "shell_tool",
    "-c",
    "features.code_mode={excluded_tool_namespaces=[\"functions\",\"clock\"]}",
    "-c",
    "include_environment_context=false",
    "-c",
    "include_permissions_instructions=false",
];

/// Commands, in the sandbox: they get no variable that could be a key.
const SHELL: &[&str] = &["-c", "shell_environment_policy.inherit=\"core\""];

/// No web, no project documents, nothing that brings MCP servers besides the configuration's own. Analytics off: without
/// a network it loses 5 s at exit.
///
/// The rest are tools that a debate has no use for, and texts about them: 12 KB of each request. A key that a codex does not know
/// is a warning to it (0.156.0, 0.169.0).
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
    "-c",
    "agents.enabled=false",
    "-c",
    "skills.include_instructions=false",
    "-c",
    "include_collaboration_mode_instructions=false",
    "-c",
    "tools.experimental_request_user_input.enabled=false",
    "-c",
    "features.goals=false",
    "-c",
    "features.sleep_tool=false",
    "-c",
    "features.view_image=false",
    // Offered with a ChatGPT login alone, and paid.
    "-c",
    "features.image_generation=false",
];

pub(super) fn plan(call: Call<'_>) -> Plan {
    let agent = call.agent;
    // It stays in its empty folder: inside the repository it would load what belongs to it.
    let tools = if agent.reads.is_some() { SHELL } else { NO_TOOLS };
    let mut args: Vec<String> =
        [SANDBOX, tools, ARGS].concat().into_iter().map(str::to_owned).collect();
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
