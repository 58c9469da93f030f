//! Runs a stored session of any protocol, from its first call or from where an earlier run stopped.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use serde_json::Value;

use super::asker::{Asker, Panel};
use super::attempts::{AttemptRefusal, AttemptRunner, Member, RunnerParts, SharedSession};
use super::quota::Quotas;
use super::session_state::spent;
use super::setup::Setup;
use super::sinks::{self, ProgressSender, Show};
use super::tree_check::Watch;
use super::{afford, signals};
use crate::agent::roster::Roster;
use crate::config::file::sha256;
use crate::engine::bus::Bus;
use crate::engine::clock;
use crate::engine::events::{Course, Event, EventKind, Reporter};
use crate::engine::switch::Switch;
use crate::engine::{self, Fatal};
use crate::error::store_error;
use crate::error::{Error, Kind};
use crate::kernel::{DynDriver, End, Fact, Limit, SessionOutcome, Shortfall, Stop, Usd};
use crate::ordered::Gather;
use crate::report::sinks::SinkEntry;
use crate::session::record::{Digests, RoundClosed, SessionOpened};
use crate::session::{Session, record};

pub(crate) struct DriveResult {
    pub(crate) end: End,
    /// The receivers of the remaining events.
    bus: Bus,
    /// The session; its lock is held until this is dropped.
    pub(crate) session: SharedSession,
    /// The signal that stopped the run, if one did.
    pub(crate) signal: Option<i32>,
}

impl DriveResult {
    /// Sends the session to the configured sinks if it has ended; by then everything in its folder must be written.
    /// `show` creates the result of a session of its kind.
    pub(crate) async fn deliver(&self, setup: &Setup<'_>, show: Show) -> Vec<SinkEntry> {
        let id = self.session.borrow().id().to_owned();
        let (workspace, bus) = (setup.workspace, Some(&self.bus));
        Box::pin(sinks::deliver(workspace, &id, setup.switch, bus, show)).await
    }
}

/// Returns a session's first record.
pub(crate) fn opened(
    setup: &Setup<'_>,
    title: &str,
    (input, redacted): (serde_json::Result<Value>, &[String]),
    settings: serde_json::Result<Value>,
    budget: Usd,
    rehearsal: bool,
) -> Result<SessionOpened, Error> {
    let value = |what: serde_json::Result<Value>| {
        what.map_err(|error| {
            Error::new(Kind::Bug, "a record cannot be written as JSON").because(error)
        })
    };
    let (input, settings) = (value(input)?, value(settings)?);
    let env = setup.workspace.env();
    let boundary = env.token();
    Ok(SessionOpened {
        session: env.session_id(),
        protocol: setup.protocol.to_owned(),
        title: setup.workspace.redactor().text(title),
        digests: digests(setup, &input),
        input,
        redacted: redacted.to_vec(),
        settings,
        boundary,
        seed: env.seed(),
        skills: setup
            .skills
            .values()
            .map(|skill| record::SkillUsed {
                name: skill.name.clone(),
                origin: skill
                    .path
                    .as_ref()
                    .map_or_else(|| BUILT_IN.to_owned(), |path| path.display().to_string()),
                sha256: skill.sha256.clone(),
                note: skill.note.clone(),
            })
            .collect(),
        rehearsal,
        budget: Some(budget),
        program_version: env!("CARGO_PKG_VERSION").to_owned(),
        parent: None,
    })
}

/// Hashes everything a session depends on, to detect changes.
pub(crate) fn digests(setup: &Setup<'_>, input: &Value) -> Digests {
    Digests {
        input: sha256(input.to_string().as_bytes()),
        // The rules are in the journal and taken from there, so no file can change them.
        config: String::new(),
        skills: setup
            .skills
            .iter()
            .map(|(role, skill)| (role.clone(), skill.sha256.clone()))
            .gather(),
        agents: setup
            .roster
            .casts()
            .flat_map(|(role, cast)| {
                std::iter::once(&cast.agent)
                    .chain(&cast.fallbacks)
                    .map(move |agent| (format!("{role}/{}", agent.name), agent.digest.clone()))
            })
            .gather(),
        tree: (setup.watch.as_ref()).map(Watch::marks).unwrap_or_default(),
    }
}

/// The origin recorded in a journal for a skill that is built in.
const BUILT_IN: &str = "built-in";

/// Runs a session until it ends or something stops it.
pub(crate) async fn drive(
    setup: &Setup<'_>,
    session: Session,
    machine: &mut dyn DynDriver,
    resumed: bool,
    mut reporters: Vec<Box<dyn Reporter>>,
) -> Result<DriveResult, Error> {
    let limits = &setup.workspace.effective.config.limits;
    let session: SharedSession = Rc::new(RefCell::new(session));
    let (budget, spent_before, title, rehearsal) = {
        let session = session.borrow();
        let ledger = session.ledger();
        let opened = ledger.opened();
        (
            ledger.budget(),
            spent(ledger),
            opened.map(|opened| opened.title.clone()).unwrap_or_default(),
            opened.is_some_and(|opened| opened.rehearsal),
        )
    };
    reporters.push(Box::new(Recorder { session: Rc::clone(&session) }));
    let owed = sinks::owe(setup.workspace, &session.borrow())?;
    let workspace = setup.workspace;
    let teller = ProgressSender::new(workspace, &session.borrow(), owed.as_ref(), &mut reporters);
    let own = Switch::default();
    let (bus, switch) = (Bus::new(reporters, setup.workspace.env()), setup.switch.unwrap_or(&own));
    bus.emit(EventKind::SessionStarted {
        session: session.borrow().id().to_owned(),
        protocol: setup.protocol,
        title,
        resumed,
        rehearsal,
        budget,
        spent: spent_before,
        course: Course { stages: setup.stages, turns: setup.most_turns, since: Duration::ZERO },
    });
    let note = session.borrow().folder_note().cloned();
    if let Some(note) = note {
        bus.emit(EventKind::Found(Fact::warning(&note, None)));
    }
    let redactor = setup.workspace.redactor();
    let runner = AttemptRunner::new(
        Rc::clone(&session),
        RunnerParts {
            bus: &bus,
            switch,
            budget: afford::budget(setup, budget),
            quotas: Quotas::read(setup.workspace),
            launch: setup.workspace.launch.as_ref(),
            redactor: &redactor,
            on_ambiguous: limits.on_ambiguous,
            accept_drift: setup.accept_drift,
            max_parallel: usize::try_from(limits.max_parallel).unwrap_or(usize::MAX),
            round_timeout: setup.round_timeout,
            agents: members(&setup.roster),
        },
    );
    let panel = Panel::new(setup, &session.borrow())?;
    let asker = Asker::new(&runner, &panel);
    let deadline = limits.deadline_seconds.map(Duration::from_secs);
    let running = engine::run(machine, &asker, &bus, switch, setup.max_rounds);
    let running = Box::pin(ProgressSender::beside(teller.as_ref(), running));
    let ended = if setup.switch.is_some() {
        running.await
    } else {
        tokio::select! {
            biased;
            error = signals::serve(&setup.workspace.stops, switch, Some(&bus)) => Err(Fatal::Reporter(error)),
            ended = running => ended,
            () = clock::deadline(switch, deadline) => Err(Fatal::Reporter(io::Error::other("the deadline's timer was lost"))),
        }
    };
    let end = ended.map_err(|fatal| broken(fatal, &session.borrow()))?;
    let tree_changed = match &setup.watch {
        Some(watch) => watch.changed().await,
        None => Vec::new(),
    };
    let stopped = switch.stopped();
    let outcome = machine.outcome(end);
    wrap_up(&session, &bus, (&*outcome, end), asker.failed(), (tree_changed, runner.shortfall()))?;
    if let Some(teller) = &teller {
        Box::pin(teller.send_stop(setup.switch)).await?;
    }
    let signal = signal_of(stopped);
    drop(asker);
    drop(runner);
    Ok(DriveResult { end, bus, session, signal })
}

fn signal_of(stopped: Option<Stop>) -> Option<i32> {
    match stopped {
        Some(Stop::Cancelled(signal)) => Some(signal),
        _ => None,
    }
}

/// Closes or suspends the session, and reports its end.
fn wrap_up(
    session: &SharedSession,
    bus: &Bus,
    (outcome, end): (&dyn SessionOutcome, End),
    ask_again: Vec<String>,
    (tree_changed, short): (Vec<String>, Option<Shortfall>),
) -> Result<(), Error> {
    let name = outcome.name();
    let mut session = session.borrow_mut();
    // The files changed while the agents read them: whatever the agents answered, nothing is decided.
    let spoiled = !tree_changed.is_empty() || !session.ledger().tree_changed().is_empty();
    let resumable = spoiled || end != End::Closed;
    let name = if spoiled { "undecided".to_owned() } else { name };
    let limit = match end {
        End::Stopped(Stop::Budget) if !spoiled => Some(Limit::Budget),
        End::Stopped(Stop::Quota) if !spoiled => Some(Limit::Quota),
        End::Stopped(Stop::Deadline) if !spoiled => Some(Limit::Deadline),
        End::Stopped(_) | End::Closed | End::Failed => None,
    };
    if resumable {
        let ask_again = outcome.again(ask_again);
        (session.suspend(&name, ask_again, tree_changed, limit, short)).map_err(store_error)?;
    } else if !session.is_closed() {
        session.close(&name, outcome.verdict()).map_err(store_error)?;
    }
    bus.emit(EventKind::SessionFinished {
        verdict: if spoiled { name.clone() } else { outcome.verdict().to_owned() },
        outcome: name,
        stopped_by: limit,
        resumable,
        cost: session.ledger().spent(),
    });
    Ok(())
}

fn members(roster: &Roster) -> Vec<Member> {
    (roster.casts().chain(roster.tools()))
        .flat_map(|(role, cast)| {
            std::iter::once(&cast.agent).chain(&cast.fallbacks).map(move |agent| Member {
                role: role.to_owned(),
                name: agent.name.clone(),
                vendor: agent.vendor.clone(),
                declared: agent.declared_cost,
                max_parallel: agent.max_parallel,
            })
        })
        .collect()
}

/// Converts the error of a broken run into a user-facing one, which says what was kept.
fn broken(fatal: Fatal, session: &Session) -> Error {
    let id = crate::report::short_id(session.id());
    let resume =
        format!("the answers so far are kept: `debate-agent sessions resume {id}` continues it");
    match fatal {
        Fatal::State(source) => {
            if let Some(refused) = source.downcast_ref::<AttemptRefusal>() {
                let error = match refused {
                    AttemptRefusal::Ambiguous { .. } => Error::new(Kind::Undecided, refused.to_string())
                        .named("ambiguous_call")
                        .hint(format!("`debate-agent sessions resume {id} --set limits.on_ambiguous=rerun` charges it and makes it again")),
                    AttemptRefusal::Drifted { .. } => Error::new(Kind::Trust, refused.to_string())
                        .named("drift")
                        .hint(format!("`debate-agent sessions resume {id} --accept-drift` pays for it again")),
                };
                return error;
            }
            Error::new(Kind::State, "failed to keep the session's state; nothing more was spent")
                .named("state")
                .because(source)
                .hint(resume)
        }
        // The reader of the events is gone (`--events - | head`): the run ends as quietly as for a result.
        Fatal::Reporter(source) if source.kind() == io::ErrorKind::BrokenPipe => {
            Error::new(Kind::State, "the reader of the events has gone").named("closed_pipe")
        }
        Fatal::Reporter(source) => {
            Error::new(Kind::State, "failed to report progress").because(source).hint(resume)
        }
    }
}

/// Records closed rounds in the journal.
struct Recorder {
    session: SharedSession,
}

impl Reporter for Recorder {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        let EventKind::RoundClosed { round, fact } = &event.kind else {
            return Ok(());
        };
        let mut session = self.session.borrow_mut();
        if session.ledger().rounds() >= *round {
            return Ok(());
        }
        let closed = RoundClosed { round: *round, facts: vec![fact.clone()] };
        session.note(crate::session::Body::RoundClosed(closed)).map(drop).map_err(io::Error::other)
    }
}
