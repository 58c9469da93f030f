//! Reads the blocks of one reply, all of them, and judges them together (`robustness.md` section 4).
//!
//! What leaves this module holds points with ids of ours, stances on points that were shown, at most one
//! each, and texts of bounded length. Faults are problems at first, all at once, so that one re-ask can mend
//! everything. On the last chance faulty entries are left out, one warning each, and never mended by guessing:
//!
//! * a position needs a point; a stance that is missing was not given, and counts against agreement later;
//! * an answer that owes stances and gives none has failed, whatever else it holds;
//! * "agree" with an amendment, or "agree, but", is `partly`;
//! * two different stances on one point are none; a ruling that is missing makes a judgement none at all.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::kernel::{Chance, Defect, RawReply};
use crate::protocol::reading::Judge;
use crate::text::block::{self, BlockLimits, Content, Extracted, Want};
use crate::text::{Note, Problem, sanitize};

use super::contract::{REMARK, REMARK_TEMPLATE, TEXT_CHARS};
use super::model::{Judgement, Position, Stances};

mod content;

pub(in crate::protocol) use content::{judgement, position, stances};

/// What a reply is judged against.
#[derive(Debug, Clone, Copy)]
pub struct Terms<'a> {
    /// Ids that were shown and are to be judged.
    pub shown: &'a [String],
    /// Which chance it has.
    pub chance: Chance,
    /// Whether anything that would be normalised is a defect instead.
    pub strict: bool,
    /// What a block may be at most.
    pub limits: BlockLimits,
}

/// A reply whose blocks were found, while they are read.
pub struct Reading<'a> {
    terms: Terms<'a>,
    contents: BTreeMap<&'static str, Content>,
    notes: Vec<Note>,
    problems: Vec<Problem>,
}

impl<'a> Reading<'a> {
    /// Finds the blocks. `templates`: the bodies that our own prompt showed, to recognise an echo.
    pub fn open(
        reply: &RawReply,
        wants: &[Want],
        templates: &[&str],
        terms: Terms<'a>,
    ) -> Result<Self, Defect> {
        let found = block::extract(&reply.bytes, reply.cut, wants, templates, terms.limits);
        let found = match found {
            // An empty remark is none, and no fault.
            Err(problems) if problems.iter().all(is_empty_remark) => Extracted::default(),
            Err(problems) => return Err(defect(problems, terms)),
            Ok(found) => found,
        };
        let contents = wants.iter().zip(found.contents);
        Ok(Self {
            terms,
            contents: contents.filter_map(|(want, content)| Some((want.name, content?))).collect(),
            notes: found.notes,
            problems: Vec::new(),
        })
    }

    /// Reads a block that holds a JSON object. A block that is not there is a problem: an optional one is asked for with [`Self::has`].
    pub(in crate::protocol) fn object<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&mut Judge, Map<String, Value>) -> Option<T>,
    ) -> Option<T> {
        let mut judge = Judge::new(name, self.terms.shown, self.terms.chance);
        let said = if let Some(Content::Json(Value::Object(map))) = self.contents.remove(name) {
            read(&mut judge, map)
        } else {
            judge.problem("wrong_type", "give one JSON object".to_owned());
            None
        };
        self.notes.append(&mut judge.notes);
        self.problems.append(&mut judge.problems);
        said
    }

    /// Whether a block was found and not read yet.
    pub fn has(&self, name: &str) -> bool {
        self.contents.contains_key(name)
    }

    /// Reads the block `POSITION`.
    pub fn position(&mut self) -> Option<Position> {
        self.object(super::contract::POSITION, position)
    }

    /// Reads the block `STANCES`: about the ids that were shown.
    pub fn stances(&mut self) -> Option<Stances> {
        self.object(super::contract::STANCES, stances)
    }

    /// Reads the block `JUDGEMENT`: about the ids that were shown.
    pub fn judgement(&mut self) -> Option<Judgement> {
        self.object(super::contract::JUDGEMENT, judgement)
    }

    /// Reads the block `REMARK`; `None` for none, or an empty one.
    pub fn remark(&mut self) -> Option<String> {
        let Some(Content::Text(text)) = self.contents.remove(REMARK) else {
            return None;
        };
        let clean = sanitize::terminal(&text);
        let clean = clean.trim();
        if clean == REMARK_TEMPLATE {
            return None;
        }
        let Some((at, _)) = clean.char_indices().nth(TEXT_CHARS) else {
            return (!clean.is_empty()).then(|| clean.to_owned());
        };
        let message =
            format!("the remark is longer than {TEXT_CHARS} characters; it was cut there");
        self.notes.push(Note::new("shortened", message));
        Some(format!("{}…", clean[..at].trim_end()))
    }

    /// Returns what was said with the notes on it, or all problems at once.
    pub fn close<T>(self, said: Option<T>) -> Result<(T, Vec<Note>), Defect> {
        let mut problems = self.problems;
        if self.terms.strict {
            let notes = self.notes.iter();
            problems.extend(notes.map(|note| Problem::new(&note.code, None, &note.message)));
        }
        match said {
            Some(said) if problems.is_empty() => Ok((said, self.notes)),
            Some(_) | None => Err(defect(problems, self.terms)),
        }
    }
}

fn is_empty_remark(problem: &Problem) -> bool {
    problem.code == "empty_block" && problem.block.as_deref() == Some(REMARK)
}

fn defect(mut problems: Vec<Problem>, terms: Terms<'_>) -> Defect {
    if problems.is_empty() {
        // A reader that says nothing of why must not leave a defect without a reason.
        problems.push(Problem::new("unreadable", None, "the answer cannot be read"));
    }
    Defect { problems, expected_ids: terms.shown.to_vec() }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
