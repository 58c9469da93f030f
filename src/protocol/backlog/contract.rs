//! The contract for each role's reply: its blocks, declared.
//!
//! The bodies shown in the prompt never parse as replies (`["<id>", ...]` is not JSON), so a model that repeats its
//! instructions has not answered.

use super::Role;
use super::model::Disposition;
use crate::contract::block::{ById, by_id, ids, object, plain};
use crate::contract::field::{self, Field, flag, texts, word};
use crate::contract::outline::Outline;
use crate::contract::{Block, Entry};
use crate::declare;
use crate::kernel::Chance;

/// Maximum characters of a reason, a condition or a first step.
const REASON_CHARS: usize = 1_000;

/// A text that says more than the word of a disposition, and that no answer owes.
const fn beside(shown: &'static str) -> Field<Option<String>> {
    field::text(REASON_CHARS).shown(shown).optional().extra()
}

declare! {
    /// What speaks against an opportunity: a list of texts alone.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Concerns as "concern" {
        /// Each concern.
        pub concerns: Vec<String> =
            texts(usize::MAX, usize::MAX).owed().whole().shown("<concern>").alone(),
    }
}

declare! {
    /// What becomes of an opportunity, and why. The word alone is enough.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Ruling as "disposition" {
        /// What decided.
        pub reason: Option<String> = beside("<what decided, one sentence>"),
        /// What should be done.
        pub disposition: Disposition = word().alone(),
        /// What must hold for it.
        pub condition: Option<String> = beside("<what must hold>"),
        /// The small first step that can be started now.
        pub start_with: Option<String> = beside("<the first step>"),
    }
}

impl Ruling {
    /// Returns a disposition of which nothing more is said.
    pub(crate) const fn bare(disposition: Disposition) -> Self {
        Self { reason: None, disposition, condition: None, start_with: None }
    }
}

declare! {
    /// Whether the moderator wants to go on.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Status, then completed {
        /// Whether another round is worth it.
        pub continue_debate: bool = flag().shown("<true|false>").may_miss(),
        /// Whether it claims consensus.
        pub consensus_reached: bool = flag().shown("<true|false>").may_miss(),
    }
}

/// Asks for the missing flags of a status, and sets them by rule on the last chance.
fn completed(status: &mut Status, entry: &mut Entry<'_>) {
    for (key, flag, by_rule) in [
        ("continue_debate", &mut status.continue_debate, true),
        ("consensus_reached", &mut status.consensus_reached, false),
    ] {
        if entry.take(key).is_some() {
            continue;
        }
        *flag = by_rule;
        match entry.chance() {
            Chance::First => {
                entry.fault("missing_field", &format!("`{key}` must be true or false"));
            }
            Chance::Last => {
                let message =
                    format!("DEBATE_STATUS: `{key}` is missing; set to {by_rule} by rule");
                entry.note("completed_by_rule", &message);
            }
        }
    }
}

pub(crate) const CHAMPION_ARGUMENT: Block<String> =
    plain("CHAMPION_ARGUMENT", "text", "<your case, in plain text>", usize::MAX);
/// The champion's ranking, by value.
pub(crate) const CHAMPION_RANKINGS: Block<Vec<String>> = ids("CHAMPION_RANKINGS");
pub(crate) const CRITIC_CONCERNS: Block<ById<Concerns>> = by_id("CRITIC_CONCERNS");
/// The critic's ranking, by feasibility.
pub(crate) const CRITIC_RANKINGS: Block<Vec<String>> = ids("CRITIC_RANKINGS");
/// The moderator's disposition of each opportunity, with its reason.
pub(crate) const DISPOSITIONS: Block<ById<Ruling>> = by_id("DISPOSITIONS");
/// The moderator's ranking.
pub(crate) const FINAL_RANKINGS: Block<Vec<String>> = ids("FINAL_RANKINGS");
/// The moderator's wish to go on; without the block the debate goes on by rule (decision table, row 28).
pub(crate) const DEBATE_STATUS: Block<Status> = object("DEBATE_STATUS").optional();

/// Returns the blocks that a role's reply contains.
pub(crate) const fn outlines(role: Role) -> &'static [&'static Outline] {
    match role {
        Role::Champion => &[&CHAMPION_ARGUMENT.outline, &CHAMPION_RANKINGS.outline],
        Role::Critic => &[&CRITIC_CONCERNS.outline, &CRITIC_RANKINGS.outline],
        Role::Moderator => {
            &[&DISPOSITIONS.outline, &FINAL_RANKINGS.outline, &DEBATE_STATUS.outline]
        }
    }
}
