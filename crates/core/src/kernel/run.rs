//! The driver's record of a run: seats, warnings, and events to report.

use serde_json::Value;

use super::{Fact, Failure, Respondent, Seats, TurnId, Warning};
use crate::text::Note;

/// An event for the journal and for observers.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A statement of the protocol: a warning, a composition, something already known.
    Found(Fact),
    RoundClosed {
        /// From 1.
        round: u32,
        fact: Fact,
    },
}

impl Event {
    /// Returns the fact stated.
    pub fn fact(&self) -> &Fact {
        match self {
            Self::Found(fact) | Self::RoundClosed { fact, .. } => fact,
        }
    }
}

/// The part of a run that is common to all protocols.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    seats: Seats,
    warnings: Vec<Warning>,
    events: Vec<Event>,
}

impl Run {
    /// Creates a run with these seats, in the order in which results list them.
    pub fn new(seats: impl IntoIterator<Item = (String, Respondent)>) -> Self {
        Self { seats: Seats::new(seats), warnings: Vec::new(), events: Vec::new() }
    }

    /// Returns the seats and their attendance.
    pub fn seats(&self) -> &Seats {
        &self.seats
    }

    /// Refuses a seat's last answer: its turn has failed, although it was read.
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

    /// Adds a warning to the result and reports it at once. `turn`: the turn concerned.
    pub fn warn(&mut self, note: &Note, turn: Option<&TurnId>) {
        self.warn_with(note, turn, Value::Null);
    }

    /// Adds a warning with the measured values behind it.
    pub fn warn_with(&mut self, note: &Note, turn: Option<&TurnId>, data: Value) {
        let fact = Fact { data, ..Fact::warning(note, turn.map(TurnId::as_str)) };
        let Fact { code, turn, message, .. } = fact.clone();
        self.warnings.push(Warning { code, turn, message });
        self.events.push(Event::Found(fact));
    }

    /// States something that is not a warning.
    pub fn state(&mut self, code: &str, turn: Option<&TurnId>, message: String, data: Value) {
        self.events.push(Event::Found(Fact::new(code, turn.map(TurnId::as_str), message, data)));
    }

    /// Closes a round and states its result.
    pub fn close_round(&mut self, round: u32, turn: Option<&TurnId>, message: String, data: Value) {
        let fact = Fact::new("round_closed", turn.map(TurnId::as_str), message, data);
        self.events.push(Event::RoundClosed { round, fact });
    }

    /// Takes the events since the last call.
    pub(super) fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::kernel::FailureClass;

    fn begun() -> Run {
        let seated = Respondent {
            agent: "claude".to_owned(),
            vendor: "anthropic".to_owned(),
            fell_back_from: None,
        };
        Run::new([("s1".to_owned(), seated)])
    }

    #[test]
    fn what_is_warned_of_is_kept_and_told_once() {
        let mut run = begun();
        let turn = TurnId::of("fix");
        run.warn(&Note::new("echo", "it repeats"), None);
        run.warn_with(&Note::new("spread", "they differ"), Some(&turn), json!({ "by": 3 }));
        let kept: Vec<_> = run
            .warnings()
            .iter()
            .map(|warning| {
                (warning.code.as_str(), warning.turn.as_deref(), warning.message.as_str())
            })
            .collect();
        assert_eq!(kept, [("echo", None, "it repeats"), ("spread", Some("fix"), "they differ")]);
        let echo = Fact::warning(&Note::new("echo", "it repeats"), None);
        let spread = Fact {
            data: json!({ "by": 3 }),
            ..Fact::warning(&Note::new("spread", "they differ"), Some("fix"))
        };
        assert_eq!(run.take_events(), [Event::Found(echo), Event::Found(spread)]);
        assert_eq!(run.take_events(), []);
        assert_eq!(run.warnings().len(), 2);
    }

    #[test]
    fn what_is_stated_and_what_a_round_came_to_are_told_and_are_no_warnings() {
        let mut run = begun();
        let turn = TurnId::in_round(2, "critic");
        run.state("composed", Some(&turn), "of two".to_owned(), json!(2));
        run.close_round(2, None, "all agree".to_owned(), json!(true));
        let stated = Fact {
            code: "composed".to_owned(),
            turn: Some("r2/critic".to_owned()),
            message: "of two".to_owned(),
            data: json!(2),
            warning: false,
        };
        let closed = Fact {
            code: "round_closed".to_owned(),
            turn: None,
            message: "all agree".to_owned(),
            data: json!(true),
            warning: false,
        };
        let events = run.take_events();
        let facts: Vec<&Fact> = events.iter().map(Event::fact).collect();
        assert_eq!(facts, [&stated, &closed]);
        assert_eq!(events, [Event::Found(stated), Event::RoundClosed { round: 2, fact: closed }]);
        assert_eq!(run.warnings(), []);
    }

    #[test]
    fn an_answer_that_the_rules_refuse_counts_as_failed() {
        let mut run = begun();
        let seated = run.seats().named("s1").unwrap().seated.clone();
        run.seats_mut().attend("s1", &seated, None);
        assert_eq!(run.seats().intact(), 1);
        let why = Failure { class: FailureClass::Unreadable, message: "no plan".to_owned() };
        run.refuse("s1", why.clone());
        assert_eq!((run.seats().intact(), run.seats().failure()), (0, Some(&why)));
    }
}
