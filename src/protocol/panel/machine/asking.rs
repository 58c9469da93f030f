//! The turns that each state asks, with their prompts.

use super::super::input::{JUDGE, Judge};
use super::super::reply;
use super::{Machine, Purpose, State};
use crate::kernel::{Query, TurnId, seat_name};

impl Machine {
    /// Returns what an answer may take: the options, and the word for none; empty where answers name no option.
    pub(in super::super) fn options(&self) -> Vec<String> {
        reply::options(&self.input.brief.options)
    }

    pub(super) fn opens(&self) -> Option<u32> {
        match self.state {
            State::Answers => Some(1),
            State::Vote => Some(2),
            State::Cross(round) | State::Own(round) => Some(round),
            State::Ruling(_) | State::Closed(_) => None,
        }
    }

    /// Returns the turns that the current state asks.
    pub(super) fn asked(&self) -> Vec<Purpose> {
        let seats = 0..self.seats.len();
        match self.state {
            State::Answers => seats.map(Purpose::Answer).collect(),
            State::Vote => seats.map(Purpose::Vote).collect(),
            State::Cross(_) => {
                seats.filter(|seat| self.standing(*seat).is_none()).map(Purpose::Cross).collect()
            }
            State::Own(_) => vec![Purpose::Own],
            State::Ruling(_) => [false, true].map(|reversed| Purpose::Ruling { reversed }).to_vec(),
            State::Closed(_) => Vec::new(),
        }
    }

    fn judge_role(&self) -> String {
        match (&self.judge, self.bench.seat) {
            (Judge::Seat, Some(seat)) => seat_name(seat),
            (Judge::Nobody | Judge::Named(_) | Judge::Seat, _) => JUDGE.to_owned(),
        }
    }

    #[cfg(test)]
    pub(in super::super) fn purpose_of(&self, turn: &str) -> Option<Purpose> {
        self.asked().into_iter().find(|asked| asked.id(self.round()) == *turn)
    }

    pub(super) fn query(&self, asked: Purpose) -> Query<Purpose> {
        let seat = match asked {
            Purpose::Answer(seat) | Purpose::Vote(seat) | Purpose::Cross(seat) => seat_name(seat),
            Purpose::Own | Purpose::Ruling { .. } => self.judge_role(),
        };
        self.draft(asked, &asked.id(self.round())).to(&seat, asked)
    }
}

impl Purpose {
    pub(super) fn id(self, round: u32) -> TurnId {
        let task = |task| TurnId::in_round(round, task);
        match self {
            Self::Answer(seat) => task("answer").seat(seat),
            Self::Vote(seat) => task("vote").seat(seat),
            Self::Cross(seat) => task("cross").seat(seat),
            Self::Own => task("judge").part("own"),
            Self::Ruling { reversed: false } => task("judge").part("first"),
            Self::Ruling { reversed: true } => task("judge").part("second"),
        }
    }
}
