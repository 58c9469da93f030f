//! Claude Code, measured as 2.1.330.
//!
//! `stream-json` ends with the same `result` object that `json` prints, and
//! shows retries while they happen. Partial messages stay off: they would
//! multiply the output, which is capped.

use serde_json::Value;

use super::{Call, Plan, millis};

/// Keys, endpoint, and the folder that holds the login.
pub(super) const VARIABLES: &[&str] = &[
    "ANTHROPIC_*",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_OAUTH_TOKEN",
];

/// Without tools, without the user's and the project's settings, nothing kept.
const ARGS: &[&str] = &[
    "-p",
    "--output-format",
    "stream-json",
    "--verbose",
    "--tools",
    "",
    "--strict-mcp-config",
    "--setting-sources",
    "",
    "--disable-slash-commands",
    "--no-session-persistence",
];

pub(super) fn plan(call: Call<'_>) -> Plan {
    let agent = call.agent;
    let mut args: Vec<String> = ARGS.iter().map(|&arg| arg.to_owned()).collect();
    args.extend([
        "--system-prompt-file".to_owned(),
        call.system_file.display().to_string(),
    ]);
    for (flag, value) in [("--model", &agent.model), ("--effort", &agent.effort)] {
        if let Some(value) = value {
            args.extend([flag.to_owned(), value.clone()]);
        }
    }
    Plan {
        args,
        defaults: vec![
            // Its own default retries for three minutes, even a wrong key.
            ("CLAUDE_CODE_MAX_RETRIES", "2".to_owned()),
            ("DISABLE_AUTOUPDATER", "1".to_owned()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
            ("API_TIMEOUT_MS", millis(agent.timeout)),
        ],
        // Else `@/any/file` in an opponent's text would be read into the prompt.
        fixed: vec![("CLAUDE_CODE_DISABLE_ATTACHMENTS", "1".to_owned())],
        last: None,
    }
}

pub(super) fn phase(line: &[u8]) -> Option<String> {
    let event: Value = serde_json::from_slice(line).ok()?;
    let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str);
    let number = |pointer: &str| event.pointer(pointer).and_then(Value::as_u64);
    match (text("/type")?, text("/subtype")) {
        ("system", Some("init")) => Some("thinking".to_owned()),
        ("system", Some("api_retry")) => Some(format!(
            "its own retry {} of {} ({})",
            number("/attempt").unwrap_or(0),
            number("/max_retries").unwrap_or(0),
            number("/error_status").map_or_else(
                || text("/error").unwrap_or("no answer").to_owned(),
                |status| status.to_string()
            ),
        )),
        ("assistant", _) => Some("answered".to_owned()),
        ("result", _) => Some("done".to_owned()),
        _ => None,
    }
}
