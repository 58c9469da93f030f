//! An agent, as the configuration and this machine make it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::config::agents::{OutputConfig, ProfileName, PromptBy};
use crate::kernel::Usd;

/// One agent, ready to be asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Agent {
    /// Its name in the configuration.
    pub name: String,
    /// Its program, an absolute path.
    pub program: PathBuf,
    /// How to talk to it.
    pub profile: ProfileName,
    /// Who makes its model.
    pub vendor: String,
    /// The model to ask for; the CLI's own default when missing.
    pub model: Option<String>,
    /// Reasoning effort.
    pub effort: Option<String>,
    /// Further arguments, without those that the profile implies.
    pub args: Vec<String>,
    /// Variables to set.
    pub env: BTreeMap<String, String>,
    /// Variables to pass on besides the profile's.
    pub pass_env: Vec<String>,
    /// Time limit of one attempt.
    pub timeout: Duration,
    /// Whether nobody has set that limit.
    pub timeout_is_usual: bool,
    /// Longest silence.
    pub idle: Option<Duration>,
    /// Names of the agents that step in.
    pub fallback: Vec<String>,
    /// Most calls at the same time.
    pub max_parallel: Option<u32>,
    /// The price of one call, if nothing else says.
    pub declared_cost: Option<Usd>,
    /// How the prompt is handed over.
    pub prompt: PromptBy,
    /// How its output is read (generic profile).
    pub output: OutputConfig,
    /// Its dangerous flags and variables, which the user permitted.
    pub dangerous: Vec<String>,
    /// Whether it is a stand-in that asks no model.
    pub rehearsal: bool,
    /// The top of the repository that it may read; `None` for an agent that sees its prompt alone.
    pub reads: Option<PathBuf>,
    /// SHA-256 over what can change an answer.
    pub digest: String,
}
