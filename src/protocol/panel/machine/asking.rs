//! The turns that each state asks, with their prompts.

use super::super::contract::Ask;
use super::super::input::Judge;
use super::super::model::letter;
use super::super::prompt::{self, Frame};
use super::{JUDGE, Machine, Purpose, State};
use crate::kernel::{Draft, Query, Turn, TurnId, seat_name};
use crate::protocol::debate::PERSON;

impl Machine {
    /// Returns the letters that a turn may name: those of all answers or, for a ruling, one per choice.
    pub(super) fn shown(&self, ask: Ask) -> Vec<String> {
        match ask {
            Ask::Vote | Ask::Cross => (0..self.answers.len()).map(letter).collect(),
            Ask::Ruling => {
                let last = self.ballots.last();
                let choices = last.map(|ballot| ballot.choices.all());
                choices.into_iter().flatten().map(letter).collect()
            }
            Ask::Answer | Ask::Remark | Ask::Own => Vec::new(),
        }
    }

    /// Returns the round that the current step opens, if it opens one.
    pub(super) fn opens(&self) -> Option<u32> {
        match self.state {
            State::Answers => Some(1),
            State::Vote => Some(2),
            State::Remark(round) | State::Own(round) => Some(round),
            // With a pause, the remark has already opened it.
            State::Cross(round) => (!self.input.settings.pause).then_some(round),
            State::Ruling(_) | State::Closed(_) => None,
        }
    }

    /// Returns the turns that the current state asks.
    pub(super) fn asked(&self) -> Vec<Purpose> {
        let seats = 0..self.input.seats.len();
        match self.state {
            State::Answers => seats.map(Purpose::Answer).collect(),
            State::Vote => seats.map(Purpose::Vote).collect(),
            State::Remark(_) => vec![Purpose::Remark],
            State::Cross(_) => seats.map(Purpose::Cross).collect(),
            State::Own(_) => vec![Purpose::Own],
            State::Ruling(_) => [false, true].map(|reversed| Purpose::Ruling { reversed }).to_vec(),
            State::Closed(_) => Vec::new(),
        }
    }

    /// Returns the seat under whose name the judge is asked.
    fn judge_role(&self) -> String {
        match (&self.input.judge, self.bench.seat) {
            (Judge::Seat, Some(seat)) => seat_name(seat),
            (Judge::Nobody | Judge::Named(_) | Judge::Seat, _) => JUDGE.to_owned(),
        }
    }

    pub(super) fn query(&self, asked: Purpose) -> Query<Purpose> {
        let (id, kind) = (asked.id(self.round()), asked.kind());
        let Draft { prompt, notes, .. } = self.draft(asked, &id);
        let turn = Turn {
            id,
            role: match asked {
                Purpose::Answer(seat) | Purpose::Vote(seat) | Purpose::Cross(seat) => {
                    seat_name(seat)
                }
                Purpose::Own | Purpose::Ruling { .. } => self.judge_role(),
                Purpose::Remark => PERSON.to_owned(),
            },
            plays: kind.plays().into(),
            prompt,
            blocks: vec![kind.block().want()],
            not_vendor_of: Vec::new(),
            not_vendors: Vec::new(),
        };
        Query { turn, ask: asked, notes }
    }

    pub(super) fn draft(&self, asked: Purpose, turn: &TurnId) -> Draft {
        let frame = Frame { turn, machine: self };
        match asked {
            Purpose::Answer(_) => prompt::answer(frame),
            Purpose::Vote(_) => prompt::vote(frame),
            Purpose::Cross(seat) => prompt::cross(frame, seat),
            Purpose::Remark => prompt::remark(frame),
            Purpose::Own => prompt::own(frame),
            Purpose::Ruling { reversed } => prompt::ruling(frame, reversed),
        }
    }
}

impl Purpose {
    /// Returns the id of the turn in a round.
    pub(super) fn id(self, round: u32) -> TurnId {
        let task = |task| TurnId::in_round(round, task);
        match self {
            Self::Answer(seat) => task("answer").seat(seat),
            Self::Vote(seat) => task("vote").seat(seat),
            Self::Cross(seat) => task("cross").seat(seat),
            Self::Remark => task("remark"),
            Self::Own => task("judge").part("own"),
            Self::Ruling { reversed: false } => task("judge").part("first"),
            Self::Ruling { reversed: true } => task("judge").part("second"),
        }
    }
}
