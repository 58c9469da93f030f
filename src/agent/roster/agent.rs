//! An agent, from the configuration and this machine.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::config::agents::{OutputConfig, ProfileName, PromptBy};
use crate::kernel::Usd;

/// One agent, ready to be asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Agent {
    pub name: String,
    pub program: PathBuf,
    pub profile: ProfileName,
    pub vendor: String,
    /// The model to ask for; `None` for the CLI's default.
    pub model: Option<String>,
    pub effort: Option<String>,
    /// Further arguments, without those implied by the profile.
    pub args: Vec<String>,
    /// Variables to set.
    pub env: BTreeMap<String, String>,
    /// Variables to pass on in addition to the profile's.
    pub pass_env: Vec<String>,
    /// Time limit of one attempt.
    pub timeout: Duration,
    /// Whether that limit is the default.
    pub timeout_is_usual: bool,
    /// Maximum time without output.
    pub idle: Option<Duration>,
    /// Maximum number of parallel calls.
    pub max_parallel: Option<u32>,
    /// The price of one call, if it is not known otherwise.
    pub declared_cost: Option<Usd>,
    pub prompt: PromptBy,
    /// How its output is read (generic profile).
    pub output: OutputConfig,
    /// Dangerous flags and variables that the user permitted.
    pub dangerous: Vec<String>,
    /// Whether it is a stand-in that asks no model.
    pub rehearsal: bool,
    /// The top of the repository that it may read; `None` for an agent that sees only its prompt.
    pub reads: Option<PathBuf>,
    /// SHA-256 over everything that can change an answer.
    pub digest: String,
}
