//! The `agents` and `roles` sections: the program of each agent and the agent of each role.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::Usd;

/// Built-in ways to talk to a CLI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProfileName {
    /// Claude Code, `claude -p`.
    Claude,
    /// Codex, `codex exec`.
    Codex,
    /// Google's Gemini CLI.
    Gemini,
    /// `opencode run`.
    Opencode,
    /// Qwen Code.
    Qwen,
    /// GitHub's Copilot CLI.
    Copilot,
    /// Any program, described by `output`.
    Generic,
}

/// CLIs with a built-in profile that no default names. They are agents wherever their program is on PATH, even
/// without configuration, and take part only where they are named.
pub const BUILT_IN: [(&str, ProfileName); 3] = [
    ("opencode", ProfileName::Opencode),
    ("qwen", ProfileName::Qwen),
    ("copilot", ProfileName::Copilot),
];

/// One agent: a program and how to use it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentConfig {
    /// The agent's name; if given it must equal its key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The program: a bare name found on PATH, or a path. A layer may leave it to a lower one; an error if no layer sets it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(extend("x-project" = "differs"))]
    pub path: String,
    /// How to talk to it; guessed from the program's name when missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-project" = "differs"))]
    pub profile: Option<ProfileName>,
    /// The model, passed to the CLI and used for prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-project" = "differs"))]
    pub model: Option<String>,
    /// The models of its seats in a session of one vendor, in turn; the built-in profiles of claude and gemini know two.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-project" = "differs"))]
    pub models: Vec<String>,
    /// Reasoning effort, where the CLI has such a setting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-project" = "differs"))]
    pub effort: Option<String>,
    /// Further arguments, never read by a shell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-project" = "differs"))]
    pub args: Vec<String>,
    /// Variables to set.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("x-project" = "differs"))]
    pub env: BTreeMap<String, String>,
    /// Variables to pass on, besides the profile's own list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-project" = "differs"))]
    pub pass_env: Vec<String>,
    /// Time limit of one attempt, in seconds (180 when missing, 600 in roles that usually think hard).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 86_400))]
    #[schemars(extend("x-project" = "above"))]
    pub timeout_seconds: Option<u64>,
    /// Longest silence, in seconds; no limit when missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 86_400))]
    #[schemars(extend("x-project" = "above"))]
    pub idle_timeout_seconds: Option<u64>,
    /// Who makes the model; known for the built-in profiles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vendor: Option<String>,
    /// Agents that step in when this one fails, in order; when missing, those that are installed and have no seat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<Vec<String>>,
    /// Maximum number of calls to this agent at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000))]
    #[schemars(extend("x-project" = "above"))]
    pub max_parallel: Option<u32>,
    /// What one call costs, for CLIs that report nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-project" = "differs"))]
    pub declared_cost_usd: Option<Usd>,
    /// How the prompt is passed; `stdin` when missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<PromptBy>,
    /// How to read what it prints (generic profile).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-project" = "differs"))]
    pub output: Option<OutputConfig>,
}

/// How a prompt is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PromptBy {
    /// On standard input, which is then closed.
    Stdin,
    /// As the last argument, for programs that cannot read it. At most 128 KiB.
    Argument,
}

/// How a generic CLI's output is read: JSON pointers into its envelope.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutputConfig {
    /// `text` (all of standard output), `json` (one document) or `jsonl` (one per line).
    #[serde(default)]
    pub format: OutputFormat,
    /// Pointer to the final message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Which line or array element has it: pointer to expected value; the last match counts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub select: BTreeMap<String, serde_json::Value>,
    /// Pointer to an error message; if present and not null, the call failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Which line or array element is an error event: pointer to expected value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub error_select: BTreeMap<String, serde_json::Value>,
    /// Pointer to the cost in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<String>,
    /// Pointer to the input tokens (cached ones included).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<String>,
    /// Pointer to the output tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<String>,
    /// Pointer to the model's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// What a generic CLI prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutputFormat {
    /// The answer and nothing else.
    #[default]
    Text,
    /// One JSON document.
    Json,
    /// One JSON value per line.
    Jsonl,
}

/// One role: who plays it, with which prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoleConfig {
    /// The agent's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The skill: a role's name, or a path to a SKILL.md.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-project" = "differs"))]
    pub skill: Option<String>,
    /// Overrides the agent's model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-project" = "differs"))]
    pub model: Option<String>,
    /// Overrides the agent's time limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 86_400))]
    #[schemars(extend("x-project" = "above"))]
    pub timeout_seconds: Option<u64>,
    /// Reasoning effort in this role, where the CLI has such a setting. Overrides the agent's; usually `high` where something is
    /// found, refuted, planned or ruled on, else `medium`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-project" = "differs"))]
    pub effort: Option<String>,
    /// Agents that step in for this role, in order. Overrides the agent's own list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<Vec<String>>,
}
