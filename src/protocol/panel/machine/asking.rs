//! Whom a state asks, with which prompt.

use super::super::contract::Ask;
use super::super::input::Judge;
use super::super::model::letter;
use super::super::prompt::{self, Frame};
use super::{Machine, State};
use crate::kernel::Turn;
use crate::protocol::debate::PERSON;
use crate::text::Note;

/// Who is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    /// A seat, from 0.
    Seat(usize),
    /// The judge.
    Judge,
    /// The person who asked.
    Person,
}

/// A turn that is asked now.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) id: String,
    pub(super) who: Who,
    pub(super) ask: Ask,
    /// Of the judge's two rulings, whether it is that of the other order.
    pub(super) reversed: bool,
}

/// Returns a seat's name: `s1` is the first.
pub(in super::super) fn seat_name(seat: usize) -> String {
    format!("s{}", seat + 1)
}

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
        let seats = |round: u32, word: &str, ask: Ask| {
            let asked = |seat: usize| Asked {
                id: format!("r{round}/{word}/{}", seat_name(seat)),
                who: Who::Seat(seat),
                ask,
                reversed: false,
            };
            (0..self.input.seats.len()).map(asked).collect()
        };
        let judge = |round: u32, word: &str, ask: Ask, reversed: bool| Asked {
            id: format!("r{round}/judge/{word}"),
            who: Who::Judge,
            ask,
            reversed,
        };
        match self.state {
            State::Answers => seats(1, "answer", Ask::Answer),
            State::Vote => seats(2, "vote", Ask::Vote),
            State::Remark(round) => vec![Asked {
                id: format!("r{round}/remark"),
                who: Who::Person,
                ask: Ask::Remark,
                reversed: false,
            }],
            State::Cross(round) => seats(round, "cross", Ask::Cross),
            State::Own(round) => vec![judge(round, "own", Ask::Own, false)],
            State::Ruling(round) => vec![
                judge(round, "first", Ask::Ruling, false),
                judge(round, "second", Ask::Ruling, true),
            ],
            State::Closed(_) => Vec::new(),
        }
    }

    /// Returns the seat in whose name the judge is asked.
    fn judge_role(&self) -> String {
        match (&self.input.judge, self.bench.seat) {
            (Judge::Seat, Some(seat)) => seat_name(seat),
            (Judge::Nobody | Judge::Named(_) | Judge::Seat, _) => "judge".to_owned(),
        }
    }

    /// Returns the turns of the current state, each with what was cut or defused in its prompt.
    pub(super) fn turns(&self) -> Vec<(Turn, Vec<Note>)> {
        let turn = |asked: Asked| {
            let frame = Frame { turn: &asked.id, machine: self };
            let (prompt, notes) = match (asked.who, asked.ask) {
                (Who::Seat(seat), Ask::Cross) => prompt::cross(frame, seat),
                (_, Ask::Vote | Ask::Cross) => prompt::vote(frame),
                (_, Ask::Remark) => prompt::remark(frame),
                (_, Ask::Own) => prompt::own(frame),
                (_, Ask::Ruling) => prompt::ruling(frame, asked.reversed),
                (_, Ask::Answer) => prompt::answer(frame),
            };
            let turn = Turn {
                id: crate::kernel::TurnId::read(&asked.id),
                role: match asked.who {
                    Who::Seat(seat) => seat_name(seat),
                    Who::Judge => self.judge_role(),
                    Who::Person => PERSON.to_owned(),
                },
                plays: asked.ask.plays().into(),
                prompt,
                blocks: vec![asked.ask.block()],
                not_vendor_of: Vec::new(),
                not_vendors: Vec::new(),
            };
            (turn, notes)
        };
        self.asked().into_iter().map(turn).collect()
    }
}
