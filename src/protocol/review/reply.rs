//! Judges one reply: blocks, types, ids, ranges (`robustness.md` section 4).
//!
//! What leaves this module holds only severities and words that exist, ids that
//! were shown, and texts of bounded length. What is faulty is a problem at
//! first, all of it at once, so that one re-ask can mend everything. On the last
//! chance faulty entries are left out, one warning each, and never mended: a
//! severity that nobody gave would be an invention. Three things keep that from
//! turning a finding into silence:
//!
//! * a list whose every entry was faulty is no answer, and the turn fails;
//! * how many findings were left out stands in [`Statement::left_out`], and a review
//!   that lost one is never the ground for "clean";
//! * a missing judgement or vote is no judgement and no vote, never an assent.

use serde_json::{Map, Value, json};

use super::{CompositionSaid, Finding, Judgement, Role, Said, contract};
use crate::contract::Judge;
use crate::kernel::{Chance, Defect, RawReply, Reply};
use crate::protocol::council::Ballot;
use crate::text::Problem;
use crate::text::block::{self, BlockLimits, Content};

mod decisions;
mod findings;

/// What an agent said, as far as it could be read.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// What was said.
    pub said: Said,
    /// Findings that could not be read and are left out; only on the last chance.
    pub left_out: u32,
}

impl Said {
    /// Returns the role that says such a thing.
    pub const fn role(&self) -> Role {
        match self {
            Self::Review(_) => Role::Reviewer,
            Self::Cross(_) => Role::CrossReviewer,
            Self::Composition(_) => Role::Composer,
            Self::Validation(_) => Role::Validator,
        }
    }

    /// Writes the answer as its block; [`parse`] reads the same answer back.
    pub fn render(&self) -> String {
        let body = match self {
            Self::Review(said) => json!({
                "findings": said.findings.iter().map(finding).collect::<Vec<_>>(),
                "residual_risks": said.residual_risks, "open_questions": said.open_questions,
            }),
            Self::Cross(said) => json!({
                "judgements": said.judgements.iter().map(judgement).collect::<Vec<_>>(),
                "missed_issues": said.missed_issues.iter().map(finding).collect::<Vec<_>>(),
            }),
            Self::Composition(said) => composition(said),
            Self::Validation(said) => json!({
                "votes": said.votes.iter().map(ballot).collect::<Vec<_>>(),
            }),
        };
        contract::block(contract::name(self.role()), &body.to_string())
    }
}

fn finding(said: &Finding) -> Value {
    let mut map = Map::new();
    map.insert("severity".into(), json!(said.severity.name()));
    map.insert("title".into(), json!(said.title));
    map.insert("file".into(), json!(said.file));
    for (key, line) in [("line", said.line), ("end_line", said.end_line)] {
        map.extend(line.map(|line| (key.to_owned(), json!(line))));
    }
    map.extend(said.quote.as_ref().map(|quote| ("quote".to_owned(), json!(quote))));
    map.insert("detail".into(), json!(said.detail));
    map.insert("fix".into(), json!(said.fix));
    Value::Object(map)
}

fn judgement(said: &Judgement) -> Value {
    let mut map = Map::new();
    map.insert("id".into(), json!(said.id));
    map.insert("stance".into(), json!(said.stance.name()));
    map.insert("reason".into(), json!(said.reason));
    map.extend(said.evidence.as_ref().map(|code| ("evidence".to_owned(), json!(code))));
    Value::Object(map)
}

fn composition(said: &CompositionSaid) -> Value {
    let keep = said.keep.iter().map(|keep| {
        let mut map = Map::new();
        map.insert("id".into(), json!(keep.id));
        for (key, text) in [("title", &keep.title), ("detail", &keep.detail), ("fix", &keep.fix)] {
            map.extend(text.as_ref().map(|text| (key.to_owned(), json!(text))));
        }
        Value::Object(map)
    });
    let merge = said.merge.iter().map(|merge| json!({ "into": merge.into, "ids": merge.ids }));
    let eliminate = said.eliminate.iter().map(|out| json!({ "id": out.id, "reason": out.reason }));
    json!({
        "keep": keep.collect::<Vec<_>>(), "merge": merge.collect::<Vec<_>>(), "eliminate": eliminate.collect::<Vec<_>>(),
        "residual_risks": said.residual_risks, "open_questions": said.open_questions,
    })
}

fn ballot(said: &Ballot) -> Value {
    let vote = if said.approve { "approve" } else { "reject" };
    json!({ "id": said.id, "vote": vote, "reason": said.reason })
}

/// What a reply is judged against.
#[derive(Debug, Clone, Copy)]
pub struct Terms<'a> {
    /// The ids that the prompt showed; none for an independent review.
    pub shown: &'a [String],
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
) -> Result<Reply<Statement>, Defect> {
    let defect = |problems| Defect { problems, expected_ids: terms.shown.to_vec() };
    let template = contract::template(role);
    let found = block::extract(
        &reply.bytes,
        reply.cut,
        &[contract::want(role)],
        &[&template],
        terms.limits,
    )
    .map_err(defect)?;
    let mut judge = Judge::new(contract::name(role), terms.shown, chance);
    judge.notes = found.notes;
    let map = match found.contents.into_iter().next().flatten() {
        Some(Content::Json(Value::Object(map))) => map,
        Some(Content::Json(_) | Content::Text(_)) | None => {
            judge.problem("wrong_type", "give one JSON object".to_owned());
            Map::new()
        }
    };
    let said = match role {
        Role::Reviewer => Said::Review(findings::review(&mut judge, map)),
        Role::CrossReviewer => Said::Cross(findings::cross(&mut judge, map)),
        Role::Composer => Said::Composition(decisions::composition(&mut judge, map)),
        Role::Validator => Said::Validation(decisions::validation(&mut judge, map)),
    };
    let left_out = judge.left_out.get("finding").copied().unwrap_or_default();
    let left_out = u32::try_from(left_out).unwrap_or(u32::MAX);
    let Judge { notes, mut problems, .. } = judge;
    if terms.strict {
        problems.extend(notes.iter().map(|note| Problem::new(&note.code, None, &note.message)));
    }
    if problems.is_empty() {
        Ok(Reply { said: Statement { said, left_out }, notes })
    } else {
        Err(defect(problems))
    }
}

#[cfg(test)]
mod composed_tests;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
