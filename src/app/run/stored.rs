//! Stored sessions of any kind, read and shown without asking an agent.

use serde::Deserialize as _;

use super::circumstances::circumstances;
use super::kind::{OutcomeOf, Parts, Rules, SessionKind};
use super::replay::{self, SessionReplay};
use super::standing;
use super::workspace::Workspace;
use crate::error::{Error, Kind};
use crate::kernel::warning::warning;
use crate::kernel::{Driver, Stamp};
use crate::report::session_result::SessionDocument as _;
use crate::session::record::SessionOpened;
use crate::session::{Ledger, State, StoredSession};

/// The result of replaying a session, with its task.
pub(crate) struct Replay<K: SessionKind> {
    pub(crate) task: K::Task,
    pub(crate) document: K::Document,
    pub(crate) outcome: OutcomeOf<K>,
    /// The turns that a resume would ask now.
    pub(crate) open: Vec<String>,
}

/// Returns a session's first record.
///
/// # Errors
/// A crash left no first record.
pub(crate) fn opened(stored: &StoredSession) -> Result<&SessionOpened, Error> {
    stored.ledger.opened().ok_or_else(|| {
        Error::new(Kind::State, "the session's journal has no first record")
            .named("damaged_session")
            .hint("it was cut off before anything was asked: start over")
    })
}

/// Reads the rules and the task from a session's first record.
///
/// # Errors
/// They are damaged.
pub(crate) fn read<K: SessionKind>(
    opened: &SessionOpened,
) -> Result<(Rules<K::Settings>, K::Task), Error> {
    let damaged = |what: &str, error: serde_json::Error| {
        Error::new(Kind::State, format!("the session's {what} cannot be read"))
            .named("damaged_session")
            .because(error)
    };
    let rules =
        Rules::read(&opened.settings, K::RULES).map_err(|error| damaged("settings", error))?;
    let task = K::Task::deserialize(&opened.input).map_err(|error| damaged("input", error))?;
    Ok((rules, task))
}

/// Creates the machine of a session with this first record.
///
/// # Errors
/// Its rules and task do not fit together.
pub(crate) fn machine<K: SessionKind>(
    rules: &Rules<K::Settings>,
    task: &K::Task,
    opened: &SessionOpened,
) -> Result<Driver<K::Protocol>, Error> {
    K::machine(Parts::new(task, rules, &opened.boundary, opened.seed))
}

/// Creates the result document of a session from its ledger and outcome.
pub(crate) fn document<K: SessionKind>(
    ledger: &Ledger,
    rules: &Rules<K::Settings>,
    task: &K::Task,
    outcome: &mut OutcomeOf<K>,
) -> K::Document {
    standing::attend(ledger, outcome);
    if !ledger.tree_changed().is_empty() {
        K::spoil(outcome, ledger.tree_changed());
    }
    let (started_at, last_at) = ledger.times().unwrap_or_default();
    let opened = ledger.opened();
    let stamp = Stamp {
        session_id: opened.map(|opened| opened.session.clone()).unwrap_or_default(),
        started_at,
        completed_at: standing::is_over(ledger, outcome).then_some(last_at),
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
    let machine = machine::<K>(&rules, &task, opened)?;
    let SessionReplay { mut outcome, open } = replay::stored(stored, &rules.calls, machine).await?;
    let open = match stored.ledger.state() {
        State::Closed { .. } => Vec::new(),
        State::Running | State::Suspended { .. } => K::open_turns(&outcome, open),
    };
    let document = document::<K>(&stored.ledger, &rules, &task, &mut outcome);
    Ok(Replay { task, document, outcome, open })
}

/// Returns a stored session's result document.
///
/// # Errors
/// Its journal cannot be read.
pub(crate) async fn shown<K: SessionKind>(
    workspace: &Workspace,
    stored: &StoredSession,
) -> Result<K::Document, Error> {
    let replay = replayed::<K>(stored).await?;
    Ok(completed::<K>(workspace, stored, replay.document))
}

/// Adds to a replayed document the information in its session's folder and in the project's own files.
pub(crate) fn completed<K: SessionKind>(
    workspace: &Workspace,
    stored: &StoredSession,
    mut document: K::Document,
) -> K::Document {
    document.notes().warnings.extend(stored.notes.iter().map(warning));
    K::complete(workspace, &mut document);
    document
}
