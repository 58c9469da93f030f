//! How a session ends, as types, so that nobody parses it from a word.

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::{Failure, Seat, SeatStatus, Stop, Warning};
use crate::ordered::{BTreeSet, Gather};
use crate::text::word::Word;
use crate::words;

/// How a run of a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The protocol has finished, and nothing is left to ask.
    Closed,
    /// Agents failed, so nothing is decided: a resume asks them again.
    Failed,
    /// It was stopped: a resume continues it.
    Stopped(Stop),
}

words! {
    /// Why a session has no result of its protocol.
    #[derive(Hash)]
    pub enum Halt {
        /// The next call did not fit into the budget.
        Budget = "budget",
        /// Stopped by a signal, a client, the deadline or a quota.
        Interrupted = "interrupted",
        /// No end: a process is still running it.
        Running = "running",
        /// A person closed the session before it was decided (`sessions terminate`).
        Terminated = "terminated",
    }
}

impl From<Stop> for Halt {
    fn from(why: Stop) -> Self {
        match why {
            Stop::Budget => Self::Budget,
            Stop::Quota | Stop::Deadline | Stop::Cancelled(_) => Self::Interrupted,
            Stop::Running => Self::Running,
            Stop::Terminated => Self::Terminated,
        }
    }
}

/// The words in which a protocol says how it ended.
pub trait EndWord: Word {
    /// Whether nothing is left to ask; otherwise a resume continues.
    fn closes(self) -> bool;

    /// Whether it is a decision: what only one vendor agreed on is none.
    fn decides(self) -> bool;

    /// Returns the failed turns that a resume asks again; the others stay failed, as recorded.
    fn again(_: Ended<Self>, failed: Vec<String>) -> Vec<String> {
        failed
    }
}

/// How a session ended: with its protocol, or before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Ended<O> {
    /// With its protocol, whose word tells whether anything is left to ask ([`EndWord::closes`]).
    Closed(O),
    /// Before.
    Stopped(Halt),
}

// By hand, since an error about an untagged enumeration names no word.
impl<'de, O: EndWord> Deserialize<'de> for Ended<O> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let said = String::deserialize(reader)?;
        let halt = || Halt::of(&said).map(Self::Stopped);
        O::of(&said).map(Self::Closed).or_else(halt).ok_or_else(|| {
            let words = O::WORDS.iter().map(|word| word.word());
            let words: Vec<_> = words.chain(Halt::ALL.map(Halt::name)).collect();
            let words = words.join("`, `");
            D::Error::custom(format!("unknown variant `{said}`, expected one of `{words}`"))
        })
    }
}

impl<O: PartialEq> PartialEq<O> for Ended<O> {
    fn eq(&self, word: &O) -> bool {
        matches!(self, Self::Closed(own) if own == word)
    }
}

impl<O: EndWord> From<O> for Ended<O> {
    fn from(word: O) -> Self {
        Self::Closed(word)
    }
}

impl<O> From<Halt> for Ended<O> {
    fn from(halt: Halt) -> Self {
        Self::Stopped(halt)
    }
}

impl<O> From<Stop> for Ended<O> {
    fn from(why: Stop) -> Self {
        Self::Stopped(why.into())
    }
}

impl<O: EndWord> Ended<O> {
    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Closed(word) => word.word(),
            Self::Stopped(halt) => halt.name(),
        }
    }

    /// Whether nothing is left to ask.
    pub fn closes(self) -> bool {
        matches!(self, Self::Closed(word) if word.closes())
    }

    /// Whether it is a decision, and not that of one vendor alone.
    pub fn decides(self) -> bool {
        matches!(self, Self::Closed(word) if word.decides())
    }

    /// Whether `sessions resume` continues it or asks again what failed.
    pub fn suspended(self) -> bool {
        match self {
            Self::Closed(word) => !word.closes(),
            Self::Stopped(halt) => matches!(halt, Halt::Budget | Halt::Interrupted),
        }
    }
}

impl<O> Ended<O> {
    /// Takes the result back, for what has changed since: a session that is running or that a person ended stays
    /// that.
    pub fn retract(&mut self, undecided: O) {
        if !matches!(self, Self::Stopped(Halt::Running | Halt::Terminated)) {
            *self = Self::Closed(undecided);
        }
    }
}

/// How many seats had to answer and did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Quorum {
    /// Seats that had to answer.
    pub needed: u32,
    /// Seats that answered, by their own agent or a fallback.
    pub answered: u32,
    /// Different vendors that answered for those seats, including those of agents that stepped in.
    pub vendors: u32,
}

impl Quorum {
    /// Counts the seats that answered. A failed or skipped seat never counts.
    pub fn of(seats: &[Seat], needed: u32) -> Self {
        let answered = || {
            seats.iter().filter(|seat| match seat.status {
                SeatStatus::Answered | SeatStatus::FellBack => true,
                SeatStatus::Failed | SeatStatus::Asked | SeatStatus::Skipped => false,
            })
        };
        let vendors: BTreeSet<&str> = answered().map(|seat| seat.vendor.as_str()).gather();
        Self {
            needed,
            answered: u32::try_from(answered().count()).unwrap_or(u32::MAX),
            vendors: u32::try_from(vendors.len()).unwrap_or(u32::MAX),
        }
    }
}

/// A session's outcome: what all have, and the result of its kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome<O, V, R> {
    /// How it ended, or the reason why it is not over.
    pub outcome: O,
    pub verdict: V,
    /// The seats, their agents, and whether they answered.
    pub seats: Vec<Seat>,
    pub quorum: Quorum,
    /// Complete rounds.
    pub rounds_used: u32,
    /// The failure that left it undecided, for the exit code.
    pub failure: Option<Failure>,
    pub warnings: Vec<Warning>,
    pub result: R,
}

/// The properties common to every protocol's outcome.
pub trait SessionOutcome {
    /// Returns the outcome's name in JSON.
    fn name(&self) -> String;
    fn verdict(&self) -> &str;
    /// Whether the protocol decided and nothing is left to ask; otherwise a resume continues.
    fn closes(&self) -> bool;
    /// Returns the failed turns that a resume asks again; the others stay failed, as recorded.
    fn again(&self, failed: Vec<String>) -> Vec<String> {
        failed
    }
    fn seats(&mut self) -> &mut [Seat];
    fn warnings(&self) -> &[Warning];
}

impl<O: EndWord, V: Word, R> SessionOutcome for Outcome<Ended<O>, V, R> {
    fn name(&self) -> String {
        self.outcome.name().to_owned()
    }

    fn verdict(&self) -> &str {
        self.verdict.word()
    }

    fn closes(&self) -> bool {
        self.outcome.closes()
    }

    fn again(&self, failed: Vec<String>) -> Vec<String> {
        O::again(self.outcome, failed)
    }

    fn seats(&mut self) -> &mut [Seat] {
        &mut self.seats
    }

    fn warnings(&self) -> &[Warning] {
        &self.warnings
    }
}
