//! Stored sessions of any kind, read and shown without asking an agent.

use std::cell::RefCell;

use futures_util::future::LocalBoxFuture;

use super::circumstances::circumstances;
use super::kind::{OutcomeOf, Parts, Rules, SessionKind};
use super::replay;
use super::session_state;
use super::workspace::Workspace;
use crate::error::{Error, Kind, store_error};
use crate::kernel::warning::warning;
use crate::kernel::{Driver, SessionOutcome as _, Stamp, Stop};
use crate::report::document::Header;
use crate::report::session_result::{SessionDocument as _, SessionResult};
use crate::report::stored_result::StoredResult;
use crate::session::record::SessionOpened;
use crate::session::{Ledger, State, StoredSession};
use crate::text::json::{Malformed, typed};
use crate::text::redact::Redacted;
use crate::text::sanitize;

/// The future result of an operation on a stored session.
pub(crate) type Deferred<'a, T> = LocalBoxFuture<'a, Result<T, Error>>;

pub(crate) struct Replay<K: SessionKind> {
    pub(crate) task: Redacted<K::Task>,
    pub(crate) document: K::Document,
    pub(crate) outcome: OutcomeOf<K>,
    /// The turns that a resume would ask now.
    pub(crate) open: Vec<String>,
}

/// Returns a session's first record.
///
/// # Errors
/// A crash left no first record, or another version of this program made the session: its rules are not known here.
pub(crate) fn opened(stored: &StoredSession) -> Result<&SessionOpened, Error> {
    if let Some(version) = other_version(&stored.ledger) {
        return Err(Error::new(Kind::State, of_other_version(&stored.id, version))
            .named("other_version")
            .hint(format!(
                "use debate-agent {version}, or start over: its files stay as they are"
            )));
    }
    stored.ledger.opened().ok_or_else(|| {
        Error::new(Kind::State, "the session's journal has no first record")
            .named("damaged_session")
            .hint("it was cut off before anything was asked: start over")
    })
}

/// Returns the version of this program that made a session, if it is not this one.
pub(crate) fn other_version(ledger: &Ledger) -> Option<&str> {
    let version = ledger.opened()?.program_version.as_str();
    (version != env!("CARGO_PKG_VERSION")).then_some(version)
}

fn of_other_version(id: &str, version: &str) -> String {
    format!(
        "session {} was made by version {} and this is {}: it can be shown and exported as it was stored, not continued, forked or decided again",
        crate::report::short_id(id),
        sanitize::line(version, 40),
        env!("CARGO_PKG_VERSION")
    )
}

/// Returns the result that another version of this program stored; `None` if this version made the session.
///
/// # Errors
/// It stored none, or it cannot be read.
pub(crate) fn of_other(stored: &StoredSession) -> Result<Option<StoredResult>, Error> {
    let Some(version) = other_version(&stored.ledger) else {
        return Ok(None);
    };
    let made = of_other_version(&stored.id, version);
    let Some((document, markdown)) = stored.result().map_err(store_error)? else {
        let id = crate::report::short_id(&stored.id);
        return Err(Error::new(Kind::State, format!("{made}; no result was stored"))
            .named("other_version")
            .hint(format!(
                "`debate-agent sessions show {id} --format transcript` has what was said"
            )));
    };
    let (outcome, verdict) = match stored.ledger.state() {
        State::Closed { outcome, verdict } => (outcome.clone(), verdict.clone()),
        State::Suspended { outcome, .. } => (outcome.clone(), String::new()),
        State::Running => (String::new(), String::new()),
    };
    let (started_at, last_at) = stored.ledger.times().unwrap_or_default();
    let stamp = Stamp {
        session_id: stored.id.clone(),
        started_at,
        completed_at: matches!(stored.ledger.state(), State::Closed { .. }).then_some(last_at),
        budget: stored.ledger.budget().unwrap_or_default(),
        cost: stored.ledger.spent(),
    };
    let protocol = stored.ledger.opened().map_or("", |opened| &opened.protocol);
    let about = circumstances(&stored.ledger, &[]);
    let rounds = stored.ledger.rounds();
    let header = Header::of(protocol, outcome, verdict, rounds, &stamp, about);
    Ok(Some(StoredResult::new(header, document, &markdown, made)))
}

/// What a session is run by, and on.
type RulesAndTask<K> = (Rules<<K as SessionKind>::Settings>, Redacted<<K as SessionKind>::Task>);

/// Reads the rules and the task from a session's first record.
///
/// # Errors
/// They are damaged.
pub(crate) fn read<K: SessionKind>(opened: &SessionOpened) -> Result<RulesAndTask<K>, Error> {
    let damaged = |what: &str, error: Malformed| {
        Error::new(Kind::State, format!("the session's {what} cannot be read"))
            .named("damaged_session")
            .because(error)
    };
    let rules = typed(&opened.settings).map_err(|error| damaged("settings", error))?;
    let task = typed(&opened.input).map_err(|error| damaged("input", error))?;
    Ok((rules, Redacted::recorded(task)))
}

/// Creates the machine of a session with this first record.
///
/// # Errors
/// Its rules and task do not fit together.
pub(crate) fn machine<K: SessionKind>(
    rules: &Rules<K::Settings>,
    task: &Redacted<K::Task>,
    opened: &SessionOpened,
) -> Result<Driver<K::Protocol>, Error> {
    K::machine(Parts::new(task, rules, &opened.boundary, opened.seed))
}

pub(crate) fn document<K: SessionKind>(
    ledger: &Ledger,
    rules: &Rules<K::Settings>,
    task: &Redacted<K::Task>,
    outcome: &mut OutcomeOf<K>,
) -> K::Document {
    session_state::attend(ledger, outcome);
    if !ledger.tree_changed().is_empty() {
        K::spoil(outcome, ledger.tree_changed());
    }
    let (started_at, last_at) = ledger.times().unwrap_or_default();
    let opened = ledger.opened();
    let stamp = Stamp {
        session_id: opened.map(|opened| opened.session.clone()).unwrap_or_default(),
        started_at,
        completed_at: (outcome.closes() || session_state::is_terminated(ledger)).then_some(last_at),
        budget: ledger.budget().unwrap_or_default(),
        cost: ledger.spent(),
    };
    let (boundary, seed) = opened.map_or(("", 0), |opened| (opened.boundary.as_str(), opened.seed));
    let parts = Parts::new(task, rules, boundary, seed);
    let about = circumstances(ledger, &rules.calls.dangerous);
    K::document(parts, outcome.clone(), ledger, &stamp, about)
}

/// Replays a stored session as far as its journal goes.
///
/// # Errors
/// Its journal cannot be read.
pub(crate) async fn replayed<K: SessionKind>(stored: &StoredSession) -> Result<Replay<K>, Error> {
    let opened = opened(stored)?;
    let (rules, task) = read::<K>(opened)?;
    let mut machine = machine::<K>(&rules, &task, opened)?;
    let open = replay::stored(stored, &rules.calls, &mut machine).await?;
    let mut outcome = machine.stop(session_state::stopped(&stored.status));
    let open = match stored.ledger.state() {
        State::Closed { .. } => Vec::new(),
        State::Running | State::Suspended { .. } => K::open_turns(&outcome, open),
    };
    let document = document::<K>(&stored.ledger, &rules, &task, &mut outcome);
    Ok(Replay { task, document, outcome, open })
}

/// Returns what a session's rules make of a part of its answers: those of the turns that `keep` selects.
///
/// # Errors
/// Its journal cannot be read.
pub(crate) async fn outcome_of<K: SessionKind>(
    stored: &StoredSession,
    keep: &dyn Fn(&str) -> bool,
) -> Result<OutcomeOf<K>, Error> {
    let opened = opened(stored)?;
    let (rules, task) = read::<K>(opened)?;
    let mut machine = machine::<K>(&rules, &task, opened)?;
    replay::drive(stored, &rules.calls, &mut machine, keep, Some(&RefCell::default())).await?;
    Ok(machine.stop(Stop::Deadline))
}

/// Returns a stored session's result document.
///
/// # Errors
/// Its journal cannot be read.
pub(crate) fn shown<'a, K: SessionKind>(
    workspace: &'a Workspace,
    stored: &'a StoredSession,
) -> Deferred<'a, SessionResult> {
    Box::pin(async {
        let replay = replayed::<K>(stored).await?;
        Ok(completed::<K>(workspace, stored, replay.document).into())
    })
}

/// Adds to a replayed document the information in its session's folder and in the project's own files.
pub(crate) fn completed<K: SessionKind>(
    workspace: &Workspace,
    stored: &StoredSession,
    mut document: K::Document,
) -> K::Document {
    document.notes().warnings.extend(stored.notes.iter().map(warning));
    document.notes().journal_head.clone_from(&stored.head);
    K::complete(workspace, &mut document);
    document
}
