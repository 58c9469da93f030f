//! The events of a run, in one ordered stream. Reporters show them and never decide.

use std::time::Duration;

use chrono::{DateTime, Utc};

use crate::kernel::{self, Cost, Fact, Failure, Limit, Respondent, Stage, Usd};

#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// 1, 2, 3, ... within this run.
    pub seq: u64,
    /// Wall clock, for people.
    pub at: DateTime<Utc>,
    /// Monotonic time since the run began.
    pub elapsed: Duration,
    pub kind: EventKind,
}

/// What is known of a session's course when it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Course {
    /// Its protocol's stages.
    pub stages: &'static [Stage],
    /// Maximum number of turns; 0 if not known.
    pub turns: u32,
    /// How long ago it began, for who watches from elsewhere.
    pub since: Duration,
}

/// Kinds of events. Every started item gets a finished one.
#[derive(Debug, Clone, PartialEq)]
pub enum EventKind {
    /// A session begins or continues.
    SessionStarted {
        /// The session's id.
        session: String,
        /// The protocol's name: `backlog`.
        protocol: &'static str,
        title: String,
        /// Whether an earlier run is resumed.
        resumed: bool,
        /// Whether built-in stand-ins play every role.
        rehearsal: bool,
        budget: Option<Usd>,
        /// Amount spent by earlier runs of this session.
        spent: Usd,
        course: Course,
    },
    RoundOpened {
        /// From 1.
        round: u32,
        /// Maximum number of rounds.
        of: u32,
    },
    TurnStarted {
        /// The turn's id.
        turn: String,
        role: String,
        agent: String,
        vendor: String,
        /// The time limit of each of its calls; `None` for a person.
        limit: Option<Duration>,
        /// How long ago it began, for who watches from elsewhere.
        since: Duration,
    },
    /// An agent produced output (at most five times a second per turn).
    TurnOutput {
        /// The turn's id.
        turn: String,
        /// Bytes of standard output so far.
        bytes: u64,
        /// What it does, or its last words: sanitized and redacted, at most 640 characters.
        phase: Option<String>,
    },
    /// A transient failure.
    TurnRetrying {
        /// The turn's id.
        turn: String,
        /// The attempt that failed, from 1.
        attempt: u32,
        failure: Failure,
        /// The delay before the next attempt.
        delay: Duration,
    },
    /// The reply was unreadable and is asked for again.
    TurnRepairing {
        /// The turn's id.
        turn: String,
        defect: String,
    },
    /// Another agent steps in.
    TurnFellBack {
        /// The turn's id.
        turn: String,
        /// The agent that failed.
        from: String,
        to: String,
    },
    TurnFinished {
        /// The turn's id.
        turn: String,
        role: String,
        /// Who answered, or was asked last.
        seated: Respondent,
        failure: Option<Failure>,
        /// Whether every attempt was answered from the journal.
        replayed: bool,
        took: Duration,
        cost: Option<Cost>,
        /// The session's total spending so far.
        spent: Usd,
        /// What the answer says, a line each.
        gist: Vec<String>,
    },
    /// A protocol states something.
    Found(Fact),
    RoundClosed {
        /// From 1.
        round: u32,
        fact: Fact,
    },
    /// The run is over.
    SessionFinished {
        /// The outcome: `consensus`, `budget`, ...
        outcome: String,
        /// The verdict: `decided`, `undecided`.
        verdict: String,
        stopped_by: Option<Limit>,
        /// Whether the session can be resumed.
        resumable: bool,
        cost: Option<Cost>,
    },
    /// A sink was served, or failed, after the session ended.
    SinkFinished {
        sink: String,
        /// `sent`, `pending`, `skipped`.
        state: &'static str,
        /// Why it was not sent.
        message: Option<String>,
    },
}

impl From<kernel::Event> for EventKind {
    fn from(event: kernel::Event) -> Self {
        match event {
            kernel::Event::Found(fact) => Self::Found(fact),
            kernel::Event::RoundClosed { round, fact } => Self::RoundClosed { round, fact },
        }
    }
}

/// Shows or records events. Never decides anything.
pub trait Reporter {
    /// Handles one event. An error ends the run as an I/O error.
    fn event(&mut self, event: &Event) -> std::io::Result<()>;

    /// Shows more of the words of a running agent, by the number of its row from 1, or no longer; for live views.
    fn choose(&mut self, _row: usize) {}
}
