//! Follows a session that another process runs, by its journal alone: nothing is written.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{DateTime, Utc};

use super::read;
use crate::agent::attempts::Kind;
use crate::app::kinds::kind_of;
use crate::app::run::attempts::tell_quota;
use crate::app::run::ending::RunReport;
use crate::app::run::relay::check;
use crate::app::run::session_state;
use crate::app::run::use_case::Reporters;
use crate::app::run::workspace::Workspace;
use crate::engine::bus::Bus;
use crate::engine::events::{Course, EventKind};
use crate::error::{Error, store_error};
use crate::kernel::{Fact, Respondent, Usd, round_of};
use crate::report::session_result::SessionResult;
use crate::session::record::{Body, CallIntent, CallResult, Record};
use crate::session::{Ledger, Status, StoredSession};
use crate::text::Note;

/// How often the journal is looked at.
const PAUSE: Duration = Duration::from_millis(250);

/// Passes what happens in a session to the reporters until its run ends; returns its result, and how its run ended. Of a
/// session that nobody runs only the end is reported.
///
/// # Errors
/// The id is unknown, or the journal cannot be read.
pub async fn watch(
    workspace: &Workspace,
    id: &str,
    reporters: Reporters,
) -> Result<RunReport<SessionResult>, Error> {
    let mut stored = read(workspace, id)?;
    let kind = kind_of(&stored)?;
    let bus = Bus::new(reporters, workspace.env());
    let (course, rounds) = kind.course(&stored)?;
    let mut view = View {
        protocol: kind.name(),
        course,
        rounds,
        now: workspace.env().now(),
        seen: 0,
        round: 0,
        ledger: Ledger::new(&stored.id),
        calls: BTreeMap::new(),
        results: BTreeMap::new(),
    };
    if !matches!(stored.status, Status::Live(_)) {
        view.skip(&stored);
    }
    loop {
        view.follow(&stored, &bus);
        check(&bus)?;
        if !matches!(stored.status, Status::Live(_)) {
            return kind.ended(workspace, &stored).await;
        }
        tokio::time::sleep(PAUSE).await;
        view.now = workspace.env().now();
        stored = workspace.store().read(&stored.id).map_err(store_error)?;
    }
}

/// The events of a journal, as its run reported them.
struct View {
    protocol: &'static str,
    course: Course,
    /// Maximum number of rounds.
    rounds: u32,
    now: DateTime<Utc>,
    /// Number of records seen.
    seen: usize,
    round: u32,
    ledger: Ledger,
    /// The last call of each open turn.
    calls: BTreeMap<String, CallIntent>,
    /// The last result of each open turn, and how long all its calls took.
    results: BTreeMap<String, (CallResult, Duration)>,
}

impl View {
    /// Passes over everything but the end.
    fn skip(&mut self, stored: &StoredSession) {
        let silent = Bus::silent();
        let last = stored.records.len().saturating_sub(1);
        for record in &stored.records[..last] {
            self.report(record, &silent);
        }
        self.seen = last;
    }

    /// Reports the records that are new.
    fn follow(&mut self, stored: &StoredSession, bus: &Bus) {
        for record in stored.records.get(self.seen..).unwrap_or_default() {
            self.report(record, bus);
        }
        self.seen = stored.records.len();
    }

    fn report(&mut self, record: &Record, bus: &Bus) {
        // The journal was checked as it was read.
        self.ledger.fold(record).ok();
        let since = (self.now - record.at).to_std().unwrap_or_default();
        match &record.body {
            Body::Opened(_) | Body::Resumed(_) => self.session(record, since, bus),
            Body::Intent(intent) => self.call(intent, since, bus),
            Body::Result(result) => {
                tell_quota(bus, self.ledger.quotas(), result.quota.as_ref());
                let turn = self.calls.values().find(|call| call.key == result.key);
                if let Some(turn) = turn.map(|call| call.intent.turn.clone()) {
                    let before = self.results.get(&turn).map_or(Duration::ZERO, |(_, took)| *took);
                    let took = before + Duration::from_millis(result.took_ms);
                    self.results.insert(turn, ((**result).clone(), took));
                }
            }
            Body::TurnClosed(closed) => {
                let (call, result) =
                    (self.calls.remove(&closed.turn), self.results.remove(&closed.turn));
                let (role, agent) =
                    call.map(|call| (call.intent.role, call.intent.agent)).unwrap_or_default();
                bus.emit(EventKind::TurnFinished {
                    turn: closed.turn.clone(),
                    role,
                    seated: Respondent { agent, ..Respondent::default() },
                    failure: closed.failure.clone(),
                    replayed: false,
                    took: result.map_or(Duration::ZERO, |(_, took)| took),
                    cost: closed.cost,
                    spent: session_state::spent(&self.ledger),
                    gist: closed.gist.clone(),
                });
            }
            Body::RoundClosed(closed) => {
                for fact in closed.facts.iter().cloned() {
                    bus.emit(EventKind::RoundClosed { round: closed.round, fact });
                }
            }
            Body::Ambiguous(lost) => {
                let message =
                    format!("a call was cut off by a crash: {} counts as spent", lost.charged.usd);
                let note = Note::new("call_cut_off", message);
                bus.emit(EventKind::Found(Fact::warning(&note, None)));
            }
            Body::Suspended(suspended) => bus.emit(EventKind::SessionFinished {
                outcome: suspended.outcome.clone(),
                verdict: suspended.outcome.clone(),
                stopped_by: suspended.limit,
                resumable: true,
                cost: self.ledger.spent(),
            }),
            Body::Closed(closed) => bus.emit(EventKind::SessionFinished {
                outcome: closed.outcome.clone(),
                verdict: closed.verdict.clone(),
                stopped_by: None,
                resumable: false,
                cost: self.ledger.spent(),
            }),
            Body::Parsed(_) => {}
        }
    }

    fn session(&mut self, record: &Record, since: Duration, bus: &Bus) {
        let Some(opened) = self.ledger.opened() else { return };
        let resumed = matches!(record.body, Body::Resumed(_));
        bus.emit(EventKind::SessionStarted {
            session: opened.session.clone(),
            protocol: self.protocol,
            title: opened.title.clone(),
            resumed,
            rehearsal: opened.rehearsal,
            budget: self.ledger.budget(),
            spent: if resumed { session_state::spent(&self.ledger) } else { Usd::ZERO },
            course: Course { since, ..self.course },
        });
    }

    fn call(&mut self, call: &CallIntent, since: Duration, bus: &Bus) {
        let intent = &call.intent;
        let turn = intent.turn.clone();
        if let Some(round) = round_of(&turn).filter(|round| *round > self.round) {
            self.round = round;
            bus.emit(EventKind::RoundOpened { round, of: self.rounds });
        }
        let failed = self.results.get(&turn).and_then(|(result, _)| result.failure.clone());
        let before = self.calls.insert(turn.clone(), call.clone());
        bus.emit(match (intent.kind, before, failed) {
            (Kind::Retry, Some(_), Some(failure)) => EventKind::TurnRetrying {
                turn,
                attempt: intent.attempt.saturating_sub(1),
                failure,
                delay: Duration::ZERO,
            },
            (Kind::Repair, Some(_), _) => EventKind::TurnRepairing {
                turn,
                defect: "`sessions show --format transcript` says what is wrong with it".to_owned(),
            },
            (Kind::Fallback, Some(before), _) => EventKind::TurnFellBack {
                turn,
                from: before.intent.agent,
                to: intent.agent.clone(),
            },
            _ => EventKind::TurnStarted {
                turn,
                role: intent.role.clone(),
                agent: intent.agent.clone(),
                vendor: String::new(),
                limit: None,
                since,
            },
        });
    }
}
