//! What the driver knows of a run: its seats, its warnings, and what it has to tell.

use serde_json::Value;

use super::{Fact, Failure, Seated, Seats, TurnId, Warning};
use crate::text::Note;

/// What happened, for the journal and for who watches.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A protocol states something: a warning, a composition, what is known already.
    Found(Fact),
    /// A round is over.
    RoundClosed {
        /// From 1.
        round: u32,
        /// What it came to.
        fact: Fact,
    },
}

impl Event {
    /// Returns what is stated.
    pub fn fact(&self) -> &Fact {
        match self {
            Self::Found(fact) | Self::RoundClosed { fact, .. } => fact,
        }
    }
}

/// A run of a protocol, as far as it is alike for all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    seats: Seats,
    warnings: Vec<Warning>,
    events: Vec<Event>,
}

impl Run {
    /// Begins a run with these seats, in the order in which results list them.
    pub fn new(seats: impl IntoIterator<Item = (String, Seated)>) -> Self {
        Self { seats: Seats::new(seats), warnings: Vec::new(), events: Vec::new() }
    }

    /// Returns who was asked, and who answered.
    pub fn seats(&self) -> &Seats {
        &self.seats
    }

    /// Refuses what a seat answered last: its turn has failed, although it was read.
    pub fn refuse(&mut self, seat: &str, why: Failure) {
        self.seats.refuse(seat, why);
    }

    pub(super) fn seats_mut(&mut self) -> &mut Seats {
        &mut self.seats
    }

    /// Returns all warnings so far.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Warns: it stands in the result, and is told at once. `turn`: the one that it concerns.
    pub fn warn(&mut self, note: &Note, turn: Option<&TurnId>) {
        self.warn_with(note, turn, Value::Null);
    }

    /// Warns, and tells the measured values behind it.
    pub fn warn_with(&mut self, note: &Note, turn: Option<&TurnId>, data: Value) {
        let turn = turn.map(ToString::to_string);
        self.warnings.push(Warning {
            code: note.code.clone(),
            turn: turn.clone(),
            message: note.message.clone(),
        });
        let fact = Fact {
            code: note.code.clone(),
            turn,
            message: note.message.clone(),
            data,
            warning: true,
        };
        self.events.push(Event::Found(fact));
    }

    /// States something that is no warning.
    pub fn state(&mut self, code: &str, turn: Option<&TurnId>, message: String, data: Value) {
        self.events.push(Event::Found(fact(code, turn, message, data)));
    }

    /// Says that a round is over, and what it came to.
    pub fn close_round(&mut self, round: u32, turn: Option<&TurnId>, message: String, data: Value) {
        let fact = fact("round_closed", turn, message, data);
        self.events.push(Event::RoundClosed { round, fact });
    }

    /// Takes what happened since it was taken last.
    pub(super) fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }
}

fn fact(code: &str, turn: Option<&TurnId>, message: String, data: Value) -> Fact {
    let turn = turn.map(ToString::to_string);
    Fact { code: code.to_owned(), turn, message, data, warning: false }
}
