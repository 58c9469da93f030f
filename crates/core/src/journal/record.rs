//! The records of a journal. [`wire`](super::wire) defines their form on disk.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::attempt::{AttemptResult, Intent};
use crate::kernel::{Cost, Fact, Failure, Limit, Shortfall, Usd};
use crate::text::{Note, Problem};

/// One record: a numbered, dated entry of the journal.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// 1, 2, 3, ... within the journal, without gaps.
    pub seq: u64,
    /// Wall clock, for people only: clocks can go backwards.
    pub at: DateTime<Utc>,
    /// The event and its data.
    pub body: Body,
}

/// The event that a record stores.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// The session begins. Always the first record, and only that.
    Opened(Box<SessionOpened>),
    /// A later run continues the session.
    Resumed(SessionResumed),
    /// A call is about to be made, its reservation taken.
    Intent(Box<CallIntent>),
    /// A call ended, in any way.
    Result(Box<CallResult>),
    /// A call of an interrupted run left neither a result nor a complete answer: its reservation counts as spent.
    Ambiguous(CallAmbiguous),
    /// A reply was judged.
    Parsed(Box<ParseResult>),
    TurnClosed(Box<TurnClosed>),
    RoundClosed(RoundClosed),
    /// The run ended before the debate did; it can be resumed.
    Suspended(SessionSuspended),
    /// The debate ended. No record follows.
    Closed(SessionClosed),
}

/// The type names of records, in the order of [`Body`].
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

/// The data of the first record: everything that a replay needs to rebuild the protocol.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionOpened {
    /// The session's id, which is also its directory's name.
    pub session: String,
    /// The protocol's name, such as `backlog`.
    pub protocol: String,
    /// The session's subject, in a few words.
    pub title: String,
    /// The protocol's input, as JSON.
    pub input: Value,
    /// The places in it from which something that looks like a secret was removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redacted: Vec<String>,
    /// The settings of the protocol and the agents.
    pub settings: Value,
    /// The boundary that fences untrusted text in every prompt of this session.
    pub boundary: String,
    /// The seed of every shuffle of this session.
    pub seed: u64,
    /// The digests that a resume compares with the present files.
    pub digests: Digests,
    /// The skills in use, one per role.
    pub skills: Vec<SkillUsed>,
    /// Whether built-in stand-ins play every role.
    pub rehearsal: bool,
    /// The budget, if there is one.
    pub budget: Option<Usd>,
    /// The version of the program that opened the session.
    pub program_version: String,
    /// The session whose answers of earlier rounds were kept, if this one is a fork.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Parent>,
}

/// The session from which another one was forked, and the round at which they part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parent {
    /// The parent session's id.
    pub session: String,
    /// The first round that is asked again; answers of earlier rounds were kept.
    pub from_round: u32,
}

/// A prompt in use, by content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillUsed {
    /// The name of its role: `backlog-critic`.
    pub name: String,
    /// `built-in`, or the file.
    pub origin: String,
    /// Of its bytes, hexadecimal.
    pub sha256: String,
    /// What is worth knowing about it: it has no front matter, or another file is not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// SHA-256 digests of a session's dependencies.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Digests {
    /// The protocol's input.
    pub input: String,
    /// The effective configuration, without the parts that do not count as drift (the budget).
    pub config: String,
    /// Each skill in use, by role.
    pub skills: BTreeMap<String, String>,
    /// Each agent in use, by name.
    pub agents: BTreeMap<String, String>,
    /// The repository before agents could read it, by its content; empty if they cannot. A difference is not drift:
    /// people may work on between two runs. A run that was cut off could not look again, so the digests of its
    /// beginning still count for the next one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tree: BTreeMap<String, String>,
}

impl Digests {
    /// Returns the differences from the digests of the present files.
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
    /// The things that changed: `input`, `config`, `skill critic`, `agent codex`.
    pub changed: Vec<String>,
}

impl Drift {
    /// Whether there are no differences.
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty()
    }
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.changed.join(", "))
    }
}

/// The data of a later run that continues the session.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SessionResumed {
    /// The budget from now on; `None` leaves it unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Usd>,
    /// The changes that were accepted ([`Drift::changed`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted_drift: Vec<String>,
    /// The digests from now on; `None` leaves them unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digests: Option<Digests>,
    /// The version of the program that continues the session.
    pub program_version: String,
}

/// The data of a call that is about to be made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallIntent {
    /// Identifies the call over all runs of the session.
    pub key: String,
    /// The number of this key's run: 1, 2, 3, ...; above 1 only after `call.ambiguous`.
    pub run: u32,
    /// The number of times that a resume voided this attempt before.
    pub epoch: u32,
    /// The attempt: the prompt and the agent.
    pub intent: Intent,
    /// SHA-256 of the prompt as it is stored in `prompts/`, which is without secrets: system prompt, a NUL, prompt.
    /// `None` if an older version made the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The amount reserved for the call.
    pub reservation: Usd,
}

/// The data of a call that ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallResult {
    /// The key from the call's intent.
    pub key: String,
    /// The number of this key's run, from 1.
    pub run: u32,
    /// SHA-256 of the final message, which is stored in `answers/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The amount charged for the call.
    pub cost: Cost,
    /// The rest of what the attempt came to.
    #[serde(flatten)]
    pub attempt: AttemptResult,
    /// Whether the answer was found in the spool of an interrupted run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub adopted: bool,
    /// The cost in the [parent](SessionOpened::parent), if the result was kept from it. It was paid for once: `cost`
    /// is then zero, and no sum of this session counts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<Cost>,
}

impl CallResult {
    /// Rebuilds the attempt's result for a replay. Its cost is the amount charged: zero if it was kept.
    pub fn attempt(&self, answer: Option<Vec<u8>>) -> AttemptResult {
        let cost = self.kept.is_none().then_some(self.cost);
        AttemptResult { answer, cost, ..self.attempt.clone() }
    }
}

impl Deref for CallResult {
    type Target = AttemptResult;

    fn deref(&self) -> &AttemptResult {
        &self.attempt
    }
}

/// The data of a call that may have been paid for without an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallAmbiguous {
    /// The key from the call's intent.
    pub key: String,
    /// The number of this key's run, from 1.
    pub run: u32,
    /// The amount charged: the call's reservation.
    pub charged: Cost,
}

/// The data of a judged reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ParseResult {
    /// The id of the turn that was answered.
    pub turn: String,
    /// The key of the call that returned the reply.
    pub key: String,
    /// Whether the reply is valid.
    pub ok: bool,
    /// The defects of the reply; empty if it is valid.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
    /// The normalisations applied to the reply.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
}

/// The ending of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnStatus {
    /// The turn has a valid reply.
    Answered,
    /// The turn has none, after all attempts.
    Failed,
}

/// The data of a turn that is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnClosed {
    /// The turn's id, unique within the session.
    pub turn: String,
    /// Whether the turn has a valid reply.
    pub status: TurnStatus,
    /// The reason why it failed; `None` if it was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// What the answer says, a line each, for people who watch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gist: Vec<String>,
    /// The total cost of its attempts, for people; sums are computed from the calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// The time limit of its round, in seconds, if it was used up before the turn could make another attempt. A
    /// replay makes none either.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub out_of_time: Option<u64>,
    /// Whether the budget did not cover it, and the run went on without it. A replay does so too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unaffordable: bool,
}

/// The data of a round that is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RoundClosed {
    /// The round's number, from 1.
    pub round: u32,
    /// The protocol's facts about the round.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Fact>,
}

/// The data of a run that ended before the debate did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionSuspended {
    /// The outcome of the run: `budget`, `agent_failure`, `interrupted`, ...
    pub outcome: String,
    /// The failed turns that stopped the run: a resume asks them again from their first attempt.
    ///
    /// A failed turn that the debate went on without is not among them; asking it again would change every later
    /// prompt and pay for them anew.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ask_again: Vec<String>,
    /// Files of the repository that changed while agents could read it: the replies no longer count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tree_changed: Vec<String>,
    /// The limit that stopped the run, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
    /// The budget's shortfall for the calls that came next, if it stopped the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short: Option<Shortfall>,
}

/// The data of a debate that ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionClosed {
    /// The final outcome: `consensus`, `max_rounds`, ...
    pub outcome: String,
    /// The final verdict: `decided`, `undecided`, ...
    pub verdict: String,
}
