//! The contract for each role's reply: its blocks, declared, and the text that asks for them.
//!
//! The bodies shown in the prompt never parse as replies (`["<id>", ...]` is not JSON), so a model that repeats its
//! instructions has not answered.

use serde_json::Value;

use super::Role;
use super::model::Disposition;
use crate::contract::block::{ById, by_id, ids, object, objects_by_id, plain};
use crate::contract::field::{self, Field, Spec, flag, raw_texts, word};
use crate::contract::outline::Outline;
use crate::contract::read::{FieldType, Rejection};
use crate::contract::template::ask;
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
        pub continue_debate: bool = flag().shown("<true|false>").may_miss().read_by(flag_or_text),
        /// Whether it claims consensus.
        pub consensus_reached: bool = flag().shown("<true|false>").may_miss().read_by(flag_or_text),
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

/// Reads a boolean, which may also be written as text.
fn flag_or_text(
    value: Value,
    spec: &Spec,
    entry: &mut Entry<'_>,
) -> Result<Option<bool>, Rejection> {
    let text = value.as_str().map(|text| text.trim().to_ascii_lowercase());
    let Some(flag) = text.and_then(|text| text.parse().ok()) else {
        return FieldType::read(value, spec, entry);
    };
    let message = format!("DEBATE_STATUS: `{}` was text, not a boolean", spec.key);
    entry.note("boolean_normalised", &message);
    Ok(Some(flag))
}

pub(crate) const CHAMPION_ARGUMENT: Block<String> =
    plain("CHAMPION_ARGUMENT", "text", "<your case, in plain text>", usize::MAX);
/// The champion's ranking, by value.
pub(crate) const CHAMPION_RANKINGS: Block<Vec<String>> = ids("CHAMPION_RANKINGS");
pub(crate) const CRITIC_CONCERNS: Block<ById<Vec<String>>> =
    by_id("CRITIC_CONCERNS", raw_texts().key("concerns").shown("<concern>"));
/// The critic's ranking, by feasibility.
pub(crate) const CRITIC_RANKINGS: Block<Vec<String>> = ids("CRITIC_RANKINGS");
/// The moderator's disposition of each opportunity, with its reason.
pub(crate) const DISPOSITIONS: Block<ById<Ruling>> = objects_by_id("DISPOSITIONS");
/// The moderator's ranking.
pub(crate) const FINAL_RANKINGS: Block<Vec<String>> = ids("FINAL_RANKINGS");
/// The moderator's wish to go on; without the block the debate goes on by rule (decision table, row 28).
pub(crate) const DEBATE_STATUS: Block<Status> = object("DEBATE_STATUS").optional();

/// What a contract depends on besides the role.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms {
    pub opportunities: usize,
    /// Whether the role has answered in a round before.
    pub again: bool,
}

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

/// Returns the last part of a role's prompt: the exact reply that is expected.
pub(crate) fn text(role: Role, terms: Terms) -> String {
    let Terms { opportunities, again } = terms;
    let first = match role {
        Role::Champion => "the most valuable first",
        Role::Critic => "the most feasible first",
        Role::Moderator => "in the order in which they should be started",
    };
    let rankings = format!(
        "There are {opportunities} opportunities. The ranking lists each `opportunity_id` exactly once, copied letter by letter, {first}; an \
         id that is not in the input is dropped."
    );
    let rules = match role {
        Role::Champion => {
            "The argument is plain text: at most 500 words, leading with what decides the order. Cite ids, and give the RICE numbers of the \
             top five and of each opportunity that you moved."
        }
        Role::Critic if again => {
            "Name every opportunity as a key, with at most three concerns of one or two sentences each, the weightiest first. `[]` says that \
             you looked and have none; `[\"met\"]` says that all your concerns of the last round are met."
        }
        Role::Critic => {
            "Name every opportunity as a key, with at most three concerns of one or two sentences each, the weightiest first. `[]` says that \
             you looked and have none."
        }
        Role::Moderator => {
            "Give every opportunity one disposition, in these exact words, and the reason before it. Leave `condition` and `start_with` out \
             where there is none. `start_with` is work that can be started now and has an end; with it, an `investigate` leaves nothing for the \
             debate to decide. `continue_debate` and `consensus_reached` are the JSON values true or false; the claim of consensus is checked \
             by rule, so make it only if it holds."
        }
    };
    ask(outlines(role), &[&rankings, rules])
}
