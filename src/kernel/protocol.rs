//! The contract between a protocol and the engine that drives it.
//!
//! # Theory of operation
//!
//! A protocol knows no clock, id, file, process or network. [`Protocol::next`]
//! says which turns to ask now; all turns of one step are asked at the same
//! time. [`Protocol::parse`] judges one reply: `Ok`, or a [`Defect`] that earns
//! one repair re-ask. [`Protocol::apply`] takes every answer of the step, in
//! turn order, failures included, and moves on. [`Protocol::stop`] wraps up
//! early when the engine must end the run. The same state always gives the same
//! step, so a resume is nothing but the same calls answered from the journal.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Answer, Chance, Defect, Fact, RawReply, Turn};

/// What a protocol wants next.
#[derive(Debug, Clone, PartialEq)]
pub enum Step<O> {
    /// Ask these turns at the same time; all answers are needed before the next step.
    Ask {
        /// The round that these turns open, if they are a round's first.
        opens_round: Option<u32>,
        /// The turns; never empty.
        turns: Vec<Turn>,
    },
    /// The debate is over.
    Done(O),
}

/// Why the engine ends a run before its protocol does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The next call's reservation does not fit into the budget.
    Budget,
    /// The whole run's deadline passed.
    Deadline,
    /// A signal or a client asked to stop. Holds the signal's number (1, 2 or 15).
    Cancelled(i32),
    /// Nothing stopped it: a stored session is looked at while a process runs it.
    Running,
    /// A person closed the session: whatever it had come to, it was not decided.
    Terminated,
}

/// A limit of a whole run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// The budget does not cover the next call.
    Budget,
    /// The deadline of the whole run passed.
    Deadline,
}

impl Limit {
    /// Returns the name as it stands in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Budget => "budget",
            Self::Deadline => "deadline",
        }
    }

    /// Says what happened, in words.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Budget => "the budget does not cover the next call",
            Self::Deadline => "the deadline passed",
        }
    }
}

/// A debate's rules as a state machine without I/O.
pub trait Protocol {
    /// A reply after parsing.
    type Reply;
    /// How the debate ended, with everything its result document needs.
    type Outcome;

    /// Returns the next step. Pure: asking twice gives the same step.
    fn next(&self) -> Step<Self::Outcome>;

    /// Judges one reply to `turn`.
    ///
    /// With [`Chance::First`] a doubtful reply is an `Err`, which earns one
    /// repair re-ask. With [`Chance::Last`] whatever the rules can complete
    /// without guessing is completed and marked; `Err` then fails the turn.
    fn parse(&self, turn: &Turn, reply: &RawReply, chance: Chance) -> Result<Self::Reply, Defect>;

    /// Returns how many roles of a step must answer for it to be worth asking: all, unless a quorum decides.
    fn quorum(&self) -> usize {
        usize::MAX
    }

    /// Takes the answers of one step, in the order of its turns.
    fn apply(&mut self, answers: Vec<Answer<Self::Reply>>) -> Vec<Fact>;

    /// Takes what was answered of a step that a limit cut short, just before [`Protocol::stop`].
    ///
    /// A barrier, whose answers are worth something only together, does nothing here; the
    /// journal keeps them for a resume.
    fn part(&mut self, answers: Vec<Answer<Self::Reply>>) {
        drop(answers);
    }

    /// Wraps up early.
    fn stop(&self, why: Stop) -> Self::Outcome;
}
