//! The input of a panel, and its validation.

use serde::{Deserialize, Serialize};

use crate::kernel::Respondent;
use crate::protocol::debate::{Brief, BriefError};
use crate::protocol::prompt::Prompts;

/// Minimum number of seats in a panel (`docs/debate.md`, style `panel`).
pub(crate) const MIN_SEATS: usize = 3;

/// Maximum number of seats in a panel: their answers must fit into one prompt, and single letters name them.
pub(crate) const MAX_SEATS: usize = 12;

/// Maximum number of cross rounds.
pub(crate) const MAX_ROUNDS: u32 = 5;

/// A panel's input: the same input and the same replies give the same outcome.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Input {
    /// The question under debate and its context.
    pub brief: Brief,
    /// The respondents of the seats `s1`, `s2`, ...; [`MIN_SEATS`] to [`MAX_SEATS`]. An agent may hold several seats.
    pub seats: Vec<Respondent>,
    /// The judge of what the seats cannot settle.
    pub judge: Judge,
    /// Limits and switches.
    pub settings: Settings,
    /// The words of its prompts.
    pub prompts: Prompts,
    /// The session's seed, which determines the order in which answers are shown.
    pub seed: u64,
}

/// The judge of what the panel cannot settle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Judge {
    /// No judge: the question stays split.
    Nobody,
    /// An agent in the seat `judge`.
    Named(Respondent),
    /// The seat whose vendor has the fewest votes in play, if no other judge is available; the result says so.
    Seat,
}

/// The settings of a panel (`docs/debate.md`, section `panel`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Settings {
    /// Maximum number of cross rounds, 0 to [`MAX_ROUNDS`].
    pub max_rounds: u32,
}

#[cfg(test)]
impl Default for Settings {
    fn default() -> Self {
        Self { max_rounds: 1 }
    }
}

/// Reasons for which an input is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InputError {
    #[error(transparent)]
    Brief(#[from] BriefError),
    #[error(
        "a panel has {MIN_SEATS} to {MAX_SEATS} seats, not {0}: with two agents, give one of them a second seat or use the style `dialogue`"
    )]
    Seats(usize),
    /// `max_rounds` is out of range.
    #[error("`max_rounds` must be 0 to {MAX_ROUNDS}, not {0}")]
    Rounds(u32),
}

/// Validates an input before the first turn.
pub(super) fn check(input: &Input) -> Result<(), InputError> {
    input.brief.check()?;
    if !(MIN_SEATS..=MAX_SEATS).contains(&input.seats.len()) {
        return Err(InputError::Seats(input.seats.len()));
    }
    if input.settings.max_rounds > MAX_ROUNDS {
        return Err(InputError::Rounds(input.settings.max_rounds));
    }
    Ok(())
}
