//! Judges one reply: blocks, types, ranges (`robustness.md` section 4).
//!
//! An answer that leaves this module holds at most as many features as were
//! asked for, each with a title of its own and four numbers from 1 to 10. What
//! is faulty is a problem at first; on the last chance the faulty features are
//! left out, one warning each, and never mended: a number that nobody gave
//! would be an invention. A list whose every feature was faulty is no answer,
//! so that it cannot be taken for one that has no ideas.

use serde_json::{Value, json};

use super::Role;
use super::contract::{self, FEATURE_OPPORTUNITIES, FIX_SUGGESTION};
use crate::kernel::{Chance, Defect, RawReply, Reply};
use crate::text::Problem;
use crate::text::block::{self, BlockLimits, Content};

mod judge;

use judge::Judge;

/// A proposed feature.
#[derive(Debug, Clone, PartialEq)]
pub struct Feature {
    /// Its name: one line, unlike every other title of the answer.
    pub title: String,
    /// What to build.
    pub description: String,
    /// What users gain.
    pub user_value: String,
    /// How much it changes for them, 1 to 10.
    pub impact: f64,
    /// How much work it is, 1 to 10.
    pub effort: f64,
    /// How much of it the code already has, 1 to 10.
    pub leverage: f64,
    /// How likely it is to fail or to do harm, 1 to 10.
    pub risk: f64,
    /// Files that it could build on, as the analyst wrote them; they may not exist.
    pub existing_code: Vec<String>,
}

/// The analyst's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Features {
    /// What the software is; empty if the analyst did not say.
    pub product_type: String,
    /// Whom it is for.
    pub target_users: Vec<String>,
    /// What it proposes, in its order; no feature at all is a legal answer.
    pub features: Vec<Feature>,
}

/// What a turn is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// The analyst's question.
    Features {
        /// Most features that are wanted.
        limit: u32,
    },
    /// The advisor's.
    Fix,
}

impl Ask {
    /// Returns who is asked.
    pub const fn role(self) -> Role {
        match self {
            Self::Features { .. } => Role::Analyst,
            Self::Fix => Role::Advisor,
        }
    }
}

/// What a role said.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// The analyst's answer.
    Features(Features),
    /// The advisor's answer: 1 to [`contract::FIX_CHARS`] characters.
    Fix(String),
}

impl Said {
    /// Returns the role that says such a thing.
    pub const fn role(&self) -> Role {
        match self {
            Self::Features(_) => Role::Analyst,
            Self::Fix(_) => Role::Advisor,
        }
    }

    /// Writes the answer as its block; [`parse`] reads the same answer back.
    pub fn render(&self) -> String {
        match self {
            Self::Features(said) => {
                let feature = |each: &Feature| {
                    json!({
                        "title": each.title, "description": each.description, "user_value": each.user_value,
                        "impact": each.impact, "effort": each.effort, "leverage": each.leverage, "risk": each.risk,
                        "existing_code": each.existing_code,
                    })
                };
                let features: Vec<Value> = said.features.iter().map(feature).collect();
                let body = json!({
                    "product_type": said.product_type, "target_users": said.target_users, "opportunities": features,
                });
                contract::block(FEATURE_OPPORTUNITIES, &body.to_string())
            }
            Self::Fix(text) => contract::block(FIX_SUGGESTION, text),
        }
    }
}

/// What a reply is judged against.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// Whether anything that would be normalised is a defect instead.
    pub strict: bool,
    /// What a block may be at most.
    pub limits: BlockLimits,
}

/// Judges the reply to a question.
pub fn parse(
    ask: Ask,
    reply: &RawReply,
    chance: Chance,
    terms: Terms,
) -> Result<Reply<Said>, Defect> {
    let role = ask.role();
    let defect = |problems| Defect { problems, expected_ids: Vec::new() };
    let found = block::extract(
        &reply.bytes,
        reply.cut,
        &[contract::want(role)],
        &[contract::template(role)],
        terms.limits,
    )
    .map_err(defect)?;
    let mut judge = Judge::new(chance, found.notes);
    let content = found.contents.into_iter().next().flatten();
    let said = match ask {
        Ask::Features { limit } => {
            let value = match content {
                Some(Content::Json(value)) => value,
                Some(Content::Text(_)) | None => Value::Null,
            };
            Said::Features(judge.features(value, limit))
        }
        Ask::Fix => {
            let text = match content {
                Some(Content::Text(text)) => text,
                Some(Content::Json(_)) | None => String::new(),
            };
            Said::Fix(judge.fix(&text))
        }
    };
    let Judge { notes, mut problems, .. } = judge;
    if terms.strict {
        problems.extend(notes.iter().map(|note| Problem::new(&note.code, None, &note.message)));
    }
    if problems.is_empty() { Ok(Reply { said, notes }) } else { Err(defect(problems)) }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod scenarios_tests;
#[cfg(test)]
mod tests;
