//! The input of a debate of typed arguments: brief, respondents, sources and settings.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::state::Refusal;
use crate::kernel::Respondent;
use crate::kernel::share::Share;
use crate::protocol::debate::{Brief, BriefError};

/// A debate's input: the same input and the same replies give the same outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// The question under debate and its context.
    pub brief: Brief,
    /// The respondent of the primary, which proposes.
    pub primary: Respondent,
    /// The respondent of the adversary, which challenges.
    pub adversary: Respondent,
    /// The files that evidence is checked against.
    pub sources: Sources,
    /// Limits, thresholds and switches.
    pub settings: Settings,
    /// The session's boundary around untrusted text.
    pub boundary: String,
    /// The session's seed.
    pub seed: u64,
}

/// The project's files as they were when the session was opened, so that a resume checks against the same state.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sources {
    /// Repository files and their numbers of lines; context files are known with their text.
    pub lines: BTreeMap<String, u32>,
}

/// The settings of a debate of typed arguments (`docs/debate.md`, section `argument`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Maximum number of rounds; 1 to 10.
    pub max_rounds: u32,
    /// Agreement score at or above which there is consensus.
    pub consensus_threshold: Share,
    /// Areas an argument may touch; any others are kept and marked.
    pub impact_areas: Vec<String>,
    /// Whether a person is asked for a remark between rounds.
    pub pause: bool,
    /// Whether a deviation in a reply that would otherwise be normalised is a defect.
    pub strict: bool,
    /// Maximum size of one reply block, in bytes.
    pub block_bytes: usize,
    /// The rules by which it is held; sessions that store none go on by the first.
    #[serde(default)]
    pub rules: Rules,
}

/// The rules by which a debate of typed arguments is held.
///
/// | what | first | second |
/// |---|---|---|
/// | points | are numbered anew in each resolution | keep their ids over the whole debate; new ones go on from the last |
/// | `{"keep": "P3"}` | is no point | is the point P3, with `add` amended |
/// | fields | all may be owed by every argument | each argument owes those of its type |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rules {
    /// Those of sessions that were opened before there were others.
    #[default]
    First,
    /// Those of new sessions.
    Second,
}

/// Reasons for which an input is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// The brief is invalid.
    #[error(transparent)]
    Brief(#[from] BriefError),
    /// The sides or the rules are impossible.
    #[error(transparent)]
    Terms(#[from] Refusal),
}
