//! Checks one reply: blocks, types, ids, dependencies (`docs/answers.md`).
//!
//! An accepted plan has at least one step, each id once, and dependencies that exist and have no cycle. While a
//! re-ask can fix it, any fault is a problem. On the last chance:
//! * a step that cannot be read is left out, with a warning, as long as two thirds of the steps can be read;
//! * a dependency on a step that does not exist is dropped, with a warning, and the plan loses the points for its
//!   dependencies;
//! * of two different steps with one id the second gets another, and the dependencies within a cycle are all dropped:
//!   it cannot be known which of them is wrong, and a plan is never repaired by guessing;
//! * a plan with more steps than allowed, or without steps, is refused.
//!
//! Judgements and votes are about ids that were shown; unknown ones are dropped with a warning, identical repeats
//! count once, and two different ones about one id do not count at all. A missing one is not a vote. An answer that
//! judges nothing at all is not an answer. A `same_as` that names no step loses itself, and nothing beside it.

use super::contract::{Ask, ID_CHARS, PLAN, PLAN_REVIEW, VALIDATION};
use super::model::{Ballot, Content, Judgement, PlanReviewBlock, Stance, ValidationBlock};
use crate::contract::{Diagnostics, Entry, ReplyReader, ReplyRules};
use crate::kernel::{Defect, RawReply, Reply};
use crate::protocol::council::Vote;
use crate::text::ids::{IdIndex, IdMatch};
use crate::text::sanitize;

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
        Ask::Validation => reading.read(&VALIDATION, |judge, said| {
            let votes = judge.has_read("votes").then_some(said.votes)?;
            let votes = judge.by_id("vote", votes, |ballot| &mut ballot.id);
            Some(Content::Validation(ValidationBlock { votes }))
        }),
    };
    let (said, notes) = reading.close(said)?;
    Ok(Reply { content: said, notes })
}

fn crossed(
    judge: &mut Diagnostics,
    mut said: PlanReviewBlock,
    ids: &[String],
    others: &[String],
) -> PlanReviewBlock {
    said.judgements.retain(|each| {
        let other = others.contains(&each.id);
        if other {
            let message = format!("`{}` was not to be judged; ignored", each.id);
            judge.note("unknown_id", message);
        }
        !other
    });
    let mut judgements = said.judgements;
    if judge.has_read("judgements") {
        judgements = judge.by_id("judgement", judgements, |each| &mut each.id);
    }
    let shown: Vec<String> = ids.iter().chain(others).cloned().collect();
    let index = IdIndex::new(&shown);
    for judgement in &mut judgements {
        judgement.same_as = same_as(judge, judgement, &index);
    }
    let missing_steps = steps::missing(judge, said.missing_steps, &shown);
    PlanReviewBlock { judgements, missing_steps }
}

/// Returns the id of another step that a judgement calls the same; an id that cannot be read is left out with a note.
fn same_as(judge: &mut Diagnostics, judgement: &Judgement, index: &IdIndex) -> Option<String> {
    let written = judgement.same_as.as_deref()?;
    let (IdMatch::Exact(at) | IdMatch::Normalised(at)) = index.resolve(written) else {
        if !NO_STEP.contains(&&*written.trim().to_lowercase()) {
            let written = sanitize::line(written, ID_CHARS);
            let message = format!(
                "`same_as` of {} names `{written}`, which is no step; ignored",
                judgement.id
            );
            judge.note("unknown_id", message);
        }
        return None;
    };
    Some(index.ids()[at].clone()).filter(|other| *other != judgement.id)
}

/// What is written where no step is the same.
const NO_STEP: [&str; 5] = ["", "-", "none", "null", "n/a"];

/// Requires a reason for an objection, and a suggestion for a modification.
pub(super) fn objects(judgement: &mut Judgement, entry: &mut Entry<'_>) {
    if judgement.stance != Stance::Agree && judgement.reason.is_empty() {
        entry.fault("missing_reason", "an objection needs a `reason`");
    }
    if judgement.stance == Stance::Modify && judgement.suggestion.is_none() {
        entry.fault("missing_suggestion", "`modify` needs a `suggestion`");
    }
}

pub(super) fn reasoned(ballot: &mut Ballot, entry: &mut Entry<'_>) {
    if ballot.vote == Vote::Reject && ballot.reason.is_empty() {
        entry.fault("missing_reason", "an objection needs a `reason`");
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
