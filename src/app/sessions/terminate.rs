//! `sessions terminate`: closes a session that is not to be resumed.

use super::{shown, status};
use crate::app::backlog::record::no_session;
use crate::app::run::session_state::{self, TERMINATED};
use crate::app::run::sinks;
use crate::app::run::stored::other_version;
use crate::app::run::workspace::Workspace;
use crate::config::trust::AgentUse;
use crate::error::{Error, Kind, store_error};
use crate::report::sessions::SessionStatusDocument;
use crate::session::record::SessionResumed;
use crate::session::{State, StoreError};

/// The verdict of a session that was ended before it was decided.
const UNDECIDED: &str = "undecided";

/// Closes an open session: outcome `terminated`, verdict `undecided`. Its content is kept, and no agent is asked. A
/// session that was terminated before is left unchanged.
///
/// # Errors
/// The id is unknown, or the session is locked by a process, was decided, or cannot be read.
pub async fn terminate(workspace: &Workspace, id: &str) -> Result<SessionStatusDocument, Error> {
    let store = crate::app::run::foreign::store(workspace)?;
    let (mut session, ..) = store.open(id).map_err(|error| held_by(workspace, id, error))?;
    let id = session.id().to_owned();
    if let State::Closed { outcome, .. } = session.ledger().state() {
        if !session_state::is_terminated(session.ledger()) {
            let short = crate::report::short_id(&id);
            return Err(Error::new(
                Kind::Input,
                format!("session {short} is already over: {outcome}"),
            )
            .named("closed_session")
            .hint(format!("`debate-agent sessions show {short}` shows its result")));
        }
    } else {
        let resumed = SessionResumed {
            program_version: env!("CARGO_PKG_VERSION").to_owned(),
            ..SessionResumed::default()
        };
        session.resume(resumed).map_err(store_error)?;
        session.close(TERMINATED, UNDECIDED).map_err(store_error)?;
        let stored = store.read(&id).map_err(store_error)?;
        if other_version(&stored.ledger).is_none()
            && let Ok(result) = shown(workspace, &stored).await
            && let Ok(value) = result.value()
        {
            // As after a run: the journal contains everything.
            session.write_result(&value, &result.markdown()).ok();
        }
    }
    // A sink's failure is shown by the status.
    if workspace.require_trusted_keys(AgentUse::Sinks).is_ok() {
        sinks::deliver(workspace, &id, None, None, shown).await;
    }
    // The lock is released before the status is read.
    drop(session);
    status(workspace, &id).await
}

/// Returns the error for a session that cannot be opened; if a process has locked it, with a hint on how to stop
/// that.
fn held_by(workspace: &Workspace, id: &str, error: StoreError) -> Error {
    let pid = if let StoreError::Locked { holder, .. } = &error {
        holder.as_ref().map(|holder| holder.pid)
    } else {
        None
    };
    let mapped = no_session(workspace, id, error);
    pid.into_iter().fold(mapped, |error, pid| {
        error.hint(format!(
            "`kill -INT {pid}` stops it and keeps the answers so far; then terminate it"
        ))
    })
}
