//! Reads one reply: blocks, types, letters (`docs/answers.md`).
//!
//! An answer needs its text. The option that it takes is read like an id; one that cannot be made out is left out, and
//! then no question is settled by the answers alone. A vote needs a reason and the letter of one answer that
//! was shown; a letter is never guessed, and a vote without a valid letter is not a vote, on any chance. `same_as`
//! can only join answers, so doubtful parts of it are left out: letters that were not shown, groups of one, more
//! groups than are possible. A ruling needs a text on every choice and the letter of one. Contradictions about a
//! change (`changed` against the choices) are for the machine to resolve, which knows the previous vote.

use super::contract::{ANSWER, Ask, FIRST_VOTE, FREE_ANSWER, JUDGEMENT, VOTE};
use super::model::Content;
use crate::contract::generous::says_nothing;
use crate::contract::{Diagnostics, ReplyReader, ReplyRules, some_of};
use crate::kernel::{Defect, RawReply, Reply};
use crate::protocol::debate::ballot::{AnswerBlock, NO_OPTION, OPTION_CHARS, VoteBlock};
use crate::protocol::debate::{Judgement, reply};
use crate::text::ids::{IdIndex, IdMatch};
use crate::text::{fence, sanitize};

/// Reads the reply to a turn; a defect lists its faults. `terms.shown` lists the letters that a vote or a ruling may
/// name, or the options that an answer may take.
pub(crate) fn parse(
    ask: Ask,
    reply: &RawReply,
    terms: ReplyRules<'_>,
) -> Result<Reply<Content>, Defect> {
    let options = !terms.shown.is_empty();
    let mut reading = ReplyReader::of(reply, &[ask.block(options)], terms)?;
    let said = match ask {
        Ask::Answer | Ask::Own if options => reading.read(&ANSWER, answer).map(Content::Answer),
        Ask::Answer | Ask::Own => reading.read(&FREE_ANSWER, free_answer).map(Content::Answer),
        Ask::Vote => reading.read(&FIRST_VOTE, vote).map(Content::Vote),
        Ask::Cross => reading.read(&VOTE, vote).map(Content::Vote),
        Ask::Ruling => reading.read(&JUDGEMENT, ruling).map(Content::Ruling),
    };
    let (said, notes) = reading.close(said)?;
    Ok(Reply { content: said, notes })
}

/// Checks an answer against the options. One that cannot be made out is none: it decides nothing, and a vote is held.
#[expect(clippy::unnecessary_wraps, reason = "the form of every check")]
fn answer(judge: &mut Diagnostics, mut said: AnswerBlock) -> Option<AnswerBlock> {
    said.option = said.option.and_then(|written| {
        let known = judge.known(&fence::restore_references(&written));
        if known.is_none() {
            let written = sanitize::line(&written, 60);
            let message =
                format!("`{written}` is none of the options; the answer takes none by name");
            judge.note("unknown_option", message);
        }
        known
    });
    said.with = said.with.filter(|text| !says_nothing(text));
    Some(said)
}

/// Leaves out what an answer to a question without options cannot have.
#[expect(clippy::unnecessary_wraps, reason = "the form of every check")]
fn free_answer(_: &mut Diagnostics, said: AnswerBlock) -> Option<AnswerBlock> {
    Some(AnswerBlock { option: None, with: None, ..said })
}

/// Returns what an answer may take: the options, as prompts show them, and the word for none.
pub(crate) fn options(options: &[String]) -> Vec<String> {
    let mut shown: Vec<String> =
        options.iter().map(|option| sanitize::line(option, OPTION_CHARS)).collect();
    // Where "none" is itself an option, it can only mean that one.
    let is_free = IdIndex::new(&shown).resolve(NO_OPTION) == IdMatch::Unknown;
    if !shown.is_empty() && is_free {
        shown.push(NO_OPTION.to_owned());
    }
    shown
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
