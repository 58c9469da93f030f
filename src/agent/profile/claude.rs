//! Claude Code, measured as 2.1.330.
//!
//! `stream-json` ends with the same `result` object that `json` prints, and shows retries as they happen. Its partial
//! messages are shown and not kept: they would multiply the output, which is capped.

mod envelope;

pub(super) use envelope::read;
use serde_json::Value;

use super::{Call, Dangerous, Invocation, Limit, Probes, Profile, ReadRepo, Reader, Vendor};
use crate::agent::dangerous::values::{is_off, squash, tools, unquoted};
use crate::config::agents::ProfileName;

pub(super) static PROFILE: Profile = Profile {
    name: ProfileName::Claude,
    vendor: Vendor::Known("anthropic"),
    models: &["opus", "sonnet"],
    // Keys, endpoint, certificate, provider, and the folder of the login.
    variables: &[
        "ANTHROPIC_*",
        "CLAUDE_CONFIG_DIR",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CLAUDE_CODE_CLIENT_*",
        "CLAUDE_CODE_USE_*",
        "CLAUDE_CODE_SKIP_*",
    ],
    providers: &[
        ("CLAUDE_CODE_USE_BEDROCK", &["AWS_*"]),
        ("CLAUDE_CODE_USE_MANTLE", &["AWS_*"]),
        (
            "CLAUDE_CODE_USE_VERTEX",
            &["GOOGLE_*", "GCLOUD_PROJECT", "CLOUDSDK_*", "CLOUD_ML_*", "VERTEX_*"],
        ),
        ("CLAUDE_CODE_USE_FOUNDRY", &["AZURE_*"]),
    ],
    nesting: &[
        "CLAUDECODE",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_CHILD_SESSION",
        "CLAUDE_CODE_SESSION_ID",
        "CLAUDE_CODE_MESSAGING_SOCKET",
        "CLAUDE_CODE_SSE_PORT",
        "CLAUDE_PID",
        "CLAUDE_EFFORT",
        "AI_AGENT",
    ],
    system_in_file: true,
    limit: Some(Limit::Bytes(10_000_000)),
    has_effort: true,
    implied: &["-p", "--print"],
    dangerous: Dangerous {
        flags: &[
            ("bypasspermissions", |_| true),
            ("skippermissions", |_| true),
            // Programs of the user's choice with unrestricted tools.
            ("mcpconfig", |_| true),
            ("permissionmode", |modes| modes.first().is_some_and(|mode| permission_mode(mode))),
            ("allowedtools", |lists| lists.iter().any(|list| tools(list))),
            ("settings", |texts| settings(texts.first().copied().unwrap_or_default())),
        ],
        variables: &[
            // It keeps files out of prompts.
            ("claudecodedisableattachments", is_off),
            ("issandbox", |value| !is_off(value)),
        ],
        ..Dangerous::UNKNOWN
    },
    // Started in the repository, it loads none of its settings (hooks, MCP servers, skills, instruction files), and
    // refuses a path or a link that leads out of it.
    read_repo: ReadRepo::Safe(|flag, _| {
        matches!(
            flag,
            "--append-system-prompt"
                | "--fallback-model"
                | "--max-budget-usd"
                | "--max-turns"
                | "--model"
        )
    }),
    invocation,
    reader: Reader::Own(read),
    phase,
    words: |event| {
        let delta = event.pointer("/event/delta")?;
        delta.get("text").or_else(|| delta.get("thinking"))?.as_str()
    },
    partial: b"{\"type\":\"stream_event\"",
    last_word: |event| event["type"] == "result",
    probes: Probes {
        program: "claude",
        measured: "2.1.330",
        login_args: &["auth", "status"],
        logged_out: "\"loggedIn\":false",
        key_variables: &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
        flags: &[
            "--print",
            "--output-format",
            "--verbose",
            "--include-partial-messages",
            "--tools",
            "--strict-mcp-config",
            "--setting-sources",
            "--disable-slash-commands",
            "--system-prompt",
            "--model",
            "--no-session-persistence",
        ],
        home_folders: &[
            ".claude/local",
            ".local/bin",
            ".npm-global/bin",
            ".npm/bin",
            ".bun/bin",
            ".volta/bin",
            ".yarn/bin",
            "bin",
        ],
        install: "npm install -g @anthropic-ai/claude-code@2.1.330",
        log_in: "run `claude` and type /login, or set ANTHROPIC_API_KEY",
        traps: &[
            "`npm install` without a version picks an old release on node 20.",
            "The login check does not test a key in the environment.",
        ],
        ..Probes::UNKNOWN
    },
    ..Profile::UNKNOWN
};

/// Flags for its answer as a stream of events.
const STREAM: &[&str] =
    &["-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"];

const NO_TOOLS: &[&str] = &["--tools", ""];

/// The read-only tools, and names of files that they must not read: those of the change's own
/// policy for secrets, as far as patterns can express it. A rule for `Read` also applies to `Grep`.
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

/// Without the user's and the project's settings, and storing nothing.
const ARGS: &[&str] = &[
    "--strict-mcp-config",
    "--setting-sources",
    "",
    "--disable-slash-commands",
    "--no-session-persistence",
];

fn invocation(call: Call<'_>) -> Invocation {
    let agent = call.agent;
    let tools = if agent.reads.is_some() { READ_TOOLS } else { NO_TOOLS };
    let file = call.system_file.display().to_string();
    let mut defaults = vec![
        // By default it retries for three minutes, even with a wrong key.
        ("CLAUDE_CODE_MAX_RETRIES", "2".to_owned()),
        ("DISABLE_AUTOUPDATER", "1".to_owned()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
        ("API_TIMEOUT_MS", agent.timeout.as_millis().to_string()),
    ];
    if agent.reads.is_none() {
        // A single request with its own prompt: nobody would read the cache that it writes at a higher price.
        defaults.push(("DISABLE_PROMPT_CACHING", "1".to_owned()));
    }
    Invocation {
        defaults,
        // Otherwise `@/any/file` in an opponent's text would be read into the prompt.
        fixed: vec![("CLAUDE_CODE_DISABLE_ATTACHMENTS", "1".to_owned())],
        // It refuses paths outside its working directory, including links that lead out.
        cwd: agent.reads.clone(),
        ..Invocation::of(&[STREAM, tools, ARGS].concat())
            .with("--system-prompt-file", Some(&file))
            .with("--model", agent.model.as_deref())
            .with("--effort", agent.effort.as_deref())
    }
}

/// Whether a mode lets tools write or run without asking.
fn permission_mode(mode: &str) -> bool {
    matches!(unquoted(mode).as_str(), "bypasspermissions" | "acceptedits")
}

/// Judges inline settings; a file cannot be inspected here and so counts as dangerous.
fn settings(text: &str) -> bool {
    serde_json::from_str::<Value>(text).map_or(true, |value| settings_value(&value))
}

fn settings_value(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.iter().any(|(key, value)| {
            let key = squash(key);
            match (key.as_str(), value) {
                ("defaultmode" | "permissionmode", Value::String(mode)) => permission_mode(mode),
                ("allow", Value::Array(list)) => list.iter().filter_map(Value::as_str).any(tools),
                ("sandbox", Value::Bool(false)) => true,
                ("sandbox", Value::Object(map)) => map.get("enabled") == Some(&Value::Bool(false)),
                _ => {
                    ((key.contains("dangerous") || key.contains("yolo"))
                        && value != &Value::Bool(false))
                        || settings_value(value)
                }
            }
        }),
        Value::Array(list) => list.iter().any(settings_value),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn phase(event: &Value) -> Option<String> {
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
