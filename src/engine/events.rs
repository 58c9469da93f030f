//! The events of a run, in one ordered stream. Reporters show them and never decide.

use std::time::Duration;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::kernel::{self, Cost, Fact, Failure, Limit, Respondent, Stage, Usd};

/// An event; as JSON a line of `--events`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Event {
    /// 1, 2, 3, ... within this run.
    pub seq: u64,
    /// Wall clock, for people.
    pub at: DateTime<Utc>,
    /// Monotonic time since the run began.
    #[serde(rename = "elapsed_ms", serialize_with = "millis")]
    #[schemars(with = "u64")]
    pub elapsed: Duration,
    #[serde(flatten)]
    pub kind: EventKind,
}

/// What is known of a session's course when it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Course {
    /// Its protocol's stages.
    #[serde(serialize_with = "names")]
    #[schemars(with = "Vec<String>")]
    pub stages: &'static [Stage],
    /// Maximum number of turns; 0 if not known.
    #[serde(rename = "most_turns")]
    pub turns: u32,
    /// How long ago it began, for who watches from elsewhere.
    #[serde(skip)]
    pub since: Duration,
}

/// Kinds of events. Every started item gets a finished one.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "type")]
pub enum EventKind {
    /// A session begins or continues.
    #[serde(rename = "session.started")]
    SessionStarted {
        /// The session's id.
        #[serde(rename = "session_id")]
        session: String,
        /// The protocol's name: `backlog`.
        protocol: &'static str,
        title: String,
        /// Whether an earlier run is resumed.
        resumed: bool,
        /// Whether built-in stand-ins play every role.
        rehearsal: bool,
        #[serde(rename = "budget_usd")]
        budget: Option<Usd>,
        /// Amount spent by earlier runs of this session.
        #[serde(rename = "spent_usd")]
        spent: Usd,
        #[serde(flatten)]
        course: Course,
    },
    #[serde(rename = "round.opened")]
    RoundOpened {
        /// From 1.
        round: u32,
        /// Maximum number of rounds.
        of: u32,
    },
    #[serde(rename = "turn.started")]
    TurnStarted {
        /// The turn's id.
        turn: String,
        role: String,
        agent: String,
        vendor: String,
        /// The time limit of each of its calls; a person has none.
        #[serde(
            rename = "limit_ms",
            serialize_with = "millis",
            skip_serializing_if = "Option::is_none"
        )]
        #[schemars(with = "Option<u64>")]
        limit: Option<Duration>,
        /// How long ago it began, for who watches from elsewhere.
        #[serde(skip)]
        since: Duration,
    },
    /// An agent produced output (at most five times a second per turn).
    #[serde(rename = "turn.output")]
    TurnOutput {
        /// The turn's id.
        turn: String,
        /// Bytes of standard output so far.
        bytes: u64,
        /// What it does, or its last words: sanitized and redacted, at most 640 characters.
        phase: Option<String>,
    },
    /// A transient failure.
    #[serde(rename = "turn.retrying")]
    TurnRetrying {
        /// The turn's id.
        turn: String,
        /// The attempt that failed, from 1.
        attempt: u32,
        failure: Failure,
        /// The delay before the next attempt.
        #[serde(rename = "delay_ms", serialize_with = "millis")]
        #[schemars(with = "u64")]
        delay: Duration,
    },
    /// The reply was unreadable and is asked for again.
    #[serde(rename = "turn.repairing")]
    TurnRepairing {
        /// The turn's id.
        turn: String,
        defect: String,
    },
    /// Another agent steps in.
    #[serde(rename = "turn.fell_back")]
    TurnFellBack {
        /// The turn's id.
        turn: String,
        /// The agent that failed.
        from: String,
        to: String,
    },
    #[serde(rename = "turn.finished")]
    TurnFinished {
        /// The turn's id.
        turn: String,
        role: String,
        /// Who answered, or was asked last.
        #[serde(flatten)]
        seated: Respondent,
        failure: Option<Failure>,
        /// Whether every attempt was answered from the journal.
        replayed: bool,
        #[serde(rename = "took_ms", serialize_with = "millis")]
        #[schemars(with = "u64")]
        took: Duration,
        cost: Option<Cost>,
        /// The session's total spending so far.
        #[serde(rename = "spent_usd")]
        spent: Usd,
        /// What the answer says, a line each.
        gist: Vec<String>,
    },
    /// A protocol states something.
    #[serde(rename = "fact")]
    Found(Fact),
    #[serde(rename = "round.closed")]
    RoundClosed {
        /// From 1.
        round: u32,
        #[serde(flatten)]
        fact: Fact,
    },
    /// The run is over.
    #[serde(rename = "session.finished")]
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
    #[serde(rename = "sink.finished")]
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

fn millis<S: Serializer>(
    of: &(impl Into<Option<Duration>> + Copy),
    to: S,
) -> Result<S::Ok, S::Error> {
    let millis = |of: Duration| u64::try_from(of.as_millis()).unwrap_or(u64::MAX);
    (*of).into().map(millis).serialize(to)
}

fn names<S: Serializer>(stages: &[Stage], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(stages.iter().map(|stage| stage.name))
}

/// Shows or records events. Never decides anything.
pub trait Reporter {
    /// Handles one event. An error ends the run as an I/O error.
    fn event(&mut self, event: &Event) -> std::io::Result<()>;

    /// Shows more of the words of a running agent, by the number of its row from 1, or no longer; for live views.
    fn choose(&mut self, _row: usize) {}
}
