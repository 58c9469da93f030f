//! What is said in a panel, and what the machine keeps of it.

use std::collections::BTreeMap;

use super::tally::{Choices, SeatVote, Tally};
use crate::protocol::debate::Judgement;
use crate::protocol::debate::ballot::{AnswerBlock, VoteBlock};

/// What a turn said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// A seat's answer, or the judge's own.
    Answer(AnswerBlock),
    /// A vote; its letters are those that were shown.
    Vote(VoteBlock),
    /// A ruling; its position is the letter of a choice.
    Ruling(Judgement),
    /// A person's remark; empty for none.
    Remark(String),
}

/// An answer that came; its place in the list is its letter's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PanelAnswer {
    /// The seat, from 0.
    pub(super) seat: usize,
    /// The agent that answered, and its vendor.
    pub(super) by: (String, String),
    pub(super) said: AnswerBlock,
}

/// The letter of an answer: `A` is the first.
pub(super) fn letter(answer: usize) -> String {
    // There are at most `MAX_SEATS` answers, so one letter is enough.
    let offset = u8::try_from(answer).unwrap_or(25).min(25);
    char::from(b'A' + offset).to_string()
}

/// The answer that a letter names.
pub(super) fn answer_of(letter: &str) -> Option<usize> {
    match letter.as_bytes() {
        [byte @ b'A'..=b'Z'] => Some(usize::from(byte - b'A')),
        _ => None,
    }
}

/// A vote as it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CountedVote {
    /// The agent that voted, and its vendor.
    pub(super) by: (String, String),
    /// The answer that it named.
    pub(super) answer: usize,
    pub(super) same_as: Vec<Vec<usize>>,
    pub(super) reason: String,
    /// What moved it in this ballot.
    pub(super) moved_by: Option<String>,
    /// The answer that it named without saying what moved it, and its reason; the vote before counts.
    pub(super) wanted: Option<(usize, String)>,
}

/// One ballot: what each seat that voted in it says, and what its answers come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ballot {
    pub(super) round: u32,
    /// By seat.
    pub(super) votes: BTreeMap<usize, CountedVote>,
    pub(super) choices: Choices,
    pub(super) tally: Tally,
}

impl Ballot {
    /// Counts the votes of one round over so many answers.
    pub(super) fn new(round: u32, votes: BTreeMap<usize, CountedVote>, answers: usize) -> Self {
        let held: Vec<&[Vec<usize>]> = votes.values().map(|vote| &*vote.same_as).collect();
        let choices = Choices::new(answers, &held);
        let tally = Tally::new(
            votes
                .values()
                .map(|vote| SeatVote { choice: choices.of(vote.answer), vendor: &vote.by.1 }),
        );
        Self { round, votes, choices, tally }
    }
}
