//! Everything that a critique depends on, and what makes an input impossible.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::kernel::Respondent;
use crate::text::Note;
use crate::text::block::BlockLimits;

/// Perspectives of one critique at most: as many as there are seats in any panel.
pub const MAX_PERSPECTIVES: usize = 9;

/// Bytes of an artifact at most (`docs/discuss.md`: 900 KiB).
pub const ARTIFACT_BYTES: usize = 900 << 10;

/// Bytes of the discovery context at most.
pub const CONTEXT_BYTES: usize = 256 << 10;

/// A critique's input: the same input and the same replies give the same outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// What is criticised, from which perspectives.
    pub task: Task,
    /// Who answers for which perspective, by its name.
    pub seats: BTreeMap<String, Respondent>,
    /// How it is run.
    pub settings: Settings,
    /// The session's boundary around untrusted text.
    pub boundary: String,
}

/// What a critique is about, as a session's first record holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// The round's id: names the record. Letters, digits, `-`, `_` and `.` ([`is_round_id`]).
    pub round_id: String,
    /// The preset that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// What is read.
    pub artifact: Artifact,
    /// What it is checked against, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Artifact>,
    /// Who reads it, in the order asked for.
    pub perspectives: Vec<Perspective>,
    /// Perspectives that were wanted and are not asked.
    #[serde(default)]
    pub skipped: Vec<SkippedPerspective>,
    /// Relative links of the artifact whose files are not there, as written, with their lines.
    #[serde(default)]
    pub broken_links: Vec<LineReference>,
    /// A person signs this artifact off: what blocks it is never for an agent to settle.
    #[serde(default)]
    pub sign_off: bool,
    /// Revision tasks that were recorded for this artifact before.
    #[serde(default)]
    pub revisions: u32,
    /// The role that asked, for the message to its coordinator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Its task, for the same message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The folder for records that the command line named, as typed; for people, never opened on a resume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Whether the follow-up policy is applied to the result.
    #[serde(default)]
    pub apply_policy: bool,
    /// What was noticed while everything was read: a secret taken out, a perspective skipped.
    #[serde(default)]
    pub notes: Vec<Note>,
}

/// A text that perspectives read, as it stood when the session was opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// Its name, as the person gave it; `standard input` for `-`.
    pub name: String,
    /// Its text, redacted.
    pub text: String,
    /// SHA-256 of the bytes as they were read, before redaction, hexadecimal.
    pub sha256: String,
    /// How many bytes those were.
    pub bytes: u64,
}

/// Something that stands in a line of the artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LineReference {
    /// The line, from 1.
    pub line: u32,
    /// What stands there.
    pub text: String,
}

/// One way of looking at an artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Perspective {
    /// Its name: the seat, and the end of the turn's id (`r1/product`).
    pub name: String,
    /// Who looks so: `product manager`.
    pub title: String,
    /// What is looked at.
    pub looks_at: Vec<String>,
    /// Whether a risk level and the list of risks are required of it.
    #[serde(default)]
    pub rates_risk: bool,
    /// Whether it checks the artifact against the context, so that `covered` and `missing_requirements` are required of it.
    #[serde(default)]
    pub needs_context: bool,
    /// The role in the configuration whose skill is sent: `discuss-product`.
    pub plays: String,
    /// The agent that should have answered and cannot be asked at all, with its vendor and why: the seat's agent stands in for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stands_in: Option<Substitute>,
}

/// The agent that a configuration names for a perspective and that is not here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Substitute {
    /// Its name.
    pub agent: String,
    /// Its vendor, or its name where that is not known.
    pub vendor: String,
    /// Why it cannot be asked, in a sentence.
    pub why: String,
}

/// A perspective that is not asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedPerspective {
    /// Its name.
    pub name: String,
    /// The agent that would have been asked.
    pub agent: String,
    /// Its vendor, or its name where that is not known.
    pub vendor: String,
    /// Why not, in a sentence.
    pub why: String,
}

/// How a critique is run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Whether anything that would be normalised is a defect instead.
    pub strict: bool,
    /// Bytes of one block.
    pub block_bytes: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { strict: false, block_bytes: BlockLimits::default().block_bytes }
    }
}

/// Why there can be no critique on an input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// Nobody is asked.
    #[error("a critique takes 1 to {MAX_PERSPECTIVES} perspectives, not {0}")]
    Perspectives(usize),
    /// One would speak twice.
    #[error("the perspective `{0}` is named twice")]
    Twice(String),
    /// It has no seat.
    #[error("nobody answers for the perspective `{0}`")]
    NoSeat(String),
    /// There is nothing to read.
    #[error("the artifact {0} is empty")]
    Empty(String),
    /// It does not fit into a prompt.
    #[error("the artifact {name} has {bytes} bytes and may have {ARTIFACT_BYTES}")]
    TooLong {
        /// Its name.
        name: String,
        /// How long it is.
        bytes: usize,
    },
    /// A perspective needs what is not there.
    #[error("the perspective `{0}` checks an artifact against a context, and there is none")]
    NoContext(String),
    /// The name of its record is none.
    #[error(
        "`{0}` is no id of a round: 1 to 64 letters, digits, `-`, `_` and `.`, a letter or digit first"
    )]
    RoundId(String),
}

/// Whether a text can be a round's id, and with it the beginning of a file's name.
pub fn is_round_id(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (1..=64).contains(&text.len())
        && text.chars().all(plain)
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// Checks an input before anything is asked.
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
    // Redaction may lengthen a text by what it puts into a secret's place.
    let bytes = usize::try_from(task.artifact.bytes).unwrap_or(usize::MAX);
    if bytes > ARTIFACT_BYTES {
        return Err(InputError::TooLong { name: name(), bytes });
    }
    Ok(())
}
