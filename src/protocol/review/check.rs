//! Checks of an input, made before any agent is asked.

use std::collections::BTreeSet;

use super::Input;

/// Maximum number of cross-examinations that can be requested.
pub(super) const MAX_ROUNDS: u32 = 5;

/// The reason why an input cannot be reviewed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    #[error("a review needs two agents or more, not {0}: name them with --agents")]
    Seats(usize),
    #[error("the agent `{0}` has two seats: name each agent once")]
    SameAgent(String),
    #[error("{0} rounds are not possible: choose 0 to {MAX_ROUNDS}")]
    Rounds(u32),
    #[error("a confidence of {0} is not possible: choose 0 to 100")]
    Confidence(u32),
    #[error(
        "nothing in this change can be shown to reviewers: nothing differs, or everything that does is left out"
    )]
    NothingToReview,
}

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
    if settings.max_rounds > MAX_ROUNDS {
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
