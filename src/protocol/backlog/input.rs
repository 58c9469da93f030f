//! A debate's complete input, and the checks that reject an impossible one.

use std::collections::BTreeSet;

use chrono::NaiveDate;

use super::model::Opportunity;
use super::{Role, prompt};
use crate::kernel::Respondent;
use crate::protocol::opening::Opening;
use crate::text::block::BlockLimits;

/// Maximum opportunities of one debate: a ranking has to fit into one reply.
pub(crate) const MAX_OPPORTUNITIES: usize = 1_000;

/// Maximum rounds of one debate.
pub(crate) const MAX_ROUNDS: u32 = 20;

/// Largest share of missing or unknown ids that is filled in without asking again: a third, rounded up.
const MAX_MISSING_SHARE: f64 = 0.34;

/// The thresholds and limits of a debate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Settings {
    /// Minimum tau-b of two successive final rankings that count as stable.
    pub rank_stability: f64,
    /// Minimum tau-b of champion and critic that counts as agreement in round 1.
    pub partner_agreement: f64,
    /// Maximum share of ids that may be missing or unknown in a ranking.
    pub max_missing_share: f64,
    /// Maximum characters of the prompt's stable part.
    pub prompt_chars: usize,
    /// Maximum bytes of one block of a reply.
    pub block_bytes: usize,
    /// Whether the champion sees the critic's ranking, or the critic the champion's, in round 1.
    pub opening: Opening,
    /// The date that the prompts tell; `None` for a session that tells none.
    pub today: Option<NaiveDate>,
}

impl Default for Settings {
    /// Returns the figures of `docs/prioritize.md`.
    fn default() -> Self {
        Self {
            rank_stability: 0.8,
            partner_agreement: 0.6,
            max_missing_share: MAX_MISSING_SHARE,
            prompt_chars: prompt::STABLE_CHARS,
            block_bytes: BlockLimits::default().block_bytes,
            opening: Opening::Sequential,
            today: None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seats {
    pub champion: Respondent,
    pub critic: Respondent,
    pub moderator: Respondent,
}

impl Seats {
    /// Whether champion and critic are of one vendor from the start.
    pub(crate) fn one_vendor(&self) -> bool {
        self.champion.vendor == self.critic.vendor
    }

    pub(crate) const fn of(&self, role: Role) -> &Respondent {
        match role {
            Role::Champion => &self.champion,
            Role::Critic => &self.critic,
            Role::Moderator => &self.moderator,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Input {
    /// The opportunities to rank, in input order.
    pub opportunities: Vec<Opportunity>,
    /// Maximum rounds, 1 to [`MAX_ROUNDS`].
    pub max_rounds: u32,
    /// The thresholds and limits.
    pub settings: Settings,
    /// The session's boundary for untrusted text.
    pub boundary: String,
    /// The respondent of each role.
    pub seats: Seats,
}

/// Reasons why an input allows no debate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InputError {
    #[error("{0} rounds are not possible: choose 1 to {MAX_ROUNDS}")]
    Rounds(u32),
    #[error("{0} opportunities are too many for one debate: at most {MAX_OPPORTUNITIES}")]
    TooMany(usize),
    #[error("two opportunities have the id `{0}`")]
    DuplicateId(String),
    #[error("the setting `{name}` must be between {low} and 1, not {value}")]
    Setting { name: &'static str, low: &'static str, value: String },
}

pub(super) fn check(input: &Input) -> Result<(), InputError> {
    if !(1..=MAX_ROUNDS).contains(&input.max_rounds) {
        return Err(InputError::Rounds(input.max_rounds));
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
    for (name, low, bound, value) in [
        ("rank_stability", "-1", -1.0, settings.rank_stability),
        ("partner_agreement", "-1", -1.0, settings.partner_agreement),
        ("max_missing_share", "0", 0.0, settings.max_missing_share),
    ] {
        if !(bound..=1.0).contains(&value) {
            let value = value.to_string();
            return Err(InputError::Setting { name, low, value });
        }
    }
    Ok(())
}
