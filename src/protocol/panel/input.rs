//! Everything a panel depends on, and what makes an input impossible.

use serde::{Deserialize, Serialize};

use crate::kernel::Respondent;
use crate::protocol::debate::{Brief, BriefError};
use crate::text::block::BlockLimits;

/// Seats of one panel at least (`docs/debate.md`, style `panel`).
pub const MIN_SEATS: usize = 3;

/// Seats of one panel at most: what they answered must fit into one prompt, and letters name it.
pub const MAX_SEATS: usize = 12;

/// Cross rounds at most.
pub const MAX_ROUNDS: u32 = 5;

/// A panel's input: the same input and the same replies give the same outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// What is debated.
    pub brief: Brief,
    /// Who sits in seats `s1`, `s2`, ...; [`MIN_SEATS`] to [`MAX_SEATS`]. An agent may hold several.
    pub seats: Vec<Respondent>,
    /// Who judges when they cannot settle it.
    pub judge: Judge,
    /// How it is run.
    pub settings: Settings,
    /// The session's boundary around untrusted text.
    pub boundary: String,
    /// The session's seed: the order in which answers are shown comes from it.
    pub seed: u64,
}

/// Who judges what the panel cannot settle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judge {
    /// Nobody: it stays split.
    Nobody,
    /// An agent in the seat `judge`.
    Named(Respondent),
    /// The seat whose vendor has the fewest votes in play: nobody else is there, and the result says so.
    Seat,
}

/// How a panel is run (`docs/debate.md`, section `panel`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Cross rounds at most, 0 to [`MAX_ROUNDS`].
    pub max_rounds: u32,
    /// Whether a person is asked for a remark between rounds.
    pub pause: bool,
    /// Whether anything that would be normalised is a defect instead.
    pub strict: bool,
    /// Bytes of one block.
    pub block_bytes: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_rounds: 1,
            pause: false,
            strict: false,
            block_bytes: BlockLimits::default().block_bytes,
        }
    }
}

/// Why there can be no panel on an input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// The brief cannot be debated.
    #[error(transparent)]
    Brief(#[from] BriefError),
    /// Two are a dialogue.
    #[error(
        "a panel has {MIN_SEATS} to {MAX_SEATS} seats, not {0}: with two agents, give one of them a second seat or debate in the style `dialogue`"
    )]
    Seats(usize),
    /// A number out of range.
    #[error("`max_rounds` must be 0 to {MAX_ROUNDS}, not {0}")]
    Rounds(u32),
}

/// Checks an input before anything is asked.
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
