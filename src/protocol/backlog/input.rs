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

/// The thresholds and limits of a debate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Settings {
    /// Minimum tau-b of two successive final rankings that count as stable.
    pub rank_stability: f64,
    /// Minimum tau-b of champion and critic that counts as agreement in round 1.
    pub partner_agreement: f64,
    /// Maximum share of ids that may be missing or unknown in a ranking.
    pub max_missing_share: f64,
    /// Whether a deviation that would be normalised is a defect instead.
    pub strict: bool,
    /// Maximum characters of the prompt's stable part.
    pub prompt_chars: usize,
    /// Maximum bytes of one block of a reply.
    pub block_bytes: usize,
    /// Whether the champion sees the critic's ranking, or the critic the champion's, in round 1.
    pub opening: Opening,
    /// Whether answers say why: the moderator's reasons, conditions and first steps, of which the last settles an
    /// `investigate`, and the critic's word for concerns that are met.
    pub reasons: bool,
    /// Whether the moderator was to be of a third vendor, if there is a usable agent of one.
    pub third_vendor: bool,
    /// The date that the prompts tell; `None` for a session that tells none.
    pub today: Option<NaiveDate>,
}

impl Default for Settings {
    /// Returns the figures of `docs/prioritize.md`.
    fn default() -> Self {
        Self {
            rank_stability: 0.8,
            partner_agreement: 0.6,
            max_missing_share: 0.34,
            strict: false,
            prompt_chars: prompt::STABLE_CHARS,
            block_bytes: BlockLimits::default().block_bytes,
            opening: Opening::Sequential,
            reasons: true,
            third_vendor: false,
            today: None,
        }
    }
}

/// The respondent of each role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seats {
    /// The respondent that champions.
    pub champion: Respondent,
    /// The respondent that criticises.
    pub critic: Respondent,
    /// The respondent that moderates.
    pub moderator: Respondent,
}

impl Seats {
    /// Returns the respondent of a role.
    pub(crate) const fn of(&self, role: Role) -> &Respondent {
        match role {
            Role::Champion => &self.champion,
            Role::Critic => &self.critic,
            Role::Moderator => &self.moderator,
        }
    }
}

/// The complete input of a debate.
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
    /// Whether champion and critic may be of one vendor.
    pub same_vendor_allowed: bool,
}

/// Reasons why an input allows no debate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InputError {
    /// The number of rounds is out of range.
    #[error("{0} rounds are not possible: choose 1 to {MAX_ROUNDS}")]
    Rounds(u32),
    /// More opportunities than one debate can rank.
    #[error("{0} opportunities are too many for one debate: at most {MAX_OPPORTUNITIES}")]
    TooMany(usize),
    /// Two opportunities have the same id.
    #[error("two opportunities have the id `{0}`")]
    DuplicateId(String),
    /// Champion and critic are of one vendor.
    #[error(
        "the critic (agent `{critic}`) must not be from the champion's vendor, but both are from `{vendor}`: choose another agent for one of \
         them, or allow it with --allow-same-vendor"
    )]
    SameVendor {
        /// The critic's agent.
        critic: String,
        /// The vendor of both.
        vendor: String,
    },
    /// A share or correlation is out of range.
    #[error("the setting `{name}` must be between {low} and 1, not {value}")]
    Setting {
        /// The setting's name.
        name: &'static str,
        /// The lower bound.
        low: &'static str,
        /// The value given.
        value: String,
    },
}

/// Checks an input before any agent is asked.
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
    let Seats { champion, critic, .. } = &input.seats;
    if champion.vendor == critic.vendor && !input.same_vendor_allowed {
        return Err(InputError::SameVendor {
            critic: critic.agent.clone(),
            vendor: critic.vendor.clone(),
        });
    }
    Ok(())
}
