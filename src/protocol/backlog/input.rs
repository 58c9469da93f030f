//! Everything a debate depends on, and what makes an input impossible.

use std::collections::BTreeSet;

use super::model::Opportunity;
use super::{Role, prompt};
use crate::kernel::Respondent;
use crate::text::block::BlockLimits;

/// Opportunities of one debate at most: a ranking has to fit into one reply.
pub const MAX_OPPORTUNITIES: usize = 1_000;

/// Rounds of one debate at most.
pub const MAX_ROUNDS: u32 = 20;

/// The rules' numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Tau-b of two successive final rankings from which they count as stable.
    pub rank_stability: f64,
    /// Tau-b of champion and critic from which they agree, in round 1.
    pub partner_agreement: f64,
    /// Share of ids that may be missing or unknown in a ranking.
    pub max_missing_share: f64,
    /// Whether anything that would be normalised is a defect instead.
    pub strict: bool,
    /// Characters of the prompt's stable part at most.
    pub prompt_chars: usize,
    /// Bytes of one block of a reply at most.
    pub block_bytes: usize,
}

impl Default for Settings {
    /// The figures of `docs/prioritize.md`.
    fn default() -> Self {
        Self {
            rank_stability: 0.8,
            partner_agreement: 0.6,
            max_missing_share: 0.34,
            strict: false,
            prompt_chars: prompt::STABLE_CHARS,
            block_bytes: BlockLimits::default().block_bytes,
        }
    }
}

/// Which agent has which role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seats {
    /// Who champions.
    pub champion: Respondent,
    /// Who criticises.
    pub critic: Respondent,
    /// Who moderates.
    pub moderator: Respondent,
}

impl Seats {
    /// Returns who has a role.
    pub const fn of(&self, role: Role) -> &Respondent {
        match role {
            Role::Champion => &self.champion,
            Role::Critic => &self.critic,
            Role::Moderator => &self.moderator,
        }
    }
}

/// Everything that the debate depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// What is ranked, in input order.
    pub opportunities: Vec<Opportunity>,
    /// 1 to [`MAX_ROUNDS`].
    pub max_rounds: u32,
    /// The rules' numbers.
    pub settings: Settings,
    /// The session's boundary for untrusted text.
    pub boundary: String,
    /// Who sits where.
    pub seats: Seats,
    /// Whether champion and critic may be of one vendor.
    pub same_vendor_allowed: bool,
}

/// Why there can be no debate on an input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// Rounds out of range.
    #[error("{0} rounds are not possible: choose 1 to {MAX_ROUNDS}")]
    Rounds(u32),
    /// More opportunities than a debate can rank.
    #[error("{0} opportunities are too many for one debate: at most {MAX_OPPORTUNITIES}")]
    TooMany(usize),
    /// The same id twice.
    #[error("two opportunities have the id `{0}`")]
    DuplicateId(String),
    /// Champion and critic of one vendor.
    #[error(
        "the critic (agent `{critic}`) must not be of the champion's vendor, and both are of `{vendor}`: choose another agent for one of \
         them, or allow it with --allow-same-vendor"
    )]
    SameVendor {
        /// The critic's agent.
        critic: String,
        /// The vendor of both.
        vendor: String,
    },
    /// A share or correlation out of range.
    #[error("the setting `{name}` must be between {low} and 1, not {value}")]
    Setting {
        /// Its name.
        name: &'static str,
        /// The lower bound.
        low: &'static str,
        /// What was given.
        value: String,
    },
}

/// Checks an input before anything is asked.
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
