//! Judges one reply: blocks, types, letters (`robustness.md` section 4).
//!
//! An answer needs its text and a number for how sure it is. A vote needs the letter of one answer that was shown and a
//! reason; a letter is never guessed, and a vote for none is no vote, on any chance. `same_as` can only bring answers
//! together, so what is doubtful in it is left out: letters that were not shown, groups of one, more groups than there
//! can be. A ruling needs a word on every choice and the letter of one. What contradicts itself about a change
//! (`changed` against the choices) is the machine's to judge, which knows the vote before.

use serde_json::{Map, Value, json};

use super::contract::{ANSWER, ANSWER_CHARS, Ask, LINE_CHARS, MAX_GROUPS, REASON_CHARS, VOTE};
use super::model::Said;
use crate::contract::template::{self, REMARK};
use crate::contract::{Judge, Reading, Terms as Shown, some_of};
use crate::kernel::{Chance, Defect, RawReply, Reply};
use crate::protocol::debate::ballot::{AnswerSaid, VoteSaid};
use crate::protocol::debate::contract::JUDGEMENT;
use crate::protocol::debate::reply::Blocks as _;
use crate::protocol::debate::{Judgement, reply};
use crate::text::block::BlockLimits;
use crate::text::ids::Resolved;

impl Said {
    /// Writes the answer as its block; [`parse`] reads the same answer back.
    pub fn render(&self) -> String {
        let name = match self {
            Self::Answer(_) => ANSWER,
            Self::Vote(_) => VOTE,
            Self::Ruling(_) => JUDGEMENT,
            Self::Remark(_) => REMARK,
        };
        template::block(name, &self.body())
    }

    /// Writes what stands in the block.
    pub fn body(&self) -> String {
        match self {
            Self::Answer(said) => json!({
                "answer": said.answer, "reasons": said.reasons, "evidence": said.evidence,
                "confidence": said.confidence,
            })
            .to_string(),
            Self::Vote(said) => {
                let mut value = json!({
                    "choice": said.choice, "same_as": said.same_as, "changed": said.changed,
                    "reason": said.reason,
                });
                if let Some(moved_by) = &said.moved_by {
                    value["moved_by"] = json!(moved_by);
                }
                value.to_string()
            }
            Self::Ruling(said) => {
                let mut value = json!({
                    "points": said.points, "position": said.position, "confidence": said.confidence,
                });
                if let Some(code) = said.code_change_required {
                    value["code_change_required"] = json!(code);
                }
                value.to_string()
            }
            Self::Remark(text) => text.clone(),
        }
    }
}

/// What a reply is judged against.
#[derive(Debug, Clone, Copy)]
pub struct Terms<'a> {
    /// The letters that a vote or a ruling may name.
    pub letters: &'a [String],
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
    let shown = Shown { shown: terms.letters, chance, strict: terms.strict, limits: terms.limits };
    let mut reading = match Reading::open(reply, &[ask.want()], &[ask.template()], shown) {
        Err(defect) if ask == Ask::Remark && is_empty(&defect) => {
            return Ok(Reply { said: Said::Remark(String::new()), notes: Vec::new() });
        }
        opened => opened?,
    };
    let said = match ask {
        Ask::Answer | Ask::Own => reading.object(ANSWER, answer).map(Said::Answer),
        Ask::Vote | Ask::Cross => reading.object(VOTE, vote).map(Said::Vote),
        Ask::Ruling => reading.object(JUDGEMENT, ruling).map(Said::Ruling),
        Ask::Remark => Some(Said::Remark(reading.remark().unwrap_or_default())),
    };
    let (said, notes) = reading.close(said)?;
    Ok(Reply { said, notes })
}

/// Whether nothing is wrong but that the block is empty: of a remark that is no fault.
fn is_empty(defect: &Defect) -> bool {
    let mut problems = defect.problems.iter();
    problems.all(|problem| problem.code == "empty_block")
}

/// Judges the content of an `ANSWER` block.
#[expect(clippy::unnecessary_wraps, reason = "it is read as the other blocks are")]
fn answer(judge: &mut Judge, map: Map<String, Value>) -> Option<AnswerSaid> {
    Some(judge.whole("the answer", map, |fields| AnswerSaid {
        answer: fields.needed("answer", ANSWER_CHARS),
        reasons: fields.lines("reasons", LINE_CHARS),
        evidence: fields.lines("evidence", LINE_CHARS),
        confidence: fields.share("confidence"),
    }))
}

/// Judges the content of a `VOTE` block.
fn vote(judge: &mut Judge, mut map: Map<String, Value>) -> Option<VoteSaid> {
    let same_as = same_as(judge, map.remove("same_as"));
    let said = judge.whole("the vote", map, |fields| {
        let changed = fields.flag("changed");
        if changed.is_none() {
            fields.lenient("missing_field", "`changed` must be true or false");
        }
        VoteSaid {
            choice: fields.line("choice", LINE_CHARS),
            same_as: Vec::new(),
            changed: changed.unwrap_or_default(),
            moved_by: Some(fields.words("moved_by", REASON_CHARS)).filter(|text| !is_nothing(text)),
            reason: fields.needed("reason", REASON_CHARS),
        }
    });
    let choice = chosen(judge, "choice", &said.choice)?;
    Some(VoteSaid { choice, same_as, ..said })
}

/// Judges the content of a `JUDGEMENT` block of a panel's judge: its position is a letter.
fn ruling(judge: &mut Judge, map: Map<String, Value>) -> Option<Judgement> {
    let said = reply::judgement(judge, map)?;
    let position = chosen(judge, "position", &said.position)?;
    Some(Judgement { position, ..said })
}

/// Whether somebody wrote that there is nothing to write: that names no evidence.
fn is_nothing(text: &str) -> bool {
    let plain = text.trim_end_matches('.').to_lowercase();
    ["", "-", "—", "none", "n/a", "nothing", "null", "no", "no change"].contains(&&*plain)
}

/// Returns the letter that was shown, for what was written. One that was not shown is a problem on any chance.
fn chosen(judge: &mut Judge, key: &str, written: &str) -> Option<String> {
    let known = letter(judge, written);
    if known.is_none() {
        let ids = judge.shown.ids().to_vec();
        let names: Vec<&str> = ids.iter().map(String::as_str).collect();
        let message = format!("`{key}` must be one letter of {}", some_of(&names));
        judge.problem("unknown_choice", message);
    }
    known
}

/// Returns the letter that was shown, for what was written; notes what had to be normalised.
fn letter(judge: &mut Judge, written: &str) -> Option<String> {
    match judge.shown.resolve(written) {
        Resolved::Exact(_) | Resolved::Normalised(_) => judge.resolve(written),
        Resolved::Unknown => None,
    }
}

/// Reads groups of letters. What is doubtful brings no answers together.
fn same_as(judge: &mut Judge, value: Option<Value>) -> Vec<Vec<String>> {
    let entries = match value {
        None | Some(Value::Null) => return Vec::new(),
        Some(Value::Array(entries)) if entries.len() <= MAX_GROUPS => entries,
        Some(Value::Array(entries)) => {
            let given = entries.len();
            let message =
                format!("`same_as` has {given} groups and may have {MAX_GROUPS}; none counts");
            judge.lenient("too_many", message);
            return Vec::new();
        }
        Some(Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_)) => {
            let message = "`same_as` must be an array of groups of letters; none counts otherwise";
            judge.lenient("wrong_type", message.to_owned());
            return Vec::new();
        }
    };
    let mut groups = Vec::new();
    for entry in entries {
        let Value::Array(letters) = entry else {
            let message =
                "each entry of `same_as` must be an array of letters; another is left out";
            judge.lenient("wrong_type", message.to_owned());
            continue;
        };
        let mut group: Vec<String> = Vec::new();
        let mut unknown = 0;
        for written in letters {
            let known = written.as_str().and_then(|written| letter(judge, written));
            match known {
                Some(known) if !group.contains(&known) => group.push(known),
                Some(_) => {}
                None => unknown += 1,
            }
        }
        if unknown > 0 {
            let message =
                format!("`same_as` names {unknown} answers that were not shown; they are left out");
            judge.lenient("unknown_id", message);
        }
        if group.len() > 1 {
            group.sort_unstable();
            groups.push(group);
        } else if unknown == 0 {
            judge.note("single", "a group of `same_as` names fewer than two answers".to_owned());
        }
    }
    groups
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
