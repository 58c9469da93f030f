//! Checks one reply: blocks, types, ids, ranges (`docs/answers.md`).
//!
//! A checked reply contains only severities and words that exist, ids that were shown, and texts of bounded length.
//! On the first chance, everything that is faulty is reported as a problem, all at once, so that one re-ask can fix
//! everything. On the last chance, faulty entries are left out, with one warning each, and never repaired: a severity
//! that no agent gave would be an invention. Three rules keep that from turning a finding into silence:
//!
//! * if every entry of a list was faulty, the reply is not an answer, and the turn fails;
//! * the number of findings left out is kept in [`Statement::left_out`], and a review that lost one is never "clean"
//!   on its basis;
//! * a missing judgement or vote does not count as one, and is never an assent.

use serde_json::Value;

use super::contract::{
    self, COMPOSITION, CROSS_REVIEW, MAX_FINDINGS, MAX_MISSED, REPRODUCTION, REVIEW, VALIDATION,
};
use super::model::{LINES, ONLY, TRIGGER};
use super::{
    Content, CrossReviewBlock, Finding, Judgement, Role, Severity, Stance, ValidationBlock, proof,
};
use crate::contract::read::line_range;
use crate::contract::{Diagnostics, Entry, ReplyReader, ReplyRules};
use crate::kernel::{Chance, Defect, RawReply, Reply};
use crate::ordered::{BTreeSet, Gather};
use crate::protocol::council;
#[cfg(test)]
use crate::protocol::testing::written;
use crate::text::ids::IdIndex;

mod composition;

pub(super) use composition::{alone, decided};

/// An agent's answer, as far as it could be read.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    pub said: Content,
    /// Number of findings left out because they could not be read; only on the last chance.
    pub left_out: u32,
}

impl Content {
    /// Renders the answer as its block; [`parse`] reads the same answer back.
    #[cfg(test)]
    pub fn render(&self) -> String {
        match self {
            Self::Review(said) => written(&REVIEW, said),
            Self::Cross(said) => written(&CROSS_REVIEW, said),
            Self::Composition(said) => written(&COMPOSITION, said),
            Self::Validation(said) => written(&VALIDATION, said),
            Self::Reproduction(said) => written(&REPRODUCTION, said),
            Self::Test(said) => serde_json::to_string(said).unwrap(),
        }
    }
}

/// Checks the reply of a role. `named`: the ids of which the prompt showed the titles alone.
pub fn parse(
    role: Role,
    reply: &RawReply,
    terms: ReplyRules<'_>,
    named: &[String],
) -> Result<Reply<Statement>, Defect> {
    if role == Role::Sandbox {
        return tested(reply);
    }
    let mut reading = ReplyReader::of(reply, &[contract::outline(role)], terms)?;
    let mut left_out = 0;
    let said = match role {
        Role::Reviewer => reading.read(&REVIEW, |judge, mut said| {
            left_out = lost(judge, "finding");
            left_out += keep_worst(judge, "finding", &mut said.findings, MAX_FINDINGS);
            Some(Content::Review(said))
        }),
        Role::CrossReviewer => reading.read(&CROSS_REVIEW, |judge, mut said| {
            left_out = lost(judge, "missed issue");
            let missed = &mut said.missed_issues;
            minor_left_out(judge, missed);
            left_out += keep_worst(judge, "missed issue", missed, MAX_MISSED);
            let judgements = judge.has_read("judgements").then_some(said.judgements)?;
            let mut judgements = judge.by_id("judgement", judgements, |each| &mut each.id);
            let shown: Vec<String> = terms.shown.iter().chain(named).cloned().collect();
            let index = IdIndex::new(&shown);
            for Judgement { id, same_as, .. } in &mut judgements {
                *same_as = council::same_as(judge, id, same_as.take(), &index);
            }
            Some(Content::Cross(CrossReviewBlock { judgements, ..said }))
        }),
        Role::Composer => reading.read(&COMPOSITION, |judge, said| {
            Some(Content::Composition(composition::known(judge, said)))
        }),
        Role::Validator => {
            reading.read(&VALIDATION, ValidationBlock::checked).map(Content::Validation)
        }
        Role::Prover | Role::Sandbox => {
            reading.read(&REPRODUCTION, proof::checked).map(Content::Reproduction)
        }
    };
    let (said, notes) = reading.close(said)?;
    Ok(Reply { content: Statement { said, left_out }, notes })
}

/// Reads what the program itself says of a test.
fn tested(reply: &RawReply) -> Result<Reply<Statement>, Defect> {
    let said = serde_json::from_slice(&reply.bytes).map_err(|error| {
        Defect::of("test_report", format!("the sandbox gave no report: {error}"))
    })?;
    Ok(Reply { content: Statement { said: Content::Test(said), left_out: 0 }, notes: Vec::new() })
}

/// Returns the number of entries of a list that were left out.
fn lost(judge: &Diagnostics, noun: &str) -> u32 {
    let count = judge.left_out.get(noun).copied().unwrap_or_default();
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Keeps the worst findings of a list that is too long, in their order, and returns how many are lost: a review that
/// was cut is no ground for "clean". The answer is not asked for again, as nothing in it is wrong.
fn keep_worst(
    judge: &mut Diagnostics,
    noun: &str,
    findings: &mut Vec<Finding>,
    most: usize,
) -> u32 {
    let given = findings.len();
    if given <= most {
        return 0;
    }
    let mut worst: Vec<(Severity, usize)> =
        findings.iter().enumerate().map(|(at, finding)| (finding.severity, at)).collect();
    worst.sort_unstable();
    let kept: BTreeSet<usize> = worst.into_iter().take(most).map(|(_, at)| at).gather();
    let mut at = 0..given;
    findings.retain(|_| at.next().is_some_and(|at| kept.contains(&at)));
    judge.note("too_many", format!("{given} {noun}s; only the {most} worst count"));
    u32::try_from(given - most).unwrap_or(u32::MAX)
}

/// Leaves out missed issues that are minor, which nobody is asked for: nothing that could keep a review from "clean"
/// is lost with them that its author could not have told as a reviewer.
fn minor_left_out(judge: &mut Diagnostics, missed: &mut Vec<Finding>) {
    let given = missed.len();
    missed.retain(|finding| finding.severity < Severity::P2);
    let minor = given - missed.len();
    if minor > 0 {
        judge.note("not_asked_for", format!("{minor} missed issues are P2, and left out"));
    }
}

/// Requires a reason unless the seat agrees, in which case the author's description suffices. Only who agrees says
/// with what, and how bad it is.
pub(super) fn reasoned(judgement: &mut Judgement, entry: &mut Entry<'_>) {
    // A placeholder that was left in says nothing.
    judgement.only.take_if(|only| only.trim() == ONLY);
    judgement.lines.take_if(|lines| lines.trim() == LINES || judgement.stance != Stance::Unsure);
    if judgement.stance == Stance::Agree {
        return;
    }
    entry.needs("reason", &judgement.reason);
    judgement.only = None;
    judgement.severity = None;
}

/// Drops a trigger that is the template's, and normalises the lines: a `line` of `42-48` also sets the last line, and an end before the first line is
/// dropped.
pub(super) fn placed(finding: &mut Finding, entry: &mut Entry<'_>) {
    finding.trigger.take_if(|trigger| trigger.trim() == TRIGGER);
    let range = entry.take("line").as_ref().and_then(Value::as_str).and_then(line_range);
    let until = range.filter(|_| finding.line.is_some()).and_then(|(_, until)| until);
    finding.end_line = finding.end_line.or(until);
    let is_nowhere = entry.is_unread("line") && finding.quote.is_none();
    if is_nowhere && entry.chance() == Chance::First {
        entry.fault("wrong_line", "`line` must be a line number from 1, as there is no `quote`");
    }
    match (finding.line, finding.end_line) {
        (Some(first), Some(last)) if last < first => {
            entry.note("line_ignored", "`end_line` is before `line`; ignored");
            finding.end_line = None;
        }
        (None, Some(last)) => {
            let message = "`end_line` is given without `line`; read as `line`";
            entry.note("line_ignored", message);
            (finding.line, finding.end_line) = (Some(last), None);
        }
        _ => {}
    }
}

#[cfg(test)]
mod composed_tests;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
