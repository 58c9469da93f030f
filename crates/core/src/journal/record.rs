//! The records of a journal, as types. [`wire`](super::wire) defines their form on disk.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::attempt::{AttemptResult, Intent, Usage};
use crate::kernel::{Cost, Fact, Failure, Limit, Shortfall, Usd};
use crate::text::{Note, Problem};

/// One record.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// 1, 2, 3, ... within the journal.
    pub seq: u64,
    /// Wall clock, for people; clocks go backwards.
    pub at: DateTime<Utc>,
    /// What is recorded.
    pub body: Body,
}

/// What a record says.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// The session begins. Always the first record, and only that.
    Opened(Box<SessionOpened>),
    /// A later run goes on with it.
    Resumed(SessionResumed),
    /// A call is about to be made, its money reserved.
    Intent(Box<CallIntent>),
    /// A call came to its end, however it ended.
    Result(Box<CallResult>),
    /// A call of an interrupted run left neither a result nor a complete answer: its reservation counts as spent.
    Ambiguous(CallAmbiguous),
    /// A reply was judged.
    Parsed(Box<ParseResult>),
    /// A turn is over.
    TurnClosed(Box<TurnClosed>),
    /// A round is over.
    RoundClosed(RoundClosed),
    /// The run ended before the debate did; it can be resumed.
    Suspended(SessionSuspended),
    /// The debate ended. Nothing follows.
    Closed(SessionClosed),
}

/// The types of records, in the order of [`Body`].
pub const KINDS: [&str; 10] = [
    "session.opened",
    "session.resumed",
    "call.intent",
    "call.result",
    "call.ambiguous",
    "parse.result",
    "turn.closed",
    "round.closed",
    "session.suspended",
    "session.closed",
];

impl Body {
    /// Returns the record's type name in the file.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Opened(_) => "session.opened",
            Self::Resumed(_) => "session.resumed",
            Self::Intent(_) => "call.intent",
            Self::Result(_) => "call.result",
            Self::Ambiguous(_) => "call.ambiguous",
            Self::Parsed(_) => "parse.result",
            Self::TurnClosed(_) => "turn.closed",
            Self::RoundClosed(_) => "round.closed",
            Self::Suspended(_) => "session.suspended",
            Self::Closed(_) => "session.closed",
        }
    }
}

/// Everything that a replay needs to build the protocol again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionOpened {
    /// The session's id, which is also its directory's name.
    pub session: String,
    /// The protocol's name: `backlog`.
    pub protocol: String,
    /// What it is about, in a few words.
    pub title: String,
    /// The protocol's input.
    pub input: Value,
    /// The settings that the protocol and the agents run under.
    pub settings: Value,
    /// Fences untrusted text in every prompt of this session.
    pub boundary: String,
    /// Seeds every shuffle of this session.
    pub seed: u64,
    /// What a resume compares with the present files.
    pub digests: Digests,
    /// The skills in use.
    pub skills: Vec<SkillUsed>,
    /// Whether built-in stand-ins play every role.
    pub rehearsal: bool,
    /// The budget, if there is one.
    pub budget: Option<Usd>,
    /// The program's version that opened it.
    pub program_version: String,
    /// The session whose answers of earlier rounds it keeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Parent>,
}

/// The session that another one was begun from, and where the two part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parent {
    /// Its id.
    pub session: String,
    /// The first round that is asked again; answers of the rounds before were kept.
    pub from_round: u32,
}

/// One skill in use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillUsed {
    /// Its role's name.
    pub name: String,
    /// Where it came from: `built-in`, or a path for display.
    pub origin: String,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// What is worth knowing of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// SHA-256 digests of what a session depends on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Digests {
    /// Of the protocol's input.
    pub input: String,
    /// Of the effective configuration, without what is no drift (the budget).
    pub config: String,
    /// Of each skill in use, by role.
    pub skills: BTreeMap<String, String>,
    /// Of each agent in use, by name.
    pub agents: BTreeMap<String, String>,
    /// Of the repository before agents could read it, by what is there; empty where they cannot. It is no drift:
    /// people may work on between two runs. A run that was cut off could not look again, so what it began with still
    /// counts for the next one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tree: BTreeMap<String, String>,
}

impl Digests {
    /// Compares with the digests of the present files.
    pub fn drift(&self, now: &Self) -> Drift {
        let mut changed = Vec::new();
        if self.input != now.input {
            changed.push("input".to_owned());
        }
        if self.config != now.config {
            changed.push("config".to_owned());
        }
        for (what, before, after) in
            [("skill", &self.skills, &now.skills), ("agent", &self.agents, &now.agents)]
        {
            let names =
                before.keys().chain(after.keys().filter(|name| !before.contains_key(*name)));
            for name in names {
                if before.get(name) != after.get(name) {
                    changed.push(format!("{what} {name}"));
                }
            }
        }
        Drift { changed }
    }
}

/// The differences from the time when a session was opened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Drift {
    /// `input`, `config`, `skill critic`, `agent codex`.
    pub changed: Vec<String>,
}

impl Drift {
    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty()
    }
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.changed.join(", "))
    }
}

/// A later run goes on.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SessionResumed {
    /// The budget from now on; `None` leaves it as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Usd>,
    /// What had changed and was accepted ([`Drift::changed`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted_drift: Vec<String>,
    /// The digests from now on; `None` leaves them as they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digests: Option<Digests>,
    /// The program's version that goes on.
    pub program_version: String,
}

/// A call is about to be made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallIntent {
    /// Names the call over all runs of the session.
    pub key: String,
    /// 1, 2, 3, ... : which run of this key it is; above 1 only after `call.ambiguous`.
    pub run: u32,
    /// How often this attempt was voided by a resume before.
    pub epoch: u32,
    /// What is asked of whom.
    pub intent: Intent,
    /// The money set aside for it.
    pub reservation: Usd,
}

/// A call came to its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallResult {
    /// The call's key.
    pub key: String,
    /// Which run of it.
    pub run: u32,
    /// The process's ending in words.
    pub ending: String,
    /// SHA-256 of the final message, which stands in `answers/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The model stopped at its output limit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// Why the attempt counts as failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// What the call is charged with.
    pub cost: Cost,
    /// Its tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The model that answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Milliseconds without pauses.
    pub took_ms: u64,
    /// What was noticed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// The last lines of standard error.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stderr_tail: Vec<String>,
    /// The answer was found in the spool of an interrupted run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub adopted: bool,
    /// The result was kept from the [parent](SessionOpened::parent), and this is what it cost there. It was paid for
    /// once: `cost` is zero then, and no sum of this session counts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<Cost>,
}

impl CallResult {
    /// Builds the attempt's result again, for a replay. Its cost is what was charged; nothing if it was kept.
    pub fn attempt(&self, answer: Option<Vec<u8>>) -> AttemptResult {
        AttemptResult {
            answer,
            cut: self.cut,
            failure: self.failure.clone(),
            ending: self.ending.clone(),
            cost: self.kept.is_none().then_some(self.cost),
            usage: self.usage,
            model: self.model.clone(),
            took: Duration::from_millis(self.took_ms),
            notes: self.notes.clone(),
            stderr_tail: self.stderr_tail.clone(),
        }
    }
}

/// A call that may have been paid for without an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallAmbiguous {
    /// The call's key.
    pub key: String,
    /// Which run of it.
    pub run: u32,
    /// What it is charged with: its reservation.
    pub charged: Cost,
}

/// A reply was judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ParseResult {
    /// The turn's id.
    pub turn: String,
    /// The key of the call that gave the reply.
    pub key: String,
    /// Whether the reply is valid.
    pub ok: bool,
    /// Why not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
    /// What was normalised.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnStatus {
    /// With a valid reply.
    Answered,
    /// Without one, after all attempts.
    Failed,
}

/// A turn is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnClosed {
    /// The turn's id.
    pub turn: String,
    /// How it ended.
    pub status: TurnStatus,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// What its attempts cost together, for people; sums are made of the calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// The time limit of its round, in seconds, where that was used up before the turn had another attempt. A replay
    /// makes none either.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub out_of_time: Option<u64>,
}

/// A round is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RoundClosed {
    /// From 1.
    pub round: u32,
    /// What the protocol stated about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Fact>,
}

/// The run ended before the debate did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionSuspended {
    /// `budget`, `agent_failure`, `interrupted`.
    pub outcome: String,
    /// The failed turns that stopped the run: a resume asks them again from their first attempt.
    ///
    /// A failed turn that the debate went on without is not among them; asking it again would change every later
    /// prompt and pay for them anew.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ask_again: Vec<String>,
    /// Files of the repository that changed while agents could read it: what was said counts no more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tree_changed: Vec<String>,
    /// The limit that stopped the run, if one did. Missing in sessions of versions that did not record it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
    /// What the budget lacked for the calls that came next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short: Option<Shortfall>,
}

/// The debate ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionClosed {
    /// `consensus`, `max_rounds`, ...
    pub outcome: String,
    /// `decided`, `undecided`, ...
    pub verdict: String,
}
