//! The settings of a panel, and the inputs that it refuses.

use serde::{Deserialize, Serialize};

use crate::kernel::{Respondent, seat_name};
use crate::protocol::debate::{self, BriefError};

/// Minimum number of seats in a panel (`docs/debate.md`, style `panel`).
pub(crate) const MIN_SEATS: usize = 3;

/// Maximum number of seats in a panel: their answers must fit into one prompt, and single letters name them.
pub(crate) const MAX_SEATS: usize = 12;

/// Maximum number of cross rounds.
pub(crate) const MAX_ROUNDS: u32 = 5;

/// A panel's input: the respondents of the seats `s1`, `s2`, ..., [`MIN_SEATS`] to [`MAX_SEATS`], and perhaps of a
/// [`JUDGE`]. An agent may hold several seats.
pub(crate) type Input = debate::Input<Settings>;

/// The seat of a judge that does not hold another seat.
pub(crate) const JUDGE: &str = "judge";

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
    /// Whether a seat judges if no other judge is available.
    pub judge_from_seats: bool,
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

/// Validates an input before the first turn. Returns the respondents in the order of their seats, and the judge.
pub(super) fn check(input: &Input) -> Result<(Vec<Respondent>, Judge), InputError> {
    input.brief.check()?;
    let seats = (0..).map_while(|at| input.seats.get(&seat_name(at)).cloned());
    let seats: Vec<Respondent> = seats.collect();
    if !(MIN_SEATS..=MAX_SEATS).contains(&seats.len()) {
        return Err(InputError::Seats(seats.len()));
    }
    if input.settings.max_rounds > MAX_ROUNDS {
        return Err(InputError::Rounds(input.settings.max_rounds));
    }
    let judge = match input.seats.get(JUDGE) {
        Some(judge) => Judge::Named(judge.clone()),
        None if input.settings.judge_from_seats => Judge::Seat,
        None => Judge::Nobody,
    };
    Ok((seats, judge))
}
