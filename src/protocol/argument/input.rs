//! The input of a debate of typed arguments: brief, respondents, sources and settings.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::state::Refusal;
use crate::kernel::Respondent;
use crate::kernel::share::Share;
use crate::protocol::debate::{Brief, BriefError};
use crate::protocol::prompt::Prompts;

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
    /// The words of its prompts.
    pub prompts: Prompts,
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
}

/// The areas that an argument may touch.
pub(crate) const IMPACT_AREAS: [&str; 12] = [
    "correctness",
    "security",
    "performance",
    "reliability",
    "maintainability",
    "usability",
    "compatibility",
    "operations",
    "cost",
    "schedule",
    "data",
    "legal",
];

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
