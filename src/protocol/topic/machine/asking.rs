//! Whom a state asks, about which points, with which prompt.

use super::super::contract::Ask;
use super::super::prompt::{self, Scene};
use super::super::table::{Put, Side};
use super::{Machine, State, turn_id};
use crate::kernel::Turn;
use crate::text::Note;

impl Machine {
    pub(super) fn asked(&self) -> Option<(u32, Ask)> {
        match self.state {
            State::Asked(round, ask) => Some((round, ask)),
            State::Closed(_) => None,
        }
    }

    /// Returns the ids that an answer to this turn is about.
    pub(super) fn shown(&self, ask: Ask) -> Vec<String> {
        let last = self.puts.last();
        match ask {
            Ask::Review | Ask::Rebuttal | Ask::Answer => {
                last.map(Put::asked_about).unwrap_or_default()
            }
            Ask::Expert => {
                (last.into_iter().flat_map(Put::open)).map(|point| point.id.clone()).collect()
            }
            Ask::Remark | Ask::Propose | Ask::Alternative | Ask::Compromise => Vec::new(),
        }
    }

    /// Returns a turn as it is asked now, with what was cut or defused in its prompt.
    pub(super) fn turn(&self, round: u32, ask: Ask) -> (Turn, Vec<Note>) {
        let id = turn_id(round, ask);
        let scene = Scene {
            turn: &id,
            ask,
            input: &self.input,
            stable: &self.stable.text,
            remark: self.remark.as_deref(),
            puts: &self.puts,
            held: &self.held,
            last: self.rounds.last(),
        };
        let (prompt, notes) = prompt::prompt(scene);
        let (not_vendor_of, not_vendors) = self.apart_from(ask);
        let turn = Turn {
            id: crate::kernel::TurnId::read(&id),
            role: ask.role().to_owned(),
            plays: ask.plays().into(),
            prompt,
            blocks: ask.blocks().to_vec(),
            not_vendor_of,
            not_vendors,
        };
        (turn, notes)
    }

    /// Returns the seats and vendors that a fallback must keep apart from: two sides of one vendor are one voice. Where the
    /// seats were given so from the start there is nothing to keep.
    fn apart_from(&self, ask: Ask) -> (Vec<String>, Vec<String>) {
        let own = match Side::of(ask) {
            Some(side) => Some(self.seated(side)),
            None if ask == Ask::Expert => self.input.expert.as_ref(),
            None => None,
        };
        let others: Vec<Side> =
            (Side::ALL.into_iter()).filter(|side| side.seat() != ask.role()).collect();
        let Some(own) = own.filter(|own| {
            let other = |side: &Side| self.seated(*side).vendor != own.vendor;
            others.iter().all(other)
        }) else {
            return (Vec::new(), Vec::new());
        };
        let mut vendors: Vec<String> = (others.iter())
            .filter_map(|side| self.attendance.get(side))
            .flat_map(|seat| seat.vendors.iter().cloned())
            .filter(|vendor| *vendor != own.vendor)
            .collect();
        vendors.sort_unstable();
        vendors.dedup();
        let seats = others.iter().map(|side| side.seat().to_owned()).collect();
        (seats, vendors)
    }
}
