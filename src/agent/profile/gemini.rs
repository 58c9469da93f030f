//! Google's Gemini CLI, measured as 0.61.0.
//!
//! `stream-json` is used because it shows progress and puts errors on standard
//! output, where `json` hides them behind stack traces on standard error.

mod envelope;

use serde_json::Value;

use super::{
    Call, Dangerous, Invocation, Limit, PriceTable, Probes, Profile, ReadRepo, Reader, Vendor,
};
use crate::agent::dangerous::values::{approval, sandbox, tools, yolo};
use crate::config::agents::ProfileName;

pub(super) static PROFILE: Profile = Profile {
    name: ProfileName::Gemini,
    vendor: Vendor::Known("google"),
    models: &["pro", "flash"],
    // Keys, endpoint, provider, project.
    variables: &["GEMINI_*", "GOOGLE_*", "GCLOUD_PROJECT"],
    providers: &[
        ("GOOGLE_GENAI_USE_VERTEXAI", &["CLOUDSDK_*"]),
        ("GOOGLE_GENAI_USE_GCA", &["CLOUDSDK_*"]),
    ],
    system_in_file: true,
    // The largest that worked in tests: at 5 MiB it answers nothing and reports success.
    limit: Some(Limit::Bytes(3 << 20)),
    price_table: PriceTable::Used,
    prompt_flags: &["-p", "--prompt"],
    dangerous: Dangerous {
        flags: &[
            ("nosandbox", |_| true),
            // Programs of the user's choice with unrestricted tools.
            ("allowedmcpservernames", |_| true),
            // A file that may re-allow every tool.
            ("policy", |_| true),
            ("adminpolicy", |_| true),
            ("approvalmode", |modes| modes.first().is_some_and(|mode| approval(mode))),
            ("sandbox", |modes| modes.first().is_some_and(|mode| sandbox(mode))),
            ("allowedtools", |lists| lists.iter().any(|list| tools(list))),
            ("coretools", |lists| lists.iter().any(|list| tools(list))),
        ],
        short: yolo,
        ..Dangerous::UNKNOWN
    },
    // Regardless of its settings, and in a review that file may be part of the change.
    read_repo: ReadRepo::Refused(
        "the gemini CLI puts the repository's own GEMINI.md into its prompt, and that cannot be turned off",
    ),
    invocation,
    reader: Reader::Own(envelope::read),
    phase,
    words: |event| {
        let said = event["type"] == "message" && event["role"] == "assistant";
        event.get("content").filter(|_| said)?.as_str()
    },
    last_word: |event| event["type"] == "result",
    probes: Probes {
        program: "gemini",
        measured: "0.61.0",
        key_variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        flags: &[
            "--skip-trust",
            "--approval-mode",
            "--allowed-mcp-server-names",
            "--policy",
            "--output-format",
            "--model",
        ],
        install: "npm install -g @google/gemini-cli",
        log_in: "run `gemini` once and choose a login, or set GEMINI_API_KEY",
        traps: &[
            "It retries 429 and 5xx by itself for about four minutes; only the time limit ends that.",
            "Without a model it asks a router model first: set `model`.",
            "For a prompt over the context window it answers nothing and exits with code 0.",
        ],
        ..Probes::UNKNOWN
    },
    ..Profile::UNKNOWN
};

/// A name that no MCP server has. With an empty one the CLI ends in an exception; with `none` it starts a server with
/// the name `none`.
const NO_SERVER: &str = "none-in-a-debate";

/// Removes every tool, including those of later versions: a tool denied without a condition is not even offered. This
/// overrides everything that the user's settings and policies allow; only an administrator's policies override it.
///
/// A system settings file that excludes tools would have to be owned by root (0.61.0).
const NO_TOOLS: &str = "[[rule]]\ntoolName = \"*\"\ndecision = \"deny\"\npriority = 999\n";

/// Applies to the MCP servers of extensions too.
const ARGS: &[&str] = &[
    "--skip-trust",
    "--approval-mode",
    "plan",
    "--allowed-mcp-server-names",
    NO_SERVER,
    "-o",
    "stream-json",
];

fn invocation(call: Call<'_>) -> Invocation {
    let policy = call.system_file.with_file_name("policy.toml");
    let begun = Invocation::of(ARGS)
        .with("--policy", Some(&policy.display().to_string()))
        .with("-m", call.agent.model.as_deref());
    Invocation {
        defaults: vec![("GEMINI_TELEMETRY_ENABLED", "false".to_owned())],
        fixed: vec![
            // One process instead of a parent that a signal alone cannot end.
            ("GEMINI_CLI_NO_RELAUNCH", "true".to_owned()),
            ("GEMINI_SYSTEM_MD", call.system_file.display().to_string()),
            // Its error reports contain the prompt; they are deleted with the private directory.
            ("TMPDIR", call.tmp.display().to_string()),
        ],
        files: vec![(policy, NO_TOOLS.to_owned())],
        ..begun
    }
}

fn phase(event: &Value) -> Option<String> {
    let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str);
    match text("/type")? {
        "init" => Some("thinking".to_owned()),
        "tool_use" => Some("using a tool".to_owned()),
        "result" => Some("done".to_owned()),
        _ => None,
    }
}
