//! Events for programs: one JSON object per line (`--events FILE|-`).
//!
//! The wire types are separate, so that renaming an internal field breaks no script. Every line has `v`, `seq`, `at`,
//! `elapsed_ms` and `type`; while `v` stays 1, fields are only ever added.

use std::io::{self, Write};
use std::time::Duration;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Reporter, words};
use crate::engine::events::{Event, EventKind};
use crate::kernel::{Basis, Cost, Failure, FailureClass, Limit, Usd};

const VERSION: u32 = 1;

/// Writes events as JSON Lines, each flushed as it happens.
#[expect(missing_debug_implementations, reason = "a writer has no form")]
pub struct Jsonl {
    out: Box<dyn Write>,
}

impl Jsonl {
    /// Creates a reporter that writes to `out`.
    pub fn new(out: Box<dyn Write>) -> Self {
        Self { out }
    }
}

impl Reporter for Jsonl {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        let json = serde_json::to_string(&Line::of(event)).map_err(io::Error::other)?;
        let mut line = words::json_escaped(&json);
        line.push('\n');
        self.out.write_all(line.as_bytes())?;
        self.out.flush()
    }
}

/// One line of `--events`. While `v` stays the same, fields are only ever added.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Line<'a> {
    v: u32,
    /// Dense, from 1.
    seq: u64,
    /// Wall clock, for people.
    at: DateTime<Utc>,
    /// Since the run began.
    elapsed_ms: u64,
    #[serde(flatten)]
    kind: Kind<'a>,
}

/// What happened.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "type")]
enum Kind<'a> {
    #[serde(rename = "session.started")]
    SessionStarted {
        session_id: &'a str,
        protocol: &'a str,
        title: &'a str,
        resumed: bool,
        rehearsal: bool,
        budget_usd: Option<Usd>,
        spent_usd: Usd,
        /// Its stages, in their order.
        stages: Vec<&'static str>,
        /// Maximum number of turns; 0 if not known.
        most_turns: u32,
    },
    #[serde(rename = "round.opened")]
    RoundOpened { round: u32, of: u32 },
    #[serde(rename = "turn.started")]
    TurnStarted {
        turn: &'a str,
        role: &'a str,
        agent: &'a str,
        vendor: &'a str,
        /// The time limit of each of its calls.
        #[serde(skip_serializing_if = "Option::is_none")]
        limit_ms: Option<u64>,
    },
    #[serde(rename = "turn.output")]
    TurnOutput { turn: &'a str, bytes: u64, phase: Option<&'a str> },
    #[serde(rename = "turn.retrying")]
    TurnRetrying { turn: &'a str, attempt: u32, failure: WireFailure<'a>, delay_ms: u64 },
    #[serde(rename = "turn.repairing")]
    TurnRepairing { turn: &'a str, defect: &'a str },
    #[serde(rename = "turn.fell_back")]
    TurnFellBack { turn: &'a str, from: &'a str, to: &'a str },
    #[serde(rename = "turn.finished")]
    TurnFinished {
        turn: &'a str,
        role: &'a str,
        agent: &'a str,
        vendor: &'a str,
        fell_back_from: Option<&'a str>,
        status: &'static str,
        failure: Option<WireFailure<'a>>,
        replayed: bool,
        took_ms: u64,
        cost: Option<WireCost>,
        spent_usd: Usd,
        /// What the answer says, a line each.
        #[serde(default, skip_serializing_if = "<[String]>::is_empty")]
        gist: &'a [String],
    },
    #[serde(rename = "fact")]
    Fact { code: &'a str, turn: Option<&'a str>, message: &'a str, warning: bool, data: &'a Value },
    #[serde(rename = "session.finished")]
    SessionFinished {
        outcome: &'a str,
        verdict: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        stopped_by: Option<Limit>,
        resumable: bool,
        cost: Option<WireCost>,
    },
    #[serde(rename = "sink.finished")]
    SinkFinished {
        sink: &'a str,
        state: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<&'a str>,
    },
}

#[derive(Debug, Serialize, JsonSchema)]
struct WireCost {
    usd: Usd,
    basis: Basis,
}

#[derive(Debug, Serialize, JsonSchema)]
struct WireFailure<'a> {
    class: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_seconds: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resets_at: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<i32>,
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn wire_cost(cost: Cost) -> WireCost {
    WireCost { usd: cost.usd, basis: cost.basis }
}

fn wire_failure(failure: &Failure) -> WireFailure<'_> {
    let (mut retry_after_seconds, mut resets, mut exit_code, mut ended_by) =
        (None, None, None, None);
    match &failure.class {
        FailureClass::RateLimited { retry_after } => retry_after_seconds = *retry_after,
        FailureClass::QuotaExhausted { resets_at, retry_after } => {
            (resets, retry_after_seconds) = (resets_at.as_deref(), *retry_after);
        }
        FailureClass::Crashed { code, signal } => (exit_code, ended_by) = (*code, *signal),
        _ => {}
    }
    WireFailure {
        class: failure.class.name(),
        message: &failure.message,
        retry_after_seconds,
        resets_at: resets,
        exit_code,
        signal: ended_by,
    }
}

impl<'a> Line<'a> {
    fn of(event: &'a Event) -> Self {
        Line {
            v: VERSION,
            seq: event.seq,
            at: event.at,
            elapsed_ms: millis(event.elapsed),
            kind: Kind::of(&event.kind),
        }
    }
}

impl<'a> Kind<'a> {
    fn of(kind: &'a EventKind) -> Self {
        match kind {
            EventKind::SessionStarted {
                session,
                protocol,
                title,
                resumed,
                rehearsal,
                budget,
                spent,
                course,
            } => Self::SessionStarted {
                session_id: session,
                protocol,
                title,
                resumed: *resumed,
                rehearsal: *rehearsal,
                budget_usd: *budget,
                spent_usd: *spent,
                stages: course.stages.iter().map(|stage| stage.name).collect(),
                most_turns: course.turns,
            },
            EventKind::RoundOpened { round, of } => Self::RoundOpened { round: *round, of: *of },
            EventKind::TurnStarted { turn, role, agent, vendor, limit, .. } => {
                Self::TurnStarted { turn, role, agent, vendor, limit_ms: limit.map(millis) }
            }
            EventKind::TurnOutput { turn, bytes, phase } => {
                Self::TurnOutput { turn, bytes: *bytes, phase: phase.as_deref() }
            }
            EventKind::TurnRetrying { turn, attempt, failure, delay } => Self::TurnRetrying {
                turn,
                attempt: *attempt,
                failure: wire_failure(failure),
                delay_ms: millis(*delay),
            },
            EventKind::TurnRepairing { turn, defect } => Self::TurnRepairing { turn, defect },
            EventKind::TurnFellBack { turn, from, to } => Self::TurnFellBack { turn, from, to },
            EventKind::TurnFinished {
                turn,
                role,
                seated,
                failure,
                replayed,
                took,
                cost,
                spent,
                gist,
            } => Self::TurnFinished {
                turn,
                role,
                agent: &seated.agent,
                vendor: &seated.vendor,
                fell_back_from: seated.fell_back_from.as_deref(),
                status: if failure.is_some() { "failed" } else { "answered" },
                failure: failure.as_ref().map(wire_failure),
                replayed: *replayed,
                took_ms: millis(*took),
                cost: cost.map(wire_cost),
                spent_usd: *spent,
                gist,
            },
            EventKind::Found(fact) | EventKind::RoundClosed { fact, .. } => Self::Fact {
                code: &fact.code,
                turn: fact.turn.as_deref(),
                message: &fact.message,
                warning: fact.warning,
                data: &fact.data,
            },
            EventKind::SessionFinished { outcome, verdict, stopped_by, resumable, cost } => {
                Self::SessionFinished {
                    outcome,
                    verdict,
                    stopped_by: *stopped_by,
                    resumable: *resumable,
                    cost: cost.map(wire_cost),
                }
            }
            EventKind::SinkFinished { sink, state, message } => {
                Self::SinkFinished { sink, state, message: message.as_deref() }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::SinkLost;
    use crate::report::example::{self, Buffer};
    use crate::schemas::schema;

    fn lines(events: &[Event]) -> String {
        let buffer = Buffer::default();
        let mut reporter = Jsonl::new(Box::new(buffer.clone()));
        for event in events {
            reporter.event(event).unwrap();
        }
        buffer.text()
    }

    #[test]
    fn every_line_is_one_object_with_the_common_fields() {
        let text = lines(&example::eventful_debate());
        let schema = jsonschema::validator_for(&schema("events").unwrap()).unwrap();
        for (index, line) in text.lines().enumerate() {
            let value: Value = serde_json::from_str(line).unwrap();
            assert_eq!(value["v"], 1);
            assert_eq!(value["seq"], index + 1);
            assert!(value["at"].is_string() && value["elapsed_ms"].is_u64());
            assert!(value["type"].is_string());
            assert!(schema.is_valid(&value), "{line}");
        }
    }

    #[test]
    fn an_answers_escapes_and_newlines_do_not_leave_their_string() {
        let evil = "a\u{1b}[2J\u{9b}31m\u{202e}\u{e0041}\n{\"v\":1}";
        let text = lines(&[example::event(
            1,
            EventKind::TurnOutput { turn: evil.into(), bytes: 1, phase: Some(evil.into()) },
        )]);
        assert_eq!(text.lines().count(), 1);
        assert!(text.trim_end().chars().all(|character| (' '..='~').contains(&character)));
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["phase"], evil, "and nothing is lost");
    }

    #[test]
    fn a_closed_pipe_is_told_from_a_write_that_failed() {
        for (kind, closed) in
            [(io::ErrorKind::BrokenPipe, true), (io::ErrorKind::StorageFull, false)]
        {
            let mut reporter = Jsonl::new(Box::new(example::Refusing(kind)));
            let error = reporter.event(&example::eventful_debate()[0]).unwrap_err();
            assert_eq!(matches!(SinkLost::from(error), SinkLost::Closed), closed);
        }
    }
}
