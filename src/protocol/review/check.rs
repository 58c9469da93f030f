//! Checks of an input, made before any agent is asked.

use std::collections::BTreeSet;

use super::Input;

/// Maximum number of cross-examinations that can be requested.
pub(super) const MAX_ROUNDS: u32 = 5;

/// The reason why an input cannot be reviewed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// Fewer than two seats: no other seat could judge a finding.
    #[error("a review needs two agents or more, not {0}: name them with --agents")]
    Seats(usize),
    /// The same agent twice: its agreement with itself would count.
    #[error("the agent `{0}` has two seats: name each agent once")]
    SameAgent(String),
    /// The number of rounds is out of range.
    #[error("{0} rounds are not possible: choose 1 to {MAX_ROUNDS}")]
    Rounds(u32),
    /// The confidence is out of range.
    #[error("a confidence of {0} is not possible: choose 0 to 100")]
    Confidence(u32),
    /// No part of the change can be shown.
    #[error(
        "nothing in this change can be shown to reviewers: nothing differs, or everything that does is left out"
    )]
    NothingToReview,
}

/// Checks an input before any agent is asked.
pub(super) fn check(input: &Input) -> Result<(), InputError> {
    if input.seats.len() < 2 {
        return Err(InputError::Seats(input.seats.len()));
    }
    let mut seen = BTreeSet::new();
    let twice = input.seats.iter().find(|seat| !seen.insert(&seat.agent));
    if let Some(twice) = twice {
        return Err(InputError::SameAgent(twice.agent.clone()));
    }
    let settings = &input.settings;
    if !(1..=MAX_ROUNDS).contains(&settings.max_rounds) {
        return Err(InputError::Rounds(settings.max_rounds));
    }
    if settings.confidence > 100 {
        return Err(InputError::Confidence(settings.confidence));
    }
    if input.change.batches.is_empty() {
        return Err(InputError::NothingToReview);
    }
    Ok(())
}
