//! Claude Code, measured as 2.1.330.
//!
//! `stream-json` ends with the same `result` object that `json` prints, and
//! shows retries while they happen. Partial messages stay off: they would
//! multiply the output, which is capped.

use serde_json::Value;

use super::{Call, Plan, millis};

/// Keys, endpoint, and the folder that holds the login.
pub(super) const VARIABLES: &[&str] =
    &["ANTHROPIC_*", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_OAUTH_TOKEN"];

/// Its answer as a stream of events.
const STREAM: &[&str] = &["-p", "--output-format", "stream-json", "--verbose"];

/// No tool at all.
const NO_TOOLS: &[&str] = &["--tools", ""];

/// The tools that only read, and the names of files that they must not read: those of the change's
/// own policy for secrets, as far as names go. A rule for `Read` holds for `Grep` too.
const READ_TOOLS: &[&str] = &[
    "--tools",
    "Read,Grep,Glob",
    "--disallowedTools",
    "Read(**/.env*)",
    "Read(**/*.pem)",
    "Read(**/*.key)",
    "Read(**/*.p12)",
    "Read(**/*.pfx)",
    "Read(**/*.jks)",
    "Read(**/*.keystore)",
    "Read(**/id_rsa*)",
    "Read(**/id_ed25519*)",
    "Read(**/.npmrc)",
    "Read(**/.pypirc)",
    "Read(**/.netrc)",
    "Read(**/.git-credentials)",
    "Read(**/credentials)",
    "Read(**/credentials.json)",
    "Read(**/secrets.json)",
    "Read(**/secrets.toml)",
    "Read(**/secrets.yaml)",
    "Read(**/secrets.yml)",
];

/// Without the user's and the project's settings, nothing kept.
const ARGS: &[&str] = &[
    "--strict-mcp-config",
    "--setting-sources",
    "",
    "--disable-slash-commands",
    "--no-session-persistence",
];

pub(super) fn plan(call: Call<'_>) -> Plan {
    let agent = call.agent;
    let tools = if agent.reads.is_some() { READ_TOOLS } else { NO_TOOLS };
    let mut args: Vec<String> =
        [STREAM, tools, ARGS].concat().into_iter().map(str::to_owned).collect();
    args.extend(["--system-prompt-file".to_owned(), call.system_file.display().to_string()]);
    for (flag, value) in [("--model", &agent.model), ("--effort", &agent.effort)] {
        if let Some(value) = value {
            args.extend([flag.to_owned(), value.clone()]);
        }
    }
    let mut defaults = vec![
        // Its own default retries for three minutes, even a wrong key.
        ("CLAUDE_CODE_MAX_RETRIES", "2".to_owned()),
        ("DISABLE_AUTOUPDATER", "1".to_owned()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
        ("API_TIMEOUT_MS", millis(agent.timeout)),
    ];
    if agent.reads.is_none() {
        // One request with a prompt of its own: what it wrote to the cache, at a higher price, nobody would read.
        defaults.push(("DISABLE_PROMPT_CACHING", "1".to_owned()));
    }
    Plan {
        args,
        defaults,
        // Else `@/any/file` in an opponent's text would be read into the prompt.
        fixed: vec![("CLAUDE_CODE_DISABLE_ATTACHMENTS", "1".to_owned())],
        last: None,
        // It refuses what lies outside of where it works, links that lead out included.
        cwd: agent.reads.clone(),
        ..Plan::default()
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
