//! Everything a dialogue depends on.

use serde::{Deserialize, Serialize};

use crate::kernel::Respondent;
use crate::kernel::share::Share;
use crate::protocol::debate::consensus::Basis;
use crate::protocol::debate::{Brief, BriefError};

/// A dialogue's input: the same input and the same replies give the same outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// What is debated.
    pub brief: Brief,
    /// Who proposes.
    pub proposer: Respondent,
    /// Who reviews.
    pub reviewer: Respondent,
    /// Who rules when they cannot agree; `None` for nobody.
    pub expert: Option<Respondent>,
    /// How it is run.
    pub settings: Settings,
    /// The session's boundary around untrusted text.
    pub boundary: String,
    /// The session's seed.
    pub seed: u64,
}

/// How a dialogue is run (`docs/debate.md`, section `topic`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Rounds at most, the expert's included; 1 to 10.
    pub max_rounds: u32,
    /// At or above it a position is adopted.
    pub consensus_threshold: Share,
    /// Below it an expert is asked; between the two it is `partial`.
    pub expert_threshold: Share,
    /// From round 2 on: below the expert's threshold, a rise by less than this is a deadlock.
    pub deadlock_rise: Share,
    /// What decides.
    pub consensus: Basis,
    /// Whether a person is asked for a remark between rounds.
    pub pause: bool,
    /// Whether anything that would be normalised is a defect instead.
    pub strict: bool,
    /// Bytes of one block.
    pub block_bytes: usize,
}

/// Rounds at most, the expert's included.
pub const MAX_ROUNDS: u32 = 10;

/// Why there can be no dialogue on an input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// What is debated.
    #[error(transparent)]
    Brief(#[from] BriefError),
    /// One side cannot debate itself.
    #[error("the agent `{0}` sits on both sides: name two participants")]
    Twice(String),
    /// A number out of range.
    #[error("`max_rounds` must be 1 to {MAX_ROUNDS}, not {0}")]
    Rounds(u32),
    /// No consensus could lie between them.
    #[error("the expert's threshold, {expert}, is above that of consensus, {consensus}")]
    Thresholds {
        /// Below it an expert is asked.
        expert: Share,
        /// At or above it a position is adopted.
        consensus: Share,
    },
}

/// Checks an input before anything is asked.
pub(super) fn check(input: &Input) -> Result<(), InputError> {
    input.brief.check()?;
    if input.proposer.agent == input.reviewer.agent {
        return Err(InputError::Twice(input.proposer.agent.clone()));
    }
    let settings = &input.settings;
    if !(1..=MAX_ROUNDS).contains(&settings.max_rounds) {
        return Err(InputError::Rounds(settings.max_rounds));
    }
    let (expert, consensus) = (settings.expert_threshold, settings.consensus_threshold);
    if expert > consensus {
        return Err(InputError::Thresholds { expert, consensus });
    }
    Ok(())
}

impl Settings {
    /// Returns the number of debating rounds: the last is the expert's.
    pub const fn debating_rounds(&self) -> u32 {
        match self.max_rounds {
            0..=2 => 1,
            more => more - 1,
        }
    }
}
