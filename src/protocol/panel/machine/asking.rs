//! Whom a state asks, with which prompt.

use super::super::contract::Ask;
use super::super::input::Judge;
use super::super::model::letter;
use super::super::prompt::{self, Frame};
use super::{Asked, JUDGE, Machine, State};
use crate::kernel::{Draft, Query, Turn, TurnId, seat_name};
use crate::protocol::debate::PERSON;

impl Machine {
    /// Returns the letters that a turn may name: all answers, or of a ruling one for each choice.
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

    /// Returns the round that the current step opens.
    pub(super) fn opens(&self) -> Option<u32> {
        match self.state {
            State::Answers => Some(1),
            State::Vote => Some(2),
            State::Remark(round) | State::Own(round) => Some(round),
            // The remark opened it.
            State::Cross(round) => (!self.input.settings.pause).then_some(round),
            State::Ruling(_) | State::Closed(_) => None,
        }
    }

    /// Returns whom the current state asks.
    pub(super) fn asked(&self) -> Vec<Asked> {
        let seats = 0..self.input.seats.len();
        match self.state {
            State::Answers => seats.map(Asked::Answer).collect(),
            State::Vote => seats.map(Asked::Vote).collect(),
            State::Remark(_) => vec![Asked::Remark],
            State::Cross(_) => seats.map(Asked::Cross).collect(),
            State::Own(_) => vec![Asked::Own],
            State::Ruling(_) => [false, true].map(|reversed| Asked::Ruling { reversed }).to_vec(),
            State::Closed(_) => Vec::new(),
        }
    }

    /// Returns the seat in whose name the judge is asked.
    fn judge_role(&self) -> String {
        match (&self.input.judge, self.bench.seat) {
            (Judge::Seat, Some(seat)) => seat_name(seat),
            (Judge::Nobody | Judge::Named(_) | Judge::Seat, _) => JUDGE.to_owned(),
        }
    }

    pub(super) fn query(&self, asked: Asked) -> Query<Asked> {
        let (id, kind) = (asked.id(self.round()), asked.kind());
        let Draft { prompt, notes, .. } = self.draft(asked, &id);
        let turn = Turn {
            id,
            role: match asked {
                Asked::Answer(seat) | Asked::Vote(seat) | Asked::Cross(seat) => seat_name(seat),
                Asked::Own | Asked::Ruling { .. } => self.judge_role(),
                Asked::Remark => PERSON.to_owned(),
            },
            plays: kind.plays().into(),
            prompt,
            blocks: vec![kind.block().want()],
            not_vendor_of: Vec::new(),
            not_vendors: Vec::new(),
        };
        Query { turn, ask: asked, notes }
    }

    /// Makes the prompt of a turn.
    pub(super) fn draft(&self, asked: Asked, turn: &TurnId) -> Draft {
        let frame = Frame { turn, machine: self };
        match asked {
            Asked::Answer(_) => prompt::answer(frame),
            Asked::Vote(_) => prompt::vote(frame),
            Asked::Cross(seat) => prompt::cross(frame, seat),
            Asked::Remark => prompt::remark(frame),
            Asked::Own => prompt::own(frame),
            Asked::Ruling { reversed } => prompt::ruling(frame, reversed),
        }
    }
}

impl Asked {
    /// Returns the turn's id in a round.
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
