//! A critique's complete input, and the checks that reject an impossible one.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::kernel::Respondent;
use crate::protocol::prompt::Prompts;
use crate::text::Note;

/// Maximum perspectives of one critique: as many as the seats of any panel.
pub const MAX_PERSPECTIVES: usize = 9;

/// Maximum bytes of an artifact (`docs/discuss.md`: 900 KiB).
pub const ARTIFACT_BYTES: usize = 900 << 10;

/// Maximum bytes of the discovery context.
pub const CONTEXT_BYTES: usize = 256 << 10;

/// A critique's input: the same input and the same replies give the same outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// The artifact, and the perspectives that criticise it.
    pub task: Task,
    /// The respondent of each perspective, by the perspective's name.
    pub seats: BTreeMap<String, Respondent>,
    /// The words of its prompts.
    pub prompts: Prompts,
}

/// A critique's task, as recorded in a session's first record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// The round's id, which names the record: letters, digits, `-`, `_` and `.` ([`is_round_id`]).
    pub round_id: String,
    /// The preset that was asked for; `None` if none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// The artifact that the perspectives read.
    pub artifact: Artifact,
    /// The discovery context that the artifact is checked against, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Artifact>,
    /// The perspectives, in the order asked for.
    pub perspectives: Vec<Perspective>,
    /// Perspectives that were requested and are not asked.
    #[serde(default)]
    pub skipped: Vec<SkippedPerspective>,
    /// Whether a person signs this artifact off: an agent never settles what blocks it.
    #[serde(default)]
    pub sign_off: bool,
    /// Number of revision tasks recorded for this artifact before.
    #[serde(default)]
    pub revisions: u32,
    /// The role that requested the critique, for the message to its coordinator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The task of that role, for the same message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The folder for records given on the command line, as typed; for people, never opened on a resume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Whether the follow-up policy is applied to the result.
    #[serde(default)]
    pub apply_policy: bool,
    /// Notes from reading the input: a secret redacted, a perspective skipped.
    #[serde(default)]
    pub notes: Vec<Note>,
}

/// A text that perspectives read, as it was when the session was opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// Its name, as the user gave it; `standard input` for `-`.
    pub name: String,
    /// The text after redaction.
    pub text: String,
    /// SHA-256 of the bytes as read, before redaction, in hexadecimal.
    pub sha256: String,
    /// Number of bytes before redaction.
    pub bytes: u64,
}

/// Something found in a line of the artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LineReference {
    /// The line, from 1.
    pub line: u32,
    /// What it says.
    pub text: String,
}

/// One view of an artifact, with its own reader and aspects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Perspective {
    /// Its name: that of the seat, and the end of the turn's id (`r1/product`).
    pub name: String,
    /// The reader's title: `product manager`.
    pub title: String,
    /// The aspects that the perspective examines.
    pub looks_at: Vec<String>,
    /// Whether the perspective owes a risk level and the list of risks.
    #[serde(default)]
    pub rates_risk: bool,
    /// Whether it checks the artifact against the context, and so owes `covered` and `missing_requirements`.
    #[serde(default)]
    pub needs_context: bool,
    /// The configured role whose skill is sent: `discuss-product`.
    pub plays: String,
    /// The configured agent that cannot be asked, with its vendor and the reason: the seat's agent replaces it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stands_in: Option<Substitute>,
}

/// The agent that a configuration names for a perspective and that is not available.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Substitute {
    /// The agent's name.
    pub agent: String,
    /// The vendor, or the agent's name if the vendor is not known.
    pub vendor: String,
    /// The reason why it cannot be asked, in a sentence.
    pub why: String,
}

/// A requested perspective that is not asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedPerspective {
    /// The perspective's name.
    pub name: String,
    /// The agent that would have been asked.
    pub agent: String,
    /// The agent's vendor, or the agent's name if the vendor is not known.
    pub vendor: String,
    /// The reason, in a sentence.
    pub why: String,
}

/// Reasons why an input allows no critique.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    #[error("a critique takes 1 to {MAX_PERSPECTIVES} perspectives, not {0}")]
    Perspectives(usize),
    #[error("the perspective `{0}` is named twice")]
    Twice(String),
    #[error("nobody answers for the perspective `{0}`")]
    NoSeat(String),
    #[error("the artifact {0} is empty")]
    Empty(String),
    #[error("the artifact {name} has {bytes} bytes, over the limit of {ARTIFACT_BYTES}")]
    TooLong { name: String, bytes: usize },
    #[error("the perspective `{0}` checks an artifact against a context, but there is none")]
    NoContext(String),
    #[error(
        "`{0}` is not a round id: 1 to 64 letters, digits, `-`, `_` and `.`, starting with a letter or digit"
    )]
    RoundId(String),
}

/// Whether a text can be a round's id, and so the beginning of a file's name.
pub fn is_round_id(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (1..=64).contains(&text.len())
        && text.chars().all(plain)
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
}

pub(super) fn check(input: &Input) -> Result<(), InputError> {
    let task = &input.task;
    if !is_round_id(&task.round_id) {
        return Err(InputError::RoundId(task.round_id.clone()));
    }
    let count = task.perspectives.len();
    if !(1..=MAX_PERSPECTIVES).contains(&count) {
        return Err(InputError::Perspectives(count));
    }
    let mut names = BTreeSet::new();
    for perspective in &task.perspectives {
        let name = || perspective.name.clone();
        if !names.insert(&perspective.name) {
            return Err(InputError::Twice(name()));
        }
        if !input.seats.contains_key(&perspective.name) {
            return Err(InputError::NoSeat(name()));
        }
        if perspective.needs_context && task.context.is_none() {
            return Err(InputError::NoContext(name()));
        }
    }
    let name = || task.artifact.name.clone();
    if task.artifact.text.trim().is_empty() {
        return Err(InputError::Empty(name()));
    }
    // Redaction may lengthen a text by the placeholders it inserts.
    let bytes = usize::try_from(task.artifact.bytes).unwrap_or(usize::MAX);
    if bytes > ARTIFACT_BYTES {
        return Err(InputError::TooLong { name: name(), bytes });
    }
    Ok(())
}
