//! Attendance: who was asked, who answered, and from which vendors, counted by the driver turn by
//! turn.

use super::{Failure, Respondent, Seat, SeatStatus, seat_name};
use crate::ordered::{BTreeSet, Gather};

/// The seats of a run, in the order in which results list them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Seats(Vec<Attendance>);

/// A seat and the results of its turns.
#[derive(Debug, Clone, PartialEq)]
pub struct Attendance {
    /// `champion`, `s1`, `product`.
    pub name: String,
    pub seated: Respondent,
    /// Completed turns, in order.
    turns: Vec<TurnResult>,
}

/// Returns unique names of seats for a result: a seat has the name of the agent that gave all its answers (`answered`),
/// so that nobody is named who said nothing; else of its own agent.
pub fn names<'a>(
    answered: impl Iterator<Item = BTreeSet<&'a str>>,
    seated: &'a [Respondent],
) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(seated.len());
    for (at, (agents, own)) in answered.zip(seated).enumerate() {
        let own = own.agent.as_str();
        let mut agents = agents.into_iter();
        let name = match (agents.next(), agents.next()) {
            (Some(only), None) => only,
            (None | Some(_), _) => own,
        };
        let taken = names.iter().any(|other| other == name)
            || (name != own && seated.iter().any(|other| other.agent == name));
        names.push(if taken { format!("{name} ({})", seat_name(at)) } else { name.to_owned() });
    }
    names
}

#[derive(Debug, Clone, PartialEq)]
struct TurnResult {
    by: Respondent,
    failure: Option<Failure>,
}

impl Seats {
    pub fn new(seats: impl IntoIterator<Item = (String, Respondent)>) -> Self {
        let seats = seats.into_iter();
        Self(seats.map(|(name, seated)| Attendance { name, seated, turns: Vec::new() }).collect())
    }

    /// Records who answered a seat's turn, or why nobody did. A person who is asked only for remarks has no seat.
    pub(super) fn attend(&mut self, name: &str, by: &Respondent, failure: Option<&Failure>) {
        if let Some(seat) = self.0.iter_mut().find(|seat| seat.name == name) {
            seat.turns.push(TurnResult { by: by.clone(), failure: failure.cloned() });
        }
    }

    /// Records that the last turn of a seat failed after all: the rules refuse its answer.
    pub(super) fn refuse(&mut self, name: &str, why: Failure) {
        let seat = self.0.iter_mut().find(|seat| seat.name == name);
        if let Some(last) = seat.and_then(|seat| seat.turns.last_mut()) {
            last.failure = Some(why);
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Attendance> {
        self.0.iter()
    }

    /// Returns the seat at an index, from 0.
    pub fn at(&self, place: usize) -> Option<&Attendance> {
        self.0.get(place)
    }

    pub fn named(&self, name: &str) -> Option<&Attendance> {
        self.0.iter().find(|seat| seat.name == name)
    }

    /// Returns the number of seats that were asked and answered every turn.
    pub fn intact(&self) -> usize {
        self.0.iter().filter(|seat| seat.is_intact()).count()
    }

    /// Returns the number of vendors that answered.
    pub fn vendors(&self) -> usize {
        self.0.iter().flat_map(Attendance::vendors).gather::<BTreeSet<_>>().len()
    }

    /// Returns the first failure of the first seat that has one.
    pub fn failure(&self) -> Option<&Failure> {
        self.0.iter().find_map(|seat| seat.failures().next())
    }

    /// Returns the vendor of all seats if they share one: agreement among its agents is then one
    /// vendor's view.
    pub fn only_vendor(&self) -> Option<&str> {
        let first = &self.0.first()?.seated.vendor;
        self.0.iter().all(|seat| seat.seated.vendor == *first).then_some(first)
    }
}

impl Attendance {
    /// Returns the number of its completed turns.
    pub fn asked(&self) -> usize {
        self.turns.len()
    }

    /// Returns the failures of its turns, in order.
    pub fn failures(&self) -> impl DoubleEndedIterator<Item = &Failure> {
        self.turns.iter().filter_map(|turn| turn.failure.as_ref())
    }

    /// Whether it was asked, and answered every time.
    pub fn is_intact(&self) -> bool {
        !self.turns.is_empty() && self.failures().next().is_none()
    }

    /// Whether its last turn was answered.
    pub fn is_present(&self) -> bool {
        self.turns.last().is_some_and(|turn| turn.failure.is_none())
    }

    /// Returns the number of unanswered turns in a row, up to the last.
    pub fn misses(&self) -> usize {
        self.turns.iter().rev().take_while(|turn| turn.failure.is_some()).count()
    }

    /// Returns the vendors that answered for it.
    pub fn vendors(&self) -> BTreeSet<&str> {
        self.answers().map(|by| by.vendor.as_str()).gather()
    }

    /// Returns the agents that answered for it.
    pub fn agents(&self) -> BTreeSet<&str> {
        self.answers().map(|by| by.agent.as_str()).gather()
    }

    /// Returns the last agent that stepped in and answered.
    pub fn stand_in(&self) -> Option<&str> {
        let mut stand_ins = self.answers().filter(|by| by.fell_back_from.is_some());
        stand_ins.next_back().map(|by| by.agent.as_str())
    }

    fn answers(&self) -> impl DoubleEndedIterator<Item = &Respondent> {
        self.turns.iter().filter(|turn| turn.failure.is_none()).map(|turn| &turn.by)
    }

    /// Returns the seat for a result. `present`: whether it counts as having answered, by the protocol's rule.
    pub fn seat(&self, present: bool, failure: Option<String>) -> Seat {
        let stand_in = self.stand_in();
        let status = if self.turns.is_empty() {
            SeatStatus::Skipped
        } else if !present {
            SeatStatus::Failed
        } else if stand_in.is_some() {
            SeatStatus::FellBack
        } else {
            SeatStatus::Answered
        };
        Seat {
            role: self.name.clone(),
            agent: self.seated.agent.clone(),
            vendor: self.seated.vendor.clone(),
            status,
            failure,
            fell_back_to: stand_in.map(str::to_owned),
        }
    }

    /// Describes why the last failed turn has no answer, and how many of several have none.
    pub fn failed(&self) -> Option<String> {
        let last = self.failures().next_back()?;
        Some(self.failed_turns(last, self.asked()))
    }

    /// Describes why a turn has no answer, and how many of those asked have none.
    pub fn failed_turns(&self, failure: &Failure, asked: usize) -> String {
        match asked {
            1 => failure.to_string(),
            _ => format!("{} of {asked} turns failed; {failure}", self.failures().count()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::FailureClass;

    fn agent(agent: &str, vendor: &str, instead_of: Option<&str>) -> Respondent {
        Respondent {
            agent: agent.to_owned(),
            vendor: vendor.to_owned(),
            fell_back_from: instead_of.map(str::to_owned),
        }
    }

    fn late() -> Failure {
        Failure { class: FailureClass::TimedOut, message: "no answer".to_owned() }
    }

    fn two() -> Seats {
        let claude = agent("claude", "anthropic", None);
        let codex = agent("codex", "openai", None);
        Seats::new([("s1".to_owned(), claude), ("s2".to_owned(), codex)])
    }

    /// (a seat's turns: answered, failed, fell back; status if every turn must be answered; failure; present; misses)
    #[test]
    fn a_seat_is_what_its_turns_were() {
        let claude = agent("claude", "anthropic", None);
        let gemini = agent("gemini", "google", Some("claude"));
        let late = late();
        for (turns, status, failure, present, misses) in [
            (vec![], SeatStatus::Skipped, None, false, 0),
            (vec![(&claude, None)], SeatStatus::Answered, None, true, 0),
            (
                vec![(&claude, Some(&late))],
                SeatStatus::Failed,
                Some("timed_out: no answer"),
                false,
                1,
            ),
            (vec![(&gemini, None), (&claude, None)], SeatStatus::FellBack, None, true, 0),
            (
                vec![(&claude, Some(&late)), (&claude, None)],
                SeatStatus::Failed,
                Some("1 of 2 turns failed; timed_out: no answer"),
                true,
                0,
            ),
            (
                vec![(&gemini, None), (&claude, Some(&late)), (&gemini, Some(&late))],
                SeatStatus::Failed,
                Some("2 of 3 turns failed; timed_out: no answer"),
                false,
                2,
            ),
        ] {
            let mut seats = two();
            for (by, failure) in &turns {
                seats.attend("s1", by, *failure);
            }
            let seat = seats.named("s1").unwrap();
            assert_eq!(seat.asked(), turns.len());
            let made = seat.seat(seat.is_intact(), seat.failed());
            assert_eq!((made.status, made.failure.as_deref()), (status, failure), "{turns:?}");
            assert_eq!((seat.is_present(), seat.misses()), (present, misses), "{turns:?}");
            assert_eq!(seats.at(1).unwrap().asked(), 0, "the other seat was not asked");
        }
    }

    #[test]
    fn who_steps_in_is_named_and_its_vendor_counts_if_it_answered() {
        let mut seats = two();
        let gemini = agent("gemini", "google", Some("claude"));
        seats.attend("s1", &gemini, Some(&late()));
        assert_eq!((seats.vendors(), seats.at(0).unwrap().stand_in()), (0, None));
        seats.attend("s1", &gemini, None);
        seats.attend("s2", &agent("codex", "openai", None), None);
        assert_eq!((seats.vendors(), seats.intact()), (2, 1));
        assert_eq!(seats.at(0).unwrap().stand_in(), Some("gemini"));
        assert_eq!(seats.at(0).unwrap().vendors(), BTreeSet::from(["google"]));
        assert_eq!(seats.failure(), Some(&late()));
        // Roles without a seat are not counted.
        seats.attend("person", &agent("human", "human", None), None);
        assert_eq!((seats.vendors(), seats.iter().count()), (2, 2));
    }

    #[test]
    fn an_answer_that_is_refused_never_counts() {
        let mut seats = two();
        let gemini = agent("gemini", "google", Some("claude"));
        seats.attend("s1", &gemini, None);
        seats.refuse("s1", late());
        assert_eq!((seats.vendors(), seats.intact()), (0, 0));
        let seat = seats.at(0).unwrap();
        assert_eq!((seat.asked(), seat.stand_in(), seat.failures().count()), (1, None, 1));
        // A seat that was not asked has no answer to refuse.
        seats.refuse("s2", late());
        seats.refuse("person", late());
        assert_eq!(seats.iter().map(|seat| seat.failures().count()).sum::<usize>(), 1);
    }

    #[test]
    fn one_vendor_on_all_seats_is_seen() {
        assert_eq!(two().only_vendor(), None);
        assert_eq!(Seats::default().only_vendor(), None);
        let opus = agent("opus", "anthropic", None);
        let both = Seats::new([("s1".to_owned(), opus.clone()), ("s2".to_owned(), opus)]);
        assert_eq!(both.only_vendor(), Some("anthropic"));
    }
}
