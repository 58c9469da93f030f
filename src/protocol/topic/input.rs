//! The settings of a dialogue, and the inputs that it refuses.

use serde::{Deserialize, Serialize};

use crate::kernel::Respondent;
use crate::kernel::share::Share;
use crate::protocol::debate::consensus::Basis;
use crate::protocol::debate::{self, BriefError};
use crate::protocol::opening::Opening;
use crate::protocol::seats::{EmptySeat, respondent};

/// A dialogue's input; without an `expert` among the seats, nobody rules when the two cannot agree.
pub(crate) type Input = debate::Input<Settings>;

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
    #[error(transparent)]
    Seat(#[from] EmptySeat),
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

/// Validates an input before the first turn. Returns the two sides.
pub(super) fn check(input: &Input) -> Result<[Respondent; 2], InputError> {
    input.brief.check()?;
    let sides = [respondent(&input.seats, "proposer")?, respondent(&input.seats, "reviewer")?];
    if sides[0].agent == sides[1].agent {
        return Err(InputError::Twice(sides[0].agent.clone()));
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
    Ok(sides)
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

    /// Returns the maximum number of turns: two in a round, but one in the second of a sequential opening; the expert's.
    pub(crate) fn most_turns(&self) -> u32 {
        let rounds = self.debating_rounds();
        let single = self.opening == Opening::Sequential && rounds > 1;
        2 * rounds + 1 - u32::from(single)
    }
}
