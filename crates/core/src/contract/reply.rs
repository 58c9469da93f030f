//! Reads and judges all blocks of one reply together (`docs/answers.md`).
//!
//! On the first chance all faults are reported at once, so that one re-ask can fix everything.

use super::block::Block;
use super::judge::Diagnostics;
use super::outline::Outline;
use super::template::wants;

use crate::kernel::{Chance, Defect, RawReply};
use crate::ordered::{BTreeMap, Gather};
use crate::text::block::{self, BlockBody};
use crate::text::{Note, Problem};

/// The terms by which a reply is judged.
#[derive(Debug, Clone, Copy)]
pub struct ReplyRules<'a> {
    /// The ids shown for judgement.
    pub shown: &'a [String],
    /// The reply's chance.
    pub chance: Chance,
}

impl Default for ReplyRules<'_> {
    /// No ids, and a repair that can still follow.
    fn default() -> Self {
        Self { shown: &[], chance: Chance::First }
    }
}

/// A reply whose blocks were found, while they are read.
pub struct ReplyReader<'a> {
    terms: ReplyRules<'a>,
    contents: BTreeMap<&'static str, BlockBody>,
    notes: Vec<Note>,
    problems: Vec<Problem>,
}

impl<'a> ReplyReader<'a> {
    /// Finds the blocks that a reply should contain.
    ///
    /// # Errors
    /// All faults in how they are marked and written.
    pub fn of(
        reply: &RawReply,
        blocks: &[&Outline],
        terms: ReplyRules<'a>,
    ) -> Result<Self, Defect> {
        let wants = wants(blocks);
        let templates: Vec<String> = blocks.iter().map(|block| block.template()).collect();
        let templates: Vec<&str> = templates.iter().map(String::as_str).collect();
        let found = block::extract(&reply.bytes, reply.cut, &wants, &templates)
            .map_err(|problems| defect(problems, terms))?;
        let contents = wants.iter().zip(found.contents);
        Ok(Self {
            terms,
            contents: contents.filter_map(|(want, content)| Some((want.name, content?))).gather(),
            notes: found.notes,
            problems: Vec::new(),
        })
    }

    /// Reads a block and checks it with `rules`, which may change, note or refuse it. `None` if a fault was reported;
    /// test an optional block with [`Self::has`] first.
    pub fn read<T, U>(
        &mut self,
        block: &Block<T>,
        rules: impl FnOnce(&mut Diagnostics, T) -> Option<U>,
    ) -> Option<U> {
        let content = self.contents.remove(block.name())?;
        let mut judge = Diagnostics::new(block.name(), self.terms.shown, self.terms.chance);
        let said = block.read(&mut judge, content).and_then(|said| rules(&mut judge, said));
        self.notes.append(&mut judge.notes);
        self.problems.append(&mut judge.problems);
        said
    }

    /// Reports a normalisation; `code` is a stable name.
    pub fn note(&mut self, code: &str, message: String) {
        self.notes.push(Note::new(code, message));
    }

    /// Whether a block was found and has not been read yet.
    pub fn has(&self, name: &str) -> bool {
        self.contents.contains_key(name)
    }

    /// Returns the value with its notes, or all problems at once.
    pub fn close<T>(self, said: Option<T>) -> Result<(T, Vec<Note>), Defect> {
        match said {
            Some(said) if self.problems.is_empty() => Ok((said, self.notes)),
            Some(_) | None => Err(defect(self.problems, self.terms)),
        }
    }
}

fn defect(mut problems: Vec<Problem>, terms: ReplyRules<'_>) -> Defect {
    if problems.is_empty() {
        // A reader that gives no reason must not leave a defect without one.
        problems.push(Problem::new("unreadable", None, "the answer cannot be read"));
    }
    Defect { problems, expected_ids: terms.shown.to_vec() }
}
