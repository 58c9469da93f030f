//! A debate's complete input, and the checks that reject an impossible one.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::model::Opportunity;
use crate::protocol::opening::Opening;
use crate::protocol::prompt::Prompts;
use crate::protocol::seats::{EmptySeat, Seats};

/// Maximum opportunities of one debate: a ranking has to fit into one reply.
pub(crate) const MAX_OPPORTUNITIES: usize = 1_000;

/// Maximum rounds of one debate.
pub(crate) const MAX_ROUNDS: u32 = 20;

/// The thresholds and limits of a debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Settings {
    /// Maximum rounds, 1 to [`MAX_ROUNDS`].
    pub max_rounds: u32,
    /// Minimum tau-b of two successive final rankings that count as stable.
    pub rank_stability: f64,
    /// In round 1: minimum share of the items that champion and critic both put into the upper half, or both not.
    pub partner_agreement: f64,
    /// Whether the champion sees the critic's ranking, or the critic the champion's, in round 1.
    pub opening: Opening,
    /// The date that the prompts tell; `None` for a session that tells none.
    pub today: Option<NaiveDate>,
}

#[cfg(test)]
impl Default for Settings {
    /// Returns the figures of `docs/prioritize.md`.
    fn default() -> Self {
        Self {
            max_rounds: 3,
            rank_stability: 0.8,
            partner_agreement: 0.6,
            opening: Opening::Sequential,
            today: None,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Input {
    /// The opportunities to rank, in input order.
    pub opportunities: Vec<Opportunity>,
    /// The thresholds and limits.
    pub settings: Settings,
    pub prompts: Prompts,
    /// The respondent of each role.
    pub seats: Seats,
}

/// Reasons why an input allows no debate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InputError {
    #[error(transparent)]
    Seat(#[from] EmptySeat),
    #[error("{0} rounds are not possible: choose 1 to {MAX_ROUNDS}")]
    Rounds(u32),
    #[error("{0} opportunities are too many for one debate: at most {MAX_OPPORTUNITIES}")]
    TooMany(usize),
    #[error("two opportunities have the id `{0}`")]
    DuplicateId(String),
    #[error("the setting `{name}` must be between -1 and 1, not {value}")]
    Setting { name: &'static str, value: String },
}

pub(super) fn check(input: &Input) -> Result<(), InputError> {
    if !(1..=MAX_ROUNDS).contains(&input.settings.max_rounds) {
        return Err(InputError::Rounds(input.settings.max_rounds));
    }
    if input.opportunities.len() > MAX_OPPORTUNITIES {
        return Err(InputError::TooMany(input.opportunities.len()));
    }
    let mut seen = BTreeSet::new();
    if let Some(twice) = input.opportunities.iter().find(|each| !seen.insert(&each.opportunity_id))
    {
        return Err(InputError::DuplicateId(twice.opportunity_id.clone()));
    }
    let settings = &input.settings;
    for (name, value) in [
        ("rank_stability", settings.rank_stability),
        ("partner_agreement", settings.partner_agreement),
    ] {
        if !(-1.0..=1.0).contains(&value) {
            return Err(InputError::Setting { name, value: value.to_string() });
        }
    }
    Ok(())
}
