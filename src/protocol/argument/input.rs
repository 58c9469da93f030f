//! The settings of a debate of typed arguments, and the inputs that it refuses.

use serde::{Deserialize, Serialize};

use super::state::Refusal;
use crate::kernel::share::Share;
use crate::protocol::debate::{self, BriefError};
use crate::protocol::seats::EmptySeat;

pub(crate) type Input = debate::Input<Settings>;

/// The settings of a debate of typed arguments (`docs/debate.md`, section `argument`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Settings {
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
pub(crate) enum InputError {
    /// The brief is invalid.
    #[error(transparent)]
    Brief(#[from] BriefError),
    /// A side has nobody.
    #[error(transparent)]
    Seat(#[from] EmptySeat),
    /// The sides or the rules are impossible.
    #[error(transparent)]
    Terms(#[from] Refusal),
}
