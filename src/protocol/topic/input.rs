//! The input of a dialogue: brief, respondents and settings.

use serde::{Deserialize, Serialize};

use crate::kernel::Respondent;
use crate::kernel::share::Share;
use crate::protocol::debate::consensus::Basis;
use crate::protocol::debate::{Brief, BriefError};
use crate::protocol::opening::Opening;
use crate::protocol::prompt::Prompts;

/// A dialogue's input: the same input and the same replies give the same outcome.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Input {
    /// The question under debate and its context.
    pub brief: Brief,
    /// The respondent on the proposer's seat.
    pub proposer: Respondent,
    /// The respondent on the reviewer's seat.
    pub reviewer: Respondent,
    /// The respondent that rules when the two cannot agree; `None` if there is no expert.
    pub expert: Option<Respondent>,
    /// Limits, thresholds and switches.
    pub settings: Settings,
    /// The words of its prompts.
    pub prompts: Prompts,
    /// The session's seed.
    pub seed: u64,
}

/// The settings of a dialogue (`docs/debate.md`, section `topic`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Settings {
    /// Maximum number of rounds, the expert's included; 1 to 10.
    pub max_rounds: u32,
    /// Consensus at or above which a position is adopted.
    pub consensus_threshold: Share,
    /// Consensus below which the expert is asked; between the two thresholds the outcome is `partial`.
    pub expert_threshold: Share,
    /// Minimum rise in consensus since the last check; a smaller one, from round 2 on and below the expert's
    /// threshold, is a deadlock.
    pub deadlock_rise: Share,
    /// The score that decides: stances, or the likeness of texts.
    pub consensus: Basis,
    /// Whether both sides state their first positions without having seen the other's.
    pub opening: Opening,
}

/// The upper bound of [`Settings::max_rounds`], the expert's round included.
pub(crate) const MAX_ROUNDS: u32 = 10;

/// Reasons for which an input is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InputError {
    #[error(transparent)]
    Brief(#[from] BriefError),
    #[error("the agent `{0}` is on both sides: name two participants")]
    Twice(String),
    /// `max_rounds` is out of range.
    #[error("`max_rounds` must be 1 to {MAX_ROUNDS}, not {0}")]
    Rounds(u32),
    #[error("a blind opening takes two rounds: `max_rounds` must be 2 to {MAX_ROUNDS}, not {0}")]
    BlindRounds(u32),
    #[error("the expert's threshold, {expert}, is above that of consensus, {consensus}")]
    Thresholds { expert: Share, consensus: Share },
}

/// Validates an input before the first turn.
pub(super) fn check(input: &Input) -> Result<(), InputError> {
    input.brief.check()?;
    if input.proposer.agent == input.reviewer.agent {
        return Err(InputError::Twice(input.proposer.agent.clone()));
    }
    let settings = &input.settings;
    if !(1..=MAX_ROUNDS).contains(&settings.max_rounds) {
        return Err(InputError::Rounds(settings.max_rounds));
    }
    if settings.max_rounds < settings.debating_rounds() {
        return Err(InputError::BlindRounds(settings.max_rounds));
    }
    let (expert, consensus) = (settings.expert_threshold, settings.consensus_threshold);
    if expert > consensus {
        return Err(InputError::Thresholds { expert, consensus });
    }
    Ok(())
}

impl Settings {
    /// Returns the number of debating rounds: all but the last, which is the expert's, and as many as the opening takes.
    pub(crate) const fn debating_rounds(&self) -> u32 {
        let opening = match self.opening {
            Opening::Sequential => 1,
            Opening::Blind => 2,
        };
        match self.max_rounds.saturating_sub(1) {
            fewer if fewer < opening => opening,
            rounds => rounds,
        }
    }

    pub(crate) const fn leaves_the_expert_a_round(&self) -> bool {
        self.max_rounds > self.debating_rounds()
    }
}
