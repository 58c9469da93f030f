//! One attempt to ask an agent, before and after it was made, as the journal records it.

use serde::{Deserialize, Serialize};

use crate::kernel::{Cost, Failure, Quota};
use crate::text::Note;

/// The reason for an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The turn's first call.
    First,
    /// The same call again, after a passing failure.
    Retry,
    /// A re-ask that describes the defects of the reply.
    Repair,
    /// The same turn, asked of another agent.
    Fallback,
}

/// One attempt before it is made: the data for its key and its journal record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    /// The turn's id, unique within the session.
    pub turn: String,
    /// The turn's role or seat.
    pub role: String,
    /// The reason for this attempt.
    pub kind: Kind,
    /// 1, 2, 3, ... over all attempts of this turn in its present epoch.
    pub attempt: u32,
    /// The agent's name in the configuration.
    pub agent: String,
    /// SHA-256 of system prompt and prompt.
    pub prompt_sha: String,
    /// Size of the prompt in bytes.
    pub prompt_bytes: u64,
    /// Steps of effort above the role's default; not recorded in the journal.
    #[serde(skip)]
    pub effort_above: u32,
    /// SHA-256 over those parts of the agent's configuration that can change an answer (profile, model, args).
    pub agent_digest: String,
}

impl Intent {
    /// Returns the quantities that determine its price.
    pub const fn extent(&self) -> Extent {
        Extent { bytes: self.prompt_bytes, effort_above: self.effort_above }
    }
}

/// The quantities that determine the price of a call, whichever agent is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extent {
    /// Size of the prompt in bytes.
    pub bytes: u64,
    /// Steps of effort above the role's default.
    pub effort_above: u32,
}

/// Tokens of one call, as the CLI counted them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Input tokens, cached ones included.
    pub input: u64,
    /// Input tokens read from the provider's cache.
    pub cache_read: u64,
    /// Input tokens written to the provider's cache.
    pub cache_write: u64,
    /// Output tokens, reasoning included.
    pub output: u64,
}

impl Usage {
    /// Adds the tokens of another model.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_write: self.cache_write.saturating_add(other.cache_write),
            output: self.output.saturating_add(other.output),
        }
    }
}

/// An attempt after it was made, as recorded in `call.result`: answer and cost apart, everything as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptResult {
    /// The final message (redacted bytes), kept even if the attempt failed.
    #[serde(skip)]
    pub answer: Option<Vec<u8>>,
    /// The cost of the call; `None` if unknown, in which case the reservation is charged.
    #[serde(skip)]
    pub cost: Option<Cost>,
    /// The ending of the process: `exited(0)`, `signaled(11)`, `timed_out`.
    pub ending: String,
    /// Whether the model stopped at its output limit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// The reason why this attempt counts as failed; `None` if it has an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// The token counts, if the CLI reports them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The model that answered; where the CLI does not report it, the one that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What is left of the vendor's quota, if the CLI reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota: Option<Quota>,
    /// Wall time in milliseconds, excluding pauses.
    pub took_ms: u64,
    /// Observations (`leaked_output_handle`, `cost_invalid`, ...).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// The last 20 lines of standard error, sanitized and redacted; empty on success.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stderr_tail: Vec<String>,
}
