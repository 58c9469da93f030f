//! Checks one reply: blocks, types, ids, dependencies (`docs/answers.md`).
//!
//! An accepted plan has at least one step, each id once, and dependencies that exist and have no cycle. While a
//! re-ask can fix it, any fault is a problem. On the last chance:
//! * a step that cannot be read is left out, with a warning, as long as two thirds of the steps can be read;
//! * a dependency on a step that does not exist is dropped, with a warning, and the plan loses the points for its
//!   dependencies;
//! * of two different steps with one id the second is left out, and the dependencies within a cycle are all dropped: it
//!   cannot be known which of them is wrong, and a plan is never repaired by guessing;
//! * a plan with more steps than allowed, or without steps, is refused.
//!
//! Judgements and votes are about ids that were shown; unknown ones are dropped with a warning, identical repeats
//! count once, and two different ones about one id do not count at all. A missing one is not a vote. An answer that
//! judges nothing at all is not an answer. A `same_as` that names no step loses itself, and nothing beside it.

use super::contract::{Ask, PLAN, PLAN_REVIEW, VALIDATION};
use super::model::{Content, Judgement, PlanReviewBlock, Stance, ValidationBlock};
use crate::contract::{Diagnostics, Entry, ReplyReader, ReplyRules};
use crate::kernel::{Defect, RawReply, Reply};
use crate::protocol::council;
use crate::text::ids::IdIndex;

mod steps;

/// Reads the reply to a turn. `others`: further ids that a missing step may depend on.
pub(crate) fn parse(
    ask: Ask,
    reply: &RawReply,
    terms: ReplyRules<'_>,
    others: &[String],
) -> Result<Reply<Content>, Defect> {
    let mut reading = ReplyReader::of(reply, &[ask.outline()], terms)?;
    let said = match ask {
        Ask::Plan => reading.read(&PLAN, steps::plan).map(Content::Plan),
        Ask::Cross => reading
            .read(&PLAN_REVIEW, |judge, said| Some(crossed(judge, said, terms.shown, others)))
            .map(Content::Cross),
        Ask::Validation => {
            reading.read(&VALIDATION, ValidationBlock::checked).map(Content::Validation)
        }
    };
    let (said, notes) = reading.close(said)?;
    Ok(Reply { content: said, notes })
}

fn crossed(
    judge: &mut Diagnostics,
    said: PlanReviewBlock,
    ids: &[String],
    others: &[String],
) -> PlanReviewBlock {
    let mut judgements = said.judgements;
    if judge.has_read("judgements") {
        judgements = judge.by_id("judgement", judgements, |each| &mut each.id);
    }
    let shown: Vec<String> = ids.iter().chain(others).cloned().collect();
    let index = IdIndex::new(&shown);
    for Judgement { id, same_as, .. } in &mut judgements {
        *same_as = council::same_as(judge, id, same_as.take(), &index);
    }
    let missing_steps = steps::missing(judge, said.missing_steps, &shown);
    PlanReviewBlock { judgements, missing_steps }
}

/// Requires a reason for an objection, and a description for a modification.
pub(super) fn objects(judgement: &mut Judgement, entry: &mut Entry<'_>) {
    if judgement.stance != Stance::Agree {
        entry.needs("reason", &judgement.reason);
    }
    if judgement.stance == Stance::Modify && judgement.description.is_none() {
        entry.fault("missing_description", "`modify` needs a `description`");
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
