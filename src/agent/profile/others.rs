//! OpenCode, Qwen Code and GitHub Copilot: argv and pointers as data, measured
//! as 1.18.33, 0.24.4 and 1.0.102. Their system prompt goes at the head of the
//! prompt.

use std::collections::BTreeMap;

use super::{Call, Plan};
use crate::config::agents::{OutputConfig, OutputFormat};

/// Its login stands in its own folder below `XDG_DATA_HOME`.
pub(super) const OPENCODE_VARIABLES: &[&str] = &["OPENCODE_*"];

/// Its own names, and those of the protocol that it speaks.
pub(super) const QWEN_VARIABLES: &[&str] =
    &["QWEN_*", "DASHSCOPE_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"];

/// A GitHub token, or a provider's own key.
pub(super) const COPILOT_VARIABLES: &[&str] = &["COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN", "GH_HOST"];

fn with_model(mut args: Vec<String>, flag: &str, model: Option<&String>) -> Vec<String> {
    if let Some(model) = model {
        args.extend([flag.to_owned(), model.clone()]);
    }
    args
}

pub(super) fn opencode(call: Call<'_>) -> Plan {
    // Without a title it asks the model for one; without a folder it takes `$PWD`.
    let dir = call.cwd.display().to_string();
    let args = ["run", "--pure", "--format", "json", "--title", "debate", "--dir", &dir]
        .map(str::to_owned)
        .to_vec();
    Plan {
        args: with_model(args, "-m", call.agent.model.as_ref()),
        defaults: vec![("OPENCODE_DISABLE_AUTOUPDATE", "1".to_owned())],
        // Its default agents run commands without asking.
        fixed: vec![("OPENCODE_PERMISSION", "{\"*\":\"deny\"}".to_owned())],
        ..Plan::default()
    }
}

pub(super) fn opencode_output() -> OutputConfig {
    OutputConfig {
        format: OutputFormat::Jsonl,
        text: Some("/part/text".to_owned()),
        select: BTreeMap::from([("/type".to_owned(), "text".into())]),
        error: Some("/error/data/message".to_owned()),
        error_select: BTreeMap::from([("/type".to_owned(), "error".into())]),
        cost_usd: Some("/part/cost".to_owned()),
        input_tokens: Some("/part/tokens/input".to_owned()),
        output_tokens: Some("/part/tokens/output".to_owned()),
        model: None,
    }
}

pub(super) fn qwen(call: Call<'_>) -> Plan {
    let args = ["--bare", "--auth-type", "openai", "-o", "json", "--approval-mode", "plan"]
        .map(str::to_owned)
        .to_vec();
    Plan { args: with_model(args, "-m", call.agent.model.as_ref()), ..Plan::default() }
}

pub(super) fn copilot(call: Call<'_>) -> Plan {
    let args = [
        "--output-format",
        "json",
        "--no-color",
        "--no-auto-update",
        "--no-custom-instructions",
        "--disable-builtin-mcps",
        "--no-ask-user",
        "--available-tools",
        "none",
    ]
    .map(str::to_owned)
    .to_vec();
    Plan { args: with_model(args, "--model", call.agent.model.as_ref()), ..Plan::default() }
}

pub(super) fn copilot_output() -> OutputConfig {
    OutputConfig {
        format: OutputFormat::Jsonl,
        text: Some("/data/content".to_owned()),
        select: BTreeMap::from([("/type".to_owned(), "assistant.message".into())]),
        ..OutputConfig::default()
    }
}
