//! GitHub's Copilot CLI, measured as 1.0.102. Its system prompt goes at the head of the prompt.

use std::collections::BTreeMap;

use super::{Call, Dangerous, Events, Invocation, Probes, Profile, Reader, Vendor};
use crate::agent::dangerous::values::tools;
use crate::config::agents::{OutputConfig, OutputFormat, ProfileName};

pub(super) static PROFILE: Profile = Profile {
    name: ProfileName::Copilot,
    vendor: Vendor::Known("github"),
    // A GitHub token, or a provider's own key.
    variables: &["COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN", "GH_HOST"],
    implied: &["-s"],
    prompt_flags: &["-p", "--prompt"],
    dangerous: Dangerous {
        flags: &[
            ("allowall", |_| true),
            ("allowalltools", |_| true),
            ("allowallpaths", |_| true),
            ("allowallurls", |_| true),
            // Programs of the user's choice with unrestricted tools.
            ("additionalmcpconfig", |_| true),
            ("allowtool", |lists| lists.iter().any(|list| tools(list))),
        ],
        ..Dangerous::UNKNOWN
    },
    invocation,
    reader: Reader::Events(Events { output, status: None }),
    last_word: |event| event["type"] == "result" && event["exitCode"] == 0,
    probes: Probes {
        program: "copilot",
        measured: "1.0.102",
        key_variables: &["GH_TOKEN", "GITHUB_TOKEN", "COPILOT_GITHUB_TOKEN"],
        flags: &[
            "--output-format",
            "--no-color",
            "--no-auto-update",
            "--no-custom-instructions",
            "--disable-builtin-mcps",
            "--no-ask-user",
            "--available-tools",
        ],
        install: "npm install -g @github/copilot",
        log_in: "run `copilot` and type /login",
        traps: &["Its first run unpacks 240 MB into the home folder."],
        ..Probes::UNKNOWN
    },
    ..Profile::UNKNOWN
};

const ARGS: &[&str] = &[
    "--output-format",
    "json",
    "--no-color",
    "--no-auto-update",
    "--no-custom-instructions",
    "--disable-builtin-mcps",
    "--no-ask-user",
    "--available-tools",
    "none",
];

fn invocation(call: Call<'_>) -> Invocation {
    Invocation::of(ARGS).with("--model", call.agent.model.as_deref())
}

fn output() -> OutputConfig {
    OutputConfig {
        format: OutputFormat::Jsonl,
        text: Some("/data/content".to_owned()),
        select: BTreeMap::from([("/type".to_owned(), "assistant.message".into())]),
        ..OutputConfig::default()
    }
}
