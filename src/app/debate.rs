//! Runs a stored partner debate, from its first call or from where an earlier run stopped.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use serde_json::Value;

use super::asker::{Asker, Panel};
use super::book::{Book, Member, Refused, Shared, Terms};
use super::rules::{self, PROTOCOL, Rules};
use super::setup::Setup;
use super::signals;
use crate::agent::roster::Roster;
use crate::engine::bus::Bus;
use crate::engine::events::{Event, EventKind, Reporter};
use crate::engine::limits::{Purse, Switch};
use crate::engine::{self, Fatal};
use crate::env;
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
use crate::protocol::backlog::model::{BacklogOutcome, Opportunity, RoundWarning};
use crate::protocol::backlog::result::{self, Stamp};
use crate::protocol::backlog::{Machine, Outcome};
use crate::protocol::{Failure, FailureClass, Stop, Usd};
use crate::report::document::{Circumstances, PrioritizeDocument, SkillUsed};
use crate::session::record::RoundClosed;
use crate::session::{Ledger, Session, StoreError};
use crate::text::Note;

/// What came of a run.
#[derive(Debug)]
pub struct Finished {
    /// The result.
    pub document: PrioritizeDocument,
    /// How the program ends.
    pub status: ExitStatus,
}

/// Runs a session to its end, or to where something stops it.
pub(crate) async fn drive(
    setup: &Setup<'_>,
    session: Session,
    mut machine: Machine,
    resumed: bool,
    mut reporters: Vec<Box<dyn Reporter>>,
) -> Result<Finished, Error> {
    let limits = &setup.workspace.effective.config.limits;
    let session: Shared = Rc::new(RefCell::new(session));
    let (budget, spent_before, title, rehearsal) = {
        let session = session.borrow();
        let ledger = session.ledger();
        let opened = ledger.opened();
        (
            ledger.budget(),
            spent(ledger),
            opened
                .map(|opened| opened.title.clone())
                .unwrap_or_default(),
            opened.is_some_and(|opened| opened.rehearsal),
        )
    };
    reporters.push(Box::new(Recorder {
        session: Rc::clone(&session),
    }));
    let (bus, switch) = (Bus::new(reporters, env::now), Switch::default());
    bus.emit(EventKind::SessionStarted {
        session: session.borrow().id().to_owned(),
        protocol: PROTOCOL,
        title,
        resumed,
        rehearsal,
        budget,
        spent: spent_before,
    });
    let redactor = setup.workspace.redactor();
    let book = Book::new(
        Rc::clone(&session),
        Terms {
            bus: &bus,
            switch: &switch,
            purse: purse(setup, budget),
            launch: setup.workspace.launch.as_ref(),
            redactor: &redactor,
            on_ambiguous: setup.on_ambiguous,
            accept_drift: setup.accept_drift,
            max_parallel: usize::try_from(limits.max_parallel).unwrap_or(usize::MAX),
            agents: members(&setup.roster),
        },
    );
    let panel = Panel::new(setup, &session.borrow())?;
    let asker = Asker::new(&book, &panel);
    let deadline = limits.deadline_seconds.map(Duration::from_secs);
    let ended = tokio::select! {
        biased;
        ended = engine::run(&mut machine, &asker, &bus, &switch, setup.rules.max_rounds) => ended,
        error = signals::serve(&switch, Some(&bus)) => Err(Fatal::Reporter(error)),
        () = signals::deadline(&switch, deadline) => Err(Fatal::Reporter(io::Error::other("the deadline ran away"))),
    };
    let outcome = match ended {
        Ok(outcome) => outcome,
        Err(fatal) => return broken(fatal, &session.borrow()),
    };
    let ask_again = asker.failed();
    wrap_up(setup, &session, &bus, &switch, &outcome, ask_again)
}

/// Closes or suspends the session, writes its snapshot, and makes the result.
fn wrap_up(
    setup: &Setup<'_>,
    session: &Shared,
    bus: &Bus,
    switch: &Switch,
    outcome: &Outcome,
    ask_again: Vec<String>,
) -> Result<Finished, Error> {
    let name = outcome_name(outcome.outcome);
    let resumable = !closes(outcome.outcome);
    {
        let mut session = session.borrow_mut();
        if resumable {
            session.suspend(&name, ask_again).map_err(store_error)?;
        } else if !session.is_closed() {
            session
                .close(&name, outcome.verdict())
                .map_err(store_error)?;
        }
    }
    let session = session.borrow();
    let document = document(
        session.ledger(),
        &setup.rules,
        &setup.opportunities,
        outcome,
    );
    if let Ok(value) = serde_json::to_value(&document.session) {
        // The journal holds everything; a snapshot that could not be written loses nothing.
        session.write_snapshot(&value).ok();
    }
    bus.emit(EventKind::SessionFinished {
        outcome: name,
        verdict: outcome.verdict().to_owned(),
        resumable,
        cost: session.ledger().spent(),
    });
    let signal = match switch.stopped() {
        Some(Stop::Cancelled(signal)) => Some(signal),
        Some(Stop::Budget | Stop::Deadline) | None => None,
    };
    let status = status(outcome, signal, spent(session.ledger()));
    Ok(Finished { document, status })
}

/// Says how the program ends after an outcome.
pub(crate) fn status(outcome: &Outcome, signal: Option<i32>, spent: Usd) -> ExitStatus {
    if outcome.outcome == BacklogOutcome::AgentFailure
        && let Some(failure) = &outcome.failure
    {
        return failure_status(failure, spent);
    }
    ExitStatus::of_backlog(outcome.outcome, !outcome.rounds.is_empty(), signal)
}

/// Says how the program ends when an agent failed: a missing agent or login is the
/// environment's matter as long as nothing was spent.
pub(crate) fn failure_status(failure: &Failure, spent: Usd) -> ExitStatus {
    let missing = matches!(
        failure.class,
        FailureClass::NotFound | FailureClass::NotExecutable | FailureClass::NotLoggedIn
    );
    if missing && spent == Usd::ZERO {
        ExitStatus::Environment
    } else {
        ExitStatus::Undecided
    }
}

/// Makes the result document of a session as its ledger shows it.
pub(crate) fn document(
    ledger: &Ledger,
    rules: &Rules,
    opportunities: &[Opportunity],
    outcome: &Outcome,
) -> PrioritizeDocument {
    let opened = ledger.opened();
    let (started_at, last_at) = ledger.times().unwrap_or_default();
    let stamp = Stamp {
        session_id: opened
            .map(|opened| opened.session.clone())
            .unwrap_or_default(),
        started_at,
        completed_at: closes(outcome.outcome).then_some(last_at),
        budget: ledger.budget().unwrap_or_default(),
        cost: ledger.spent(),
    };
    let session = result::session(outcome, opportunities, rules.max_rounds, &stamp);
    let ranked = result::ranked(outcome, opportunities, &stamp.session_id);
    let ranked: Vec<Opportunity> = if ranked.is_empty() {
        opportunities.to_vec()
    } else {
        ranked
            .into_iter()
            .map(|ranked| ranked.opportunity)
            .collect()
    };
    let mut warnings: Vec<RoundWarning> = rules::dangerous_warning(&rules.dangerous)
        .map(|Note { code, message }| RoundWarning {
            code,
            turn: None,
            message,
        })
        .into_iter()
        .chain(outcome.warnings.clone())
        .collect();
    warnings.extend(possibly_paid_twice(ledger));
    warnings.extend(ledger.accepted_drift().iter().map(|what| RoundWarning {
        code: "drift_accepted".to_owned(),
        turn: None,
        message: format!("{what} changed after the session was opened, and was accepted"),
    }));
    let skills = opened.map(|opened| &opened.skills[..]).unwrap_or_default();
    let about = Circumstances {
        rehearsal: opened.is_some_and(|opened| opened.rehearsal),
        warnings,
        skills: skills
            .iter()
            .map(|skill| SkillUsed {
                name: skill.name.clone(),
                origin: skill.origin.clone(),
                sha256: skill.sha256.clone(),
            })
            .collect(),
        report_path: None,
    };
    let mut document = PrioritizeDocument::new(session, ranked, about);
    // The seats name the configured agents; who stepped in for them, the protocol knows.
    document.header.quorum.vendors = u32::try_from(outcome.quorum.vendors).unwrap_or(u32::MAX);
    document
}

/// Warns of calls that a crash cut off: one warning for each turn, with all that was charged for it.
fn possibly_paid_twice(ledger: &Ledger) -> impl Iterator<Item = RoundWarning> {
    let mut turns: BTreeMap<&str, (u32, Usd)> = BTreeMap::new();
    for (turn, charged) in ledger.ambiguous() {
        let (calls, sum) = turns.entry(turn).or_default();
        *calls += 1;
        *sum += charged.usd;
    }
    turns.into_iter().map(|(turn, (calls, sum))| RoundWarning {
        code: "possibly_paid_twice".to_owned(),
        turn: Some(turn.to_owned()),
        message: match calls {
            1 => format!(
                "a crash cut a call off: {sum} is charged for it, and it was made again"
            ),
            _ => format!(
                "crashes cut {calls} calls off: {sum} is charged for them, and the call was made again"
            ),
        },
    })
}

/// Returns whether an outcome closes the session: the protocol decided, and nothing is left to ask.
pub(crate) fn closes(outcome: BacklogOutcome) -> bool {
    match outcome {
        BacklogOutcome::Consensus
        | BacklogOutcome::ModeratorStop
        | BacklogOutcome::MaxRounds
        | BacklogOutcome::NothingToRank => true,
        BacklogOutcome::Budget | BacklogOutcome::AgentFailure | BacklogOutcome::Interrupted => {
            false
        }
    }
}

/// Returns an outcome's name as it stands in JSON.
pub(crate) fn outcome_name(outcome: BacklogOutcome) -> String {
    match serde_json::to_value(outcome) {
        Ok(Value::String(name)) => name,
        Ok(_) | Err(_) => String::new(),
    }
}

fn spent(ledger: &Ledger) -> Usd {
    ledger.spent().map_or(Usd::ZERO, |cost| cost.usd)
}

/// The rules of this run's money. No round can need more calls than one with all its retries for
/// each agent of a role, and one repair for each role.
fn purse(setup: &Setup<'_>, budget: Option<Usd>) -> Purse {
    let first = setup.workspace.effective.config.backlog.first_reserve_usd;
    let retries = setup.rules.retries;
    let most = retries.crashed + retries.overloaded + retries.rate_limited + retries.empty_reply;
    let agents: usize = setup
        .rules
        .seats
        .values()
        .map(|cast| 1 + cast.fallbacks.len())
        .sum();
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let a_round = number(agents)
        .saturating_mul(1 + most)
        .saturating_add(number(setup.rules.seats.len()));
    Purse {
        budget,
        first: [
            ("champion".to_owned(), first.champion),
            ("critic".to_owned(), first.critic),
            ("moderator".to_owned(), first.moderator),
        ]
        .into(),
        max_calls: Some(setup.rules.max_rounds.saturating_mul(a_round)),
    }
}

fn members(roster: &Roster) -> Vec<Member> {
    roster
        .casts()
        .flat_map(|(role, cast)| {
            std::iter::once(&cast.agent)
                .chain(&cast.fallbacks)
                .map(move |agent| Member {
                    role: role.to_owned(),
                    name: agent.name.clone(),
                    vendor: agent.vendor.clone(),
                    declared: agent.declared_cost,
                    max_parallel: agent.max_parallel,
                })
        })
        .collect()
}

/// Turns a broken run into the error that says what was kept.
fn broken(fatal: Fatal, session: &Session) -> Result<Finished, Error> {
    let id = crate::report::short_id(session.id());
    let resume = format!("what was answered is kept: `debate-agent sessions resume {id}` goes on");
    match fatal {
        Fatal::State(source) => {
            if let Some(refused) = source.downcast_ref::<Refused>() {
                let error = match refused {
                    Refused::Ambiguous { .. } => Error::new(Kind::Undecided, refused.to_string())
                        .named("ambiguous_call")
                        .hint(format!("`debate-agent sessions resume {id} --on-ambiguous rerun` charges it and makes it again")),
                    Refused::Drifted { .. } => Error::new(Kind::Trust, refused.to_string())
                        .named("drift")
                        .hint(format!("`debate-agent sessions resume {id} --accept-drift` pays for it again")),
                };
                return Err(error);
            }
            Err(Error::new(
                Kind::State,
                "failed to keep the session's state; nothing more was spent",
            )
            .named("state")
            .because(source)
            .hint(resume))
        }
        // Nobody reads the events any more (`--events - | head`): as quiet an end as for a result.
        Fatal::Reporter(source) if source.kind() == io::ErrorKind::BrokenPipe => {
            Err(Error::new(Kind::State, "the reader of the events went away").named("closed_pipe"))
        }
        Fatal::Reporter(source) => Err(Error::new(Kind::State, "failed to report what happens")
            .because(source)
            .hint(resume)),
    }
}

/// Turns an error of the session store into one for the edge.
#[expect(clippy::needless_pass_by_value, reason = "it is given to `map_err`")]
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a new error of the store is a matter of state until it gets a name"
)]
pub(crate) fn store_error(error: StoreError) -> Error {
    let (kind, code) = match &error {
        usage if usage.is_usage() => (Kind::Input, "unknown_id"),
        StoreError::Locked { .. } => (Kind::State, "locked"),
        StoreError::LockUnsupported { .. } => (Kind::State, "lock_unsupported"),
        StoreError::Corrupt { .. } => (Kind::State, "corrupt"),
        _ => (Kind::State, "state"),
    };
    Error::new(kind, error.to_string()).named(code)
}

/// Puts closed rounds into the journal.
struct Recorder {
    session: Shared,
}

impl Reporter for Recorder {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        let EventKind::Found(fact) = &event.kind else {
            return Ok(());
        };
        let round = fact.data.get("round").and_then(Value::as_u64);
        let (true, Some(round)) = (fact.code == "round_closed", round) else {
            return Ok(());
        };
        let mut session = self.session.borrow_mut();
        let round = u32::try_from(round).unwrap_or(u32::MAX);
        if session.ledger().rounds() >= round {
            return Ok(());
        }
        let closed = RoundClosed {
            round,
            facts: vec![fact.clone()],
        };
        session
            .note(crate::session::Body::RoundClosed(closed))
            .map(drop)
            .map_err(io::Error::other)
    }
}

/// Reads a session's rules and builds its debate again.
pub(crate) fn rebuild(ledger: &Ledger) -> Result<(Rules, Vec<Opportunity>, Machine), Error> {
    let opened = ledger.opened().ok_or_else(|| {
        Error::new(Kind::State, "the session's journal holds no first record")
            .named("damaged_session")
            .hint("it was cut off before anything was asked: start again")
    })?;
    let (rules, opportunities) = rules::read(opened)?;
    let machine = rules.machine(opportunities.clone(), &opened.boundary)?;
    Ok((rules, opportunities, machine))
}
