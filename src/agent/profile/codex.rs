//! The Codex CLI, measured as `codex-cli` 0.169.0.

mod envelope;
mod servers;

use serde_json::Value;

use super::{
    Call, Dangerous, Invocation, Limit, PriceTable, Probes, Profile, ReadRepo, Reader, Vendor,
};
use crate::agent::dangerous::values::{approval, sandbox, setting};
use crate::config::agents::ProfileName;
use crate::text::Note;

pub(super) static PROFILE: Profile = Profile {
    name: ProfileName::Codex,
    vendor: Vendor::Known("openai"),
    // Keys, endpoint, and the folder of the login.
    variables: &[
        "CODEX_HOME",
        "CODEX_API_KEY",
        "OPENAI_*",
        "AZURE_OPENAI_*",
        "AWS_BEARER_TOKEN_BEDROCK",
    ],
    nesting: &["CODEX_SESSION_ID", "CODEX_VERSION", "CODEX_THREAD_ID"],
    system_in_file: true,
    limit: Some(Limit::Characters(1_048_576)),
    has_effort: true,
    price_table: PriceTable::ForModel,
    implied: &["exec", "--skip-git-repo-check", "--json", "-"],
    dangerous: Dangerous {
        flags: &[
            ("fullauto", |_| true),
            ("bypassapprovalsandsandbox", |_| true),
            ("askforapproval", |modes| modes.first().is_some_and(|mode| approval(mode))),
            ("sandbox", |modes| modes.first().is_some_and(|mode| sandbox(mode))),
            ("sandboxmode", |modes| modes.first().is_some_and(|mode| sandbox(mode))),
            ("config", |pairs| pairs.iter().any(|pair| setting(pair))),
            ("configoverride", |pairs| pairs.iter().any(|pair| setting(pair))),
        ],
        short: |letters, value| match letters.chars().next() {
            Some('s') => value.is_some_and(sandbox),
            Some('a') => value.is_some_and(approval),
            Some('c') => value.is_some_and(setting),
            _ => false,
        },
        ..Dangerous::UNKNOWN
    },
    // Its sandbox lets commands read the whole disk, including files with secrets, but not write or use the network;
    // only its own keys are kept from them.
    read_repo: ReadRepo::Safe(|flag, value| match flag {
        "-m" | "--model" => true,
        // The model, its effort, its provider: `model_reasoning_effort="high"`.
        "-c" | "--config" => value.is_some_and(|value| value.starts_with("model")),
        _ => false,
    }),
    invocation,
    reader: Reader::Own(envelope::read),
    phase,
    words: |event| {
        let reasons = event["item"]["type"] == "reasoning";
        event.pointer("/item/text").filter(|_| reasons)?.as_str()
    },
    last_word: |event| event["type"] == "turn.completed" || event["type"] == "turn.failed",
    probes: Probes {
        program: "codex",
        measured: "0.169.0",
        login_args: &["login", "status"],
        logged_out: "Not logged in",
        key_variables: &["CODEX_API_KEY"],
        help_args: &["exec", "--help"],
        flags: &[
            "--json",
            "--ephemeral",
            "--skip-git-repo-check",
            "--sandbox",
            "--disable",
            "--config",
            "--model",
        ],
        install: "npm install -g @openai/codex",
        log_in: "run `codex login`, or set CODEX_API_KEY",
        traps: &[
            "OPENAI_API_KEY is ignored by the built-in provider: use CODEX_API_KEY or `codex login --with-api-key`.",
            "It reports no cost and no model name: set `model`, otherwise each call is charged its reserve.",
        ],
        ..Probes::UNKNOWN
    },
    ..Profile::UNKNOWN
};

/// Read-only, and storing nothing.
const SANDBOX: &[&str] =
    &["exec", "--json", "--ephemeral", "--skip-git-repo-check", "-s", "read-only"];

/// No commands, no tool below the `exec` of newer models (which then runs bare `JavaScript`; no flag removes it), and
/// no text about a folder and permissions that nothing can use. A codex that does not know `shell_tool` ends with an
/// error, as it must: its `-c` form would only cause a warning, and leave a shell.
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

/// Commands in the sandbox, without any variable that could be a key.
const SHELL: &[&str] = &["-c", "shell_environment_policy.inherit=\"core\""];

/// No web, no project documents, no MCP servers other than the configuration's own. Analytics off: without a network
/// it loses 5 s at exit.
///
/// The rest are tools that a debate does not need, and texts about them: 12 KB of each request. An unknown key only
/// causes a warning (0.156.0, 0.169.0).
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
    // Offered only with a ChatGPT login, and paid.
    "-c",
    "features.image_generation=false",
];

fn invocation(call: Call<'_>) -> Invocation {
    let agent = call.agent;
    // It stays in its empty folder: inside the repository, if the user trusts that folder, it would show its model the
    // repository's content, including skills, and start its MCP servers.
    let tools = if agent.reads.is_some() { SHELL } else { NO_TOOLS };
    let file = toml_string(&call.system_file.display().to_string());
    let servers = servers::find(call.env, &agent.args);
    let mut settings = vec![format!("model_instructions_file={file}")];
    if !servers.names.is_empty() {
        settings.push(without(&servers.names));
    }
    if let Some(effort) = &agent.effort {
        settings.push(format!("model_reasoning_effort={}", toml_string(effort)));
    }
    let begun = Invocation::of(&[SANDBOX, tools, ARGS].concat());
    Invocation {
        last: Some("-".to_owned()),
        notes: servers.left.map(|why| left_on(&agent.name, &why)).into_iter().collect(),
        ..settings
            .iter()
            .fold(begun, |begun, setting| begun.with("-c", Some(setting)))
            .with("-m", agent.model.as_deref())
    }
}

/// Notes that an agent may have had tools that it should not have.
fn left_on(agent: &str, why: &str) -> Note {
    Note::new(
        "mcp_servers_left_on",
        format!("{agent}: not all MCP servers of its CLI could be switched off: {why}"),
    )
}

/// Switches MCP servers off. As one table, because `-c` splits keys at every dot, quoted or not; it is merged into the
/// configuration, so the servers keep their other settings.
fn without(servers: &[String]) -> String {
    let off: Vec<String> =
        (servers.iter()).map(|name| format!("{}={{enabled=false}}", toml_string(name))).collect();
    format!("mcp_servers={{{}}}", off.join(","))
}

fn toml_string(text: &str) -> String {
    Value::from(text).to_string()
}

fn phase(event: &Value) -> Option<String> {
    let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str);
    match text("/type")? {
        "turn.started" => Some("thinking".to_owned()),
        // Only a warning: failures are reported as `turn.failed`.
        "error" => text("/message").map(str::to_owned),
        "item.completed" if text("/item/type") == Some("agent_message") => {
            Some("answered".to_owned())
        }
        "item.started" | "item.completed" => text("/item/type").map(str::to_owned),
        "turn.completed" => Some("done".to_owned()),
        _ => None,
    }
}
