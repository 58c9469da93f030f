//! The contract between a protocol and the engine that drives it.
//!
//! # Theory of operation
//!
//! A protocol knows no clock, id, file, process or network. [`Protocol::next`] returns the turns to ask now, each
//! with what is needed to read its reply; all turns of one step are asked at the same time. [`Protocol::read`]
//! judges one reply: `Ok`, or a [`Defect`] that earns one repair re-ask. [`Protocol::apply`] gets every answer of
//! the step, in the order of its turns, failures included, and moves on. [`Protocol::stop`] wraps up early when
//! the run must end. The same state always gives the same step, so a resume is the same calls answered from the
//! journal. [`super::Driver`] keeps seats, warnings and the open step.

use std::fmt::Debug;

use serde_json::Value;

use super::turn::{Answer, Chance, Defect, RawReply, Reply, Turn};
use super::{Run, SessionOutcome, Stage};
use crate::text::Note;
use crate::words;

#[derive(Debug, Clone, PartialEq)]
pub enum Step<O, T = Turn> {
    /// Ask these turns at the same time; all answers are needed before the next step.
    Ask {
        opens_round: Option<u32>,
        /// The turns; never empty.
        turns: Vec<T>,
    },
    /// The debate is over.
    Done(O),
}

impl<O, T> Step<O, T> {
    pub fn map<U>(self, turn: impl FnMut(T) -> U) -> Step<O, U> {
        match self {
            Self::Ask { opens_round, turns } => {
                Step::Ask { opens_round, turns: turns.into_iter().map(turn).collect() }
            }
            Self::Done(outcome) => Step::Done(outcome),
        }
    }
}

/// Why the engine ends a run before its protocol has finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The next call's reservation does not fit into the budget.
    Budget,
    /// Less of a vendor's quota is left than the user keeps.
    Quota,
    /// The whole run's deadline passed.
    Deadline,
    /// A signal or a client asked to stop, with the signal's number (1, 2 or 15).
    Cancelled(i32),
    /// Nothing stopped it: a stored session is read while a process runs it.
    Running,
    /// A person closed the session, which leaves it undecided whatever its state.
    Terminated,
}

words! {
    /// A limit of a whole run.
    #[derive(Hash)]
    pub enum Limit {
        /// The budget does not cover the next call.
        Budget = "budget",
        /// Less of a vendor's quota is left than the user keeps.
        Quota = "quota",
        /// The deadline of the whole run passed.
        Deadline = "deadline",
    }
}

impl Limit {
    /// Says what happened, in words.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Budget => "the budget does not cover the next call",
            Self::Quota => "less of a quota is left than `limits.keep_quota_percent` keeps",
            Self::Deadline => "the deadline passed",
        }
    }
}

/// A turn as asked by a protocol.
#[derive(Debug, Clone, PartialEq)]
pub struct Query<A> {
    /// The prompt and its recipient.
    pub turn: Turn,
    /// Its purpose: everything needed to read its reply.
    pub ask: A,
    /// Notes on text cut or defused in its prompt.
    pub notes: Vec<Note>,
}

impl<A> Query<A> {
    /// The same, without which the run goes on where the budget does not cover it.
    #[must_use]
    pub fn spare(mut self) -> Self {
        self.turn.spare = true;
        self
    }

    /// Converts the purpose of the query.
    pub fn map<B>(self, ask: impl FnOnce(A) -> B) -> Query<B> {
        Query { turn: self.turn, ask: ask(self.ask), notes: self.notes }
    }
}

/// Answers in the order of their turns, each with its purpose.
pub type Answers<P> = Vec<(<P as Protocol>::Ask, Answer<<P as Protocol>::Content>)>;

/// The rules of a debate: whom to ask what, what the answers mean, and when it is over.
pub trait Protocol {
    /// A turn's purpose, with everything needed to read its reply.
    type Ask: Clone + Debug;
    type Content: Clone + Debug + 'static;
    /// The outcome, with everything needed for a result.
    type Outcome: SessionOutcome + Clone + Debug;

    /// Its stages, in their order.
    const STAGES: &'static [Stage] = &[];

    /// Wording of the warning that an answer holds marker-like text.
    const DEFUSED: &'static str = "it is defused for the others";

    /// Returns the next step. Pure: calling it twice gives the same step.
    fn next(&self, run: &Run) -> Step<Self::Outcome, Query<Self::Ask>>;

    /// Reads one reply.
    ///
    /// With [`Chance::First`] a doubtful reply is an `Err`, which earns one repair re-ask. With [`Chance::Last`]
    /// whatever the rules can complete without guessing is completed and noted; an `Err` then fails the turn.
    fn read(
        &self,
        ask: &Self::Ask,
        reply: &RawReply,
        chance: Chance,
    ) -> Result<Reply<Self::Content>, Defect>;

    /// Returns the subject of a turn as data: a rehearsal's stand-in answers from it, never from the prompt.
    fn data(&self, _: &Self::Ask, _: &Turn, _: &Run) -> Value {
        Value::Null
    }

    /// Returns what an answer says, a line each and the most important first, for people who watch:
    /// `P1 src/a.rs:12 the lock stays held`. The driver cleans and shortens them.
    fn gist(&self, _: &Self::Ask, _: &Self::Content) -> Vec<String> {
        Vec::new()
    }

    /// Returns the part of an answer that other agents will see, so that marker-like text in it is noted.
    fn quoted(&self, _: &Self::Content) -> Option<String> {
        None
    }

    /// Returns the seat whose attendance a turn counts towards; `role` is the one asked.
    fn attends<'a>(&self, _: &Self::Ask, role: &'a str) -> &'a str {
        role
    }

    /// Returns the number of roles in a step that must answer for it to be worth asking: all, unless a
    /// quorum decides.
    fn quorum(&self) -> usize {
        usize::MAX
    }

    /// Whether the answers of a step cut short now would count: for attendance, warnings and
    /// [`Protocol::stop`]. If not, the step counts as not asked.
    fn keeps_part(&self) -> bool {
        true
    }

    fn apply(&mut self, answers: Answers<Self>, run: &mut Run)
    where
        Self: Sized;

    /// Wraps up early. `part`: the answers of the step that was cut short; they decide nothing.
    fn stop(
        &self,
        why: Stop,
        part: &[(Self::Ask, Answer<Self::Content>)],
        run: &Run,
    ) -> Self::Outcome;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Seat, Warning};

    /// Implements only the required methods.
    #[derive(Debug, Clone, PartialEq)]
    struct Plain;

    impl SessionOutcome for Plain {
        fn name(&self) -> String {
            "plain".to_owned()
        }
        fn verdict(&self) -> &'static str {
            "none"
        }
        fn closes(&self) -> bool {
            true
        }
        fn seats(&mut self) -> &mut [Seat] {
            &mut []
        }
        fn warnings(&self) -> &[Warning] {
            &[]
        }
    }

    impl Protocol for Plain {
        type Ask = ();
        type Content = ();
        type Outcome = Self;

        fn next(&self, _: &Run) -> Step<Self, Query<()>> {
            Step::Done(Self)
        }
        fn read(&self, (): &(), _: &RawReply, _: Chance) -> Result<Reply<()>, Defect> {
            Ok(Reply { content: (), notes: Vec::new() })
        }
        fn apply(&mut self, _: Answers<Self>, _: &mut Run) {}
        fn stop(&self, _: Stop, _: &[((), Answer<()>)], _: &Run) -> Self {
            Self
        }
    }

    #[test]
    fn unless_the_rules_say_otherwise_all_must_answer_for_themselves_and_every_answer_counts() {
        assert_eq!(Plain.quoted(&()), None);
        assert_eq!(Plain.attends(&(), "s1"), "s1");
        assert_eq!(Plain.quorum(), usize::MAX);
        assert!(Plain.keeps_part());
    }

    #[test]
    fn unless_the_outcome_says_otherwise_a_resume_asks_all_that_failed_again() {
        let failed = vec!["r1/plan/s1".to_owned(), "r1/plan/s2".to_owned()];
        assert_eq!(Plain.again(failed.clone()), failed);
    }

    #[test]
    fn a_limit_has_the_name_that_stands_in_json_and_a_reason_in_words() {
        for (limit, name, reason) in [
            (Limit::Budget, "budget", "the budget does not cover the next call"),
            (Limit::Quota, "quota", Limit::Quota.reason()),
            (Limit::Deadline, "deadline", "the deadline passed"),
        ] {
            assert_eq!(serde_json::to_value(limit).unwrap(), name);
            assert_eq!((limit.name(), limit.reason()), (name, reason));
        }
    }
}
