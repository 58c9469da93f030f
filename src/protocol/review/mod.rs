//! Code review: independent, blind, cross-examined, scored by rules.

pub mod agreement;
pub mod compose;
pub mod confidence;
pub mod contract;
pub mod fingerprint;
pub mod group;
pub mod input;
pub mod locate;
pub mod model;
pub mod platform;
pub mod reply;
pub mod score;
pub mod status;
pub mod validate;
pub mod verdict;

pub use input::{Input, Settings};
pub use model::*;
pub use reply::Reply;

/// What a seat does in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Reviews the change, without knowledge of the others.
    Reviewer,
    /// Judges what others found.
    CrossReviewer,
    /// Selects and words what the result shows.
    Composer,
    /// Votes on that selection.
    Validator,
}

impl Role {
    /// All roles, in the order of the pipeline.
    pub const ALL: [Self; 4] = [
        Self::Reviewer,
        Self::CrossReviewer,
        Self::Composer,
        Self::Validator,
    ];

    /// Returns the role's name in the configuration, which is also its skill's.
    pub const fn config_name(self) -> &'static str {
        match self {
            Self::Reviewer => "reviewer",
            Self::CrossReviewer => "cross-reviewer",
            Self::Composer => "composer",
            Self::Validator => "validator",
        }
    }

    /// Returns the word that stands for it in turn ids: `r2/cross/s1`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Reviewer => "review",
            Self::CrossReviewer => "cross",
            Self::Composer => "compose",
            Self::Validator => "validate",
        }
    }
}

/// Returns a seat's name: `s1` for seat 0.
pub fn seat_name(seat: usize) -> String {
    format!("s{}", seat + 1)
}
