//! Google's Gemini CLI, measured as 0.61.0.
//!
//! `stream-json` is used because it shows progress and puts errors on standard
//! output, where `json` hides them behind stack traces on standard error.

use serde_json::Value;

use super::{Call, Plan};

/// Keys, endpoint, project.
pub(super) const VARIABLES: &[&str] = &["GEMINI_*", "GOOGLE_*"];

/// A name that no MCP server has. With an empty one the CLI ends in an exception; with `none` it starts a server that a user
/// called `none`.
const NO_SERVER: &str = "none-in-a-debate";

/// Takes away every tool, those of later versions too: what is denied without a condition is not even offered. It stands above all
/// that the user's settings and policies allow; only an administrator's policies are above it.
///
/// A file of system settings that excludes tools would do so for root alone: it has to be root's (0.61.0).
const NO_TOOLS: &str = "[[rule]]\ntoolName = \"*\"\ndecision = \"deny\"\npriority = 999\n";

pub(super) fn plan(call: Call<'_>) -> Plan {
    let policy = call.system_file.with_file_name("policy.toml");
    let mut args: Vec<String> = [
        "--skip-trust",
        "--approval-mode",
        "plan",
        // Holds for those of extensions too.
        "--allowed-mcp-server-names",
        NO_SERVER,
        "-o",
        "stream-json",
    ]
    .map(str::to_owned)
    .to_vec();
    args.extend(["--policy".to_owned(), policy.display().to_string()]);
    if let Some(model) = &call.agent.model {
        args.extend(["-m".to_owned(), model.clone()]);
    }
    Plan {
        args,
        defaults: vec![("GEMINI_TELEMETRY_ENABLED", "false".to_owned())],
        fixed: vec![
            // One process instead of a parent that no signal to it alone can end.
            ("GEMINI_CLI_NO_RELAUNCH", "true".to_owned()),
            ("GEMINI_SYSTEM_MD", call.system_file.display().to_string()),
            // Its error reports hold the prompt; they go away with the private directory.
            ("TMPDIR", call.tmp.display().to_string()),
        ],
        files: vec![(policy, NO_TOOLS.to_owned())],
        ..Plan::default()
    }
}

pub(super) fn phase(line: &[u8]) -> Option<String> {
    let event: Value = serde_json::from_slice(line).ok()?;
    let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str);
    match text("/type")? {
        "init" => Some("thinking".to_owned()),
        "message" if text("/role") == Some("assistant") => text("/content").map(str::to_owned),
        "tool_use" => Some("using a tool".to_owned()),
        "result" => Some("done".to_owned()),
        _ => None,
    }
}
