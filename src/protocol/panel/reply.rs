//! Reads one reply: blocks, types, letters (`docs/answers.md`).
//!
//! An answer needs its text and a number for its confidence. A vote needs a reason and the letter of one answer that
//! was shown; a letter is never guessed, and a vote without a valid letter is not a vote, on any chance. `same_as`
//! can only join answers, so doubtful parts of it are left out: letters that were not shown, groups of one, more
//! groups than are possible. A ruling needs a text on every choice and the letter of one. Contradictions about a
//! change (`changed` against the choices) are for the machine to resolve, which knows the previous vote.

use super::contract::{ANSWER, Ask, FIRST_VOTE, JUDGEMENT, VOTE};
use super::model::Content;
use crate::contract::{Diagnostics, ReplyReader, ReplyRules as Shown, some_of};
use crate::kernel::{Chance, Defect, RawReply, Reply};
use crate::protocol::debate::ballot::VoteBlock;
use crate::protocol::debate::contract::REMARK;
use crate::protocol::debate::{Judgement, reply};
use crate::text::block::BlockLimits;
use crate::text::ids::IdMatch;

impl Content {
    /// Writes the answer as its block; [`parse`] reads the same answer back.
    pub fn render(&self) -> String {
        match self {
            Self::Answer(said) => ANSWER.render(said),
            Self::Vote(said) => VOTE.render(said),
            Self::Ruling(said) => JUDGEMENT.render(said),
            Self::Remark(text) => REMARK.render(text),
        }
    }
}

/// The context that a reply is checked against.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReplyContext<'a> {
    /// The letters that a vote or a ruling may name.
    pub letters: &'a [String],
    /// Whether a deviation that would otherwise be normalised is a defect.
    pub strict: bool,
    /// The maximum size of a block.
    pub limits: BlockLimits,
}

/// Reads the reply to a turn; a defect lists its faults.
pub(crate) fn parse(
    ask: Ask,
    reply: &RawReply,
    chance: Chance,
    terms: ReplyContext<'_>,
) -> Result<Reply<Content>, Defect> {
    let shown = Shown { shown: terms.letters, chance, strict: terms.strict, limits: terms.limits };
    let mut reading = ReplyReader::of(reply, &[ask.block()], shown)?;
    let said = match ask {
        Ask::Answer | Ask::Own => reading.read(&ANSWER, |_, said| Some(Content::Answer(said))),
        Ask::Vote => reading.read(&FIRST_VOTE, vote).map(Content::Vote),
        Ask::Cross => reading.read(&VOTE, vote).map(Content::Vote),
        Ask::Ruling => reading.read(&JUDGEMENT, ruling).map(Content::Ruling),
        Ask::Remark => {
            let remark = reading.read(&REMARK, |_, remark| Some(remark));
            Some(Content::Remark(remark.unwrap_or_default()))
        }
    };
    let (said, notes) = reading.close(said)?;
    Ok(Reply { content: said, notes })
}

/// Checks a vote against the letters that were shown.
fn vote(judge: &mut Diagnostics, mut said: VoteBlock) -> Option<VoteBlock> {
    said.same_as = same_as(judge, said.same_as);
    said.choice = chosen(judge, "choice", &said.choice)?;
    Some(said)
}

/// Checks the ruling of a panel's judge: its position is a letter.
fn ruling(judge: &mut Diagnostics, said: Judgement) -> Option<Judgement> {
    let mut said = reply::judgement(judge, said);
    said.position = chosen(judge, "position", &said.position)?;
    Some(said)
}

/// Returns the shown letter that was meant. One that was not shown is a problem on any chance.
fn chosen(judge: &mut Diagnostics, key: &str, written: &str) -> Option<String> {
    let known = letter(judge, written);
    if known.is_none() {
        let ids = judge.shown.ids().to_vec();
        let names: Vec<&str> = ids.iter().map(String::as_str).collect();
        let message = format!("`{key}` must be one letter of {}", some_of(&names));
        judge.problem("unknown_choice", message);
    }
    known
}

/// Returns the shown letter that was meant, and notes any normalisation.
fn letter(judge: &mut Diagnostics, written: &str) -> Option<String> {
    match judge.shown.resolve(written) {
        IdMatch::Exact(_) | IdMatch::Normalised(_) => judge.resolve(written),
        IdMatch::Unknown => None,
    }
}

/// Returns the groups in the letters that were shown. Doubtful entries join no answers.
fn same_as(judge: &mut Diagnostics, written: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let mut groups = Vec::new();
    for letters in written {
        let mut group: Vec<String> = Vec::new();
        let mut unknown = 0;
        for written in letters {
            match letter(judge, &written) {
                Some(known) if !group.contains(&known) => group.push(known),
                Some(_) => {}
                None => unknown += 1,
            }
        }
        if unknown > 0 {
            let message = format!("`same_as` names {unknown} answers that were not shown; ignored");
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
