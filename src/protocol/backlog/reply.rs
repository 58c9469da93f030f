//! Judges one reply: blocks, types, ids, rules (`robustness.md` section 4, rows 16 to 36).
//!
//! Every ranking that leaves this module is a permutation of the input ids,
//! and every disposition map has each id once, whatever the bytes were. What
//! no agent said is completed only on the last chance, or within the share of
//! missing ids that the settings allow, and is noted as `completed_by_rule`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Role;
use super::contract::{
    self, CHAMPION_ARGUMENT, CHAMPION_RANKINGS, CRITIC_CONCERNS, CRITIC_RANKINGS, DEBATE_STATUS,
    DISPOSITIONS, FINAL_RANKINGS,
};
use super::model::Disposition;
use crate::kernel::{Chance, Defect, RawReply, Reply};
use crate::text::Problem;
use crate::text::block::{self, BlockLimits};
use crate::text::ids::IdIndex;

mod judge;

use judge::Judge;

/// The champion's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ChampionReply {
    /// Its case.
    pub argument: String,
    /// Its order of all ids.
    pub rankings: Vec<String>,
}

/// The critic's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct CriticReply {
    /// Concerns by id; ids without a concern may be absent.
    pub concerns: BTreeMap<String, Vec<String>>,
    /// Its order of all ids, by feasibility.
    pub rankings: Vec<String>,
}

/// The moderator's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ModeratorReply {
    /// One disposition for every id.
    pub dispositions: BTreeMap<String, Disposition>,
    /// Its order of all ids.
    pub rankings: Vec<String>,
    /// Whether it wants to go on.
    pub continue_debate: bool,
    /// Whether it claims consensus.
    pub consensus_claimed: bool,
}

/// What a role said.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// The champion's answer.
    Champion(ChampionReply),
    /// The critic's answer.
    Critic(CriticReply),
    /// The moderator's answer.
    Moderator(ModeratorReply),
}

impl Said {
    /// Returns the role that says such a thing.
    pub const fn role(&self) -> Role {
        match self {
            Self::Champion(_) => Role::Champion,
            Self::Critic(_) => Role::Critic,
            Self::Moderator(_) => Role::Moderator,
        }
    }

    /// Writes the answer as its blocks; [`parse`] reads the same answer back.
    pub fn render(&self) -> String {
        let list = |ids: &[String]| Value::from(ids).to_string();
        match self {
            Self::Champion(said) => {
                contract::block(CHAMPION_ARGUMENT, &said.argument)
                    + &contract::block(CHAMPION_RANKINGS, &list(&said.rankings))
            }
            Self::Critic(said) => {
                let concerns =
                    said.concerns.iter().map(|(id, texts)| (id.clone(), Value::from(&texts[..])));
                contract::block(CRITIC_CONCERNS, &Value::Object(concerns.collect()).to_string())
                    + &contract::block(CRITIC_RANKINGS, &list(&said.rankings))
            }
            Self::Moderator(said) => {
                let dispositions = said
                    .dispositions
                    .iter()
                    .map(|(id, word)| (id.clone(), Value::from(word.name())));
                let status = serde_json::json!({
                    "continue_debate": said.continue_debate, "consensus_reached": said.consensus_claimed,
                });
                contract::block(DISPOSITIONS, &Value::Object(dispositions.collect()).to_string())
                    + &contract::block(FINAL_RANKINGS, &list(&said.rankings))
                    + &contract::block(DEBATE_STATUS, &status.to_string())
            }
        }
    }
}

/// What a reply is judged against.
#[derive(Debug, Clone, Copy)]
pub struct Terms<'a> {
    /// The input ids, in input order.
    pub ids: &'a [String],
    /// The same ids, indexed.
    pub index: &'a IdIndex,
    /// The order in which missing ids are appended: the last final ranking, at first the input.
    pub order: &'a [String],
    /// The largest share of ids that may be missing or unknown in a ranking.
    pub max_missing_share: f64,
    /// Whether anything that would be normalised is a defect instead.
    pub strict: bool,
    /// What a block may be at most.
    pub limits: BlockLimits,
}

/// Judges a role's reply.
pub fn parse(
    role: Role,
    reply: &RawReply,
    chance: Chance,
    terms: Terms<'_>,
) -> Result<Reply<Said>, Defect> {
    let defect = |problems| Defect { problems, expected_ids: terms.ids.to_vec() };
    let found = block::extract(
        &reply.bytes,
        reply.cut,
        &contract::wants(role),
        &contract::templates(role),
        terms.limits,
    )
    .map_err(defect)?;
    let mut judge = Judge { terms, chance, notes: found.notes, problems: Vec::new() };
    let mut contents = found.contents.into_iter();
    let mut content = || contents.next().flatten();
    let said = match role {
        Role::Champion => {
            let argument = judge.text(CHAMPION_ARGUMENT, content());
            let rankings = judge.ranking(CHAMPION_RANKINGS, content());
            Said::Champion(ChampionReply { argument, rankings })
        }
        Role::Critic => {
            let concerns = judge.concerns(content());
            let rankings = judge.ranking(CRITIC_RANKINGS, content());
            Said::Critic(CriticReply { concerns, rankings })
        }
        Role::Moderator => {
            let dispositions = judge.dispositions(content());
            let rankings = judge.ranking(FINAL_RANKINGS, content());
            let (continue_debate, consensus_claimed) = judge.status(content());
            Said::Moderator(ModeratorReply {
                dispositions,
                rankings,
                continue_debate,
                consensus_claimed,
            })
        }
    };
    let Judge { notes, mut problems, .. } = judge;
    if terms.strict {
        problems.extend(notes.iter().map(|note| Problem::new(&note.code, None, &note.message)));
    }
    if problems.is_empty() { Ok(Reply { said, notes }) } else { Err(defect(problems)) }
}

#[cfg(test)]
mod by_rule;
#[cfg(test)]
mod tests;
