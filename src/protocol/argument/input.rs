//! Everything a debate of typed arguments depends on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::state::Refusal;
use crate::kernel::Respondent;
use crate::kernel::share::Share;
use crate::protocol::debate::{Brief, BriefError};

/// A debate's input: the same input and the same replies give the same outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// What is debated.
    pub brief: Brief,
    /// Who proposes.
    pub primary: Respondent,
    /// Who challenges.
    pub adversary: Respondent,
    /// What evidence is checked against.
    pub sources: Sources,
    /// How it is run.
    pub settings: Settings,
    /// The session's boundary around untrusted text.
    pub boundary: String,
    /// The session's seed.
    pub seed: u64,
}

/// What is known of the project's files, as they stood when the session was opened: a resume checks against the same.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sources {
    /// Files of the repository and their number of lines; context files are known with their text.
    pub lines: BTreeMap<String, u32>,
}

/// How a debate of typed arguments is run (`docs/debate.md`, section `argument`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Rounds at most; 1 to 10.
    pub max_rounds: u32,
    /// At or above it, the agreement score is consensus.
    pub consensus_threshold: Share,
    /// Areas that an argument may touch; others are kept and marked.
    pub impact_areas: Vec<String>,
    /// Whether a person is asked for a remark between rounds.
    pub pause: bool,
    /// Whether anything that would be normalised is a defect instead.
    pub strict: bool,
    /// Bytes of one block.
    pub block_bytes: usize,
}

/// Why there can be no debate on an input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// What is to be debated cannot be.
    #[error(transparent)]
    Brief(#[from] BriefError),
    /// The sides or the terms are impossible.
    #[error(transparent)]
    Terms(#[from] Refusal),
}
