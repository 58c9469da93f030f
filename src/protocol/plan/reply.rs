//! Judges one reply: blocks, types, ids, dependencies (`robustness.md` section 4).
//!
//! A plan that leaves this module has at least one step, every id once, and dependencies that exist
//! and have no cycle. While a re-ask can mend it, everything else is a problem. On the last chance
//! * a step that cannot be read is left out, with a warning, as long as two thirds of the steps can;
//! * a dependency on a step that does not exist is dropped, with a warning, and the plan loses the
//!   points for its dependencies;
//! * a cycle, two different steps of one id, more steps than a plan may have, or none: the plan is
//!   refused. Which arrow of a cycle is wrong cannot be known, and a plan is never mended by guessing.
//!
//! Judgements and votes are about ids that were shown; unknown ones are dropped with a warning, equal
//! repeats count once, and two different ones about one id count for nothing. One that is missing is
//! no vote. An answer that judges nothing at all is no answer.

use serde_json::{Value, json};

use super::contract::{self, Ask};
use super::model::{PlanStep, Said};
use crate::kernel::{Chance, Defect, RawReply, Reply};
use crate::text::Problem;
use crate::text::block::{self, BlockLimits, Content};

mod judge;
mod votes;

use judge::Judge;

impl Said {
    /// Returns what it answers.
    pub const fn ask(&self) -> Ask {
        match self {
            Self::Plan(_) => Ask::Plan,
            Self::Cross(_) => Ask::Cross,
            Self::Validation(_) => Ask::Validation,
        }
    }

    /// Writes the answer as its block; [`parse`] reads the same answer back.
    pub fn render(&self) -> String {
        contract::block(self.ask().block(), &self.body().to_string())
    }

    /// Returns the answer as JSON.
    pub fn body(&self) -> Value {
        match self {
            Self::Plan(said) => json!({
                "steps": said.steps.iter().map(step_value).collect::<Vec<_>>(), "summary": said.summary,
                "risks": said.risks, "open_questions": said.open_questions,
            }),
            Self::Cross(said) => {
                let judgement = |each: &super::model::Judgement| {
                    let mut value = json!({
                        "id": each.id, "stance": each.stance.name(), "reason": each.reason,
                    });
                    if let Some(suggestion) = &each.suggestion {
                        value["suggestion"] = json!(suggestion);
                    }
                    value
                };
                json!({
                    "judgements": said.judgements.iter().map(judgement).collect::<Vec<_>>(),
                    "missing_steps": said.missing_steps.iter().map(step_value).collect::<Vec<_>>(),
                })
            }
            Self::Validation(said) => {
                let vote = |each: &crate::protocol::council::Ballot| {
                    let vote = if each.approve { "approve" } else { "reject" };
                    json!({ "id": each.id, "vote": vote, "reason": each.reason })
                };
                json!({ "votes": said.votes.iter().map(vote).collect::<Vec<_>>() })
            }
        }
    }
}

fn step_value(step: &PlanStep) -> Value {
    json!({
        "id": step.id, "phase": step.phase, "title": step.title, "description": step.description,
        "files": step.files, "depends_on": step.depends_on, "acceptance": step.acceptance,
    })
}

/// What a reply is judged against.
#[derive(Debug, Clone, Copy)]
pub struct Terms<'a> {
    /// Ids that are to be judged.
    pub ids: &'a [String],
    /// Further ids that a missing step may depend on.
    pub others: &'a [String],
    /// Whether anything that would be normalised is a defect instead.
    pub strict: bool,
    /// What a block may be at most.
    pub limits: BlockLimits,
}

/// Judges the reply to a turn.
pub fn parse(
    ask: Ask,
    reply: &RawReply,
    chance: Chance,
    terms: Terms<'_>,
) -> Result<Reply<Said>, Defect> {
    let defect = |problems| Defect { problems, expected_ids: terms.ids.to_vec() };
    let found =
        block::extract(&reply.bytes, reply.cut, &[ask.want()], &[ask.template()], terms.limits)
            .map_err(defect)?;
    let value = match found.contents.into_iter().next().flatten() {
        Some(Content::Json(value)) => value,
        Some(Content::Text(_)) | None => Value::Null,
    };
    let mut judge = Judge::new(ask.block(), chance, found.notes);
    let said = match ask {
        Ask::Plan => judge.plan(value).map(Said::Plan),
        Ask::Cross => judge.cross(value, terms.ids, terms.others).map(Said::Cross),
        Ask::Validation => judge.validation(value, terms.ids).map(Said::Validation),
    };
    let Judge { notes, mut problems, .. } = judge;
    if terms.strict {
        problems.extend(notes.iter().map(|note| Problem::new(&note.code, None, &note.message)));
    }
    match said {
        Some(said) if problems.is_empty() => Ok(Reply { said, notes }),
        Some(_) | None => Err(defect(problems)),
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
