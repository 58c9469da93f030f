//! The contents of a panel's replies, and the machine's records of them.

use std::collections::BTreeMap;

use serde::Serialize;

use super::letters::Lettering;
use super::tally::{Choices, SeatVote, Tally};
use crate::protocol::debate::Judgement;
use crate::protocol::debate::ballot::{AnswerBlock, VoteBlock};

/// The content of an accepted reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum Content {
    /// A seat's answer, or the judge's own.
    Answer(AnswerBlock),
    /// A vote; its letters are among those that were shown.
    Vote(VoteBlock),
    /// A ruling; its position is the letter of a choice.
    Ruling(Judgement),
}

impl Content {
    /// Returns the answer with the result's letters in place of its reader's.
    pub(super) fn with_usual(mut self, letters: &Lettering) -> Self {
        match &mut self {
            Self::Vote(said) => {
                said.choice = letters.back(&said.choice);
                for group in &mut said.same_as {
                    for written in group.iter_mut() {
                        *written = letters.back(written);
                    }
                    group.sort_unstable();
                }
                said.reason = letters.text_back(&said.reason);
                said.moved_by = said.moved_by.as_deref().map(|text| letters.text_back(text));
            }
            Self::Ruling(said) => {
                said.position = letters.back(&said.position);
                for ruling in &mut said.points {
                    ruling.id = letters.back(&ruling.id);
                    ruling.ruling = letters.text_back(&ruling.ruling);
                    ruling.reason = letters.text_back(&ruling.reason);
                }
                said.points.sort_by(|one, other| one.id.cmp(&other.id));
            }
            Self::Answer(_) => {}
        }
        self
    }
}

/// An answer that was received; its index is that of its letter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PanelAnswer {
    /// The seat, from 0.
    pub(super) seat: usize,
    /// The agent that answered, and its vendor.
    pub(super) by: (String, String),
    pub(super) said: AnswerBlock,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CountedVote {
    /// The agent that voted, and its vendor.
    pub(super) by: (String, String),
    pub(super) answer: usize,
    pub(super) same_as: Vec<Vec<usize>>,
    pub(super) reason: String,
    /// The evidence that moved the seat in this ballot.
    pub(super) moved_by: Option<String>,
    /// The answer that the seat named without saying what moved it, with its reason; the previous vote counts.
    pub(super) wanted: Option<(usize, String)>,
    /// Whether the seat was not asked in this ballot: the vote is that of the last one.
    pub(super) stands: bool,
}

/// One ballot: the vote of each seat that gave one or whose last one stands, the choices that the answers form, and the tally.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ballot {
    pub(super) round: u32,
    pub(super) votes: BTreeMap<usize, CountedVote>,
    pub(super) choices: Choices,
    pub(super) tally: Tally,
}

impl Ballot {
    /// Counts the votes of one round over this number of answers, of which those in a group are one choice whatever the
    /// seats hold.
    pub(super) fn new(
        round: u32,
        votes: BTreeMap<usize, CountedVote>,
        answers: usize,
        one: &[Vec<usize>],
    ) -> Self {
        let held: Vec<&[Vec<usize>]> = votes.values().map(|vote| &*vote.same_as).collect();
        let choices = Choices::new(answers, &held).joined(one);
        let tally = Tally::new(
            votes
                .values()
                .map(|vote| SeatVote { choice: choices.of(vote.answer), vendor: &vote.by.1 }),
        );
        Self { round, votes, choices, tally }
    }
}
