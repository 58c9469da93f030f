//! Stored sessions: list, show, status, resume, restart from a round, decide, terminate, verify, clean up.
//!
//! Reading a session means replaying it: its debate is rebuilt from the first record, and every turn is answered from
//! the journal up to the first one without an answer. Nothing is called, and the programs that once answered need not
//! be installed.

mod diff;
mod find;
mod list;
mod sync;
mod terminate;
mod transcript;
mod verify;
mod watch;

use chrono::TimeDelta;

/// What help calls a session; the completions know by it where one is wanted.
pub(crate) const SESSION: &str = "SESSION";

pub use diff::{SessionDiff, diff};
pub use find::{find, holder};
pub use list::{list, page};
pub use sync::{SyncRequest, sync};
pub use terminate::terminate;
pub use transcript::{Part, html_page, raw_answer, transcript, transcript_document, write_page};
pub use verify::{VerifyRequest, verify};
pub use watch::watch;

use crate::app::backlog::record::{self, no_session};
use crate::app::config::refused;
use crate::app::human::{OpenTerminal, Person};
use crate::app::kinds::kind_of;
use crate::app::run::ending::RunReport;
use crate::app::run::options::RunOptions;
pub use crate::app::run::resume::ResumeRequest;
use crate::app::run::stored::{Deferred, of_other, other_version};
use crate::app::run::use_case::{Reporters, UseCase};
use crate::app::run::workspace::Workspace;
use crate::app::run::{foreign, sinks};
use crate::app::{planning, topic};
use crate::config;
use crate::config::key::KeyPath;
use crate::error::{Error, Kind, store_error};
use crate::kernel::round_of;
use crate::report::document::SCHEMA_VERSION;
use crate::report::session_result::SessionResult;
use crate::report::sessions::{SessionEntry, SessionStatusDocument};
pub use crate::session::GcReport;
use crate::session::{GcPolicy, State, StoreError, StoredSession};

/// Returns a session as the result document of its kind; for a partner debate a record without a session is enough.
///
/// # Errors
/// The id is unknown, or the journal or record cannot be read.
pub async fn show(workspace: &Workspace, id: &str) -> Result<SessionResult, Error> {
    match foreign::store(workspace)?.read(id) {
        Ok(stored) => shown(workspace, &stored).await,
        Err(error @ (StoreError::UnknownId { .. } | StoreError::InvalidId { .. })) => {
            Ok(record::record(workspace, id)?.ok_or_else(|| store_error(error))?.into())
        }
        Err(error) => Err(store_error(error)),
    }
}

fn read(workspace: &Workspace, id: &str) -> Result<StoredSession, Error> {
    let read = foreign::store(workspace)?.read(id);
    read.map_err(|error| no_session(workspace, id, error))
}

fn listed(workspace: &Workspace, stored: &StoredSession) -> SessionEntry {
    SessionEntry::from(&workspace.store().listed(stored.id.clone()))
}

pub(super) fn shown<'a>(
    workspace: &'a Workspace,
    stored: &'a StoredSession,
) -> Deferred<'a, SessionResult> {
    Box::pin(async {
        match of_other(stored)? {
            Some(result) => Ok(result.into()),
            None => kind_of(stored)?.shown(workspace, stored).await,
        }
    })
}

/// Returns the state of a session and the turns that a resume would ask next.
///
/// # Errors
/// As [`show`].
pub async fn status(workspace: &Workspace, id: &str) -> Result<SessionStatusDocument, Error> {
    let stored = read(workspace, id)?;
    let next_turns = match stored.ledger.state() {
        State::Closed { .. } => Vec::new(),
        _ if other_version(&stored.ledger).is_some() => Vec::new(),
        State::Running | State::Suspended { .. } => kind_of(&stored)?.open_turns(&stored).await?,
    };
    Ok(SessionStatusDocument {
        short: stored.ledger.short(),
        sinks: sinks::states(workspace, &workspace.store(), &stored.id),
        ..next(workspace, &stored, next_turns)
    })
}

/// Returns the state of a session and the turns that come next.
fn next(
    workspace: &Workspace,
    stored: &StoredSession,
    next_turns: Vec<String>,
) -> SessionStatusDocument {
    SessionStatusDocument {
        session: listed(workspace, stored),
        round: next_turns.first().and_then(|turn| round_of(turn)),
        next_turns,
        budget_usd: stored.ledger.budget(),
        short: None,
        sinks: Vec::new(),
        schema_version: SCHEMA_VERSION,
    }
}

impl UseCase for ResumeRequest {
    type Output = RunReport<SessionResult>;

    fn options(&mut self) -> &mut RunOptions {
        &mut self.options
    }

    fn read(&mut self, workspace: &Workspace) -> Result<(), Error> {
        topic::read_arguments(self.arguments.as_mut(), workspace)
    }

    fn person(
        &self,
        workspace: &Workspace,
        terminal: OpenTerminal,
    ) -> Result<Option<Person>, Error> {
        // Nothing is started here; `run` asks for trust.
        let read = workspace.store().read(&self.id);
        let stored = read.map_err(|error| no_session(workspace, &self.id, error))?;
        match topic::person_again(workspace, self, &stored, terminal)? {
            None => planning::person_again(&stored, self.from_round, terminal),
            person => Ok(person),
        }
    }

    /// Resumes a session. For a closed one, returns its result again and calls no agent.
    async fn run(
        &self,
        workspace: &Workspace,
        reporters: Reporters,
    ) -> Result<RunReport<SessionResult>, Error> {
        let stored = read(workspace, &self.id)?;
        foreign::refuse(workspace, &stored).await?;
        kind_of(&stored)?.resume(workspace, self, stored, reporters).await
    }
}

/// Returns the turns that `resume --from-round` would ask first. No agent is asked, and nothing is kept.
///
/// # Errors
/// As a resume, before anything is asked.
pub async fn preview(
    workspace: &Workspace,
    id: &str,
    round: u32,
) -> Result<SessionStatusDocument, Error> {
    let stored = read(workspace, id)?;
    let next_turns = kind_of(&stored)?.first_turns(&stored, round).await?;
    // `short` stays empty: what the old session's budget lacked says nothing about a new one's.
    Ok(next(workspace, &stored, next_turns))
}

/// Applies other rules to a stored session, without a call and without changing it.
///
/// # Errors
/// As [`show`]; no key is set with `--set`, or one that is no rule of the session's kind; `needs_more_turns` if the new rules would need a turn that was never asked.
pub async fn decide(workspace: &Workspace, id: &str) -> Result<RunReport<SessionResult>, Error> {
    let stored = read(workspace, id)?;
    let set = config::set::read(&workspace.around.set).map_err(|error| refused(&error))?;
    if set.is_empty() {
        return Err(Error::new(Kind::Usage, "no rule is given to decide by")
            .hint("name it with its value: `--set topic.consensus_threshold=0.7`"));
    }
    let keys: Vec<KeyPath> = set.into_iter().map(|flag| flag.path).collect();
    kind_of(&stored)?.decide(&stored, &workspace.effective.config, &keys).await
}

/// Removes what no session needs and, with `older_than_days`, closed sessions older than that.
///
/// # Errors
/// The folder cannot be read or something cannot be removed.
pub fn gc(
    workspace: &Workspace,
    older_than_days: Option<u32>,
    dry_run: bool,
) -> Result<GcReport, Error> {
    let policy = GcPolicy {
        closed_older_than: older_than_days.map(|days| TimeDelta::days(i64::from(days))),
        dry_run,
    };
    foreign::store(workspace)?.gc(policy).map_err(store_error)
}
